//! What could be added to a list or an object.

use countersign_json::Value;
use countersign_json::pointer::tokens;
use countersign_schema::form::{Field, FieldKind};
use yew::prelude::*;

use super::draft::blank_like;
use super::judge::Problem;
use super::place::{child, split};
use super::sketch::{Sketch, Spot};
use super::slot::Slot;
use crate::controls::button;
use crate::escapes::escaped;
use crate::fold::ended;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Step};
use crate::text::visible;

/// How many members that could be added are offered by name.
const OFFERED: usize = 60;

impl Sketch<'_> {
    /// What could stand there besides.
    pub(super) fn additions(&self, value: Value<'_>, field: &Field, spot: Spot<'_>) -> Option<Html> {
        let messages = self.stage.messages();
        let mut offers = Vec::new();
        match &field.kind {
            FieldKind::Array { may_add: true, .. } => {
                let item = self.form.item(&field.node, value.len(), None);
                let mut slot = Slot::at(&child(spot.pointer, "-"));
                slot.blank = match (&item.kind, value.items().last()) {
                    (FieldKind::Any, Some(last)) => blank_like(last),
                    (FieldKind::Any, None) => "\"\"".to_owned(),
                    _ => self.form.blank(&item.node),
                };
                offers.push(self.tool(
                    self.slot(slot),
                    Step::Add,
                    messages.edit_add_item(),
                    &self.name(spot.pointer),
                ));
            }
            FieldKind::Object { members, may_add } => {
                let mut there: Vec<_> = value.members().filter_map(|(key, _)| key.as_str()).collect();
                there.sort_unstable();
                let has = |name: &str| there.binary_search_by(|known| known.as_ref().cmp(name)).is_ok();
                let mut offer = |name: &str, blank: &dyn Fn() -> String, required| {
                    let mut slot = Slot::at(&child(spot.pointer, name));
                    // What was taken out comes back as it came.
                    let came = self.came(&slot.pointer).map(|came| came.text().to_owned());
                    slot.blank = came.unwrap_or_else(blank);
                    offers.push(self.offer(self.slot(slot), name, required));
                };
                let mut absent: Vec<_> = members.iter().filter(|(name, _)| !has(name)).collect();
                let (left, offered) = (absent.len(), absent.len().min(OFFERED));
                if offered < left {
                    // What must be there is among those that are offered.
                    absent.sort_by_key(|(_, member)| !member.required);
                }
                for (name, member) in absent.into_iter().take(OFFERED) {
                    offer(name, &|| self.form.blank(&member.node), member.required);
                }
                let came = self.came(spot.pointer).into_iter().flat_map(Value::members);
                for name in came.filter_map(|(key, _)| key.as_str()).take(OFFERED) {
                    if !has(&name) && members.iter().all(|(known, _)| *known != name) {
                        offer(&name, &String::new, false);
                    }
                }
                // What must be there may be declared nowhere.
                for Problem { pointer, .. } in self.problems {
                    let (outer, last) = split(pointer);
                    let name = tokens(pointer).last().unwrap_or_default();
                    let known =
                        || members.iter().any(|(known, _)| *known == name) || self.came(pointer).is_some();
                    if outer == spot.pointer && !last.is_empty() && !has(&name) && !known() {
                        offer(&name, &|| self.entry(field, pointer, &name), true);
                    }
                }
                if *may_add || offered < left {
                    offers.push(self.naming(field, spot.pointer));
                }
            }
            _ => {}
        }
        (!offers.is_empty())
            .then(|| Tag::new("div", "cs-edit-add").part("edit-additions").list(offers).html())
    }

    /// A member that can be added.
    fn offer(&self, slot: usize, name: &str, required: bool) -> Html {
        let messages = self.stage.messages();
        let name = ended(name);
        let label = Tag::new("code", "cs-code").child(visible(&name)).html();
        let named = messages.act_on(&messages.edit_add(), &escaped(&name));
        button("edit-tool", "cs-tool-button", "+ ".into(), self.stage, Act::Change(slot, Step::Add))
            .text(Attribute::Id, self.id(slot, ""))
            .named(named)
            .when(required, Attribute::Bad, "")
            .child(label)
            .html()
    }

    /// A member of a name that a person chooses.
    fn naming(&self, field: &Field, pointer: &str) -> Html {
        let messages = self.stage.messages();
        let mut slot = Slot::at(pointer);
        let typed = self.naming.filter(|(place, _)| place == pointer);
        let name = typed.map(|(_, name)| name.as_str()).unwrap_or_default();
        (slot.names, slot.blank) = (true, self.entry(field, &child(pointer, name), name));
        let slot = self.slot(slot);
        if typed.is_none() {
            return self.tool(slot, Step::Name, messages.edit_add_field(), &self.name(pointer));
        }
        let field = Tag::new("input", "cs-input cs-code")
            .part("edit-field")
            .with(Attribute::Type, "text")
            .exact()
            .text(Attribute::Id, self.id(slot, ""))
            .text(Attribute::Label, messages.edit_field_name())
            .value(name.to_owned())
            .on(self.stage, Act::Type(slot));
        Tag::new("form", "cs-edit-naming")
            .on(self.stage, Act::Submit)
            .child(field.html())
            .child(self.tool(slot, Step::Add, messages.edit_add(), &self.name(pointer)))
            .child(self.tool(slot, Step::Name, messages.cancel(), &self.name(pointer)))
            .html()
    }

    /// What a member of this name starts with: as it came, else what the schema wants.
    fn entry(&self, field: &Field, place: &str, name: &str) -> String {
        if let Some(came) = self.came(place) {
            return came.text().to_owned();
        }
        let member = self.form.member(&field.node, name, None);
        match member.kind {
            FieldKind::Any => "\"\"".to_owned(),
            _ => self.form.blank(&member.node),
        }
    }
}

//! What people do in the dialog.

use std::rc::Rc;

use countersign_json::Document;
use countersign_schema::form::Form;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::draft::{Typing, Untaken, parse};
use super::judge::judge;
use super::kinds::refilled;
use super::late;
use super::place::{child, is_within, split};
use super::sketch::{PAGE, id, role};
use super::slot::Slot;
use super::{Desk, EditDialog, NOTE};
use crate::arming::is_genuine;
use crate::piece::{Act, Stage, Step, is_stroke, typed};

impl EditDialog {
    /// Takes up an act; whether something is to be drawn again.
    pub(super) fn take(&self, desk: &Desk, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Key => {
                let Some(event) = event else { return false };
                let key: &KeyboardEvent = event.unchecked_ref();
                let naming = desk.naming.borrow().as_ref().map(|(place, _)| place.clone());
                // What stands in no form at the moment is not given up by the way.
                let naming = naming.filter(|place| names(&desk.slots.borrow(), place).is_some());
                if let Some(place) = naming.filter(|_| key.key() == "Escape" && is_stroke(key)) {
                    event.prevent_default();
                    event.stop_propagation();
                    desk.naming.replace(None);
                    desk.next.replace(Some((place, Some(Step::Name))));
                    return true;
                }
                let sends = key.key() == "Enter" && (key.ctrl_key() || key.meta_key());
                if sends && is_stroke(key) && is_genuine(event) {
                    event.prevent_default();
                    match desk.guard.check(&self.name(stage)) {
                        Ok(true) => self.send(desk, event),
                        Ok(false) => {}
                        Err(refusal) => self.card.act(&Act::Refused(refusal), Some(event)),
                    }
                }
                return false;
            }
            Act::Send => {
                if let Some(event) = event {
                    self.send(desk, event);
                }
                return false;
            }
            Act::Cancel | Act::Refused(_) => {
                self.card.act(act, event);
                return false;
            }
            Act::Raw(json) => self.with_draft(|draft| draft.edit_as_json("", *json)),
            Act::Discard => {
                masked_again(desk, "");
                self.with_draft(|draft| {
                    if draft.differs("") {
                        draft.reset("");
                    }
                });
            }
            Act::Type(NOTE) => {
                let Some(note) = typed(event) else { return false };
                self.with_draft(|draft| draft.note = note);
                // Nothing else is looked at anew, and the note is not kept beyond the page.
                return true;
            }
            // Enter in the field for the name of a new member.
            Act::Submit => {
                let place = desk.naming.borrow().as_ref().map(|(place, _)| place.clone());
                let named = |slot: &&Slot| slot.names && Some(&slot.pointer) == place.as_ref();
                let Some(slot) = desk.slots.borrow().iter().find(named).cloned() else { return false };
                self.add(desk, &slot);
            }
            Act::Drawn => {
                self.keep_focus(desk, stage);
                return false;
            }
            Act::Change(at, Step::Go) => self.show(desk, *at),
            Act::Type(at) | Act::Paste(at) | Act::Pick(at, _) | Act::Change(at, _) => {
                let Some(slot) = desk.slots.borrow().get(*at).cloned() else { return false };
                match act {
                    Act::Paste(_) => {
                        let Some(words) = lines(&slot, event) else { return false };
                        // What is drawn in its place has the focus.
                        desk.typed.replace(Some((slot.pointer.clone(), 0)));
                        self.take_words(desk, &slot, &words);
                    }
                    Act::Type(_) => self.type_into(desk, &slot, event),
                    Act::Change(_, Step::Find) => return find(*at, self, stage),
                    Act::Change(_, step) => self.step(desk, &slot, *step),
                    _ => {
                        self.pick(desk, &slot, event);
                        desk.next.replace(Some((slot.pointer, Some(Step::Go))));
                    }
                }
            }
            _ => return false,
        }
        desk.answered.replace(self.refused.clone());
        match act {
            Act::Type(_) => late::keep(&self.editing, &self.view, &self.writing.drafts),
            _ => self.editing.keep(&self.view, &self.writing.drafts),
        }
        true
    }

    fn send(&self, desk: &Desk, event: &Event) {
        if let Some(decision) = self.decision(desk) {
            self.card.act(&Act::Decide(decision), Some(event));
        }
    }

    fn type_into(&self, desk: &Desk, slot: &Slot, event: Option<&Event>) {
        let Some(words) = typed(event) else { return };
        if slot.names {
            desk.naming.replace(Some((slot.pointer.clone(), words)));
            return;
        }
        let field: Option<HtmlTextAreaElement> =
            event.and_then(Event::target).map(|target| target.unchecked_into());
        let caret = field.and_then(|field| field.selection_start().ok()?);
        desk.typed.replace(caret.map(|caret| (slot.pointer.clone(), caret)));
        self.take_words(desk, slot, &words);
    }

    pub(super) fn take_words(&self, desk: &Desk, slot: &Slot, words: &str) {
        desk.spelt.replace((slot.pointer.clone(), words.to_owned()));
        self.with_draft(|draft| draft.take(&slot.pointer, words, slot.typing));
        // What was typed in sight stays in sight, and what was typed behind a mask behind it, whatever it looks like.
        match slot.masked {
            true => self.with_draft(|draft| draft.hold(&slot.pointer)),
            false => reveal(desk, &slot.pointer, true),
        }
    }

    fn pick(&self, desk: &Desk, slot: &Slot, event: Option<&Event>) {
        let chosen = typed(event).and_then(|value| value.parse::<usize>().ok());
        let field = event.and_then(Event::target).filter(|_| !slot.choices.is_empty());
        if let Some(field) = field {
            // What is drawn next says what is chosen: also where that is what was.
            let field: HtmlTextAreaElement = field.unchecked_into();
            field.set_value(&slot.chosen.map(|chosen| chosen.to_string()).unwrap_or_default());
        }
        self.choose(desk, slot, chosen);
    }

    pub(super) fn choose(&self, desk: &Desk, slot: &Slot, chosen: Option<usize>) {
        let other = chosen.and_then(|chosen| self.in_form(desk, slot, chosen));
        self.with_draft(|draft| match chosen.and_then(|chosen| slot.choices.get(chosen)) {
            Some(json) => draft.put(&slot.pointer, other.as_ref().unwrap_or(json)),
            None if slot.choices.is_empty() => {
                let turned = draft.with(&slot.pointer, |value| value.as_bool() != Some(true));
                draft.put(&slot.pointer, if turned == Some(true) { "true" } else { "false" });
            }
            None => {}
        });
    }

    /// What stands at a place, in another form that it may have.
    fn in_form(&self, desk: &Desk, slot: &Slot, to: usize) -> Option<String> {
        let (level, forms) = slot.forms.as_ref()?;
        let place = slot.pointer.as_str();
        let schema = parse(self.view.args_schema.as_deref()?).ok()?;
        let form = Form::of(&schema)?;
        let mut picks = desk.picks.borrow_mut();
        let left = picks.left(place, *level, to).map(str::to_owned);
        let left = left.as_deref().and_then(|left| parse(left).ok());
        let draft = self.with_draft(|draft| draft.clone());
        let (now, came) = (parse(draft.text()).ok()?, parse(draft.original()).ok());
        let now = now.root().pointer(place)?;
        let came = came.as_ref().and_then(|came| came.root().pointer(place));
        let values = [Some(now), left.as_ref().map(Document::root), came];
        let filled = refilled(&form, forms, [Some(to), slot.chosen], values);
        picks.pick(place, *level, to, slot.chosen.map(|from| (from, now.text().to_owned())));
        filled
    }

    fn step(&self, desk: &Desk, slot: &Slot, step: Step) {
        let place = slot.pointer.as_str();
        let (outer, last) = split(place);
        let next = |place: &str, step| {
            desk.next.replace(Some((place.to_owned(), step)));
        };
        match step {
            Step::Add => self.add(desk, slot),
            Step::Name => {
                let open = desk.naming.borrow().as_ref().is_some_and(|(named, _)| named == place);
                desk.naming.replace((!open).then(|| (place.to_owned(), String::new())));
                next(place, (open).then_some(Step::Name));
            }
            // The button says why it does not act.
            Step::Remove if self.stays(place) => {}
            Step::Remove => {
                masked_again(desk, outer);
                self.with_draft(|draft| draft.remove(place));
                let stays = self.with_draft(|draft| draft.has(place));
                next(if stays { place } else { outer }, None);
            }
            Step::Up | Step::Down => {
                let Ok(index) = last.parse::<usize>() else { return };
                let lower = if step == Step::Up { index } else { index + 1 };
                masked_again(desk, outer);
                self.with_draft(|draft| draft.move_up(outer, lower));
                let at = if step == Step::Up { index.saturating_sub(1) } else { index + 1 };
                let place = child(outer, &at.to_string());
                open(desk, &place);
                next(&place, Some(step));
            }
            Step::Reset => {
                masked_again(desk, place);
                self.with_draft(|draft| draft.reset(place));
                next(place, None);
            }
            Step::Json | Step::Form => {
                self.with_draft(|draft| draft.edit_as_json(place, step == Step::Json));
                next(place, None);
            }
            Step::Drop => {
                let text = self.with_draft(|draft| draft.text_at(place));
                if let Some(text) = text {
                    self.with_draft(|draft| {
                        let text = if place.is_empty() { draft.text().to_owned() } else { text };
                        draft.take(place, &text, Typing::Json);
                    });
                }
                next(place, None);
            }
            Step::Reveal => reveal(desk, place, slot.masked),
            Step::Format => self.with_draft(|draft| draft.format(place)),
            Step::Fill => {
                self.with_draft(|draft| draft.put(place, &slot.blank));
                next(place, None);
            }
            Step::Null => {
                self.with_draft(|draft| draft.put(place, "null"));
                next(place, Some(Step::Fill));
            }
            Step::Fold | Step::More => {
                let mut folds = desk.folds.borrow_mut();
                folds.retain(|(folded, _)| folded != place);
                let shown = match step {
                    Step::More => slot.shown + PAGE,
                    _ if slot.shown == 0 => PAGE,
                    _ => 0,
                };
                folds.push((place.to_owned(), shown));
            }
            Step::Go | Step::Find => {}
        }
    }

    /// Whether the backend keeps this member, also where it is left out.
    fn stays(&self, place: &str) -> bool {
        let merges = self.view.edits.is_some_and(|rule| rule.merges);
        merges && split(place).0.is_empty() && self.with_draft(|draft| draft.had(place))
    }

    fn add(&self, desk: &Desk, slot: &Slot) {
        let named = match (slot.names, desk.naming.borrow().as_ref()) {
            // Enter in the empty field: nothing is named yet.
            (true, Some((_, name))) if name.is_empty() => return,
            (true, Some((_, name))) => Some(child(&slot.pointer, name)),
            (true, None) => return,
            (false, _) => None,
        };
        let place = named.unwrap_or_else(|| slot.pointer.clone());
        let added = self.with_draft(|draft| draft.add(&place, &slot.blank));
        // Who names a member that is there gets its field.
        if !added && !self.with_draft(|draft| draft.has(&place)) {
            return;
        }
        if slot.names {
            desk.naming.replace(None);
        }
        let (outer, last) = split(&place);
        let count = self.with_draft(|draft| draft.with(outer, |value| value.len())).unwrap_or_default();
        let place = match last {
            "-" => child(outer, &count.saturating_sub(1).to_string()),
            _ => place.clone(),
        };
        open(desk, &place);
        desk.next.replace(Some((place, None)));
    }

    /// Shows the field of a problem, or what is nearest to it.
    fn show(&self, desk: &Desk, at: usize) {
        let problems = self.with_draft(|draft| judge(draft, &self.view).problems);
        let Some(problem) = problems.get(at) else { return };
        let mut place = problem.pointer.as_str();
        let has_slot = |place: &str| desk.slots.borrow().iter().any(|slot| slot.pointer == place);
        while !has_slot(place) && !self.with_draft(|draft| draft.has(place)) && !place.is_empty() {
            place = split(place).0;
        }
        let mut outer = place;
        while !outer.is_empty() {
            open(desk, outer);
            outer = split(outer).0;
        }
        desk.next.replace(Some((place.to_owned(), None)));
    }

    /// Remembers where the focus is when a schema has come, of which other fields are drawn.
    pub(super) fn take_schema(&self, desk: &Desk, stage: &Stage) {
        if *desk.schema.borrow() == self.view.args_schema {
            return;
        }
        desk.schema.replace(self.view.args_schema.clone());
        let Some(field) = stage.find(Some(":focus")) else { return };
        let form = self.view.key.to_string();
        let slots = desk.slots.borrow();
        let at = (0..slots.len()).find(|at| id(&form, *at, "") == field.id());
        let Some(slot) = at.and_then(|at| slots.get(at)) else { return };
        // What is no field for words has no caret.
        let caret = field.unchecked_into::<HtmlTextAreaElement>().selection_start().ok().flatten();
        desk.typed.replace(Some((slot.pointer.clone(), caret.unwrap_or_default())));
    }

    /// Gives the focus back to the field where something was typed, if another one was drawn in its place.
    fn keep_focus(&self, desk: &Desk, stage: &Stage) {
        let Some((place, caret)) = desk.typed.borrow().clone() else { return };
        if stage.find(Some(":focus")).is_some() {
            return;
        }
        let slots = desk.slots.borrow();
        let Some(at) = slots.iter().position(|slot| slot.pointer == place && !slot.names) else { return };
        if slots.get(at).is_some_and(|slot| !slot.choices.is_empty()) {
            // Keys that were meant for words would choose there.
            return stage.catch_focus(Some(".cs-edit-rows, button"));
        }
        let selector = ["#", &id(&self.view.key.to_string(), at, "")].concat();
        stage.catch_focus(Some(&selector));
        let field = stage.find(Some(&[&selector, ":focus"].concat()));
        if let Some(field) = field.map(|field| field.unchecked_into::<HtmlTextAreaElement>()) {
            // What is no field for words has no caret.
            let _ = field.set_selection_range(caret, caret);
        }
    }

    /// Puts the focus where the last step leads.
    pub(super) fn place_focus(&self, desk: &Desk, stage: &Stage) {
        let next = desk.next.take();
        if next.is_none() {
            self.keep_focus(desk, stage);
        }
        desk.typed.take();
        let Some((place, step)) = next else { return };
        // What was chosen may have put another field in the place of the one that had the focus.
        if step == Some(Step::Go) && stage.find(Some(":focus")).is_some() {
            return;
        }
        let slots = desk.slots.borrow();
        // The first one is the field itself; later ones choose its form.
        let exact = slots.iter().position(|slot| slot.pointer == place && (step.is_none() || !slot.names));
        let named = names(&slots, &place);
        let naming = desk.naming.borrow().as_ref().is_some_and(|(named, _)| *named == place);
        let nearest = || {
            let around = |slot: &&Slot| is_within(&place, &slot.pointer);
            let outer = slots.iter().filter(around).max_by_key(|slot| slot.pointer.len())?;
            slots.iter().position(|slot| slot.pointer == outer.pointer)
        };
        let chooses = |slot: &Slot| slot.pointer == place && !slot.choices.is_empty();
        let at = match step {
            Some(Step::Go) => slots.iter().position(chooses).or(exact),
            _ if naming || step == Some(Step::Name) => named.or(exact),
            _ => exact.or_else(nearest),
        };
        let Some(at) = at else { return };
        let form = self.view.key.to_string();
        let step = step.filter(|step| *step != Step::Go);
        let step = step.map(|step| if step == Step::Fill { "t" } else { role(step) });
        // Over a form that is out of use stands the way back to its JSON text.
        let candidates = [step.unwrap_or_default(), if step == Some("u") { "d" } else { "u" }, "", "b"]
            .map(|role| ["#", &id(&form, at, role)].concat());
        for selector in &candidates {
            stage.focus(Some(selector));
            if let Some(element) = stage.find(Some(&[selector, ":focus"].concat())) {
                element.scroll_into_view_with_bool(false);
                return;
            }
        }
        // Somewhere in the dialog, where keys still reach it.
        stage.focus(Some("button"));
    }
}

/// What stands in a masked field once several lines were put into it. The field itself would make one of them, and nobody
/// would see that what is sent is something else.
fn lines(slot: &Slot, event: Option<&Event>) -> Option<String> {
    let event = event.filter(|_| slot.typing == Typing::Words)?;
    let put = Reflect::get(event, &"data".into()).ok()?.as_string()?;
    // What ends one line is no second one: the field leaves it out.
    if !put.trim_end().contains('\n') {
        return None;
    }
    let field: HtmlTextAreaElement = event.target()?.unchecked_into();
    let (from, to) = (field.selection_start().ok()??, field.selection_end().ok()??);
    event.prevent_default();
    Some(spliced(&field.value(), [from, to], &put))
}

/// A text with these lines in the place of a part of it, which is counted as fields do.
fn spliced(text: &str, [from, to]: [u32; 2], put: &str) -> String {
    let (mut before, mut after, mut at) = (String::new(), String::new(), 0);
    for sign in text.chars() {
        if at < from {
            before.push(sign);
        } else if at >= to {
            after.push(sign);
        }
        at += if sign > '\u{FFFF}' { 2 } else { 1 };
    }
    let mut ends = "";
    for line in put.split('\n') {
        before.push_str(ends);
        before.push_str(line.strip_suffix('\r').unwrap_or(line));
        ends = "\n";
    }
    before + &after
}

/// The slot of the field for the name of a new member.
fn names(slots: &[Slot], place: &str) -> Option<usize> {
    slots.iter().position(|slot| slot.pointer == place && slot.names)
}

/// Shows the secret at a place, or masks it.
fn reveal(desk: &Desk, place: &str, shown: bool) {
    let mut revealed = desk.revealed.borrow_mut();
    revealed.retain(|known| known != place);
    if shown {
        revealed.push(place.to_owned());
    }
}

/// Masks what is shown at a place and within: what stands there is about to be something else.
fn masked_again(desk: &Desk, place: &str) {
    desk.revealed.borrow_mut().retain(|known| !is_within(known, place));
    desk.naming.borrow_mut().take_if(|(known, _)| known != place && is_within(known, place));
    desk.picks.borrow_mut().forget(place);
}

/// Shows a place, also one of many.
fn open(desk: &Desk, place: &str) {
    let outer = split(place).0;
    let mut folds = desk.folds.borrow_mut();
    let shown = folds.iter().find(|(folded, _)| folded == outer).map_or(0, |(_, shown)| *shown);
    folds.retain(|(folded, _)| folded != outer);
    folds.push((outer.to_owned(), shown.max(PAGE)));
    desk.apart.borrow_mut().push(place.to_owned());
}

/// Selects the place in a JSON text that cannot be read.
fn find(at: usize, dialog: &EditDialog, stage: &Stage) -> bool {
    let selector = ["#", &id(&dialog.view.key.to_string(), at, "")].concat();
    let field = stage.find(Some(&selector)).and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    let offset = dialog.with_draft(|draft| {
        let loose = draft
            .loose()
            .iter()
            .find(|loose| field.as_ref().is_some_and(|field| field.value() == loose.typed))?;
        let Untaken::NotJson(error) = &loose.why else { return None };
        let before = loose.typed.get(..error.at).unwrap_or(&loose.typed);
        u32::try_from(before.encode_utf16().count()).ok()
    });
    if let (Some(field), Some(offset)) = (field, offset) {
        stage.focus(Some(&selector));
        // Where nothing can be selected, the focus is enough.
        let _ = field.set_selection_range(offset, offset + 1);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r24_lines_stand_where_they_were_put() {
        for (text, range, put, whole) in [
            ("", [0, 0], "a\r\nb\n", "a\nb\n"),
            ("xyz", [1, 2], "a\nb", "xa\nbz"),
            ("x😀z", [3, 4], "a\nb", "x😀a\nb"),
            ("x😀z", [1, 3], "\n", "x\nz"),
            ("xy", [2, 2], "\r\n", "xy\n"),
        ] {
            assert_eq!(spliced(text, range, put), whole);
        }
    }
}

//! The editor for JSON text: numbered lines, and the place that cannot be read.

use yew::prelude::*;

use super::draft::{Loose, Untaken};
use super::sketch::Sketch;
use crate::controls::button;
use crate::node::{Attribute, Tag, options, words as text};
use crate::piece::{Act, Step};
use crate::tool_call_card::facts::warning;
use crate::variants::Tone;

/// How many lines get a number; in longer texts none does.
const LINES: usize = 2000;

/// A field with the JSON text of one value.
pub(super) fn editor(
    sketch: &Sketch<'_>,
    slot: usize,
    value: &str,
    loose: Option<&Loose>,
    forced: bool,
) -> Html {
    let messages = sketch.stage.messages();
    let (pointer, whole) = match sketch.slots.borrow().get(slot) {
        Some(slot) => (slot.pointer.clone(), slot.pointer.is_empty()),
        None => return Html::default(),
    };
    let shown = match loose {
        Some(loose) => loose.typed.as_str(),
        // The whole is shown with the white space around it.
        None if whole => sketch.draft.text(),
        None => sketch.spelt(&pointer, value),
    };
    let fault = loose.and_then(|loose| match &loose.why {
        Untaken::NotJson(error) => Some(error.line(&loose.typed)),
        _ => None,
    });
    let bad = sketch.problems.iter().any(|problem| sketch.is_told_at(&pointer, problem));
    let lines: Vec<&str> = shown.split('\n').collect();
    let mirror = (lines.len() <= LINES).then(|| {
        let mut drawn = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let line = if line.is_empty() { "\u{200B}" } else { line };
            let drawn_line = Tag::new("span", "cs-edit-line").words(line.to_owned());
            drawn.push(drawn_line.when(fault == Some(index + 1), Attribute::Bad, "").html());
        }
        Tag::new("pre", "cs-edit-mirror cs-code").with(Attribute::Hidden, "true").list(drawn).html()
    });
    let label = messages.edit_json_of(&sketch.name(&pointer));
    let field = Tag::new("textarea", "cs-edit-json cs-code")
        .part("edit-json")
        .text(Attribute::Id, sketch.id(slot, ""))
        .text(Attribute::Label, label)
        .with(Attribute::Dir, "ltr")
        .exact()
        .when(bad, Attribute::Invalid, "true")
        .option(Attribute::DescribedBy, bad.then(|| sketch.id(slot, "x")))
        .value(shown.to_owned())
        .on(sketch.stage, Act::Type(slot));
    let name = sketch.name(&pointer);
    let find = fault.map(|_| sketch.tool(slot, Step::Find, messages.edit_find(), &name));
    let format = loose.is_none().then(|| sketch.tool(slot, Step::Format, messages.edit_lines(), &name));
    // What has no form stays as it is.
    let note = forced.then(|| Tag::new("p", "cs-help").words(messages.edit_only_json()).html());
    let tools = Tag::new("div", "cs-edit-tools").optional(find).optional(format);
    options([
        note,
        Some(Tag::new("div", "cs-edit-sheet").optional(mirror).child(field.html()).html()),
        Some(tools.html()),
    ])
}

/// Over the form of a value whose JSON text cannot be read: what is shown, and the way back.
pub(super) fn stale(sketch: &Sketch<'_>, slot: usize, pointer: &str) -> Html {
    let messages = sketch.stage.messages();
    let name = sketch.name(pointer);
    let label = messages.edit_back_to_json();
    let named = messages.act_on(&label, &name);
    let act = Act::Change(slot, Step::Json);
    let back = button("edit-tool", "cs-tool-button", label, sketch.stage, act)
        .text(Attribute::Id, sketch.id(slot, "b"))
        .named(named)
        .html();
    let drop = sketch.tool(slot, Step::Drop, messages.edit_drop_json(), &name);
    let says = options([Some(text(messages.edit_unreadable())), Some(text(" "))]);
    warning(Tone::Attention, says)
        .child(Tag::new("span", "cs-edit-tools").child(back).child(drop).html())
        .html()
}

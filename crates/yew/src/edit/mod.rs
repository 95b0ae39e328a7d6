//! The dialog in which the arguments of a call are edited before it runs.
//!
//! A [`Draft`](draft::Draft) is the text and what was typed beside it, `judge` says what stands in its way, a
//! [`Sketch`](sketch::Sketch) draws it as a form, and [`EditDialog`] takes up what people do.

mod act;
mod additions;
mod call;
pub(crate) mod draft;
mod editing;
mod judge;
mod kinds;
mod late;
mod looks;
pub(crate) mod place;
mod raw;
mod row;
pub(crate) mod secret;
mod sketch;
mod slot;
mod store;
#[cfg(test)]
mod tests;
mod unfit;
mod words;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, OfferKind, RequestView, Words};
use countersign_json::Document;
use countersign_json::pointer::readable;
use countersign_schema::form::Form;
use yew::prelude::*;

pub(crate) use call::Call;
pub(crate) use editing::{Editing, Editings};
pub use store::{DraftStore, Drafts};

use crate::arming::{Guard, Guarded, Safety, Seal};
use crate::changes::Changes;
use crate::controls::button;
use crate::dialog::Dialog;
use crate::intent::Refused;
use crate::messages::Messages;
use crate::node::{Attribute, Tag, list, options, words as text};
use crate::piece::{Act, Piece, Stage, Step, reveal};
use crate::shadow::add_styles;
use crate::stylesheet::EDITING;
use crate::text::{around, visible};
use crate::tool_call_card::facts::{claimed, tool_code, warning};
use crate::tool_call_card::risk::risk;
use crate::variants::Tone;
use crate::writing::Writing;
use draft::Draft;
use judge::{Fault, Judgement, Problem, judge};
use kinds::Picks;
use looks::Looks;
use sketch::Sketch;
use slot::Slot;

/// The arguments of one call, to be edited and sent.
pub(crate) struct EditDialog {
    /// The card that takes up the decision.
    pub card: Rc<Stage>,
    /// What is edited.
    pub view: Rc<RequestView>,
    /// The draft.
    pub editing: Rc<Editing>,
    /// The tool, escaped.
    pub tool: AttrValue,
    /// What the host says about everything that people write.
    pub writing: Writing,
    /// How long the dialog is inert after it opened, in milliseconds.
    pub arm_delay: u32,
    /// Why the inbox did not take the last act.
    pub refused: Option<Rc<Refused>>,
    /// What is told when little time is left.
    pub hurry: Html,
}

/// What the dialog remembers besides the draft.
#[derive(Default)]
pub(crate) struct Desk {
    slots: RefCell<Vec<Slot>>,
    folds: RefCell<Vec<(String, usize)>>,
    /// Places that are shown beyond the first ones of a long value.
    apart: RefCell<Vec<String>>,
    naming: RefCell<Option<(String, String)>>,
    picks: RefCell<Picks>,
    looks: Looks,
    /// The places whose secret is shown, until the dialog closes.
    revealed: RefCell<Vec<String>>,
    /// Where something was typed last, and the caret after it.
    typed: RefCell<Option<(String, u32)>>,
    /// Where something was typed last, and what: also white space around it stays under the hands.
    spelt: RefCell<(String, String)>,
    /// Where the focus goes next.
    next: RefCell<Option<(String, Option<Step>)>>,
    /// The schema of which the form was drawn.
    schema: RefCell<Option<Arc<str>>>,
    /// A refusal that was followed by another edit is no longer shown.
    answered: RefCell<Option<Rc<Refused>>>,
    safety: Safety,
    /// It says that little time is left.
    late: Cell<bool>,
    /// What the button that sends remembers.
    guard: Guard,
}

/// Why a draft cannot be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bar {
    /// It is too early for a person to have meant it.
    Early,
    /// Nothing is changed.
    Unchanged,
    /// Something is wrong with it.
    Wrong,
    /// The backend wants words with it.
    NoWords,
}

impl EditDialog {
    /// Reads or changes the draft.
    fn with_draft<T>(&self, act: impl FnOnce(&mut Draft) -> T) -> T {
        self.editing.with(&self.view, &self.writing.drafts, act)
    }

    fn offered(&self) -> Words {
        self.view.offer(OfferKind::Edit).map(|offer| offer.reason).unwrap_or_default()
    }

    /// Why the draft cannot be sent now, if it cannot.
    fn bar(&self, draft: &Draft, problems: &[Problem], armed: bool) -> Option<Bar> {
        let short = self.offered() == Words::Required && draft.note.trim().is_empty();
        // Where only edits are offered, the unchanged arguments are one.
        let same = draft.is_same() && self.view.offer(OfferKind::Approve).is_some();
        match () {
            () if !problems.is_empty() => Some(Bar::Wrong),
            () if same => Some(Bar::Unchanged),
            () if short || self.writing.left(&draft.note).is_err() => Some(Bar::NoWords),
            () if !armed => Some(Bar::Early),
            () => None,
        }
    }

    /// The accessible name of the button that sends.
    fn name(&self, stage: &Stage) -> String {
        stage.messages().act_on(&stage.messages().edit_send(), &self.tool)
    }

    fn seal(&self) -> Seal {
        Seal::of(&self.view)
    }

    fn is_armed(&self, desk: &Desk) -> bool {
        let seal = self.seal();
        desk.safety.is_armed(&seal) && desk.guard.is_armed(&seal)
    }

    /// What is decided if the draft is sent now.
    fn decision(&self, desk: &Desk) -> Option<Decision> {
        let armed = self.is_armed(desk);
        self.with_draft(|draft| {
            let problems = judge(draft, &self.view).problems;
            let note =
                (!draft.note.is_empty() && self.offered() != Words::None).then(|| Arc::from(&*draft.note));
            let decision = Decision::Edit { args: draft.text().into(), note };
            self.bar(draft, &problems, armed).is_none().then_some(decision)
        })
    }

    fn body(&self, desk: &Desk, draft: &Draft, judged: &Judgement, stage: &Rc<Stage>) -> Html {
        let Judgement { problems, unchecked } = judged;
        let messages = stage.messages();
        let whole = draft.is_json("");
        let choice = |label: AttrValue, json: bool| {
            button("view-button", "cs-choice", label, stage, Act::Raw(json))
                .truth(Attribute::Pressed, whole == json)
                .html()
        };
        let choices = Tag::new("span", "cs-choices")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, messages.arguments())
            .child(choice(messages.edit_form(), false))
            .child(choice(AttrValue::Static("JSON"), true));
        let changed = draft.differs("");
        let reset = button("reset-button", "cs-choice", messages.edit_reset_all(), stage, Act::Discard)
            .withheld(!changed);
        let head = Tag::new("div", "cs-edit-top").child(choices.html()).child(reset.html());
        let refusal = self.refused.as_ref().filter(|refused| !refused.more_time).filter(|refused| {
            !desk.answered.borrow().as_ref().is_some_and(|answered| Rc::ptr_eq(answered, refused))
        });
        let refusal = refusal.map(|refusal| {
            let why = messages.refusal(refusal.code, &refusal.message);
            warning(Tone::Bad, claimed(&messages.edit_refused(), &why, stage))
                .with(Attribute::Role, "alert")
                .part("refusal")
                .html()
        });
        let fields = self.fields(desk, draft, problems, stage);
        Tag::new("div", "")
            .part("edit")
            .at(stage.root())
            .on(stage, Act::Key)
            .child(head.html())
            .optional(refusal)
            .optional(left_unchecked(draft, unchecked, stage))
            .child(fields)
            .html()
    }

    fn id(&self) -> String {
        self.view.key.to_string()
    }

    fn fields(&self, desk: &Desk, draft: &Draft, problems: &[Problem], stage: &Rc<Stage>) -> Html {
        let schema = self.view.args_schema.as_deref().and_then(|schema| draft::parse(schema).ok());
        let form = schema.as_ref().and_then(Form::of).unwrap_or_else(Form::none);
        let Ok(document) = draft::parse(draft.text()) else { return Html::default() };
        let original = draft::parse(draft.original()).ok();
        let naming = desk.naming.borrow();
        let folds = desk.folds.borrow();
        let apart = desk.apart.borrow();
        let revealed = desk.revealed.borrow();
        let picks = desk.picks.borrow();
        let spelt = desk.spelt.borrow();
        let id = self.id();
        desk.looks.turn();
        let sketch = Sketch {
            form: &form,
            draft,
            root: document.root(),
            before: original.as_ref().map(Document::root),
            problems,
            stays: self.view.edits.is_some_and(|rule| rule.merges),
            stage,
            id: &id,
            folds: &folds,
            apart: &apart,
            revealed: &revealed,
            naming: naming.as_ref(),
            picks: &picks,
            spelt: &spelt,
            looks: &desk.looks,
            count: document.node_count(),
            slots: RefCell::default(),
        };
        let drawn = sketch.draw(document.root());
        desk.slots.replace(sketch.slots.into_inner());
        drawn
    }

    /// An id for what the foot says about the draft.
    fn about(&self, what: &str) -> AttrValue {
        ["cs-", &self.id(), "-edit-", what].concat().into()
    }

    fn foot(&self, desk: &Desk, draft: &Draft, problems: &[Problem], stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        // While something cannot be read, the changes would be those of another state.
        let known = draft.loose().is_empty() && draft.differs("");
        let bar = self.bar(draft, problems, self.is_armed(desk));
        let why = self.why(bar, draft, messages);
        let send = self.send_button(desk, bar, why.is_some(), stage);
        let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel);
        let why = why.map(|why| {
            Tag::new("span", "cs-progress").text(Attribute::Id, self.about("why")).words(why).html()
        });
        Tag::new("div", "cs-edit-foot")
            .on(stage, Act::Key)
            // Over the fields it would move them away under the caret; here it comes first, for where there is little
            // room the rest of the foot scrolls.
            .child(summary(draft, problems, self.about("problems"), stage))
            .child(self.hurry.clone())
            .optional(known.then(|| self.changes(draft, stage)))
            .child(self.care(draft, known, stage))
            .optional(self.note(draft, stage))
            .child(Tag::new("div", "cs-bar").child(send).child(cancel.html()).optional(why).html())
            .html()
    }

    /// What the draft changes.
    fn changes(&self, draft: &Draft, stage: &Rc<Stage>) -> Html {
        let changes = Changes {
            before: Arc::clone(draft.original()),
            after: draft.text().into(),
            schema: self.view.args_schema.clone(),
            held: Some(draft.held().to_vec()),
        };
        // Described by what is in it, and not by the name of what scrolls.
        let content =
            Tag::new("div", "").text(Attribute::Id, self.about("changes")).child(stage.place(changes));
        Tag::new("div", "cs-edit-changes")
            .part("edit-changes")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, stage.messages().difference())
            .child(content.html())
            .html()
    }

    /// Why the draft needs care; where its changes are not `known`, why the call does.
    fn care(&self, draft: &Draft, known: bool, stage: &Rc<Stage>) -> Html {
        let care = match known {
            true => risk(&self.writing.edit_risk(&self.view, &draft.text().into()), None, stage),
            false => risk(&self.view.risk, None, stage),
        };
        // Whatever it comes to, it stands beside the button that sends, and changes of it are heard.
        Tag::new("div", "")
            .with(Attribute::Live, "polite")
            .with(Attribute::Atomic, "true")
            .text(Attribute::Id, self.about("care"))
            .child(care)
            .html()
    }

    /// Why the draft cannot be sent, where nothing else says so: of what is too early the button does, of what is wrong the summary.
    fn why(&self, bar: Option<Bar>, draft: &Draft, messages: &Messages) -> Option<AttrValue> {
        match bar? {
            Bar::Early | Bar::Wrong => None,
            Bar::Unchanged => Some(messages.edit_unchanged()),
            Bar::NoWords => Some(match self.writing.left(&draft.note) {
                Err(by) => messages.characters_over(by).into(),
                Ok(_) => messages.edit_note_required(),
            }),
        }
    }

    /// The button that sends; `told`: why it does not stands beside it.
    fn send_button(&self, desk: &Desk, bar: Option<Bar>, told: bool, stage: &Rc<Stage>) -> Html {
        let is_wrong = bar == Some(Bar::Wrong);
        stage.place(Guarded {
            asker: Rc::clone(stage),
            guard: desk.guard.clone(),
            seal: self.seal(),
            delay: self.arm_delay,
            part: "send-edit-button",
            class: "cs-button cs-primary",
            label: stage.messages().edit_send(),
            name: self.name(stage).into(),
            act: Act::Send,
            withheld: told || is_wrong,
            switch: None,
            described_by: Some(match () {
                () if is_wrong => self.about("problems"),
                () if told => self.about("why"),
                () => [&self.about("changes"), " ", &self.about("care")].concat().into(),
            }),
        })
    }

    /// The field for words that go with the edit, where there is room for them.
    fn note(&self, draft: &Draft, stage: &Rc<Stage>) -> Option<Html> {
        let messages = stage.messages();
        let help = match self.offered() {
            Words::None => return None,
            Words::Sent => messages.edit_note_sent(),
            Words::Local => messages.edit_note_local(),
            Words::Required => messages.edit_note_required(),
        };
        let id = self.about("note");
        let help_id: AttrValue = [id.as_str(), "-help"].concat().into();
        let label =
            Tag::new("label", "cs-label").text(Attribute::For, id.clone()).words(messages.edit_note());
        let field = Tag::new("textarea", "cs-input")
            .part("note-field")
            .text(Attribute::Id, id)
            .with(Attribute::Rows, "1")
            .with(Attribute::Dir, "auto")
            .text(Attribute::DescribedBy, help_id.clone())
            .when(self.offered() == Words::Required, Attribute::Required, "true")
            .value(draft.note.clone())
            .on(stage, Act::Type(NOTE));
        let help = Tag::new("span", "cs-help").text(Attribute::Id, help_id).words(help);
        let head = Tag::new("div", "cs-edit-noted").child(label.html()).child(help.html());
        Some(options([Some(head.html()), Some(field.html())]))
    }
}

/// The number of the field for the note, beyond all others.
const NOTE: usize = usize::MAX;

/// How many things are wrong, and which; each leads to its field.
fn summary(draft: &Draft, problems: &[Problem], id: AttrValue, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let heading: AttrValue = match problems.len() {
        0 => AttrValue::default(),
        count => messages.edit_problems(count).into(),
    };
    let mut rows = Vec::new();
    for (at, problem) in problems.iter().enumerate().take(20) {
        let go = |content: Html| {
            button("edit-tool", "cs-link", AttrValue::default(), stage, Act::Change(at, Step::Go))
                .child(content)
                .html()
        };
        let says = words::fault(&problem.fault, stage);
        let row = match &problem.fault {
            // The sentence names the place itself.
            Fault::Unfit(_) | Fault::Kept(_) | Fault::Nothing => go(says),
            _ => {
                let path = place_name(draft, &problem.pointer, stage);
                list(vec![go(visible(&path)), text(messages.separator()), says])
            }
        };
        rows.push(Tag::new("li", "").child(row).html());
    }
    // Always there, so that what it says is announced.
    let title = Tag::new("p", "").text(Attribute::Id, id).words(heading);
    Tag::new("div", if rows.is_empty() { "cs-edit-summary" } else { "cs-note cs-edit-summary" })
        .part("edit-summary")
        .with(Attribute::Tone, "bad")
        .child(title.with(Attribute::Live, "polite").html())
        .optional((!rows.is_empty()).then(|| Tag::new("ul", "").child(list(rows)).html()))
        .html()
}

/// What a person calls this place of the draft.
fn place_name(draft: &Draft, pointer: &str, stage: &Stage) -> AttrValue {
    let path = draft.with("", |root| readable(root, pointer)).unwrap_or_default();
    if path.is_empty() { stage.messages().arguments() } else { path.into() }
}

/// What of the schema could not be checked: silence would look as if it held.
fn left_unchecked(draft: &Draft, unchecked: &[(String, &'static str)], stage: &Stage) -> Option<Html> {
    let messages = stage.messages();
    let mut rules = Vec::new();
    for (pointer, keyword) in unchecked.iter().take(5) {
        rules.push([&place_name(draft, pointer, stage), " (", keyword, ")"].concat());
    }
    if rules.len() < unchecked.len() {
        rules.push("…".to_owned());
    }
    let said = around(&messages.edit_unchecked(), visible(&rules.join(", ")));
    (!rules.is_empty()).then(|| Tag::new("p", "cs-help").part("edit-unchecked").child(said).html())
}

impl Piece for EditDialog {
    type Memory = Desk;

    // Its card is another each time.
    fn same(&self, _: &EditDialog) -> bool {
        false
    }

    fn draw(&self, desk: &Desk, stage: &Rc<Stage>) -> Html {
        self.take_schema(desk, stage);
        let draft = self.with_draft(|draft| draft.clone());
        let judged = judge(&draft, &self.view);
        stage.place(Dialog {
            asker: Rc::clone(stage),
            id: [&self.id(), "-edit"].concat(),
            alert: false,
            wide: true,
            title: around(&stage.messages().edit_title(), tool_code(&self.view.tool)),
            body: self.body(desk, &draft, &judged, stage),
            foot: self.foot(desk, &draft, &judged.problems, stage),
            first: ".cs-edit-rows :is(textarea, input, select), .cs-edit-json, .cs-edit-row button",
            tells: desk.typed.borrow().is_some(),
        })
    }

    fn act(&self, desk: &Desk, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        self.take(desk, stage, act, event)
    }

    fn drawn(&self, desk: &Desk, stage: &Rc<Stage>) {
        if let Some(element) = stage.find(None) {
            add_styles(&element, "editing", EDITING);
        }
        desk.safety.watch(&self.seal(), self.arm_delay, || stage.redrawing());
        self.place_focus(desk, stage);
        reach(desk, stage);
    }
}

/// Makes the changes a stop for the keyboard while they scroll, and keeps the field in view from which a note takes room.
fn reach(desk: &Desk, stage: &Stage) {
    // They stand below what its own root holds.
    let dialog = stage.find(None).and_then(|root| root.closest("dialog").ok()?);
    let find = |selector| dialog.as_ref().and_then(|dialog| dialog.query_selector(selector).ok()?);
    let is_late = find("[data-note=expires]").is_some();
    if !desk.late.replace(is_late)
        && is_late
        && let Some(field) = stage.find(Some(":focus"))
    {
        reveal(&field);
    }
    let Some(changes) = find(".cs-edit-changes") else { return };
    // Without it everything can still be read.
    let _ = match changes.scroll_height() > changes.client_height() {
        true => changes.set_attribute("tabindex", "0"),
        false => changes.remove_attribute("tabindex"),
    };
}

//! JSON text from outside: field by field, or exactly as it came.

mod asides;
mod brief;
mod notes;
mod plan;
mod scroll;
mod survey;
mod text;
mod tree;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::HazardView;
use countersign_core::secret::masked_args;
use countersign_json::{Document, Limits, ParseError};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

pub(crate) use asides::{asides, letters, origin_asides};
pub(crate) use brief::{brief, is_brief};
pub(crate) use notes::{own, ticked};

use crate::clipboard;
use crate::controls::button;
use crate::fold::Room;
use crate::mask::masked;
use crate::node::{Attribute, Tag, options, words};
use crate::piece::{Act, Piece, Stage};
use notes::notes;
use plan::Plan;
use scroll::Scroll;
use survey::Survey;
use tree::Tree;

/// How long it is said that a text was copied, in milliseconds.
const SAID: u32 = 4_000;

/// JSON text from outside, as a tree or raw.
#[derive(PartialEq)]
pub(crate) struct JsonView {
    /// The exact text. Untrusted.
    pub text: Arc<str>,
    /// The schema of the text, where it may call parts of it secret. Untrusted.
    pub schema: Option<Arc<str>>,
    /// The id of what is shown of it, without the buttons over it.
    pub id: Option<AttrValue>,
    /// What it is, in our words: "Arguments".
    pub name: AttrValue,
    /// The part that it plays: `arguments`.
    pub part: &'static str,
    /// What an empty object is called; absent: `{}`.
    pub empty: Option<AttrValue>,
    /// What is noteworthy about it beyond what is found here.
    pub hazards: Vec<HazardView>,
    /// What stands over it.
    pub head: Head,
}

/// What stands over a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// Its name, and what can be done with it.
    Tools,
    /// The same, with a button for its name: it stands behind that until it is asked for.
    Toggle,
    /// Nothing: it is a part of a sentence.
    Bare,
}

/// A text, its schema, and what was found in it.
type Surveyed = (Arc<str>, Option<Arc<str>>, Rc<Survey>);

/// How it is looked at.
#[derive(Default)]
pub(crate) struct View {
    /// Exactly as it came.
    raw: Cell<bool>,
    /// How many rows were asked for, by where their container begins in the text.
    rows: RefCell<Vec<(usize, usize)>>,
    /// Where the lists are that scroll, by where their container begins in the text.
    scrolls: RefCell<Vec<(usize, Rc<Scroll>)>>,
    /// It is unfolded.
    open: Cell<bool>,
    /// What was found in the text, while it is the same.
    survey: RefCell<Option<Surveyed>>,
    /// The text whose secrets are shown.
    revealed: RefCell<Option<Arc<str>>>,
    /// Whether a copy was made, for a while.
    copied: Rc<Cell<Option<bool>>>,
    /// Ends that while.
    timer: RefCell<Option<Timeout>>,
}

impl Piece for JsonView {
    type Memory = View;

    fn same(&self, other: &JsonView) -> bool {
        self == other
    }

    fn draw(&self, view: &View, stage: &Rc<Stage>) -> Html {
        let open = self.head != Head::Toggle || view.open.get();
        let head = Tag::new("div", "cs-json-head").child(self.head(open, stage));
        let json = Tag::new("div", "cs-json").at(stage.root());
        if !open {
            let notes = self.notes(None, &Survey::default(), view, stage);
            // As many children as when it is open: the button stays the same one, and keeps the focus.
            return json.child(head.optional(None).html()).optional(notes).html();
        }
        let survey = self.survey(view);
        let limits = Limits { bytes: Limits::ARGUMENTS.bytes, ..Limits::default() };
        let document = Document::parse(&self.text, &limits);
        let body = match &document {
            Ok(document) if !view.raw.get() => self.tree(document, &survey, view, stage),
            _ if survey.too_large => text::ends(&self.text, stage),
            _ => self.exact(&survey, view, stage),
        };
        let unread = document.as_ref().err().filter(|_| !survey.too_large);
        let notes = self.notes(unread, &survey, view, stage);
        let body = Tag::new("div", "").option(Attribute::Id, self.id.clone()).child(body).optional(notes);
        if self.head == Head::Bare {
            return json.child(body.html()).html();
        }
        let tools = self.tools(document.is_ok(), &survey, view, stage);
        json.part(self.part).child(head.child(tools).html()).child(body.html()).html()
    }

    fn act(&self, view: &View, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Raw(raw) => {
                view.raw.set(*raw);
                view.scrolls.borrow_mut().clear();
            }
            Act::Scroll(place) => {
                let list = event.and_then(Event::target).and_then(|target| target.dyn_into::<Element>().ok());
                let scrolls = view.scrolls.borrow();
                let scroll = scrolls.iter().find(|(known, _)| known == place);
                return list.zip(scroll).is_some_and(|(list, (_, scroll))| scroll.scrolled(&list));
            }
            Act::Rows(place, count) => {
                view.scrolls.borrow_mut().retain(|(known, _)| known != place);
                let mut rows = view.rows.borrow_mut();
                rows.retain(|(known, _)| known != place);
                rows.push((*place, *count));
            }
            Act::Reveal => {
                let next = (!self.is_revealed(view)).then(|| Arc::clone(&self.text));
                view.revealed.replace(next);
            }
            Act::Copy(secrets) => {
                let masked = masked_args(&self.text, self.schema.as_deref());
                let text = if *secrets { &*self.text } else { &masked };
                let button =
                    event.and_then(Event::target).and_then(|target| target.dyn_into::<Element>().ok());
                let (copied, redrawing) = (Rc::clone(&view.copied), stage.redrawing());
                clipboard::copy(text, button, move |done| {
                    copied.set(Some(done));
                    redrawing.emit(());
                });
                view.timer.replace(Some(stage.later(SAID)));
                return false;
            }
            Act::Save => {
                // A browser that saves nothing has said so itself.
                let _ = clipboard::save_file(&self.text, &[self.part, ".json"].concat());
                return false;
            }
            Act::Time => view.copied.set(None),
            _ => {
                view.open.set(!view.open.get());
                view.scrolls.borrow_mut().clear();
            }
        }
        true
    }

    fn drawn(&self, view: &View, stage: &Rc<Stage>) {
        let mut changed = false;
        for (place, scroll) in &*view.scrolls.borrow() {
            let list = stage.find(Some(&["[data-key=\"", &place.to_string(), "\"]"].concat()));
            changed |= list.is_some_and(|list| scroll.settle(&list));
        }
        if changed {
            stage.redraw();
        }
    }
}

impl JsonView {
    /// What was found in the text.
    fn survey(&self, view: &View) -> Rc<Survey> {
        let mut known = view.survey.borrow_mut();
        if let Some((text, schema, survey)) = &*known
            && Arc::ptr_eq(text, &self.text)
            && *schema == self.schema
        {
            return Rc::clone(survey);
        }
        let survey = Rc::new(Survey::of(&self.text, self.schema.as_deref()));
        *known = Some((Arc::clone(&self.text), self.schema.clone(), Rc::clone(&survey)));
        // Places in another text mean nothing here.
        view.rows.borrow_mut().clear();
        view.scrolls.borrow_mut().clear();
        survey
    }

    fn is_revealed(&self, view: &View) -> bool {
        view.revealed.borrow().as_ref() == Some(&self.text)
    }

    /// The name, or the button that unfolds.
    fn head(&self, open: bool, stage: &Rc<Stage>) -> Html {
        if self.head != Head::Toggle {
            return Tag::new("span", "cs-label").words(self.name.clone()).html();
        }
        let messages = stage.messages();
        let size = messages.characters(self.text.chars().count());
        let label = [self.name.as_str(), &messages.separator(), &size].concat();
        button("toggle", "cs-toggle", label.into(), stage, Act::Toggle)
            .truth(Attribute::Expanded, open)
            .html()
    }

    /// What can be done with the text.
    fn tools(&self, is_json: bool, survey: &Survey, view: &View, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let raw = view.raw.get();
        let choice = |label: AttrValue, value: bool| {
            button("view-button", "cs-choice", label, stage, Act::Raw(value))
                .truth(Attribute::Pressed, raw == value)
                .html()
        };
        let choices = is_json.then(|| {
            Tag::new("span", "cs-choices")
                .with(Attribute::Role, "group")
                .text(Attribute::Label, self.name.clone())
                .child(choice(messages.tree(), false))
                .child(choice(messages.raw(), true))
                .html()
        });
        let tool = |part, label: AttrValue, act| {
            let name = messages.act_on(&label, &self.name);
            button(part, "cs-choice", label, stage, act).named(name)
        };
        let secrets = !survey.secrets.is_empty();
        let reveal = secrets.then(|| {
            tool("reveal-button", messages.reveal_secrets(), Act::Reveal)
                .truth(Attribute::Pressed, self.is_revealed(view))
                .html()
        });
        let copy = tool("copy-button", messages.copy(), Act::Copy(false)).html();
        let copy_secrets =
            secrets.then(|| tool("copy-secrets-button", messages.copy_secrets(), Act::Copy(true)).html());
        let save = survey.long.then(|| tool("download-button", messages.download(), Act::Save).html());
        let said =
            view.copied.get().map(|copied| if copied { messages.copied() } else { messages.not_copied() });
        // It is there before it says something, or it would not be heard; an empty status would be read out as one.
        let said = Tag::new("span", "cs-said")
            .with(Attribute::Live, "polite")
            .words(said.unwrap_or_default())
            .html();
        Tag::new("span", "cs-tools")
            .child(said)
            .child(options([reveal, Some(copy), copy_secrets, save, choices]))
            .html()
    }

    fn tree(&self, document: &Document<'_>, survey: &Survey, view: &View, stage: &Rc<Stage>) -> Html {
        let tree = Tree {
            plan: Plan::of(document.root(), &view.rows.borrow()),
            scrolls: &view.scrolls,
            revealed: self.is_revealed(view),
            called: &survey.called,
            stage,
        };
        tree.draw(document.root(), self.empty.as_ref())
    }

    /// The exact text: hidden characters are replaced, secrets masked, and the middle of a long one folded.
    fn exact(&self, survey: &Survey, view: &View, stage: &Stage) -> Html {
        let spans = survey.secrets.iter().map(|secret| secret.span.clone()).collect();
        let text = masked(&self.text, spans, self.is_revealed(view), Room::CODE, stage);
        Tag::new("pre", "cs-raw cs-code").part("raw").child(text).html()
    }

    /// Everything that is noteworthy, in one note.
    fn notes(&self, error: Option<&ParseError>, survey: &Survey, view: &View, stage: &Stage) -> Option<Html> {
        let messages = stage.messages();
        let mut facts = Vec::new();
        facts.extend(error.map(|error| notes::unread(error, &self.text, stage)));
        // In the exact text escapes stay escapes.
        let hidden = if view.raw.get() || error.is_some() { 0 } else { survey.hidden };
        facts.extend((hidden > 0).then(|| notes::hidden(hidden, stage)));
        let odd = survey.odd_secret && !self.is_revealed(view);
        facts.extend(odd.then(|| words(messages.odd_secret())));
        let is_said = |hazard: &&HazardView| error.is_some() && hazard.code == "not-json";
        notes(facts, self.hazards.iter().filter(|hazard| !is_said(hazard)).collect(), stage)
    }
}

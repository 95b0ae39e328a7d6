//! Why something is rejected, asked in place, or what the agent gets instead of a result, asked in a dialog.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Words};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::arming::is_genuine;
use crate::controls::button;
use crate::deciding::{Asking, Said};
use crate::dialog::Dialog;
use crate::node::{Attribute, Tag, list, options, words as text};
use crate::piece::{Act, Piece, Stage, Step, is_stroke, reveal, typed};
use crate::text::around;
use crate::writing::Writing;

/// A field for the words, a button that sends them and one that does not.
pub(crate) struct ReasonForm {
    /// What the words are for.
    pub asking: Asking,
    /// What takes up the decision.
    pub asker: Rc<Stage>,
    /// What makes the ids of its elements unique.
    pub id: String,
    /// The tool, escaped; absent when several calls are rejected.
    pub tool: Option<AttrValue>,
    /// What becomes of the reason.
    pub words: Words,
    /// How long it may be, and what is often said.
    pub writing: Writing,
    /// What was typed.
    pub said: Rc<Said>,
    /// What a dialog tells when little time is left.
    pub hurry: Html,
}

impl ReasonForm {
    fn id(&self, role: &str) -> AttrValue {
        ["cs-", &self.id, role].concat().into()
    }

    fn typed(&self) -> &RefCell<String> {
        self.said.words(self.asking)
    }

    fn responds(&self) -> bool {
        self.asking == Asking::Response
    }

    /// Reports the rejection, with the reason verbatim if one was typed.
    fn send(&self, event: Option<&Event>) {
        let words = self.typed().borrow().clone();
        if self.is_withheld(&words) {
            return;
        }
        let given = !words.trim().is_empty();
        let decision = match self.responds() {
            false => Decision::reject(given.then_some(words.as_str())),
            true => Decision::Respond { text: Arc::from(words) },
        };
        self.asker.act(&Act::Decide(decision), event);
    }

    fn is_withheld(&self, words: &str) -> bool {
        let missing = self.words == Words::Required && words.trim().is_empty();
        missing || self.writing.left(words).is_err()
    }

    /// The field, what is said about it, and what is often said in it.
    fn fields(&self, words: &str, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let required = self.words == Words::Required;
        let help = match self.words {
            _ if self.responds() => Some(messages.response_means()),
            Words::Sent => Some(messages.reason_sent()),
            Words::Local => Some(messages.reason_local()),
            Words::Required => Some(messages.reason_required()),
            Words::None => None,
        };
        let label = Tag::new("label", "cs-label")
            .text(Attribute::For, self.id("-reason"))
            .words(if self.responds() { messages.response() } else { messages.reason() });
        let field = Tag::new("textarea", "cs-field")
            .part("reason-field")
            .text(Attribute::Id, self.id("-reason"))
            .with(Attribute::Rows, if self.responds() { "5" } else { "2" })
            .with(Attribute::Dir, "auto")
            .when(required, Attribute::Required, "true")
            .when(self.writing.left(words).is_err(), Attribute::Invalid, "true")
            .text(Attribute::DescribedBy, self.id("-reason-help"))
            .value(words.to_owned())
            .on(stage, Act::Type(0));
        let mut presets = Vec::new();
        if !self.responds() && self.words != Words::None {
            for (at, preset) in self.writing.rejection_presets.iter().enumerate() {
                let fill = Act::Change(at, Step::Fill);
                presets.push(button("preset-button", "cs-preset", preset.clone(), stage, fill).html());
            }
        }
        let presets = (!presets.is_empty()).then(|| {
            Tag::new("div", "cs-presets")
                .with(Attribute::Role, "group")
                .text(Attribute::Label, messages.reason_presets())
                .list(presets)
                .html()
        });
        let room = self.writing.room(words, messages);
        let below =
            Tag::new("p", "cs-help")
                .text(Attribute::Id, self.id("-reason-help"))
                .child(text(help.unwrap_or_default()))
                .words(" ")
                .optional(room.map(|room| {
                    Tag::new("span", "cs-room").with(Attribute::Role, "status").words(room).html()
                }));
        options([presets, Some(label.html()), Some(field.html()), Some(below.html())])
    }

    fn buttons(&self, words: &str, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let label = if self.responds() { messages.send_response() } else { messages.send_rejection() };
        let name = match &self.tool {
            Some(tool) => messages.act_on(&label, tool),
            None => label.to_string(),
        };
        let class = if self.responds() { "cs-button cs-primary" } else { "cs-button cs-refuse" };
        let confirm = button("send-rejection-button", class, label, stage, Act::Send)
            .named(name)
            .withheld(self.is_withheld(words));
        let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel);
        options([Some(confirm.html()), Some(cancel.html())])
    }
}

impl Piece for ReasonForm {
    /// It has had the focus.
    type Memory = Cell<bool>;

    // Its asker is another each time.
    fn same(&self, _: &ReasonForm) -> bool {
        false
    }

    fn draw(&self, _: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        let words = self.typed().borrow();
        let fields = self.fields(&words, stage);
        let buttons = self.buttons(&words, stage);
        if !self.responds() {
            return Tag::new("form", "cs-reason")
                .part("reason")
                .at(stage.root())
                .on(stage, Act::Key)
                .on(stage, Act::Submit)
                .child(fields)
                .child(Tag::new("div", "cs-bar").child(buttons).html())
                .html();
        }
        let body =
            Tag::new("div", "cs-reason").part("reason").at(stage.root()).on(stage, Act::Key).child(fields);
        let messages = stage.messages();
        let tool = self.tool.clone().unwrap_or_default();
        let tool = Tag::new("code", "cs-code").words(tool).html();
        stage.place(Dialog {
            asker: Rc::clone(stage),
            id: [&self.id, "-respond"].concat(),
            alert: false,
            wide: false,
            title: around(&messages.act_on(&messages.respond(), "{tool}"), tool),
            body: list(vec![body.html(), self.hurry.clone()]),
            foot: buttons,
            first: "textarea",
            tells: false,
        })
    }

    fn act(&self, _: &Cell<bool>, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Type(_) => {
                self.typed().replace(typed(event).unwrap_or_default());
                self.said.keep(&self.writing.drafts);
                return true;
            }
            Act::Change(at, _) => {
                let presets = &self.writing.rejection_presets;
                if let Some(preset) = presets.get(*at) {
                    let typed = self.typed().take();
                    // What somebody typed stays.
                    let is_own = !typed.trim().is_empty() && presets.iter().all(|known| **known != *typed);
                    let text = match () {
                        // It is said already.
                        () if typed.lines().any(|line| line == preset.as_str()) => typed,
                        () if is_own => [typed.trim_end(), "\n", preset].concat(),
                        () => preset.to_string(),
                    };
                    self.typed().replace(text);
                    self.said.keep(&self.writing.drafts);
                }
                stage.focus(Some("textarea"));
                return true;
            }
            Act::Key => {
                let Some(event) = event else { return false };
                let key: &KeyboardEvent = event.unchecked_ref();
                if !is_stroke(key) || !is_genuine(event) {
                    return false;
                }
                let act = match key.key().as_str() {
                    // The dialog hears it itself.
                    "Escape" if !self.responds() => Act::Cancel,
                    "Enter" if key.ctrl_key() || key.meta_key() => Act::Send,
                    _ => return false,
                };
                event.prevent_default();
                event.stop_propagation();
                stage.act(&act, Some(event));
            }
            Act::Send => self.send(event),
            Act::Cancel => self.asker.act(&Act::Cancel, event),
            _ => {}
        }
        false
    }

    // A person opened the form: that is where the next key belongs.
    fn drawn(&self, focused: &Cell<bool>, stage: &Rc<Stage>) {
        if focused.replace(true) || self.responds() {
            return;
        }
        stage.focus(Some("textarea"));
        if let Some(form) = stage.find(None) {
            reveal(&form);
        }
    }
}

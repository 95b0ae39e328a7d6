//! Why something is rejected, or what the agent gets instead of a result: asked in place.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Words};
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use crate::arming::is_genuine;
use crate::controls::button;
use crate::deciding::Asking;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage, typed};

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
}

/// What a form for a reason remembers.
#[derive(Default)]
pub(crate) struct Asked {
    /// Something was typed.
    filled: Cell<bool>,
    /// It has had the focus.
    focused: Cell<bool>,
}

impl ReasonForm {
    fn id(&self, role: &str) -> AttrValue {
        ["cs-", &self.id, role].concat().into()
    }

    /// Reports the rejection, with the reason verbatim if one was typed.
    fn send(&self, stage: &Stage, event: Option<&Event>) {
        let field =
            stage.find(Some("textarea")).and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
        let reason = field.map(|field| field.value()).unwrap_or_default();
        let given = !reason.trim().is_empty();
        let decision = match self.asking {
            Asking::Reason => Decision::reject(given.then_some(reason.as_str())),
            Asking::Response => Decision::Respond { text: Arc::from(reason) },
        };
        if given || self.words != Words::Required {
            self.asker.act(&Act::Decide(decision), event);
        }
    }
}

impl Piece for ReasonForm {
    type Memory = Asked;

    // Its asker is another each time.
    fn same(&self, _: &ReasonForm) -> bool {
        false
    }

    fn draw(&self, asked: &Asked, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let required = self.words == Words::Required;
        let responds = self.asking == Asking::Response;
        let help = match self.words {
            _ if responds => Some(messages.response_means()),
            Words::Sent => Some(messages.reason_sent()),
            Words::Local => Some(messages.reason_local()),
            Words::Required => Some(messages.reason_required()),
            Words::None => None,
        };
        let label = if responds { messages.send_response() } else { messages.send_rejection() };
        let name = match &self.tool {
            Some(tool) => messages.act_on(&label, tool),
            None => label.to_string(),
        };
        let confirm = button("send-rejection-button", "cs-button cs-refuse-now", label, stage, Act::Send)
            .named(name)
            .withheld(required && !asked.filled.get());
        let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel);
        let label = Tag::new("label", "cs-label")
            .text(Attribute::For, self.id("-reason"))
            .words(if responds { messages.response() } else { messages.reason() });
        let mut field = Tag::new("textarea", "cs-field")
            .part("reason-field")
            .text(Attribute::Id, self.id("-reason"))
            .with(Attribute::Rows, "2")
            .with(Attribute::Dir, "auto")
            .when(required, Attribute::Required, "true")
            .on(stage, Act::Type(0));
        let mut below = Html::default();
        if let Some(help) = help {
            field = field.text(Attribute::DescribedBy, self.id("-reason-help"));
            below = Tag::new("p", "cs-help").text(Attribute::Id, self.id("-reason-help")).words(help).html();
        }
        Tag::new("form", "cs-reason")
            .part("reason")
            .at(stage.root())
            .on(stage, Act::Key)
            .on(stage, Act::Submit)
            .child(label.html())
            .child(field.html())
            .child(below)
            .child(Tag::new("div", "cs-bar").child(confirm.html()).child(cancel.html()).html())
            .html()
    }

    fn act(&self, asked: &Asked, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Type(_) => {
                let filled = typed(event).is_some_and(|reason| !reason.trim().is_empty());
                return asked.filled.replace(filled) != filled;
            }
            Act::Key => {
                let Some(event) = event else { return false };
                let key: &KeyboardEvent = event.unchecked_ref();
                if key.is_composing() || key.repeat() || !is_genuine(event) {
                    return false;
                }
                let act = match key.key().as_str() {
                    "Escape" => Act::Cancel,
                    "Enter" if key.ctrl_key() || key.meta_key() => Act::Send,
                    _ => return false,
                };
                event.prevent_default();
                event.stop_propagation();
                stage.act(&act, Some(event));
            }
            Act::Send => self.send(stage, event),
            Act::Cancel => self.asker.act(&Act::Cancel, event),
            _ => {}
        }
        false
    }

    // A person opened the form: that is where the next key belongs.
    fn drawn(&self, asked: &Asked, stage: &Rc<Stage>) {
        if asked.focused.replace(true) {
            return;
        }
        stage.focus(Some("textarea"));
        if let Some(form) = stage.find(None) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            form.scroll_into_view_with_scroll_into_view_options(&options);
        }
    }
}

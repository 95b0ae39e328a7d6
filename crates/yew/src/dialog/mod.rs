//! A question in front of everything else: the rest of the page waits behind it.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement};
use yew::prelude::*;

use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage, focus, is_stroke, reveal};

/// A native modal dialog. Escape, and whatever else the browser closes it with, is [`Act::Cancel`] for its asker and
/// decides nothing.
pub(crate) struct Dialog {
    /// Who opened it and draws it; takes up `Act::Cancel`.
    pub asker: Rc<Stage>,
    /// What makes the ids of its elements unique.
    pub id: String,
    /// It warns: a person must answer before anything else. What of it warns has the id `cs-…-about`.
    pub alert: bool,
    /// Wide enough for arguments.
    pub wide: bool,
    /// What it asks.
    pub title: Html,
    /// What it shows; it scrolls.
    pub body: Html,
    /// The buttons; they stay in view.
    pub foot: Html,
    /// What gets the focus when it opens.
    pub first: &'static str,
    /// Its asker takes up [`Act::Drawn`] as soon as what is drawn now stands there.
    pub tells: bool,
}

impl Piece for Dialog {
    /// It was opened.
    type Memory = Cell<bool>;

    // Its asker is another each time.
    fn same(&self, _: &Dialog) -> bool {
        false
    }

    fn draw(&self, _: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        if self.tells {
            self.asker.act_once_drawn(Act::Drawn);
        }
        let title: AttrValue = ["cs-", &self.id, "-title"].concat().into();
        let about = self.alert.then(|| ["cs-", &self.id, "-about"].concat().into());
        let heading = Tag::new("h2", "cs-dialog-title")
            .part("dialog-title")
            .text(Attribute::Id, title.clone())
            .child(self.title.clone());
        Tag::new("dialog", if self.wide { "cs cs-dialog cs-dialog-wide" } else { "cs cs-dialog" })
            .part("dialog")
            .when(self.alert, Attribute::Role, "alertdialog")
            .text(Attribute::LabelledBy, title)
            .option(Attribute::DescribedBy, about)
            .at(stage.root())
            .on(stage, Act::Close)
            .on(stage, Act::Key)
            .child(heading.html())
            .child(Tag::new("div", "cs-dialog-body").part("dialog-body").child(self.body.clone()).html())
            .child(
                Tag::new("div", "cs-bar cs-dialog-foot").part("dialog-foot").child(self.foot.clone()).html(),
            )
            .html()
    }

    fn act(&self, _: &Cell<bool>, _: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        let Some(event) = event else { return false };
        match act {
            // The asker takes the dialog away: what is typed in it is the asker's.
            Act::Close => event.prevent_default(),
            Act::Key => {
                let key: &KeyboardEvent = event.unchecked_ref();
                // Shortcuts of what lies behind it do not act.
                event.stop_propagation();
                if key.key() == "Tab" {
                    wrap(key);
                }
                if key.key() != "Escape" || !is_stroke(key) {
                    return false;
                }
                event.prevent_default();
            }
            _ => return false,
        }
        self.asker.act(&Act::Cancel, Some(event));
        false
    }

    // A person opened it: that is where the next key belongs.
    fn drawn(&self, opened: &Cell<bool>, stage: &Rc<Stage>) {
        if opened.replace(true) {
            return;
        }
        let Some(dialog) = stage.find(None).and_then(|element| element.dyn_into::<HtmlDialogElement>().ok())
        else {
            return;
        };
        // Where it cannot be shown as modal it stands in place, with the same buttons.
        if dialog.show_modal().is_err() {
            dialog.set_open(true);
        }
        stage.focus(Some(self.first));
    }
}

/// What a Tab stops at: what is filled in or pressed, of several radio buttons the chosen one.
const STOP: &str =
    ":enabled:not(fieldset, option, [tabindex='-1'], [type='radio']:not(:checked)), [tabindex='0']";

/// After the last stop comes the first one: Firefox leaves a dialog within a shadow root there, and comes back to the
/// same stop for ever.
fn wrap(key: &KeyboardEvent) {
    let last = key.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some((last, dialog)) = last.and_then(|last| Some((last.clone(), last.closest("dialog").ok()??)))
    else {
        return;
    };
    let all = dialog.get_elements_by_tag_name("*");
    let is_stop = |element: &Element| {
        element.matches(STOP) == Ok(true) && element.get_bounding_client_rect().width() > 0.0
    };
    let mut stops = (0..all.length()).filter_map(|at| all.item(at)).filter(is_stop);
    if !key.shift_key()
        && let Some(first) = stops.next()
        && stops.next_back().as_ref() == Some(&last)
    {
        key.prevent_default();
        focus(first.clone());
        reveal(&first);
    }
}

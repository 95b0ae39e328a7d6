//! The question before a whole run is ended.

use std::rc::Rc;

use countersign_core::Decision;
use yew::prelude::*;

use crate::controls::button;
use crate::dialog::Dialog;
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Stage};

/// A warning with the button that ends the run; the one that does not has the focus.
#[inline(never)]
pub(super) fn end_run(id: &str, tool: &str, hurry: Html, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let end = Act::Decide(Decision::Cancel);
    let name = messages.act_on(&messages.end_run_now(), tool);
    let end = button("confirm-end-button", "cs-button cs-refuse-now", messages.end_run_now(), stage, end);
    let cancel = button("cancel-button", "cs-button", messages.keep_run(), stage, Act::Cancel);
    let about = ["cs-", id, "-end-about"].concat();
    stage.place(Dialog {
        asker: Rc::clone(stage),
        id: [id, "-end"].concat(),
        alert: true,
        wide: false,
        title: words(messages.end_run_title()),
        body: list(vec![
            Tag::new("p", "").text(Attribute::Id, about).words(messages.end_run_means()).html(),
            hurry,
        ]),
        foot: options([Some(end.named(name).html()), Some(cancel.html())]),
        first: "[part=cancel-button]",
        tells: false,
    })
}

//! The second question before something of high risk runs.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, RequestView, RiskView};
use yew::prelude::*;

use super::facts;
use super::risk::risk;
use crate::arming::{Guard, Guarded, Seal};
use crate::controls::button;
use crate::dialog::Dialog;
use crate::fold::spoken_tool;
use crate::json_view::{Head, JsonView};
use crate::node::list;
use crate::piece::{Act, Stage};
use crate::text::around;

/// A dialog that repeats the tool, exactly the arguments that will run and why they need care; its first focus is on
/// Cancel.
#[inline(never)]
pub(crate) fn consent(
    view: &RequestView,
    decision: &Decision,
    care: &RiskView,
    guard: &Guard,
    arm_delay: u32,
    hurry: Html,
    stage: &Rc<Stage>,
) -> Html {
    let messages = stage.messages();
    let (text, hazards, label) = match decision {
        // What is edited has none that is new.
        Decision::Edit { args, .. } => (args.shared(), Vec::new(), messages.run_edited()),
        _ => (Arc::clone(&view.args_text), view.hazards.clone(), messages.run_anyway()),
    };
    let id = ["consent-", &view.key.to_string()].concat();
    let about: AttrValue = ["cs-", &id, "-about"].concat().into();
    let shown: AttrValue = [&about, "-arguments"].concat().into();
    let arguments = stage.place(JsonView {
        text,
        schema: view.args_schema.clone(),
        id: Some(shown.clone()),
        name: messages.arguments(),
        part: "arguments",
        empty: Some(messages.no_arguments()),
        hazards,
        head: Head::Tools,
    });
    let name = messages.act_on(&label, &spoken_tool(view, messages)).into();
    let confirm = stage.place(Guarded {
        asker: Rc::clone(stage),
        guard: guard.clone(),
        seal: Seal::of(view),
        delay: arm_delay,
        part: "confirm-button",
        class: "cs-button cs-refuse-now",
        label,
        name,
        act: Act::Confirm,
        withheld: false,
        switch: None,
        described_by: Some([&about, " ", &shown].concat().into()),
    });
    let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel);
    stage.place(Dialog {
        asker: Rc::clone(stage),
        id,
        alert: true,
        wide: true,
        title: around(&messages.really_run("{tool}"), facts::tool_code(&view.tool)),
        body: list(vec![facts::origin(view, stage), risk(care, Some(about), stage), arguments, hurry]),
        foot: list(vec![cancel.html(), confirm]),
        first: "[part=cancel-button]",
        tells: false,
    })
}

//! The two gates: what each says while a call waits, and when a person has refused it.

use countersign_json::{Writer, quote};

use crate::systems::Wire;
use crate::systems::script::call::Call;

/// Whether the gate lays edited arguments over those of the call.
#[must_use]
pub(super) fn takes_edits(wire: Wire) -> bool {
    wire == Wire::AdkDeepagents
}

/// What a person is asked about a call, as a `ToolConfirmation`.
#[must_use]
pub(super) fn confirmation(wire: Wire, call: &Call) -> String {
    let tool = &call.tool;
    let mut writer = Writer::new();
    writer.begin_object().key("hint");
    if takes_edits(wire) {
        writer.string(&format!("Tool '{tool}' requires human approval before execution."));
    } else {
        writer.string(&format!(
            "Please approve or reject the tool call {tool}() by responding with a FunctionResponse with an expected \
             ToolConfirmation payload."
        ));
    }
    writer.key("confirmed").bool(false);
    if takes_edits(wire) {
        writer.key("payload").begin_object().key("approval_id").string(&call.id);
        writer.key("tool").string(tool).key("args").raw(&call.args).end_object();
    }
    writer.end_object();
    writer.finish()
}

/// What stands in place of an outcome while a call waits.
#[must_use]
pub(super) fn stub(wire: Wire, call: &Call) -> String {
    if !takes_edits(wire) {
        return r#"{"error":"This tool call requires confirmation, please approve or reject."}"#.to_owned();
    }
    let message =
        format!("Tool '{}' requires approval before execution. The request has been recorded.", call.tool);
    format!(
        r#"{{"status":"awaiting_approval","approval_id":{},"tool":{},"message":{}}}"#,
        quote(&call.id),
        quote(&call.tool),
        quote(&message)
    )
}

/// The outcome of a call that a person refused. Neither gate tells the model why.
#[must_use]
pub(super) fn refusal(wire: Wire, call: &Call) -> String {
    if !takes_edits(wire) {
        return r#"{"error":"This tool call is rejected."}"#.to_owned();
    }
    let message = format!("Tool '{}' was rejected by the human reviewer.", call.tool);
    format!(r#"{{"status":"rejected","tool":{},"message":{}}}"#, quote(&call.tool), quote(&message))
}

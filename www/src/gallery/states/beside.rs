//! What stands beside the cards: what people have allowed, and which tools need approval.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Gate, GrantScope, GrantView, Millis, RequestView, RiskLevel, RiskReason, RiskSource, RiskView,
    ToolApproval,
};

use super::{Beside, State, call, state};

/// A call that needs care, and what stands beside cards.
pub(super) fn states(now: Millis) -> Vec<State> {
    let reason =
        |source, code: &str, message: &str| RiskReason { source, code: code.into(), message: message.into() };
    let risk = RiskView {
        level: RiskLevel::High,
        reasons: vec![
            reason(RiskSource::Server, "destructive", "may destroy something"),
            reason(RiskSource::Host, "rule", "Goes to everybody who has an account."),
        ],
    };
    let mail = call(1, "send_newsletter", r#"{"list":"all-customers","subject":"We move"}"#);
    let grants: Rc<[GrantView]> =
        [grant("g-2", "read_file", now, None), grant("g-1", "list_folder", now, Some(now))].into();
    let tools: Rc<[ToolApproval]> = [
        tool("read_file", "Reads a file.", None, Gate::Open, true),
        tool("delete_file", "Deletes a file. There is no way back.", None, Gate::Asks, true),
        tool("transfer_funds", "", Some("bank"), Gate::AsksOnce, true),
        tool("close_account", "Closes the account.", Some("bank"), Gate::Denied, false),
    ]
    .into();
    vec![
        state("high-risk", "A call that needs care", [RequestView { risk, ..mail.clone() }]),
        State {
            beside: Beside::Grants(Rc::clone(&grants)),
            ..state("granted", "What people have allowed", [mail])
        },
        State {
            beside: Beside::Policy { tools, grants },
            ..state("policy", "Which tools need approval", [])
        },
    ]
}

pub(super) fn grant(id: &str, tool: &str, now: Millis, revoked_at: Option<Millis>) -> GrantView {
    GrantView {
        id: id.into(),
        scope: GrantScope::Tool,
        tool: Some(tool.into()),
        server: None,
        agent: Vec::new(),
        schema_digest: None,
        session: None,
        args: Vec::new(),
        created_at: now,
        expires_at: None,
        revoked_at,
        in_force: revoked_at.is_none(),
        text: Arc::from("{}"),
    }
}

fn tool(name: &str, description: &str, server: Option<&str>, gate: Gate, changeable: bool) -> ToolApproval {
    ToolApproval {
        name: name.into(),
        description: Some(description.into()),
        server: server.map(Into::into),
        agent: Vec::new(),
        schema: None,
        gate,
        changeable,
    }
}

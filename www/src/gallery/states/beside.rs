//! What stands beside the cards: what people have allowed, and which tools need approval.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Gate, GrantDraft, GrantScope, GrantSpan, GrantView, GrantWish, Millis, RequestView, RiskLevel,
    RiskReason, RiskSource, RiskView, ToolApproval,
};
use countersign_json::{Document, Limits, Writer};
use countersign_policy::Grant;

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

/// What would be kept of a wish: nothing is, in the gallery.
pub(crate) fn wished(views: &[Rc<RequestView>], wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
    let view = views.iter().find(|view| view.id == wish.request)?;
    let args = Document::parse(&view.args_text, &Limits::default()).ok()?;
    let places: &[String] = if wish.scope == GrantScope::SameArgs { &[String::new()] } else { &wish.pins };
    let mut text = Writer::new();
    text.begin_object().key("id").string("g-3").key("scope").string(wish.scope.as_str());
    if wish.scope <= GrantScope::Tool {
        text.key("tool").string(&view.tool);
    }
    if wish.span == GrantSpan::Session || wish.scope == GrantScope::Session {
        text.key("session").string("gallery");
    }
    text.key("args").begin_array();
    for place in places {
        let value = args.root().pointer(place)?.text();
        text.begin_object().key("pointer").string(place).key("equals").raw(value).end_object();
    }
    text.end_array().key("createdAt").raw(&now.0.to_string());
    if let GrantSpan::For(span) = wish.span {
        text.key("expiresAt").raw(&(now.0 + span.0).to_string());
    }
    let grant = Grant::read_text(&text.finish()).ok()?;
    Some(GrantDraft { grant: grant.view(now), siblings: Vec::new() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r36_the_gallery_shows_what_a_wish_comes_to() {
        let views = [Rc::new(call(1, "pay", r#"{"to":"bob","n":5}"#))];
        let wish = |scope, pins: &[&str], span| GrantWish {
            request: views[0].id.clone(),
            scope,
            pins: pins.iter().map(ToString::to_string).collect(),
            span,
        };
        let hour = GrantSpan::For(Millis(3_600_000));
        for (scope, pins, span) in [
            (GrantScope::SameArgs, &[][..], GrantSpan::Session),
            (GrantScope::Tool, &["/n"][..], hour),
            (GrantScope::Tool, &[][..], GrantSpan::Forever),
            (GrantScope::Session, &[][..], hour),
        ] {
            let wish = wish(scope, pins, span);
            let draft = wished(&views, &wish, Millis(1)).expect("a grant");
            assert_eq!((draft.grant.scope, draft.grant.expires_at.is_some()), (scope, span == hour));
            let given = if scope == GrantScope::SameArgs { 1 } else { pins.len() };
            assert_eq!(draft.grant.args.len(), given);
        }
    }
}

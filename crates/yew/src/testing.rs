//! What tests are made of.

use std::sync::Arc;

use countersign_core::{Offer, OfferKind, RequestView, RiskView, Status, Words};

/// A pending call that may be approved and rejected.
pub(crate) fn call(key: u32, tool: &str, args: &str) -> RequestView {
    let id = ["r", &key.to_string()].concat();
    RequestView {
        key,
        id: ["task-1/", &id].concat(),
        request: Some(id.into()),
        call: None,
        tool: Arc::from(tool),
        args_text: Arc::from(args),
        args_digest: Arc::from("3f9a07c2d1e05b6688aa4c1f7e9023d45566f0b1a2c3d4e5f60718293a4be1b4"),
        args_schema: None,
        inspectable: true,
        changed: false,
        server: None,
        agent: Vec::new(),
        status: Status::Pending,
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Reject).words(Words::Sent)],
        edits: None,
        title: None,
        description: None,
        hint: None,
        decision: None,
        reason: None,
        automatic: false,
        rule: None,
        questions: None,
        result_text: None,
        error: None,
        batch: None,
        expires_at: None,
        sends_at: None,
        asked_at: None,
        decided_at: None,
        decided_by: None,
        risk: RiskView::default(),
        hazards: Vec::new(),
        outbound: None,
    }
}

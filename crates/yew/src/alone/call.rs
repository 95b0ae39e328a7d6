//! A call of which only the arguments are known.

use std::sync::Arc;

use countersign_core::{HazardView, RequestView, RiskView, Status};
use countersign_json::{Limits, inspect_text, sha256_hex};

/// A call with these arguments that waits and offers nothing. They are looked at as an inbox does.
pub(crate) fn call(key: u32, tool: &Arc<str>, text: &Arc<str>, schema: Option<&Arc<str>>) -> RequestView {
    let inspection = inspect_text(text, &Limits::ARGUMENTS);
    let inspectable = inspection.inspectable();
    let mut hazards = Vec::new();
    for hazard in inspection.hazards {
        let code = hazard.code.as_str().to_owned();
        hazards.push(HazardView { pointer: hazard.pointer, code, message: hazard.message });
    }
    RequestView {
        key,
        id: key.to_string(),
        request: None,
        call: None,
        tool: Arc::clone(tool),
        args_text: Arc::clone(text),
        args_digest: sha256_hex(text).into(),
        args_schema: schema.cloned(),
        inspectable,
        changed: false,
        server: None,
        agent: Vec::new(),
        status: Status::Pending,
        offers: Vec::new(),
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
        hazards,
        outbound: None,
    }
}

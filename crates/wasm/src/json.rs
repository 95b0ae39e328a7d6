//! What crosses into JavaScript, written as JSON text.
//!
//! By hand: derived serialisers of the same types weigh several kilobytes more and write the same text, as the tests
//! show.

use countersign_core::{
    Advice, DecisionFields, GrantScope, Offer, OutboundState, Problem, RequestView, RiskView, Words,
};
use countersign_json::Writer;

/// One card.
pub(crate) fn view(writer: &mut Writer, view: &RequestView) {
    writer.begin_object();
    writer.key("key").integer(i64::from(view.key));
    writer.key("id").string(&view.id);
    words(writer, "request", view.request.as_ref().map(|id| id.as_str()));
    words(writer, "call", view.call.as_ref().map(|id| id.as_str()));
    words(writer, "tool", Some(&*view.tool).filter(|tool| !tool.is_empty()));
    writer.key("argsText").string(&view.args_text);
    writer.key("argsDigest").string(&view.args_digest);
    words(writer, "argsSchema", view.args_schema.as_deref());
    writer.key("inspectable").bool(view.inspectable);
    writer.key("changed").bool(view.changed);
    words(writer, "server", view.server.as_deref());
    list(writer, "agent", &view.agent, |writer, agent| {
        writer.string(agent);
    });
    writer.key("status").string(view.status.as_str());
    list(writer, "offers", &view.offers, offer);
    if let Some(rule) = &view.edits {
        writer.key("edits").begin_object();
        writer.key("merges").bool(rule.merges);
        writer.key("unchangedApproves").bool(rule.unchanged_approves);
        writer.key("emptyAllowed").bool(rule.empty_allowed).end_object();
    }
    words(writer, "title", view.title.as_deref());
    words(writer, "description", view.description.as_deref());
    words(writer, "hint", view.hint.as_deref());
    if let Some(fields) = &view.decision {
        writer.key("decision");
        decision(writer, fields);
    }
    words(writer, "reason", view.reason.as_deref());
    writer.key("automatic").bool(view.automatic);
    words(writer, "rule", view.rule.as_deref());
    if let Some(questions) = &view.questions {
        list(writer, "questions", questions, |writer, question| {
            writer.begin_object();
            writer.key("question").string(&question.question);
            list(writer, "choices", &question.choices, |writer, choice| {
                writer.string(choice);
            });
            writer.key("multiple").bool(question.multiple).end_object();
        });
    }
    words(writer, "resultText", view.result_text.as_deref());
    words(writer, "error", view.error.as_deref());
    if let Some(batch) = &view.batch {
        writer.key("batch").begin_object();
        writer.key("id").string(batch.id.as_str());
        writer.key("size").integer(number(batch.size));
        writer.key("decided").integer(number(batch.decided));
        if batch.rejects_all {
            writer.key("rejectsAll").bool(true);
        }
        writer.end_object();
    }
    moment(writer, "expiresAt", view.expires_at.map(|moment| moment.0));
    moment(writer, "sendsAt", view.sends_at.map(|moment| moment.0));
    moment(writer, "askedAt", view.asked_at.map(|moment| moment.0));
    moment(writer, "decidedAt", view.decided_at.map(|moment| moment.0));
    words(writer, "decidedBy", view.decided_by.map(|who| who.as_str()));
    writer.key("risk");
    risk(writer, &view.risk);
    list(writer, "hazards", &view.hazards, |writer, hazard| {
        writer.begin_object();
        writer.key("pointer").string(&hazard.pointer);
        writer.key("code").string(&hazard.code);
        writer.key("message").string(&hazard.message).end_object();
    });
    if let Some(outbound) = &view.outbound {
        writer.key("outbound").begin_object();
        writer.key("id").string(outbound.id.as_str());
        writer.key("state").string(state(outbound.state));
        if outbound.held {
            writer.key("held").bool(true);
        }
        words(writer, "error", outbound.error.as_deref());
        writer.end_object();
    }
    writer.end_object();
}

/// How much care a call needs, and why.
pub(crate) fn risk(writer: &mut Writer, risk: &RiskView) {
    writer.begin_object().key("level").string(risk.level.as_str());
    list(writer, "reasons", &risk.reasons, |writer, reason| {
        writer.begin_object();
        writer.key("source").string(reason.source.as_str());
        writer.key("code").string(&reason.code);
        writer.key("message").string(&reason.message).end_object();
    });
    writer.end_object();
}

/// What could not be read.
pub(crate) fn problem(writer: &mut Writer, problem: &Problem) {
    writer.begin_object();
    writer.key("code").string(problem.code.as_str());
    writer.key("message").string(&problem.message);
    words(writer, "path", problem.path.as_deref());
    writer.end_object();
}

/// What the host should know now.
pub(crate) fn advice(writer: &mut Writer, advice: &Advice) {
    writer.begin_object();
    writer.key("code").string(&advice.code);
    writer.key("message").string(&advice.message).end_object();
}

/// A member that is a text; nothing if it is missing.
pub(crate) fn words(writer: &mut Writer, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        writer.key(key).string(text);
    }
}

fn offer(writer: &mut Writer, offer: &Offer) {
    writer.begin_object();
    writer.key("kind").string(offer.kind.as_str());
    words(writer, "id", offer.id.as_deref());
    words(writer, "label", offer.label.as_deref());
    words(writer, "scope", offer.scope.map(GrantScope::as_str));
    words(writer, "grants", offer.grants.as_deref());
    writer.key("reason").string(match offer.reason {
        Words::None => "none",
        Words::Local => "local",
        Words::Sent => "sent",
        Words::Required => "required",
    });
    writer.end_object();
}

fn decision(writer: &mut Writer, fields: &DecisionFields) {
    writer.begin_object();
    writer.key("kind").string(&fields.kind);
    words(writer, "scope", fields.scope.map(GrantScope::as_str));
    words(writer, "args", fields.args.as_deref());
    words(writer, "note", fields.note.as_deref());
    words(writer, "reason", fields.reason.as_deref());
    words(writer, "text", fields.text.as_deref());
    if let Some(answers) = &fields.answers {
        writer.key("answers").begin_array();
        for given in answers {
            writer.begin_array();
            for answer in given {
                writer.string(answer);
            }
            writer.end_array();
        }
        writer.end_array();
    }
    words(writer, "seen", fields.seen.as_deref());
    words(writer, "tool", fields.tool.as_deref());
    words(writer, "offer", fields.offer.as_deref());
    writer.end_object();
}

fn list<T>(writer: &mut Writer, key: &str, items: &[T], write: impl Fn(&mut Writer, &T)) {
    writer.key(key).begin_array();
    for item in items {
        write(writer, item);
    }
    writer.end_array();
}

fn moment(writer: &mut Writer, key: &str, millis: Option<u64>) {
    if let Some(millis) = millis {
        writer.key(key).integer(i64::try_from(millis).unwrap_or(i64::MAX));
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn state(state: OutboundState) -> &'static str {
    match state {
        OutboundState::Queued => "queued",
        OutboundState::Sending => "sending",
        OutboundState::Delivered => "delivered",
        OutboundState::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_core::{
        BatchView, DecidedBy, Decision, EditRule, HazardView, Millis, OfferKind, OutboundView, ProblemCode,
        Question, RiskLevel, RiskReason, RiskSource, RiskView, Status,
    };

    use super::*;

    fn some(text: &str) -> Option<Arc<str>> {
        Some(Arc::from(text))
    }

    fn full() -> RequestView {
        let offer = Offer {
            kind: OfferKind::ApproveAlways,
            id: some("o"),
            label: some("l"),
            scope: Some(GrantScope::SameArgs),
            grants: some("g"),
            reason: Words::Required,
        };
        RequestView {
            key: 7,
            id: "t/r".into(),
            request: Some("r".into()),
            call: Some("c".into()),
            tool: Arc::from("pay \u{202e}\"x\""),
            args_text: Arc::from("{\"n\":1.00}"),
            args_digest: Arc::from("d"),
            args_schema: some("{}"),
            inspectable: true,
            changed: true,
            server: some("s"),
            agent: vec![Arc::from("a"), Arc::from("b")],
            status: Status::Drafted,
            offers: vec![offer, Offer::new(OfferKind::Reject)],
            edits: Some(EditRule {
                merges: true,
                unchanged_approves: false,
                empty_allowed: true,
                floats: false,
            }),
            title: some("t"),
            description: some("d"),
            hint: some("h"),
            decision: Some(DecisionFields {
                answers: Some(vec![vec!["x".into()], vec![]]),
                seen: Some("s".into()),
                ..DecisionFields::from(&Decision::reject(Some("no")))
            }),
            reason: some("no"),
            automatic: true,
            rule: some("r"),
            questions: Some(Arc::from(vec![Question {
                question: "?".into(),
                choices: vec!["1".into()],
                multiple: true,
            }])),
            result_text: some("null"),
            error: some("e"),
            batch: Some(BatchView { id: "b".into(), size: 2, decided: 1, rejects_all: true }),
            expires_at: Some(Millis(9)),
            sends_at: Some(Millis(8)),
            asked_at: Some(Millis(6)),
            decided_at: Some(Millis(7)),
            decided_by: Some(DecidedBy::Rule),
            risk: RiskView {
                level: RiskLevel::High,
                reasons: vec![RiskReason {
                    source: RiskSource::Server,
                    code: "c".into(),
                    message: "m".into(),
                }],
            },
            hazards: vec![HazardView { pointer: "/n".into(), code: "c".into(), message: "m".into() }],
            outbound: Some(OutboundView {
                id: "o".into(),
                state: OutboundState::Failed,
                held: true,
                error: some("503"),
            }),
        }
    }

    fn check<T: serde::Serialize>(value: &T, write: impl Fn(&mut Writer, &T)) {
        let mut writer = Writer::new();
        write(&mut writer, value);
        let written: serde_json::Value = serde_json::from_str(&writer.finish()).unwrap();
        assert_eq!(written, serde_json::to_value(value).unwrap());
    }

    #[test]
    fn views_are_written_as_their_serialisers_would() {
        check(&full(), view);
        for state in [OutboundState::Queued, OutboundState::Sending, OutboundState::Delivered] {
            check(
                &RequestView {
                    outbound: Some(OutboundView { id: "o".into(), state, held: false, error: None }),
                    ..full()
                },
                view,
            );
        }
        let bare = RequestView {
            request: None,
            call: None,
            args_schema: None,
            server: None,
            agent: Vec::new(),
            offers: [Words::Local, Words::Sent]
                .map(|words| Offer::new(OfferKind::Edit).words(words))
                .to_vec(),
            edits: None,
            title: None,
            description: None,
            hint: None,
            decision: Some(DecisionFields::from(&Decision::Approve { scope: GrantScope::Session })),
            reason: None,
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
            ..full()
        };
        check(&bare, view);
    }

    #[test]
    fn problems_and_advice_are_written_as_their_serialisers_would() {
        check(&Problem::new(ProblemCode::JsonInvalid, "m").at("byte 3"), problem);
        check(&Problem::new(ProblemCode::StateUnknown, "m"), problem);
        check(&Advice { code: "c".into(), message: "m".into() }, advice);
    }
}

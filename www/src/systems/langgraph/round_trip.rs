//! Agent and inbox: what one says the other understands, with every gate.

use countersign_connect::Host;
use countersign_core::{Decision, Shown, Status};
use countersign_yew::Intent;

use crate::systems::Wire;
use crate::systems::pair::{
    CONVERSATION, NOW, Pair, check_approval, check_edit, check_retry, draft, edit, lines, said,
};
use crate::systems::script::APPROVALS;

const HITL: Wire = Wire::LangGraphHitl;
const HUMAN: Wire = Wire::LangGraphInterrupt;
const PER_CALL: Wire = Wire::LangGraphPerCall;
const ALL: [Wire; 3] = [HITL, HUMAN, PER_CALL];

/// A page and its agent. Nothing on the wire tells who wrote the outcome of a tool that asks for itself.
fn begin(wire: Wire) -> Pair {
    let mut pair = Pair::new(wire);
    if wire == HUMAN {
        pair.known = |line| match line.split_once(' ') {
            Some((tool, "completed" | "rejected" | "responded")) => format!("{tool} unknown"),
            _ => line.to_owned(),
        };
    }
    pair
}

/// Each gate's way to say no.
fn no(wire: Wire) -> Decision {
    if wire == HUMAN { Decision::Ignore } else { Decision::reject(Some("not \"today\"")) }
}

/// Whether the model was told these words.
fn told(pair: &Pair, words: &str) -> bool {
    pair.history().contains(&countersign_json::quote(words))
}

#[test]
fn an_approved_call_runs_with_the_exact_text_that_was_shown() {
    ALL.map(begin).into_iter().for_each(check_approval);
}

#[test]
fn a_refused_call_does_not_run_and_the_model_hears_the_reason() {
    for mut pair in ALL.map(begin) {
        pair.say("delete");
        pair.decide(0, no(pair.wire));
        assert_eq!(pair.cards(), ["delete_file rejected"]);
        assert_eq!(pair.executed(), Vec::<String>::new());
        if pair.wire != HUMAN {
            assert!(told(&pair, "User rejected the tool call for `delete_file` with reason: not \"today\""));
            assert_eq!(pair.other_page().views()[0].reason.as_deref(), Some("not \"today\""));
        }
    }
}

#[test]
fn an_edit_replaces_the_arguments_and_leaves_other_numbers_alone() {
    ALL.map(begin).into_iter().for_each(check_edit);
}

#[test]
fn an_edit_that_is_not_offered_or_does_not_fit_is_refused_and_nothing_runs() {
    for mut pair in ALL.map(begin) {
        pair.say("delete");
        pair.draft(0, edit(r#"{"path":"/b"}"#));
        assert!(pair.shell.notice().is_some());
        let mut other = begin(pair.wire);
        other.say("transfer");
        other.draft(0, edit("[]"));
        assert!(other.shell.notice().is_some());
        assert_eq!(pair.shell.take_outbound().len() + other.shell.take_outbound().len(), 0);
    }
}

#[test]
fn words_stand_in_for_an_outcome() {
    for mut pair in ALL.map(begin) {
        pair.say("email");
        pair.decide(0, Decision::Respond { text: "Use the \"new\" address".into() });
        assert!(told(&pair, "Use the \"new\" address"));
        assert_eq!(lines(&pair.shell), ["send_email responded"]);
        // With one interrupt for each call nothing tells whose words an outcome is.
        let known = if pair.wire == HITL { "send_email responded" } else { "send_email unknown" };
        assert_eq!(lines(&pair.other_page()), [known]);
        assert_eq!(pair.executed(), Vec::<String>::new());
    }
}

#[test]
fn every_gate_offers_its_own_decisions() {
    let offers = |wire: Wire, text: &str| {
        let mut pair = begin(wire);
        pair.say(text);
        pair.offers(0)
    };
    for wire in [HITL, PER_CALL] {
        assert_eq!(offers(wire, "delete"), ["approve", "reject"]);
        assert_eq!(offers(wire, "email"), ["approve", "edit", "reject", "respond"]);
    }
    assert_eq!(offers(HUMAN, "delete"), ["approve", "respond", "ignore"]);
    assert_eq!(offers(HUMAN, "email"), ["approve", "edit", "respond", "ignore"]);
}

#[test]
fn three_calls_of_a_batch_wait_for_one_another() {
    let mut pair = begin(HITL);
    pair.say("delete path=/srv/d and email and transfer amount=5");
    pair.decide(2, edit(&pair.view(2).args_text.replace(":5,", ":6,")));
    pair.decide(0, Decision::approve());
    assert_eq!(pair.executed(), Vec::<String>::new());
    pair.decide(1, no(HITL));
    assert_eq!(pair.cards(), ["delete_file completed", "send_email rejected", "transfer_funds completed"]);
    let ran = pair.executed();
    assert!(ran.len() == 2 && ran[1].contains(r#""amount":6,"#), "{ran:?}");
}

#[test]
fn three_interrupts_are_decided_each_for_itself() {
    for mut pair in [HUMAN, PER_CALL].map(begin) {
        pair.say("delete path=/srv/d and email and transfer amount=5");
        pair.decide(2, edit(&pair.view(2).args_text.replace(":5,", ":6,")));
        assert_eq!(pair.cards(), ["delete_file pending", "send_email pending", "transfer_funds completed"]);
        pair.decide(1, no(pair.wire));
        assert_eq!(pair.cards(), ["delete_file pending", "send_email rejected", "transfer_funds completed"]);
        assert_eq!(pair.executed().len(), 1);
        pair.decide(0, Decision::approve());
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "send_email rejected", "transfer_funds completed"]
        );
        assert_eq!(pair.executed().len(), 2);
    }
}

#[test]
fn equal_calls_are_decided_each_for_itself_in_any_order() {
    for mut pair in ALL.map(begin) {
        pair.say("delete path=/srv/a then delete path=/srv/a");
        assert_ne!(pair.view(0).id, pair.view(1).id);
        pair.decide(1, no(pair.wire));
        pair.decide(0, Decision::approve());
        assert_eq!(pair.cards(), ["delete_file completed", "delete_file rejected"]);
        assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/a"}"#]);
    }
}

#[test]
fn all_that_waits_is_approved_at_once() {
    for mut pair in ALL.map(begin) {
        pair.say("delete and transfer amount=1 and transfer amount=2");
        let requests = pair.shell.views().iter().map(|view| (view.id.clone(), Shown::of(view))).collect();
        assert!(pair.shell.act(Intent::DecideAll { requests, decision: Decision::approve() }, NOW).is_ok());
        pair.send_due();
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "transfer_funds completed", "transfer_funds completed"]
        );
    }
}

#[test]
fn a_call_that_nothing_gates_makes_no_card() {
    for mut pair in ALL.map(begin) {
        pair.say(APPROVALS[0]);
        assert_eq!(pair.cards(), ["delete_file pending", "transfer_funds pending"]);
        assert_eq!(pair.executed().len(), 1);
    }
}

#[test]
fn an_agent_inside_a_tool_asks_and_its_calls_run() {
    let mut pair = begin(HITL);
    pair.say("delegate: delete path=/srv/a then delete path=/srv/b");
    assert_eq!(pair.cards(), ["delete_file pending", "delete_file pending"]);
    pair.decide(0, no(HITL));
    pair.decide(1, Decision::approve());
    assert_eq!(lines(&pair.shell), ["delete_file rejected", "delete_file completed"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/b"}"#]);
}

#[test]
fn an_agent_inside_a_tool_can_be_answered_after_a_reload() {
    let mut pair = begin(HITL);
    pair.say("delegate: delete path=/srv/a then delete path=/srv/b");
    pair.shell = pair.other_page();
    pair.decide(0, no(HITL));
    pair.decide(1, Decision::approve());
    // The thread itself does not hold what happened inside.
    assert_eq!(lines(&pair.shell), ["delete_file rejected", "delete_file approved"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/b"}"#]);
}

#[test]
fn typed_text_ends_a_wait_and_nothing_runs() {
    for mut pair in ALL.map(begin) {
        pair.say("delete");
        assert_eq!(pair.shell.advice()[0].code, "typed-text-ends-pause");
        pair.say("wait, hello?");
        assert_eq!(pair.cards(), ["delete_file superseded"]);
        assert_eq!(pair.executed(), Vec::<String>::new());
    }
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    for mut pair in ALL.map(begin) {
        pair.say("delete");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        draft(&mut other, 0, no(pair.wire), NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        let fault = pair.agent.send(CONVERSATION, &outbound.body, NOW).expect_err("it was decided");
        assert_eq!(fault.status(), Some(409));
        other.failed(outbound.id, fault.status(), fault.message, NOW);
        other.read_again(&pair.history(), NOW);
        assert!(
            !matches!(other.views()[0].status, Status::Pending | Status::Drafted),
            "{:?}",
            other.views()[0]
        );
        assert_eq!(pair.executed().len(), 1);
    }
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    ALL.map(begin).into_iter().for_each(|pair| check_retry(pair, Some(503)));
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    for mut pair in ALL.map(begin) {
        pair.say(APPROVALS[0]);
        pair.decide(0, Decision::approve());
        pair.decide(1, Decision::approve());
        let reloaded = pair.other_page();
        assert_eq!(said(&pair.shell), said(&reloaded));
        assert_eq!(reloaded.bubbles()[0].text, APPROVALS[0]);
    }
}

//! Agent and inbox: what one says the other understands, on both wires.

use countersign_connect::Host;
use countersign_core::{Decision, GrantScope, Millis, Status};

use crate::shell::Shell;
use crate::systems::Wire;
use crate::systems::pair::{
    CONVERSATION, NOW, Pair, check_approval, check_edit, check_retry, draft, edit, lines,
};
use crate::systems::script::PROMPTS;

const ALWAYS: Decision = Decision::Approve { scope: GrantScope::Tool };

fn on_both_wires(check: impl Fn(Pair)) {
    [Wire::AdalflowWs, Wire::AdalflowRest].into_iter().for_each(|wire| check(Pair::new(wire)));
}

#[test]
fn an_approved_call_runs_with_the_exact_text_that_was_shown() {
    on_both_wires(check_approval);
}

#[test]
fn a_rejected_call_does_not_run_and_the_reason_stays_in_the_page() {
    on_both_wires(|mut pair| {
        pair.say("delete");
        pair.decide(0, Decision::reject(Some("not today")));
        assert_eq!(pair.cards(), ["delete_file rejected"]);
        assert_eq!(pair.executed(), Vec::<String>::new());
        assert_eq!(pair.view(0).reason.as_deref(), Some("not today"));
        assert!(!pair.agent.to_json().contains("not today"));
    });
}

#[test]
fn what_is_always_allowed_is_not_asked_again() {
    on_both_wires(|mut pair| {
        pair.say("delete path=/a then delete path=/b then email");
        pair.decide(0, ALWAYS);
        assert_eq!(pair.cards(), ["delete_file completed", "delete_file completed", "send_email pending"]);
        assert!(pair.view(1).offers.is_empty());
        pair.decide(2, Decision::reject(None));
        pair.say("delete path=/c");
        assert_eq!(pair.executed().len(), 3);
        assert_eq!(lines(&pair.shell)[3], "delete_file completed");
    });
}

#[test]
fn an_edit_replaces_the_arguments_and_leaves_other_numbers_alone() {
    check_edit(Pair::new(Wire::AdalflowWs));
}

#[test]
fn an_edit_that_does_not_fit_the_tool_leaves_the_call_waiting() {
    let mut pair = Pair::new(Wire::AdalflowWs);
    pair.say("delete");
    pair.draft(0, edit(r#"{"pfad":"/b"}"#));
    pair.send_refused();
    assert!(pair.shell.notice().is_some());
    assert_eq!((pair.cards(), pair.executed().len()), (vec!["delete_file pending".to_owned()], 0));
}

#[test]
fn only_the_example_backend_offers_edits() {
    on_both_wires(|mut pair| {
        pair.say("delete");
        let all = ["approve", "approve_always", "edit", "reject"].into_iter();
        let edits = pair.wire == Wire::AdalflowWs;
        let expected: Vec<&str> = all.filter(|kind| edits || *kind != "edit").collect();
        assert_eq!(pair.offers(0), expected);
    });
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let mut pair = Pair::new(Wire::AdalflowRest);
    pair.say(PROMPTS[3]);
    for (place, words) in ["SQLite", "Auth", "no"].into_iter().enumerate() {
        assert_eq!(pair.view(place).status, Status::Pending);
        pair.decide(place, Decision::Answer { answers: vec![vec![words.to_owned()]] });
    }
    assert_eq!(pair.cards().len(), 3);
    let said = pair.shell.bubbles().last().map(|bubble| bubble.text.clone());
    let expected = "The person says: SQLite The person says: Auth The person says: no";
    assert_eq!(said.as_deref(), Some(expected));
    assert_eq!(pair.executed(), Vec::<String>::new());
}

#[test]
fn three_runs_are_decided_each_for_itself() {
    on_both_wires(|mut pair| {
        pair.say("delete path=/srv/d beside email beside transfer amount=5");
        assert_eq!(pair.cards(), ["delete_file pending", "send_email pending", "transfer_funds pending"]);
        pair.decide(2, Decision::approve());
        assert_eq!(pair.executed().len(), 1);
        pair.decide(0, Decision::approve());
        pair.decide(1, Decision::reject(Some("Alice is on leave")));
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "send_email rejected", "transfer_funds completed"]
        );
        assert_eq!(pair.executed().len(), 2);
    });
}

#[test]
fn equal_calls_are_decided_each_for_itself_in_any_order() {
    on_both_wires(|mut pair| {
        pair.say("delete path=/srv/a beside delete path=/srv/a");
        assert_ne!(pair.view(0).id, pair.view(1).id);
        pair.decide(1, Decision::reject(None));
        pair.decide(0, Decision::approve());
        assert_eq!(pair.cards(), ["delete_file completed", "delete_file rejected"]);
        assert_eq!(pair.executed(), [r#"delete_file {"path":"/srv/a"}"#]);
    });
}

#[test]
fn calls_of_one_run_are_asked_about_one_after_the_other() {
    on_both_wires(|mut pair| {
        pair.say(PROMPTS[0]);
        assert_eq!(pair.cards(), ["read_file completed", "delete_file pending"]);
        assert!(pair.view(0).offers.is_empty());
        pair.decide(1, Decision::reject(None));
        assert_eq!(pair.cards(), ["read_file completed", "delete_file rejected", "transfer_funds pending"]);
    });
}

#[test]
fn a_request_that_nobody_answered_in_time_runs_nothing() {
    on_both_wires(|mut pair| {
        pair.say("delete timeout=1");
        pair.draft(0, Decision::approve());
        let outbound = pair.shell.take_outbound().pop().expect("a decision");
        let late = Millis(NOW.0 + 2_000);
        match pair.agent.send(CONVERSATION, &outbound.body, late) {
            Ok(texts) => texts.iter().for_each(|text| pair.shell.receive(text, late)),
            Err(fault) => {
                assert!(fault.message.contains("(status: expired)"), "{}", fault.message);
                pair.shell.failed(outbound.id, fault.status(), fault.message, late);
                pair.shell.read_again(&pair.history(), late);
            }
        }
        // The library's own wire does not say why it cancelled.
        let expected = if pair.wire == Wire::AdalflowWs { Status::Expired } else { Status::Conflict };
        assert_eq!((pair.view(0).status, pair.executed().len()), (expected, 0));
    });
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    on_both_wires(|mut pair| {
        pair.say("delete");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        draft(&mut other, 0, Decision::reject(None), NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        match pair.agent.send(CONVERSATION, &outbound.body, NOW) {
            Ok(texts) => {
                other.delivered(outbound.id, NOW);
                texts.iter().for_each(|text| other.receive(text, NOW));
            }
            Err(fault) => {
                assert_eq!(fault.status(), Some(400));
                other.failed(outbound.id, fault.status(), fault.message, NOW);
            }
        }
        other.read_again(&pair.history(), NOW);
        // Whether the refusal came in its place or as a message of its own: the person had rejected, and the call ran.
        assert_eq!((other.views()[0].status, pair.executed().len()), (Status::Conflict, 1));
    });
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    on_both_wires(|pair| check_retry(pair, Some(503)));
}

#[test]
fn what_the_agent_said_is_the_same_after_a_reload() {
    on_both_wires(|mut pair| {
        pair.say(PROMPTS[0]);
        pair.decide(1, Decision::approve());
        pair.decide(2, Decision::approve());
        pair.say("crash");
        let said = |shell: &Shell| shell.bubbles().iter().map(|it| it.text.clone()).collect::<Vec<_>>();
        assert_eq!(said(&pair.shell), said(&pair.other_page()));
        assert_eq!(said(&pair.shell).len(), 4, "{:?}", said(&pair.shell));
    });
}

//! Agent and inbox: what one says the other understands.

use countersign_connect::Host;
use countersign_core::{Decision, Input, Millis, Status};

use super::{ONCE, PROMPTS};
use crate::systems::Wire;
use crate::systems::pair::{BIG, CONVERSATION, NOW, Pair, check_approval, check_retry, draft, edit, said};

/// A pair in which these words were said.
fn after(text: &str) -> Pair {
    let mut pair = Pair::new(Wire::HaystackWs);
    pair.say(text);
    pair
}

#[test]
fn an_approved_call_runs_with_the_text_on_the_screen() {
    check_approval(Pair::new(Wire::HaystackWs));
}

#[test]
fn a_refused_call_does_not_run_and_the_model_reads_the_reason() {
    let mut pair = after("delete path=/a");
    pair.decide(0, Decision::reject(Some("not \"that\" {one}\nplease")));
    assert_eq!((pair.cards(), pair.executed()), (vec!["delete_file rejected".to_owned()], Vec::new()));
    assert_eq!(pair.view(0).reason.as_deref(), Some("not \"that\" {one}\nplease"));
    let told = r#""result":"Tool execution for 'delete_file' was rejected by the user. With user feedback: not \"that\" {one}\nplease""#;
    assert!(pair.history().contains(told), "{}", pair.history());
}

#[test]
fn an_edit_replaces_the_arguments_to_the_last_character() {
    let mut pair = after(&format!("transfer amount=10.25 reference={BIG}"));
    let edited = pair.view(0).args_text.replace("10.25", "7.50");
    pair.decide(0, edit(&edited));
    assert_eq!(pair.executed(), [format!("transfer_funds {edited}")]);
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    let said: Vec<String> = pair.other_page().bubbles().iter().map(|bubble| bubble.text.clone()).collect();
    assert!(!said.iter().any(|text| text.starts_with("The parameters for tool")), "{said:?}");
}

#[test]
fn an_edit_that_is_no_object_with_members_never_leaves_the_page() {
    let mut pair = after("transfer amount=10.25");
    for args in ["{}", "[]", "null"] {
        pair.draft(0, edit(args));
        assert!(pair.shell.notice().is_some(), "{args}");
        assert!(pair.shell.take_outbound().is_empty());
    }
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
}

#[test]
fn an_edit_that_does_not_fit_the_schema_is_refused_and_the_call_waits_on() {
    let mut pair = after("transfer amount=10.25");
    pair.draft(0, edit(r#"{"to_account":"a","amount":"1","currency":"EUR"}"#));
    pair.send_refused();
    let notice = pair.shell.notice().unwrap_or_default();
    assert!(notice.contains("/amount: "), "{notice}");
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
    pair.decide(0, Decision::approve());
    assert_eq!(pair.executed().len(), 1);
}

#[test]
fn two_calls_of_one_tool_are_decided_in_reverse() {
    let mut pair = after("delete path=/a then delete path=/a");
    pair.decide(1, Decision::approve());
    assert_eq!(pair.cards(), ["delete_file pending", "delete_file approved"]);
    assert_eq!(pair.executed(), Vec::<String>::new());
    pair.decide(0, Decision::reject(Some("not the first")));
    assert_eq!(pair.cards(), ["delete_file rejected", "delete_file completed"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/a"}"#]);
    assert_eq!(pair.view(0).reason.as_deref(), Some("not the first"));
}

#[test]
fn three_calls_are_decided_each_in_its_own_way() {
    let mut pair = after("delete path=/a then email to=bob@example.com then transfer amount=5");
    let edited = pair.view(2).args_text.replace("EUR", "USD");
    pair.decide(2, edit(&edited));
    pair.decide(1, Decision::reject(Some("Bob left")));
    pair.decide(0, Decision::approve());
    assert_eq!(pair.cards(), ["delete_file completed", "send_email rejected", "transfer_funds completed"]);
    assert_eq!(
        pair.executed(),
        [r#"delete_file {"path":"/a"}"#.to_owned(), format!("transfer_funds {edited}")]
    );
}

#[test]
fn a_policy_that_asks_once_lets_the_second_call_pass() {
    let mut pair = after(ONCE);
    assert_eq!(pair.cards(), ["delete_file pending"]);
    pair.decide(0, Decision::approve());
    assert_eq!(pair.cards(), ["delete_file completed", "delete_file completed"]);
    assert!(pair.view(1).automatic && !pair.view(0).automatic);
    assert_eq!(pair.executed().len(), 2);
    pair.say("askonce: delete path=/other and delete path=/srv/tmp");
    pair.decide(2, Decision::reject(None));
    assert_eq!(pair.executed().len(), 3);
}

#[test]
fn steps_wait_for_one_another_and_reads_are_shown_at_the_end() {
    let mut pair = after(PROMPTS[0]);
    assert_eq!(pair.cards(), ["delete_file pending", "transfer_funds pending"]);
    assert_eq!(pair.executed().len(), 1);
    pair.decide(0, Decision::approve());
    pair.decide(1, Decision::approve());
    assert_eq!(pair.cards(), ["delete_file completed", "transfer_funds completed", "read_file completed"]);
}

#[test]
fn what_nobody_answers_expires_and_runs_nothing() {
    let mut pair = after("delete path=/a then delete path=/b");
    pair.now = NOW.after(Millis(10_000));
    pair.decide(1, Decision::approve());
    pair.now = NOW.after(Millis(3_600_000));
    let _ = pair.shell.handle(pair.now, Input::Tick);
    assert_eq!(pair.view(0).status, Status::Expired);
    pair.say("hello");
    assert_eq!(pair.cards(), ["delete_file expired", "delete_file completed"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/b"}"#]);
}

#[test]
fn words_end_no_wait() {
    let mut pair = after("delete path=/a");
    assert_eq!(pair.shell.advice(), []);
    pair.say("wait, hello?");
    pair.say("delete path=/b");
    assert_eq!(pair.cards(), ["delete_file pending", "delete_file pending"]);
    pair.decide(1, Decision::approve());
    pair.decide(0, Decision::reject(None));
    assert_eq!(pair.cards(), ["delete_file rejected", "delete_file completed"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/b"}"#]);
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    for (late, expected) in
        [(Decision::reject(None), Status::Conflict), (Decision::approve(), Status::Approved)]
    {
        let mut pair = after("delete then email");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        draft(&mut other, 0, late, NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        other.delivered(outbound.id, NOW);
        let refused =
            pair.agent.send(CONVERSATION, &outbound.body, NOW).expect("the socket takes everything");
        assert!(refused.concat().contains("already decided: confirm"), "{refused:?}");
        refused.iter().for_each(|text| other.receive(text, NOW));
        other.read_again(&pair.history(), NOW);
        assert_eq!(other.views()[0].status, expected);
        assert_eq!(pair.cards(), ["delete_file approved", "send_email pending"]);
    }
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    check_retry(Pair::new(Wire::HaystackWs), None);
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    let mut pair = after(PROMPTS[0]);
    pair.decide(0, Decision::approve());
    pair.decide(1, Decision::reject(None));
    pair.say("hello");
    pair.say("hello");
    pair.say("crash");
    let reloaded = pair.other_page();
    assert_eq!(said(&pair.shell), said(&reloaded));
    assert_eq!(said(&reloaded).len(), 6, "{:?}", said(&reloaded));
    assert_eq!(reloaded.bubbles()[0].text, PROMPTS[0]);
    let before = pair.shell.bubbles().len();
    let log = pair.history();
    pair.shell.read_again(&log, NOW);
    assert_eq!(said(&pair.shell), said(&reloaded));
    // The page that typed the words has shown them already; the log has none of a run that failed.
    assert_eq!(pair.shell.bubbles().len(), before + 3);
}

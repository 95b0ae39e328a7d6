//! Agent and inbox: what one says the other understands.

use countersign_core::{Decision, Millis, RequestView, Status};
use countersign_yew::Intent;

use super::agent::Agent;
use super::{ONCE, PROMPTS};
use crate::shell::Shell;
use crate::systems::{Agent as _, Wire, Words};

const NOW: Millis = Millis(1_795_190_359_000);
const BIG: &str = "2512292042121000001";
const WIRE: Wire = Wire::HaystackWs;

/// A person's page and the agent behind it.
struct Pair {
    agent: Agent,
    shell: Shell,
    now: Millis,
}

impl Pair {
    fn new() -> Pair {
        Pair { agent: Agent::new(1), shell: Shell::new(WIRE, "seed", Millis(0)), now: NOW }
    }

    fn said(text: &str) -> Pair {
        let mut pair = Pair::new();
        pair.say(text);
        pair
    }

    fn say(&mut self, text: &str) {
        let words = Words { id: "u", conversation: "c", waiting: None, text, now: self.now };
        let message = WIRE.system().words(&words);
        self.post(&message);
    }

    fn post(&mut self, message: &str) {
        for event in self.agent.send("c", message, self.now).expect("it is taken") {
            self.shell.receive(&event, self.now);
            assert_eq!(self.shell.notice(), None, "{event}");
        }
    }

    /// Decides the card at this place, and sends what is due.
    fn decide(&mut self, place: usize, decision: Decision) {
        self.draft(place, decision);
        assert_eq!(self.shell.notice(), None);
        self.deliver();
    }

    fn draft(&mut self, place: usize, decision: Decision) {
        let view = self.view(place);
        self.shell.act(Intent::Decide { request: view.id, decision, seen: view.args_digest }, self.now);
    }

    fn deliver(&mut self) {
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id.clone(), self.now);
            self.post(&outbound.body);
        }
    }

    fn view(&self, place: usize) -> RequestView {
        RequestView::clone(&self.shell.views()[place])
    }

    /// Another page with the same conversation.
    fn other_page(&self) -> Shell {
        let mut other = Shell::new(WIRE, "other", Millis(0));
        other.restore(&self.agent.history("c").expect("a log"), self.now);
        assert_eq!(other.notice(), None);
        other
    }

    /// The cards as `tool status`, also as a reload shows them: both must be the same.
    fn cards(&self) -> Vec<String> {
        let lines = |shell: &Shell| -> Vec<String> {
            shell.views().iter().map(|view| format!("{} {}", view.tool, view.status.as_str())).collect()
        };
        let live = lines(&self.shell);
        assert_eq!(live, lines(&self.other_page()), "a reload shows the same cards");
        live
    }

    /// What ran, as `tool arguments`.
    fn executed(&self) -> Vec<String> {
        self.agent.executed().iter().map(|call| format!("{} {}", call.tool, call.args)).collect()
    }

    /// What the model was told of refusals and edits, and what it says.
    fn log(&self) -> String {
        self.agent.history("c").expect("a log")
    }
}

fn edit(args: &str) -> Decision {
    Decision::Edit { args: args.into(), note: None }
}

#[test]
fn an_approved_call_runs_with_the_text_on_the_screen() {
    let mut pair = Pair::said(&format!("transfer amount=1250.00 reference={BIG}"));
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
    let shown = pair.view(0).args_text;
    assert!(shown.contains(BIG) && shown.contains("1250.00"), "{shown}");
    assert_eq!(pair.executed(), Vec::<String>::new());
    pair.decide(0, Decision::approve());
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    assert_eq!(pair.executed(), [format!("transfer_funds {shown}")]);
}

#[test]
fn a_refused_call_does_not_run_and_the_model_reads_the_reason() {
    let mut pair = Pair::said("delete path=/a");
    pair.decide(0, Decision::reject(Some("not \"that\" {one}\nplease")));
    assert_eq!((pair.cards(), pair.executed()), (vec!["delete_file rejected".to_owned()], Vec::new()));
    assert_eq!(pair.view(0).reason.as_deref(), Some("not \"that\" {one}\nplease"));
    let told = r#""result":"Tool execution for 'delete_file' was rejected by the user. With user feedback: not \"that\" {one}\nplease""#;
    assert!(pair.log().contains(told), "{}", pair.log());
}

#[test]
fn an_edit_replaces_the_arguments_to_the_last_character() {
    let mut pair = Pair::said(&format!("transfer amount=10.25 reference={BIG}"));
    let edited = pair.view(0).args_text.replace("10.25", "7.50");
    pair.decide(0, edit(&edited));
    assert_eq!(pair.executed(), [format!("transfer_funds {edited}")]);
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    let said: Vec<String> = pair.other_page().bubbles().iter().map(|bubble| bubble.text.clone()).collect();
    assert!(!said.iter().any(|text| text.starts_with("The parameters for tool")), "{said:?}");
}

#[test]
fn an_edit_that_is_no_object_with_members_never_leaves_the_page() {
    let mut pair = Pair::said("transfer amount=10.25");
    for args in ["{}", "[]", "null"] {
        pair.draft(0, edit(args));
        assert!(pair.shell.notice().is_some(), "{args}");
        assert!(pair.shell.take_outbound().is_empty());
    }
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
}

#[test]
fn an_edit_that_does_not_fit_the_schema_is_refused_and_the_call_waits_on() {
    let mut pair = Pair::said("transfer amount=10.25");
    pair.draft(0, edit(r#"{"to_account":"a","amount":"1","currency":"EUR"}"#));
    for outbound in pair.shell.take_outbound() {
        pair.shell.delivered(outbound.id, NOW);
        let refused = pair.agent.send("c", &outbound.body, NOW).expect("the socket takes everything");
        refused.iter().for_each(|text| pair.shell.receive(text, NOW));
    }
    let notice = pair.shell.notice().unwrap_or_default();
    assert!(notice.contains("/amount: "), "{notice}");
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
    pair.decide(0, Decision::approve());
    assert_eq!(pair.executed().len(), 1);
}

#[test]
fn two_calls_of_one_tool_are_decided_in_reverse() {
    let mut pair = Pair::said("delete path=/a then delete path=/a");
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
    let mut pair = Pair::said("delete path=/a then email to=bob@example.com then transfer amount=5");
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
    let mut pair = Pair::said(ONCE);
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
    let mut pair = Pair::said(PROMPTS[0]);
    assert_eq!(pair.cards(), ["delete_file pending", "transfer_funds pending"]);
    assert_eq!(pair.executed().len(), 1);
    pair.decide(0, Decision::approve());
    pair.decide(1, Decision::approve());
    assert_eq!(pair.cards(), ["delete_file completed", "transfer_funds completed", "read_file completed"]);
}

#[test]
fn what_nobody_answers_expires_and_runs_nothing() {
    let mut pair = Pair::said("delete path=/a then delete path=/b");
    pair.now = NOW.after(Millis(10_000));
    pair.decide(1, Decision::approve());
    pair.now = NOW.after(Millis(3_600_000));
    pair.shell.tick(pair.now);
    assert_eq!(pair.view(0).status, Status::Expired);
    pair.say("hello");
    assert_eq!(pair.cards(), ["delete_file expired", "delete_file completed"]);
    assert_eq!(pair.executed(), [r#"delete_file {"path":"/b"}"#]);
}

#[test]
fn words_end_no_wait() {
    let mut pair = Pair::said("delete path=/a");
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
        let mut pair = Pair::said("delete then email");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        let view = other.views()[0].clone();
        let (request, seen) = (view.id.clone(), view.args_digest.clone());
        other.act(Intent::Decide { request, decision: late, seen }, NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        other.delivered(outbound.id, NOW);
        let refused = pair.agent.send("c", &outbound.body, NOW).expect("the socket takes everything");
        assert!(refused.concat().contains("already decided: confirm"), "{refused:?}");
        refused.iter().for_each(|text| other.receive(text, NOW));
        other.refresh(&pair.log(), NOW);
        assert_eq!(other.views()[0].status, expected);
        assert_eq!(pair.cards(), ["delete_file approved", "send_email pending"]);
    }
}

#[test]
fn a_send_that_failed_is_repeated_unchanged_and_runs_once() {
    let mut pair = Pair::said("delete");
    pair.draft(0, Decision::approve());
    let first = pair.shell.take_outbound().pop().expect("a decision");
    pair.shell.failed(first.id, None, "the connection was lost".to_owned(), NOW);
    assert_eq!((pair.view(0).status, pair.executed().len()), (Status::Drafted, 0));
    let view = pair.view(0);
    pair.shell.act(Intent::Retry(view.id), NOW);
    let second = pair.shell.take_outbound().pop().expect("the decision again");
    assert_eq!(first.body, second.body);
    pair.shell.delivered(second.id, NOW);
    pair.post(&second.body);
    assert_eq!((pair.cards(), pair.executed().len()), (vec!["delete_file completed".to_owned()], 1));
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    let mut pair = Pair::said(PROMPTS[0]);
    pair.decide(0, Decision::approve());
    pair.decide(1, Decision::reject(None));
    pair.say("hello");
    pair.say("hello");
    pair.say("crash");
    let said = |shell: &Shell| -> Vec<String> {
        let agent = shell.bubbles().iter().filter(|bubble| bubble.role.as_str() == "agent");
        agent.map(|bubble| bubble.text.clone()).collect()
    };
    let reloaded = pair.other_page();
    assert_eq!(said(&pair.shell), said(&reloaded));
    assert_eq!(said(&reloaded).len(), 6, "{:?}", said(&reloaded));
    assert_eq!(reloaded.bubbles()[0].text, PROMPTS[0]);
    let before = pair.shell.bubbles().len();
    let log = pair.log();
    pair.shell.refresh(&log, NOW);
    assert_eq!(said(&pair.shell), said(&reloaded));
    // The page that typed the words has shown them already; the log has none of a run that failed.
    assert_eq!(pair.shell.bubbles().len(), before + 3);
}

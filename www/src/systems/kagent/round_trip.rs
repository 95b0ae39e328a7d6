//! Agent and inbox: what one says the other understands, in both wires.

use countersign_core::{Decision, Millis, RequestView, Status};
use countersign_yew::Intent;

use crate::shell::Shell;
use crate::systems::kagent::agent::Agent;
use crate::systems::script::PROMPTS;
use crate::systems::{Agent as _, Wire, Words};

const NOW: Millis = Millis(1_795_190_359_000);

/// A person's page and the agent behind it.
struct Pair {
    wire: Wire,
    agent: Agent,
    shell: Shell,
    sent: u32,
}

impl Pair {
    fn new(wire: Wire) -> Pair {
        let shell = Shell::new(wire, "seed", Millis(0));
        Pair { wire, agent: Agent::new(wire, 1), shell, sent: 0 }
    }

    fn say(&mut self, text: &str, task: Option<&str>) {
        self.sent += 1;
        let id = format!("u{}", self.sent);
        let words = Words { id: &id, conversation: "ctx", waiting: task, text, now: NOW };
        let message = self.wire.system().words(&words);
        self.post(&message);
    }

    fn post(&mut self, message: &str) {
        for result in self.agent.send(message, NOW) {
            self.shell.receive(&result, NOW);
            assert_eq!(self.shell.notice(), None, "{result}");
        }
    }

    fn decide(&mut self, tool: &str, decision: Decision) {
        let view = self.view(tool);
        let intent = Intent::Decide { request: view.id.clone(), decision, seen: view.args_digest.clone() };
        self.shell.act(intent, NOW);
        assert_eq!(self.shell.notice(), None);
        self.deliver();
    }

    fn deliver(&mut self) {
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id.clone(), NOW);
            self.post(&outbound.body);
        }
    }

    fn view(&self, tool: &str) -> RequestView {
        let view = self.shell.views().iter().rev().find(|view| &*view.tool == tool);
        RequestView::clone(view.unwrap_or_else(|| panic!("no card of {tool}: {:?}", self.cards())))
    }

    /// The cards as `tool status`, also as a reload shows them: both must be the same.
    fn cards(&self) -> Vec<String> {
        let line = |view: &RequestView| format!("{} {}", view.tool, view.status.as_str());
        let live: Vec<String> = self.shell.views().iter().map(|view| line(view)).collect();
        let mut reloaded = Shell::new(self.wire, "other", Millis(0));
        reloaded.restore(&self.agent.tasks("ctx"), NOW);
        let restored: Vec<String> = reloaded.views().iter().map(|view| line(view)).collect();
        assert_eq!(live, restored, "a reload shows the same cards");
        assert_eq!(reloaded.notice(), None);
        live
    }

    fn executed(&self) -> Vec<&str> {
        self.agent.executed().iter().map(|call| call.tool.as_str()).collect()
    }

    fn said(&self) -> Vec<&str> {
        self.shell.bubbles().iter().map(|bubble| bubble.text.as_str()).collect()
    }
}

fn in_both_wires(check: impl Fn(Pair)) {
    [Wire::Kagent010, Wire::KagentHitlV1].into_iter().for_each(|wire| check(Pair::new(wire)));
}

#[test]
fn a_batch_is_held_until_every_call_is_decided() {
    in_both_wires(|mut pair| {
        pair.say(
            "delete path=/srv/d and email and transfer amount=1250.00 reference=2512292042121000001",
            None,
        );
        assert_eq!(pair.cards(), ["delete_file pending", "send_email pending", "transfer_funds pending"]);
        pair.decide("transfer_funds", Decision::approve());
        pair.decide("delete_file", Decision::approve());
        assert_eq!(pair.executed(), Vec::<&str>::new());
        pair.decide("send_email", Decision::reject(Some("Alice is on leave")));
        assert_eq!(pair.executed(), ["delete_file", "transfer_funds"]);
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "send_email rejected", "transfer_funds completed"]
        );
        assert_eq!(pair.view("send_email").reason.as_deref(), Some("Alice is on leave"));
        let shown = pair.view("transfer_funds").args_text;
        assert_eq!(*shown, pair.agent.executed()[1].args);
        assert!(shown.contains("2512292042121000001") && shown.contains("1250.00"));
    });
}

#[test]
fn a_call_that_nothing_gates_is_a_card_without_offers() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[0], None);
        assert_eq!(pair.cards(), ["read_file completed", "delete_file pending", "transfer_funds pending"]);
        assert!(pair.view("read_file").offers.is_empty());
    });
}

#[test]
fn questions_are_answered_one_by_one() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[3], None);
        assert_eq!(pair.cards(), ["ask_user pending"]);
        let answers = vec![
            vec!["SQLite".to_owned()],
            vec!["Auth".to_owned(), "Caching".to_owned()],
            vec!["no".to_owned()],
        ];
        pair.decide("ask_user", Decision::Answer { answers });
        assert_eq!(pair.cards(), ["ask_user responded"]);
        assert!(
            pair.said().iter().any(|text| text.contains("SQLite, Auth, Caching, no")),
            "{:?}",
            pair.said()
        );
    });
}

#[test]
fn the_calls_of_another_agent_are_decided_here() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[4], None);
        assert_eq!(pair.cards(), ["k8s_agent running", "restart_deployment pending", "delete_file pending"]);
        let path: Vec<String> = pair.view("delete_file").agent.iter().map(|it| it.to_string()).collect();
        assert_eq!(path, ["ops_agent", "k8s_agent"]);
        pair.decide("restart_deployment", Decision::approve());
        pair.decide("delete_file", Decision::reject(None));
        assert_eq!(pair.executed(), ["restart_deployment"]);
        let settled = pair.cards();
        assert_eq!(settled[0], "k8s_agent completed");
        assert_eq!(pair.view("delete_file").status, Status::Rejected);
        assert_eq!(
            pair.view("restart_deployment").status,
            Status::Approved,
            "inner outcomes are never on the wire"
        );
    });
}

#[test]
fn the_questions_of_another_agent_are_answered_here() {
    in_both_wires(|mut pair| {
        pair.say("delegate: ask me", None);
        assert_eq!(pair.cards(), ["k8s_agent running", "ask_user pending"]);
        let answers = vec![vec!["MySQL".to_owned()], vec!["Auth".to_owned()], vec!["no".to_owned()]];
        pair.decide("ask_user", Decision::Answer { answers });
        assert_eq!(pair.cards(), ["k8s_agent completed", "ask_user responded"]);
    });
}

#[test]
fn one_task_may_wait_several_times() {
    in_both_wires(|mut pair| {
        pair.say("delete and ask", None);
        pair.decide("delete_file", Decision::approve());
        assert_eq!(pair.cards(), ["delete_file completed", "ask_user pending"]);
    });
}

#[test]
fn typed_text_ends_the_wait_and_the_host_is_told_so_before() {
    in_both_wires(|mut pair| {
        assert_eq!(pair.shell.advice(), []);
        pair.say("delete", None);
        assert_ne!(pair.shell.advice(), []);
        let task = pair.shell.waiting();
        assert!(task.is_some());
        pair.say("wait", task.as_deref());
        let expected = match pair.wire {
            Wire::Kagent010 => ["delete_file expired"],
            _ => ["delete_file superseded"],
        };
        assert_eq!(pair.cards(), expected);
        assert_eq!((pair.shell.advice(), pair.shell.waiting()), (Vec::new(), None));
    });
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    in_both_wires(|mut pair| {
        pair.say("delete", None);
        let mut other = Shell::new(pair.wire, "other", Millis(0));
        other.restore(&pair.agent.tasks("ctx"), NOW);
        pair.decide("delete_file", Decision::approve());
        let view = other.views()[0].clone();
        let intent = Intent::Decide {
            request: view.id.clone(),
            decision: Decision::reject(None),
            seen: view.args_digest.clone(),
        };
        other.act(intent, NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        let refused = pair.agent.send(&outbound.body, NOW).concat();
        assert!(refused.contains("terminal state"), "{refused}");
        other.failed(outbound.id, Some(200), "is in terminal state".to_owned(), NOW);
        other.refresh(&pair.agent.tasks("ctx"), NOW);
        assert!(matches!(other.views()[0].status, Status::Completed | Status::Conflict));
        assert_eq!(pair.executed(), ["delete_file"]);
    });
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[0], None);
        pair.decide("delete_file", Decision::approve());
        pair.decide("transfer_funds", Decision::approve());
        pair.say("hello", None);
        let mut reloaded = Shell::new(pair.wire, "other", Millis(0));
        reloaded.restore(&pair.agent.tasks("ctx"), NOW);
        let said: Vec<&str> = reloaded.bubbles().iter().map(|bubble| bubble.text.as_str()).collect();
        assert_eq!(said, pair.said());
        assert_eq!(said.len(), 6, "{said:?}");
    });
}

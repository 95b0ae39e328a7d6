//! Agent and inbox: what one says the other understands, in both wires.

use countersign_connect::Host;
use countersign_core::{Decision, Status};

use crate::shell::Shell;
use crate::systems::Wire;
use crate::systems::pair::{BIG, CONVERSATION, NOW, Pair, draft};
use crate::systems::script::PROMPTS;

/// The tools that ran.
fn ran(pair: &Pair) -> Vec<&str> {
    pair.agent.executed().iter().map(|call| call.tool.as_str()).collect()
}

/// Everything that was said in a page.
fn said(shell: &Shell) -> Vec<&str> {
    shell.bubbles().iter().map(|bubble| bubble.text.as_str()).collect()
}

fn in_both_wires(check: impl Fn(Pair)) {
    [Wire::Kagent010, Wire::KagentHitlV1].into_iter().for_each(|wire| check(Pair::new(wire)));
}

#[test]
fn a_batch_is_held_until_every_call_is_decided() {
    in_both_wires(|mut pair| {
        pair.say(&format!("delete path=/srv/d and email and transfer amount=1250.00 reference={BIG}"));
        assert_eq!(pair.cards(), ["delete_file pending", "send_email pending", "transfer_funds pending"]);
        pair.decide(2, Decision::approve());
        pair.decide(0, Decision::approve());
        assert_eq!(ran(&pair), Vec::<&str>::new());
        pair.decide(1, Decision::reject(Some("Alice is on leave")));
        assert_eq!(ran(&pair), ["delete_file", "transfer_funds"]);
        assert_eq!(
            pair.cards(),
            ["delete_file completed", "send_email rejected", "transfer_funds completed"]
        );
        assert_eq!(pair.view(1).reason.as_deref(), Some("Alice is on leave"));
        let shown = pair.view(2).args_text;
        assert_eq!(*shown, pair.agent.executed()[1].args);
        assert!(shown.contains(BIG) && shown.contains("1250.00"));
    });
}

#[test]
fn a_call_that_nothing_gates_is_a_card_without_offers() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[0]);
        assert_eq!(pair.cards(), ["read_file completed", "delete_file pending", "transfer_funds pending"]);
        assert!(pair.view(0).offers.is_empty());
    });
}

#[test]
fn questions_are_answered_one_by_one() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[3]);
        assert_eq!(pair.cards(), ["ask_user pending"]);
        let answers = vec![
            vec!["SQLite".to_owned()],
            vec!["Auth".to_owned(), "Caching".to_owned()],
            vec!["no".to_owned()],
        ];
        pair.decide(0, Decision::Answer { answers });
        assert_eq!(pair.cards(), ["ask_user responded"]);
        assert!(
            said(&pair.shell).iter().any(|text| text.contains("SQLite, Auth, Caching, no")),
            "{:?}",
            said(&pair.shell)
        );
    });
}

#[test]
fn the_calls_of_another_agent_are_decided_here() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[4]);
        assert_eq!(pair.cards(), ["k8s_agent running", "restart_deployment pending", "delete_file pending"]);
        assert_eq!(pair.asker(2), ["ops_agent", "k8s_agent"]);
        pair.decide(1, Decision::approve());
        pair.decide(2, Decision::reject(None));
        assert_eq!(ran(&pair), ["restart_deployment"]);
        let settled = pair.cards();
        assert_eq!(settled[0], "k8s_agent completed");
        assert_eq!(pair.view(2).status, Status::Rejected);
        assert_eq!(pair.view(1).status, Status::Approved, "inner outcomes are never on the wire");
    });
}

#[test]
fn the_questions_of_another_agent_are_answered_here() {
    in_both_wires(|mut pair| {
        pair.say("delegate: ask me");
        assert_eq!(pair.cards(), ["k8s_agent running", "ask_user pending"]);
        let answers = vec![vec!["MySQL".to_owned()], vec!["Auth".to_owned()], vec!["no".to_owned()]];
        pair.decide(1, Decision::Answer { answers });
        assert_eq!(pair.cards(), ["k8s_agent completed", "ask_user responded"]);
    });
}

#[test]
fn one_task_may_wait_several_times() {
    in_both_wires(|mut pair| {
        pair.say("delete and ask");
        pair.decide(0, Decision::approve());
        assert_eq!(pair.cards(), ["delete_file completed", "ask_user pending"]);
    });
}

#[test]
fn typed_text_ends_the_wait_and_the_host_is_told_so_before() {
    in_both_wires(|mut pair| {
        assert_eq!(pair.shell.advice(), []);
        pair.say("delete");
        assert_ne!(pair.shell.advice(), []);
        assert!(pair.shell.waiting().is_some());
        pair.say("wait");
        let expected = match pair.wire {
            Wire::Kagent010 => ["delete_file expired"],
            _ => ["delete_file superseded"],
        };
        assert_eq!(pair.cards(), expected);
        assert_eq!((pair.shell.advice(), pair.shell.waiting()), (Vec::new(), None));
    });
}

#[test]
fn words_after_a_decision_end_no_wait_while_it_is_on_its_way() {
    in_both_wires(|mut pair| {
        pair.say("delete");
        assert!(pair.shell.words_end_a_wait());
        pair.draft(0, Decision::approve());
        let outbound = pair.shell.take_outbound().pop().expect("a decision");
        assert!(!pair.shell.words_end_a_wait());
        pair.shell.delivered(outbound.id, pair.now);
        assert_eq!(pair.view(0).status, Status::Sent);
        assert_ne!(pair.shell.advice(), [], "the task has not gone on");
        assert!(!pair.shell.words_end_a_wait());
        pair.post(&outbound.body);
        assert_eq!(pair.cards(), ["delete_file completed"]);
    });
}

#[test]
fn a_second_page_loses_the_race_and_sees_who_won() {
    in_both_wires(|mut pair| {
        pair.say("delete");
        let mut other = pair.other_page();
        pair.decide(0, Decision::approve());
        draft(&mut other, 0, Decision::reject(None), NOW);
        let outbound = other.take_outbound().pop().expect("a decision");
        let refused = pair.agent.send(CONVERSATION, &outbound.body, NOW).expect("a result").concat();
        assert!(refused.contains("terminal state"), "{refused}");
        other.failed(outbound.id, Some(200), "is in terminal state".to_owned(), NOW);
        other.read_again(&pair.history(), NOW);
        assert!(matches!(other.views()[0].status, Status::Completed | Status::Conflict));
        assert_eq!(ran(&pair), ["delete_file"]);
    });
}

#[test]
fn what_is_said_is_the_same_after_a_reload() {
    in_both_wires(|mut pair| {
        pair.say(PROMPTS[0]);
        pair.decide(1, Decision::approve());
        pair.decide(2, Decision::approve());
        pair.say("hello");
        let reloaded = pair.other_page();
        assert_eq!(said(&reloaded), said(&pair.shell));
        assert_eq!(said(&reloaded).len(), 6, "{:?}", said(&reloaded));
    });
}

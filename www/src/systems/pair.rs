//! A person's page and the simulated agent behind it: what the round trips of all systems share.

use countersign_connect::Host;
use countersign_core::{Decision, Input, Millis, OutboundId, RequestView, Shown, Status};
use countersign_yew::Intent;

use super::{Agent, Wire, Words};
use crate::shell::Shell;

/// When a pair begins to talk.
pub(super) const NOW: Millis = Millis(1_795_190_359_000);
/// Larger than 2^53: who reads it as a double sees other digits.
pub(super) const BIG: &str = "2512292042121000001";
/// The one conversation of a pair.
pub(super) const CONVERSATION: &str = "c";

/// What a page's conversation does with its shell.
impl Shell {
    pub(super) fn receive(&mut self, text: &str, now: Millis) {
        let _ = self.handle(now, Input::Receive { text, rounded: false });
    }

    pub(super) fn restore(&mut self, text: &str, now: Millis) {
        let _ = self.handle(now, Input::Restore { text: text.into(), rounded: false });
    }

    pub(super) fn read_again(&mut self, text: &str, now: Millis) {
        let _ = self.refresh(now, text);
    }

    pub(super) fn delivered(&mut self, id: OutboundId, now: Millis) {
        let _ = self.handle(now, Input::Delivered(id));
    }

    pub(super) fn failed(&mut self, id: OutboundId, status: Option<u16>, message: String, now: Millis) {
        let _ = self.handle(now, Input::Failed { id, status, message: Some(message) });
    }
}

/// A person's page and the agent behind it.
pub(super) struct Pair {
    pub wire: Wire,
    pub agent: Box<dyn Agent>,
    pub shell: Shell,
    pub now: Millis,
    /// What a reload can know of a card that is shown as `tool status`.
    pub known: fn(&str) -> String,
    said: u32,
}

impl Pair {
    pub(super) fn new(wire: Wire) -> Pair {
        let shell = Shell::new(wire, "seed", Millis(0));
        let agent = wire.system().simulate(None, 1);
        Pair { wire, agent, shell, now: NOW, known: str::to_owned, said: 0 }
    }

    /// Sends a person's words like the page does, which tells what waits.
    pub(super) fn say(&mut self, text: &str) {
        self.said += 1;
        let (id, waiting) = (format!("u{}", self.said), self.shell.waiting());
        let (conversation, waiting) = (CONVERSATION, waiting.as_deref());
        let words = Words { id: &id, conversation, waiting, text, now: self.now };
        let message = self.wire.system().words(&words);
        self.post(&message);
    }

    /// Sends a message that the agent has to take, and shows the page what comes back.
    pub(super) fn post(&mut self, message: &str) {
        for text in self.agent.send(CONVERSATION, message, self.now).expect("it is taken") {
            self.shell.receive(&text, self.now);
            assert_eq!(self.shell.notice(), None, "{text}");
        }
    }

    /// Decides the card at this place, and sends what is due.
    pub(super) fn decide(&mut self, place: usize, decision: Decision) {
        self.draft(place, decision);
        assert_eq!(self.shell.notice(), None);
        self.send_due();
    }

    pub(super) fn draft(&mut self, place: usize, decision: Decision) {
        draft(&mut self.shell, place, decision, self.now);
    }

    pub(super) fn send_due(&mut self) {
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id, self.now);
            self.post(&outbound.body);
        }
    }

    /// Sends what is due to an agent that refuses it in the stream.
    pub(super) fn send_refused(&mut self) {
        for outbound in self.shell.take_outbound() {
            self.shell.delivered(outbound.id, self.now);
            let refused = self.agent.send(CONVERSATION, &outbound.body, self.now);
            let refused = refused.expect("a socket takes everything");
            refused.iter().for_each(|text| self.shell.receive(text, self.now));
        }
    }

    pub(super) fn view(&self, place: usize) -> RequestView {
        RequestView::clone(&self.shell.views()[place])
    }

    /// What a person can do about the card at this place, in order.
    pub(super) fn offers(&self, place: usize) -> Vec<&'static str> {
        self.view(place).offers.iter().map(|offer| offer.kind.as_str()).collect()
    }

    /// Who asks with the card at this place, from the outermost agent on.
    pub(super) fn asker(&self, place: usize) -> Vec<String> {
        self.view(place).agent.iter().map(ToString::to_string).collect()
    }

    /// The conversation, as the agent tells it.
    pub(super) fn history(&self) -> String {
        self.agent.history(CONVERSATION).expect("a conversation")
    }

    /// Another page with the same conversation.
    pub(super) fn other_page(&self) -> Shell {
        let mut other = Shell::new(self.wire, "other", Millis(0));
        other.restore(&self.history(), self.now);
        assert_eq!(other.notice(), None);
        other
    }

    /// The cards as `tool status`; a reload must show the same, as far as it can know.
    pub(super) fn cards(&self) -> Vec<String> {
        let live = lines(&self.shell);
        let known: Vec<String> = live.iter().map(|line| (self.known)(line)).collect();
        assert_eq!(known, lines(&self.other_page()), "a reload shows the same cards");
        live
    }

    /// What ran, as `tool arguments`.
    pub(super) fn executed(&self) -> Vec<String> {
        self.agent.executed().iter().map(|call| format!("{} {}", call.tool, call.args)).collect()
    }
}

/// Decides the card of a page at this place, with what it shows as seen.
pub(super) fn draft(shell: &mut Shell, place: usize, decision: Decision, now: Millis) {
    let view = shell.views()[place].clone();
    let intent = Intent::Decide { request: view.id.clone(), decision, seen: Shown::of(&view) };
    let _ = shell.act(intent, now);
}

/// The cards of a page as `tool status`.
pub(super) fn lines(shell: &Shell) -> Vec<String> {
    shell.views().iter().map(|view| format!("{} {}", view.tool, view.status.as_str())).collect()
}

/// What the agent said in a page.
pub(super) fn said(shell: &Shell) -> Vec<String> {
    let agent = shell.bubbles().iter().filter(|bubble| bubble.role.as_str() == "agent");
    agent.map(|bubble| bubble.text.clone()).collect()
}

pub(super) fn edit(args: &str) -> Decision {
    Decision::Edit { args: args.into(), note: None }
}

/// An approved call runs with the exact text that was shown, and not before.
pub(super) fn check_approval(mut pair: Pair) {
    pair.say(&format!("transfer amount=1250.00 reference={BIG}"));
    assert_eq!(pair.cards(), ["transfer_funds pending"]);
    let shown = pair.view(0).args_text;
    assert!(shown.contains("1250.00") && shown.contains(BIG), "{shown}");
    assert_eq!(pair.executed(), Vec::<String>::new());
    pair.decide(0, Decision::approve());
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    assert_eq!(pair.executed(), [format!("transfer_funds {shown}")]);
}

/// An edited call runs with the edited text, in which other numbers are left alone.
pub(super) fn check_edit(mut pair: Pair) {
    pair.say(&format!("transfer amount=1250.00 reference={BIG}"));
    let edited = pair.view(0).args_text.replace("1250.00", "7.50");
    pair.decide(0, edit(&edited));
    assert_eq!(pair.cards(), ["transfer_funds completed"]);
    assert_eq!(pair.executed(), [format!("transfer_funds {edited}")]);
    assert!(edited.contains(BIG));
}

/// A send that failed like this is repeated unchanged, and its call runs once.
pub(super) fn check_retry(mut pair: Pair, status: Option<u16>) {
    pair.say("delete");
    pair.draft(0, Decision::approve());
    let first = pair.shell.take_outbound().pop().expect("a decision");
    pair.shell.failed(first.id, status, "not available".to_owned(), NOW);
    assert_eq!((pair.view(0).status, pair.executed().len()), (Status::Drafted, 0));
    let request = pair.view(0).id;
    assert!(pair.shell.act(Intent::Retry(request), NOW).is_ok());
    let second = pair.shell.take_outbound().pop().expect("the decision again");
    assert_eq!(first.body, second.body);
    pair.shell.delivered(second.id, NOW);
    pair.post(&second.body);
    assert_eq!((pair.cards(), pair.executed().len()), (vec!["delete_file completed".to_owned()], 1));
}

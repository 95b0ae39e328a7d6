//! The inbox and the transcript of one conversation, and everything that happens to them.
//!
//! Pure but for the inbox's own rules: time comes in as an argument, what must be sent is taken out.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Advice, Decision, Inbox, InboxOptions, Input, Millis, Outbound, OutboundId, Output, Refusal, RequestView,
    Status,
};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_yew::Intent;

use crate::chat::transcript::{Bubble, Transcript};
use crate::systems::{System, Wire};

/// One conversation, as the page knows it.
pub struct Shell {
    system: Rc<dyn System>,
    inbox: Inbox,
    transcript: Transcript,
    views: Rc<[Rc<RequestView>]>,
    notice: Option<String>,
    wake: Option<Millis>,
}

impl Shell {
    /// An empty conversation. `seed` must be new each time; `hold` is how long a rejection can be undone.
    #[expect(clippy::expect_used, reason = "`auto` is an adapter of every build")]
    pub fn new(wire: Wire, seed: &str, hold: Millis) -> Shell {
        let options =
            InboxOptions { seed: Arc::from(seed), hold_rejections: hold, ..InboxOptions::default() };
        let inbox = Inbox::new(
            adapter("auto", &AdapterOptions::default()).expect("`auto` is an adapter of every build"),
            options,
        );
        Shell {
            system: wire.system(),
            inbox,
            transcript: Transcript::default(),
            views: Rc::from([]),
            notice: None,
            wake: None,
        }
    }

    /// All cards; a card that has not changed is the same allocation as before.
    #[must_use]
    pub fn views(&self) -> &Rc<[Rc<RequestView>]> {
        &self.views
    }

    /// What was said.
    #[must_use]
    pub fn bubbles(&self) -> &[Bubble] {
        self.transcript.bubbles()
    }

    /// What the host should know now.
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        self.inbox.advice()
    }

    /// What went wrong last, in one sentence.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// When [`Shell::tick`] is due.
    #[must_use]
    pub fn wake(&self) -> Option<Millis> {
        self.wake
    }

    /// The scope of what waits for a person: on some wires, typed text that names it ends the wait.
    #[must_use]
    pub fn waiting(&self) -> Option<String> {
        let open = |status: Status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
        let waiting = self.views.iter().rev().find(|view| open(view.status))?;
        Some(self.inbox.find(&waiting.id).ok()?.scope.as_str().to_owned())
    }

    /// Takes a live event.
    pub fn receive(&mut self, text: &str, now: Millis) {
        let hidden = self.handle(now, Input::Receive { text, rounded: false });
        self.transcript.add(self.system.bubbles(text, &hidden));
    }

    /// Takes the polled state of the whole conversation: what is known stays known.
    pub fn refresh(&mut self, text: &str, now: Millis) {
        let hidden = self.handle(now, Input::Receive { text, rounded: false });
        self.transcript.replace(self.system.bubbles(text, &hidden));
    }

    /// Rebuilds everything from history.
    pub fn restore(&mut self, text: &str, now: Millis) {
        let hidden = self.handle(now, Input::Restore { text, rounded: false });
        self.transcript.replace(self.system.bubbles(text, &hidden));
    }

    /// Shows what was said before, where the history leaves out the person's words.
    pub fn recall(&mut self, bubbles: Vec<Bubble>) {
        self.transcript.add(bubbles);
    }

    /// Shows what the person typed before the agent repeats it.
    pub fn say(&mut self, bubble: Bubble) {
        self.notice = None;
        self.transcript.add([bubble]);
    }

    /// Does what the person asked for in the inbox; a refusal becomes the notice.
    pub fn act(&mut self, intent: Intent, now: Millis) {
        self.notice = None;
        if let Err(refusal) = self.try_act(intent, now) {
            self.notice = Some(refusal_sentence(&refusal));
        }
    }

    /// Decides what the card of this scoped or bare id shows now.
    pub fn decide(&mut self, request: String, decision: Decision, now: Millis) {
        let is_bare = |view: &RequestView| view.request.as_ref().is_some_and(|id| id.as_str() == request);
        let view = self.views.iter().find(|view| view.id == request || is_bare(view));
        let seen = view.map_or_else(|| Arc::from(""), |view| Arc::clone(&view.args_digest));
        self.act(Intent::Decide { request, decision, seen }, now);
    }

    /// What must be sent now.
    pub fn take_outbound(&mut self) -> Vec<Outbound> {
        let outbound = self.inbox.take_outbound();
        if !outbound.is_empty() {
            self.draw();
        }
        outbound
    }

    /// A message has arrived at the agent.
    pub fn delivered(&mut self, id: OutboundId, now: Millis) {
        self.handle(now, Input::Delivered(id));
    }

    /// A message has not arrived at the agent.
    pub fn failed(&mut self, id: OutboundId, status: Option<u16>, message: String, now: Millis) {
        self.handle(now, Input::Failed { id, status, message: Some(message) });
    }

    /// Something else went wrong.
    pub fn complain(&mut self, sentence: String) {
        self.notice = Some(sentence);
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Millis) {
        self.handle(now, Input::Tick);
    }

    fn try_act(&mut self, intent: Intent, now: Millis) -> Result<(), Refusal> {
        let input = match intent {
            Intent::Decide { request, decision, seen } => {
                Input::Decide { request: self.inbox.find(&request)?, decision, seen: Some(seen) }
            }
            Intent::DecideAll { requests, decision } => self.decide_all(&requests, decision)?,
            Intent::Undo(request) => Input::Undo(self.inbox.find(&request)?),
            Intent::Retry(request) => Input::Retry(self.inbox.find(&request)?),
        };
        let outputs = self.inbox.handle(now, input)?;
        self.take(outputs);
        Ok(())
    }

    fn decide_all(
        &self,
        requests: &[(String, Arc<str>)],
        decision: Decision,
    ) -> Result<Input<'static>, Refusal> {
        let found = requests.iter().map(|(id, seen)| Ok((self.inbox.find(id)?, Some(Arc::clone(seen)))));
        Ok(Input::DecideAll { requests: found.collect::<Result<_, Refusal>>()?, decision })
    }

    /// Hands over an input that no person gave, and returns the flags of its messages.
    fn handle(&mut self, now: Millis, input: Input<'_>) -> Vec<bool> {
        match self.inbox.handle(now, input) {
            Ok(outputs) => self.take(outputs),
            Err(refusal) => {
                self.notice = Some(refusal_sentence(&refusal));
                Vec::new()
            }
        }
    }

    fn take(&mut self, outputs: Vec<Output>) -> Vec<bool> {
        let mut hidden = Vec::new();
        self.wake = None;
        for output in outputs {
            match output {
                Output::Hidden(flag) => hidden.push(flag),
                Output::Problem(problem) => self.notice = Some(problem.message),
                Output::Refused(refusal) => self.notice = Some(refusal_sentence(&refusal)),
                Output::WakeAt(moment) => self.wake = Some(moment),
                Output::Changed(_) | Output::Ready | Output::Say(_) => {}
            }
        }
        self.draw();
        hidden
    }

    fn draw(&mut self) {
        let before = Rc::clone(&self.views);
        let same =
            |view: &RequestView| before.iter().find(|it| it.key == view.key && ***it == *view).map(Rc::clone);
        self.views =
            self.inbox.views().into_iter().map(|view| same(&view).unwrap_or_else(|| Rc::new(view))).collect();
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inbox.fmt(f)
    }
}

fn refusal_sentence(refusal: &Refusal) -> String {
    match refusal.help() {
        Some(help) => format!("{refusal}: {help}"),
        None => refusal.to_string(),
    }
}

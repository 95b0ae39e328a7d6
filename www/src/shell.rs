//! The inbox and the transcript of one conversation, and everything that happens to them.
//!
//! Pure but for the inbox's own rules: time comes in as an argument, what must be sent is taken out.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    Advice, Decision, GrantView, GrantWish, Inbox, InboxOptions, Input, Millis, Outbound, OutboundId, Output,
    Refusal, RequestView, Shown, Status,
};
use countersign_policy::{Grant, GrantKeeper, Rulebook, Seen, draft};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_yew::{EditRisk, Granting, Intent, Refused};
use yew::Callback;

use crate::care;
use crate::chat::transcript::{Bubble, Transcript};
use crate::systems::{System, Wire};

/// One conversation, as the page knows it.
pub struct Shell {
    system: Rc<dyn System>,
    inbox: Rc<RefCell<Inbox>>,
    keeper: GrantKeeper,
    granting: Option<Granting>,
    edit_risk: EditRisk,
    transcript: Transcript,
    views: Rc<[Rc<RequestView>]>,
    notice: Option<String>,
    refused: Option<Rc<Refused>>,
    wake: Option<Millis>,
}

impl Shell {
    /// An empty conversation. `seed` must be new each time; `hold` is how long a rejection can be undone.
    #[expect(clippy::expect_used, reason = "`auto` is an adapter of every build")]
    pub fn new(wire: Wire, seed: &str, hold: Millis) -> Shell {
        let options = InboxOptions {
            seed: Arc::from(seed),
            hold_rejections: hold,
            risk: care::rules(),
            ..InboxOptions::default()
        };
        let inbox = Inbox::new(
            adapter("auto", &AdapterOptions::default()).expect("`auto` is an adapter of every build"),
            options,
        );
        let inbox = Rc::new(RefCell::new(inbox));
        let known = Rc::clone(&inbox);
        let edit_risk = Callback::from(move |(id, edited): (String, Arc<str>)| {
            let inbox = known.try_borrow().ok()?;
            inbox.edit_risk(&inbox.find(&id).ok()?, &edited)
        });
        Shell {
            system: wire.system(),
            inbox,
            edit_risk,
            keeper: GrantKeeper::default(),
            granting: None,
            transcript: Transcript::default(),
            views: Rc::from([]),
            notice: None,
            refused: None,
            wake: None,
        }
    }

    /// Lets people allow more than one call. `grants` is what they have allowed before, as JSON text; one that cannot be
    /// read counts as none.
    #[must_use]
    pub fn with_grants(mut self, grants: &str, clock: fn() -> Millis) -> Shell {
        let mut inbox = self.inbox.borrow_mut();
        if self.keeper.set_grants(&mut inbox, grants).is_err() {
            // What was kept cannot be read: nothing is permitted by it.
            let _ = self.keeper.set_grants(&mut inbox, "[]");
        }
        drop(inbox);
        let inbox = Rc::clone(&self.inbox);
        let draft = Callback::from(move |wish: GrantWish| draft(&*inbox.try_borrow().ok()?, &wish, clock()));
        self.granting = Some(Granting { draft, grants: Rc::from([]), lasting: false });
        self.list_grants(clock());
        self
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
        self.inbox.borrow().advice()
    }

    /// What went wrong last, in one sentence.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The last act of a person that the inbox did not take.
    #[must_use]
    pub fn refused(&self) -> Option<Rc<Refused>> {
        self.refused.clone()
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
        Some(self.inbox.borrow().find(&waiting.id).ok()?.scope.as_str().to_owned())
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
        let hidden = self.handle(now, Input::Restore { text: text.into(), rounded: false });
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
        (self.notice, self.refused) = (None, None);
        let request = match &intent {
            Intent::Decide { request, .. } => Some(request.clone()),
            _ => None,
        };
        if let Err(refusal) = self.try_act(intent, now) {
            let (code, message) = (Some(refusal.code()), refusal_sentence(&refusal));
            self.notice = Some(message.clone());
            self.refused =
                request.map(|request| Rc::new(Refused { request, code, message, more_time: false }));
        }
    }

    /// Decides what the card of this scoped or bare id shows now.
    pub fn decide(&mut self, request: String, decision: Decision, now: Millis) {
        let is_bare = |view: &RequestView| view.request.as_ref().is_some_and(|id| id.as_str() == request);
        let view = self.views.iter().find(|view| view.id == request || is_bare(view));
        let nothing = || Shown { digest: Some(Arc::from("")), tool: None };
        let seen = view.map_or_else(nothing, |view| Shown::of(view));
        self.act(Intent::Decide { request, decision, seen }, now);
    }

    /// What must be sent now.
    pub fn take_outbound(&mut self) -> Vec<Outbound> {
        let outbound = self.inbox.borrow_mut().take_outbound();
        if !outbound.is_empty() {
            self.draw();
        }
        outbound
    }

    /// Whether this message is still to be sent: what it answers is neither settled nor another call by now.
    #[must_use]
    pub fn is_sending(&self, id: &OutboundId) -> bool {
        let views = self.views.iter().filter(|it| it.outbound.as_ref().is_some_and(|it| it.id == *id));
        let mut count = 0;
        let all = views.inspect(|_| count += 1).all(|it| it.status == Status::Sending && !it.changed);
        count > 0 && all
    }

    /// A message has arrived at the agent.
    pub fn delivered(&mut self, id: OutboundId, now: Millis) {
        // What came of it may have said so already.
        let outputs = self.keeper.handle(&mut self.inbox.borrow_mut(), now, Input::Delivered(id));
        if let Ok(outputs) = outputs {
            self.take(outputs);
        }
    }

    /// A message has not arrived at the agent.
    pub fn failed(&mut self, id: OutboundId, status: Option<u16>, message: String, now: Millis) {
        self.handle(now, Input::Failed { id, status, message: Some(message) });
    }

    /// A message that counted as delivered may not have arrived at the agent.
    pub fn lost(&mut self, id: OutboundId, message: String, now: Millis) {
        // What came since may have said that it did.
        let outputs = self.keeper.handle(&mut self.inbox.borrow_mut(), now, Input::Lost { id, message });
        if let Ok(outputs) = outputs {
            self.take(outputs);
        }
    }

    /// Something else went wrong.
    pub fn complain(&mut self, sentence: String) {
        self.notice = Some(sentence);
    }

    /// Nobody looks any more.
    pub fn leave(&mut self, now: Millis) {
        self.handle(now, Input::Leave);
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Millis) {
        self.handle(now, Input::Tick);
    }

    fn try_act(&mut self, intent: Intent, now: Millis) -> Result<(), Refusal> {
        let input = match intent {
            Intent::Decide { request, decision, seen } => {
                let request = self.inbox.borrow().find(&request)?;
                Input::Decide { request, decision, seen: Some(seen), offer: None }
            }
            Intent::DecideAll { requests, decision } => self.decide_all(&requests, decision)?,
            Intent::Undo(request) => Input::Undo(self.inbox.borrow().find(&request)?),
            Intent::Retry(request) => Input::Retry(self.inbox.borrow().find(&request)?),
            Intent::Grant { request, seen, grant, siblings } => {
                return self.grant(request, seen, &grant, &siblings, now);
            }
            Intent::Revoke(id) => {
                let outputs = self.keeper.revoke(&mut self.inbox.borrow_mut(), &id, now);
                self.take(outputs.unwrap_or_default());
                self.list_grants(now);
                return Ok(());
            }
            Intent::Export | Intent::Extend(_) => return Ok(()),
            Intent::Refused(refusal) => return Err(refusal),
        };
        let outputs = self.keeper.handle(&mut self.inbox.borrow_mut(), now, input)?;
        self.take(outputs);
        // Who takes a decision back takes back the grant that came with it.
        self.list_grants(now);
        Ok(())
    }

    /// How much care a call needs with edited arguments.
    #[must_use]
    pub fn edit_risk(&self) -> EditRisk {
        self.edit_risk.clone()
    }

    /// What people may allow for longer than one call, and what they have allowed.
    #[must_use]
    pub fn granting(&self) -> Option<Granting> {
        self.granting.clone()
    }

    /// What people have allowed, as JSON text.
    #[must_use]
    pub fn grants(&self) -> String {
        self.inbox.borrow().policy::<Rulebook>().map(|book| book.grants.write()).unwrap_or_default()
    }

    /// Everything that was decided and sent, as JSON Lines.
    #[must_use]
    pub fn record(&self) -> String {
        self.inbox.borrow().audit().to_json_lines().to_owned()
    }

    /// A person confirmed a grant: its call is approved, and what was named with it is judged again.
    fn grant(
        &mut self,
        request: String,
        seen: Shown,
        grant: &str,
        siblings: &[Seen],
        now: Millis,
    ) -> Result<(), Refusal> {
        let Ok(grant) = Grant::read_text(grant) else { return Ok(()) };
        let mut inbox = self.inbox.borrow_mut();
        let outputs = self.keeper.grant(&mut inbox, now, (request, seen), grant, siblings)?;
        drop(inbox);
        self.take(outputs);
        self.list_grants(now);
        Ok(())
    }

    /// Draws the grants anew where they look different.
    fn list_grants(&mut self, now: Millis) {
        let inbox = self.inbox.borrow();
        let list = inbox.policy::<Rulebook>().map(|book| book.grants.list()).unwrap_or_default();
        let views: Vec<GrantView> = list.iter().map(|grant| grant.view(now)).collect();
        if let Some(granting) = self.granting.as_mut().filter(|granting| *granting.grants != *views) {
            granting.grants = views.into();
        }
    }

    fn decide_all(
        &self,
        requests: &[(String, Shown)],
        decision: Decision,
    ) -> Result<Input<'static>, Refusal> {
        let found = requests.iter().map(|(id, seen)| Ok((self.inbox.borrow().find(id)?, Some(seen.clone()))));
        Ok(Input::DecideAll { requests: found.collect::<Result<_, Refusal>>()?, decision, offer: None })
    }

    /// Hands over an input that no person gave, and returns the flags of its messages.
    fn handle(&mut self, now: Millis, input: Input<'_>) -> Vec<bool> {
        let outputs = self.keeper.handle(&mut self.inbox.borrow_mut(), now, input);
        match outputs {
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
                Output::Changed(_) | Output::Recounted(_) | Output::Ready | Output::Say(_) => {}
            }
        }
        self.draw();
        hidden
    }

    fn draw(&mut self) {
        let before = Rc::clone(&self.views);
        let same =
            |view: &RequestView| before.iter().find(|it| it.key == view.key && ***it == *view).map(Rc::clone);
        self.views = self
            .inbox
            .borrow()
            .views()
            .into_iter()
            .map(|view| same(&view).unwrap_or_else(|| Rc::new(view)))
            .collect();
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inbox.borrow().fmt(f)
    }
}

fn refusal_sentence(refusal: &Refusal) -> String {
    match refusal.help() {
        Some(help) => format!("{refusal}: {help}"),
        None => refusal.to_string(),
    }
}

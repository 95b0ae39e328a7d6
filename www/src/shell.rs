//! The inbox and the transcript of one conversation, and everything that happens to them.
//!
//! Pure but for the inbox's own rules: time comes in as an argument.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use countersign_connect::Host;
use countersign_core::{
    Advice, Decision, GrantDraft, GrantView, GrantWish, Inbox, InboxOptions, Input, Millis, Outbound, Output,
    Refusal, RequestView, RiskView, Shown, Status,
};
use countersign_policy::{Grant, GrantKeeper, Rulebook, Seen};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_yew::{Intent, Refused};

use crate::care;
use crate::chat::transcript::{Bubble, Transcript};
use crate::systems::{System, Wire};

/// One conversation, as the page knows it.
pub struct Shell {
    system: Rc<dyn System>,
    inbox: Inbox,
    keeper: GrantKeeper,
    grants: Rc<[GrantView]>,
    transcript: Transcript,
    views: Rc<[Rc<RequestView>]>,
    notice: Option<String>,
    refused: Option<Rc<Refused>>,
}

impl Shell {
    /// An empty conversation. `seed` must be new each time; `hold` is how long a rejection can be undone.
    #[expect(clippy::expect_used, reason = "`auto` is an adapter of every build")]
    pub fn new(wire: Wire, seed: &str, hold: Millis) -> Shell {
        let options = InboxOptions { hold_rejections: hold, risk: care::rules(), ..InboxOptions::new(seed) };
        let inbox = Inbox::new(
            adapter("auto", &AdapterOptions::default()).expect("`auto` is an adapter of every build"),
            options,
        );
        Shell {
            system: wire.system(),
            inbox,
            keeper: GrantKeeper::default(),
            grants: Rc::from([]),
            transcript: Transcript::default(),
            views: Rc::from([]),
            notice: None,
            refused: None,
        }
    }

    /// Lets people allow more than one call. `grants` is what they have allowed before, as JSON text; one that cannot be
    /// read counts as none.
    #[must_use]
    pub fn with_grants(mut self, grants: &str, now: Millis) -> Shell {
        if self.keeper.set_grants(&mut self.inbox, grants).is_err() {
            // What was kept cannot be read: nothing is permitted by it.
            let _ = self.keeper.set_grants(&mut self.inbox, "[]");
        }
        self.list_grants(now);
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
        self.inbox.advice()
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

    /// The scope of what waits for a person: on some wires, typed text that names it ends the wait.
    #[must_use]
    pub fn waiting(&self) -> Option<String> {
        let open = |status: Status| matches!(status, Status::Pending | Status::Drafted | Status::Blocked);
        let waiting = self.views.iter().rev().find(|view| open(view.status))?;
        Some(self.inbox.find(&waiting.id).ok()?.scope.as_str().to_owned())
    }

    /// Whether words that a person types now end a wait: something is asked of the person, and the wire has no room for both.
    ///
    /// An answer on its way goes first, and the words after it.
    #[must_use]
    pub fn words_end_a_wait(&self) -> bool {
        !self.advice().is_empty() && self.waiting().is_some()
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

    /// Does what the person asked for in the inbox.
    ///
    /// # Errors
    /// The inbox refused; that becomes the notice, and is said at the card.
    pub fn act(&mut self, intent: Intent, now: Millis) -> Result<Vec<Output>, Refusal> {
        (self.notice, self.refused) = (None, None);
        let request = match &intent {
            Intent::Decide { request, .. } => Some(request.clone()),
            _ => None,
        };
        let outputs = self.try_act(intent, now);
        match &outputs {
            Ok(outputs) => {
                self.take(outputs);
                // Who takes a decision back takes back the grant that came with it.
                self.list_grants(now);
            }
            Err(refusal) => {
                let (code, message) = (Some(refusal.code()), refusal_sentence(refusal));
                self.notice = Some(message.clone());
                self.refused =
                    request.map(|request| Rc::new(Refused { request, code, message, more_time: false }));
            }
        }
        outputs
    }

    /// Decides what the card of this scoped or bare id shows now.
    ///
    /// # Errors
    /// The inbox refused.
    pub fn decide(
        &mut self,
        request: String,
        decision: Decision,
        now: Millis,
    ) -> Result<Vec<Output>, Refusal> {
        let is_bare = |view: &RequestView| view.request.as_ref().is_some_and(|id| id.as_str() == request);
        let view = self.views.iter().find(|view| view.id == request || is_bare(view));
        let nothing = || Shown { digest: Some(Arc::from("")), tool: None };
        let seen = view.map_or_else(nothing, |view| Shown::of(view));
        self.act(Intent::Decide { request, decision, seen }, now)
    }

    /// How much care a call needs with these arguments.
    #[must_use]
    pub fn edit_risk(&self, id: &str, edited: &str) -> Option<RiskView> {
        self.inbox.edit_risk(&self.inbox.find(id).ok()?, edited)
    }

    /// What a person would allow by this, as it would be kept.
    #[must_use]
    pub fn draft(&self, wish: &GrantWish, now: Millis) -> Option<GrantDraft> {
        self.keeper.draft(&self.inbox, wish, now)
    }

    /// What people have allowed, oldest first.
    #[must_use]
    pub fn granted(&self) -> Rc<[GrantView]> {
        Rc::clone(&self.grants)
    }

    /// What people have allowed, as JSON text.
    #[must_use]
    pub fn grants(&self) -> String {
        self.inbox.policy::<Rulebook>().map(|book| book.grants.write()).unwrap_or_default()
    }

    /// Everything that was decided and sent, as JSON Lines.
    #[must_use]
    pub fn record(&self) -> String {
        self.inbox.audit().to_json_lines().to_owned()
    }

    fn try_act(&mut self, intent: Intent, now: Millis) -> Result<Vec<Output>, Refusal> {
        match intent {
            Intent::Grant { request, seen, grant, siblings } => {
                self.grant((request, seen), &grant, &siblings, now)
            }
            Intent::Revoke(id) => Ok(self.keeper.revoke(&mut self.inbox, &id, now).unwrap_or_default()),
            other => {
                other.act(&mut self.inbox, now, |inbox, now, input| self.keeper.handle(inbox, now, input))
            }
        }
    }

    /// A person confirmed a grant: its call is approved, and what was named with it is judged again.
    fn grant(
        &mut self,
        call: Seen,
        grant: &str,
        siblings: &[Seen],
        now: Millis,
    ) -> Result<Vec<Output>, Refusal> {
        let Ok(grant) = Grant::read_text(grant) else { return Ok(Vec::new()) };
        self.keeper.grant(&mut self.inbox, now, call, grant, siblings)
    }

    /// Draws the grants anew where they look different.
    fn list_grants(&mut self, now: Millis) {
        let list = self.inbox.policy::<Rulebook>().map(|book| book.grants.list()).unwrap_or_default();
        let now = self.inbox.steady_at(now);
        let views: Vec<GrantView> = list.iter().map(|grant| grant.view(now)).collect();
        if *self.grants != *views {
            self.grants = views.into();
        }
    }

    /// Takes an input, and hears a text in it with the flags of its messages.
    fn hear(
        &mut self,
        now: Millis,
        input: Input<'_>,
        hear: impl FnOnce(&mut Shell, &[bool]),
    ) -> Result<Vec<Output>, Refusal> {
        let outputs = self.keeper.handle(&mut self.inbox, now, input)?;
        let hidden = self.take(&outputs);
        hear(self, &hidden);
        Ok(outputs)
    }

    /// Draws what the inbox said, and returns the flags of messages in it.
    fn take(&mut self, outputs: &[Output]) -> Vec<bool> {
        let mut hidden = Vec::new();
        for output in outputs {
            match output {
                Output::Hidden(flag) => hidden.push(*flag),
                Output::Problem(problem) => self.notice = Some(problem.message.clone()),
                Output::Refused(refusal) => self.notice = Some(refusal_sentence(refusal)),
                _ => {}
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

impl Host for Shell {
    fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    fn inbox_mut(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        match input {
            Input::Receive { text, .. } => self.hear(now, input, |shell, hidden| {
                shell.transcript.add(shell.system.bubbles(text, hidden));
            }),
            Input::Restore { text, rounded } => {
                let known = text.clone();
                self.hear(now, Input::Restore { text, rounded }, |shell, hidden| {
                    shell.transcript.replace(shell.system.bubbles(&known, hidden));
                })
            }
            _ => self.hear(now, input, |_, _| {}),
        }
    }

    fn refresh(&mut self, now: Millis, text: &str) -> Result<Vec<Output>, Refusal> {
        self.hear(now, Input::Receive { text, rounded: false }, |shell, hidden| {
            shell.transcript.replace(shell.system.bubbles(text, hidden));
        })
    }

    fn take_outbound(&mut self) -> Vec<Outbound> {
        let outbound = self.inbox.take_outbound();
        if !outbound.is_empty() {
            self.draw();
        }
        outbound
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.inbox, f)
    }
}

fn refusal_sentence(refusal: &Refusal) -> String {
    match refusal.help() {
        Some(help) => format!("{refusal}: {help}"),
        None => refusal.to_string(),
    }
}

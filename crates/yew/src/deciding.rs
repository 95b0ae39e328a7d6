//! What a card and the bar over several cards have in common: an approval that arms, and a refusal that may take words.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, RequestView, Words};
use yew::Callback;

use crate::arming::{Guard, Safety, Seal};
use crate::edit::Editing;
use crate::intent::Refused;
use crate::piece::{Act, Stage};
use crate::question_form::Entered;

/// What is remembered from the first glance to the decision.
#[derive(Default)]
pub(crate) struct Deciding {
    safety: Safety,
    /// What the button that approves remembers.
    pub(crate) approval: Guard,
    /// What must be confirmed a second time.
    confirming: RefCell<Option<(Seal, Decision)>>,
    /// What the button that confirms remembers.
    pub(crate) confirmation: Guard,
    /// What words are asked for, and what they are for.
    asking: RefCell<Option<(Seal, Asking)>>,
    /// The form for the words was closed, and the focus goes back to the button that had opened it.
    returning: Cell<Option<Asking>>,
    /// The call, and what was said for it, where no panel keeps it.
    said: RefCell<(u32, Rc<Said>)>,
    /// The draft of other arguments, where no panel gives it.
    pub(crate) editing: RefCell<Rc<Editing>>,
    /// Hears that a person has left the draft, here or elsewhere.
    pub(crate) ear: OnceCell<Rc<Callback<()>>>,
    /// The focus was within when it was drawn.
    focused: Cell<bool>,
    /// The last refusal.
    refusal: RefCell<Option<Rc<Refused>>>,
}

/// What a person has said for a call and may still send: it outlives its form, which one key closes.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The arguments, by their digest, and the tool for which words were begun.
    pub(crate) call: RefCell<Option<(Arc<str>, Arc<str>)>>,
    pub(crate) reason: RefCell<String>,
    pub(crate) reply: RefCell<String>,
    /// Under what the words are kept, once it was looked there.
    pub(crate) place: RefCell<Option<String>>,
    /// What was picked or typed for each question.
    pub(crate) answers: RefCell<Entered>,
}

impl Said {
    /// Words that were begun for the call as it was before are no words for this one.
    pub(crate) fn turn_to(&self, view: &RequestView) {
        let call = (&view.args_digest, &view.tool);
        let before = self.call.replace(Some((Arc::clone(call.0), Arc::clone(call.1))));
        if before.is_some_and(|(args, tool)| (&args, &tool) != call) {
            self.reason.take();
            self.reply.take();
            self.place.take();
        }
    }

    /// What was typed of the words that are asked for, verbatim.
    pub(crate) fn words(&self, asking: Asking) -> &RefCell<String> {
        if asking == Asking::Response { &self.reply } else { &self.reason }
    }
}

/// What was said for calls, by their keys.
#[derive(Debug, Default)]
pub(crate) struct Sayings(RefCell<Vec<(u32, Rc<Said>)>>);

impl Sayings {
    /// What was said for the call with this key.
    pub(crate) fn of(&self, key: u32) -> Rc<Said> {
        let mut known = self.0.borrow_mut();
        if let Some((_, said)) = known.iter().find(|(other, _)| *other == key) {
            return Rc::clone(said);
        }
        let said: Rc<Said> = Rc::default();
        known.push((key, Rc::clone(&said)));
        said
    }

    /// Forgets what was said for others than these calls.
    pub(crate) fn keep(&self, is_known: impl Fn(u32) -> bool) {
        self.0.borrow_mut().retain(|(key, _)| is_known(*key));
    }
}

/// What words are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Why it is rejected.
    Reason,
    /// What the agent gets instead of a result.
    Response,
    /// What is to be allowed from now on.
    Grant,
    /// Whether it may really run.
    Consent,
    /// With which other arguments it runs.
    Edit,
    /// Whether the whole run is to be ended.
    End,
}

impl Asking {
    /// The button that opened it; `reason` is that for a reason.
    fn opener(self, reason: &str) -> &str {
        match self {
            Asking::Reason => reason,
            Asking::Response => "[part=respond-button]",
            Asking::Grant => "[part=always-button]",
            Asking::Consent => "[part=approve-button]",
            Asking::Edit => "[part=edit-button]",
            Asking::End => "[part=end-button]",
        }
    }
}

impl Deciding {
    /// Asks a second time before this decision is reported.
    pub(crate) fn confirm(&self, seal: &Seal, decision: Decision) {
        self.confirming.replace(Some((seal.clone(), decision)));
    }

    /// The decision that must be confirmed, if one must.
    pub(crate) fn confirms(&self, seal: &Seal) -> Option<Decision> {
        self.confirming
            .borrow()
            .as_ref()
            .filter(|(asked, _)| asked == seal)
            .map(|(_, decision)| decision.clone())
    }

    /// What is asked for, if anything is.
    pub(crate) fn asks(&self, seal: &Seal) -> Option<Asking> {
        self.asking.borrow().as_ref().filter(|(asked, _)| asked == seal).map(|(_, asking)| *asking)
    }

    /// What is asked for goes on where nothing but a schema has come to the call: nobody is thrown out of what they type.
    ///
    /// What is to be allowed from now on is another thing then.
    pub(crate) fn follow(&self, seal: &Seal) {
        if let Some((asked, Asking::Edit | Asking::Reason | Asking::Response)) =
            &mut *self.asking.borrow_mut()
            && asked.gains_schema(seal)
        {
            *asked = seal.clone();
        }
    }

    /// What was said for this call, and not for the one before.
    pub(crate) fn said(&self, key: u32) -> Rc<Said> {
        let mut said = self.said.borrow_mut();
        if said.0 != key {
            *said = (key, Rc::default());
        }
        Rc::clone(&said.1)
    }

    /// Whether an act may be reported: once for each seal.
    pub(crate) fn take(&self, seal: &Seal) -> bool {
        self.safety.take(seal)
    }

    /// Takes up the last refusal: after a new one, the next act need not wait.
    pub(crate) fn hear(&self, refusal: Option<&Rc<Refused>>) {
        let known = self.refusal.replace(refusal.cloned());
        let is_new = refusal.is_some_and(|new| !known.is_some_and(|known| Rc::ptr_eq(&known, new)));
        if is_new {
            self.safety.release();
        }
    }

    /// Notes whether the focus is within, before anything is drawn anew.
    pub(crate) fn draws(&self, stage: &Stage) {
        self.focused.set(stage.find(Some(":focus")).is_some());
    }

    /// What follows when the piece stands in the document. `opener` names the button that opens the reason.
    pub(crate) fn drawn(&self, seal: &Seal, delay: u32, stage: &Rc<Stage>, opener: &str) {
        // The buttons that approve arm later than this and draw themselves.
        self.safety.watch(seal, delay, Callback::noop);
        let open = self.asks(seal).filter(|_| stage.find(Some("dialog, [part=reason]")).is_some());
        if let Some(asking) = self.returning.take() {
            // The second question was about an edit, which is open still.
            let edits = open == Some(Asking::Edit);
            stage.focus(Some(if edits { "[part=send-edit-button]" } else { asking.opener(opener) }));
        } else if open.is_none() {
            // News closed what was open: it must not open again by itself.
            self.asking.take();
        }
        // Nor may what they take away take the focus along.
        if self.focused.take() {
            stage.catch_focus(None);
        }
    }

    /// Takes up an act; the decision that is to be reported, and whether something is to be drawn again.
    ///
    /// `words` is what becomes of the reason for a rejection.
    pub(crate) fn act(&self, seal: &Seal, words: Words, act: &Act) -> (Option<Decision>, bool) {
        let decision = match act {
            Act::Decide(decision) => decision.clone(),
            Act::Reject if words == Words::None => Decision::reject(None),
            Act::Reject | Act::Respond | Act::Edit | Act::End | Act::Grant => {
                let asking = match act {
                    Act::Respond => Asking::Response,
                    Act::Grant => Asking::Grant,
                    Act::Edit => Asking::Edit,
                    Act::End => Asking::End,
                    _ => Asking::Reason,
                };
                self.asking.replace(Some((seal.clone(), asking)));
                return (None, true);
            }
            Act::Cancel => {
                // What lies behind the second question stays open.
                let asked = match self.confirming.take() {
                    Some(_) => Some(Asking::Consent),
                    None => self.asking.take().map(|(_, asking)| asking),
                };
                self.returning.set(asked);
                return (None, true);
            }
            Act::Confirm => match self.confirms(seal) {
                Some(decision) => {
                    self.confirming.take();
                    self.returning.set(Some(Asking::Consent));
                    decision
                }
                None => return (None, true),
            },
            _ => return (None, false),
        };
        let may = !decision.kind().runs() || self.safety.is_armed(seal);
        let free = may && self.safety.take(seal);
        (free.then_some(decision), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    #[test]
    fn r03_words_that_were_begun_for_a_call_are_dropped_where_it_becomes_another_one() {
        let view = call(1, "pay", r#"{"amount":1}"#);
        let described = RequestView { args_schema: Some("{}".into()), ..view.clone() };
        let named = RequestView { tool: "drop_table".into(), ..view.clone() };
        let changed = RequestView { args_digest: "other".into(), ..view.clone() };
        for (after, is_kept) in [(&view, true), (&described, true), (&named, false), (&changed, false)] {
            let said = Said::default();
            said.turn_to(&view);
            for asking in [Asking::Reason, Asking::Response] {
                said.words(asking).replace("words".to_owned());
            }
            said.turn_to(after);
            for asking in [Asking::Reason, Asking::Response] {
                assert_eq!(!said.words(asking).borrow().is_empty(), is_kept, "{asking:?}");
            }
        }
    }

    #[test]
    fn r47_a_schema_that_arrives_throws_nobody_out_of_what_they_type() {
        let view = call(1, "pay", r#"{"amount":1}"#);
        let schema = Some(r#"{"properties":{}}"#.into());
        let described = countersign_core::RequestView { args_schema: schema, ..view.clone() };
        let other = countersign_core::RequestView { args_digest: "other".into(), ..described.clone() };
        let (before, after) = (Seal::of(&view), Seal::of(&described));
        for (act, goes_on) in [
            (Act::Edit, true),
            (Act::Reject, true),
            (Act::Respond, true),
            (Act::Grant, false),
            (Act::End, false),
        ] {
            let deciding = Deciding::default();
            deciding.act(&before, Words::Sent, &act);
            let asked = deciding.asks(&before);
            assert!(asked.is_some());
            deciding.follow(&Seal::of(&other));
            assert_eq!(deciding.asks(&before), asked, "other arguments are another call");
            deciding.follow(&after);
            assert_eq!(deciding.asks(&after), asked.filter(|_| goes_on));
            deciding.follow(&before);
            assert_eq!(
                deciding.asks(&before),
                asked.filter(|_| !goes_on),
                "a schema that goes is another call"
            );
        }
    }
}

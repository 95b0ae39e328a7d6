//! What a person asked for.

use std::sync::Arc;

use countersign_core::{Decision, Inbox, Input, Millis, Output, Refusal, RefusalCode, RequestRef, Shown};

/// What a person asked for by pressing something.
///
/// The components report it and forget it; the inbox judges it, and the next views show what came of it.
///
/// # Shape
/// `request` is the scoped id, [`RequestView::id`](countersign_core::RequestView::id); `seen` is what was on screen of the
/// call when the person acted: its tool, and the digest of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Decide one request.
    Decide {
        /// The request's scoped id.
        request: String,
        /// What was decided.
        decision: Decision,
        /// What was on screen.
        seen: Shown,
    },
    /// Decide several requests with the same words.
    DecideAll {
        /// Each request's scoped id, with what was on screen of it.
        requests: Vec<(String, Shown)>,
        /// What was decided for each.
        decision: Decision,
    },
    /// Take back a decision that was not sent yet; the request's scoped id.
    Undo(String),
    /// Send again what could not be delivered; the request's scoped id.
    Retry(String),
    /// Approve one request, keep a grant, and let it approve other requests that were named with it.
    Grant {
        /// The request's scoped id.
        request: String,
        /// What was on screen.
        seen: Shown,
        /// The grant that was on screen, literally: its JSON text.
        grant: Arc<str>,
        /// Each other request's scoped id, with what was on screen of it.
        siblings: Vec<(String, Shown)>,
    },
    /// Take a grant back; its id.
    Revoke(String),
    /// Ask the agent to wait longer; the request's scoped id.
    Extend(String),
    /// Save the record of all decisions.
    Export,
    /// Nothing: the interface itself refused an act, for the host to know.
    Refused(Refusal),
}

impl Intent {
    /// Lets an inbox judge it: `handle` hands over the input, be it [`Inbox::handle`] or what a page keeps around an inbox. What
    /// takes more than an inbox does nothing here, and only a page that offers it hears of it: a grant and its end, more time,
    /// the record.
    ///
    /// Of several requests those that are refused are told as [`Output::Refused`], and the others are decided.
    ///
    /// # Errors
    /// A [`Refusal`] of the inbox, which is in its audit log, or of the interface itself.
    pub fn act(
        self,
        inbox: &mut Inbox,
        now: Millis,
        handle: impl FnOnce(&mut Inbox, Millis, Input<'_>) -> Result<Vec<Output>, Refusal>,
    ) -> Result<Vec<Output>, Refusal> {
        let (input, refused) = self.input(inbox, now);
        match (input, refused.into_iter()) {
            (Some(input), refused) => {
                let outputs = handle(inbox, now, input)?;
                Ok(refused.map(Output::Refused).chain(outputs).collect())
            }
            (None, mut refused) => refused.next().map_or_else(|| Ok(Vec::new()), Err),
        }
    }

    /// The input by which an inbox judges it, and what is refused before that: a request that the inbox does not have, which is
    /// on its record then if it was to be decided, and an act that the interface itself refused.
    pub fn input(self, inbox: &mut Inbox, now: Millis) -> (Option<Input<'static>>, Vec<Refusal>) {
        let mut refused = Vec::new();
        let mut known =
            |found: Result<RequestRef, Refusal>| found.map_err(|refusal| refused.push(refusal)).ok();
        let input = match self {
            Intent::Decide { request, decision, seen } => {
                known(inbox.find_for_decision(now, &request, Some(&seen))).map(|request| Input::Decide {
                    request,
                    decision,
                    seen: Some(seen),
                    offer: None,
                })
            }
            Intent::DecideAll { requests, decision } => {
                let mut found = Vec::new();
                for (id, seen) in requests {
                    let request = known(inbox.find_for_decision(now, &id, Some(&seen)));
                    found.extend(request.map(|request| (request, Some(seen))));
                }
                Some(Input::DecideAll { requests: found, decision, offer: None })
            }
            Intent::Undo(request) => known(inbox.find(&request)).map(Input::Undo),
            Intent::Retry(request) => known(inbox.find(&request)).map(Input::Retry),
            Intent::Refused(refusal) => return (None, vec![refusal]),
            Intent::Grant { .. } | Intent::Revoke(_) | Intent::Extend(_) | Intent::Export => None,
        };
        (input, refused)
    }
}

/// An act that the inbox did not take; the component that reported it says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The request's scoped id.
    pub request: String,
    /// The stable code, for the words of a catalogue; absent: only the sentence is known.
    pub code: Option<RefusalCode>,
    /// Why, in one sentence.
    pub message: String,
    /// It was the wish for more time, which the host did not fulfil.
    pub more_time: bool,
}

#[cfg(test)]
mod tests {
    use countersign_core::Status;
    use countersign_core::testing::{request, run};

    use super::*;

    fn inbox() -> Inbox {
        run("in ask a delete {}\nin ask b delete {}").expect("a script")
    }

    fn seen(inbox: &Inbox) -> Shown {
        inbox.views().first().map(Shown::of).expect("a card")
    }

    fn act(inbox: &mut Inbox, intent: Intent) -> Result<Vec<Output>, &'static str> {
        intent.act(inbox, Millis(1), Inbox::handle).map_err(|refusal| refusal.code().as_str())
    }

    fn decide(id: &str, seen: Shown) -> Intent {
        Intent::Decide { request: id.to_owned(), decision: Decision::approve(), seen }
    }

    #[test]
    fn an_inbox_judges_what_was_on_screen() {
        let mut inbox = inbox();
        let other = Shown { digest: Some(Arc::from("old")), tool: None };
        assert_eq!(act(&mut inbox, decide("a", other)).err(), Some("args-changed"));
        let seen = seen(&inbox);
        assert!(act(&mut inbox, decide("a", seen)).is_ok());
        assert_eq!(inbox.take_outbound().len(), 1);
    }

    #[test]
    fn r03_of_calls_decided_together_each_is_judged_by_what_was_on_screen() {
        let mut inbox = inbox();
        let old = Shown { digest: Some(Arc::from("old")), tool: None };
        let requests = vec![("a".to_owned(), old), ("b".to_owned(), seen(&inbox))];
        let _ = act(&mut inbox, Intent::DecideAll { requests, decision: Decision::approve() });
        let pending = inbox.views().iter().map(|view| view.status == Status::Pending).collect::<Vec<_>>();
        assert_eq!(pending, [true, false]);
    }

    #[test]
    fn r09_a_decision_on_what_is_not_there_is_on_record() {
        let mut inbox = inbox();
        let seen = seen(&inbox);
        let digest = seen.digest.clone();
        assert_eq!(act(&mut inbox, decide("gone", seen)).err(), Some("unknown-request"));
        let record = inbox.audit().to_json_lines();
        assert_eq!(record.matches(r#""code":"unknown-request""#).count(), 1, "{record}");
        assert!(digest.is_some_and(|digest| record.contains(&*digest)), "{record}");
    }

    #[test]
    fn of_several_calls_one_that_is_not_there_holds_no_other_back() {
        let mut inbox = inbox();
        let seen = seen(&inbox);
        let requests = ["a", "gone", "b"].map(|id| (id.to_owned(), seen.clone())).to_vec();
        let outputs = act(&mut inbox, Intent::DecideAll { requests, decision: Decision::reject(None) });
        let refused = |output: &&Output| matches!(output, Output::Refused(Refusal::UnknownRequest { .. }));
        assert_eq!(outputs.iter().flatten().filter(refused).count(), 1);
        assert!(inbox.views().iter().all(|view| view.status != Status::Pending));
        assert!(inbox.audit().to_json_lines().contains(r#""code":"unknown-request""#));
    }

    #[test]
    fn what_takes_more_than_an_inbox_does_nothing_in_it() {
        let mut inbox = inbox();
        assert_eq!(act(&mut inbox, Intent::Export), Ok(Vec::new()));
        let refusal = Refusal::Expired { request: request("a") };
        assert_eq!(act(&mut inbox, Intent::Refused(refusal)).err(), Some("expired"));
        assert_eq!(act(&mut inbox, Intent::Undo("gone".to_owned())).err(), Some("unknown-request"));
    }
}

//! What a person asked for.

use std::sync::Arc;

use countersign_core::{Decision, Inbox, Input, Refusal, RefusalCode, Shown};

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
    /// The input by which an inbox judges it. `None`: it takes more than an inbox, and only a page that offers it hears of it: a
    /// grant and its end, more time, the record.
    ///
    /// # Errors
    /// A [`Refusal`] where the inbox has no such request, or the interface itself had refused.
    pub fn input(self, inbox: &Inbox) -> Result<Option<Input<'static>>, Refusal> {
        let input = match self {
            Intent::Decide { request, decision, seen } => {
                Input::Decide { request: inbox.find(&request)?, decision, seen: Some(seen), offer: None }
            }
            Intent::DecideAll { requests, decision } => {
                let found = requests.into_iter().map(|(id, seen)| Ok((inbox.find(&id)?, Some(seen))));
                Input::DecideAll { requests: found.collect::<Result<_, _>>()?, decision, offer: None }
            }
            Intent::Undo(request) => Input::Undo(inbox.find(&request)?),
            Intent::Retry(request) => Input::Retry(inbox.find(&request)?),
            Intent::Refused(refusal) => return Err(refusal),
            Intent::Grant { .. } | Intent::Revoke(_) | Intent::Extend(_) | Intent::Export => return Ok(None),
        };
        Ok(Some(input))
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
    use countersign_core::testing::{request, run};

    use super::*;

    #[test]
    fn an_inbox_judges_what_was_on_screen() {
        let inbox = run("in ask a delete {}").expect("a script");
        let shown = Shown { digest: Some(Arc::from("old")), tool: None };
        let decide = |id: &str| {
            let (request, seen) = (id.to_owned(), shown.clone());
            Intent::Decide { request, decision: Decision::approve(), seen }
        };
        let expected = Input::Decide {
            request: request("a"),
            decision: Decision::approve(),
            seen: Some(shown.clone()),
            offer: None,
        };
        assert_eq!(
            format!("{:?}", decide("a").input(&inbox)),
            format!("{:?}", Ok::<_, Refusal>(Some(expected)))
        );
        assert!(matches!(decide("b").input(&inbox), Err(Refusal::UnknownRequest { .. })));
        let all = Intent::DecideAll {
            requests: vec![("a".to_owned(), shown.clone()), ("b".to_owned(), shown)],
            decision: Decision::approve(),
        };
        assert!(all.input(&inbox).is_err(), "a list with a call that is not there is none");
        let refusal = Refusal::Expired { request: request("a") };
        assert!(matches!(Intent::Refused(refusal).input(&inbox), Err(Refusal::Expired { .. })));
        assert!(matches!(Intent::Export.input(&inbox), Ok(None)));
    }
}

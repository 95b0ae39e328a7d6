//! The states, as values.

mod beside;
mod parts;
mod sending;
mod settled;
mod together;
mod waiting;

pub(super) use beside::wished;

use std::rc::Rc;

use countersign_core::{
    CallId, DecisionFields, GrantView, Millis, Offer, OfferKind, RequestId, RequestView, Status,
    ToolApproval, Words,
};
use countersign_yew::Connection;

use super::parts::Part;

/// One exhibit.
#[derive(Debug)]
pub(super) struct State {
    /// What tests and addresses call it.
    pub(super) name: &'static str,
    /// What it shows.
    pub(super) heading: &'static str,
    /// The cards.
    pub(super) views: Rc<[Rc<RequestView>]>,
    /// Each as a card that stands alone, not in a panel.
    pub(super) alone: bool,
    /// How the panel stands with the backend.
    pub(super) connection: Connection,
    /// What an attack attempts, and what the card does about it.
    pub(super) about: Option<[&'static str; 2]>,
    /// What else is shown.
    pub(super) beside: Beside,
}

/// What is shown beside cards, or in their place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Beside {
    /// Nothing.
    #[default]
    Nothing,
    /// What people have allowed, below the cards.
    Grants(Rc<[GrantView]>),
    /// Which tools need approval, and what people have allowed, in place of cards.
    Policy { tools: Rc<[ToolApproval]>, grants: Rc<[GrantView]> },
    /// A part that stands alone, in place of cards.
    Part(Part),
}

/// Every state, at the moment `now`.
pub(super) fn all(now: Millis) -> Vec<State> {
    let mut states = waiting::states(now);
    states.extend(sending::states(now));
    states.extend(together::states(now));
    states.extend(settled::states());
    states.extend(beside::states(now));
    states.extend(parts::states(now));
    states
}

/// An exhibit of these cards in a panel.
pub(super) fn state(
    name: &'static str,
    heading: &'static str,
    views: impl IntoIterator<Item = RequestView>,
) -> State {
    let views = views.into_iter().map(Rc::new).collect();
    State {
        name,
        heading,
        views,
        alone: false,
        connection: Connection::Live,
        about: None,
        beside: Beside::Nothing,
    }
}

/// A call that waits, as its inbox would show it.
pub(super) fn call(key: u32, tool: &str, args: &str) -> RequestView {
    RequestView {
        id: format!("gallery/r{key}"),
        request: Some(RequestId::from(format!("r{key}").as_str())),
        call: Some(CallId::from(format!("call-{key}").as_str())),
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Reject).words(Words::Sent)],
        ..RequestView::of_call(key, tool, args)
    }
}

/// A call about which something was decided.
fn decided(status: Status, kind: &str, view: RequestView) -> RequestView {
    let decision = Some(DecisionFields { kind: kind.to_owned(), ..DecisionFields::default() });
    RequestView { status, decision, offers: Vec::new(), ..view }
}

/// A call in a state that offers nothing.
fn settled(status: Status, view: RequestView) -> RequestView {
    RequestView { status, offers: Vec::new(), ..view }
}

/// `now` and so many seconds.
fn after(now: Millis, seconds: u64) -> Option<Millis> {
    Some(Millis(now.0.saturating_add(seconds * 1_000)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::gallery::attacks;

    #[test]
    fn every_attack_has_a_name_of_its_own_and_says_what_it_is_about() {
        let attacks = attacks::all();
        let names: BTreeSet<&str> = attacks.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), attacks.len());
        for attack in &attacks {
            let [attempt, answer] = attack.about.expect("an attack is explained");
            assert!(attempt.ends_with('.') && answer.ends_with('.'), "{}", attack.name);
        }
    }

    #[test]
    fn every_status_is_shown_and_every_name_is_used_once() {
        let states = all(Millis(1_000_000));
        let names: BTreeSet<&str> = states.iter().map(|state| state.name).collect();
        assert_eq!(names.len(), states.len());
        let shown: BTreeSet<Status> =
            states.iter().flat_map(|state| state.views.iter().map(|view| view.status)).collect();
        // `Unknown` is the last one, `Requested` the first.
        assert_eq!(shown.len(), Status::Unknown as usize - Status::Requested as usize + 1);
    }

    #[test]
    fn cards_of_one_exhibit_have_keys_of_their_own() {
        for state in all(Millis(0)) {
            let keys: BTreeSet<u32> = state.views.iter().map(|view| view.key).collect();
            assert_eq!(keys.len(), state.views.len(), "{}", state.name);
        }
    }
}

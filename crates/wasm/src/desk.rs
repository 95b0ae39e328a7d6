//! An inbox and what was drawn of it.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::{
    Adapter, Advice, GrantView, Inbox, InboxOptions, Input, Millis, OfferKind, Outbound, Output, Problem,
    Refusal, RequestView, Status,
};
use countersign_policy::{GrantKeeper, Rulebook};

/// `[]` and `{}` say that there is nothing, whosever they are.
const EMPTY: usize = 2;

/// An inbox and what was drawn of it.
///
/// Cards are drawn when someone asks, and drawn again only when the inbox says that they changed: a card that looks
/// as before keeps its view, so that identity is enough to compare.
#[derive(Debug)]
pub struct Desk {
    inbox: Inbox,
    /// The key of the first card.
    first_key: u32,
    /// In order of their keys; as long as the inbox.
    cards: Vec<Drawn>,
    revision: u32,
    moves: u32,
    keeper: GrantKeeper,
    /// The grants as they were listed last.
    pub(crate) listed: RefCell<Rc<[GrantView]>>,
    wake: Option<Millis>,
    /// What the backend said of the conversation last could not be read.
    unread: bool,
    words: usize,
    rejection_presets: Vec<String>,
    /// A card with a schema of its arguments was drawn.
    has_schema: bool,
    /// A card whose arguments may be edited was drawn.
    has_edits: bool,
    /// The drafts of edited arguments, shared by everything that is drawn of this desk.
    #[cfg(feature = "element")]
    pub(crate) drafts: countersign_yew::Drafts,
}

/// What was drawn of one card.
#[derive(Clone, Debug, Default)]
struct Drawn {
    view: Option<Rc<RequestView>>,
    /// The view may no longer be what the inbox would draw.
    stale: bool,
    /// Of the view, only how its batch stands may no longer be so.
    recounted: bool,
    /// The view was not handed over to JavaScript yet.
    unread: bool,
}

/// What one input brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// The cards that may look different now, by key.
    pub changed: Vec<u32>,
    /// For each message that arrived, in order: it is internal to the approval exchange.
    pub hidden: Vec<bool>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Which of several decisions were refused, in their order.
    pub refused: Vec<Refusal>,
}

impl Desk {
    /// A desk with an empty inbox.
    #[must_use]
    pub fn new(adapter: Box<dyn Adapter>, options: InboxOptions) -> Desk {
        let words = options.words;
        Desk {
            words,
            rejection_presets: Vec::new(),
            has_schema: false,
            has_edits: false,
            #[cfg(feature = "element")]
            drafts: countersign_yew::Drafts::session().shared(),
            inbox: Inbox::new(adapter, options),
            first_key: 0,
            cards: Vec::new(),
            revision: 0,
            moves: 0,
            keeper: GrantKeeper::default(),
            listed: RefCell::default(),
            wake: None,
            unread: false,
        }
    }

    /// What keeps the grants, and the inbox with the policy.
    pub(crate) fn keeping(&mut self) -> (&mut GrantKeeper, &mut Inbox) {
        // What it draws may change with it.
        self.revision = self.revision.wrapping_add(1);
        (&mut self.keeper, &mut self.inbox)
    }

    /// What keeps the grants.
    pub(crate) fn keeper(&self) -> &GrantKeeper {
        &self.keeper
    }

    /// The interface has something to say that no card shows.
    #[cfg(feature = "element")]
    pub(crate) fn note_refusal(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }

    /// The same desk, with reasons for a rejection that the interface offers.
    #[must_use]
    pub fn with_rejection_presets(mut self, presets: Vec<String>) -> Desk {
        self.rejection_presets = presets;
        self
    }

    /// The reasons for a rejection that the interface offers.
    #[must_use]
    pub fn rejection_presets(&self) -> &[String] {
        &self.rejection_presets
    }

    /// How long a reason, a note or a reply may be, in characters.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Whether a card with a schema of its arguments was drawn.
    #[must_use]
    pub fn has_schema(&self) -> bool {
        self.has_schema
    }

    /// Whether a card whose arguments may be edited was drawn.
    #[must_use]
    pub fn has_edits(&self) -> bool {
        self.has_edits
    }

    /// The inbox.
    #[must_use]
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// Takes in one input.
    ///
    /// # Errors
    /// A [`Refusal`] of the inbox. What the clock alone changed before is known nevertheless.
    pub fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<News, Refusal> {
        let mut news = News::default();
        match input {
            Input::Receive { .. } | Input::Own { .. } | Input::Restore { .. } | Input::Tick => {}
            _ => self.pass(now, &mut news)?,
        }
        let restores = matches!(input, Input::Restore { .. });
        let is_empty = matches!(&input, Input::Restore { text, .. } if text.len() <= EMPTY);
        let outputs = self.keeper.handle(&mut self.inbox, now, input)?;
        if self.first_key != self.inbox.first_key() {
            self.first_key = self.inbox.first_key();
            self.cards.clear();
            self.revision = self.revision.wrapping_add(1);
        }
        self.absorb(&mut news, outputs);
        if restores {
            self.unread = !is_empty && !news.problems.is_empty();
            self.revision = self.revision.wrapping_add(1);
        }
        Ok(news)
    }

    /// Takes back what rules and grants have decided, what has not left yet and what they would not decide so any more.
    pub(crate) fn look_again(&mut self, now: Millis) {
        // The clock is never refused.
        let _ = self.pass(now, &mut News::default());
    }

    /// Lets happen what the clock has brought. A refusal brings no outputs, so it is a step of its own.
    pub(crate) fn pass(&mut self, now: Millis, news: &mut News) -> Result<(), Refusal> {
        let passed = self.inbox.handle(now, Input::Tick)?;
        self.absorb(news, passed);
        Ok(())
    }

    pub(crate) fn absorb(&mut self, news: &mut News, outputs: Vec<Output>) {
        self.wake = None;
        self.cards
            .resize(self.inbox.len(), Drawn { view: None, stale: true, recounted: false, unread: true });
        let has_moved = self.moves != self.inbox.moves();
        if has_moved {
            self.moves = self.inbox.moves();
            self.cards.iter_mut().for_each(|card| card.unread = true);
        }
        let before = news.changed.len();
        for output in outputs {
            let is_changed = matches!(output, Output::Changed(_));
            match output {
                Output::Changed(key) | Output::Recounted(key) => {
                    if let Some(card) = self.cards.get_mut(key.wrapping_sub(self.first_key) as usize) {
                        card.stale |= is_changed;
                        card.recounted = true;
                    }
                    news.changed.push(key);
                }
                Output::Hidden(hidden) => news.hidden.push(hidden),
                Output::Problem(problem) => news.problems.push(problem),
                Output::Refused(refusal) => news.refused.push(refusal),
                Output::WakeAt(moment) => self.wake = Some(moment),
                Output::Ready => {}
            }
        }
        let touched = news.changed.get(before..).unwrap_or_default();
        // A state that is read again touches every card, and mostly says nothing new.
        if !touched.is_empty() && (has_moved || touched.iter().any(|key| self.looks_different(*key))) {
            self.revision = self.revision.wrapping_add(1);
        }
    }

    /// Whether a card that was drawn looks different now; one that was not drawn yet does.
    fn looks_different(&mut self, key: u32) -> bool {
        let card = self.cards.get(key.wrapping_sub(self.first_key) as usize);
        let before = card.and_then(|card| card.view.clone());
        before.is_none_or(|before| !self.drawn(key, true).is_some_and(|view| Rc::ptr_eq(&before, &view)))
    }

    /// The messages that are due and were not taken yet.
    pub fn take_outbound(&mut self, now: Millis) -> Vec<Outbound> {
        // A grant may have ended since.
        if self.inbox.has_due() && self.inbox.policy::<Rulebook>().is_some() {
            self.look_again(now);
        }
        let due = self.inbox.take_outbound();
        if !due.is_empty() {
            for (card, status) in self.cards.iter_mut().zip(self.inbox.statuses()) {
                card.stale |= status == Status::Sending;
            }
            self.revision = self.revision.wrapping_add(1);
        }
        due
    }

    /// What the host should know now.
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        self.inbox.advice()
    }

    /// A number that moves whenever any card may look different.
    #[must_use]
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// When the clock alone will change something next.
    #[must_use]
    pub fn next_wake(&self) -> Option<Millis> {
        self.wake
    }

    /// How many cards there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether there is no card because what the backend said of the conversation could not be read.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        self.unread && self.is_empty()
    }

    /// Whether there is no card.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The card at this place in the order in which they are shown; the same value as before unless it looks different.
    pub fn view_at(&mut self, place: usize) -> Option<Rc<RequestView>> {
        self.drawn_at(place, true)
    }

    fn drawn_at(&mut self, place: usize, counts: bool) -> Option<Rc<RequestView>> {
        let key = self.inbox.key_at(place)?;
        self.drawn(key, counts)
    }

    fn drawn(&mut self, key: u32, counts: bool) -> Option<Rc<RequestView>> {
        let drawn = self.cards.get_mut(key.wrapping_sub(self.first_key) as usize)?;
        if drawn.stale || counts && drawn.recounted {
            let fresh = self.inbox.view(key)?;
            (drawn.stale, drawn.recounted) = (false, false);
            self.has_schema |= fresh.args_schema.is_some();
            self.has_edits |= fresh.offer(OfferKind::Edit).is_some();
            if !drawn.view.as_ref().is_some_and(|view| **view == fresh) {
                drawn.view = Some(Rc::new(fresh));
                drawn.unread = true;
            }
        }
        drawn.view.clone()
    }

    /// All cards, in the order in which they are shown; each the same value as before unless it looks different.
    ///
    /// What waits does not show how its batch stands, so `batch` of such a card may be an earlier one.
    pub fn views(&mut self) -> Rc<[Rc<RequestView>]> {
        (0..self.cards.len()).filter_map(|place| self.drawn_at(place, false)).collect()
    }

    /// How many cards wait for a person.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.inbox.statuses().filter(|status| *status == Status::Pending).count()
    }

    /// How many decisions were taken here and have not left yet.
    #[must_use]
    pub fn held(&self) -> usize {
        self.inbox.unsent()
    }

    /// The scoped id of the card with this key.
    #[must_use]
    pub fn id(&self, key: u32) -> Option<String> {
        self.inbox.id(key)
    }

    /// The cards among `count` from `from` on that were not read since they last looked different, with their places.
    pub fn read_changed(&mut self, from: usize, count: usize) -> Vec<(usize, Rc<RequestView>)> {
        let until = from.saturating_add(count).min(self.cards.len());
        let mut changed = Vec::new();
        for at in from..until {
            let Some(key) = self.inbox.key_at(at) else { continue };
            let index = key.wrapping_sub(self.first_key) as usize;
            if self.cards.get(index).is_some_and(|card| !(card.stale || card.recounted || card.unread)) {
                continue;
            }
            let Some(view) = self.view_at(at) else { continue };
            if let Some(card) = self.cards.get_mut(index).filter(|card| card.unread) {
                card.unread = false;
                changed.push((at, view));
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_core::Decision;
    use countersign_protocols::{AdapterOptions, Edits, adapter};

    use super::*;

    const TASK: &str = r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m1","taskId":"t1","parts":[{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k1","name":"delete_file","args":{"path":"/tmp/x"}},"toolConfirmation":{"hint":"sure?","confirmed":false}}}}]}}}"#;

    fn desk() -> Desk {
        let mut desk =
            Desk::new(adapter("a2a", &AdapterOptions::default()).unwrap(), InboxOptions::default());
        desk.handle(Millis(1), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
        desk
    }

    fn decide(desk: &mut Desk) -> Result<News, Refusal> {
        let request = desk.inbox().find("r1").unwrap();
        desk.handle(
            Millis(2),
            Input::Decide { request, decision: Decision::approve(), seen: None, offer: None },
        )
    }

    #[test]
    fn a_card_that_looks_as_before_keeps_its_view() {
        let mut desk = desk();
        let before = desk.view_at(0).unwrap();
        desk.handle(Millis(2), Input::Receive { text: TASK, rounded: false }).unwrap();
        assert!(Rc::ptr_eq(&before, &desk.view_at(0).unwrap()));
    }

    #[test]
    fn a_state_that_says_nothing_new_is_no_change() {
        let mut desk = desk();
        let read = |desk: &mut Desk| {
            let news = desk.handle(Millis(2), Input::Receive { text: TASK, rounded: false }).unwrap();
            (news.changed.len(), desk.revision())
        };
        // Nobody has looked at it yet.
        let (before, unseen) = (desk.revision(), read(&mut desk));
        assert_eq!(unseen, (1, before + 1));
        desk.views();
        assert_eq!([read(&mut desk), read(&mut desk)], [unseen; 2]);
        decide(&mut desk).unwrap();
        assert_ne!(desk.revision(), unseen.1);
    }

    #[test]
    fn what_changed_is_read_once() {
        let mut desk = desk();
        assert_eq!(desk.read_changed(0, 10).len(), 1);
        assert!(desk.read_changed(0, 10).is_empty());
        decide(&mut desk).unwrap();
        assert_eq!(desk.read_changed(0, 10).len(), 1);
    }

    #[test]
    fn taking_a_message_shows_on_its_cards() {
        let mut desk = desk();
        decide(&mut desk).unwrap();
        let queued = desk.view_at(0).unwrap();
        let revision = desk.revision();
        assert_eq!(desk.take_outbound(Millis(2)).len(), 1);
        assert_ne!(desk.revision(), revision);
        assert_ne!(queued.outbound, desk.view_at(0).unwrap().outbound);
    }

    #[test]
    fn r43_a_decision_that_is_held_counts_until_it_leaves() {
        let options = InboxOptions { hold_rejections: Millis(9), ..InboxOptions::default() };
        let mut desk = Desk::new(adapter("a2a", &AdapterOptions::default()).unwrap(), options);
        desk.handle(Millis(1), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
        assert_eq!((desk.waiting(), desk.held()), (1, 0));
        let request = desk.inbox().find("r1").unwrap();
        let decision = Decision::reject(None);
        desk.handle(Millis(2), Input::Decide { request, decision, seen: None, offer: None }).unwrap();
        assert_eq!((desk.waiting(), desk.held()), (0, 1));
        desk.handle(Millis(3), Input::Leave).unwrap();
        assert_eq!((desk.waiting(), desk.held()), (0, 0));
    }

    #[test]
    fn a_refusal_is_told_and_changes_no_view() {
        let mut desk = desk();
        decide(&mut desk).unwrap();
        let before = desk.view_at(0).unwrap();
        assert_eq!(decide(&mut desk).unwrap_err().code().as_str(), "already-decided");
        assert!(Rc::ptr_eq(&before, &desk.view_at(0).unwrap()));
    }

    #[test]
    fn the_host_knows_schemas_of_tools() {
        let schema: Arc<str> = Arc::from(r#"{"required":["path"]}"#);
        let options = InboxOptions {
            schemas: vec![(Arc::from("delete_file"), schema.clone())],
            ..InboxOptions::default()
        };
        let mut desk = Desk::new(adapter("a2a", &AdapterOptions::default()).unwrap(), options);
        desk.handle(Millis(1), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
        assert!(!desk.has_schema());
        assert_eq!(desk.view_at(0).unwrap().args_schema, Some(schema));
        assert!(desk.has_schema());
    }

    #[test]
    fn what_may_be_edited_is_known_once_it_was_drawn() {
        let edits = |options: &AdapterOptions| {
            let mut desk = Desk::new(adapter("a2a", options).unwrap(), InboxOptions::default());
            desk.handle(Millis(1), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
            desk.views();
            (desk.has_edits(), desk.has_schema())
        };
        assert_eq!(edits(&AdapterOptions::default()), (false, false));
        let always = AdapterOptions { a2a_edits: Edits::Always, ..AdapterOptions::default() };
        assert_eq!(edits(&always), (true, false));
    }

    #[test]
    fn keys_and_ids_go_on_after_a_restore() {
        let mut desk = desk();
        let first = desk.view_at(0).unwrap();
        let news = desk.handle(Millis(3), Input::Restore { text: TASK.into(), rounded: false }).unwrap();
        assert_eq!(news.changed, [first.key + 1]);
        assert_eq!(desk.id(first.key), None);
        assert_eq!(desk.id(first.key + 1), Some("t1/r1".to_owned()));
        assert_eq!(desk.view_at(0).unwrap().args_text, Arc::from(r#"{"path":"/tmp/x"}"#));
    }
}

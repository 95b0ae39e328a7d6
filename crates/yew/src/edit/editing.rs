//! The drafts of one card, and of all that shows one inbox.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::{Rc, Weak};

use countersign_core::collections::Marks;
use countersign_core::{OfferKind, RequestView};
use yew::Callback;

use super::call::{Call, has_left};
use super::draft::Draft;
use super::judge::judge;
use super::late;
use super::secret::{is_called_secret, is_secret};
use super::store::Drafts;
use crate::deciding::Sayings;
use crate::kept_words;
use crate::messages::LeftOut;

/// The draft of one card.
#[derive(Debug, Default)]
pub(crate) struct Editing {
    /// The call from which it was made, and the draft.
    draft: RefCell<Option<(Call, Draft)>>,
    /// The answer to its call has left.
    is_over: Cell<bool>,
    /// The last draft went with the call as it was.
    is_lost: Cell<bool>,
    /// Hear when a person has left the draft, as long as they stand there.
    ears: RefCell<Vec<Weak<Callback<()>>>>,
}

/// What was begun on the cards of one panel, or of all that shows one inbox: it outlives a page that is turned and an element that
/// is taken away, and what acts on several calls knows the drafts.
#[derive(Debug, Default)]
pub(crate) struct Editings(
    RefCell<Vec<(u32, Rc<Editing>)>>,
    /// The calls whose answer has left, of which nothing is kept in any storage.
    RefCell<Marks>,
    /// What was said for the calls that wait.
    Sayings,
);

impl Editings {
    /// What was said for the calls.
    pub(crate) fn said(&self) -> &Sayings {
        &self.2
    }

    /// The draft of the card with this key.
    pub(crate) fn of(&self, key: u32) -> Rc<Editing> {
        let mut known = self.0.borrow_mut();
        if let Some((_, editing)) = known.iter().find(|(other, _)| *other == key) {
            return Rc::clone(editing);
        }
        // Those of cards that are gone, with nothing in them.
        known.retain(|(_, other)| Rc::strong_count(other) > 1 || other.is_begun());
        let editing: Rc<Editing> = Rc::default();
        known.push((key, Rc::clone(&editing)));
        editing
    }

    /// Forgets the drafts of calls that are settled, and keeps none in any storage of those whose answer has left.
    pub(crate) fn forget_settled(&self, views: &[Rc<RequestView>], drafts: &Drafts) {
        let (mut settled, mut cleared) = (Marks::default(), self.1.borrow_mut());
        for view in views {
            match has_left(view) {
                // It waits, or waits again.
                false => cleared.remove(view.key),
                // Once: looking into a storage takes time.
                true if !cleared.contains(view.key) => {
                    cleared.insert(view.key);
                    Editing::default().sent(view, drafts);
                }
                true => {}
            }
            if view.status.is_settled() {
                settled.insert(view.key);
            }
        }
        self.0.borrow_mut().retain(|(key, _)| !settled.contains(*key));
    }

    /// The calls with a draft that was not sent, by their keys, and why each is not approved together with others.
    pub(crate) fn unsent(&self, views: &[Rc<RequestView>]) -> Vec<(u32, LeftOut)> {
        let known = self.0.borrow();
        let why = |view: &Rc<RequestView>| {
            let (key, editing) = known.iter().find(|(key, _)| *key == view.key)?;
            Some((*key, editing.unsent(view)?))
        };
        if known.is_empty() { Vec::new() } else { views.iter().filter_map(why).collect() }
    }

    /// Why this call is not approved together with others, if there is a draft; kept ones are looked up.
    pub(crate) fn left_out(&self, view: &RequestView, drafts: &Drafts) -> Option<LeftOut> {
        let known = self.0.borrow().iter().find(|(key, _)| *key == view.key).map(|(_, it)| Rc::clone(it));
        // One that was looked up before anybody wrote another one down says nothing.
        let editing = known.filter(|editing| editing.is_begun()).unwrap_or_default();
        if drafts.are_kept() && view.offer(OfferKind::Edit).is_some() {
            editing.with(view, drafts, |_| ());
        }
        editing.unsent(view)
    }
}

impl Editing {
    /// Tells this one when a person has left the draft.
    pub(crate) fn tell(&self, ear: &Rc<Callback<()>>) {
        let mut ears = self.ears.borrow_mut();
        ears.retain(|known| known.strong_count() > 0);
        if !ears.iter().any(|known| known.as_ptr() == Rc::as_ptr(ear)) {
            ears.push(Rc::downgrade(ear));
        }
    }

    /// A person has left the draft, for now or for good.
    pub(crate) fn leave(&self) {
        late::flush();
        let ears: Vec<Rc<Callback<()>>> = self.ears.borrow().iter().filter_map(Weak::upgrade).collect();
        ears.iter().for_each(|ear| ear.emit(()));
    }

    /// The answer has left: nothing of the draft is needed in any storage; nor here once the call is settled.
    pub(crate) fn forget(&self, view: &RequestView, drafts: &Drafts) {
        if !has_left(view) {
            return self.is_over.set(false);
        }
        if !self.is_over.replace(true) {
            self.sent(view, drafts);
        }
        if view.status.is_settled() {
            self.draft.take();
        }
    }

    /// Whether something was made of the arguments.
    fn is_begun(&self) -> bool {
        self.draft.borrow().as_ref().is_some_and(|(_, draft)| draft.is_changed())
    }

    /// Why a call with a draft that was not sent is not approved together with others; `None`: there is no such draft.
    ///
    /// Approving runs the arguments as they came. Somebody who wanted others must not get these by the way.
    fn unsent(&self, view: &RequestView) -> Option<LeftOut> {
        view.offer(OfferKind::Edit)?;
        let slot = self.draft.borrow();
        let call = Call::of(view);
        let (_, draft) = slot.as_ref().filter(|(known, _)| *known == call || known.gains_schema(&call))?;
        let why =
            || if judge(draft, view).problems.is_empty() { LeftOut::Edited } else { LeftOut::EditedInvalid };
        draft.is_changed().then(why)
    }

    /// Whether there is a draft of these arguments that differs from them.
    pub(crate) fn is_kept(&self, view: &RequestView, drafts: &Drafts) -> bool {
        self.with(view, drafts, |draft| draft.is_changed())
    }

    /// Whether a draft was begun of the call as it was before, and none since.
    pub(crate) fn is_lost(&self, view: &RequestView) -> bool {
        self.lose(&Call::of(view));
        self.is_lost.get()
    }

    /// Notes that there is a draft, and that it is not of this call.
    fn lose(&self, call: &Call) {
        let is_other =
            |(known, draft): &(Call, Draft)| known != call && !known.gains_schema(call) && draft.is_changed();
        if self.draft.borrow().as_ref().is_some_and(is_other) {
            self.is_lost.set(true);
        }
    }

    /// Reads or changes the draft of this call; one of another is forgotten.
    pub(crate) fn with<T>(
        &self,
        view: &RequestView,
        drafts: &Drafts,
        act: impl FnOnce(&mut Draft) -> T,
    ) -> T {
        let (mut draft, gains) = self.settle(view, drafts);
        let result = act(&mut draft);
        drop(draft);
        self.after(gains, view, drafts);
        result
    }

    /// The draft of this call, and whether it has gained a schema since it was made.
    #[inline(never)]
    fn settle(&self, view: &RequestView, drafts: &Drafts) -> (RefMut<'_, Draft>, bool) {
        let call = Call::of(view);
        self.lose(&call);
        let mut slot = self.draft.borrow_mut();
        let before = slot.take();
        let gains = before.as_ref().is_some_and(|(known, _)| known.gains_schema(&call));
        let draft = match before {
            // Where it is told only now what the arguments must be, the draft is of the same ones, and is judged anew.
            Some((known, draft)) if gains || known == call => draft,
            _ => {
                late::flush();
                let kept = drafts.store().and_then(|store| store.recall(&view.id, &call.digest()));
                match kept {
                    Some(typed) => Draft::kept(&view.args_text, &typed),
                    None => Draft::of(&view.args_text),
                }
            }
        };
        (RefMut::map(slot, |slot| &mut slot.insert((call, draft)).1), gains)
    }

    /// What follows when something was made of the draft.
    #[inline(never)]
    fn after(&self, gains: bool, view: &RequestView, drafts: &Drafts) {
        if self.is_begun() {
            self.is_lost.set(false);
        }
        if gains {
            self.keep(view, drafts);
        }
    }

    /// Keeps the draft for later, unless it holds something that should stay out of any storage.
    pub(crate) fn keep(&self, view: &RequestView, drafts: &Drafts) {
        let Some(store) = drafts.store() else { return };
        late::forget(view, drafts);
        let text = self.with(view, drafts, |draft| {
            let text = Some(draft).filter(|draft| draft.is_changed() && draft.held().is_empty());
            text.map(|draft| (draft.to_keep(), is_called_secret(view, draft)))
        });
        let text = text.filter(|(text, hides)| !hides && !is_secret(text)).map(|(text, _)| text);
        store.keep(&view.id, &Call::of(view).digest(), text.as_deref());
    }

    /// Keeps the draft, if it is still the one of this call.
    pub(super) fn keep_late(&self, view: &RequestView, drafts: &Drafts) {
        let is_it = |(call, _): &(Call, Draft)| !self.is_over.get() && *call == Call::of(view);
        // While it is being replaced it is none.
        if self.draft.try_borrow().is_ok_and(|draft| draft.as_ref().is_some_and(is_it)) {
            self.keep(view, drafts);
        }
    }

    /// Throws the draft away.
    pub(crate) fn discard(&self, view: &RequestView, drafts: &Drafts) {
        self.is_lost.set(false);
        self.draft.replace(Some((Call::of(view), Draft::of(&view.args_text))));
        self.keep(view, drafts);
    }

    /// Nothing of the draft stays in any storage, and no words that were begun.
    fn sent(&self, view: &RequestView, drafts: &Drafts) {
        if let Some(store) = drafts.store() {
            late::forget(view, drafts);
            store.keep(&view.id, &Call::of(view).digest(), None);
            kept_words::forget(view, store);
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::{Offer, Status};

    use super::*;
    use crate::edit::draft::Typing;
    use crate::testing::{Shelf, call};

    fn typed(editing: &Editing, view: &RequestView, drafts: &Drafts, number: &str) {
        editing.with(view, drafts, |draft| draft.take("/n", number, Typing::Number));
        editing.keep(view, drafts);
    }

    #[test]
    fn a_draft_outlives_its_card_and_not_its_arguments() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let mut view = call(1, "pay", r#"{"n":1}"#);
        let editing = Editing::default();
        assert!(!editing.is_kept(&view, &drafts));
        typed(&editing, &view, &drafts, "2");
        assert!(editing.is_kept(&view, &drafts));
        let text =
            |view: &RequestView| Editing::default().with(view, &drafts, |draft| draft.text().to_owned());
        assert_eq!(text(&view), r#"{"n":2}"#);
        (view.args_digest, view.args_text) = ("other".into(), r#"{"n":5}"#.into());
        assert_eq!(text(&view), r#"{"n":5}"#);
        assert!(!editing.is_kept(&view, &drafts));
        typed(&editing, &view, &drafts, "6");
        editing.discard(&view, &drafts);
        assert!(!editing.is_kept(&view, &drafts) && shelf.0.borrow().is_empty());
    }

    #[test]
    fn r03_a_draft_is_dropped_where_the_tool_or_the_schema_becomes_another() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let offers = vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)];
        let view = RequestView { offers, ..call(1, "read_file", r#"{"n":1}"#) };
        let named = RequestView { tool: "drop_table".into(), ..view.clone() };
        let typed_anew = RequestView { args_schema: Some("{}".into()), ..view.clone() };
        // One that would be the other with a part of the schema in its name.
        let moved = RequestView { tool: "read_file{}".into(), ..view.clone() };
        let retyped = RequestView { args_schema: Some(r#"{"type":"object"}"#.into()), ..view.clone() };
        for (other, from) in [(&named, &view), (&retyped, &typed_anew), (&moved, &typed_anew)] {
            let editings = Editings::default();
            let editing = editings.of(1);
            typed(&editing, from, &drafts, "2");
            assert_eq!(editings.unsent(&[Rc::new(from.clone())]), [(1, LeftOut::Edited)]);
            assert!(Editing::default().is_kept(from, &drafts), "a reload keeps it");
            assert!(editings.unsent(&[Rc::new(other.clone())]).is_empty());
            assert!(!Editing::default().is_kept(other, &drafts), "nor after a reload");
            assert!(!editing.is_kept(other, &drafts));
        }
    }

    #[test]
    fn r03_a_draft_is_kept_and_judged_anew_where_a_schema_comes_later() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let offers = vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)];
        let view = RequestView { offers, ..call(1, "pay", r#"{"n":1}"#) };
        let editings = Editings::default();
        typed(&editings.of(1), &view, &drafts, "2");
        let schema = r#"{"properties":{"n":{"maximum":1}}}"#;
        let later = RequestView { args_schema: Some(schema.into()), ..view };
        assert_eq!(editings.unsent(&[Rc::new(later.clone())]), [(1, LeftOut::EditedInvalid)]);
        assert!(editings.of(1).is_kept(&later, &drafts));
        assert!(Editing::default().is_kept(&later, &drafts), "a reload keeps it");
    }

    #[test]
    fn what_cannot_be_read_is_kept_where_it_was_typed() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let mut view = call(1, "pay", r#"{"n":1,"o":{"é":2},"s":"x"}"#);
        let editing = Editing::default();
        let after = |view: &RequestView| {
            Editing::default()
                .with(view, &drafts, |draft| draft.loose_at("").map(|loose| loose.typed.clone()))
        };
        editing.with(&view, &drafts, |draft| draft.take("/o", r#"{"é":3,"#, Typing::Json));
        typed(&editing, &view, &drafts, "1,5");
        assert_eq!(after(&view).as_deref(), Some(r#"{"n":1,5,"o":{"é":3,,"s":"x"}"#));
        editing.with(&view, &drafts, |draft| draft.reset("/o"));
        typed(&editing, &view, &drafts, r#"1,"m":2"#);
        assert_eq!(after(&view), None, "it would be read as another member");
        // What may be a secret by its schema is not written down while it cannot be read.
        view.args_schema = Some(r#"{"properties":{"o":{"properties":{"door":{"writeOnly":true}}}}}"#.into());
        editing.with(&view, &drafts, |draft| draft.take("/o", r#"{"door":"x""#, Typing::Json));
        editing.keep(&view, &drafts);
        assert!(shelf.0.borrow().is_empty());
    }

    #[test]
    fn r33_a_draft_that_was_not_sent_is_named_with_what_it_is_like() {
        let offers = vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)];
        let view = RequestView { offers, ..call(1, "pay", r#"{"n":1}"#) };
        let views = [Rc::new(view.clone()), Rc::new(RequestView { key: 2, ..view.clone() })];
        let editings = Editings::default();
        let drafts = Drafts::none();
        let left = Rc::new(RefCell::new(0));
        let ear = || {
            let left = Rc::clone(&left);
            Rc::new(Callback::from(move |()| *left.borrow_mut() += 1))
        };
        let (here, there, gone) = (ear(), ear(), ear());
        let editing = editings.of(1);
        for ear in [&here, &there, &gone, &here] {
            editing.tell(ear);
        }
        drop(gone);
        assert!(Rc::ptr_eq(&editing, &editings.of(1)) && editings.unsent(&views).is_empty());
        typed(&editing, &view, &drafts, "2");
        assert_eq!(editings.unsent(&views), [(1, LeftOut::Edited)]);
        typed(&editing, &view, &drafts, "2,");
        assert_eq!(editings.unsent(&views), [(1, LeftOut::EditedInvalid)]);
        assert_eq!(editings.left_out(&view, &drafts), Some(LeftOut::EditedInvalid));
        assert_eq!(editings.left_out(&views[1], &drafts), None);
        let other = RequestView { args_digest: "other".into(), ..view.clone() };
        assert_eq!(editings.left_out(&other, &drafts), None);
        editing.discard(&view, &drafts);
        assert!(editings.unsent(&views).is_empty());
        editing.leave();
        assert_eq!(*left.borrow(), 2, "each hears it once, as long as it stands there");
        // What is empty goes with its card, and what was begun stays.
        typed(&editing, &view, &drafts, "4");
        drop(editing);
        drop([2, 3, 4].map(|key| editings.of(key)));
        editings.of(5);
        let left: Vec<u32> = editings.0.borrow().iter().map(|(key, _)| *key).collect();
        assert_eq!(left, [1, 5]);
        // A draft that only the session knows.
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let panel = Editings::default();
        assert!(!panel.of(1).is_kept(&view, &drafts), "its card was drawn before there was a draft");
        typed(&Editing::default(), &view, &drafts, "3");
        assert_eq!(panel.left_out(&view, &drafts), Some(LeftOut::Edited));
        assert_eq!(Editings::default().left_out(&view, &drafts), Some(LeftOut::Edited));
    }

    #[test]
    fn r33_a_panel_knows_the_drafts_of_cards_beside_it_that_are_never_written_down() {
        let offers = vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)];
        let view = RequestView { offers, ..call(1, "pay", r#"{"n":1,"api_key":"x"}"#) };
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf)).shared();
        let (panel, beside) = (drafts.clone(), drafts.clone());
        let known = panel.open().expect("they are shared");
        assert!(!known.of(1).is_kept(&view, &panel));
        let card = beside.open().expect("they are shared").of(1);
        card.with(&view, &beside, |draft| draft.note = "later".into());
        card.keep(&view, &beside);
        assert!(shelf.0.borrow().is_empty());
        assert_eq!(known.left_out(&view, &panel), Some(LeftOut::Edited));
        assert_eq!(known.unsent(&[Rc::new(view)]), [(1, LeftOut::Edited)]);
        assert!(panel == beside && drafts != drafts.clone().shared() && Drafts::none() == Drafts::none());
    }

    #[test]
    fn r24_a_draft_that_was_sent_is_forgotten_once_its_call_is_settled() {
        let mut view = call(1, "pay", r#"{"n":1,"api_key":"x"}"#);
        let drafts = Drafts::none();
        let editings = Editings::default();
        let editing = editings.of(1);
        typed(&editing, &view, &drafts, "2");
        editing.sent(&view, &drafts);
        for (status, kept) in [(Status::Drafted, 1), (Status::Sent, 1), (Status::Completed, 0)] {
            view.status = status;
            editings.forget_settled(&[Rc::new(view.clone())], &drafts);
            assert_eq!(editings.0.borrow().len(), kept, "{status:?}");
        }
        editing.forget(&view, &drafts);
        assert!(!editing.is_begun());
    }

    #[test]
    fn r24_a_draft_leaves_the_storage_once_an_answer_to_its_call_has_left() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        for status in [Status::Sent, Status::Approved, Status::Running, Status::Completed, Status::Expired] {
            for by_card in [true, false] {
                let mut view = call(1, "pay", r#"{"n":1}"#);
                typed(&Editing::default(), &view, &drafts, "2");
                let (editing, editings) = (Editing::default(), Editings::default());
                let look = |view: &RequestView| match by_card {
                    true => editing.forget(view, &drafts),
                    false => editings.forget_settled(&[Rc::new(view.clone())], &drafts),
                };
                // Until then a reload would make it wait again, with the arguments as they came.
                for waits in [Status::Pending, Status::Drafted, Status::Sending] {
                    view.status = waits;
                    look(&view);
                    assert_eq!(shelf.0.borrow().len(), 1, "{waits:?}");
                }
                view.status = status;
                look(&view);
                assert!(shelf.0.borrow().is_empty(), "{status:?}");
                // The backend did not take it after all, and it is edited and sent once more.
                view.status = Status::Pending;
                look(&view);
                typed(&Editing::default(), &view, &drafts, "3");
                view.status = status;
                look(&view);
                assert!(shelf.0.borrow().is_empty(), "{status:?} again");
            }
        }
    }

    #[test]
    fn r24_a_draft_with_a_secret_is_not_written_down() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        for args in [r#"{"n":1,"api_key":"x"}"#, r#"{"n":1,"Auth":{"accessToken":"x"}}"#] {
            let view = call(1, "pay", args);
            let editing = Editing::default();
            typed(&editing, &view, &drafts, "2");
            assert!(editing.is_kept(&view, &drafts) && shelf.0.borrow().is_empty());
            editing.with(&view, &drafts, |draft| draft.take("", &args.replace("1,", "1,,"), Typing::Json));
            editing.keep(&view, &drafts);
            assert!(editing.is_kept(&view, &drafts) && shelf.0.borrow().is_empty());
        }
    }

    #[test]
    fn r24_a_draft_in_which_something_was_typed_behind_a_mask_is_not_written_down() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let view = call(1, "pay", r#"{"n":1,"memo":"password: hunter2"}"#);
        let editing = Editing::default();
        editing.with(&view, &drafts, |draft| draft.take("/memo", "hunter3", Typing::Words));
        editing.keep(&view, &drafts);
        assert_eq!(shelf.0.borrow().len(), 1, "it was typed in sight");
        editing.with(&view, &drafts, |draft| draft.hold("/memo"));
        editing.keep(&view, &drafts);
        assert!(shelf.0.borrow().is_empty());
    }

    #[test]
    fn r24_a_draft_with_what_the_schema_calls_secret_is_not_written_down() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let view = RequestView {
            args_schema: Some(r#"{"properties":{"door":{"type":"string","writeOnly":true}}}"#.into()),
            ..call(1, "open", r#"{"n":1,"door":""}"#)
        };
        let editing = Editing::default();
        typed(&editing, &view, &drafts, "2");
        assert_eq!(shelf.0.borrow().len(), 1, "there is nothing in it yet");
        editing.with(&view, &drafts, |draft| draft.take("/door", "x", Typing::Words));
        editing.keep(&view, &drafts);
        assert!(editing.is_kept(&view, &drafts) && shelf.0.borrow().is_empty());
        editing.with(&view, &drafts, |draft| draft.take("", r#"{"n":2,"door":"y",}"#, Typing::Json));
        editing.keep(&view, &drafts);
        assert!(shelf.0.borrow().is_empty());
    }
}

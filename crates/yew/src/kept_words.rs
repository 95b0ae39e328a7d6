//! Words for a reason or a reply that outlive what shows them, as drafts of edited arguments do.

use countersign_core::RequestView;
use countersign_core::secret::secrets_in;

use crate::deciding::Said;
use crate::edit::{DraftStore, Drafts};

/// Between the tool, the reason and the reply.
const BETWEEN: char = '\0';

/// Under what the words for a request are kept.
pub(crate) fn place(request: &str) -> String {
    [request, "#words"].concat()
}

impl Said {
    /// Takes up the words that were typed for this call before what shows it was made anew; from now on they are kept.
    #[inline(never)]
    pub(crate) fn recall(&self, view: &RequestView, drafts: &Drafts) {
        let Some(store) = drafts.store() else { return };
        let place = place(&view.id);
        if self.place.borrow().as_ref() == Some(&place) {
            return;
        }
        let words = store.recall(&place, &view.args_digest);
        let words = words.as_deref().and_then(|text| text.strip_prefix(&*view.tool)?.strip_prefix(BETWEEN));
        if let Some((reason, reply)) = words.and_then(|words| words.split_once(BETWEEN)) {
            // What is typed here already is newer.
            for (words, kept) in [(&self.reason, reason), (&self.reply, reply)] {
                if words.borrow().is_empty() {
                    words.replace(kept.to_owned());
                }
            }
        }
        self.place.replace(Some(place));
    }

    /// Keeps the words as they are now, unless they hold something that should stay out of any storage.
    #[inline(never)]
    pub(crate) fn keep(&self, drafts: &Drafts) {
        let (place, call) = (self.place.borrow(), self.call.borrow());
        let (Some(store), Some(place), Some((digest, tool))) = (drafts.store(), &*place, &*call) else {
            return;
        };
        let words = [&**self.reason.borrow(), &**self.reply.borrow()].join(&String::from(BETWEEN));
        let is_kept = words.len() > BETWEEN.len_utf8() && secrets_in(&words).is_empty();
        let text = is_kept.then(|| [tool, &*String::from(BETWEEN), &words].concat());
        store.keep(place, digest, text.as_deref());
    }
}

/// No words for this call stay in any storage: its answer has left.
pub(crate) fn forget(view: &RequestView, store: &dyn DraftStore) {
    store.keep(&place(&view.id), &view.args_digest, None);
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::deciding::Asking;
    use crate::testing::{Shelf, call};

    /// What is found for a call by a page that was made anew.
    fn found(view: &RequestView, drafts: &Drafts) -> [String; 2] {
        let said = Said::default();
        said.turn_to(view);
        said.recall(view, drafts);
        [Asking::Reason, Asking::Response].map(|asking| said.words(asking).borrow().clone())
    }

    #[test]
    fn words_outlive_what_shows_them_and_no_other_call_gets_them() {
        let drafts = Drafts::new(Rc::new(Shelf::default()));
        let view = call(1, "pay", r#"{"n":1}"#);
        let said = Said::default();
        said.turn_to(&view);
        said.recall(&view, &drafts);
        said.words(Asking::Reason).replace("not before\nFriday".to_owned());
        said.keep(&drafts);
        assert_eq!(found(&view, &drafts), ["not before\nFriday", ""]);
        said.words(Asking::Response).replace("ask me later".to_owned());
        said.keep(&drafts);
        assert_eq!(found(&view, &drafts), ["not before\nFriday", "ask me later"]);
        let other = |change: fn(&mut RequestView)| {
            let mut other = view.clone();
            change(&mut other);
            found(&other, &drafts)
        };
        let nothing = [String::new(), String::new()];
        assert_eq!(other(|view| view.id = "2".to_owned()), nothing);
        assert_eq!(other(|view| view.tool = "pa".into()), nothing);
        assert_eq!(other(|view| view.args_digest = "other".into()), nothing);
        said.words(Asking::Reason).take();
        said.words(Asking::Response).take();
        said.keep(&drafts);
        assert_eq!(found(&view, &drafts), nothing, "they were taken back");
    }

    #[test]
    fn r24_words_that_look_like_a_secret_are_never_written_down() {
        let shelf = Rc::new(Shelf::default());
        let drafts = Drafts::new(Rc::clone(&shelf));
        let view = call(1, "pay", "{}");
        let said = Said::default();
        said.turn_to(&view);
        said.recall(&view, &drafts);
        for (words, is_kept) in [("use the other", true), ("use password=hunter2-and-more", false)] {
            said.words(Asking::Response).replace(words.to_owned());
            said.keep(&drafts);
            assert_eq!(!shelf.0.borrow().is_empty(), is_kept, "{words}");
        }
    }

    #[test]
    fn words_that_are_typed_for_no_call_are_written_nowhere() {
        let shelf = Rc::new(Shelf::default());
        let said = Said::default();
        said.words(Asking::Reason).replace("for several".to_owned());
        said.keep(&Drafts::new(Rc::clone(&shelf)));
        assert!(shelf.0.borrow().is_empty());
    }
}

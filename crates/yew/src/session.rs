//! What people have begun, in the session of the browser's tab: a reload keeps it, closing the tab does not.

use web_sys::Storage;

use crate::edit::{DraftStore, Drafts};

impl Drafts {
    /// Kept in the tab's `sessionStorage`, below keys that begin with `countersign:draft:`.
    ///
    /// What looks as if it held a secret is never written there. Where storage is forbidden or full, a reload
    /// loses them.
    #[must_use]
    pub fn session() -> Drafts {
        Drafts::new(Session)
    }
}

struct Session;

impl DraftStore for Session {
    fn recall(&self, request: &str, digest: &str) -> Option<String> {
        let kept = storage()?.get_item(&key(request)).ok()??;
        match kept.split_once(' ') {
            Some((of, text)) if of == digest => Some(text.to_owned()),
            _ => {
                // The arguments are others now.
                self.keep(request, digest, None);
                None
            }
        }
    }

    fn keep(&self, request: &str, digest: &str, text: Option<&str>) {
        let Some(storage) = storage() else { return };
        let keep = |text: &str| storage.set_item(&key(request), &[digest, " ", text].concat()).is_ok();
        let is_kept = text.is_some_and(keep);
        if !is_kept {
            // An older draft would be taken for this one. Without storage there is still the draft of the card.
            let _ = storage.remove_item(&key(request));
        }
    }
}

fn key(request: &str) -> String {
    ["countersign:draft:", request].concat()
}

fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

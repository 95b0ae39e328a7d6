//! Where the drafts of edited arguments, and words that were begun, outlive what shows them.

use std::fmt;
use std::rc::Rc;

use super::editing::Editings;

/// Where drafts of edited arguments are kept while nobody looks at them, and the words of a reason or a reply.
///
/// A draft belongs to the call from which it was made: asked for with another digest, it is gone. Words are kept as a draft of their
/// own.
pub trait DraftStore {
    /// The draft of this request, as [`DraftStore::keep`] got it.
    ///
    /// `request` is the scoped id, `digest` that of the arguments as they came, the tool and the schema. For words `#words` stands
    /// behind the id, and the digest is that of the arguments alone.
    fn recall(&self, request: &str, digest: &str) -> Option<String>;

    /// Keeps the text of a draft, which may not be JSON at the moment; `None`: there is none any more.
    ///
    /// What is typed comes a moment after the last key, or when the page goes, is hidden or loses the focus; words come with each key.
    fn keep(&self, request: &str, digest: &str, text: Option<&str>);
}

/// Where drafts are kept, shared. Two are equal when they are the same one.
#[derive(Clone, Default)]
pub struct Drafts {
    store: Option<Rc<dyn DraftStore>>,
    /// What is never written down; absent: each panel and each card has its own.
    open: Option<Rc<Editings>>,
}

impl Drafts {
    /// Kept there.
    pub fn new(store: impl DraftStore + 'static) -> Drafts {
        Drafts { store: Some(Rc::new(store)), open: None }
    }

    /// Kept with the card alone: a reload loses them.
    #[must_use]
    pub fn none() -> Drafts {
        Drafts::default()
    }

    /// One draft for each call, wherever it is shown: for everything that shows the same inbox, made once and cloned.
    ///
    /// So a panel also knows of drafts that were begun on a card beside it and are never written down: those with a
    /// secret, and those of which there is only a note.
    #[must_use]
    pub fn shared(self) -> Drafts {
        Drafts { open: Some(Rc::default()), ..self }
    }

    /// Whether drafts are kept anywhere.
    pub(super) fn are_kept(&self) -> bool {
        self.store.is_some()
    }

    /// Where they are kept.
    pub(crate) fn store(&self) -> Option<&dyn DraftStore> {
        self.store.as_deref()
    }

    /// The drafts that are shared, if they are.
    pub(crate) fn open(&self) -> Option<&Rc<Editings>> {
        self.open.as_ref()
    }
}

impl PartialEq for Drafts {
    fn eq(&self, other: &Drafts) -> bool {
        let stores = match (&self.store, &other.store) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        stores && self.open.as_ref().map(Rc::as_ptr) == other.open.as_ref().map(Rc::as_ptr)
    }
}

impl fmt::Debug for Drafts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Drafts")
    }
}

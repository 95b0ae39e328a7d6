//! What people may allow for longer than one call, and what they have allowed.

use std::rc::Rc;

use countersign_core::{GrantDraft, GrantView, GrantWish};
use yew::prelude::*;

/// What people may allow for longer than one call, and what they have allowed.
///
/// Given by whoever owns the inbox and its rules: the components show what comes back, literally, and report it unchanged
/// in [`Intent::Grant`](crate::Intent::Grant).
#[derive(Clone, Debug, PartialEq)]
pub struct Granting {
    /// Writes a wish out; nothing: it would permit nothing, and is not offered.
    pub draft: Callback<GrantWish, Option<GrantDraft>>,
    /// What was granted, oldest first; also what is over or was taken back.
    pub grants: Rc<[GrantView]>,
    /// Grants without an end count.
    pub lasting: bool,
}

//! What tests are made of.

use std::sync::Arc;

use countersign_core::{Offer, OfferKind, RequestView, Words};

use crate::alone;

/// A pending call that may be approved and rejected.
pub(crate) fn call(key: u32, tool: &str, args: &str) -> RequestView {
    let id = ["r", &key.to_string()].concat();
    RequestView {
        id: ["task-1/", &id].concat(),
        request: Some(id.into()),
        args_digest: Arc::from("3f9a07c2d1e05b6688aa4c1f7e9023d45566f0b1a2c3d4e5f60718293a4be1b4"),
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Reject).words(Words::Sent)],
        // What a test wants to be found in the arguments it says itself.
        inspectable: true,
        hazards: Vec::new(),
        ..alone::call(key, &Arc::from(tool), &Arc::from(args), None)
    }
}

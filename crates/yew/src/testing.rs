//! What tests are made of.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Offer, OfferKind, RequestView, Words};
use yew::LocalServerRenderer;
use yew::prelude::*;

use crate::edit::DraftStore;
use crate::messages::Catalogue;
use crate::outlet::{Scene, Shown};
use crate::piece::{Act, Host, HostProps, Piece, Stage};

/// What is kept, in the memory: the request, the digest and the text of each.
#[derive(Default)]
pub(crate) struct Shelf(pub(crate) RefCell<Vec<(String, String, String)>>);

impl DraftStore for Rc<Shelf> {
    fn recall(&self, request: &str, digest: &str) -> Option<String> {
        let kept = self.0.borrow();
        kept.iter().find(|kept| kept.0 == request && kept.1 == digest).map(|kept| kept.2.clone())
    }

    fn keep(&self, request: &str, digest: &str, text: Option<&str>) {
        self.0.borrow_mut().retain(|kept| kept.0 != request);
        if let Some(text) = text {
            self.0.borrow_mut().push((request.to_owned(), digest.to_owned(), text.to_owned()));
        }
    }
}

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
        ..RequestView::of_call(key, tool, args)
    }
}

/// A piece after these acts, and what comes in its place then, which remembers what it did.
struct After<P>(P, Vec<Act>, Option<P>);

impl<P: Piece> Piece for After<P> {
    type Memory = P::Memory;

    fn same(&self, _: &After<P>) -> bool {
        false
    }

    fn draw(&self, memory: &P::Memory, stage: &Rc<Stage>) -> Html {
        for act in &self.1 {
            self.0.act(memory, stage, act, None);
        }
        let first = self.0.draw(memory, stage);
        self.2.as_ref().map_or(first, |next| next.draw(memory, stage))
    }

    fn act(&self, _: &P::Memory, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        false
    }
}

/// The markup of a piece after these acts.
pub(crate) fn drawn(piece: impl Piece, acts: Vec<Act>) -> String {
    show(After(piece, acts, None))
}

/// The markup of what comes in the place of a piece after these acts.
pub(crate) fn drawn_next<P: Piece>(piece: P, acts: Vec<Act>, next: P) -> String {
    show(After(piece, acts, Some(next)))
}

fn show(piece: impl Piece) -> String {
    drawn_in(piece, Catalogue::default())
}

/// The markup of a piece in these words.
pub(crate) fn drawn_in(piece: impl Piece, messages: Catalogue) -> String {
    let shown = Shown { scene: Some(Scene(Rc::new(piece))), turn: 0 };
    let props = HostProps::new(shown, messages);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(LocalServerRenderer::<Host>::with_props(props).hydratable(false).render())
}

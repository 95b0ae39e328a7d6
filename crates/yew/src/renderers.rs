//! What a page draws of a call in addition to its arguments.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use countersign_core::RequestView;
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage};

/// Draws some calls in the page's own way, such as a map for coordinates, above their arguments.
///
/// What it draws stands in a container of its own, the part `rendered`. It can neither replace nor cover the arguments
/// and the decisions, and a fault in it leaves the card as it is: it is called after the card was drawn, and again when
/// the call changes or another function takes its place.
///
/// # Shape
/// A function from a view to nodes; `None`: nothing is added for this call. Two are equal when they are the same one.
#[derive(Clone, Default)]
pub struct Renderers(Option<Rc<Render>>);

type Render = dyn Fn(&RequestView) -> Option<Html>;

impl Renderers {
    /// Draws what this function returns.
    pub fn new(render: impl Fn(&RequestView) -> Option<Html> + 'static) -> Renderers {
        Renderers(Some(Rc::new(render)))
    }

    /// Whether nothing is ever added.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The place for what is drawn of a call.
    pub(crate) fn place(&self, request: &Rc<RequestView>, stage: &Stage) -> Option<Html> {
        let render = Rc::clone(self.0.as_ref()?);
        Some(stage.place(Rendered { request: Rc::clone(request), render }))
    }
}

impl PartialEq for Renderers {
    fn eq(&self, other: &Renderers) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl fmt::Debug for Renderers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Renderers")
    }
}

/// What was drawn of one call.
struct Rendered {
    request: Rc<RequestView>,
    render: Rc<Render>,
}

/// What is remembered of it.
#[derive(Default)]
struct RenderMemory {
    /// The call for which the page was asked, and what was asked.
    asked: RefCell<Option<(Rc<RequestView>, Rc<Render>)>>,
    /// What it drew.
    drawn: Rc<Cell<Option<Html>>>,
    timer: RefCell<Option<Timeout>>,
}

impl Piece for Rendered {
    type Memory = RenderMemory;

    fn same(&self, other: &Rendered) -> bool {
        Rc::ptr_eq(&self.render, &other.render) && self.request == other.request
    }

    fn draw(&self, memory: &RenderMemory, stage: &Rc<Stage>) -> Html {
        let drawn = memory.drawn.take();
        memory.drawn.set(drawn.clone());
        let Some(drawn) = drawn.filter(|_| self.is_of_call(memory)) else { return Html::default() };
        Tag::new("div", "cs-rendered")
            .part("rendered")
            .with(Attribute::Role, "group")
            .text(Attribute::Label, stage.messages().shown_by_page())
            .child(drawn)
            .html()
    }

    fn act(&self, _: &RenderMemory, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        false
    }

    fn drawn(&self, memory: &RenderMemory, stage: &Rc<Stage>) {
        if self.was_asked(memory) {
            return;
        }
        // Noted before it is asked: what fails is not asked again.
        let (request, render) = (Rc::clone(&self.request), Rc::clone(&self.render));
        memory.asked.replace(Some((Rc::clone(&request), Rc::clone(&render))));
        let (drawn, redrawing) = (Rc::clone(&memory.drawn), stage.redrawing());
        // Not while Yew draws: a panic there would end all drawing, one in a timer ends nothing but the timer.
        let timer = Timeout::new(0, move || {
            drawn.set(None);
            drawn.set(render(&request));
            redrawing.emit(());
        });
        memory.timer.replace(Some(timer));
    }
}

impl Rendered {
    /// Whether the page was asked for this call, though perhaps by another function: what that drew stands until this one has drawn.
    fn is_of_call(&self, memory: &RenderMemory) -> bool {
        memory.asked.borrow().as_ref().is_some_and(|(request, _)| *request == self.request)
    }

    fn was_asked(&self, memory: &RenderMemory) -> bool {
        let is_same = |(_, render): &(_, Rc<Render>)| Rc::ptr_eq(render, &self.render);
        self.is_of_call(memory) && memory.asked.borrow().as_ref().is_some_and(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    #[test]
    fn another_function_of_the_page_is_asked_for_the_same_call_and_what_the_first_drew_stands_meanwhile() {
        let first = Rendered { request: Rc::new(call(1, "pay", "{}")), render: Rc::new(|_| None) };
        let memory = RenderMemory::default();
        assert!(!first.is_of_call(&memory) && !first.was_asked(&memory));
        memory.asked.replace(Some((Rc::clone(&first.request), Rc::clone(&first.render))));
        assert!(first.was_asked(&memory));
        let second = Rendered { render: Rc::new(|_| Some(Html::default())), ..first };
        assert!(second.is_of_call(&memory) && !second.was_asked(&memory));
        let other = Rendered { request: Rc::new(call(2, "pay", "{}")), ..second };
        assert!(!other.is_of_call(&memory));
    }
}

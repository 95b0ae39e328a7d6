//! What others change in what was drawn is taken back.
//!
//! Translators and extensions that mark words put other nodes in the place of a text, also in shadow roots. What is shown would
//! no longer be what runs, and what is drawn next would go into nodes that nobody sees, or find its neighbours gone.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, MutationObserver, MutationObserverInit, Node};
use yew::{AppHandle, Html, Renderer};

use crate::messages::Catalogue;
use crate::piece::{Act, Host, HostProps, Piece, Stage};

/// How often within [`REST`] changes are taken back at once. Whoever makes them again each time could go on for ever.
const QUICK: u32 = 3;
/// How long the others are left where they are, in milliseconds. Meanwhile nothing can be approved.
const REST: u32 = 1000;

thread_local! {
    static WATCH: OnceCell<Option<Watch>> = const { OnceCell::new() };
    /// From the first of several drawings until they stand there, changes are our own: nobody else has a turn.
    static DRAWING: Cell<bool> = const { Cell::new(false) };
    /// How often changes came since there was rest.
    static TIMES: Cell<u32> = const { Cell::new(0) };
}

struct Watch {
    observer: MutationObserver,
    options: MutationObserverInit,
    /// What is to be taken back, the oldest first.
    left: Array,
    /// What is drawn last, and where nobody sees it.
    last: Cell<Option<AppHandle<Host>>>,
    aside: Element,
}

/// Nothing, drawn after everything else. Yew gives the browser a turn when a drawing takes long, though not while a new
/// component is to be drawn: until this one is, no other script runs.
struct Last;

impl Piece for Last {
    type Memory = ();

    fn same(&self, _: &Last) -> bool {
        true
    }

    fn draw(&self, (): &(), _: &Rc<Stage>) -> Html {
        known(Watch::drawn);
        Html::default()
    }

    fn act(&self, (): &(), _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        false
    }
}

/// Watches all of an element, from now on.
pub(crate) fn watch(root: &Element) {
    WATCH.with(|watch| {
        if let Some(watch) = watch.get_or_init(Watch::new) {
            watch.observe(root);
        }
    });
}

/// Something is about to be drawn.
pub(crate) fn begin() {
    known(|watch| {
        if !DRAWING.replace(true) {
            watch.take_back(&watch.observer.take_records());
            watch.draw_last();
        }
    });
}

/// What has changed until now was our own doing.
pub(crate) fn end() {
    known(|watch| drop(watch.observer.take_records()));
}

/// Whether everything stands there as it was drawn.
pub(crate) fn is_untouched() -> bool {
    let mut untouched = true;
    known(|watch| untouched = watch.left.length() == 0);
    untouched
}

fn known(act: impl FnOnce(&Watch)) {
    WATCH.with(|watch| {
        if let Some(Some(watch)) = watch.get() {
            act(watch);
        }
    });
}

impl Watch {
    fn new() -> Option<Watch> {
        let heard = Closure::<dyn FnMut(JsValue)>::new(|records: JsValue| {
            if !DRAWING.get() {
                known(|watch| watch.hear(records.unchecked_ref()));
            }
        });
        let options = Object::new();
        for name in ["subtree", "childList", "characterDataOldValue"] {
            let _ = Reflect::set(&options, &JsValue::from_str(name), &JsValue::TRUE);
        }
        let observer = MutationObserver::new(heard.into_js_value().unchecked_ref()).ok()?;
        let aside = web_sys::window()?.document()?.create_element("i").ok()?;
        Some(Watch {
            observer,
            options: options.unchecked_into(),
            left: Array::new(),
            last: Cell::new(None),
            aside,
        })
    }

    /// The newest component is drawn last of those that are there by now.
    fn draw_last(&self) {
        let last =
            Renderer::with_root_and_props(self.aside.clone(), HostProps::new(Last, Catalogue::default()))
                .render();
        if let Some(former) = self.last.replace(Some(last)) {
            former.destroy();
        }
    }

    /// What was there has been drawn, and perhaps others came of it.
    fn drawn(&self) {
        if self.observer.take_records().length() > 0 {
            self.draw_last();
        } else {
            DRAWING.set(false);
        }
    }

    fn observe(&self, node: &Node) {
        // What cannot be watched is drawn all the same.
        let _ = self.observer.observe_with_options(node, &self.options);
    }

    fn hear(&self, records: &Array) {
        let times = TIMES.replace(TIMES.get() + 1);
        if times == 0 {
            let rested = || {
                TIMES.set(0);
                known(|watch| watch.take_back(&Array::new()));
            };
            Timeout::new(REST, rested).forget();
        }
        if times < QUICK {
            return self.take_back(records);
        }
        for record in records.iter() {
            // What is done to them elsewhere is to be taken back, too.
            nodes(&record, "removedNodes").iter().for_each(|node| self.observe(node.unchecked_ref()));
            self.left.push(&record);
        }
    }

    /// Takes back what was left, and these.
    fn take_back(&self, records: &Array) {
        let all = self.left.concat(records);
        self.left.set_length(0);
        all.reverse().iter().for_each(|record| undo(&record));
        drop(self.observer.take_records());
    }
}

fn undo(record: &JsValue) {
    let target: Node = get(record, "target").unchecked_into();
    let element = match target.node_type() {
        Node::ELEMENT_NODE => Some(target.unchecked_ref::<Element>().clone()),
        _ => target.parent_element(),
    };
    // What the page draws of a call is its own.
    if element.is_some_and(|element| element.closest("[part~=rendered]").is_ok_and(|found| found.is_some())) {
        return;
    }
    let text = get(record, "oldValue");
    if text.is_string() {
        let _ = Reflect::set(&target, &JsValue::from_str("data"), &text);
    }
    // What is no longer where it was cannot be put back, and is nobody's neighbour.
    for node in nodes(record, "addedNodes").iter() {
        let _ = target.remove_child(node.unchecked_ref());
    }
    let next = get(record, "nextSibling");
    for node in nodes(record, "removedNodes").iter() {
        let next = (!next.is_null()).then(|| next.unchecked_ref());
        let _ = target.insert_before(node.unchecked_ref(), next);
    }
}

fn nodes(record: &JsValue, name: &str) -> Array {
    Array::from(&get(record, name))
}

fn get(record: &JsValue, name: &str) -> JsValue {
    Reflect::get(record, &JsValue::from_str(name)).unwrap_or_default()
}

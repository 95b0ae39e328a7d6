//! A button that runs something: it acts only when a person could see what it stands for.

use std::cell::{Cell, RefCell};
use std::mem::replace;
use std::rc::{Rc, Weak};

use countersign_core::Refusal;
use gloo::timers::callback::Interval;
use wasm_bindgen::JsCast;
use web_sys::{Element, UiEvent, window};
use yew::prelude::*;

use super::held::{
    follow, follow_pointer, has_just_come, is_abandoned, is_deaf, is_enter_held, is_of_pointer, is_unheard,
    turns,
};
use super::hit::{is_half_uncovered, is_uncovered};
use super::latch::{Fate, LOOK, Latch, Look};
use super::room::Room;
use super::sight::Sight;
use super::{Seal, is_genuine, is_repeat};
use crate::foreign::is_untouched;
use crate::node::{Attribute, Tag, list};
use crate::piece::{Act, Piece, Stage, is_stroke};

/// What stands around a guarded button and must be in view with it.
const FRAME: &str = "[part~=card], [part~=dialog], [part~=batch-bar], [part~=tool]";

/// What says within it literally what is allowed from now on, and what else is approved: each must have been in view.
const LITERAL: [&str; 2] = [".cs-grant-said", "[part~=siblings]"];

/// A button that runs something.
///
/// It is inert until what it belongs to has been in view, uncovered and unmoved for a while; see [`Guard`]. What was
/// refused is told to `asker` as [`Act::Refused`].
pub(crate) struct Guarded {
    /// Who takes up `act`.
    pub asker: Rc<Stage>,
    /// What it remembers; the asker's, which may ask it too.
    pub guard: Guard,
    /// What it stands for: another one starts anew.
    pub seal: Seal,
    /// How long it is inert, in milliseconds.
    pub delay: u32,
    /// Its part.
    pub part: &'static str,
    /// Its class.
    pub class: &'static str,
    /// What stands on it.
    pub label: AttrValue,
    /// Its accessible name.
    pub name: AttrValue,
    /// What it does.
    pub act: Act,
    /// It must not act now, whatever is seen.
    pub withheld: bool,
    /// It is a switch, and whether it is on. It is turned on at once, and off by keys, which belong to the one that has the
    /// focus wherever that has gone.
    pub switch: Option<bool>,
    /// The ids of what says why it is withheld, or what runs: whoever does not see it hears it with the button.
    pub described_by: Option<AttrValue>,
}

impl Piece for Guarded {
    /// It was pressed too soon.
    type Memory = Cell<bool>;

    // Its asker is another each time.
    fn same(&self, _: &Guarded) -> bool {
        false
    }

    fn draw(&self, early: &Cell<bool>, stage: &Rc<Stage>) -> Html {
        let inert = self.withheld || (self.switch != Some(false) && !self.guard.is_armed(&self.seal));
        let soon = (inert && !self.withheld).then(|| match self.guard.0.borrow().enlarged.get() {
            true => stage.messages().look_over(),
            false => stage.messages().ready_soon(),
        });
        early.set(early.get() && inert);
        // After a press that does not count, that it is inert is said, to eye and ear.
        let said = soon.clone().filter(|_| early.get()).unwrap_or_default();
        let class = if said.is_empty() { "cs-unseen" } else { "cs-soon" };
        let said = Tag::new("span", class).with(Attribute::Live, "polite").words(said);
        let button = Tag::new("button", self.class)
            .with(Attribute::Type, "button")
            .part(self.part)
            .at(stage.root())
            .text(Attribute::Label, self.name.clone())
            .withheld(inert)
            .option(Attribute::DescribedBy, self.described_by.clone())
            .option(Attribute::Title, soon.filter(|_| self.switch.is_none()))
            .option(Attribute::Role, self.switch.map(|_| "switch".into()))
            .option(Attribute::Checked, self.switch.map(|on| if on { "true" } else { "false" }.into()))
            .on(stage, Act::Press)
            .on(stage, Act::PressKey)
            .on(stage, Act::Leave)
            .on(stage, Act::Click)
            .words(self.label.clone());
        list(vec![button.html(), said.html()])
    }

    fn act(&self, early: &Cell<bool>, _: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        let Some(event) = event else { return false };
        match act {
            Act::PressKey if is_repeat(event) => event.prevent_default(),
            Act::Press | Act::PressKey => self.guard.press(act, event),
            Act::Leave => self.guard.leave(),
            Act::Click if !self.withheld => match self.guard.judge(event, &self.name, self.switch) {
                Ok(true) => self.asker.act(&self.act, Some(event)),
                Ok(false) => {
                    early.set(true);
                    return true;
                }
                Err(refusal) => self.asker.act(&Act::Refused(refusal), Some(event)),
            },
            _ => {}
        }
        false
    }

    fn drawn(&self, _: &Cell<bool>, stage: &Rc<Stage>) {
        // What is not looked at costs nothing.
        let is_free = self.switch.is_some_and(|on| !on || self.withheld);
        if let Some(button) = stage.find(None).filter(|_| !is_free) {
            self.guard.0.borrow_mut().many = self.switch.is_some();
            self.guard.watch(&button, &self.seal, self.delay, stage.redrawing());
        }
    }
}

/// When a button that runs something may act.
///
/// Half of what it belongs to must be in view and uncovered (of what is higher than the view, as much as half of the view is
/// high, over its whole width; the view is what the window, an enlarged part of it, what scrolls within it and frames of the
/// same origin leave), the page visible, the button on top at its centre and corners and in one place, all for the whole
/// delay; each change starts anew. Where two fingers have enlarged a part of the window, half of the width must have been in
/// view at one time or another as it is now. So must what is granted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard(Rc<RefCell<Watch>>);

#[derive(Debug, Default)]
struct Watch {
    latch: Latch,
    seal: Option<Seal>,
    button: Option<Element>,
    redraw: Callback<()>,
    sight: Option<Sight>,
    /// How much of what is granted was in view.
    read: Cell<usize>,
    /// Which strips of the frame were, and of what is granted next.
    passed: Cell<u32>,
    passed_next: Cell<u32>,
    /// Too little was in view of what two fingers have enlarged.
    enlarged: Cell<bool>,
    looking: Option<Interval>,
    /// It is one of many.
    many: bool,
    /// How often the page had gone out of sight or come back at the last look.
    turns: u32,
}

thread_local! {
    // Of the buttons that were drawn.
    static WATCHES: RefCell<Vec<Weak<RefCell<Watch>>>> = const { RefCell::new(Vec::new()) };
}

fn all() -> Vec<Guard> {
    WATCHES.with_borrow(|watches| watches.iter().filter_map(Weak::upgrade).map(Guard).collect())
}

/// What is guarded within `element` waits anew.
pub(crate) fn renew(element: &Element) {
    for guard in all() {
        let mut watch = guard.0.borrow_mut();
        if element.contains(watch.button.as_deref()) {
            watch.latch.renew();
            watch.redraw.emit(());
        }
    }
}

/// Hears from now on what is pressed. The sooner, the less can a page keep from it.
pub(crate) fn listen() {
    if let Some(window) = window().filter(|_| is_deaf()) {
        follow(&window, hear);
    }
}

fn hear(event: &Event) {
    let path = event.composed_path();
    for guard in all() {
        let is_on = guard.0.borrow().button.as_ref().is_some_and(|button| path.includes(button, 0));
        if is_on {
            guard.press(&Act::Press, event);
        }
    }
}

impl Guard {
    /// Whether a press would count now, as far as is known.
    pub(crate) fn is_armed(&self, seal: &Seal) -> bool {
        let watch = self.0.borrow();
        watch.seal.as_ref() == Some(seal) && watch.latch.is_armed()
    }

    /// Whether something stands in front of the button right now, or it may not act.
    ///
    /// For what acts without a press of the button, such as a shortcut; `name` is the button's.
    ///
    /// What does not act because too little of its card is in view is brought there.
    pub(crate) fn check(&self, name: &str) -> Result<bool, Refusal> {
        self.settle(name, Latch::strike)
    }

    fn settle(&self, name: &str, judge: fn(&mut Latch) -> Fate) -> Result<bool, Refusal> {
        self.look(false);
        let fate = judge(&mut self.0.borrow_mut().latch);
        match fate {
            Fate::Counts => Ok(true),
            Fate::Inert => {
                self.0.borrow().reveal();
                Ok(false)
            }
            Fate::Covered => Err(Refusal::Obstructed { act: name.to_owned() }),
        }
    }

    fn press(&self, act: &Act, event: &Event) {
        if !is_genuine(event) {
            return;
        }
        let key: &KeyboardEvent = event.unchecked_ref();
        let pointer = matches!(act, Act::Press).then(|| follow_pointer(event.unchecked_ref()));
        if pointer.is_some() || (is_stroke(key) && matches!(key.key().as_str(), "Enter" | " ")) {
            self.0.borrow_mut().latch.press(pointer);
        }
    }

    /// A browser tells of it in the middle of other work, too.
    fn leave(&self) {
        if let Ok(mut watch) = self.0.try_borrow_mut() {
            watch.latch.leave();
        }
    }

    /// `switch`: as of [`Guarded`].
    fn judge(&self, event: &Event, name: &str, switch: Option<bool>) -> Result<bool, Refusal> {
        if !is_genuine(event) {
            return Err(Refusal::UntrustedEvent { act: name.to_owned() });
        }
        let mut watch = self.0.borrow_mut();
        watch.latch.lift(|pointer| is_abandoned(pointer, event));
        // A key makes a click without a count, and this one went down somewhere else. A pointer that went down unheard may
        // have done so before the button acted.
        let click: &UiEvent = event.unchecked_ref();
        let is_of_pointer = is_of_pointer(event);
        let is_elsewhere = is_enter_held() || has_just_come(event);
        if is_elsewhere && click.detail() == 0 && !watch.latch.is_pressed_by_key() {
            return Ok(false);
        }
        if switch.is_some_and(|on| !on || !is_of_pointer) {
            return Ok(true);
        }
        if is_of_pointer && !watch.latch.is_pressed_by_pointer() && is_unheard(event) {
            return Ok(false);
        }
        drop(watch);
        self.settle(name, Latch::click)
    }

    fn watch(&self, button: &Element, seal: &Seal, delay: u32, redraw: Callback<()>) {
        let mut watch = self.0.borrow_mut();
        watch.latch.seal(seal, delay);
        if watch.seal.as_ref() != Some(seal) {
            watch.forget();
        }
        watch.seal = Some(seal.clone());
        watch.redraw = redraw;
        if watch.button.as_ref() == Some(button) {
            return;
        }
        if watch.button.is_none() {
            WATCHES.with_borrow_mut(|watches| {
                watches.retain(|watch| watch.strong_count() > 0);
                watches.push(Rc::downgrade(&self.0));
            });
        }
        // A button that stands there anew, as in a dialog that opens again, was not looked at yet. It was drawn as the one
        // before it was.
        if watch.latch.is_armed() {
            watch.redraw.emit(());
        }
        watch.latch.renew();
        watch.forget();
        // It may stand in the window of a frame.
        if let Some(window) = button.owner_document().and_then(|document| document.default_view()) {
            follow(&window, hear);
        }
        watch.button = Some(button.clone());
        watch.looking = None;
        let (Ok(Some(frame)), Some(bar)) = (button.closest(FRAME), button.parent_element()) else { return };
        // A row has no bar.
        let bar = if bar == frame { button } else { &bar };
        let weak = Rc::downgrade(&self.0);
        watch.sight = Sight::new(frame, bar, move || {
            if let Some(watch) = weak.upgrade() {
                Guard(watch).glance();
            }
        });
    }

    /// What is in view is looked at again and again; what is not costs nothing.
    fn glance(&self) {
        let in_view = self.0.borrow().sight.as_ref().is_some_and(Sight::is_in_view);
        if !in_view {
            self.0.borrow_mut().looking = None;
        } else if self.0.borrow().looking.is_none() {
            let weak = Rc::downgrade(&self.0);
            let looking = Interval::new(LOOK, move || {
                if let Some(watch) = weak.upgrade() {
                    Guard(watch).look(true);
                }
            });
            self.0.borrow_mut().looking = Some(looking);
        }
        self.look(false);
    }

    fn look(&self, timed: bool) {
        let before = self.0.borrow().enlarged.get();
        let look = self.0.borrow().see(timed);
        let mut watch = self.0.borrow_mut();
        let reworded = before != watch.enlarged.get();
        // A page that is kept and shown again, or a tab that slept, was not looked at in between: no time passed there.
        let turned = replace(&mut watch.turns, turns()) != turns() && watch.latch.look(Look::Away, false);
        if watch.latch.look(look, timed) || turned || reworded {
            let redraw = watch.redraw.clone();
            drop(watch);
            redraw.emit(());
        }
    }
}

impl Watch {
    /// Nothing was in view yet.
    fn forget(&self) {
        self.read.set(0);
        self.passed.set(0);
        self.passed_next.set(0);
    }

    fn reveal(&self) {
        let Some(sight) = self.sight.as_ref() else { return };
        if let Some(literal) = self.unread() {
            literal.scroll_into_view_with_bool(false);
        } else if sight.is_framed() == Some(false) {
            sight.frame().scroll_into_view_with_bool(true);
        } else if let Some(button) = self.button.as_ref().filter(|_| sight.shown(&self.passed).is_none()) {
            // Of what is larger than the view, what stands above the button.
            button.scroll_into_view_with_bool(false);
        }
    }

    /// What is granted and was not in view yet.
    fn unread(&self) -> Option<Element> {
        let frame = self.sight.as_ref()?.frame();
        while let Some(part) = LITERAL.get(self.read.get()) {
            let literal = frame.query_selector(part).ok()?;
            let is_unread =
                |literal: &Element| Room::around(literal).shown_half(literal, &self.passed_next).is_none();
            let unread = literal.filter(is_unread);
            if unread.is_some() {
                return unread;
            }
            self.passed_next.set(0);
            self.read.set(self.read.get() + 1);
        }
        None
    }

    fn see(&self, timed: bool) -> Look {
        let (Some(button), Some(sight)) = (&self.button, &self.sight) else { return Look::Away };
        let hidden = button.owner_document().is_none_or(|document| document.hidden());
        if hidden || sight.is_framed() != Some(true) {
            return Look::Away;
        }
        let shown = sight.shown(&self.passed).filter(|_| self.unread().is_none());
        self.enlarged.set(shown.is_none() && sight.is_enlarged());
        let Some(shown) = shown else { return Look::Away };
        let place = button.get_bounding_client_rect();
        // A look for what is hit takes a browser long: of many buttons, all is looked at when one is pressed.
        let is_brief = timed && self.many;
        if !is_untouched()
            || sight.is_painted_over()
            || !is_uncovered(button, &place, if is_brief { 1 } else { usize::MAX })
            || !(is_brief || is_half_uncovered(sight.frame(), &shown))
        {
            return Look::Covered;
        }
        let [x, y] = sight.on_screen(place.x(), place.y());
        // Whole pixels: what moves by less does not move.
        Look::At([x, y, place.width(), place.height()].map(|length| length.round() as i32))
    }
}

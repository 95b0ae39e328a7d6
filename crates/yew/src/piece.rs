//! One Yew component for everything that remembers something.
//!
//! Every component type brings kilobytes of Yew with it. So there is one, [`Host`]: it keeps the memory of a [`Piece`],
//! draws it, and hands it what people do to it.

use std::any::Any;
use std::rc::Rc;

use countersign_core::{Decision, Refusal};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, FocusOptions, HtmlElement, HtmlTextAreaElement, ScrollIntoViewOptions, ScrollLogicalPosition,
    UiEvent,
};
use yew::context::ContextHandle;
use yew::html::Scope;
use yew::prelude::*;
use yew::virtual_dom::{Key, Listener, ListenerKind, VComp};

use crate::arming::{is_genuine, is_repeat, listen, press_by_key};
use crate::foreign;
use crate::messages::{Catalogue, Messages};

/// Something that is drawn again by itself, with what it remembers from one drawing to the next.
pub(crate) trait Piece: 'static {
    /// What it remembers. It starts anew where another kind of piece stood before.
    type Memory: Default + 'static;

    /// Whether the other one draws the same.
    fn same(&self, other: &Self) -> bool;

    /// What is seen.
    fn draw(&self, memory: &Self::Memory, stage: &Rc<Stage>) -> Html;

    /// Takes up an act; whether something is to be drawn again.
    ///
    /// `event` is absent when the clock acts.
    fn act(&self, memory: &Self::Memory, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool;

    /// What follows when it stands in the document.
    fn drawn(&self, _memory: &Self::Memory, _stage: &Rc<Stage>) {}
}

/// What may happen to a piece.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// It is to be drawn again.
    Draw,
    /// The clock says so.
    Time,
    /// Something is shown or hidden.
    Toggle,
    /// More of a list is asked for.
    More,
    /// The page before is asked for.
    Back,
    /// The page after is asked for.
    Forth,
    /// More time to decide is asked for.
    Extend,
    /// The exact text is asked for, or the tree.
    Raw(bool),
    /// Of what begins at this place of a text, so many rows are asked for.
    Rows(usize, usize),
    /// Of the question at this place, so many choices more than at first are asked for.
    Choices(usize, usize),
    /// The list of rows that begins at this place of a text was scrolled.
    Scroll(usize),
    /// Secrets are shown or masked.
    Reveal,
    /// A text is copied, with its secrets or without.
    Copy(bool),
    /// A text, or the record of what was decided, is saved.
    Save,
    /// A call, or several, are decided.
    Decide(Decision),
    /// A rejection is begun.
    Reject,
    /// Words instead of a run are begun.
    Respond,
    /// Allowing more than this call is begun.
    Grant,
    /// The grant at this place is taken back.
    Revoke(usize),
    /// The switch at this place is turned.
    Switch(usize),
    /// The page of a list that begins at this place is asked for.
    Page(usize),
    /// A form is closed.
    Cancel,
    /// The browser wants to close a dialog.
    Close,
    /// A form is sent.
    Send,
    /// A decision is taken back.
    Undo,
    /// A decision is sent again.
    Retry,
    /// A choice of a question is taken or left; both by place.
    Pick(usize, usize),
    /// Something was typed into the field at this place.
    Type(usize),
    /// Something is about to be typed or put into the masked field at this place.
    Paste(usize),
    /// What was asked to be drawn stands there, though nobody may have been told of it yet.
    Drawn,
    /// A key was pressed.
    Key,
    /// A key was pressed on a button.
    ButtonKey,
    /// The browser wants to submit a form.
    Submit,
    /// A pointer went down on a guarded button.
    Press,
    /// A key went down on a guarded button.
    PressKey,
    /// The focus left a guarded button.
    Leave,
    /// A guarded button was clicked, by whomever.
    Click,
    /// A guarded button was pressed and must not act.
    Refused(Refusal),
    /// What was asked twice is confirmed.
    Confirm,
    /// A review of several calls is begun.
    Review,
    /// A group of calls is chosen or left, or shown alone, by place.
    Group(usize),
    /// The arguments are to be edited.
    Edit,
    /// A draft of other arguments is thrown away.
    Discard,
    /// The whole run is to be ended.
    End,
    /// Something is done to the field at this place of an edited draft.
    Change(usize, Step),
}

/// What may be done to one field of an edited draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It is added.
    Add,
    /// A name for a new one is asked for, or no longer.
    Name,
    /// It is taken out.
    Remove,
    /// It changes places with the one before it.
    Up,
    /// It changes places with the one after it.
    Down,
    /// It becomes what it was when it came.
    Reset,
    /// It is edited as JSON.
    Json,
    /// It is edited as a form.
    Form,
    /// What was typed as JSON is thrown away.
    Drop,
    /// Its text is broken into lines.
    Format,
    /// It gets a value to start with.
    Fill,
    /// It becomes `null`.
    Null,
    /// What it holds is shown or hidden.
    Fold,
    /// More of what it holds is shown.
    More,
    /// The secret in it is shown or masked.
    Reveal,
    /// The focus goes there.
    Go,
    /// The place in its text that cannot be read is shown.
    Find,
}

/// Where a piece stands.
pub(crate) struct Stage {
    plan: Rc<dyn Plan>,
    memory: Rc<dyn Any>,
    link: Scope<Host>,
    root: NodeRef,
    messages: Catalogue,
}

impl Stage {
    /// The words in force.
    #[inline(never)]
    pub(crate) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The handle of the piece's outermost element.
    pub(crate) fn root(&self) -> &NodeRef {
        &self.root
    }

    /// Draws another piece.
    pub(crate) fn place(&self, piece: impl Piece) -> Html {
        hosted(Rc::new(piece), &self.messages, None, true)
    }

    /// Draws another piece with an identity among its neighbours.
    pub(crate) fn place_keyed(&self, key: u32, piece: impl Piece) -> Html {
        hosted(Rc::new(piece), &self.messages, Some(key), true)
    }

    /// Draws what is outermost in its place, with an identity.
    pub(crate) fn host(&self, plan: &Rc<dyn Plan>, key: u32) -> Html {
        host(Rc::clone(plan), &self.messages, Some(key))
    }

    /// Lets the piece act, now.
    #[inline(never)]
    pub(crate) fn act(self: &Rc<Stage>, act: &Act, event: Option<&Event>) {
        if self.plan.act(&*self.memory, self, act, event) {
            self.redraw();
        }
    }

    /// Draws the piece again, soon.
    pub(crate) fn redraw(&self) {
        self.link.send_message(Act::Draw);
    }

    /// Lets the piece act as soon as what is being drawn stands there. Of a drawing that takes long it is told only after the
    /// browser had a turn, in which keys may arrive.
    pub(crate) fn act_once_drawn(self: &Rc<Stage>, act: Act) {
        let stage = Rc::clone(self);
        yew::platform::spawn_local(async move { stage.act(&act, None) });
    }

    /// What draws the piece again.
    pub(crate) fn redrawing(&self) -> Callback<()> {
        let link = self.link.clone();
        Callback::from(move |()| link.send_message(Act::Draw))
    }

    /// Lets the piece act after `delay` milliseconds.
    pub(crate) fn later(&self, delay: u32) -> Timeout {
        let link = self.link.clone();
        Timeout::new(delay, move || link.send_message(Act::Time))
    }

    /// The first element within the piece that a selector names; without one, the outermost element.
    #[inline(never)]
    pub(crate) fn find(&self, selector: Option<&str>) -> Option<Element> {
        let root = self.root.cast::<Element>();
        match selector {
            Some(selector) => root?.query_selector(selector).ok()?,
            None => root,
        }
    }

    /// Moves a focus that nothing on the page has.
    pub(crate) fn catch_focus(&self, selector: Option<&str>) {
        if let Some(element) = self.find(selector)
            && element.owner_document().is_some_and(|document| is_lost(&document))
        {
            focus(element);
        }
    }

    /// Moves the focus. Only after a person acted in the same place.
    pub(crate) fn focus(&self, selector: Option<&str>) {
        if let Some(element) = self.find(selector) {
            focus(element);
        }
    }
}

/// Whether nothing on the page has the focus.
pub(crate) fn is_lost(document: &web_sys::Document) -> bool {
    document.active_element().is_none_or(|element: Element| element.tag_name().eq_ignore_ascii_case("body"))
}

/// Moves the focus without scrolling.
#[inline(never)]
pub(crate) fn focus(element: Element) {
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        // Without focus everything still works.
        let _ = element.focus_with_options(&options);
    }
}

/// Scrolls no further than it takes for an element to be in view.
pub(crate) fn reveal(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Whether a key was pressed once, and not for an input method. Safari tells of the key that ends a composition only
/// when that is over; what then gives it away is its code.
#[inline(never)]
pub(crate) fn is_stroke(key: &KeyboardEvent) -> bool {
    !key.repeat() && !key.is_composing() && key.key_code() != 229
}

/// Whether a click is the second of two, or a later one.
fn is_again(event: &Event) -> bool {
    let click: &UiEvent = event.unchecked_ref();
    click.detail() > 1
}

/// What was typed into the field that an event speaks of.
#[inline(never)]
pub(crate) fn typed(event: Option<&Event>) -> Option<String> {
    // Every field has a value, whatever its class.
    let field: HtmlTextAreaElement = event?.target()?.unchecked_into();
    Some(field.value())
}

/// Hears an event and makes it an act.
pub(crate) struct Ear {
    stage: Rc<Stage>,
    act: Act,
}

impl Ear {
    /// One on this stage.
    pub(crate) fn new(stage: &Rc<Stage>, act: Act) -> Ear {
        Ear { stage: Rc::clone(stage), act }
    }
}

impl Listener for Ear {
    fn kind(&self) -> ListenerKind {
        match self.act {
            Act::Key | Act::ButtonKey | Act::PressKey => ListenerKind::onkeydown,
            Act::Press => ListenerKind::onpointerdown,
            Act::Leave => ListenerKind::onblur,
            Act::Type(_) => ListenerKind::oninput,
            Act::Paste(_) => ListenerKind::other("beforeinput".into()),
            Act::Pick(..) => ListenerKind::onchange,
            Act::Submit => ListenerKind::onsubmit,
            Act::Close => ListenerKind::oncancel,
            Act::Scroll(_) => ListenerKind::onscroll,
            _ => ListenerKind::onclick,
        }
    }

    fn handle(&self, event: Event) {
        if matches!(self.act, Act::ButtonKey | Act::PressKey) {
            press_by_key();
        }
        match self.act {
            Act::Submit => {
                event.prevent_default();
                self.stage.act(&self.act, Some(&event));
            }
            // A held key does not press a button again and again.
            Act::ButtonKey => {
                if is_repeat(&event) {
                    event.prevent_default();
                }
            }
            Act::Key
            | Act::Close
            | Act::Scroll(_)
            | Act::Type(_)
            | Act::Pick(..)
            | Act::Press
            | Act::PressKey
            | Act::Leave
            | Act::Click => self.stage.act(&self.act, Some(&event)),
            // The second click of two was meant for what stood there before.
            Act::Decide(_) | Act::Send | Act::Undo | Act::Revoke(_) if is_again(&event) => {}
            // Only people press.
            _ => {
                if is_genuine(&event) {
                    self.stage.act(&self.act, Some(&event));
                }
            }
        }
    }

    fn passive(&self) -> bool {
        false
    }
}

/// A piece of any kind.
pub(crate) trait Plan: Any {
    fn same(&self, other: &dyn Plan) -> bool;
    fn memory(&self) -> Rc<dyn Any>;
    fn draw(&self, memory: &dyn Any, stage: &Rc<Stage>) -> Html;
    fn act(&self, memory: &dyn Any, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool;
    fn drawn(&self, memory: &dyn Any, stage: &Rc<Stage>);
}

impl<P: Piece> Plan for P {
    fn same(&self, other: &dyn Plan) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other| Piece::same(self, other))
    }

    fn memory(&self) -> Rc<dyn Any> {
        Rc::new(P::Memory::default())
    }

    fn draw(&self, memory: &dyn Any, stage: &Rc<Stage>) -> Html {
        known(memory).map(|memory| Piece::draw(self, memory, stage)).unwrap_or_default()
    }

    fn act(&self, memory: &dyn Any, stage: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        known(memory).is_some_and(|memory| Piece::act(self, memory, stage, act, event))
    }

    fn drawn(&self, memory: &dyn Any, stage: &Rc<Stage>) {
        if let Some(memory) = known(memory) {
            Piece::drawn(self, memory, stage);
        }
    }
}

/// The memory of a piece; it is always of its kind.
#[inline(never)]
fn known<M: 'static>(memory: &dyn Any) -> Option<&M> {
    memory.downcast_ref()
}

/// Draws an outermost piece, with these words.
pub(crate) fn host(plan: Rc<dyn Plan>, messages: &Catalogue, key: Option<u32>) -> Html {
    hosted(plan, messages, key, false)
}

#[inline(never)]
fn hosted(plan: Rc<dyn Plan>, messages: &Catalogue, key: Option<u32>, within: bool) -> Html {
    let props = HostProps { plan, messages: messages.clone(), within };
    VComp::new::<Host>(Rc::new(props), key.map(Key::from)).into()
}

/// Properties of [`Host`].
#[derive(Properties)]
pub(crate) struct HostProps {
    plan: Rc<dyn Plan>,
    messages: Catalogue,
    /// It stands within another one.
    within: bool,
}

impl HostProps {
    /// For a piece around which nothing is, with these words.
    pub(crate) fn new(piece: impl Piece, messages: Catalogue) -> HostProps {
        HostProps { plan: Rc::new(piece), messages, within: false }
    }
}

impl PartialEq for HostProps {
    fn eq(&self, other: &HostProps) -> bool {
        self.messages == other.messages && self.plan.same(&*other.plan)
    }
}

/// The component: a piece and its memory.
pub(crate) struct Host {
    stage: Rc<Stage>,
}

impl Host {
    fn stage(context: &Context<Host>, memory: Rc<dyn Any>, root: NodeRef) -> Rc<Stage> {
        let HostProps { plan, messages, .. } = context.props();
        Rc::new(Stage {
            plan: Rc::clone(plan),
            memory,
            link: context.link().clone(),
            root,
            messages: messages.clone(),
        })
    }
}

impl Component for Host {
    type Message = Act;
    type Properties = HostProps;

    fn create(context: &Context<Host>) -> Host {
        Host { stage: Host::stage(context, context.props().plan.memory(), NodeRef::default()) }
    }

    fn update(&mut self, _: &Context<Host>, act: Act) -> bool {
        matches!(act, Act::Draw) || self.stage.plan.act(&*self.stage.memory, &self.stage, &act, None)
    }

    fn changed(&mut self, context: &Context<Host>, _: &HostProps) -> bool {
        let plan = &context.props().plan;
        let alike = (&**plan as &dyn Any).type_id() == (&*self.stage.plan as &dyn Any).type_id();
        let memory = if alike { Rc::clone(&self.stage.memory) } else { plan.memory() };
        self.stage = Host::stage(context, memory, self.stage.root.clone());
        true
    }

    fn view(&self, _: &Context<Host>) -> Html {
        foreign::begin();
        self.stage.plan.draw(&*self.stage.memory, &self.stage)
    }

    fn rendered(&mut self, context: &Context<Host>, _: bool) {
        foreign::end();
        listen();
        if let Some(root) = self.stage.find(None).filter(|_| !context.props().within) {
            foreign::watch(&root);
        }
        self.stage.plan.drawn(&*self.stage.memory, &self.stage);
    }
}

/// The words for a component that stands alone: given ones, else those of the context, else English.
#[derive(Debug)]
pub(crate) struct Wording {
    words: Catalogue,
    _context: Option<ContextHandle<Catalogue>>,
}

impl Wording {
    /// The words where a component stands; `changed` hears of others.
    pub(crate) fn of<C: Component<Message = Catalogue>>(context: &Context<C>) -> Wording {
        let link = context.link().clone();
        let found = context.link().context(Callback::from(move |words| link.send_message(words)));
        match found {
            Some((words, handle)) => Wording { words, _context: Some(handle) },
            None => Wording { words: Catalogue::default(), _context: None },
        }
    }

    /// Takes up others.
    pub(crate) fn replace(&mut self, words: Catalogue) {
        self.words = words;
    }

    /// The words.
    pub(crate) fn words(&self) -> &Catalogue {
        &self.words
    }
}

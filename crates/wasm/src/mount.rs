//! The interface, drawn into a shadow root that JavaScript owns.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{GrantDraft, GrantWish, Millis, RequestView};
use countersign_yew::{
    ARM_DELAY, Catalogue, Connection, Granting, InboxPanelProps, Intent, Outlet, Refused, Renderers, Scene,
    Writing, adopt_styles, notice,
};
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ShadowRoot};
use yew::{AttrValue, Callback};

use crate::desk::Desk;
use crate::error;
use crate::inbox::RawInbox;
use crate::intent::act;
use crate::options::{Interface, millis};

thread_local! {
    // Yew never takes the listeners of an application off its place again, and so keeps both: they are used again.
    static FREE: RefCell<Vec<(Outlet, Element)>> = const { RefCell::new(Vec::new()) };
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// Something that was drawn; as long as it lives, JavaScript can have it drawn again.
#[wasm_bindgen]
pub struct Handle {
    outlet: Outlet,
    place: Element,
    /// What is to be seen, at a moment where countdowns are drawn.
    scene: Box<dyn Fn(Option<Millis>, Connection) -> Option<Scene>>,
    words: Catalogue,
    connection: Connection,
    /// The inbox that is drawn, if one is.
    desk: Option<Rc<RefCell<Desk>>>,
    refused: Last,
    turn: u32,
    /// How many requests have the id of the card; 0 where no card was asked for.
    named: Named,
}

/// The last act that was not taken.
pub(crate) type Last = Rc<RefCell<Option<Rc<Refused>>>>;

/// How many requests have an id.
pub(crate) type Named = Rc<Cell<usize>>;

/// Draws the panel of `inbox` into a shadow root.
///
/// When a person acts, `now()` is asked for the moment, the inbox judges, and `acted(error)` is called, once without an
/// error when it was done, or with JSON text, `{ code, message, help? }`, for each act that was refused. What the page itself has to
/// do is told as `acted(undefined, "export")`: save the record of all decisions; and `acted(undefined, "extend", id)`: a
/// person wants more time for this request. Before it announces something, `acted(undefined, "speak")` is asked whether it is this
/// panel that does, `undefined`: nobody would hear it now.
///
/// # Errors
/// Throws what the document throws when it cannot hold another element.
#[wasm_bindgen]
pub fn mount(root: &ShadowRoot, inbox: &RawInbox, now: Function, acted: Function) -> Result<Handle, JsValue> {
    let speaks = {
        let acted = acted.clone();
        Callback::from(move |()| {
            let asked = acted.call2(&JsValue::NULL, &JsValue::UNDEFINED, &JsValue::from_str("speak"));
            asked.map_or(Some(true), |asked| asked.as_bool())
        })
    };
    let front = Front::new(inbox, now, acted);
    let (desk, refused) = (Some(Rc::clone(&front.desk)), Rc::clone(&front.refused));
    let scene = move |now, connection| {
        let requests = front.desk.borrow_mut().views();
        let connection = match connection {
            Connection::Live if front.desk.borrow().is_unread() => Connection::Unread,
            known => known,
        };
        let speaks = Some(speaks.clone());
        Some(InboxPanelProps { connection, speaks, ..front.panel(Some(requests), now) }.into())
    };
    Handle::new(root, Box::new(scene), desk, refused, Named::default())
}

/// Draws one card of `inbox` into a shadow root: that of the request with this bare or scoped id, if there is one.
///
/// `now` and `acted` are as for [`mount`].
///
/// # Errors
/// Throws what the document throws when it cannot hold another element.
#[wasm_bindgen(js_name = mountCard)]
pub fn mount_card(
    root: &ShadowRoot,
    inbox: &RawInbox,
    request: String,
    now: Function,
    acted: Function,
) -> Result<Handle, JsValue> {
    let front = Front::new(inbox, now, acted);
    let (desk, refused) = (Some(Rc::clone(&front.desk)), Rc::clone(&front.refused));
    let named = Named::default();
    let count = Rc::clone(&named);
    let scene = move |now, _| {
        let (request, others) = find(&front.desk.borrow_mut().views(), &request);
        count.set(usize::from(request.is_some()) + others);
        Some(front.panel(None, now).card(request.filter(|_| others == 0)?).into())
    };
    Handle::new(root, Box::new(scene), desk, refused, named)
}

/// The card of this scoped id, else the first one of this bare id, and how many others have that.
fn find(views: &[Rc<RequestView>], id: &str) -> (Option<Rc<RequestView>>, usize) {
    if let Some(scoped) = views.iter().find(|view| view.id == id) {
        return (Some(Rc::clone(scoped)), 0);
    }
    let is_it = |view: &&Rc<RequestView>| view.request.as_ref().is_some_and(|own| own.as_str() == id);
    let mut found = views.iter().filter(is_it);
    (found.next().cloned(), found.count())
}

/// An inbox as people act on it.
struct Front {
    desk: Rc<RefCell<Desk>>,
    on_intent: Callback<Intent>,
    draft: Callback<GrantWish, Option<GrantDraft>>,
    writing: Writing,
    /// The last act that the inbox did not take.
    refused: Last,
    moment: Rc<dyn Fn() -> Millis>,
    interface: Interface,
}

impl Front {
    fn new(inbox: &RawInbox, now: Function, acted: Function) -> Front {
        let desk = inbox.desk();
        let moment: Rc<dyn Fn() -> Millis> = Rc::new(move || read_clock(&now));
        let refused = Last::default();
        let on_intent = {
            let (desk, moment, refused) = (Rc::clone(&desk), Rc::clone(&moment), Rc::clone(&refused));
            Callback::from(move |intent| match wish(&intent) {
                Some((wish, request)) => {
                    // What was said of the last one is no answer to this one.
                    refused.take();
                    let (wish, request) = (JsValue::from_str(wish), JsValue::from_str(request));
                    // What the page does with the wish is its own affair.
                    let _ = acted.call3(&JsValue::NULL, &JsValue::UNDEFINED, &wish, &request);
                }
                None => judge(&desk, moment(), intent, &refused, &acted),
            })
        };
        let draft = {
            let (desk, moment) = (Rc::clone(&desk), Rc::clone(&moment));
            Callback::from(move |wish| {
                // The page's own clock: it may look at the inbox.
                let now = moment();
                desk.try_borrow().ok()?.draft(&wish, now)
            })
        };
        let writing = writing(&desk);
        let interface = inbox.interface().clone();
        Front { desk, on_intent, draft, writing, refused, moment, interface }
    }

    /// The panel of these cards, as the host wants it to behave; without any it lends what it knows to a card alone.
    fn panel(&self, requests: Option<Rc<[Rc<RequestView>]>>, now: Option<Millis>) -> InboxPanelProps {
        let Interface { arm_delay, shortcuts, extend } = &self.interface;
        InboxPanelProps {
            granting: self.granting(requests.is_some()),
            requests: requests.unwrap_or_default(),
            on_intent: self.on_intent.clone(),
            now,
            messages: None,
            arm_delay: arm_delay.unwrap_or(ARM_DELAY),
            renderers: Renderers::default(),
            shortcuts: Rc::clone(shortcuts),
            extendable: *extend,
            writing: self.writing.clone(),
            refused: self.refused.borrow().clone(),
            connection: Connection::Live,
            speaks: None,
        }
    }

    /// What people may allow now; the same list as before as long as it looks the same. Only who lists what was granted
    /// needs it: to write all of that out takes long, and a page may show hundreds of cards.
    fn granting(&self, lists: bool) -> Option<Granting> {
        if !self.desk.borrow().keeper().keeps() {
            return None;
        }
        // Before anything is borrowed: the page's own clock may look at the inbox.
        let now = (self.moment)();
        let desk = self.desk.borrow();
        let grants = if lists { desk.grant_views(now) } else { Rc::default() };
        Some(Granting { draft: self.draft.clone(), grants, lasting: desk.lasting() })
    }
}

/// What the page itself has to do, and for which request.
fn wish(intent: &Intent) -> Option<(&'static str, &str)> {
    match intent {
        Intent::Export => Some(("export", "")),
        Intent::Extend(request) => Some(("extend", request)),
        _ => None,
    }
}

/// Has the inbox judge an act, and tells the page what came of it.
fn judge(desk: &RefCell<Desk>, now: Millis, intent: Intent, refused: &Last, acted: &Function) {
    let request = match &intent {
        Intent::Decide { request, .. } => Some(request.clone()),
        _ => None,
    };
    let refusals = act(&mut desk.borrow_mut(), now, intent);
    let last = request.zip(refusals.first()).map(|(request, refusal)| {
        desk.borrow_mut().note_refusal();
        let (code, message) = (Some(refusal.code()), refusal.to_string());
        Rc::new(Refused { request, code, message, more_time: false })
    });
    refused.replace(last);
    let tell = |value: &JsValue| {
        // What the page does with the news is its own affair; its errors were reported there.
        let _ = acted.call1(&JsValue::NULL, value);
    };
    if refusals.is_empty() {
        tell(&JsValue::UNDEFINED);
    }
    refusals.iter().map(error::refused).for_each(|error| tell(&error));
}

/// What the host says about everything that people write.
fn writing(desk: &Rc<RefCell<Desk>>) -> Writing {
    let edit_risk = {
        let desk = Rc::clone(desk);
        Callback::from(move |(id, edited): (String, Arc<str>)| {
            let desk = desk.try_borrow().ok()?;
            let request = desk.inbox().find(&id).ok()?;
            desk.inbox().edit_risk(&request, &edited)
        })
    };
    let desk = desk.borrow();
    let presets = desk.rejection_presets().iter().map(|preset| AttrValue::from(preset.clone()));
    Writing {
        words: desk.words(),
        rejection_presets: presets.collect(),
        drafts: desk.drafts.clone(),
        edit_risk: Some(edit_risk),
    }
}

/// The moment that the page counts as now.
pub(crate) fn read_clock(now: &Function) -> Millis {
    millis(now.call0(&JsValue::NULL).ok().and_then(|moment| moment.as_f64()).unwrap_or_default())
}

#[wasm_bindgen]
impl Handle {
    /// Draws what changed; countdowns are drawn for the moment `now`, or not at all. Returns how many requests have the id of
    /// the card: several are not drawn.
    pub fn draw(&mut self, now: Option<f64>) -> usize {
        let scene = (self.scene)(now.map(millis), self.connection);
        self.outlet.show(scene, self.words.clone(), self.turn);
        self.named.get()
    }

    /// Says from the next drawing on that the backend was not reached yet (1), cannot be reached (2), or neither (0).
    pub fn connection(&mut self, state: u32) {
        self.connection = match state {
            1 => Connection::Connecting,
            2 => Connection::Lost,
            _ => Connection::Live,
        };
    }

    /// Says on the card of this scoped id, from the next drawing on, why the host gives no more time.
    #[wasm_bindgen(js_name = noMoreTime)]
    pub fn no_more_time(&mut self, request: String, message: String) {
        self.refused.replace(Some(Rc::new(Refused { request, code: None, message, more_time: true })));
    }

    /// Says the words of `catalogue`, and over them those of `own`, from the next drawing on; both are the texts of JSON
    /// objects, or empty. While they are `provisional`, nothing is announced. Returns what is wrong with them, one sentence a
    /// line.
    pub fn speak(&mut self, catalogue: &str, own: &str, provisional: bool) -> String {
        self.words = Catalogue::default();
        let mut told = String::new();
        for text in [catalogue, own] {
            if text.is_empty() {
                continue;
            }
            let translation = self.words.with_json(text);
            self.words = translation.catalogue;
            for problem in translation.problems {
                told.push_str(&problem.to_string());
                told.push('\n');
            }
        }
        if provisional {
            self.words = self.words.provisional();
        }
        told
    }

    /// What waits, in a sentence for people who look elsewhere: tools and a count, never arguments.
    pub fn notice(&self) -> String {
        let views = self.desk.as_ref().map(|desk| desk.borrow_mut().views()).unwrap_or_else(|| Rc::from([]));
        notice(&views, &self.words)
    }

    /// Takes away what was drawn.
    pub fn unmount(mut self) {
        self.outlet.show(None, Catalogue::default(), self.turn);
        // A page that writes itself anew takes all listeners out of what it had, and Yew would put none back.
        let is_deaf = self.place.owner_document().is_some_and(|document| document.ready_state() == "loading");
        // It is emptied later; its place goes now, so that another one can be mounted at once.
        self.place.remove();
        if !is_deaf {
            FREE.with_borrow_mut(|free| free.push((self.outlet, self.place)));
        }
    }
}

impl Handle {
    pub(crate) fn new(
        root: &ShadowRoot,
        scene: Box<dyn Fn(Option<Millis>, Connection) -> Option<Scene>>,
        desk: Option<Rc<RefCell<Desk>>>,
        refused: Last,
        named: Named,
    ) -> Result<Handle, JsValue> {
        adopt_styles(root);
        let (words, connection) = (Catalogue::default(), Connection::Live);
        let turn = TURNS.get().wrapping_add(1);
        TURNS.set(turn);
        let drawn = scene(None, connection);
        let (outlet, place) = match FREE.with_borrow_mut(Vec::pop) {
            Some((mut outlet, place)) => {
                root.append_child(&place)?;
                outlet.show(drawn, words.clone(), turn);
                (outlet, place)
            }
            None => {
                let place = root.owner_document().ok_or(JsValue::NULL)?.create_element("div")?;
                root.append_child(&place)?;
                (Outlet::new(place.clone(), drawn, words.clone(), turn), place)
            }
        };
        Ok(Handle { outlet, place, scene, words, connection, desk, refused, turn, named })
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Handle")
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::{InboxOptions, Input};
    use countersign_protocols::{AdapterOptions, adapter};

    use super::*;

    #[test]
    fn r01_an_id_that_several_requests_have_is_that_of_none_of_them() {
        let adapter = adapter("haystack", &AdapterOptions::default()).unwrap();
        let mut desk = Desk::new(adapter, InboxOptions::default());
        let asked = |id: &str| {
            format!(r#"{{"type":"approval_request","id":"{id}","tool_name":"pay","tool_params":{{}}}}"#)
        };
        for id in ["r1", "r2"] {
            desk.handle(Millis(1), Input::Receive { text: &asked(id), rounded: false }).unwrap();
        }
        let mut views: Vec<Rc<RequestView>> = desk.views().to_vec();
        let counted = |views: &[Rc<RequestView>], id: &str| {
            let (first, others) = find(views, id);
            (first.map(|view| view.id.clone()), others)
        };
        let scoped = views[0].id.clone();
        assert_eq!(counted(&views, "r1"), (Some(scoped.clone()), 0));
        let other = RequestView { id: "other/r1".to_owned(), ..RequestView::clone(&views[0]) };
        views.push(Rc::new(other));
        assert_eq!(counted(&views, "r1"), (Some(scoped.clone()), 1));
        assert_eq!(counted(&views, &scoped), (Some(scoped), 0));
        assert_eq!(counted(&views, "r3"), (None, 0));
    }
}

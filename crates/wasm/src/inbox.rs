//! The inbox that JavaScript holds.

use std::cell::RefCell;
use std::rc::Rc;
use std::str::{Utf8Error, from_utf8};

use countersign_core::{
    Input, Millis, Outbound, OutboundId, Problem, ProblemCode, Refusal, RequestRef, Shown,
};
use countersign_json::Writer;
use wasm_bindgen::prelude::*;

use crate::decision::{Given, read_decision, shown};
use crate::desk::{Desk, News};
use crate::error::{no_decision, no_options, refused};
use crate::json;
#[cfg(feature = "element")]
use crate::options::{Interface, interface};
use crate::options::{desk, millis};

/// The inbox that the TypeScript class `Inbox` wraps: bytes and JSON text in, JSON text out.
#[wasm_bindgen]
#[derive(Clone, Debug)]
pub struct RawInbox {
    desk: Rc<RefCell<Desk>>,
    #[cfg(feature = "element")]
    interface: Interface,
}

#[wasm_bindgen]
impl RawInbox {
    /// An empty inbox with options given as the text of a JSON object.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path? }` with `options-invalid` or `unknown-adapter`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, seed: &str) -> Result<RawInbox, JsValue> {
        let desk = desk(options, seed).map_err(|error| no_options(&error))?;
        Ok(RawInbox {
            desk: Rc::new(RefCell::new(desk)),
            #[cfg(feature = "element")]
            interface: interface(options).map_err(|error| no_options(&error))?,
        })
    }

    /// Takes in UTF-8 bytes that arrived; returns a receipt.
    pub fn receive(&self, message: &[u8], rounded: bool, at: f64) -> String {
        self.arrive(from_utf8(message).map(|text| Input::Receive { text, rounded }), at)
    }

    /// Takes in a message that the host itself sent; returns a receipt.
    pub fn own(&self, message: &[u8], at: f64) -> String {
        self.arrive(from_utf8(message).map(|text| Input::Own { text }), at)
    }

    /// Rebuilds everything from history; returns a receipt.
    pub fn restore(&self, history: Vec<u8>, rounded: bool, at: f64) -> String {
        // The bytes were copied on their way into wasm, and are not copied again.
        let text = String::from_utf8(history).map_err(|error| error.utf8_error());
        self.arrive(text.map(|text| Input::Restore { text: text.into(), rounded }), at)
    }

    fn arrive(&self, input: Result<Input<'_>, Utf8Error>, at: f64) -> String {
        let news = match input {
            // Nothing that arrives is refused.
            Ok(input) => self.desk.borrow_mut().handle(millis(at), input).unwrap_or_default(),
            Err(error) => News { problems: vec![not_utf8(&error)], ..News::default() },
        };
        receipt(&news)
    }

    /// How many cards there are.
    #[wasm_bindgen(getter)]
    pub fn size(&self) -> usize {
        self.desk.borrow().len()
    }

    /// How many cards wait for a person.
    #[wasm_bindgen(getter)]
    pub fn waiting(&self) -> usize {
        self.desk.borrow().waiting()
    }

    /// How many decisions were taken here and have not left yet.
    #[wasm_bindgen(getter)]
    pub fn held(&self) -> usize {
        self.desk.borrow().held()
    }

    /// Whether a card with a schema of its arguments was drawn: an edit would be held against it.
    #[wasm_bindgen(getter, js_name = hasSchema)]
    pub fn has_schema(&self) -> bool {
        self.desk.borrow().has_schema()
    }

    /// Whether a card whose arguments may be edited was drawn.
    #[wasm_bindgen(getter, js_name = hasEdits)]
    pub fn has_edits(&self) -> bool {
        self.desk.borrow().has_edits()
    }

    /// A number that moves whenever any card may look different.
    #[wasm_bindgen(getter)]
    pub fn revision(&self) -> u32 {
        self.desk.borrow().revision()
    }

    /// The cards among `count` from `from` on that look different since they were read here last.
    ///
    /// # Shape
    /// A JSON array: place, view, place, view, and so on.
    pub fn changed(&self, from: usize, count: usize) -> String {
        let changed = self.desk.borrow_mut().read_changed(from, count);
        let mut writer = Writer::new();
        writer.begin_array();
        for (place, view) in &changed {
            writer.integer(i64::try_from(*place).unwrap_or(i64::MAX));
            json::view(&mut writer, view);
        }
        writer.end_array();
        writer.finish()
    }

    /// The scoped id of the card with this key.
    pub fn id(&self, key: u32) -> Option<String> {
        self.desk.borrow_mut().id(key)
    }

    /// How much care a request needs if it is answered with these arguments, given as JSON text.
    ///
    /// # Shape
    /// `{ level, reasons: [{ source, code, message }] }`.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help? }` where there is no such request.
    #[wasm_bindgen(js_name = editRisk)]
    pub fn edit_risk(&self, request: &str, args: &str) -> Result<String, JsValue> {
        let desk = self.desk.borrow();
        let request = desk.inbox().find(request).map_err(|error| refused(&error))?;
        let mut writer = Writer::new();
        json::risk(&mut writer, &desk.inbox().edit_risk(&request, args).unwrap_or_default());
        Ok(writer.finish())
    }

    /// A person decided.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`.
    pub fn decide(&self, request: &str, decision: &str, at: f64) -> Result<(), JsValue> {
        let Given { decision, seen, offer } = read_decision(decision).map_err(|error| no_decision(&error))?;
        let mut desk = self.desk.borrow_mut();
        let found = desk.keeping().1.find_for_decision(millis(at), request, seen.as_ref());
        let request = found.map_err(|error| refused(&error))?;
        let input = Input::Decide { request, decision, seen, offer };
        desk.handle(millis(at), input).map(drop).map_err(|error| refused(&error))
    }

    /// A person decided several requests at once. `digests`, `tools`: for each that of the arguments that were on screen,
    /// and its tool behind an equals sign, empty where none is named.
    ///
    /// # Shape
    /// Returns for each request its refusal's code as a JSON array, `null` where it was decided.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path? }` when the object is not a decision.
    #[wasm_bindgen(js_name = decideAll)]
    pub fn decide_all(
        &self,
        requests: Vec<String>,
        digests: Vec<String>,
        tools: Vec<String>,
        decision: &str,
        at: f64,
    ) -> Result<String, JsValue> {
        let Given { decision, seen, offer } = read_decision(decision).map_err(|error| no_decision(&error))?;
        let mut desk = self.desk.borrow_mut();
        let (mut found, mut known) = (Vec::new(), Vec::new());
        for ((id, digest), tool) in requests.iter().zip(digests).zip(&tools) {
            let own = shown(Some(digest).filter(|digest| !digest.is_empty()), named(tool));
            let seen = both(own, seen.as_ref());
            let request = desk.keeping().1.find_for_decision(millis(at), id, seen.as_ref());
            known.extend(request.iter().map(|request| (request.clone(), seen.clone())));
            found.push(request);
        }
        let news = desk
            .handle(millis(at), Input::DecideAll { requests: known, decision, offer })
            .map_err(|error| refused(&error))?;
        Ok(fates(&found, &news.refused))
    }

    /// A person takes back a decision that is not sent yet.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`.
    pub fn undo(&self, request: &str, at: f64) -> Result<(), JsValue> {
        self.act(request, at, Input::Undo)
    }

    /// A person sends again what did not arrive.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`.
    pub fn retry(&self, request: &str, at: f64) -> Result<(), JsValue> {
        self.act(request, at, Input::Retry)
    }

    fn act<'a>(
        &self,
        request: &str,
        at: f64,
        input: impl FnOnce(RequestRef) -> Input<'a>,
    ) -> Result<(), JsValue> {
        let mut desk = self.desk.borrow_mut();
        let request = desk.inbox().find(request).map_err(|error| refused(&error))?;
        desk.handle(millis(at), input(request)).map(drop).map_err(|error| refused(&error))
    }

    /// The messages that became due, as a JSON array of `{ id, adapter, requestIds, body, transport }`.
    #[wasm_bindgen(js_name = takeOutbound)]
    pub fn take_outbound(&self, at: f64) -> String {
        outbounds(&self.desk.borrow_mut().take_outbound(millis(at)))
    }

    /// The host delivered a message.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message }`.
    pub fn delivered(&self, id: &str, at: f64) -> Result<(), JsValue> {
        self.report(at, Input::Delivered(OutboundId::from(id)))
    }

    /// The host could not deliver a message.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message }`.
    pub fn failed(
        &self,
        id: &str,
        status: Option<u16>,
        message: Option<String>,
        late: bool,
        at: f64,
    ) -> Result<(), JsValue> {
        let id = OutboundId::from(id);
        self.report(
            at,
            match late {
                true => Input::Lost { id, message: message.unwrap_or_default() },
                false => Input::Failed { id, status, message },
            },
        )
    }

    fn report(&self, at: f64, input: Input<'_>) -> Result<(), JsValue> {
        self.desk.borrow_mut().handle(millis(at), input).map(drop).map_err(|error| refused(&error))
    }

    /// Another tab has decided, and the backend has that decision.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`.
    #[wasm_bindgen(js_name = decidedElsewhere)]
    pub fn decided_elsewhere(&self, request: &str, decision: &str, at: f64) -> Result<(), JsValue> {
        let Given { decision, .. } = read_decision(decision).map_err(|error| no_decision(&error))?;
        self.act(request, at, |request| Input::Elsewhere { request, decision })
    }

    /// The agent waits longer than it said.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, help?, path? }`.
    pub fn extend(&self, request: &str, until: f64, at: f64) -> Result<(), JsValue> {
        self.act(request, at, |request| Input::Extend { request, until: millis(until) })
    }

    /// Whether something is held that [`RawInbox::leave`] may send.
    #[wasm_bindgen(getter)]
    pub fn holds(&self) -> bool {
        self.desk.borrow().inbox().is_holding()
    }

    /// Nobody looks any more: what is held and only rejects goes out now.
    pub fn leave(&self, at: f64) {
        // Leaving is never refused.
        let _ = self.desk.borrow_mut().handle(millis(at), Input::Leave);
    }

    /// Time has passed.
    pub fn tick(&self, at: f64) {
        // Time is never refused.
        let _ = self.desk.borrow_mut().handle(millis(at), Input::Tick);
    }

    /// When to call `tick` next, in milliseconds since the Unix epoch.
    #[wasm_bindgen(getter, js_name = nextWake)]
    pub fn next_wake(&self) -> Option<f64> {
        self.desk.borrow().next_wake().map(|Millis(moment)| moment as f64)
    }

    /// What the host should know now, as a JSON array of `{ code, message }`.
    pub fn advice(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_array();
        for advice in &self.desk.borrow().advice() {
            json::advice(&mut writer, advice);
        }
        writer.end_array();
        writer.finish()
    }

    /// Everything that was decided and sent here, as JSON Lines.
    pub fn audit(&self) -> String {
        self.desk.borrow().inbox().audit().to_json_lines().to_owned()
    }
}

impl RawInbox {
    /// What the interface draws from, shared with JavaScript.
    pub(crate) fn desk(&self) -> Rc<RefCell<Desk>> {
        Rc::clone(&self.desk)
    }
}

#[cfg(feature = "element")]
impl RawInbox {
    /// How the interface behaves.
    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }
}

/// A name behind an equals sign; nothing: none is given.
fn named(text: &str) -> Option<String> {
    text.strip_prefix('=').map(str::to_owned)
}

/// What was on screen of one of several requests, else what was of all of them.
fn both(own: Option<Shown>, all: Option<&Shown>) -> Option<Shown> {
    match (own, all) {
        (Some(own), Some(all)) => Some(Shown {
            digest: own.digest.or_else(|| all.digest.clone()),
            tool: own.tool.or_else(|| all.tool.clone()),
        }),
        (own, all) => own.or_else(|| all.cloned()),
    }
}

fn not_utf8(error: &Utf8Error) -> Problem {
    let place = ["byte ", &error.valid_up_to().to_string()].concat();
    Problem::new(ProblemCode::EncodingInvalid, "the bytes are not UTF-8").at(place)
}

/// `{ changed, hidden, problems }`, where `changed` holds keys.
fn receipt(news: &News) -> String {
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("changed").begin_array();
    for key in &news.changed {
        writer.integer(i64::from(*key));
    }
    writer.end_array();
    writer.key("hidden").begin_array();
    for hidden in &news.hidden {
        writer.bool(*hidden);
    }
    writer.end_array();
    writer.key("problems").begin_array();
    for problem in &news.problems {
        json::problem(&mut writer, problem);
    }
    writer.end_array();
    writer.end_object();
    writer.finish()
}

fn outbounds(due: &[Outbound]) -> String {
    let mut writer = Writer::new();
    writer.begin_array();
    for outbound in due {
        writer.begin_object();
        writer.key("id").string(outbound.id.as_str());
        writer.key("adapter").string(outbound.adapter);
        writer.key("requestIds").begin_array();
        for request in &outbound.requests {
            writer.string(request.id.as_str());
        }
        writer.end_array();
        writer.key("body").string(&outbound.body);
        writer.key("transport").raw(&outbound.transport);
        writer.end_object();
    }
    writer.end_array();
    writer.finish()
}

/// For each request the code of its refusal. The inbox tells refusals in the order of the requests.
fn fates(found: &[Result<RequestRef, Refusal>], refused: &[Refusal]) -> String {
    let mut left = refused.iter().peekable();
    let mut writer = Writer::new();
    writer.begin_array();
    for request in found {
        let refusal = match request {
            Ok(request) => left.next_if(|refusal| is_of(refusal, request)),
            Err(refusal) => Some(refusal),
        };
        match refusal {
            Some(refusal) => writer.string(refusal.code().as_str()),
            None => writer.null(),
        };
    }
    writer.end_array();
    writer.finish()
}

fn is_of(refusal: &Refusal, asked: &RequestRef) -> bool {
    match refusal {
        Refusal::UnknownRequest { id } => *id == asked.to_string(),
        Refusal::AlreadyDecided { request, .. }
        | Refusal::NotOffered { request, .. }
        | Refusal::Expired { request }
        | Refusal::Superseded { request }
        | Refusal::ArgsInvalid { request, .. }
        | Refusal::ArgsAmbiguous { request, .. }
        | Refusal::ArgsChanged { request }
        | Refusal::IncompleteAnswer { request, .. }
        | Refusal::ReasonRequired { request }
        | Refusal::WordsTooLong { request, .. }
        | Refusal::Blocked { request } => request == asked,
        _ => false,
    }
}

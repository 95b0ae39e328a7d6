//! Requests: from what arrives to what a person is asked.

use std::sync::Arc;

use countersign_core::{
    ArgsText, Argument, Ask, BatchId, BatchRule, CallId, EditRule, Millis, Observation, Offer, OfferKind,
    ProblemCode, RequestId, Standing, Subject, Text, ToolCall, Words,
};
use countersign_json::{Document, Limits, Value, canonical, names, sha256_hex};

use super::memory::{Entry, Stage, Way};
use super::read::{ACTIONS, CONTRACT, Reader, action_kind, words};
use crate::reading::{self, doubt, problem};

/// A request on its way into the inbox, besides what the memory keeps.
#[derive(Default)]
pub(super) struct Asking {
    pub(super) offers: Vec<Offer>,
    pub(super) description: Option<Text>,
    pub(super) schema: Option<Arc<str>>,
    pub(super) doubt: Option<String>,
    pub(super) timeout: Option<Millis>,
    /// What it is answered together with.
    pub(super) batch: Option<BatchId>,
    pub(super) is_unasked: bool,
}

impl Reader<'_> {
    /// Reads a request of the contract and says where it is remembered; in a pending map it stands under its id, and
    /// should stand there once.
    pub(super) fn request(&mut self, value: Value<'_>, key: Option<Text>, is_repeated: bool) -> Option<u32> {
        let [id, tool, description, params, call, schema, allowed, timeout] = value.named(names![
            "id",
            "tool_name",
            "tool_description",
            "tool_params",
            "tool_call_id",
            "parameters",
            "allowed_actions",
            "timeout_s",
        ]);
        let way = if key.is_some() { Way::Http } else { Way::Message };
        let (Some(wire), Some(tool)) = (key.or_else(|| self.shared(id)), self.shared(tool)) else {
            problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a request whose id or tool's name is no text",
                value,
            );
            return None;
        };
        let entry = self.entry(wire, self.call_id(call), tool, self.args(params), way);
        let asking = Asking {
            offers: offers(allowed),
            description: words(self.source, description),
            schema: schema.filter(|schema| schema.is_object()).map(|schema| Arc::from(schema.text())),
            doubt: doubt(value, "/tool_params")
                .or_else(|| is_repeated.then(|| "the list has several requests with this id".to_owned())),
            timeout: reading::timeout(timeout),
            ..Asking::default()
        };
        let known = self.conversation.on_wire(&entry.wire, CONTRACT).next();
        if let Some(at) = known.filter(|_| !self.is_log) {
            self.conversation.found(at);
        }
        if known.is_none() && !entry.has_way() {
            let sentence = "an id of dots cannot stand in the path of an answer";
            problem(self.reading, ProblemCode::PartInvalid, sentence, value);
        }
        let early = if known.is_none() { self.conversation.expected(&entry.wire) } else { None };
        let at = self.remember(known, entry);
        self.ask(at, asking);
        if let Some(Ok(said)) = early.as_ref().map(|said| Document::parse(said, &Limits::default())) {
            self.resolved(said.root(), false);
        }
        Some(at)
    }

    /// Reads hayhooks' request: one word answers it, and without an id nothing does.
    pub(super) fn started(&mut self, value: Value<'_>, id: Option<Text>) {
        let [tool, arguments] = value.named(names!["tool_name", "arguments"]);
        let Some(tool) = self.shared(tool) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a tool call without the tool's name",
                value,
            );
        };
        let args = self.args(arguments);
        let shown = arguments.into();
        let call = id.clone().map(CallId::from);
        // A repetition is the same request; other arguments after the backend's word are another call.
        let known = id.as_deref().and_then(|id| {
            let mut known = self.conversation.on_wire(id, [Way::Event; 2]);
            known.find(|at| {
                let entry = self.conversation.entry(*at);
                entry.is_some_and(|entry| entry.stage == Stage::Open || entry.is_call(&tool, &shown))
            })
        });
        let before = known.and_then(|at| self.conversation.entry_mut(at));
        let is_shared = before.is_some_and(|before| {
            before.is_shared |= before.stage == Stage::Open && !before.is_call(&tool, &shown);
            before.is_shared
        });
        let shared = || is_shared.then(|| "another call waits under the same id".to_owned());
        let mut asking = Asking { doubt: doubt(value, "/arguments").or_else(shared), ..Asking::default() };
        if id.is_some() {
            let reject = Offer::new(OfferKind::Reject).words(Words::Local);
            asking.offers = vec![Offer::new(OfferKind::Approve), reject];
        }
        let wire = id.unwrap_or_else(|| nameless(&tool, arguments));
        let entry = self.entry(wire, call, tool, args, Way::Event);
        let at = self.remember(known, entry);
        self.ask(at, asking);
    }

    /// A call that nobody was asked about.
    pub(super) fn unasked(&mut self, call: Option<CallId>, tool: Text, arguments: Option<Value<'_>>) -> u32 {
        let wire = call.as_ref().map_or_else(|| nameless(&tool, arguments), |call| call.shared().clone());
        let args = self.args(arguments);
        let mut entry = self.entry(wire, call, tool, args, Way::Unasked);
        entry.stage = Stage::Told;
        let at = self.conversation.add(entry);
        self.ask(at, Asking { is_unasked: true, ..Asking::default() });
        at
    }

    pub(super) fn entry(
        &self,
        wire: Text,
        call: Option<CallId>,
        tool: Text,
        args: ArgsText,
        way: Way,
    ) -> Entry {
        let request = RequestId::from(wire);
        // The same text, of which the hash is known.
        let wire = request.shared().clone();
        Entry {
            request,
            wire,
            call,
            tool,
            args: args.into(),
            ran: None,
            way,
            stage: Stage::Open,
            is_gone: false,
            snapshot: None,
            visit: None,
            has_answer: false,
            runs: None,
            is_shared: false,
            is_listed: false,
            order: 0,
        }
    }

    /// Keeps the request that is known, as it reads now, or takes in a new one.
    pub(super) fn remember(&mut self, known: Option<u32>, entry: Entry) -> u32 {
        let at = known.unwrap_or(self.conversation.entries.next_number());
        match self.conversation.entry_mut(at) {
            Some(before) if before.stage == Stage::Open => {
                (before.tool, before.args) = (entry.tool, entry.args);
                // A log repeats what came on either way.
                if !self.is_log {
                    before.way = entry.way;
                }
            }
            Some(_) => {}
            None => {
                let may_be_gone = CONTRACT.contains(&entry.way);
                self.conversation.add(entry);
                if may_be_gone {
                    self.conversation.open.insert(at);
                }
            }
        }
        at
    }

    /// Asks, unless the backend's word on it has been read already.
    pub(super) fn ask(&mut self, at: u32, asking: Asking) {
        let Some(entry) = self.conversation.entry(at) else { return };
        let request = self.conversation.reference(at);
        if entry.stage != Stage::Open && !asking.is_unasked {
            return;
        }
        let standing = match (asking.is_unasked, asking.offers.is_empty()) {
            (true, _) => Standing::Announced,
            _ if !entry.has_way() => Standing::Blocked,
            (_, true) => Standing::Blocked,
            _ => Standing::Open,
        };
        let held = asking.batch.is_some();
        let ask = Ask {
            call: ToolCall {
                id: entry.call.clone(),
                ..ToolCall::new(entry.tool.clone(), entry.args.text.clone())
            },
            argument: Argument::Object,
            schema: asking.schema,
            subject: Subject::Call,
            offers: asking.offers,
            edits: EditRule { merges: false, unchanged_approves: true, empty_allowed: false, floats: false },
            batch: asking.batch.unwrap_or_else(|| BatchId::from(request.id.shared().clone())),
            batch_rule: BatchRule { held, ..BatchRule::default() },
            standing,
            doubt: asking.doubt,
            title: None,
            description: asking.description,
            hint: None,
            timeout: asking.timeout,
            request,
        };
        self.say(Observation::Asked(Box::new(ask)));
    }
}

/// What the list of actions allows; all of them without a list.
pub(super) fn offers(allowed: Option<Value<'_>>) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (_, kind) in ACTIONS {
        let may = allowed.is_none_or(|list| list.items().any(|word| action_kind(word) == Some(kind)));
        if may || allowed.is_some_and(Value::is_null) {
            // With a confirmation the library drops words.
            let words = if kind == OfferKind::Approve { Words::None } else { Words::Sent };
            offers.push(Offer::new(kind).words(words));
        }
    }
    offers
}

/// What stands in for the id of a call that has none: the same for the same call, however its arguments are spelt.
pub(super) fn nameless(tool: &str, arguments: Option<Value<'_>>) -> Text {
    let content = arguments.map_or_else(|| "null".to_owned(), canonical);
    let digest = sha256_hex(&format!("{tool}\n{content}"));
    Text::from(format!("unnamed-{}", digest.get(..16).unwrap_or_default()))
}

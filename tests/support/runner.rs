//! Executes a trace against an inbox, step by step.

use std::sync::Arc;

use countersign_core::{
    Decision, DecisionFields, Inbox, InboxOptions, Input, Millis, OutboundId, Output, Refusal, RequestView,
    Shown, Status,
};
use countersign_json::{Document, Limits, Value};
use countersign_policy::Rulebook;
use countersign_protocols::{AdalflowAnswer, AdalflowOptions, AdapterOptions, Edits, Templates, adapter};

use crate::card::{card, matches_card};
use crate::drawn::Drawn;
use crate::matching::{Names, matches};
use crate::moment::{START, parse};
use crate::trace::message;

/// An inbox under a trace.
pub struct Runner {
    /// The inbox.
    pub inbox: Inbox,
    name: String,
    options: AdapterOptions,
    /// What answers without a person, as text.
    policy: Option<String>,
    restores: u32,
    drawn: Drawn,
    now: Millis,
    names: Names,
    hidden: Vec<bool>,
    bodies: Vec<String>,
    open: Vec<(OutboundId, String)>,
    /// What could not be sent, as it was when it failed last.
    failed: Vec<(OutboundId, String)>,
    delivered: Vec<String>,
}

/// An inbox that no other one shares the ids of its messages with.
fn inbox(name: &str, options: &AdapterOptions, policy: Option<&str>, at: u32) -> Inbox {
    let adapter = adapter(name, options).expect("the adapter is built in");
    let args_check = Some(countersign_schema::check as _);
    let policy = policy.map(|text| Box::new(Rulebook::read(text).expect("the policy is one")) as _);
    Inbox::new(adapter, InboxOptions { args_check, policy, ..InboxOptions::new(format!("countersign {at}")) })
}

impl Runner {
    /// An inbox as the trace wants it; `name` is the adapter to speak through.
    pub fn new(trace: Value<'_>, name: &str) -> Runner {
        let always = |adapter: &str| {
            let edits = trace.get("options").and_then(|options| options.get(adapter)?.get("edits"));
            if edits.is_some_and(|edits| edits.equals("always")) { Edits::Always } else { Edits::Declared }
        };
        let template = |name: &str| {
            let options = trace.get("options").and_then(|options| options.get("haystack"));
            options.and_then(|options| options.get(name)?.as_str()).map(Arc::from)
        };
        let haystack = Templates {
            reject: template("reject_template"),
            modify: template("modify_template"),
            user_feedback: template("user_feedback_template"),
        };
        let options = AdapterOptions {
            a2a_edits: always("a2a"),
            adk_edits: always("adk"),
            adalflow: adalflow(trace),
            haystack,
            ..AdapterOptions::default()
        };
        let policy = trace.pointer("/options/policy").map(|policy| policy.text().to_owned());
        Runner {
            inbox: inbox(name, &options, policy.as_deref(), 0),
            name: name.to_owned(),
            options,
            policy,
            restores: 0,
            drawn: Drawn::default(),
            now: START,
            names: Names::new(),
            hidden: Vec::new(),
            bodies: Vec::new(),
            open: Vec::new(),
            failed: Vec::new(),
            delivered: Vec::new(),
        }
    }

    /// Runs one step.
    ///
    /// # Errors
    /// What the trace expects and what happened instead.
    pub fn step(&mut self, step: Value<'_>) -> Result<(), String> {
        for (key, value) in step.members() {
            match key.as_str().unwrap_or_default().as_ref() {
                "note" | "unordered" => {}
                "receive" => self.arrive(Input::Receive { text: &message(value), rounded: false })?,
                "restore" => {
                    // An inbox keeps what is on its way; a page that is loaded again has another one.
                    if !std::mem::take(&mut self.open).is_empty() {
                        self.restores += 1;
                        self.inbox = inbox(&self.name, &self.options, self.policy.as_deref(), self.restores);
                        self.drawn = Drawn::default();
                    }
                    self.bodies.clear();
                    self.arrive(Input::Restore { text: message(value).into(), rounded: false })?;
                }
                "cards" => self.cards(value, step.get("unordered").is_some())?,
                "decide" => self.decide(value)?,
                "decideAll" => self.decide_all(value)?,
                "refuse" => self.refuse(value)?,
                "undo" => {
                    let request = self.find(value)?;
                    self.handle(Input::Undo(request))?;
                }
                "retry" => self.retry(value)?,
                "send" => self.sent(value)?,
                "delivered" => {
                    for (id, body) in std::mem::take(&mut self.open) {
                        self.handle(Input::Delivered(id))?;
                        self.delivered.push(body);
                    }
                }
                "failed" => {
                    let status = value.get("status").and_then(|status| status.as_number()?.parse().ok());
                    let words = value.get("message").and_then(|words| words.as_str());
                    for (id, body) in std::mem::take(&mut self.open) {
                        let message = words.as_deref().map(String::from);
                        self.failed.retain(|(known, _)| *known != id);
                        self.failed.push((id.clone(), body));
                        self.handle(Input::Failed { id, status, message })?;
                    }
                }
                "time" => {
                    let moment =
                        value.as_str().and_then(|text| parse(&text)).ok_or("the time cannot be read")?;
                    self.now = moment;
                    self.handle(Input::Tick)?;
                }
                "hidden" => {
                    let expected: Option<Vec<bool>> = list(value)?.map(Value::as_bool).collect();
                    if expected.as_ref() != Some(&self.hidden) {
                        return Err(format!("hidden should be {}, is {:?}", value.text(), self.hidden));
                    }
                }
                other => return Err(format!("there is no step `{other}`")),
            }
        }
        Ok(())
    }

    /// The moment at which the trace stands.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// The cards, in the order in which they are shown.
    pub fn views(&self) -> Vec<RequestView> {
        self.inbox.views()
    }

    /// Reloads the page: a new inbox from history, with nothing known beside it.
    pub fn reload(&mut self, history: &str) {
        self.handle(Input::Restore { text: history.into(), rounded: false })
            .expect("history is never refused");
    }

    /// Whether a decision is held here that no history can know of.
    pub fn holds_decisions(&self) -> bool {
        let held = |status| matches!(status, Status::Drafted | Status::Sending);
        self.inbox.statuses().any(held) || !self.bodies.is_empty()
    }

    /// The bodies that were reported as delivered since the last call.
    pub fn take_delivered(&mut self) -> Vec<String> {
        std::mem::take(&mut self.delivered)
    }

    /// The bodies that were sent since the last call, and since the last `send` step.
    pub fn take_sent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.bodies)
    }

    fn arrive(&mut self, input: Input<'_>) -> Result<(), String> {
        let outputs = self.handle(input)?;
        self.hidden = outputs
            .into_iter()
            .filter_map(|output| match output {
                Output::Hidden(hidden) => Some(hidden),
                _ => None,
            })
            .collect();
        Ok(())
    }

    fn handle(&mut self, input: Input<'_>) -> Result<Vec<Output>, String> {
        let outputs =
            self.inbox.handle(self.now, input).map_err(|refusal| format!("{}: {refusal}", refusal.code()))?;
        self.collect();
        self.drawn.draw(&outputs, &self.inbox)?;
        Ok(outputs)
    }

    fn collect(&mut self) {
        for outbound in self.inbox.take_outbound() {
            self.bodies.push(outbound.body.to_string());
            self.open.push((outbound.id, outbound.body.to_string()));
        }
    }

    fn find(&self, id: Value<'_>) -> Result<countersign_core::RequestRef, String> {
        let id = id.as_str().ok_or("a request must be named")?;
        self.inbox.find(&id).map_err(|refusal| refusal.to_string())
    }

    /// What leaves is what has failed: the same bytes, under the same idempotency key.
    fn retry(&mut self, id: Value<'_>) -> Result<(), String> {
        let request = self.find(id)?;
        let before = self.open.len();
        self.handle(Input::Retry(request))?;
        let again = self.open.get(before..).unwrap_or_default();
        match again.iter().find(|sent| !self.failed.contains(sent)) {
            None if again.is_empty() => Err("the retry sent nothing".to_owned()),
            None => Ok(()),
            Some((id, body)) => {
                let failed = &self.failed;
                Err(format!("the retry sent what has not failed: `{id}` {body}\nfailed: {failed:#?}"))
            }
        }
    }

    fn decide(&mut self, step: Value<'_>) -> Result<(), String> {
        let request = self.find(step.get("request").ok_or("no request")?)?;
        let (decision, seen) = decision(step.get("decision").ok_or("no decision")?)?;
        self.handle(Input::Decide { request, decision, seen, offer: None }).map(|_| ())
    }

    fn decide_all(&mut self, step: Value<'_>) -> Result<(), String> {
        let (decision, _) = decision(step.get("decision").ok_or("no decision")?)?;
        let requests = step.get("requests").ok_or("no requests")?;
        let requests =
            requests.items().map(|id| Ok((self.find(id)?, None))).collect::<Result<Vec<_>, String>>()?;
        let outputs = self.handle(Input::DecideAll { requests, decision, offer: None })?;
        match outputs.into_iter().find(|output| matches!(output, Output::Refused(_))) {
            Some(refused) => Err(format!("{refused:?}")),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, step: Value<'_>) -> Result<(), String> {
        let id = step.get("request").and_then(|id| id.as_str()).ok_or("no request")?;
        let code = step.get("code").and_then(|code| code.as_str()).ok_or("no code")?;
        let (decision, seen) = decision(step.get("decision").ok_or("no decision")?)?;
        let before = self.views();
        let refused = match self.inbox.find(&id) {
            Ok(request) => {
                self.inbox.handle(self.now, Input::Decide { request, decision, seen, offer: None }).err()
            }
            Err(refusal) => Some(refusal),
        };
        self.collect();
        let given = refused.as_ref().map(Refusal::code).map(|code| code.as_str());
        if given != Some(code.as_ref()) {
            return Err(format!("should be refused with `{code}`, was {given:?}"));
        }
        if self.views() != before {
            return Err(format!("the refusal `{code}` changed something"));
        }
        Ok(())
    }

    fn sent(&mut self, expected: Value<'_>) -> Result<(), String> {
        let wanted = list(expected)?;
        let bodies = std::mem::take(&mut self.bodies);
        if bodies.len() != expected.len() {
            return Err(format!(
                "{} bodies should be sent, were {}: {bodies:#?}",
                expected.len(),
                bodies.len()
            ));
        }
        for (place, (expected, body)) in wanted.zip(&bodies).enumerate() {
            let document =
                Document::parse(body, &Limits::default()).map_err(|error| format!("{error} in {body}"))?;
            let at = format!("send/{place}");
            matches(expected, Some(document.root()), &mut self.names, &at)
                .map_err(|error| format!("{error}\n{body}"))?;
        }
        Ok(())
    }

    fn cards(&mut self, expected: Value<'_>, unordered: bool) -> Result<(), String> {
        let wanted = list(expected)?;
        let cards: Vec<String> = self.views().iter().map(card).collect();
        if cards.len() != expected.len() {
            return Err(format!("{} cards expected, are {}: {cards:#?}", expected.len(), cards.len()));
        }
        let mut left: Vec<&String> = cards.iter().collect();
        for (place, expected) in wanted.enumerate() {
            let mut faults = Vec::new();
            let candidates = if unordered { left.len() } else { 1 };
            let fitting = (0..candidates).find(|at| {
                let document = Document::parse(left[*at], &Limits::default()).expect("a card is JSON");
                let at = format!("cards/{place}");
                let mut names = self.names.clone();
                let result = matches_card(expected, document.root(), &mut names, &at);
                let fits = result.map_err(|error| faults.push(error)).is_ok();
                if fits {
                    self.names = names;
                }
                fits
            });
            match fitting {
                Some(at) => left.remove(at),
                None => {
                    return Err(format!(
                        "{}\n{}",
                        faults.join("\n"),
                        left.first().map_or("", |card| card.as_str())
                    ));
                }
            };
        }
        Ok(())
    }
}

/// What must be a list: anything else would have nothing to compare.
fn list(value: Value<'_>) -> Result<impl Iterator<Item = Value<'_>>, String> {
    if value.is_array() { Ok(value.items()) } else { Err(format!("no list: {}", value.text())) }
}

fn adalflow(trace: Value<'_>) -> AdalflowOptions {
    let mut options = AdalflowOptions::default();
    let given = trace.pointer("/options/adalflow");
    if let Some(seconds) = given.and_then(|given| given.get("timeout_s")) {
        options.timeout = seconds.as_number().and_then(Millis::from_seconds);
    }
    if given.and_then(|given| given.get("answer")).is_some_and(|answer| answer.equals("shipped-rest")) {
        options.answer = AdalflowAnswer::ShippedRest;
    }
    options
}

/// A decision as traces write it, and the digest that was seen.
///
/// # Errors
/// Why it is none.
pub fn decision(value: Value<'_>) -> Result<(Decision, Option<Shown>), String> {
    let text = |key: &str| value.get(key).and_then(|text| text.as_str()).map(|text| text.into_owned());
    let scope =
        value.get("scope").map(|scope| serde_json::from_str(scope.text()).map_err(|error| error.to_string()));
    let strings =
        |list: Value<'_>| list.items().filter_map(|item| Some(item.as_str()?.into_owned())).collect();
    let fields = DecisionFields {
        kind: text("kind").ok_or("a decision needs a kind")?,
        scope: scope.transpose()?,
        args: value.get("args").map(message),
        note: text("note"),
        reason: text("reason"),
        text: text("text"),
        answers: value.get("answers").map(|answers| answers.items().map(strings).collect()),
        seen: text("seen"),
        tool: text("tool"),
        offer: text("offer"),
    };
    let shared = |text: &Option<String>| text.as_deref().map(Arc::from);
    let named = fields.seen.is_some() || fields.tool.is_some();
    let seen = named.then(|| Shown { digest: shared(&fields.seen), tool: shared(&fields.tool) });
    Ok((Decision::try_from(fields).map_err(|error| error.to_string())?, seen))
}

//! From a request to what a person is asked.

use std::sync::Arc;

use countersign_core::{
    ArgsText, Argument, Ask, BatchId, BatchRule, CallId, EditRule, Millis, Observation, ProblemCode,
    Question, Standing, Subject, Target, ToolCall,
};
use countersign_json::{HazardCode, Limits, Value, inspect};

use super::arguments::{Arguments, arguments, same_call, whole};
use super::memory::{Channel, Form};
use super::read::{Reader, id, shown};
use super::{python, words};
use crate::registry::AdalflowAnswer;

/// The tool that asks a person instead of doing something.
const QUESTION: &str = "clarify";

/// What an edit of a call with positional arguments must be.
const BOTH: &str = r#"{"type":"object","required":["args","kwargs"],"properties":{"args":{"type":"array"},
"kwargs":{"type":"object"}},"additionalProperties":false}"#;

/// A request on its way into the memory and the inbox.
pub(super) struct Draft<'a> {
    channel: Channel,
    /// The message, in which no key may occur twice.
    source: Value<'a>,
    tool: Option<Value<'a>>,
    args: Option<Value<'a>>,
    kwargs: Option<Value<'a>>,
    pub(super) standing: Standing,
    pub(super) doubt: Option<&'static str>,
    pub(super) hint: Option<Arc<str>>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        channel: Channel,
        source: Value<'a>,
        tool: Option<Value<'a>>,
        args: Option<Value<'a>>,
        kwargs: Option<Value<'a>>,
    ) -> Draft<'a> {
        Draft { channel, source, tool, args, kwargs, standing: Standing::Open, doubt: None, hint: None }
    }
}

impl Reader<'_> {
    /// Reads a request that came in a message or in a pending map.
    pub(super) fn request(
        &mut self,
        value: Value<'_>,
        name: Option<Value<'_>>,
        channel: Channel,
        doubt: Option<&'static str>,
    ) {
        let Some(name) = id(name) else {
            return self.problem(ProblemCode::PartInvalid, "a request without its id", value);
        };
        let [tool, args, kwargs] = value.pick(["tool", "args", "kwargs"]);
        let mut draft = Draft::new(channel, value, tool, args, kwargs);
        draft.doubt = doubt;
        self.ask(&name, draft);
    }

    pub(super) fn ask(&mut self, name: &str, draft: Draft<'_>) {
        let Draft { source, args, kwargs, .. } = draft;
        let Some(tool) = id(draft.tool) else {
            return self.problem(ProblemCode::PartInvalid, "a request without the name of its tool", source);
        };
        let by_stream = draft.channel == Channel::Stream;
        let shipped = by_stream && self.options.answer == AdalflowAnswer::ShippedRest;
        let channel = if shipped { Channel::Shipped } else { draft.channel };
        let Arguments { text, form, doubt: unreadable } = arguments(args, kwargs);
        let is_question = channel == Channel::Shipped && tool == QUESTION;
        let place = self.conversation.place(name);
        let target = self.conversation.target(name);
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        let whole = whole(&tool, args, kwargs);
        if by_stream {
            entry.event = Some(whole);
        } else {
            if entry.asked.as_ref().is_some_and(|before| !same_call(before, &whole)) {
                entry.event = None;
            }
            entry.asked = Some(whole);
        }
        let disagrees = match (&entry.asked, &entry.event) {
            (Some(asked), Some(event)) if !same_call(asked, event) => {
                Some("the request and the event of the same call differ")
            }
            _ => None,
        };
        let (before, is_new) = (entry.channel, !entry.is_shown);
        if by_stream && before.is_some_and(|channel| channel != Channel::Stream) {
            // The way that can be answered knows more.
            self.conversation.reached(place, false);
            if let Some(doubt) = disagrees {
                let doubt = doubt.to_owned();
                self.reading.observations.push(Observation::Doubted { target, doubt });
            }
            return;
        }
        entry.channel = Some(channel);
        (entry.form, entry.is_question, entry.is_shown) = (form, is_question, true);
        let verdict = entry.verdict.filter(|_| before.is_none());
        let said = draft.doubt.or(unreadable).or(disagrees).map(str::to_owned);
        let [title, description, parameters, named, timeout] =
            source.pick(["message", "description", "parameters", "allowed_outcomes", "timeout_s"]);
        let says_more = !by_stream && channel != Channel::Shipped;
        let offers =
            if is_question { words::answers() } else { words::offers(channel, named, kwargs.is_some()) };
        let can_be_answered = channel != Channel::Stream && !offers.is_empty();
        let mut ask = self.announcement(name, &tool, text);
        ask.argument = form.argument();
        if is_question {
            ask.subject = question(kwargs);
        }
        ask.offers = offers;
        ask.schema = schema(form, parameters.filter(|_| channel.names_outcomes()));
        ask.standing = if can_be_answered { draft.standing } else { Standing::Blocked };
        ask.doubt = said.or_else(|| repeated_key(source));
        ask.title = shown(title.filter(|_| says_more));
        ask.description = shown(description.filter(|_| says_more));
        ask.hint = draft.hint;
        ask.timeout = match channel {
            _ if channel.is_seed() => self.options.timeout,
            _ if channel.names_outcomes() => {
                timeout.and_then(|timeout| Millis::from_seconds(timeout.as_number()?))
            }
            _ => None,
        };
        self.reading.observations.push(Observation::Asked(Box::new(ask)));
        if by_stream {
            self.reached(place, target.clone(), is_new);
        } else if is_new {
            self.conversation.overtakes(place);
        }
        if let Some(verdict) = verdict {
            self.judge(target, verdict);
        }
    }

    /// The stream has come to this card: it stands before every request that only overtook it.
    pub(super) fn reached(&mut self, place: u32, target: Target, is_new: bool) {
        if let Some(before) = self.conversation.reached(place, is_new) {
            self.reading.observations.push(Observation::Precedes { target, before });
        }
    }

    /// A call about which nobody is asked, as far as is known.
    fn announcement(&self, name: &str, tool: &str, args: String) -> Ask {
        Ask {
            request: self.conversation.request(name),
            call: ToolCall {
                id: Some(CallId::from(name)),
                tool: Arc::from(tool),
                args: ArgsText::from(args).rounded(self.rounded),
                server: None,
                agent: Arc::from(Vec::new()),
            },
            argument: Argument::Any,
            subject: Subject::Call,
            offers: Vec::new(),
            edits: EditRule::REPLACE,
            schema: None,
            batch: BatchId::from(name),
            batch_rule: BatchRule::default(),
            standing: Standing::Announced,
            doubt: None,
            title: None,
            description: None,
            hint: None,
            timeout: None,
        }
    }

    /// Shows the call in this function if nobody was asked about it, and it is a tool call at all. `is_sure`: what is
    /// shown of it may be older.
    pub(super) fn call(&mut self, name: &str, function: Value<'_>, is_sure: bool) {
        let [tool, args, kwargs, is_final] = function.pick(["name", "args", "kwargs", "_is_answer_final"]);
        let Some(tool) = id(tool) else { return };
        if tool == "finish" || is_final.is_some_and(|is_final| is_final.as_bool() == Some(true)) {
            return;
        }
        let place = self.conversation.place(name);
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        let is_new = !entry.is_shown;
        entry.is_shown = true;
        if is_new || (is_sure && entry.channel.is_none()) {
            let ask = self.announcement(name, &tool, arguments(args, kwargs).text);
            self.reading.observations.push(Observation::Asked(Box::new(ask)));
        }
        self.reached(place, self.conversation.target(name), is_new);
    }
}

fn question(kwargs: Option<Value<'_>>) -> Subject {
    let text = kwargs.and_then(|kwargs| kwargs.get("question")).and_then(Value::as_str_lossy);
    let question = text.unwrap_or_default().into_owned();
    Subject::Questions(Arc::from([Question { question, choices: Vec::new(), multiple: false }]))
}

fn schema(form: Form, parameters: Option<Value<'_>>) -> Option<Arc<str>> {
    let parameters = parameters.filter(|parameters| parameters.is_object());
    match form {
        Form::Both => Some(Arc::from(BOTH)),
        Form::Named => parameters.map(|parameters| Arc::from(python::schema(parameters))),
        Form::Positional | Form::Hidden => None,
    }
}

/// Why a message cannot be read without doubt: some readers keep the first of two members, others the last.
fn repeated_key(message: Value<'_>) -> Option<String> {
    let limits = Limits { bytes: usize::MAX, depth: usize::MAX, nodes: usize::MAX };
    let hazards = inspect(message, &limits).hazards;
    let repeated = hazards.into_iter().find(|hazard| hazard.code == HazardCode::DuplicateKey)?;
    Some(format!("{} at `{}`", repeated.message, repeated.pointer))
}

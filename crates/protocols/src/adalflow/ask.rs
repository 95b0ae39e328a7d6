//! From a request to what a person is asked.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{
    ArgsText, Argument, Ask, BatchId, BatchRule, CallId, EditRule, Observation, ProblemCode, Question,
    Standing, Subject, Text, ToolCall,
};
use countersign_json::{Value, names};

use super::arguments::{Whole, form, write};
use super::memory::{Channel, Form};
use super::read::{Reader, shown};
use super::{python, words};
use crate::options::AdalflowAnswer;
use crate::path::is_dots;
use crate::reading::{self, problem, repeats_a_key, shared};

/// The tool that asks a person instead of doing something.
const QUESTION: &str = "clarify";

/// How many schemas are kept while one message is read.
const MOST_SCHEMAS: usize = 16;

/// What an edit of a call with positional arguments must be.
const BOTH: &str = r#"{"type":"object","required":["args","kwargs"],"properties":{"args":{"type":"array"},
"kwargs":{"type":"object"}},"additionalProperties":false}"#;

/// A request on its way into the memory and the inbox.
pub(super) struct Asking<'a> {
    pub(super) channel: Channel,
    /// The message, in which no key may occur twice.
    pub(super) source: Value<'a>,
    /// Its tool, positional and named arguments.
    pub(super) call: [Option<Value<'a>>; 3],
    pub(super) standing: Standing,
    pub(super) doubt: Option<&'static str>,
    pub(super) hint: Option<Text>,
}

impl Reader<'_> {
    /// Reads a request that came in a message or in a pending map.
    pub(super) fn request(
        &mut self,
        source: Value<'_>,
        place: Option<u32>,
        channel: Channel,
        doubt: Option<&'static str>,
    ) {
        let Some(place) = place else { return self.nameless(source) };
        let call = source.named(names!["tool", "args", "kwargs"]);
        self.ask(place, Asking { channel, source, call, standing: Standing::Open, doubt, hint: None });
    }

    /// Notes a request and asks it, unless a better way has asked it already.
    pub(super) fn ask(&mut self, place: u32, asking: Asking<'_>) {
        let [tool, args, kwargs] = asking.call;
        let Some(tool) = shared(self.source, tool) else {
            let sentence = "a request without the name of its tool";
            return problem(self.reading, ProblemCode::PartInvalid, sentence, asking.source);
        };
        let by_stream = asking.channel == Channel::Stream;
        let shipped = by_stream && self.options.answer == AdalflowAnswer::ShippedRest;
        let channel = if shipped { Channel::Shipped } else { asking.channel };
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        let disagrees = entry.compare(Whole::new(self.source, &tool, args, kwargs), by_stream);
        if by_stream && entry.asked.is_some() {
            // The way that can be answered knows more.
            return self.repeat(place, disagrees);
        }
        let word = entry.word.filter(|_| entry.channel.is_none());
        let is_new = !entry.is_shown;
        let is_question = channel == Channel::Shipped && *tool == *QUESTION;
        let (form, unreadable) = form(args, kwargs);
        entry.channel = Some(channel);
        entry.form = if unreadable.is_some() { Form::Hidden } else { form };
        (entry.is_question, entry.is_shown) = (is_question, true);
        let mut ask = self.announcement(place, tool, form, write(form, args, kwargs));
        ask.argument = form.argument();
        ask.doubt = asking.doubt.or(unreadable).or(disagrees).map(str::to_owned);
        if is_question {
            ask.subject = question(kwargs);
        }
        let has_way = channel.is_socket() || !is_dots(ask.request.id.as_str());
        if is_new && !has_way {
            let sentence = "an id of dots cannot stand in the path of an answer";
            problem(self.reading, ProblemCode::PartInvalid, sentence, asking.source);
        }
        ask.standing = if has_way { asking.standing } else { Standing::Blocked };
        self.fill_in(&mut ask, asking, channel, form);
        if ask.standing == Standing::Open {
            // From now on it is missing from every list that lacks it.
            self.listed.insert(place);
            self.conversation.listed.insert(place);
        }
        self.say(Observation::Asked(ask));
        if by_stream {
            self.reached(place, is_new);
        } else if is_new {
            self.conversation.ahead.push(place);
        }
        if let Some(word) = word {
            self.judge(place, word);
        }
    }

    /// The stream comes to a request that was asked on another way.
    fn repeat(&mut self, place: u32, doubt: Option<&'static str>) {
        self.reached(place, false);
        if let Some(doubt) = doubt {
            let target = self.conversation.target(place);
            self.say(Observation::Doubted { target, doubt: doubt.to_owned() });
        }
    }

    /// Fills in what a request says besides the call, as far as its channel says so.
    fn fill_in(&mut self, ask: &mut Ask, asking: Asking<'_>, channel: Channel, form: Form) {
        let source = asking.source;
        let [title, description, parameters, named, timeout] =
            source.named(names!["message", "description", "parameters", "allowed_outcomes", "timeout_s"]);
        let is_question = matches!(ask.subject, Subject::Questions(_));
        let [_, _, kwargs] = asking.call;
        ask.offers = words::offers(channel, is_question, named, kwargs.is_some());
        if channel == Channel::Stream || ask.offers.is_empty() {
            ask.standing = Standing::Blocked;
        }
        ask.schema = match form {
            Form::Both => Some(Arc::from(BOTH)),
            _ if !channel.names_outcomes() => None,
            _ => parameters.filter(|_| form == Form::Named).map(|schema| self.schema(schema.text())),
        };
        // Named arguments stand on the card as they are, and are judged there.
        if ask.doubt.is_none() && repeats_a_key(source, kwargs) {
            ask.doubt = Some("a member stands in the message twice".to_owned());
        }
        ask.hint = asking.hint;
        let says_more = channel.names_outcomes() || channel.is_seed();
        if says_more {
            (ask.title, ask.description) = (shown(self.source, title), shown(self.source, description));
        }
        if channel.is_seed() {
            ask.timeout = self.options.timeout;
        } else if says_more {
            ask.timeout = reading::timeout(timeout);
        }
    }

    /// The schema that Python's notation stands for. Requests of one tool have the same one, over and over.
    fn schema(&mut self, spelt: &str) -> Arc<str> {
        if let Some((_, schema)) = self.schemas.iter().find(|(known, _)| *known == *spelt) {
            return Arc::clone(schema);
        }
        let schema: Arc<str> = Arc::from(python::schema(spelt));
        if self.schemas.len() < MOST_SCHEMAS {
            self.schemas.push((self.source.cut(spelt), Arc::clone(&schema)));
        }
        schema
    }

    /// A call about which nobody is asked, as far as is known.
    fn announcement(&self, place: u32, tool: Text, form: Form, args: Cow<'_, str>) -> Box<Ask> {
        let request = self.conversation.request(place);
        let id = request.id.shared();
        let batch = BatchId::from(id.clone());
        let args = ArgsText::from(self.source.cut(&args)).rounded(self.rounded);
        let call = ToolCall {
            id: Some(CallId::from(id.clone())),
            positional: form != Form::Named,
            ..ToolCall::new(tool, args)
        };
        Box::new(Ask {
            call,
            argument: Argument::Any,
            subject: Subject::Call,
            offers: Vec::new(),
            edits: EditRule::REPLACE,
            schema: None,
            batch,
            request,
            batch_rule: BatchRule::default(),
            standing: Standing::Announced,
            doubt: None,
            title: None,
            description: None,
            hint: None,
            timeout: None,
        })
    }

    /// Shows the call in this function if nobody was asked about it, and it is a tool call at all. `starts`: what is
    /// shown of it may be older.
    pub(super) fn call(&mut self, place: u32, function: Value<'_>, starts: bool) {
        let [tool, args, kwargs, is_final] =
            function.named(names!["name", "args", "kwargs", "_is_answer_final"]);
        let Some(tool) = shared(self.source, tool) else { return };
        if *tool == *"finish" || is_final.and_then(Value::as_bool) == Some(true) {
            return;
        }
        let Some(entry) = self.conversation.entry_mut(place) else { return };
        let is_new = !entry.is_shown;
        entry.is_shown = true;
        if is_new || (starts && entry.channel.is_none()) {
            let (form, _) = form(args, kwargs);
            let ask = self.announcement(place, tool, form, write(form, args, kwargs));
            self.say(Observation::Asked(ask));
        }
        self.reached(place, is_new);
    }
}

/// What the tool asks that does nothing else.
fn question(kwargs: Option<Value<'_>>) -> Subject {
    let text = kwargs.and_then(|kwargs| kwargs.get("question")?.as_str_lossy());
    let question = text.unwrap_or_default().into_owned();
    Subject::Questions(Arc::from([Question { question, choices: Vec::new(), multiple: false }]))
}

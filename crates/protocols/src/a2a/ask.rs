//! Requests: from a confirmation part to what a person is asked.

use std::sync::Arc;

use countersign_core::{
    ArgsText, Argument, Ask, BatchId, BatchRule, EditRule, Observation, Offer, OfferKind, ProblemCode,
    Question, RequestId, RequestRef, Standing, Subject, Text, ToolCall, Words,
};
use countersign_json::{Limits, Value, inspect_text, items, named, names};

use super::calls::Run;
use super::memory::{Dialect, Envelope, Request};
use super::part::Data;
use super::place::Place;
use super::read::Reader;
use crate::confirmation::{Confirmation, call_members, offers};
use crate::options::Edits;
use crate::reading::{doubt, problem, shared};

/// A request on its way into the memory and the inbox.
pub(super) struct Asking {
    pub(super) request: Request,
    pub(super) call: ToolCall,
    pub(super) questions: Option<Arc<[Question]>>,
    pub(super) hint: Option<Text>,
    pub(super) doubt: Option<String>,
}

impl Reader<'_> {
    /// Reads a part that asks for confirmation.
    pub(super) fn confirmation(
        &mut self,
        place: &mut Place,
        data: Data<'_>,
        spelt: (Dialect, Envelope),
        author: Option<Value<'_>>,
        remote: &dyn Fn() -> Remote,
    ) {
        self.doubles = data.has_doubles;
        let (dialect, _) = spelt;
        let asked = Confirmation::of(data.args);
        let confirmation = shared(self.source, data.id).map(RequestId::from);
        let call = self.made_call(place, asked.call, author, None);
        let (Some(confirmation), Some(call)) = (confirmation, call) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a confirmation without its id or its original call",
                data.value,
            );
        };
        // Words are for what was asked last, whatever still waits before it.
        if dialect == Dialect::Kagent010 && place.asked_by != place.source {
            let later = place.before.numbers().into_iter().filter(|at| *at >= place.cut);
            later.for_each(|at| place.before.remove(at));
            place.asked_by.clone_from(&place.source);
        }
        let reads_words = dialect == Dialect::Kagent010 && !place.is_over;
        let beside = if reads_words { remote() } else { Remote::None };
        let [inner, subagent] = named(asked.payload, names!["hitl_parts", "subagent_name"]);
        if let Some(inner) = inner.filter(|inner| inner.is_array()) {
            let subagent = subagent.and_then(Value::as_str);
            let carrier =
                Request { nested: true, remote: beside, ..Request::new(confirmation, &call, spelt) };
            self.outer(place, call);
            for part in inner.items() {
                self.inner(place, part, &carrier, author, subagent.as_deref());
            }
            return;
        }
        let [_, name, args] = asked.call;
        let questions = questions(name, args);
        // kagent's answer to a remote agent's call has no form in which the edit of another call could stand.
        let reads_edits = || match dialect {
            Dialect::Kagent010 => remote() == Remote::None,
            Dialect::Adk => true,
            Dialect::Seed | Dialect::HitlV1 => false,
        };
        let is_editable = asked.declares_edits() || self.edits == Edits::Always;
        let may_edit = questions.is_none() && is_editable && reads_edits();
        let editable = may_edit.then(|| call.args.clone());
        let request = Request { remote: beside, editable, ..Request::new(confirmation, &call, spelt) };
        let hint = asked.hint(self.source);
        let doubt = place.doubt(data.value, "/args/originalFunctionCall/args");
        self.ask(place, Asking { request, call, questions, hint, doubt });
    }

    /// The call of a remote agent runs: what is asked about are the calls inside.
    pub(super) fn outer(&mut self, place: &Place, call: ToolCall) {
        let Some(id) = call.id.clone() else { return };
        self.conversation.note_call(place.task, &call, call.agent.first().cloned(), None);
        self.conversation.note(place.task, &id, |known| (known.is_outer, known.is_named) = (true, true));
        let called = countersign_core::Called { scope: place.scope.clone(), call, streaming: false };
        self.reading.observations.push(Observation::Called(Box::new(called)));
        self.observe_call(place, id, |target| Observation::Running { target });
    }

    /// Reads a call of a remote agent, which its confirmation carries.
    fn inner(
        &mut self,
        place: &mut Place,
        part: Value<'_>,
        carrier: &Request,
        author: Option<Value<'_>>,
        subagent: Option<&str>,
    ) {
        let [id, original] = part.named(names!["id", "originalFunctionCall"]);
        let id = shared(self.source, id).map(RequestId::from);
        let named = call_members(original);
        let (Some(id), Some(call)) = (id, self.made_call(place, named, author, subagent)) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a remote agent's call without its id or its name",
                part,
            );
        };
        let [_, name, args] = named;
        let questions = questions(name, args);
        let request = Request { id, call: call.id.clone(), tool: call.tool.clone(), ..carrier.clone() };
        let doubt = doubt(part, "/originalFunctionCall/args");
        self.ask(place, Asking { request, call, questions, hint: None, doubt });
    }

    /// Remembers a request and asks it.
    pub(super) fn ask(&mut self, place: &mut Place, asking: Asking) {
        let Asking { mut request, mut call, questions, hint, doubt } = asking;
        let doubt = doubt.or_else(|| request.remote.doubt().map(str::to_owned));
        request.is_question = questions.is_some();
        // A remote agent counts its calls for itself: they are joined to none of the outer agent's.
        let mut own = if request.nested { call.id.take() } else { None };
        let run = self.conversation.ask_call(place.task, &call);
        // Nor is this run joined to the card of one that is over.
        if run == Run::Again {
            own = call.id.take();
        }
        let id = request.id.clone();
        let dialect = request.dialect;
        // What cannot be read without doubt is not answered, and must not keep the calls beside it.
        let is_doubtful = request.is_question && (doubt.is_some() || is_doubtful(&call.args));
        let may_reject = dialect != Dialect::HitlV1 || request.is_listed;
        request.is_mute = is_doubtful && !may_reject;
        let offers = match (request.is_question, dialect) {
            // The first wire knows two words: answers would be dropped, and the question refused in their place.
            (true, Dialect::Seed) => vec![Offer::new(OfferKind::Reject).words(Words::Sent)],
            (true, _) if is_doubtful && may_reject => {
                vec![Offer::new(OfferKind::Answer), Offer::new(OfferKind::Reject).words(Words::Sent)]
            }
            (true, _) => vec![Offer::new(OfferKind::Answer)],
            (false, _) => offers(request.editable.is_some()),
        };
        let Some(at) = self.conversation.remember(place.task, request) else { return };
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        if run == Run::Over {
            task.unanswered.remove(at);
            task.ran.insert(at);
            task.settled.insert(at);
        }
        let waits = task.unanswered.contains(at) && task.state == super::state::State::InputRequired;
        task.delivered.remove(at);
        if !place.answered.contains(at) {
            place.before.insert(at);
        }
        place.has_asked = true;
        place.carried.insert(at);
        let ask = Ask {
            request: RequestRef { scope: place.scope.clone(), id: id.clone() },
            call,
            argument: Argument::Object,
            schema: None,
            batch: BatchId::from(place.scope.shared().clone()),
            subject: questions.map_or(Subject::Call, Subject::Questions),
            offers,
            edits: EditRule { floats: self.doubles, ..EditRule::MERGE },
            batch_rule: BatchRule { held: true, uniform: dialect == Dialect::Seed, ..BatchRule::default() },
            // A repetition keeps the card as it stands; the state that follows says how it stands now.
            standing: if waits { Standing::Open } else { Standing::Announced },
            doubt,
            hint,
            title: None,
            description: None,
            timeout: None,
        };
        self.reading.observations.push(Observation::Asked(Box::new(ask)));
        if let Some(own) = own {
            let target = Self::target(place, &id);
            self.reading.observations.push(Observation::Renamed { target, id: own });
        }
    }
}

fn is_doubtful(args: &ArgsText) -> bool {
    inspect_text(args.as_str(), &Limits::default()).hazards.iter().any(|hazard| hazard.code.blocks())
}

/// The questions of an `ask_user` call; `None` for any other call.
pub(super) fn questions(name: Option<Value<'_>>, args: Option<Value<'_>>) -> Option<Arc<[Question]>> {
    if !name?.equals("ask_user") {
        return None;
    }
    Some(args.and_then(|args| question_list(args.get("questions")?)).unwrap_or_default())
}

/// Reads `[{question, choices, multiple}]`; `None` if it is no list.
pub(super) fn question_list(list: Value<'_>) -> Option<Arc<[Question]>> {
    let question = |value: Value<'_>| Question {
        question: value.get("question").and_then(Value::as_str_lossy).unwrap_or_default().into_owned(),
        choices: items(value.get("choices")).map(|choice| choice.words().into_owned()).collect(),
        multiple: value.get("multiple").and_then(Value::as_bool).unwrap_or(false),
    };
    list.is_array().then(|| list.items().map(question).collect())
}

/// Why nothing is approved where a remote agent was called twice at once: kagent 0.10 hands each of its tasks the same words, and
/// what comes last may find a request that nobody has seen.
const SHARED: &str =
    "an agent was called twice at once, and kagent may take an approval for a call that nobody has seen";

/// Why nothing is approved where a remote agent has called another one: kagent 0.10 tells of its call alone. What waits behind it runs
/// with the approval, and a batch, which names no call there, approves it whatever it says.
const DEEPER: &str = "this agent has called another one, and kagent does not tell what waits there: an approval would run it unseen";

/// Which confirmations of remote agents a message carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Remote {
    /// None.
    None,
    /// Those of different conversations.
    Apart,
    /// Two of one conversation with a remote agent.
    Twice,
    /// One of an agent that has called another one.
    Deeper,
}

impl Remote {
    /// Why nothing beside them is approved, if so.
    pub(super) fn doubt(self) -> Option<&'static str> {
        match self {
            Remote::None | Remote::Apart => None,
            Remote::Twice => Some(SHARED),
            Remote::Deeper => Some(DEEPER),
        }
    }
}

/// So many calls of remote agents in one message are told apart.
const MOST_REMOTE: usize = 64;

/// Which confirmations of remote agents a message of these parts carries.
pub(super) fn remote(parts: Option<Value<'_>>) -> Remote {
    const PATH: [&str; 4] = ["data", "args", "toolConfirmation", "payload"];
    let payload = |part| PATH.iter().try_fold(part, |value: Value<'_>, key| value.get(key));
    let inner = |payload: &Value<'_>| payload.get("hitl_parts").is_some_and(Value::is_array);
    let mut known: Vec<[&str; 2]> = Vec::new();
    for payload in items(parts).filter_map(payload).filter(inner) {
        if items(payload.get("hitl_parts")).any(calls_an_agent) {
            return Remote::Deeper;
        }
        let names = payload.named(names!["subagent_name", "context_id"]);
        let conversation = names.map(|name| name.map(Value::text).unwrap_or_default());
        if known.len() == MOST_REMOTE || names.iter().all(Option::is_some) && known.contains(&conversation) {
            return Remote::Twice;
        }
        known.push(conversation);
    }
    if known.is_empty() { Remote::None } else { Remote::Apart }
}

/// Whether a call has the arguments of one that kagent makes to another agent.
fn calls_an_agent(part: Value<'_>) -> bool {
    let args = part.get("originalFunctionCall").and_then(|call| call.get("args"));
    args.is_some_and(|args| args.len() == 1 && args.get("request").is_some_and(Value::is_string))
}

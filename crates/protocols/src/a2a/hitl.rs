//! kagent's message extension `hitl/v1`: requests and answers in the metadata of a message.

use std::sync::Arc;

use countersign_core::{
    Answer, CallId, Decision, Observation, ProblemCode, Question, RequestId, Text, ToolCall,
};
use countersign_json::{Value, Writer, items, names};

use super::ask::{Asking, question_list, questions};
use super::memory::{Dialect, Envelope, Request};
use super::part::{envelope, is_from_user};
use super::place::Place;
use super::read::Reader;
use crate::confirmation::hint;
use crate::reading::{doubt, present, problem, shared, text};

/// Inside what a tool waits.
#[derive(Default)]
struct Nested {
    is_nested: bool,
    /// Who called the remote agent.
    caller: Option<Arc<str>>,
    subagent: Option<String>,
    /// What the server asked the outer agent to confirm.
    confirmation: Option<String>,
    questions: Option<Arc<[Question]>>,
}

impl Reader<'_> {
    /// Reads the extension's payload of a message; types that are not known are left alone.
    pub(super) fn hitl(
        &mut self,
        place: &mut Place,
        message: Value<'_>,
        payload: Value<'_>,
        author: Option<Value<'_>>,
    ) {
        let Some(kind) = payload.get("type").and_then(|kind| kind.as_str()) else { return };
        match kind.as_ref() {
            "tool_approval_request" => self.approval_request(place, message, payload, author),
            "ask_user_request" => self.question_request(place, message, payload, author),
            "tool_approval_response" | "ask_user_response" if is_from_user(message.get("role")) => {
                self.hitl_answer(place, payload);
            }
            _ => {}
        }
    }

    fn approval_request(
        &mut self,
        place: &mut Place,
        message: Value<'_>,
        payload: Value<'_>,
        author: Option<Value<'_>>,
    ) {
        let nested = payload.get("nested").filter(|nested| nested.is_object());
        let outer = payload.get("tools").filter(|tools| tools.is_array());
        if let Some(nested) = nested {
            self.nested_request(place, message, payload, nested, author);
            return;
        }
        let alone = outer.is_some_and(|tools| tools.len() == 1);
        let words = payload.get("hint").filter(|_| alone).and_then(|words| hint(self.source, words));
        for tool in items(outer) {
            self.tool(place, message, tool, author, &Nested::default(), words.clone());
        }
    }

    fn nested_request(
        &mut self,
        place: &mut Place,
        message: Value<'_>,
        payload: Value<'_>,
        nested: Value<'_>,
        author: Option<Value<'_>>,
    ) {
        let tools = payload.get("tools").filter(|tools| tools.is_array());
        let is_alone = tools.is_none_or(|tools| tools.len() < 2);
        let outer = tools.and_then(|tools| tools.items().next());
        let call = outer.and_then(|outer| {
            let [id, call_id, name, args] = outer.named(names!["id", "call_id", "name", "args"]);
            self.made_call(place, [call_id.or(id), name, args], author, None)
        });
        // Who made the call of the remote agent stands beside that call, not beside this request.
        let caller = call.as_ref().and_then(|call| call.agent.first().cloned());
        if let Some(call) = call.filter(|_| is_alone) {
            self.outer(place, call);
        }
        // Nothing says which of several has these calls inside, and none of them can be answered.
        for tool in items(tools.filter(|_| !is_alone)) {
            if let Some(id) = text(self.source, tool.get("call_id")) {
                self.conversation.stub(place.task, &CallId::from(id), true);
            }
        }
        let nested_in = Nested {
            subagent: nested
                .get("subagent_name")
                .and_then(|name| name.as_str())
                .map(|name| name.into_owned()),
            confirmation: Some(outer.unwrap_or(payload))
                .filter(|_| is_alone)
                .and_then(|outer| outer.get("id")?.as_str())
                .map(|id| id.into_owned()),
            questions: payload.get("questions").and_then(question_list),
            is_nested: true,
            caller,
        };
        for tool in items(nested.get("tools")) {
            self.tool(place, message, tool, author, &nested_in, None);
        }
    }

    /// One tool that waits: `{id, call_id, name, args}`.
    fn tool(
        &mut self,
        place: &mut Place,
        message: Value<'_>,
        tool: Value<'_>,
        author: Option<Value<'_>>,
        nested: &Nested,
        hint: Option<Text>,
    ) {
        let [id, call_id, name, args] = tool.named(names!["id", "call_id", "name", "args"]);
        let id = shared(self.source, id).map(RequestId::from);
        let agent = nested.subagent.as_deref().filter(|name| !name.is_empty());
        let call = self.made_call(place, [call_id, name, args], author, agent);
        let (Some(id), Some(mut call)) = (id, call) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "an approval request without an id or a name",
                tool,
            );
        };
        if let Some(caller) = &nested.caller {
            call.agent = std::iter::once(caller.clone()).chain(agent.map(Arc::from)).collect();
        }
        let listed = if nested.questions.is_none() { questions(name, args) } else { None };
        let is_listed = listed.is_some();
        let questions = listed.or_else(|| nested.questions.clone());
        let mut request = self.hitl_request(message, id, &call, nested.is_nested, questions.is_some());
        request.is_listed = is_listed;
        if let Some(confirmation) = &nested.confirmation {
            request.confirmation = RequestId::from(confirmation.as_str());
        }
        self.ask(
            place,
            Asking {
                request,
                call,
                questions,
                hint,
                doubt: if place.is_over { None } else { doubt(tool, "/args") },
            },
        );
    }

    fn question_request(
        &mut self,
        place: &mut Place,
        message: Value<'_>,
        payload: Value<'_>,
        author: Option<Value<'_>>,
    ) {
        if let Some(nested) = payload.get("nested").filter(|nested| nested.is_object()) {
            self.nested_request(place, message, payload, nested, author);
            return;
        }
        let id = shared(self.source, payload.get("id")).map(RequestId::from);
        let list = payload.get("questions").filter(|list| list.is_array());
        let (Some(id), Some(list)) = (id, list) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a question request without an id or questions",
                payload,
            );
        };
        let call = self.question_call(place, &id, list, author);
        let is_lone = call.id.is_none();
        let questions: Option<Arc<[Question]>> = question_list(list);
        let request = self.hitl_request(message, id.clone(), &call, false, true);
        self.ask(
            place,
            Asking {
                request,
                call,
                questions,
                hint: None,
                doubt: if place.is_over { None } else { doubt(payload, "/questions") },
            },
        );
        if is_lone
            && let Some(task) = self.conversation.task_mut(place.task)
            && let Some(at) = task.place_of(&id)
        {
            task.questions.ask_alone(at, list);
        }
    }

    /// The open `ask_user` call that asks these questions; a call of its own if nobody knows which one does.
    fn question_call(
        &mut self,
        place: &Place,
        id: &RequestId,
        list: Value<'_>,
        author: Option<Value<'_>>,
    ) -> ToolCall {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("questions").raw(list.text());
        writer.end_object();
        let author = self.author(place, author, None);
        let mut call = ToolCall {
            id: None,
            tool: Text::from("ask_user"),
            args: countersign_core::ArgsText::from(writer.finish()).rounded(self.rounded),
            positional: false,
            server: None,
            agent: author.clone().into_iter().collect(),
        };
        let Some(task) = self.conversation.task_mut(place.task) else { return call };
        let known =
            task.place_of(id).and_then(|at| task.request(at)).and_then(|request| request.call.clone());
        let asked = match known {
            Some(known) => task.questions.call(&known),
            None => task.asking(list, place.is_live),
        };
        if let Some((id, args)) = asked {
            call.agent =
                self.conversation.author(place.task, (&id, "ask_user")).or(author).into_iter().collect();
            call.id = Some(id);
            call.args = args;
        }
        call
    }

    fn hitl_request(
        &self,
        message: Value<'_>,
        id: RequestId,
        call: &ToolCall,
        nested: bool,
        is_question: bool,
    ) -> Request {
        let first = message.get("parts").and_then(|parts| parts.items().next());
        let has_kind = first.is_some_and(|part| present(part.get("kind")).is_some());
        Request {
            confirmation: id.clone(),
            id,
            call: call.id.clone(),
            tool: call.tool.clone(),
            nested,
            is_question,
            is_listed: false,
            is_mute: false,
            is_refused_whole: false,
            dialect: Dialect::HitlV1,
            envelope: if has_kind { Envelope::V03 } else { envelope(message) },
            editable: None,
        }
    }

    /// Reads `{type, approvals}` or `{type, id, answers}`.
    pub(super) fn hitl_answer(&mut self, place: &mut Place, payload: Value<'_>) {
        for approval in items(payload.get("approvals")) {
            let [id, approved, reason] = approval.named(names!["id", "approved", "rejection_reason"]);
            let Some(id) = text(self.source, id).map(RequestId::from) else { continue };
            let reason = reason.and_then(|reason| reason.as_str());
            let task = self.conversation.task(place.task);
            let request = task.and_then(|task| task.request(task.place_of(&id)?));
            let asks = request.is_some_and(|request| request.is_question);
            let decision = approved.and_then(Value::as_bool).map(|approved| match approved {
                // The server answers it with nothing.
                true if asks => Decision::Answer { answers: Vec::new() },
                true => Decision::approve(),
                false => Decision::reject(reason.as_deref()),
            });
            self.answered(place, &id, decision);
        }
        if let (Some(id), Some(answers)) = (text(self.source, payload.get("id")), payload.get("answers")) {
            let decision = Some(Decision::Answer { answers: answer_lists(answers) });
            self.answered(place, &RequestId::from(id), decision);
        }
    }

    /// Notes that the backend shows an answer to this request.
    pub(super) fn answered(&mut self, place: &mut Place, id: &RequestId, decision: Option<Decision>) {
        let Some(task) = self.conversation.task_mut(place.task) else { return };
        if let Some(at) = task.place_of(id) {
            task.unanswered.remove(at);
            place.answered.insert(at);
            place.before.remove(at);
            let call = task.request(at).and_then(|request| request.call.clone());
            if let Some(call) = call {
                self.conversation.answer_call(place.task, &call);
            }
        }
        let answer = Answer { decision, automatic: false };
        self.reading.observations.push(Observation::Answered { target: Self::target(place, id), answer });
    }
}

/// Reads `[{"answer": […]}]`.
pub(super) fn answer_lists(answers: Value<'_>) -> Vec<Vec<String>> {
    let text = |value: Value<'_>| value.words().into_owned();
    let list = |entry: Value<'_>| match entry.get("answer") {
        Some(answers) if answers.is_array() => answers.items().map(text).collect(),
        Some(answer) => vec![text(answer)],
        None => Vec::new(),
    };
    answers.items().map(list).collect()
}

//! Requests, and the answers that people gave to them.

use countersign_core::{
    Answer, Argument, Ask, BatchId, BatchRule, Closed, EditRule, Observation, ProblemCode, RequestId,
    Standing, Subject, Target,
};
use countersign_json::{Document, Limits, Value};

use super::credentials::may_lack_secrets;
use super::event::{Event, request_id};
use super::memory::Request;
use super::read::Reader;
use crate::confirmation::{Confirmation, decision, offers};
use crate::options::Edits;
use crate::reading::{doubt, problem, shared};

impl<'v> Reader<'_, 'v> {
    /// Reads the part that asks for confirmation; `batch` is the first request of its event.
    pub(super) fn confirmation(
        &mut self,
        event: &Event<'v>,
        part: Value<'v>,
        [id, args]: [Option<Value<'v>>; 2],
        batch: &mut Option<RequestId>,
    ) {
        let asked = Confirmation::of(args);
        let (Some(id), Some(call)) = (request_id(self.source, id), self.tool_call(event, asked.call)) else {
            return problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a confirmation without its id or its original call",
                part,
            );
        };
        // Without an id of its call a payload cannot quote it.
        let declared = call.id.is_some() && asked.declares_edits();
        let may_edit = declared || self.edits == Edits::Always;
        let request = Request {
            id: id.clone(),
            call: call.id.clone(),
            tool: call.tool.clone(),
            run: None,
            args: call.args.clone(),
            is_editable: may_edit,
            is_settled: false,
            is_left: false,
            asked_in: 0,
            answered_in: 0,
            is_delivered: false,
            turn: 0,
            first: 0,
        };
        let Some(is_news) = self.conversation.remember(request) else {
            let sentence = "a confirmation with the id of another call's";
            return problem(self.reading, ProblemCode::PartInvalid, sentence, part);
        };
        if is_news {
            self.conversation.note_run(&id, shared(self.source, event.invocation));
        }
        let batch = batch.get_or_insert_with(|| id.clone());
        let ask = Ask {
            request: self.conversation.reference(&id),
            call,
            argument: Argument::Object,
            subject: Subject::Call,
            batch: BatchId::from(batch.shared().clone()),
            offers: offers(may_edit),
            edits: EditRule::MERGE,
            batch_rule: BatchRule { held: true, ..BatchRule::default() },
            standing: Standing::Open,
            hint: asked.hint(self.source),
            doubt: None,
            title: None,
            description: None,
            timeout: None,
            schema: None,
        };
        self.asked.push((self.reading.observations.len(), id.clone(), part, self.conversation.events));
        self.reading.observations.push(Observation::Asked(Box::new(ask)));
        if is_news {
            self.catch_up(&id);
            let branch = event.branch.and_then(Value::as_str);
            if branch.is_some_and(|branch| self.conversation.note_hosts(&id, &branch)) {
                self.leave(id);
            }
        }
    }

    /// The agent that asked has gone on, and takes no answer any more.
    pub(super) fn leave(&mut self, id: RequestId) {
        let target = Target::Request(self.conversation.reference(&id));
        self.reading.observations.push(Observation::Closed { target, closed: Closed::Superseded });
    }

    /// Looks for doubts around the arguments of what still waits; most of a history does not.
    pub(super) fn inspect(&mut self) {
        for (at, id, part, _) in std::mem::take(&mut self.asked) {
            if self.conversation.waits(&id)
                && let Some(Observation::Asked(ask)) = self.reading.observations.get_mut(at)
            {
                ask.doubt =
                    doubt(part, "/functionCall/args/originalFunctionCall/args").or_else(|| lacking(part));
            }
        }
    }

    /// Repeats what was read about a request before the request itself.
    fn catch_up(&mut self, id: &RequestId) {
        let (answer, outcome) = self.conversation.early(id);
        if let Some(answer) = answer
            && let Ok(document) = Document::parse(&answer, &Limits::default())
        {
            self.answered(id, document.root());
        }
        if let Some(outcome) = outcome {
            let target = Target::Request(self.conversation.reference(id));
            self.reading.observations.push(Observation::Outcome { target, outcome: Box::new(outcome) });
        }
    }

    /// Reads what a person answered: the object, or its text inside of an object with nothing else.
    pub(super) fn answer(&mut self, event: &Event<'_>, id: Option<Value<'_>>, response: Option<Value<'_>>) {
        let (Some(id), Some(response)) = (request_id(self.source, id), response) else { return };
        self.conversation.note_run(&id, shared(self.source, event.invocation));
        match response.get("response").filter(|_| response.len() == 1) {
            None => self.answered(&id, response),
            Some(text) => {
                let text = text.as_str().unwrap_or_default();
                if let Ok(document) = Document::parse(&text, &Limits::default()) {
                    self.answered(&id, document.root());
                }
            }
        }
    }

    /// What is no object stops the server before it decides anything, so it is no answer.
    fn answered(&mut self, id: &RequestId, response: Value<'_>) {
        if !response.is_object() {
            return;
        }
        let Some(request) = self.conversation.answered(id) else {
            return self.conversation.keep_answer(id, response, self.source);
        };
        let decision = decision(response, Some(&request.args).filter(|_| request.is_editable));
        let target = Target::Request(self.conversation.reference(id));
        let answer = Answer { decision, automatic: false };
        self.reading.observations.push(Observation::Answered { target, answer });
    }
}

/// Why the arguments may not be all that would run.
fn lacking(part: Value<'_>) -> Option<String> {
    let args = part.get("functionCall")?.get("args")?.get("originalFunctionCall")?.get("args")?;
    let sentence = "ADK leaves secrets out of what looks like a credential, and runs with them";
    may_lack_secrets(args).then(|| sentence.to_owned())
}

//! Requests, and the answers that people gave to them.

use countersign_core::{
    Answer, Argument, Ask, BatchId, BatchRule, EditRule, Observation, ProblemCode, RequestId, Standing,
    Subject, Target,
};
use countersign_json::{Document, Limits, Value};

use super::event::{Event, request_id};
use super::memory::Request;
use super::read::Reader;
use crate::confirmation::{decision, declares_edits, doubt, hint, offers};
use crate::registry::Edits;

impl Reader<'_> {
    /// Reads the part that asks for confirmation; `batch` is the first request of its event.
    pub(super) fn confirmation(
        &mut self,
        event: &Event<'_>,
        part: Value<'_>,
        [id, args]: [Option<Value<'_>>; 2],
        batch: &mut Option<RequestId>,
    ) {
        let [original, details] =
            args.map(|args| args.pick(["originalFunctionCall", "toolConfirmation"])).unwrap_or_default();
        let call = original.and_then(|original| self.tool_call(event, original));
        let (Some(id), Some(original), Some(call)) = (request_id(id), original, call) else {
            return self.problem(
                ProblemCode::PartInvalid,
                "a confirmation without its id or its original call",
                part,
            );
        };
        let [payload, words] = details.map(|details| details.pick(["payload", "hint"])).unwrap_or_default();
        let declared = payload.is_some_and(|payload| declares_edits(payload, original));
        let may_edit = declared || self.edits == Edits::Always;
        let editable = may_edit.then(|| call.args.clone());
        let request = Request { id: id.clone(), call: call.id.clone(), editable };
        let Some(is_news) = self.conversation.remember(request) else {
            let sentence = "a confirmation with the id of another call's";
            return self.problem(ProblemCode::PartInvalid, sentence, part);
        };
        let ask = Ask {
            request: self.conversation.reference(&id),
            call,
            argument: Argument::Object,
            subject: Subject::Call,
            offers: offers(may_edit),
            edits: EditRule::MERGE,
            batch: BatchId::from(batch.get_or_insert_with(|| id.clone()).as_str()),
            batch_rule: BatchRule { held: true, uniform: false },
            standing: Standing::Open,
            doubt: doubt(part, "/functionCall/args/originalFunctionCall/args"),
            title: None,
            description: None,
            hint: words.and_then(hint),
            timeout: None,
        };
        self.reading.observations.push(Observation::Asked(Box::new(ask)));
        if is_news {
            self.catch_up(&id);
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
    pub(super) fn answer(&mut self, id: Option<Value<'_>>, response: Option<Value<'_>>) {
        let (Some(id), Some(response)) = (request_id(id), response) else { return };
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
        let Some(request) = self.conversation.request(id) else {
            return self.conversation.keep_answer(id, response);
        };
        let decision = Some(decision(response, request.editable.as_ref()));
        let target = Target::Request(self.conversation.reference(id));
        let answer = Answer { decision, automatic: false };
        self.reading.observations.push(Observation::Answered { target, answer });
    }
}

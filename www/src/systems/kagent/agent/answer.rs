//! Reading what a person's client sent.

use countersign_json::{Document, Limits, ParseError, Value};

use super::HITL;

/// A message from a person's client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// The message's id.
    pub message: String,
    /// The conversation it names.
    pub context: Option<String>,
    /// The task it names.
    pub task: Option<String>,
    /// Its parts, as they came.
    pub parts: String,
    /// Its metadata, as they came.
    pub metadata: Option<String>,
    /// Its extensions, as they came.
    pub extensions: Option<String>,
    /// What it says.
    pub content: Content,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Words.
    Text(String),
    /// An answer to what the agent asked.
    Answer(Answer),
}

/// An answer, in one of the forms of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// One word for everything that waits.
    All(Verdict),
    /// By the id of the original call; what is missing counts as approved.
    ByCall(Vec<(String, Verdict)>),
    /// By the id of the confirmation; what is missing stays unanswered.
    ByConfirmation(Vec<(String, Verdict)>),
    /// By the id of the confirmation, and complete, or the task fails.
    Complete {
        /// The answers.
        answers: Vec<(String, Verdict)>,
        /// The payload of the extension, as it came.
        payload: String,
    },
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Run it.
    Approved,
    /// Do not run it, perhaps with a reason.
    Rejected(Option<String>),
    /// These are the answers to the questions.
    Answered(Vec<Vec<String>>),
}

impl Received {
    /// Reads a message.
    ///
    /// # Errors
    /// The text is not JSON.
    pub(super) fn read(text: &str) -> Result<Received, ParseError> {
        let document = Document::parse(text, &Limits::default())?;
        let root = document.root();
        let raw = |key| root.get(key).map(|value| value.text().to_owned());
        Ok(Received {
            message: word(root, "messageId").unwrap_or_default(),
            context: word(root, "contextId"),
            task: word(root, "taskId"),
            parts: raw("parts").unwrap_or_else(|| "[]".to_owned()),
            metadata: raw("metadata"),
            extensions: raw("extensions"),
            content: content(root),
        })
    }
}

fn content(message: Value<'_>) -> Content {
    if let Some(payload) = message.get("metadata").and_then(|metadata| metadata.get(HITL))
        && let Some(answer) = extension(payload)
    {
        return Content::Answer(answer);
    }
    let parts = message.get("parts");
    let native: Vec<_> = parts.into_iter().flat_map(Value::items).filter_map(confirmation).collect();
    if !native.is_empty() {
        return Content::Answer(Answer::ByConfirmation(native));
    }
    let mut words = Vec::new();
    for part in parts.into_iter().flat_map(Value::items) {
        if let Some(answer) = part.get("data").and_then(decision) {
            return Content::Answer(answer);
        }
        words.extend(word(part, "text"));
    }
    Content::Text(words.join("\n"))
}

/// The payload of the extension `hitl/v1`.
fn extension(payload: Value<'_>) -> Option<Answer> {
    let kind = payload.get("type")?;
    let answers = if kind.equals("tool_approval_response") {
        let approvals = payload.get("approvals")?.items();
        let verdict = |approval: Value<'_>| match approval.get("approved").and_then(Value::as_bool) {
            Some(true) => Verdict::Approved,
            _ => Verdict::Rejected(word(approval, "rejection_reason")),
        };
        approvals.filter_map(|approval| Some((word(approval, "id")?, verdict(approval)))).collect()
    } else if kind.equals("ask_user_response") {
        vec![(word(payload, "id")?, Verdict::Answered(lists(payload.get("answers")?)))]
    } else {
        return None;
    };
    Some(Answer::Complete { answers, payload: payload.text().to_owned() })
}

/// A data part with a `decision_type`; a word that is not known is no answer.
fn decision(data: Value<'_>) -> Option<Answer> {
    let kind = data.get("decision_type")?;
    if let Some(answers) = data.get("ask_user_answers") {
        return Some(Answer::All(Verdict::Answered(lists(answers))));
    }
    if kind.equals("approve") {
        return Some(Answer::All(Verdict::Approved));
    }
    if kind.equals("reject") {
        return Some(Answer::All(Verdict::Rejected(word(data, "rejection_reason"))));
    }
    if !kind.equals("batch") {
        return None;
    }
    let reason = |id: &str| word(data.get("rejection_reasons")?, id);
    let decisions = data.get("decisions").into_iter().flat_map(Value::members);
    let answers = decisions.filter_map(|(key, verdict)| {
        let id = key.as_str()?.into_owned();
        let verdict =
            if verdict.equals("reject") { Verdict::Rejected(reason(&id)) } else { Verdict::Approved };
        Some((id, verdict))
    });
    Some(Answer::ByCall(answers.collect()))
}

/// A `function_response` of the confirmation itself.
fn confirmation(part: Value<'_>) -> Option<(String, Verdict)> {
    let data = part.get("data")?;
    if !data.get("name")?.equals("adk_request_confirmation") {
        return None;
    }
    let response = data.get("response")?;
    let payload = response.get("payload");
    let verdict = if response.get("confirmed").and_then(Value::as_bool) != Some(true) {
        Verdict::Rejected(payload.and_then(|it| word(it, "rejection_reason")))
    } else {
        match payload.and_then(|it| it.get("answers")) {
            Some(answers) => Verdict::Answered(lists(answers)),
            None => Verdict::Approved,
        }
    };
    Some((word(data, "id")?, verdict))
}

/// The texts of `[{"answer":[…]},…]`.
fn lists(answers: Value<'_>) -> Vec<Vec<String>> {
    let texts = |answer: Value<'_>| {
        let chosen = answer.get("answer").into_iter().flat_map(Value::items);
        chosen.filter_map(|text| text.as_str().map(|text| text.into_owned())).collect()
    };
    answers.items().map(texts).collect()
}

fn word(object: Value<'_>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(|text| text.into_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content_of(text: &str) -> Content {
        Received::read(text).expect("a message").content
    }

    #[test]
    fn a_batch_is_read_by_call_id_with_its_reasons() {
        let content = content_of(
            r#"{"parts":[{"kind":"data","data":{"decision_type":"batch","decisions":{"a":"approve","b":"reject"},
               "rejection_reasons":{"b":"no"}}},{"kind":"text","text":"ok"}]}"#,
        );
        let rejected = Verdict::Rejected(Some("no".to_owned()));
        let expected = vec![("a".to_owned(), Verdict::Approved), ("b".to_owned(), rejected)];
        assert_eq!(content, Content::Answer(Answer::ByCall(expected)));
    }

    #[test]
    fn a_decision_word_that_is_not_known_is_no_answer() {
        let content = content_of(r#"{"parts":[{"data":{"decision_type":"deny"}},{"text":"Denied"}]}"#);
        assert_eq!(content, Content::Text("Denied".to_owned()));
    }

    #[test]
    fn the_extension_is_read_before_the_text_beside_it() {
        let payload = r#"{"type":"ask_user_response","id":"q","answers":[{"answer":["x","y"]}]}"#;
        let message = format!(r#"{{"parts":[{{"text":"Answered"}}],"metadata":{{"{HITL}":{payload}}}}}"#);
        let answered = Verdict::Answered(vec![vec!["x".to_owned(), "y".to_owned()]]);
        let expected =
            Answer::Complete { answers: vec![("q".to_owned(), answered)], payload: payload.to_owned() };
        assert_eq!(content_of(&message), Content::Answer(expected));
    }
}

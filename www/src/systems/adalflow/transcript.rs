//! What was said, read from AdalFlow's events.
//!
//! What a person typed is on none of these wires.

use countersign_json::{Document, Limits, Value};

use super::messages;
use crate::chat::transcript::{Bubble, Role};

/// What is said in a text of the wire: a message, or a list of them.
///
/// `hidden` are the inbox's flags: one for each message, in order.
#[must_use]
pub(super) fn read(text: &str, hidden: &[bool]) -> Vec<Bubble> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let flags = hidden.iter().copied().chain(std::iter::repeat(false));
    let messages = messages(document.root()).into_iter().zip(flags);
    messages.filter(|(_, hidden)| !hidden).filter_map(|(message, _)| bubble(message)).collect()
}

/// Only the planner's events have an id of their own; `run_finished` repeats the words of the last one. Where a run that failed
/// is not named, the same failure is said once.
fn bubble(message: Value<'_>) -> Option<Bubble> {
    let [kind, data, error, run] = message.pick(["type", "data", "error", "run"]);
    if kind?.equals("run_failed") {
        let text = format!("The run failed: {}", error?.as_str_lossy()?);
        let id = run.and_then(Value::as_str).map_or_else(|| text.clone(), |run| run.into_owned());
        return Some(Bubble { id, role: Role::Agent, text });
    }
    if !kind?.equals("raw_response_event") {
        return None;
    }
    let [id, thought, is_final, answer] = data?.pick(["id", "thought", "_is_answer_final", "_answer"]);
    let is_final = is_final.is_some_and(|is_final| is_final.as_bool() == Some(true));
    let words = if is_final { answer } else { thought };
    let text = words?.as_str_lossy().filter(|text| !text.is_empty())?.into_owned();
    Some(Bubble { id: id?.as_str()?.into_owned(), role: Role::Agent, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"[
        {"type":"raw_response_event","data":{"id":"1","thought":"I will.","name":"delete_file"}},
        {"type":"raw_response_event","data":{"id":"2","thought":null,"name":"delete_file"}},
        {"type":"raw_response_event","data":null,"error":"x"},
        {"type":"run_item_stream_event","name":"agent.tool_call_start","item":{"id":"1","data":{"thought":"I will."}}},
        {"type":"raw_response_event","data":{"id":"3","thought":null,"name":"finish","_is_answer_final":true,"_answer":"Done."}},
        {"type":"run_finished","answer":"Done."},
        {"type":"run_failed","error":"the model failed"}]"#;
    const FAILURES: &str = r#"[
        {"type":"run_failed","error":"x","run":"1"},
        {"type":"run_failed","error":"x","run":"2"},
        {"type":"run_failed","error":"x","run":"2"}]"#;

    fn texts(hidden: &[bool]) -> Vec<String> {
        let said = read(LOG, hidden).into_iter();
        said.map(|Bubble { id, text, .. }| if id == text { text } else { format!("{id} {text}") }).collect()
    }

    #[test]
    fn thoughts_answers_and_failures_are_said_once() {
        assert_eq!(texts(&[]), ["1 I will.", "3 Done.", "The run failed: the model failed"]);
        assert_eq!(texts(&[true]), ["3 Done.", "The run failed: the model failed"]);
    }

    #[test]
    fn each_run_that_failed_is_said_once() {
        let ids: Vec<String> = read(FAILURES, &[]).into_iter().map(|bubble| bubble.id).collect();
        assert_eq!(ids, ["1", "2", "2"]);
    }
}

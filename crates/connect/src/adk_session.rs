//! What the ADK transport has to understand of a session: what it asks, what people answered, and whether the agent works.

use countersign_json::{Document, Limits, Value};

/// What ADK calls the request for a confirmation.
const CONFIRMATION: &str = "adk_request_confirmation";

/// The ids of the requests that a session asks, and of those that people answered in it.
pub(super) fn confirmations(session: &str) -> (Vec<String>, Vec<String>) {
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    let Ok(document) = Document::parse(session, &Limits::default()) else { return (asked, answered) };
    let events = document.root().get("events").into_iter().flat_map(|events| events.items());
    for content in events.filter_map(|event| event.get("content")) {
        let is_a_person = content.get("role").is_some_and(|role| role.equals("user"));
        for part in content.get("parts").into_iter().flat_map(|parts| parts.items()) {
            let [call, response] = part.pick(["functionCall", "functionResponse"]).map(id);
            asked.extend(call);
            answered.extend(response.filter(|_| is_a_person));
        }
    }
    (asked, answered)
}

/// The id of a confirmation, asked or answered.
fn id(part: Option<Value<'_>>) -> Option<String> {
    let [name, id] = part?.pick(["name", "id"]);
    name.filter(|name| name.equals(CONFIRMATION))?;
    Some(id?.as_str()?.into_owned())
}

/// Whether the agent works: a run goes on after the last event. Nothing else in a session says so.
pub(super) fn is_at_work(session: &str) -> bool {
    let Ok(document) = Document::parse(session, &Limits::default()) else { return false };
    let events = document.root().get("events").into_iter().flat_map(|events| events.items());
    let (mut last, mut asks) = (None, false);
    for event in events {
        // What waits for a person is followed by what its tool says meanwhile. A run that a person began after it does not wait for it.
        asks = !is_a_persons(event) && (asks || asks_in(event));
        last = Some(event);
    }
    !asks && last.is_some_and(is_followed)
}

fn is_a_persons(event: Value<'_>) -> bool {
    event.get("author").is_some_and(|author| author.equals("user"))
}

fn asks_in(event: Value<'_>) -> bool {
    let parts = event.pointer("/content/parts").into_iter().flat_map(|parts| parts.items());
    parts.filter_map(|part| part.get("functionCall")).any(|call| id(Some(call)).is_some())
}

/// Whether another event follows this one, by ADK's own rule for the last of an answer.
fn is_followed(event: Value<'_>) -> bool {
    let [code, content, long, partial] =
        event.pick(["errorCode", "content", "longRunningToolIds", "partial"]);
    if code.is_some_and(|code| !code.is_null()) {
        return false;
    }
    let ends = event.pointer("/actions/skipSummarization").and_then(Value::as_bool) == Some(true);
    let waits = long.is_some_and(|ids| !ids.is_empty());
    let parts = content.and_then(|content| content.get("parts"));
    let calls = parts.into_iter().flat_map(|parts| parts.items()).any(|part| {
        part.pick(["functionCall", "functionResponse"]).into_iter().flatten().any(|it| !it.is_null())
    });
    let is_partial = partial.and_then(Value::as_bool) == Some(true);
    is_a_persons(event) || !(ends || waits) && (calls || is_partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_asks_is_told_from_what_people_answered() {
        let call = |id| format!(r#"{{"functionCall":{{"name":"adk_request_confirmation","id":"{id}"}}}}"#);
        let answer =
            |id| format!(r#"{{"functionResponse":{{"name":"adk_request_confirmation","id":"{id}"}}}}"#);
        let event = |role, parts: String| format!(r#"{{"content":{{"role":"{role}","parts":[{parts}]}}}}"#);
        let model = event(
            "model",
            format!(
                r#"{},{},{{"functionCall":{{"name":"x","id":"c"}}}},{}"#,
                call("a"),
                call("b"),
                answer("b")
            ),
        );
        let session = format!(r#"{{"events":[{model},{{}},{}]}}"#, event("user", answer("a")));
        assert_eq!(confirmations(&session), (vec!["a".to_owned(), "b".to_owned()], vec!["a".to_owned()]));
        assert_eq!(confirmations("{"), (vec![], vec![]));
    }

    #[test]
    fn an_agent_works_until_its_last_event_ends_the_answer() {
        let check = |events: &str, expected| {
            assert_eq!(is_at_work(&format!(r#"{{"events":[{events}]}}"#)), expected, "{events}");
        };
        let event = |author: &str, parts: &str, rest: &str| {
            format!(r#"{{"author":"{author}","content":{{"role":"x","parts":[{parts}]}}{rest}}}"#)
        };
        let call = r#"{"functionCall":{"name":"x","id":"c"}}"#;
        let result = r#"{"functionResponse":{"name":"x","id":"c"}}"#;
        let text = r#"{"text":"x"}"#;
        check("", false);
        check(&event("user", text, ""), true);
        check(&event("agent", call, ""), true);
        check(&event("agent", result, ""), true);
        check(&event("agent", text, r#","longRunningToolIds":[]"#), false);
        check(&event("agent", text, r#","partial":true"#), true);
        check(&event("agent", call, r#","longRunningToolIds":["c"]"#), false);
        check(&event("agent", result, r#","actions":{"skipSummarization":true}"#), false);
        check(r#"{"author":"agent","errorCode":"429","errorMessage":"too many"}"#, false);
        // What waits for a person is followed by what its tool says meanwhile.
        let asks = event("agent", r#"{"functionCall":{"name":"adk_request_confirmation","id":"a"}}"#, "");
        let answer = r#"{"author":"user","content":{"role":"user","parts":[{"functionResponse":{"name":"adk_request_confirmation","id":"a"}}]}}"#;
        check(&format!("{asks},{}", event("agent", result, "")), false);
        check(&format!("{asks},{},{answer}", event("agent", result, "")), true);
        // A run that began after it does not wait for it.
        let words = event("user", text, "");
        check(&format!("{asks},{},{words},{}", event("agent", result, ""), event("agent", call, "")), true);
        check(&format!("{asks},{words},{asks},{}", event("agent", result, "")), false);
    }
}

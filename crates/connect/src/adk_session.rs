//! What the ADK transport has to understand of a session: what it asks, what people answered, and whether the agent works.

use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// Whether a call of the same run as one of these requests was approved and has no outcome: ADK may run it again when another
/// answer of the run comes meanwhile, where an agent has a branch of its own in it.
pub(super) fn is_beside_another(session: &str, ours: &[String]) -> bool {
    let Ok(document) = Document::parse(session, &Limits::default()) else { return false };
    let (mut asked, mut approved) = (BTreeMap::new(), Vec::new());
    for event in document.root().get("events").into_iter().flat_map(|events| events.items()) {
        let [run, branch] = event.pick(["invocationId", "branch"]).map(|it| it.and_then(Value::as_str));
        let has_branch = branch.is_some_and(|branch| !branch.is_empty());
        let is_a_person = event.pointer("/content/role").is_some_and(|role| role.equals("user"));
        let parts = event.pointer("/content/parts").into_iter().flat_map(|parts| parts.items());
        for part in parts {
            let [asks, says] = part.pick(["functionCall", "functionResponse"]);
            if let Some(request) = id(asks) {
                let call = asks.and_then(|asks| asks.pointer("/args/originalFunctionCall/id"));
                asked.insert(request, (run.clone(), call.and_then(Value::as_str), has_branch));
            }
            let Some(says) = says else { continue };
            match id(Some(says)).filter(|_| is_a_person).and_then(|answered| asked.get(&answered)) {
                Some((run, call, has_branch)) => {
                    let confirmed = says.pointer("/response/confirmed").and_then(Value::as_bool);
                    if *has_branch && confirmed != Some(false) {
                        approved.push((run.clone(), call.clone()));
                    }
                }
                None => {
                    let call = says.get("id").and_then(Value::as_str);
                    approved.retain(|(_, of)| *of != call);
                }
            }
        }
    }
    let runs = || ours.iter().filter_map(|id| asked.get(id));
    approved.iter().any(|(run, _)| runs().any(|(of, ..)| of == run))
}

/// Whether the agent works: a run goes on after the last event of a branch. Nothing else in a session says so.
pub(super) fn is_at_work(session: &str) -> bool {
    let Ok(document) = Document::parse(session, &Limits::default()) else { return false };
    let events = document.root().get("events").into_iter().flat_map(|events| events.items());
    let mut is_begun = false;
    // Agents that work side by side have a branch each, and none waits for what another one asks.
    let mut branches: BTreeMap<Cow<'_, str>, Branch> = BTreeMap::new();
    for event in events.filter(|event| is_of_run(*event)) {
        is_begun = is_a_persons(event);
        if is_begun {
            // A run that a person began does not wait for what was asked before it.
            branches.clear();
            continue;
        }
        let name = event.get("branch").and_then(Value::as_str).unwrap_or_default();
        let branch = branches.entry(name).or_default();
        branch.goes_on = is_followed(event);
        // What waits for a person is followed by what its tool says meanwhile.
        branch.asks |= asks_in(event);
    }
    let asking: Vec<&str> =
        branches.iter().filter(|(_, branch)| branch.asks).map(|(name, _)| name.as_ref()).collect();
    let waits = |own: &str| asking.iter().any(|name| is_within(name, own));
    is_begun || branches.iter().any(|(name, branch)| branch.goes_on && !waits(name))
}

/// How far the agents of one branch have come.
#[derive(Default)]
struct Branch {
    goes_on: bool,
    asks: bool,
}

fn is_within(branch: &str, of: &str) -> bool {
    let rest = branch.strip_prefix(of);
    of.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether an event tells how far a run has come. Others say what was summed up, taken back or put into the state.
fn is_of_run(event: Value<'_>) -> bool {
    let [content, code] = event.pick(["content", "errorCode"]);
    let says = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_null());
    let is_there = |name| event.pointer(name).is_some_and(|value| !value.is_null());
    says(content)
        || says(code)
        || (!is_a_persons(event) && (is_there("/actions/agentState") || is_there("/actions/endOfAgent")))
}

fn is_a_persons(event: Value<'_>) -> bool {
    event.get("author").is_some_and(|author| author.equals("user"))
}

fn asks_in(event: Value<'_>) -> bool {
    let parts = event.pointer("/content/parts").into_iter().flat_map(|parts| parts.items());
    parts.filter_map(|part| part.get("functionCall")).any(|call| id(Some(call)).is_some())
}

/// Whether another event follows this one of an agent's, by ADK's own rule for the last of an answer.
fn is_followed(event: Value<'_>) -> bool {
    let [code, content, long, partial] =
        event.pick(["errorCode", "content", "longRunningToolIds", "partial"]);
    if code.is_some_and(|code| !code.is_null()) {
        return false;
    }
    // An agent that can be resumed notes where it is before it goes on.
    if event.pointer("/actions/agentState").is_some_and(|state| !state.is_null()) {
        return true;
    }
    let ends = event.pointer("/actions/skipSummarization").and_then(Value::as_bool) == Some(true);
    let waits = long.is_some_and(|ids| !ids.is_empty());
    let parts = content.and_then(|content| content.get("parts"));
    let calls = parts.into_iter().flat_map(|parts| parts.items()).any(|part| {
        part.pick(["functionCall", "functionResponse"]).into_iter().flatten().any(|it| !it.is_null())
    });
    let is_partial = partial.and_then(Value::as_bool) == Some(true);
    !(ends || waits) && (calls || is_partial)
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
    fn r10_an_answer_waits_for_the_outcome_of_another_one_in_its_run() {
        let asks = |run, id, call| {
            let asks = format!(
                r#"{{"name":"adk_request_confirmation","id":"{id}","args":{{"originalFunctionCall":{{"id":"{call}"}}}}}}"#
            );
            format!(
                r#"{{"author":"agent","branch":"root.{id}","invocationId":"{run}","content":{{"parts":[{{"functionCall":{asks}}}]}}}}"#
            )
        };
        let says = |role, name, id, response| {
            let says = format!(r#"{{"name":"{name}","id":"{id}","response":{response}}}"#);
            format!(
                r#"{{"author":"{role}","content":{{"role":"{role}","parts":[{{"functionResponse":{says}}}]}}}}"#
            )
        };
        let answers = |id, response| says("user", "adk_request_confirmation", id, response);
        let waits = |call| says("agent", "pay", call, r#"{"error":"This tool call requires confirmation"}"#);
        let check = |events: &[String], expected| {
            let session = format!(r#"{{"events":[{}]}}"#, events.join(","));
            assert_eq!(is_beside_another(&session, &["b".to_owned()]), expected, "{session}");
        };
        let two = [asks("e1", "a", "c1"), waits("c1"), asks("e1", "b", "c2"), waits("c2")];
        let then = |more: &[String]| [&two[..], more].concat();
        check(&two, false);
        check(&then(&[answers("a", r#"{"confirmed":true}"#)]), true);
        check(&then(&[answers("a", r#"{"response":"{}"}"#)]), true);
        check(&then(&[answers("a", r#"{"confirmed":true}"#), says("agent", "pay", "c2", "{}")]), true);
        check(&then(&[answers("a", r#"{"confirmed":true}"#), says("agent", "pay", "c1", "{}")]), false);
        check(&then(&[answers("a", r#"{"confirmed":false}"#)]), false);
        check(&then(&[says("agent", "adk_request_confirmation", "a", r#"{"confirmed":true}"#)]), false);
        check(&[asks("e0", "a", "c1"), answers("a", "{}"), asks("e1", "b", "c2")], false);
        // Where agents have no branches, only what the last answer names runs.
        let plain = two.clone().map(|event| event.replace("branch", "author"));
        check(&[&plain[..], &[answers("a", "{}")]].concat(), false);
        assert!(!is_beside_another("{", &["b".to_owned()]));
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
        let failed = r#"{"author":"agent","errorCode":"429"}"#;
        check(&format!("{},{failed}", event("user", text, "")), false);
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

    #[test]
    fn what_adk_notes_for_itself_is_no_step_of_a_run_and_a_branch_does_not_wait_for_another_one() {
        let check = |events: &str, expected| {
            assert_eq!(is_at_work(&format!(r#"{{"events":[{events}]}}"#)), expected, "{events}");
        };
        let event = |author: &str, rest: &str| format!(r#"{{"author":"{author}"{rest}}}"#);
        let parts = |parts: &str| format!(r#","content":{{"parts":[{parts}]}}"#);
        let text = parts(r#"{"text":"x"}"#);
        let (words, done) = (event("user", &text), event("agent", &text));
        for note in [
            r#""compaction":{"startTimestamp":1}"#,
            r#""rewindBeforeInvocationId":"e""#,
            r#""stateDelta":{"a":1}"#,
        ] {
            let note = event("user", &format!(r#","content":null,"actions":{{{note}}}"#));
            check(&format!("{words},{done},{note}"), false);
            check(&format!("{words},{note}"), true);
        }
        let state = |rest: &str| event("agent", &format!(r#","actions":{{{rest}}}"#));
        let (at, ended) = (state(r#""agentState":{}"#), state(r#""endOfAgent":true"#));
        check(&format!("{words},{at}"), true);
        check(&format!("{words},{at},{done},{ended}"), false);
        check(&format!("{words},{at},{ended}"), false);
        check(&format!("{words},{}", state(r#""stateDelta":{"a":1}"#)), true);
        let asks = parts(r#"{"functionCall":{"name":"adk_request_confirmation","id":"a"}}"#);
        let call = parts(r#"{"functionCall":{"name":"x","id":"c"}}"#);
        let on = |branch: &str, rest: &str| event("agent", &format!(r#","branch":"{branch}"{rest}"#));
        let (one, two) = (on("root.one", &asks), on("root.two", &call));
        check(&format!("{words},{at},{one},{two}"), true);
        check(&format!("{words},{two},{one}"), true);
        check(&format!("{words},{at},{one},{}", on("root.two", &text)), false);
        check(&format!("{words},{},{one}", on("root", &call)), false);
        check(&format!("{words},{},{one}", on("root.o", &call)), true);
    }
}

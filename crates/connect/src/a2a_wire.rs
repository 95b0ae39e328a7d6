//! What the A2A transport has to understand of the wire: where the tasks are, and whether the agent works on them.

use countersign_json::{Document, Limits, Value, Writer, quote};

use super::{Fault, FaultKind, Version, answer};

/// kagent's extension, which brings its requests along.
const HITL: &str = "https://kagent.dev/extensions/hitl/v1";
/// There is no such task.
const NO_TASK: &str = "-32001";
/// An internal error, which may pass.
const INTERNAL: &str = "-32603";
/// How many tasks are asked for at once.
const PAGE: u32 = 100;

/// The names of the calls in one version.
pub(super) struct Methods {
    pub(super) get: &'static str,
    pub(super) follow: &'static str,
    pub(super) stream: &'static str,
}

pub(super) const fn methods(version: Version) -> Methods {
    match version {
        Version::V0_3 => Methods { get: "tasks/get", follow: "tasks/resubscribe", stream: "message/stream" },
        Version::V1_0 => {
            Methods { get: "GetTask", follow: "SubscribeToTask", stream: "SendStreamingMessage" }
        }
    }
}

/// The extensions that are asked for, unless others are named.
pub(super) const fn extensions(version: Version) -> &'static str {
    match version {
        Version::V0_3 => "",
        Version::V1_0 => HITL,
    }
}

/// The version in which a message goes out, and the extensions that are asked for with it: those of what it answers, beside the page's own.
pub(super) fn form(transport: &str, version: Version, extensions: &str) -> (Version, String) {
    let document = Document::parse(transport, &Limits::default()).ok();
    let [named, more] =
        document.as_ref().map(|it| it.root().pick(["version", "extensions"])).unwrap_or_default();
    let version = match named.and_then(|named| named.as_str()).as_deref() {
        Some("0.3") => Version::V0_3,
        Some("1.0") => Version::V1_0,
        _ => version,
    };
    let mut all: Vec<&str> = extensions.split(", ").filter(|it| !it.is_empty()).collect();
    let more: Vec<_> = more.iter().flat_map(|more| more.items()).filter_map(|it| it.as_str()).collect();
    for address in &more {
        if !all.contains(&&**address) {
            all.push(address);
        }
    }
    (version, all.join(", "))
}

/// The headers of every call.
pub(super) fn headers(version: Version, extensions: &str) -> Vec<(&'static str, &str)> {
    let (named, name) = match version {
        Version::V0_3 => (None, "X-A2A-Extensions"),
        Version::V1_0 => (Some(("A2A-Version", "1.0")), "A2A-Extensions"),
    };
    let extensions = (!extensions.is_empty()).then_some((name, extensions));
    named.into_iter().chain(extensions).collect()
}

/// What a task is found in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It waits for an answer.
    Waits,
    /// In the words of 0.3.
    Other(String),
    /// Nobody knows it.
    Unknown,
    /// The agent could not be asked.
    Error(String),
}

/// What the answer to a question for a task says of it.
pub(super) fn state(text: &str) -> State {
    if let Some(problem) = answer::problem(text) {
        return match problem.code.as_deref() {
            Some(NO_TASK) => State::Unknown,
            _ => State::Error(problem.message),
        };
    }
    let Ok(document) = Document::parse(text, &Limits::default()) else { return State::Unknown };
    match tasks(document.root()).first().and_then(|task| state_of(*task)) {
        Some(state) if state == "input-required" => State::Waits,
        Some(state) => State::Other(state),
        None => State::Unknown,
    }
}

/// A history as it came.
///
/// # Errors
/// A [`Fault`] for one that says that there was an error.
pub(super) fn sound(text: String) -> Result<String, Fault> {
    match answer::problem(&text) {
        None => Ok(text),
        Some(problem) if problem.code.as_deref() == Some(INTERNAL) => {
            Err(Fault::new(FaultKind::Internal, problem.message))
        }
        Some(problem) => Err(Fault::answered(problem.message)),
    }
}

/// The task with this id, which was asked for, or what says that it is forgotten; `None` where there is none.
///
/// # Errors
/// A [`Fault`] for an answer that says that there was another error.
pub(super) fn found(text: String, id: &str) -> Result<Option<String>, Fault> {
    let is_missing = answer::problem(&text).is_some_and(|it| it.code.as_deref() == Some(NO_TASK));
    if is_missing { Ok(forgotten(&text, id)) } else { sound(text).map(Some) }
}

/// What says that this task is forgotten, where an agent says so. Others give the number of that error another meaning.
pub(super) fn forgotten(text: &str, id: &str) -> Option<String> {
    let problem = answer::problem(text).filter(|it| it.code.as_deref() == Some(NO_TASK))?;
    let said = problem.message.to_ascii_lowercase();
    let is_it = said.starts_with("task ") && (said.contains("not found") || said.contains("not exist"));
    is_it.then(|| answer::forgotten(id, &problem.message))
}

/// The tasks, updates or messages in an answer.
fn tasks(root: Value<'_>) -> Vec<Value<'_>> {
    let result = root.get("result").unwrap_or(root);
    let [tasks, data] = result.pick(["tasks", "data"]);
    if let Some(list) = [Some(result), tasks, data].into_iter().flatten().find(|it| it.is_array()) {
        return list.items().collect();
    }
    let one =
        result.pick(["task", "statusUpdate", "message"]).into_iter().flatten().find(|it| it.is_object());
    vec![one.unwrap_or(result)]
}

/// The state of a task in the words of 0.3.
fn state_of(task: Value<'_>) -> Option<String> {
    let state = task.pointer("/status/state")?.as_str()?;
    Some(state.trim_start_matches("TASK_STATE_").to_ascii_lowercase().replace('_', "-"))
}

fn is_working(state: &str) -> bool {
    ["working", "submitted"].contains(&state)
}

/// The tasks of which a text says how they stand.
pub(super) fn named(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return Vec::new() };
    let tasks = tasks(document.root()).into_iter().filter(|task| state_of(*task).is_some());
    let ids = tasks.filter_map(|task| task.get("taskId").or(task.get("id"))?.as_str());
    ids.map(|id| id.into_owned()).collect()
}

/// The states that a task never leaves, in the words of 0.3; one of them has two spellings.
const ENDED: [&str; 5] = ["completed", "failed", "canceled", "cancelled", "rejected"];

/// Whether a task is found in a state that it never leaves.
pub(super) fn has_ended(text: &str) -> bool {
    matches!(state(text), State::Other(state) if ENDED.contains(&state.as_str()))
}

/// Answers to questions for tasks as one list, the oldest first; each task is as it came.
pub(super) fn listed(mut answers: Vec<String>) -> Option<String> {
    if answers.len() < 2 {
        return answers.pop();
    }
    let task = |answer: &String| {
        let document = Document::parse(answer, &Limits::default()).ok()?;
        Some(document.root().get("result")?.text().to_owned())
    };
    Some(format!("[{}]", answers.iter().filter_map(task).collect::<Vec<_>>().join(",")))
}

/// Of the tasks in a history on which the agent works the newest; of those that do not say since when, the last.
pub(super) fn at_work(history: &str) -> Option<String> {
    let document = Document::parse(history, &Limits::default()).ok()?;
    let tasks = tasks(document.root()).into_iter();
    let working = tasks.filter(|task| state_of(*task).is_some_and(|state| is_working(&state)));
    let newest = working.max_by_key(|task| task.pointer("/status/timestamp").and_then(Value::as_str))?;
    Some(newest.get("id")?.as_str()?.into_owned())
}

/// Whether an event says that the agent works on its task no more; a message is a whole answer.
pub(super) fn is_settled(event: &str) -> bool {
    stand(event).is_some_and(|stand| stand != Stand::Works)
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    Works,
    /// The agent does not work on it, and may go on by itself: somebody signs in elsewhere, or nobody knows.
    Waits,
    /// The agent goes on only when it is told something.
    Rests,
}

/// Where an event says that its task stands, if it does; a message is a whole answer.
pub(super) fn stand(event: &str) -> Option<Stand> {
    let document = Document::parse(event, &Limits::default()).ok()?;
    let task = *tasks(document.root()).first()?;
    let rests = |state: &str| state == "input-required" || ENDED.contains(&state);
    Some(match state_of(task) {
        Some(state) if is_working(&state) => Stand::Works,
        Some(state) if !rests(&state) => Stand::Waits,
        Some(_) => Stand::Rests,
        None => task.get("messageId").map(|_| Stand::Rests)?,
    })
}

/// The task that a message answers.
pub(super) fn answered(message: &str) -> Option<String> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    Some(document.root().get("taskId")?.as_str()?.into_owned())
}

/// Whether a message answers in kagent's words; inside of a text their quotes are escaped.
pub(super) fn is_in_words(message: &str) -> bool {
    message.contains(r#"{"decision_type":"#)
}

/// A JSON-RPC call whose parameters are JSON text.
pub(super) fn call(id: &str, method: &str, parameters: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("jsonrpc").string("2.0").key("id").string(id);
    writer.key("method").string(method).key("params").raw(parameters).end_object();
    writer.finish()
}

/// Parameters of one member, which is JSON text.
pub(super) fn parameter(name: &str, value: &str) -> String {
    format!("{{{}:{value}}}", quote(name))
}

/// The parameters that ask for a page of tasks.
pub(super) fn list(conversation: &str, token: Option<&str>) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("contextId").string(conversation).key("pageSize").raw(&PAGE.to_string());
    writer.key("includeArtifacts").bool(true);
    if let Some(token) = token {
        writer.key("pageToken").string(token);
    }
    writer.end_object();
    writer.finish()
}

/// The token of the next page.
pub(super) fn next(page: &str) -> Option<String> {
    let document = Document::parse(page, &Limits::default()).ok()?;
    let token = document.root().pointer("/result/nextPageToken")?.as_str()?;
    (!token.is_empty()).then(|| token.into_owned())
}

/// The tasks of several pages as one list; each task is as it came.
pub(super) fn joined(mut pages: Vec<String>) -> String {
    if pages.len() < 2 {
        return pages.pop().unwrap_or_default();
    }
    let tasks = pages.iter().flat_map(|page| {
        let document = Document::parse(page, &Limits::default()).ok();
        let tasks = document.as_ref().and_then(|document| document.root().pointer("/result/tasks"));
        tasks.into_iter().flat_map(|it| it.items()).map(|it| it.text().to_owned()).collect::<Vec<_>>()
    });
    format!(r#"{{"tasks":[{}]}}"#, tasks.collect::<Vec<_>>().join(","))
}

/// Whether a text is an answer of JSON-RPC that says something: neither an error, nor a proxy's.
pub(super) fn is_result(text: &str) -> bool {
    let document = Document::parse(text, &Limits::default());
    document.is_ok_and(|document| document.root().get("result").is_some_and(Value::is_object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r10_taken_only_a_whole_result_says_that_a_message_was_taken() {
        let check = |text, expected| assert_eq!(is_result(text), expected, "{text}");
        check(r#"{"jsonrpc":"2.0","id":"1","result":{"kind":"task"}}"#, true);
        for text in ["", "OK", "{}", r#"{"status":"ok"}"#, r#"{"result":null}"#, r#"{"error":{"code":1}"#] {
            check(text, false);
        }
    }

    #[test]
    fn a_message_is_carried_as_it_is() {
        let message = r#"{"taskId":"t","parts":[{"data":{"n":1.0}}]}"#;
        let body = call("7", "message/stream", &parameter("message", message));
        assert_eq!(
            body,
            format!(
                r#"{{"jsonrpc":"2.0","id":"7","method":"message/stream","params":{{"message":{message}}}}}"#
            )
        );
        assert_eq!(answered(message).as_deref(), Some("t"));
        assert_eq!(answered(r#"{"parts":[]}"#), None);
    }

    #[test]
    fn an_answer_goes_out_as_it_was_asked_for() {
        let check = |transport, version, extensions, expected: (Version, &str)| {
            let (version, extensions) = form(transport, version, extensions);
            assert_eq!((version, extensions.as_str()), expected, "{transport}");
        };
        check("{}", Version::V1_0, HITL, (Version::V1_0, HITL));
        check(r#"{"version":"0.3","extensions":[]}"#, Version::V1_0, "", (Version::V0_3, ""));
        let asked = format!(r#"{{"version":"1.0","extensions":["{HITL}"]}}"#);
        check(&asked, Version::V0_3, "", (Version::V1_0, HITL));
        check(&asked, Version::V1_0, HITL, (Version::V1_0, HITL));
        let both = format!("urn:x, {HITL}");
        check(&asked, Version::V1_0, "urn:x", (Version::V1_0, &both));
    }

    #[test]
    fn only_a_task_that_waits_is_answered() {
        let check = |text, expected| assert_eq!(state(text), expected, "{text}");
        check(r#"{"result":{"status":{"state":"input-required"}}}"#, State::Waits);
        check(r#"{"result":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}"#, State::Waits);
        check(r#"{"result":{"task":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}}"#, State::Waits);
        check(r#"{"result":{"status":{"state":"completed"}}}"#, State::Other("completed".to_owned()));
        check(r#"{"error":{"code":-32001,"message":"no"}}"#, State::Unknown);
        check(r#"{"error":{"code":-32603,"message":"no"}}"#, State::Error("no".to_owned()));
        check("<html>", State::Unknown);
    }

    #[test]
    fn an_error_is_no_history() {
        let list = r#"{"error":false,"message":"","data":[]}"#.to_owned();
        assert_eq!(sound(list.clone()), Ok(list));
        let check = |text: &str, temporary| {
            let fault = sound(text.to_owned()).expect_err(text);
            assert_eq!((fault.message.as_str(), fault.is_temporary()), ("no", temporary), "{text}");
        };
        check(r#"{"error":true,"message":"no","data":null}"#, false);
        check(r#"{"error":{"code":-32601,"message":"no"}}"#, false);
        check(r#"{"error":{"code":-32603,"message":"no"}}"#, true);
    }

    #[test]
    fn a_task_is_forgotten_where_an_agent_says_so_of_it() {
        let check = |code: i32, said: &str, expected: Option<&str>| {
            let text = format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{said}"}}}}"#);
            assert_eq!(forgotten(&text, "t").as_deref(), expected, "{said}");
        };
        check(-32001, "Task not found", Some(r#"{"forgotten":"t","said":"Task not found"}"#));
        let said = "Task t was specified but does not exist";
        check(-32001, said, Some(&format!(r#"{{"forgotten":"t","said":"{said}"}}"#)));
        check(-32001, "Request timed out", None);
        check(-32001, "Task t cannot be cancelled", None);
        check(-32000, "Task not found", None);
        assert_eq!(forgotten("{}", "t"), None);
    }

    #[test]
    fn a_task_that_nobody_knows_is_no_error() {
        assert_eq!(found(r#"{"error":{"code":-32001,"message":"no"}}"#.to_owned(), "t"), Ok(None));
        assert_eq!(found("{}".to_owned(), "t"), Ok(Some("{}".to_owned())));
        assert!(found(r#"{"error":{"code":-32600,"message":"no"}}"#.to_owned(), "t").is_err());
    }

    #[test]
    fn each_version_has_its_header_for_extensions() {
        let (old, new) = (Version::V0_3, Version::V1_0);
        assert_eq!(headers(old, extensions(old)), []);
        assert_eq!(headers(old, "a, b"), [("X-A2A-Extensions", "a, b")]);
        assert_eq!(headers(new, extensions(new)), [("A2A-Version", "1.0"), ("A2A-Extensions", HITL)]);
        assert_eq!(headers(new, ""), [("A2A-Version", "1.0")]);
    }

    #[test]
    fn a_task_at_work_is_found_wherever_tasks_are_listed() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(at_work(text).as_deref(), expected, "{text}");
        let done = r#"{"id":"a","status":{"state":"completed"}}"#;
        let works = r#"{"id":"b","status":{"state":"working"}}"#;
        check(&format!(r#"{{"error":false,"data":[{done},{works}]}}"#), Some("b"));
        check(&format!(r#"[{works}]"#), Some("b"));
        check(r#"{"result":{"tasks":[{"id":"c","status":{"state":"TASK_STATE_SUBMITTED"}}]}}"#, Some("c"));
        check(&format!(r#"{{"data":[{done}]}}"#), None);
        check(r#"{"data":[{"id":"d","status":{"state":"input-required"}}]}"#, None);
        check("<html>", None);
    }

    #[test]
    fn r39_what_a_text_says_of_tasks_names_them() {
        let check = |text: &str, expected: &[&str]| assert_eq!(named(text), expected, "{text}");
        check(r#"{"result":{"kind":"task","id":"t","status":{"state":"submitted"}}}"#, &["t"]);
        check(
            r#"{"result":{"kind":"status-update","id":"x","taskId":"t","status":{"state":"working"}}}"#,
            &["t"],
        );
        check(r#"{"result":{"kind":"artifact-update","taskId":"t","artifact":{}}}"#, &[]);
        check(r#"{"result":{"kind":"message","messageId":"m","taskId":"t"}}"#, &[]);
        check("{", &[]);
        let ends =
            |state: &str| has_ended(&format!(r#"{{"result":{{"id":"t","status":{{"state":"{state}"}}}}}}"#));
        let ended = ["completed", "TASK_STATE_CANCELED", "cancelled", "failed", "rejected"];
        assert!(ended.into_iter().all(ends));
        assert!(!["working", "input-required", "auth-required"].into_iter().any(ends));
    }

    #[test]
    fn of_several_tasks_at_work_the_newest_is_followed() {
        let check = |tasks: [&str; 3], expected| {
            let text = format!(r#"{{"error":false,"data":[{}]}}"#, tasks.join(","));
            assert_eq!(at_work(&text).as_deref(), Some(expected), "{text}");
        };
        let old = r#"{"id":"a","status":{"state":"working","timestamp":"2026-11-26T10:00:00Z"}}"#;
        let new = r#"{"id":"b","status":{"state":"submitted","timestamp":"2026-11-26T11:00:00Z"}}"#;
        let done = r#"{"id":"c","status":{"state":"completed","timestamp":"2026-11-26T12:00:00Z"}}"#;
        let [first, last] = ["d", "e"].map(|id| format!(r#"{{"id":"{id}","status":{{"state":"working"}}}}"#));
        check([old, new, done], "b");
        check([done, new, old], "b");
        check([&first, &last, done], "e");
        check([old, &first, &last], "a");
    }

    #[test]
    fn a_stream_is_over_for_its_task_when_the_agent_rests() {
        let check = |text, expected| assert_eq!(is_settled(text), expected, "{text}");
        check(r#"{"result":{"kind":"status-update","status":{"state":"completed"}}}"#, true);
        check(r#"{"result":{"statusUpdate":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}}"#, true);
        check(r#"{"result":{"kind":"message","messageId":"m"}}"#, true);
        check(r#"{"result":{"kind":"task","id":"t","status":{"state":"working"}}}"#, false);
        check(r#"{"result":{"kind":"artifact-update","artifact":{}}}"#, false);
        check(r#"{"result":{"kind":"status-update","status":{"state":"auth-required"}}}"#, true);
    }

    #[test]
    fn pages_are_read_as_one_list_and_no_task_is_touched() {
        let page = |tasks: &str, token: &str| {
            format!(r#"{{"result":{{"tasks":[{tasks}],"nextPageToken":"{token}"}}}}"#)
        };
        let pages = vec![page(r#"{"n":1.0}, {"id":"b"}"#, "2"), page(r#"{"id":"c"}"#, "")];
        assert_eq!(next(&pages[0]).as_deref(), Some("2"));
        assert_eq!(next(&pages[1]), None);
        assert_eq!(joined(pages), r#"{"tasks":[{"n":1.0},{"id":"b"},{"id":"c"}]}"#);
        assert_eq!(joined(vec![page("", "")]), page("", ""));
    }
}

//! What the LangGraph transport has to understand of the wire: runs, states, and the parts of a stream.

use countersign_json::{Document, Limits, Value, Writer, quote};

use super::events::ServerEvent;
use super::{Fault, Message};

/// The member of a run that holds what its page tells of it.
const METADATA: &str = "metadata";

/// The run that is under way, in a list of runs.
pub(super) fn running(runs: &str) -> Option<String> {
    let document = Document::parse(runs, &Limits::default()).ok()?;
    let is_under_way = |run: &Value<'_>| {
        run.get("status").is_some_and(|status| status.equals("running") || status.equals("pending"))
    };
    let run = document.root().items().find(is_under_way)?;
    Some(run.get("run_id")?.as_str()?.into_owned())
}

/// The sentence of a run that failed: the part `error` of its stream.
pub(super) fn error_in(text: &str) -> Option<String> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let [event, data] = document.root().pick(["event", "data"]);
    let data = data.filter(|_| event.is_some_and(|event| event.equals("error")))?;
    let [message, class] = data.pick(["message", "error"]);
    Some(message.or(class).unwrap_or(data).as_str_lossy().unwrap_or_default().into_owned())
}

/// The fault of a run that failed. One that begins says so first: one that fails before that, for want of its graph or a store,
/// has read nothing of the message.
pub(super) fn fault_in(text: &str, has_begun: bool) -> Option<Fault> {
    let fault = Fault::answered(error_in(text)?);
    Some(if has_begun { fault } else { fault.unsent() })
}

/// Whether a server says so of a thread that it does not know. It names it, in one wording or another.
pub(super) fn is_unknown(said: &str, thread: &str) -> bool {
    said.starts_with("Thread ") && said.contains(" not found") && said.contains(thread)
}

/// Whether a thread waits for what this command answers.
pub(super) fn waits_for(state: &str, command: &str) -> bool {
    let waiting = interrupts(state);
    let document = Document::parse(command, &Limits::default());
    let resume = document.as_ref().ok().and_then(|document| document.root().get("resume"));
    let keyed: Vec<_> = resume.filter(|it| it.is_object()).into_iter().flat_map(|it| it.members()).collect();
    let ids: Vec<String> = keyed.iter().filter_map(|(name, _)| Some(name.as_str()?.into_owned())).collect();
    let is_id =
        |id: &String| id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !ids.is_empty() && ids.len() == keyed.len() && ids.iter().all(is_id) {
        ids.iter().all(|id| waiting.contains(&Some(id.clone())))
    } else {
        waiting.len() == 1
    }
}

/// The ids of the interrupts that wait in a state; one without an id counts as well.
fn interrupts(state: &str) -> Vec<Option<String>> {
    let Ok(document) = Document::parse(state, &Limits::default()) else { return Vec::new() };
    let tasks = document.root().get("tasks").into_iter().flat_map(|tasks| tasks.items());
    // Before langgraph 1.2.20 a task that was answered and asks again has an empty result.
    let is_absent = |value: Option<Value<'_>>| {
        value.is_none_or(|it| it.is_null() || (it.is_object() && it.members().next().is_none()))
    };
    let waiting = tasks.filter(|task| task.pick(["result", "error"]).into_iter().all(is_absent));
    let interrupts = waiting.filter_map(|task| task.get("interrupts")).flat_map(|it| it.items());
    interrupts.map(|it| Some(it.get("id")?.as_str()?.into_owned())).collect()
}

/// The interrupt that asks a request: one may ask several, `<id>/0` and so on.
pub(super) fn interrupt_of(request: &str) -> &str {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    request.rsplit_once('/').filter(|(_, at)| is_number(at)).map_or(request, |(id, _)| id)
}

/// A part of the stream as one text.
pub(super) fn part(event: ServerEvent) -> String {
    let is_json = || Document::parse(&event.data, &Limits::default()).is_ok();
    match &event.name {
        // Data that is no JSON would break out of its frame.
        Some(name) if is_json() => format!(r#"{{"event":{},"data":{}}}"#, quote(name), event.data),
        _ => event.data,
    }
}

pub(super) fn is_empty(history: &str) -> bool {
    Document::parse(history, &Limits::default()).is_ok_and(|it| it.root().is_array() && it.root().is_empty())
}

/// The body that makes a thread, unless it is there.
pub(super) fn thread(id: &str) -> String {
    format!(r#"{{"thread_id":{},"if_exists":"do_nothing"}}"#, quote(id))
}

/// The body of a run that carries this message, and what is to go along with the run.
pub(super) fn run(assistant: &str, more: Option<&str>, message: &Message<'_>) -> String {
    let how = [
        ("assistant_id", quote(assistant)),
        ("stream_mode", r#"["updates","values"]"#.to_owned()),
        ("stream_subgraphs", "true".to_owned()),
        // A second run must neither stop the first one nor wait behind it: what it answers may be gone by then.
        ("multitask_strategy", quote("reject")),
        ("on_disconnect", quote("continue")),
    ];
    let mut writer = Writer::new();
    writer.begin_object();
    for (name, text) in &how {
        writer.key(name).raw(text);
    }
    let more = more.and_then(|more| Document::parse(more, &Limits::default()).ok());
    let transport = Document::parse(message.transport, &Limits::default()).ok();
    let told = transport.as_ref().and_then(|transport| transport.root().get(METADATA));
    for (name, value) in more.iter().flat_map(|more| more.root().members()) {
        let name = name.as_str().unwrap_or_default();
        let is_ours = how.iter().any(|(own, _)| *own == name) || ["command", "input"].contains(&&*name);
        let is_told = name == METADATA && told.is_some();
        if !is_ours && !is_told {
            writer.key(&name).raw(value.text());
        }
    }
    if let Some(told) = told {
        let own = more.as_ref().and_then(|more| more.root().get(METADATA));
        both(writer.key(METADATA), own, told);
    }
    writer.key(if message.id.is_some() { "command" } else { "input" }).raw(message.text).end_object();
    writer.finish()
}

/// An object with the members of two; where both have one, that of the second.
fn both(writer: &mut Writer, first: Option<Value<'_>>, second: Value<'_>) {
    writer.begin_object();
    let first = first
        .iter()
        .flat_map(|first| first.members())
        .filter(|(name, _)| name.as_str().is_none_or(|name| second.get(&name).is_none()));
    for (name, value) in first.chain(second.members()) {
        writer.key(&name.as_str().unwrap_or_default()).raw(value.text());
    }
    writer.end_object();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, data: &str) -> String {
        part(ServerEvent { name: Some(name.to_owned()), data: data.to_owned() })
    }

    #[test]
    fn a_thread_is_forgotten_where_a_server_says_so_of_it() {
        let check = |said, expected| assert_eq!(is_unknown(said, "t-1"), expected, "{said}");
        check("Thread with ID t-1 not found", true);
        check("Thread t-1 not found.", true);
        check("Thread with ID t-2 not found", false);
        check("no Route matched with those values", false);
        check("<p>Thread t-1 not found", false);
    }

    #[test]
    fn a_message_is_carried_as_it_is() {
        let command = r#"{"resume":{"a":[{"type":"edit","args":{"args":{"n":1.0}}}]}}"#;
        let common = r#"{"assistant_id":"per-call","stream_mode":["updates","values"],"stream_subgraphs":true,"multitask_strategy":"reject","on_disconnect":"continue""#;
        let decision = Message { id: Some("m1"), ..Message::words(command) };
        assert_eq!(run("per-call", None, &decision), format!(r#"{common},"command":{command}}}"#));
        let input = r#"{"messages":[]}"#;
        assert_eq!(run("per-call", None, &Message::words(input)), format!(r#"{common},"input":{input}}}"#));
        // What a host adds neither decides nor says how runs meet.
        let more = r#"{"config":{"n":1.0},"multitask_strategy":"enqueue","command":{"resume":"yes"}}"#;
        let expected = format!(r#"{common},"config":{{"n":1.0}},"input":{input}}}"#);
        assert_eq!(run("per-call", Some(more), &Message::words(input)), expected);
    }

    #[test]
    fn what_goes_along_with_a_decision_stands_beside_what_the_page_tells_of_its_runs() {
        let message =
            Message { text: "1", id: Some("m1"), transport: r#"{"metadata":{"d":{"a":"ab"},"x":2}}"# };
        let check = |more, expected: &str| {
            let run = run("per-call", more, &message);
            assert!(run.ends_with(expected), "{run}");
        };
        check(None, r#""continue","metadata":{"d":{"a":"ab"},"x":2},"command":1}"#);
        check(
            Some(r#"{"metadata":{"user":"u","x":1.0},"config":{}}"#),
            r#""continue","config":{},"metadata":{"user":"u","d":{"a":"ab"},"x":2},"command":1}"#,
        );
        check(Some(r#"{"metadata":null}"#), r#""metadata":{"d":{"a":"ab"},"x":2},"command":1}"#);
    }

    #[test]
    fn an_event_is_one_text_and_stays_in_its_frame() {
        assert_eq!(event("updates|tools:1", "{}"), r#"{"event":"updates|tools:1","data":{}}"#);
        assert_eq!(event("x", r#"1},"event":"values""#), r#"1},"event":"values""#);
    }

    #[test]
    fn an_answer_reaches_only_what_it_answers() {
        let [a, b] = ["0123456789abcdef0123456789abcdef", "ffffffffffffffffffffffffffffffff"];
        let task = |id: &str, rest: &str| format!(r#"{{"interrupts":[{{"id":"{id}"}}]{rest}}}"#);
        let state = |tasks: &[String]| format!(r#"{{"tasks":[{}]}}"#, tasks.join(","));
        let keyed = format!(r#"{{"resume":{{"{a}":1}}}}"#);
        let check =
            |state: &str, command: &str, expected| assert_eq!(waits_for(state, command), expected, "{state}");
        check(&state(&[task(a, ""), task(b, "")]), &keyed, true);
        check(&state(&[task(b, "")]), &keyed, false);
        check(&state(&[task(a, r#","result":{"x":1}"#)]), &keyed, false);
        check(&state(&[task(a, r#","result":{},"error":null"#)]), &keyed, true);
        check(&state(&[task(b, "")]), r#"{"resume":"yes"}"#, true);
        check(&state(&[task(a, ""), task(b, "")]), r#"{"resume":{"type":"approve"}}"#, false);
        // Keys that are no ids are of an answer to the one that waits.
        let named = format!(r#"{{"resume":{{"a{}":1}}}}"#, "-".repeat(31));
        check(&state(&[task(b, "")]), &named, true);
        check(&state(&[]), r#"{"resume":"yes"}"#, false);
        check("<html>", &keyed, false);
    }

    #[test]
    fn r01_one_interrupt_may_ask_several_requests() {
        let check = |request, expected| assert_eq!(interrupt_of(request), expected);
        check("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef");
        check("0123456789abcdef0123456789abcdef/0", "0123456789abcdef0123456789abcdef");
        check("ns:tools:1/12", "ns:tools:1");
        check("ns:a/b", "ns:a/b");
        check("a/", "a/");
    }

    #[test]
    fn the_run_under_way_is_found_among_those_that_ended() {
        let run = |id: &str, status: &str| format!(r#"{{"run_id":"{id}","status":"{status}"}}"#);
        let check = |runs: &[String], expected: Option<&str>| {
            assert_eq!(running(&format!("[{}]", runs.join(","))).as_deref(), expected, "{runs:?}");
        };
        check(&[run("a", "success"), run("b", "running")], Some("b"));
        check(&[run("a", "pending")], Some("a"));
        check(&[run("a", "interrupted"), run("b", "error")], None);
        check(&[], None);
        assert_eq!(running(r#"{"detail":"x"}"#), None);
    }

    #[test]
    fn r10_a_run_that_fails_before_it_begins_has_taken_nothing() {
        let failed = r#"{"event":"error","data":{"error":"RuntimeError","message":"no store"}}"#;
        let check = |text, has_begun, expected: Option<u16>| {
            let status = fault_in(text, has_begun).map(|fault| fault.status().unwrap_or_default());
            assert_eq!(status, expected, "{text}, {has_begun}");
        };
        check(failed, false, Some(412));
        check(failed, true, Some(200));
        check(r#"{"event":"metadata","data":{"run_id":"r"}}"#, false, None);
    }

    #[test]
    fn an_error_is_told_from_everything_else() {
        let check = |text, expected: Option<&str>| assert_eq!(error_in(text).as_deref(), expected, "{text}");
        let failed = r#"{"event":"error","data":{"error":"RuntimeError","message":"it failed"}}"#;
        check(failed, Some("it failed"));
        check(r#"{"event":"error","data":{"error":"RuntimeError"}}"#, Some("RuntimeError"));
        check(r#"{"event":"values","data":{"error":"x"}}"#, None);
        check(r#"[{"values":{},"tasks":[{"error":"x"}]}]"#, None);
        assert!(is_empty(" [ ]") && !is_empty("[{}]") && !is_empty("{}"));
    }
}

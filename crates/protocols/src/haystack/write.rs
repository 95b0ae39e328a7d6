//! From decisions to the bodies that carry them.

use countersign_core::{Decision, Due, DueEntry, Failure, RequestRef, Written};
use countersign_json::Writer;

use super::feedback::feedback;
use super::memory::{Conversation, Entry, Way};
use super::read::{self, ACTIONS};
use crate::options::Templates;
use crate::path::{is_dots, push_segment};

/// Writes the bodies that answer what became due together.
pub(super) fn bodies(
    conversation: &Conversation,
    due: &Due,
    templates: &Templates,
    written: &mut Vec<Written>,
) -> Result<(), String> {
    for answer in &due.entries {
        let known = conversation.asked(&answer.request);
        let (_, entry) = known.ok_or_else(|| format!("request `{}` is not known", answer.request))?;
        if entry.way == Way::Snapshot {
            written.push(snapshot(conversation, entry, due, templates)?);
            return Ok(());
        }
        let body = body(entry, answer)?;
        written.push(Written {
            requests: vec![answer.request.clone()],
            body,
            transport: transport(entry.way),
        });
    }
    Ok(())
}

fn body(entry: &Entry, answer: &DueEntry) -> Result<String, String> {
    let mut writer = Writer::new();
    writer.begin_object();
    match entry.way {
        Way::Message => {
            writer.key("type").string("approval_response");
            writer.key("id").string(&entry.wire);
        }
        Way::Http => {
            writer.key("method").string("POST");
            writer.key("path").string(&path(&entry.wire)?);
            writer.key("body").begin_object();
        }
        Way::Event => {
            let word = match answer.decision {
                Decision::Approve { .. } => "approved",
                Decision::Reject { .. } => "rejected",
                _ => return Err(formless(&answer.decision)),
            };
            writer.key("key").string(&format!("tool_approval:{}", entry.wire));
            writer.key("value").string(word);
            return Ok(writer.finish());
        }
        Way::Snapshot | Way::Unasked => {
            return Err(format!("request `{}` cannot be answered", answer.request));
        }
    }
    write_action(&mut writer, &answer.decision)?;
    Ok(writer.finish())
}

/// The members that say what was decided; nothing but these three words may ever leave.
fn write_action(writer: &mut Writer, decision: &Decision) -> Result<(), String> {
    let kind = decision.kind();
    let action = ACTIONS.iter().find(|(_, of)| *of == kind).ok_or_else(|| formless(decision))?.0;
    writer.key("action").string(action);
    let (words, args) = match decision {
        Decision::Reject { reason, .. } => (reason, None),
        Decision::Edit { args, note } => (note, Some(args)),
        _ => (&None, None),
    };
    if let Some(words) = words.as_deref().filter(|words| !words.is_empty()) {
        writer.key("feedback").string(words);
    }
    if let Some(args) = args {
        writer.key("new_tool_params").raw(args.as_str());
    }
    Ok(())
}

fn formless(decision: &Decision) -> String {
    format!("`{}` has no form on this wire", decision.kind().as_str())
}

/// The decisions on all calls of a snapshot: the backend runs what a partial answer leaves out.
fn snapshot(
    conversation: &Conversation,
    first: &Entry,
    due: &Due,
    templates: &Templates,
) -> Result<Written, String> {
    let places =
        first.snapshot.and_then(|at| conversation.snapshots.get(at)).map(Vec::as_slice).unwrap_or_default();
    let mut answers: Vec<Option<&DueEntry>> = vec![None; places.len()];
    for (number, answer) in due.entries.iter().enumerate() {
        let at = conversation.asked(&answer.request).map(|(at, _)| at);
        let is_it = |place: &u32| Some(*place) == at;
        // Mostly all of them are answered, in their order.
        let here = places.get(number).filter(|place| is_it(place)).map(|_| number);
        let number = here.or_else(|| places.iter().position(is_it));
        if let Some(slot) = number.and_then(|number| answers.get_mut(number)) {
            *slot = Some(answer);
        }
    }
    let mut requests = Vec::new();
    let mut writer = Writer::new();
    writer.begin_array();
    for (at, answer) in places.iter().zip(answers) {
        let (Some(entry), Some(answer)) = (conversation.entry(*at), answer) else {
            return Err("a call of the snapshot is not decided here, and would run".to_owned());
        };
        let told = feedback(&entry.tool, answer.args.as_str(), &answer.decision, templates);
        let told = told.ok_or_else(|| formless(&answer.decision))?;
        writer.begin_object();
        writer.key("tool_name").string(&entry.tool);
        writer.key("execute").bool(told.execute);
        write_or_null(&mut writer, "tool_call_id", entry.call.as_ref().map(|call| call.as_str()));
        write_or_null(&mut writer, "feedback", told.text.as_deref());
        writer.key("final_tool_params").raw(told.final_tool_params.as_deref().unwrap_or("null"));
        writer.end_object();
        requests.push(answer.request.clone());
    }
    Ok(Written { requests, body: writer.finish(), transport: transport(Way::Snapshot) })
}

fn write_or_null(writer: &mut Writer, key: &str, text: Option<&str>) {
    writer.key(key);
    match text {
        Some(text) => writer.string(text),
        None => writer.null(),
    };
}

/// What the host does with the body.
fn transport(way: Way) -> String {
    let channel = match way {
        Way::Message => "websocket",
        Way::Http => "http",
        Way::Snapshot => "snapshot",
        Way::Event | Way::Unasked => "queue",
    };
    let mut writer = Writer::new();
    writer.begin_object();
    writer.key("protocol").string("haystack");
    writer.key("channel").string(channel);
    writer.finish()
}

/// The path of a request.
fn path(id: &str) -> Result<String, String> {
    if is_dots(id) {
        return Err(format!("`{id}` cannot stand in a path"));
    }
    let mut path = String::from("/approvals/");
    push_segment(&mut path, id);
    Ok(path)
}

/// What a failed send means: only HTTP says more than that it did not arrive.
pub(super) fn failure(
    conversation: &Conversation,
    requests: &[RequestRef],
    status: Option<u16>,
    message: Option<&str>,
) -> Failure {
    match requests.first().and_then(|request| conversation.asked(request)) {
        Some((_, entry)) if entry.way == Way::Http => read::failure(status, message.unwrap_or_default()),
        _ => Failure::Kept,
    }
}

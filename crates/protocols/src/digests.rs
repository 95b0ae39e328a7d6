//! The digests of the arguments that were on the screen, beside the decisions on them: a backend that compares them with
//! what it would run knows that the person saw just that.

use countersign_core::{CallId, Due, Written};
use countersign_json::{Document, Limits, Writer, sha256_hex};

/// The member for all digests of a message, where servers hand on what they do not know.
const ALL: &str = "countersign_args_digests";

/// Adds the digests to what a family has written, where its wire has a place for them; everything else stays as it is.
pub(crate) fn attach(family: &str, written: &mut Written, due: &[Due]) {
    let is_listed = family == "langgraph";
    let mut known: Vec<&str> = Vec::new();
    let mut digest = String::new();
    let mut writer = Writer::new();
    writer.begin_object().key(ALL).begin_object();
    for entry in due.iter().flat_map(|due| &due.entries) {
        if !written.requests.contains(&entry.request) {
            continue;
        }
        digest = sha256_hex(entry.args.as_str());
        let name =
            if is_listed { Some(entry.request.id.as_str()) } else { entry.call.as_ref().map(CallId::as_str) };
        // Of calls with one name, the first.
        if let Some(name) = name.filter(|name| !known.contains(name)) {
            known.push(name);
            writer.key(name).string(&digest);
        }
    }
    writer.end_object().end_object();
    let all = writer.finish();
    let (body, transport) = (&mut written.body, &mut written.transport);
    match family {
        "a2a" | "adk" | "langgraph" if known.is_empty() => {}
        "a2a" => {
            // What we wrote around the digests stands there already where the message has words of its own.
            let inner = all.get(1..all.len().saturating_sub(1)).unwrap_or_default();
            if !put(body, Some("metadata"), inner) {
                put(body, None, &["\"metadata\":", &all].concat());
            }
        }
        // These two go into what the host sends around the answers.
        "adk" => {
            put(transport, None, &["\"customMetadata\":", &all].concat());
        }
        "langgraph" => {
            put(transport, None, &["\"metadata\":", &all].concat());
        }
        _ if written.requests.len() == 1 => {
            let one = ["\"args_digest\":\"", &digest, "\""].concat();
            // An answer is a message, or the body of a request; queues and the first design's requests have no room.
            if !put(body, Some("body"), &one) && body.starts_with(MESSAGE) {
                put(body, None, &one);
            }
        }
        _ => {}
    }
}

/// How an answer over a web socket begins.
const MESSAGE: &str = r#"{"type":"#;

/// Puts a member at the end of an object that we wrote: the whole, or a member of it. `false`: there is no such object.
fn put(text: &mut String, outer: Option<&str>, member: &str) -> bool {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return false };
    let root = document.root();
    let object = outer.map_or(Some(root), |outer| root.get(outer));
    let Some(object) = object.filter(|object| object.is_object()) else { return false };
    let comma = if object.is_empty() { "" } else { "," };
    let end = object.span().end.saturating_sub(1);
    *text =
        [text.get(..end).unwrap_or_default(), comma, member, text.get(end..).unwrap_or_default()].concat();
    true
}

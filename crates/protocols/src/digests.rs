//! The digests of the arguments that were on the screen, beside the decisions on them: a backend that compares them with
//! what it would run knows that the person saw just that.

use countersign_core::{Due, DueEntry, RequestRef, Written};
use countersign_json::{Document, Limits, Writer, sha256_hex};

/// The member for all digests of a message, where servers hand on what they do not know.
const ALL: &str = "countersign_args_digests";
/// The member for the one digest of a message.
const ONE: &str = "args_digest";

/// Adds the digests to what a family has written, where its wire has a place for them; everything else stays as it is.
pub(crate) fn attach(family: &str, written: &mut Written, due: &[Due]) {
    let entries: Vec<&DueEntry> = written
        .requests
        .iter()
        .filter_map(|request: &RequestRef| {
            due.iter().flat_map(|due| &due.entries).find(|entry| entry.request == *request)
        })
        .collect();
    let (body, transport) = (&mut written.body, &mut written.transport);
    match family {
        "a2a" => {
            let Some(of_calls) = all(&entries, call) else { return };
            if !put(body, Some("metadata"), ALL, &of_calls) {
                put(body, None, "metadata", &named(&of_calls));
            }
        }
        // These two go into what the host sends around the answers.
        "adk" => {
            if let Some(of_calls) = all(&entries, call) {
                put(transport, None, "customMetadata", &named(&of_calls));
            }
        }
        "langgraph" => {
            if let Some(of_requests) = all(&entries, |entry| Some(entry.request.id.as_str())) {
                put(transport, None, "metadata", &named(&of_requests));
            }
        }
        _ => {
            let [entry] = entries.as_slice() else { return };
            let digest = ["\"", &sha256_hex(entry.args.as_str()), "\""].concat();
            // An answer is a message, or the body of a request; queues and the first design's requests have no room.
            if !put(body, Some("body"), ONE, &digest) && body.starts_with(MESSAGE) {
                put(body, None, ONE, &digest);
            }
        }
    }
}

/// How an answer over a web socket begins.
const MESSAGE: &str = r#"{"type":"#;

/// Puts a member at the end of an object that we wrote: the whole, or a member of it. `false`: there is no such object.
fn put(text: &mut String, outer: Option<&str>, name: &str, json: &str) -> bool {
    let Ok(document) = Document::parse(text, &Limits::default()) else { return false };
    let root = document.root();
    let Some(object) = outer.map_or(Some(root), |outer| root.get(outer)).filter(|object| object.is_object())
    else {
        return false;
    };
    let comma = if object.is_empty() { "" } else { "," };
    let (before, behind) = text.split_at(object.span().end.saturating_sub(1));
    *text = [before, comma, "\"", name, "\":", json, behind].concat();
    true
}

fn call(entry: &DueEntry) -> Option<&str> {
    entry.call.as_ref().map(|call| call.as_str())
}

/// The digests by these names, if there are any; of calls with one name, the first.
fn all<'e>(entries: &[&'e DueEntry], name: impl Fn(&'e DueEntry) -> Option<&'e str>) -> Option<String> {
    let mut writer = Writer::new();
    writer.begin_object();
    let mut known = Vec::new();
    for entry in entries {
        let Some(name) = name(entry).filter(|name| !known.contains(name)) else { continue };
        known.push(name);
        writer.key(name).string(&sha256_hex(entry.args.as_str()));
    }
    writer.end_object();
    (!known.is_empty()).then(|| writer.finish())
}

fn named(digests: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key(ALL).raw(digests).end_object();
    writer.finish()
}

//! From a decision to the message or the request that carries it.

use countersign_core::{Decision, DueEntry, OfferKind, Written};
use countersign_json::{Document, Limits, Writer};

use super::memory::{Channel, Conversation, Form};
use super::words;

/// Writes the answer to one request, on the way on which it came.
pub(super) fn answer(conversation: &Conversation, due: &DueEntry) -> Result<Written, String> {
    let mut writer = Writer::new();
    let kind = body(&mut writer, conversation, due)?;
    let mut transport = Writer::new();
    transport.begin_object();
    transport.key("protocol").string("adalflow");
    transport.key("kind").string(kind);
    Ok(Written { requests: vec![due.request.clone()], body: writer.finish(), transport: transport.finish() })
}

/// Writes the body and says by what it is sent.
fn body(
    writer: &mut Writer,
    conversation: &Conversation,
    due: &DueEntry,
) -> Result<&'static str, &'static str> {
    let id = due.request.id.as_str();
    let entry = conversation.known(id).and_then(|place| conversation.entry(place));
    let entry = entry.ok_or("the request is not known")?;
    let channel = entry.channel.unwrap_or(Channel::Stream);
    let word = match due.decision.kind() {
        // Outside the example backend the word runs the original call, or ends the connection.
        OfferKind::Edit if !channel.names_outcomes() => None,
        // A bare approval of a question runs it without an answer.
        OfferKind::Approve | OfferKind::ApproveAlways if entry.is_question => None,
        OfferKind::Answer if entry.is_question => words::outcome(OfferKind::Approve),
        kind => words::outcome(kind),
    };
    let word = word.ok_or("this decision has no form on this wire")?;
    writer.begin_object();
    match channel {
        Channel::Stream => return Err("the request is known from the stream only"),
        Channel::SeedMessage | Channel::Message => {
            writer.key("type").string("approval_response");
            writer.key("id").string(id);
        }
        Channel::SeedList => {
            post(writer, ["/approvals/", id, "?outcome=", word])?;
            return Ok("http");
        }
        Channel::List => {
            post(writer, ["/approvals/", id, "", ""])?;
            writer.key("body").begin_object();
        }
        Channel::Shipped => {
            post(writer, ["/api/v1/approvals/", id, "/approve", ""])?;
            writer.key("body").begin_object();
            writer.key("request_id").string(id);
        }
    }
    outcome(writer, word, entry.form, &due.decision)?;
    let is_message = matches!(channel, Channel::SeedMessage | Channel::Message);
    Ok(if is_message { "message" } else { "http" })
}

/// Writes the word, and the arguments or the words that go with it.
fn outcome(writer: &mut Writer, word: &str, form: Form, decision: &Decision) -> Result<(), &'static str> {
    writer.key("outcome").string(word);
    match decision {
        Decision::Edit { args, .. } if form == Form::Both => {
            let document = Document::parse(args.as_str(), &Limits::default());
            let document = document.map_err(|_| "the edit cannot be read")?;
            let [Some(args), Some(kwargs)] = document.root().pick(["args", "kwargs"]) else {
                return Err("the edit needs `args` and `kwargs`");
            };
            writer.key("args").raw(args.text());
            writer.key("kwargs").raw(kwargs.text());
        }
        Decision::Edit { args, .. } => {
            writer.key("kwargs").raw(args.as_str());
        }
        Decision::Answer { answers } => {
            let [answer] = answers.as_slice() else { return Err("it asks one question") };
            let [words] = answer.as_slice() else { return Err("a question takes one answer") };
            writer.key("response_data").string(words);
        }
        _ => {}
    }
    Ok(())
}

/// Writes the method and the path; the id is one segment of it, between what stands before and behind.
fn post(writer: &mut Writer, [before, id, behind, word]: [&str; 4]) -> Result<(), &'static str> {
    if id == "." || id == ".." {
        return Err("the id cannot stand in a path");
    }
    let mut path = before.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path.push('%');
            for digit in [byte >> 4, byte & 0xF] {
                path.push(char::from(if digit < 10 { b'0' + digit } else { b'A' - 10 + digit }));
            }
        }
    }
    path.push_str(behind);
    path.push_str(word);
    writer.key("method").string("POST");
    writer.key("path").string(&path);
    Ok(())
}

//! From a decision to the message or the request that carries it.

use countersign_core::{Decision, DueEntry, OfferKind, Written};
use countersign_json::{Document, Limits, Writer, names};

use super::memory::{Channel, Conversation, Form};
use super::words;
use crate::path::{is_dots, push_segment};

/// Writes the answer to one request, on the way on which it came.
pub(super) fn answer(conversation: &Conversation, due: &DueEntry) -> Result<Written, &'static str> {
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
    let mut writer = Writer::new();
    writer.begin_object();
    if channel.is_socket() {
        writer.key("type").string("approval_response").key("id").string(id);
    } else {
        let (before, behind) = match channel {
            Channel::List => ("/approvals/", ""),
            Channel::SeedList => ("/approvals/", "?outcome="),
            Channel::Shipped => ("/api/v1/approvals/", "/approve"),
            _ => return Err("the request is known from the stream only"),
        };
        let mut path = before.to_owned();
        if is_dots(id) {
            return Err("the id cannot stand in a path");
        }
        push_segment(&mut path, id);
        path.push_str(behind);
        if channel == Channel::SeedList {
            path.push_str(word);
        }
        writer.key("method").string("POST").key("path").string(&path);
        if channel != Channel::SeedList {
            writer.key("body").begin_object();
        }
        if channel == Channel::Shipped {
            writer.key("request_id").string(id);
        }
    }
    if channel != Channel::SeedList {
        writer.key("outcome").string(word);
        add(&mut writer, entry.form, &due.decision)?;
    }
    let transport = if channel.is_socket() {
        r#"{"protocol":"adalflow","kind":"message"}"#
    } else {
        r#"{"protocol":"adalflow","kind":"http"}"#
    };
    let requests = vec![due.request.clone()];
    Ok(Written { requests, body: writer.finish(), transport: transport.to_owned() })
}

/// Writes the arguments or the words that go with the outcome.
fn add(writer: &mut Writer, form: Form, decision: &Decision) -> Result<(), &'static str> {
    match decision {
        Decision::Edit { args, .. } if form == Form::Both => {
            let document = Document::parse(args.as_str(), &Limits::default());
            let members = document.as_ref().map(|document| document.root().named(names!["args", "kwargs"]));
            let Ok([Some(args), Some(kwargs)]) = members else {
                return Err("the edit needs `args` and `kwargs`");
            };
            writer.key("args").raw(args.text()).key("kwargs").raw(kwargs.text());
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

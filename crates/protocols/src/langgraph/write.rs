//! From decisions to the command that resumes a thread.

use countersign_core::{Decision, Due, DueEntry, RequestRef, Written};
use countersign_json::Writer;

use super::form::{Dialect, bit};
use super::memory::{Interrupt, Request, Thread};

/// Writes one command for all interrupts with ids, and one for an interrupt without.
///
/// One interrupt that cannot be answered does not hold the others back.
pub(super) fn commands(thread: &Thread, due: &[Due]) -> Result<Vec<Written>, String> {
    let mut written = Vec::new();
    let mut refused = None;
    let mut keyed = Command::new();
    keyed.body.key("resume").begin_object();
    for due in due {
        match answer(thread, due) {
            Ok((interrupt, answer)) => {
                if interrupt.keyed {
                    keyed.add(thread, interrupt, due);
                    keyed.body.key(&interrupt.key).raw(&answer);
                } else {
                    let mut bare = Command::new();
                    bare.add(thread, interrupt, due);
                    bare.body.key("resume").raw(&answer);
                    written.push(bare.finish());
                }
            }
            Err(reason) => refused = Some(reason),
        }
    }
    if !keyed.requests.is_empty() {
        written.insert(0, keyed.finish());
    }
    match refused {
        Some(reason) if written.is_empty() => Err(reason),
        _ => Ok(written),
    }
}

/// A command on its way to the host.
struct Command {
    body: Writer,
    transport: Writer,
    requests: Vec<RequestRef>,
}

impl Command {
    fn new() -> Command {
        let (mut body, mut transport) = (Writer::new(), Writer::new());
        body.begin_object();
        transport.begin_object().key("protocol").string("langgraph");
        transport.key("interrupts").begin_array();
        Command { body, transport, requests: Vec::new() }
    }

    /// Names an interrupt that the command answers: protocol v2 sends each answer to its namespace.
    fn add(&mut self, thread: &Thread, interrupt: &Interrupt, due: &Due) {
        self.requests.extend(due.entries.iter().map(|entry| entry.request.clone()));
        self.transport.begin_object();
        if interrupt.keyed {
            self.transport.key("interrupt_id").string(&interrupt.key);
        }
        self.transport.key("namespace").begin_array();
        let namespace = thread.namespace(interrupt.namespace).map_or("", |home| &*home.name);
        for segment in namespace.split('|').filter(|segment| !segment.is_empty()) {
            self.transport.string(segment);
        }
        self.transport.end_array().end_object();
    }

    fn finish(self) -> Written {
        Written { requests: self.requests, body: self.body.finish(), transport: self.transport.finish() }
    }
}

/// The answer to one interrupt: of the right length, in the right order, with allowed decisions only, because the
/// server keeps a wrong one and fails over it for ever.
fn answer<'t>(thread: &'t Thread, due: &Due) -> Result<(&'t Interrupt, String), String> {
    let refuse = |why: &str| format!("interrupt `{}` {why}", due.batch);
    let known = thread.interrupt_of(due.batch.as_str()).and_then(|at| thread.interrupt(at));
    let interrupt = known.ok_or_else(|| refuse("is not known"))?;
    if interrupt.is_blocked || interrupt.is_broken || !(interrupt.keyed || interrupt.is_alone) {
        return Err(refuse("cannot be answered from here"));
    }
    // A node may have gone on to its next question, which would take this answer for its own.
    if interrupt.when.seen_run < thread.asked {
        return Err(refuse("was not repeated by the run that asks something else"));
    }
    if interrupt.requests.len() != due.entries.len() {
        return Err(refuse("needs a decision on each of its requests, and some were settled elsewhere"));
    }
    let mut writer = Writer::new();
    match interrupt.dialect {
        Dialect::Human => {
            writer.begin_array();
        }
        Dialect::Python | Dialect::JavaScript => {
            writer.begin_object().key("decisions").begin_array();
        }
        Dialect::PerCall | Dialect::Free => {}
    }
    for (place, request) in interrupt.requests.iter().enumerate() {
        let request = thread.request(*request).ok_or_else(|| refuse("has an unknown request"))?;
        let is_meant = |entry: &&DueEntry| entry.request.id == request.id;
        let found = due.entries.get(place).filter(is_meant).or_else(|| due.entries.iter().find(is_meant));
        let entry = found.ok_or_else(|| refuse("has a request that is not decided"))?;
        if *request.args != *entry.args.as_str() {
            return Err(refuse("asks for something else now"));
        }
        if request.allowed & bit(entry.decision.kind()) == 0 {
            return Err(refuse("does not allow this decision any more"));
        }
        decision(&mut writer, interrupt.dialect, request, &entry.decision);
    }
    Ok((interrupt, writer.finish()))
}

fn decision(writer: &mut Writer, dialect: Dialect, request: &Request, decision: &Decision) {
    let is_human = dialect == Dialect::Human;
    let words = match decision {
        Decision::Approve { .. } if is_human => "accept",
        Decision::Respond { .. } if is_human => "response",
        decision => decision.kind().as_str(),
    };
    writer.begin_object().key("type").string(words);
    match decision {
        Decision::Edit { args, .. } => {
            let (member, name) = match dialect {
                Dialect::Human => ("args", "action"),
                Dialect::JavaScript => ("editedAction", "name"),
                _ => ("edited_action", "name"),
            };
            writer.key(member).begin_object();
            writer.key(name).raw(&request.action).key("args").raw(args.as_str());
            writer.end_object();
        }
        Decision::Respond { text } => {
            writer.key(if is_human { "args" } else { "message" }).string(text);
        }
        Decision::Reject { reason: Some(reason), .. } => {
            writer.key("message").string(reason);
        }
        _ if is_human => {
            writer.key("args").null();
        }
        _ => {}
    }
    writer.end_object();
}

//! From decisions to the command that resumes a thread.

use countersign_core::{Decision, Due, DueEntry, RequestRef, Standing, Written};
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
                    keyed.body.key(&interrupt.wire).raw(&answer);
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
            self.transport.key("interrupt_id").string(&interrupt.wire);
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
    let known = thread.interrupt_of(due.batch.as_str());
    let known = known.and_then(|at| Some((at, thread.interrupt(at)?)));
    let (at, interrupt) = known.ok_or_else(|| refuse("is not known"))?;
    if interrupt.standing() != Standing::Open {
        return Err(refuse("cannot be answered from here"));
    }
    // Without an id, its answer would reach whatever waits by now.
    if interrupt.is_gone {
        return Err(refuse("waits no more"));
    }
    // A node may have gone on to its next question, which would take this answer for its own.
    if interrupt.when.seen_run < thread.asked || thread.is_overtaken(at) {
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

#[cfg(test)]
mod tests {
    use countersign_core::{ArgsText, BatchId, Decision, Due, DueEntry, RequestId};

    use super::super::memory::{Thread, reference};
    use super::super::tests::{ID, OTHER, asks, human, javascript, python, read};
    use super::commands;

    /// The batch of an interrupt, decided in this order.
    fn due(thread: &Thread, interrupt: &str, decisions: &[(&str, Decision)]) -> Due {
        let entry = |(request, decision): &(&str, Decision)| {
            let id = RequestId::from(*request);
            let args = thread.request_of(&id).and_then(|at| thread.request(at)).map(|it| it.args.clone());
            let args = ArgsText::from(args.expect("it was asked"));
            DueEntry { request: reference(&id), call: None, args, decision: decision.clone() }
        };
        Due { batch: BatchId::from(interrupt), entries: decisions.iter().map(entry).collect() }
    }

    /// The one body that answers this interrupt.
    fn body(thread: &Thread, interrupt: &str, decisions: &[(&str, Decision)]) -> Result<String, String> {
        commands(thread, &[due(thread, interrupt, decisions)]).map(|mut written| written.remove(0).body)
    }

    fn edit(args: &str) -> Decision {
        Decision::Edit { args: ArgsText::from(args), note: None }
    }

    #[test]
    fn decisions_stand_in_the_order_of_their_requests() {
        let thread = read(&[&asks(ID, &python(r#"{"name":"t","args":1},{"name":"t","args":2}"#))]);
        let (first, second) = (format!("{ID}/0"), format!("{ID}/1"));
        let decided = [(&*second, Decision::reject(None)), (&*first, Decision::approve())];
        let expected =
            format!(r#"{{"resume":{{"{ID}":{{"decisions":[{{"type":"approve"}},{{"type":"reject"}}]}}}}}}"#);
        assert_eq!(body(&thread, ID, &decided), Ok(expected));
    }

    #[test]
    fn a_batch_without_a_decision_on_each_request_has_no_answer() {
        let thread = read(&[&asks(ID, &python(r#"{"name":"t","args":1},{"name":"t","args":2}"#))]);
        let first = format!("{ID}/0");
        assert!(body(&thread, ID, &[(&first, Decision::approve())]).is_err());
        // Not two for one of them, either.
        let twice = [(&*first, Decision::approve()), (&*first, Decision::approve())];
        assert!(body(&thread, ID, &twice).is_err());
    }

    #[test]
    fn a_decision_on_other_arguments_has_no_answer() {
        let mut thread = read(&[&asks(ID, &python(r#"{"name":"t","args":1}"#))]);
        let due = due(&thread, ID, &[(&format!("{ID}/0"), Decision::approve())]);
        assert!(commands(&thread, std::slice::from_ref(&due)).is_ok());
        thread = read(&[&asks(ID, &python(r#"{"name":"t","args":1.0}"#))]);
        assert!(commands(&thread, &[due]).is_err());
    }

    #[test]
    fn a_decision_that_is_not_allowed_has_no_answer() {
        let only = python(r#"{"name":"t","args":1}"#).replace(r#""approve","#, "");
        let thread = read(&[&asks(ID, &only)]);
        let request = format!("{ID}/0");
        assert!(body(&thread, ID, &[(&request, Decision::approve())]).is_err());
        assert!(body(&thread, ID, &[(&request, Decision::reject(None))]).is_ok());
    }

    #[test]
    fn an_edit_is_spelt_as_its_request_and_keeps_the_name_of_the_tool() {
        let request = format!("{ID}/0");
        for (value, member) in [
            (python(r#"{"name":"\u0074","args":{}}"#), "edited_action"),
            (javascript(r#"{"name":"\u0074","args":{}}"#), "editedAction"),
        ] {
            let thread = read(&[&asks(ID, &value)]);
            let edit = format!(r#"{{"type":"edit","{member}":{{"name":"\u0074","args":{{"n":1.00}}}}}}"#);
            let expected = format!(r#"{{"resume":{{"{ID}":{{"decisions":[{edit}]}}}}}}"#);
            assert_eq!(body(&thread, ID, &[(&request, self::edit(r#"{"n":1.00}"#))]), Ok(expected));
        }
        let thread = read(&[&asks(ID, &human("tool_approval_t"))]);
        let edit = r#"{"type":"edit","args":{"action":"tool_approval_t","args":{"n":1.00}}}"#;
        let expected = format!(r#"{{"resume":{{"{ID}":[{edit}]}}}}"#);
        assert_eq!(body(&thread, ID, &[(ID, self::edit(r#"{"n":1.00}"#))]), Ok(expected));
    }

    #[test]
    fn answers_that_leave_together_stand_under_the_ids_of_their_interrupts() {
        let thread = read(&[&asks(ID, &human("a")), &asks(OTHER, &human("b"))]);
        let due = [
            due(&thread, OTHER, &[(OTHER, Decision::Ignore)]),
            due(&thread, ID, &[(ID, Decision::approve())]),
        ];
        let written = commands(&thread, &due).expect("both can be answered");
        let expected = format!(
            r#"{{"resume":{{"{OTHER}":[{{"type":"ignore","args":null}}],"{ID}":[{{"type":"accept","args":null}}]}}}}"#
        );
        assert_eq!(written.iter().map(|written| &*written.body).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn what_cannot_be_answered_is_left_out_beside_what_can() {
        let thread = read(&[&asks(ID, &human("a")), &asks(OTHER, &human("b"))]);
        let mut due = [
            due(&thread, OTHER, &[(OTHER, Decision::reject(None))]),
            due(&thread, ID, &[(ID, Decision::approve())]),
        ];
        let written = commands(&thread, &due).expect("one can be answered");
        assert!(written.len() == 1 && written[0].requests == [reference(&RequestId::from(ID))]);
        due.reverse();
        assert!(commands(&thread, &due[1..]).is_err(), "alone it is told");
    }

    #[test]
    fn r08_what_the_server_cannot_take_an_answer_to_any_more_has_none() {
        let value = python(r#"{"name":"t","args":1}"#);
        let task = |error: &str| {
            let interrupts = format!(r#"[{{"id":"{ID}","value":{value}}}]"#);
            format!(
                r#"{{"values":{{"messages":[]}},"next":["n"],"tasks":[{{"id":"k","name":"n","interrupts":{interrupts}{error}}}]}}"#
            )
        };
        let approved = [(&*format!("{ID}/0"), Decision::approve())];
        assert!(body(&read(&[&task("")]), ID, &approved).is_ok());
        // It has kept a wrong one, and fails over it whatever comes.
        assert!(body(&read(&[&task(r#","error":"ValueError""#)]), ID, &approved).is_err());
    }

    #[test]
    fn r02_what_waits_no_more_has_no_answer_whatever_waits_by_now() {
        let bare = |namespace: &str| format!(r#"{{"ns":["{namespace}"],"value":{}}}"#, human("a"));
        let keyed = |id: &str| format!(r#"{{"id":"{id}","value":{}}}"#, human("a"));
        let state = |interrupt: &str| {
            format!(r#"{{"values":{{}},"tasks":[{{"id":"k","name":"n","interrupts":[{interrupt}]}}]}}"#)
        };
        for (first, next, id) in [(bare("n:1"), bare("n:2"), "ns:n:1"), (keyed(ID), keyed(OTHER), ID)] {
            let approved = [(id, Decision::approve())];
            let asked = state(&first);
            assert!(body(&read(&[&asked]), id, &approved).is_ok());
            assert!(body(&read(&[&asked, &state(&next)]), id, &approved).is_err());
            assert!(body(&read(&[&asked, &state(&next), &asked]), id, &approved).is_ok(), "it waits again");
        }
    }

    #[test]
    fn without_an_id_an_answer_is_bare_and_only_for_what_waits_alone() {
        let bare = asks(ID, &human("a")).replace(&format!(r#""id":"{ID}","#), "");
        let approved = [("interrupt", Decision::approve())];
        let expected = r#"{"resume":[{"type":"accept","args":null}]}"#.to_owned();
        assert_eq!(body(&read(&[&bare]), "interrupt", &approved), Ok(expected));
        let thread = read(&[&bare, &asks(OTHER, &human("b"))]);
        assert!(body(&thread, "interrupt", &approved).is_err());
    }
}

//! What a host takes late: between a decision and its message the server goes on.

use countersign_core::{Decision, Inbox, Input, Outbound, RequestRef, Status};
use countersign_json::quote;
use countersign_tests::damage::Random;
use countersign_tests::moment::START;

use super::{decide, empty, receive};

/// An event that asks for these calls, each with its arguments.
fn asking(calls: &[(&str, &str)]) -> String {
    let mut text = String::from(r#"{"invocationId":"e","author":"ops","id":"b","content":{"parts":["#);
    for (at, (name, args)) in calls.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        text.push_str(&format!(
            r#"{comma}{{"functionCall":{{"id":"conf-{name}","name":"adk_request_confirmation","args":{{"originalFunctionCall":{{"id":"call-{name}","name":"pay","args":{args}}},"toolConfirmation":{{"hint":"h","confirmed":false}}}}}}}}"#
        ));
    }
    text.push_str("]}}");
    text
}

fn answering(id: &str, confirmed: bool) -> String {
    format!(
        r#"{{"invocationId":"e","author":"user","id":"u-{id}","content":{{"role":"user","parts":[{{"functionResponse":{{"id":"{id}","name":"adk_request_confirmation","response":{{"confirmed":{confirmed}}}}}}}]}}}}"#
    )
}

/// The bodies that the host takes now, by the request ids in them.
fn taken(inbox: &mut Inbox) -> Vec<Vec<String>> {
    let ids =
        |requests: Vec<RequestRef>| requests.into_iter().map(|request| request.id.to_string()).collect();
    inbox.take_outbound().into_iter().map(|outbound| ids(outbound.requests)).collect()
}

#[test]
fn r10_what_was_answered_before_the_host_took_the_message_is_no_longer_in_it() {
    for confirmed in [true, false] {
        let mut inbox = empty(None, "adk");
        receive(&mut inbox, &asking(&[("1", "{}"), ("2", "{}")]));
        decide(&mut inbox, "conf-1", Decision::approve()).expect("it is offered");
        decide(&mut inbox, "conf-2", Decision::approve()).expect("it is offered");
        receive(&mut inbox, &answering("conf-1", confirmed));
        assert_eq!(
            taken(&mut inbox),
            [["conf-2"]],
            "the first answer counts, a second one would run it again"
        );
        receive(&mut inbox, &answering("conf-2", confirmed));
        assert!(taken(&mut inbox).is_empty());
    }
}

#[test]
fn r03_other_arguments_before_the_host_took_the_message_take_the_decision_back() {
    let mut inbox = empty(None, "adk");
    receive(&mut inbox, &asking(&[("1", "{\"n\":1}"), ("2", "{}")]));
    decide(&mut inbox, "conf-1", Decision::approve()).expect("it is offered");
    decide(&mut inbox, "conf-2", Decision::approve()).expect("it is offered");
    receive(&mut inbox, &asking(&[("1", "{\"n\":2}"), ("2", "{}")]));
    assert!(taken(&mut inbox).is_empty(), "what was approved is not what would run");
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending, Status::Drafted]);
    decide(&mut inbox, "conf-1", Decision::reject(None)).expect("it is offered");
    assert_eq!(taken(&mut inbox), [["conf-1", "conf-2"]]);
}

#[test]
fn r08_an_edit_is_dropped_when_the_request_comes_again_without_a_gate_that_reads_edits() {
    let plain = asking(&[("1", "{\"n\":1}"), ("2", "{}")]);
    let payload = r#""confirmed":false,"payload":{"approval_id":"call-1","tool":"pay","args":{"n":1}}"#;
    let declared = plain.replacen(r#""confirmed":false"#, payload, 1);
    let mut inbox = empty(None, "adk");
    receive(&mut inbox, &declared);
    let edit = Decision::Edit { args: "{\"n\":2}".into(), note: None };
    decide(&mut inbox, "conf-1", edit).expect("it is offered");
    receive(&mut inbox, &plain);
    decide(&mut inbox, "conf-2", Decision::approve()).expect("it is offered");
    assert!(taken(&mut inbox).is_empty(), "the original would run");
    assert_eq!(inbox.statuses().collect::<Vec<_>>(), [Status::Pending, Status::Drafted]);
}

/// What the server has said about one request, and what has left for it.
#[derive(Clone, Default)]
struct Fate {
    args: usize,
    /// What was on the card when it was decided, and whether that runs.
    decided: Option<(usize, bool)>,
    settled: bool,
    left: bool,
}

/// Two batches of two requests, a lazy host, another client, and a server that changes its mind: whatever happens in
/// whatever order, an approval leaves once, for what was shown, and never for what is settled.
#[test]
fn r02_no_order_of_events_lets_an_approval_leave_twice_or_for_something_else() {
    let names = ["1", "2", "3", "4"];
    let id = |at: usize| format!("conf-{}", names[at]);
    let mut random = Random(77);
    let mut approvals = 0;
    for round in 0..4000 {
        let mut inbox = empty(None, "adk");
        let mut fates = vec![Fate::default(); 4];
        let mut open: Vec<Outbound> = Vec::new();
        let mut log = Vec::new();
        let ask = |inbox: &mut Inbox, first: usize, fates: &[Fate]| {
            let args: Vec<String> = fates.iter().map(|fate| format!("{{\"n\":{}}}", fate.args)).collect();
            receive(inbox, &asking(&[(names[first], &args[first]), (names[first + 1], &args[first + 1])]));
        };
        for _ in 0..25 {
            let at = random.below(4);
            let act = random.below(12);
            log.push((act, at));
            match act {
                0 => ask(&mut inbox, at / 2 * 2, &fates),
                // The server changes arguments only of what was not answered.
                1 if !fates[at].settled && !fates[at].left => {
                    fates[at].args += 1;
                    ask(&mut inbox, at / 2 * 2, &fates);
                }
                2..=4 => {
                    let approve = random.below(3) > 0;
                    let decision = if approve { Decision::approve() } else { Decision::reject(None) };
                    if decide(&mut inbox, &id(at), decision).is_ok() {
                        fates[at].decided = Some((fates[at].args, approve));
                    }
                }
                5 => {
                    let request = inbox.find(&id(at));
                    let _ = request.map(|request| inbox.handle(START, Input::Undo(request)));
                }
                6 => {
                    let request = inbox.find(&id(at));
                    let _ = request.map(|request| inbox.handle(START, Input::Retry(request)));
                }
                7 => {
                    receive(&mut inbox, &answering(&id(at), random.below(2) == 0));
                    fates[at].settled = true;
                }
                8 if random.below(3) == 0 => {
                    receive(
                        &mut inbox,
                        &format!(
                            r#"{{"invocationId":"e","author":"ops","id":"o{at}","content":{{"parts":[{{"functionResponse":{{"id":"call-{}","name":"pay","response":{{"ok":1}}}}}}]}}}}"#,
                            names[at]
                        ),
                    );
                    fates[at].settled = true;
                }
                9 if !open.is_empty() => {
                    let outbound = open.remove(0);
                    let _ = inbox.handle(START, Input::Delivered(outbound.id));
                }
                10 if !open.is_empty() => {
                    let outbound = open.remove(0);
                    let failed = Input::Failed { id: outbound.id.clone(), status: Some(503), message: None };
                    let _ = inbox.handle(START, failed);
                    for request in outbound.requests {
                        fates[(0..4).find(|at| id(*at) == request.id.as_str()).expect("one of four")].left =
                            false;
                    }
                }
                11 => {
                    for outbound in inbox.take_outbound() {
                        for request in &outbound.requests {
                            let at = (0..4).find(|at| id(*at) == request.id.as_str()).expect("one of four");
                            let fate = &mut fates[at];
                            let quoted = format!("\"id\":{},", quote(&id(at)));
                            let part = outbound.body.split(&quoted).nth(1).expect("it is in the body");
                            let approves = part.find("true").is_some_and(|yes| {
                                part.find("functionResponse").is_none_or(|next| yes < next)
                            });
                            let said = format!("round {round}, request {at}: {log:?}\n{}", outbound.body);
                            assert!(!fate.settled, "it was settled: {said}");
                            assert!(!fate.left, "it has left: {said}");
                            assert_eq!(fate.decided, Some((fate.args, approves)), "{said}");
                            approvals += usize::from(approves);
                            fate.left = true;
                        }
                        open.push(outbound);
                    }
                }
                _ => {}
            }
        }
    }
    assert!(approvals > 1000, "only {approvals} approvals left");
}

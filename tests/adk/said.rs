//! What single events say of a call.

use countersign_core::{Output, Status};

use super::{HEALTHY, empty, receive};

#[test]
fn a_tool_that_returns_a_status_of_its_own_was_not_rejected() {
    for (response, status) in [
        (r#"{"status":"rejected","tool":"pay","message":"no"}"#, Status::Rejected),
        (r#"{"status":"rejected","tool":"pay"}"#, Status::Completed),
        (r#"{"status":"rejected","message":"no"}"#, Status::Completed),
        (r#"{"status":"done","tool":"pay","message":"yes"}"#, Status::Completed),
        (r#"{"error":"This tool call is rejected."}"#, Status::Rejected),
        (r#"{"error":"This tool call is rejected. Or not."}"#, Status::Failed),
        // What a server of MCP says of a call that it has run, whatever its words.
        (
            r#"{"content":[{"type":"text","text":"This tool call is rejected."}],"isError":true}"#,
            Status::Failed,
        ),
        (r#"{"isError":true,"error":null}"#, Status::Failed),
        (r#"{"content":[{"type":"text","text":"Failed."}],"isError":false}"#, Status::Completed),
        (r#"{"isError":1}"#, Status::Completed),
    ] {
        let mut inbox = empty(None, "adk");
        receive(&mut inbox, HEALTHY);
        let call = inbox.views().remove(0).call.expect("it has an id");
        receive(
            &mut inbox,
            &format!(
                r#"{{"id":"o","invocationId":"i","author":"a","content":{{"role":"user","parts":[{{"functionResponse":{{"id":"{}","name":"pay","response":{response}}}}}]}}}}"#,
                call.as_str()
            ),
        );
        assert_eq!(inbox.views().remove(0).status, status, "{response}");
    }
}

#[test]
fn what_nobody_was_asked_about_may_have_run_where_its_run_broke_off() {
    let event = |id: &str, run: &str, rest: &str| {
        format!(r#"{{"id":"{id}","invocationId":"{run}","author":"a",{rest}}}"#)
    };
    let calls = |ids: &[&str]| {
        let one = |id: &&str| format!(r#"{{"functionCall":{{"id":"{id}","name":"pay","args":{{}}}}}}"#);
        let parts: Vec<String> = ids.iter().map(one).collect();
        format!(r#""content":{{"role":"model","parts":[{}]}}"#, parts.join(","))
    };
    let outcome = |id: &str| {
        let parts = format!(r#"{{"functionResponse":{{"id":"{id}","name":"pay","response":{{"ok":1}}}}}}"#);
        format!(r#""content":{{"role":"user","parts":[{parts}]}}"#)
    };
    let asks = r#""content":{"parts":[{"functionCall":{"id":"q","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"c3","name":"pay","args":{}},"toolConfirmation":{"hint":"h","confirmed":false}}}}]}"#;
    let broken = event("x", "e2", r#""errorCode":"ValueError","errorMessage":"boom""#);
    let told = [
        event("1", "e1", &calls(&["c0"])),
        event("2", "e2", &calls(&["c1", "c2", "c3"])),
        event("3", "e2", &outcome("c1")),
        broken,
    ];
    use Status::{Completed, Pending, Requested, Unknown};
    for is_list in [false, true] {
        let mut inbox = empty(None, "adk");
        let mut shows = |texts: &[String], expected: [Status; 4]| {
            match is_list {
                true => drop(receive(&mut inbox, &format!("[{}]", texts.join(",")))),
                false => texts.iter().for_each(|text| drop(receive(&mut inbox, text))),
            }
            assert_eq!(inbox.statuses().collect::<Vec<_>>(), expected, "{texts:?}");
        };
        shows(&told, [Requested, Completed, Unknown, Unknown]);
        shows(&told, [Requested, Completed, Unknown, Unknown]);
        // An app that can be resumed goes on all the same.
        shows(&[event("4", "e2", asks)], [Requested, Completed, Unknown, Pending]);
        shows(&told, [Requested, Completed, Unknown, Pending]);
        shows(&[event("5", "e2", &outcome("c2"))], [Requested, Completed, Completed, Pending]);
    }
}

#[test]
fn only_a_whole_call_must_have_its_name() {
    for (partial, told) in [(true, 0), (false, 1)] {
        let mut inbox = empty(None, "adk");
        let outputs = receive(
            &mut inbox,
            &format!(
                r#"{{"id":"e","invocationId":"i","author":"a","partial":{partial},"content":{{"role":"model","parts":[{{"functionCall":{{"args":{{"n":1}}}}}}]}}}}"#
            ),
        );
        let problems = outputs.iter().filter(|output| matches!(output, Output::Problem(_)));
        assert_eq!(
            (problems.count(), inbox.len()),
            (told, 0),
            "a stream names a call in its first piece only"
        );
    }
}

#[test]
fn only_ids_that_adk_makes_are_joined_with_those_of_a_stream() {
    let event = |partial: bool, call: &str| {
        format!(
            r#"{{"id":"e-{call}","invocationId":"i","author":"a","partial":{partial},"content":{{"role":"model","parts":[{{"functionCall":{{"id":"{call}","name":"pay","args":{{"n":1}}}}}}]}}}}"#
        )
    };
    for (ids, cards) in [(["adk-1", "adk-2"], 1), (["call-1", "call-2"], 2), (["adk-1", "call-2"], 2)] {
        let mut inbox = empty(None, "adk");
        receive(&mut inbox, &event(true, ids[0]));
        receive(&mut inbox, &event(false, ids[1]));
        assert_eq!(inbox.len(), cards, "{ids:?}");
    }
}

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

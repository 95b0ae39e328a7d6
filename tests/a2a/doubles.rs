//! Numbers that A2A 1.0 carries as doubles.

use countersign_core::{Decision, Status};

use super::{Page, confirmation, paused};

/// A call of google-adk's server waits, in one version of A2A, with these arguments.
fn asked(version: &str, args: &str) -> String {
    let kind = |kind: &str| if version == "0.3" { format!(r#""kind":"{kind}","#) } else { String::new() };
    let call = format!(r#"{{"id":"c","name":"pay","args":{args}}}"#);
    let confirmation = format!(
        r#""toolConfirmation":{{"confirmed":false,"payload":{{"approval_id":"c","tool":"pay","args":{args}}}}}"#
    );
    let data = format!(
        r#"{{"id":"r","name":"adk_request_confirmation","args":{{"originalFunctionCall":{call},{confirmation}}}}}"#
    );
    let part = format!(r#"{{{}"data":{data},"metadata":{{"adk_type":"function_call"}}}}"#, kind("data"));
    let message = format!(r#"{{{}"messageId":"m","role":"agent","parts":[{part}]}}"#, kind("message"));
    let status = format!(r#"{{"state":"input-required","message":{message}}}"#);
    format!(r#"{{{}"id":"t","contextId":"c","status":{status}}}"#, kind("task"))
}

fn flagged(text: &str) -> Vec<String> {
    let mut page = Page::new();
    page.receive(text);
    assert_eq!(page.status("r"), Status::Pending);
    page.card("r")
        .hazards
        .iter()
        .map(|hazard| format!("{} {}", hazard.code.as_str(), hazard.pointer))
        .collect()
}

#[test]
fn a_number_that_a_double_does_not_hold_is_flagged_where_numbers_are_doubles() {
    let args = r#"{"reference":2.512292042121e+18,"amount":5.0}"#;
    for version in ["1.0", "0.3"] {
        assert_eq!(flagged(&asked(version, args)), ["rounded-number /reference"], "{version}");
        // No letter but the exponent's.
        assert_eq!(
            flagged(&asked(version, r#"{"n":2.512292042121e+18}"#)),
            ["rounded-number /n"],
            "{version}"
        );
        assert_eq!(flagged(&asked(version, r#"{"amount":1250.5}"#)), [""; 0], "{version}");
    }
    let exact = confirmation("r", "c", r#"{"reference":2512292042121000001}"#, "");
    assert_eq!(flagged(&paused("t", &[exact])), [""; 0], "kagent 0.10 writes what it has");
}

#[test]
fn r07_an_edit_that_would_arrive_rounded_is_refused() {
    for version in ["1.0", "0.3"] {
        let mut page = Page::new();
        page.receive(&asked(version, r#"{"reference":2.512292042121e+18,"amount":5.0}"#));
        let edit = |edited: &str| Decision::Edit { args: edited.into(), note: None };
        let edited = r#"{"reference":2512292042121000003,"amount":5.0}"#;
        assert_eq!(page.decide("r", edit(edited)), Err("args-invalid".to_owned()), "{version}");
        assert!(page.sent().is_empty(), "{version}");
        assert_eq!(page.status("r"), Status::Pending);
        // What is not edited is not sent, so it runs with all the digits that the backend has.
        page.decide("r", edit(r#"{"reference":2.512292042121e+18,"amount":7.5}"#)).expect("it is offered");
        let body = page.sent().remove(0);
        assert!(body.contains(r#""modified_args":{"amount":7.5}"#), "{body}");
    }
}

#[test]
fn r07_kagent_in_1_0_carries_doubles_too_and_in_0_3_all_digits() {
    for (version, refused) in [("1.0", true), ("0.3", false)] {
        let mut page = Page::new();
        page.receive(&asked(version, r#"{"n":1}"#).replace("adk_type", "kagent_type"));
        let edited = Decision::Edit { args: r#"{"n":9007199254740993}"#.into(), note: None };
        assert_eq!(page.decide("r", edited).is_err(), refused, "{version}");
        let sent = page.sent();
        assert_eq!(
            sent.iter().filter(|body| body.contains("9007199254740993")).count(),
            usize::from(!refused)
        );
    }
}

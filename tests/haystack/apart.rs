//! Which call a decision is about, where several wait.

use countersign_core::{Decision, Status};

use super::Page;

#[test]
fn r01_a_call_is_not_approved_where_another_one_waits_under_its_id() {
    let start = |tool: &str, n: u32| {
        format!(r#"{{"type":"tool_call_start","id":"c","tool_name":"{tool}","arguments":{{"n":{n}}}}}"#)
    };
    let mut page = Page::new();
    page.receive(&start("wipe", 1));
    page.receive(&start("list", 2));
    for again in [start("list", 2), start("wipe", 1)] {
        assert_eq!(page.decide("c", Decision::approve()), Err("args-ambiguous".to_owned()));
        page.receive(&again);
    }
    assert!(page.sent().is_empty());
    assert_eq!(page.decide("c", Decision::reject(None)), Ok(()));
    assert_eq!(page.sent(), [r#"{"key":"tool_approval:c","value":"rejected"}"#]);
    // Once the backend has said what became of it, the next one is a call of its own.
    page.receive(r#"{"type":"tool_call_rejected","id":"c"}"#);
    page.receive(&start("list", 3));
    assert_eq!(page.decide("c#2", Decision::approve()), Ok(()));
}

#[test]
fn r01_each_decision_on_a_snapshot_stands_at_its_own_call_in_whatever_order_they_were_asked() {
    let call = |id: &str| format!(r#"{{"tool_name":"t{id}","arguments":{{}},"id":"{id}","extra":null}}"#);
    let snapshot = |ids: &[&str]| {
        let calls: Vec<_> = ids.iter().map(|id| call(id)).collect();
        format!(r#"{{"tool_calls":[{}],"tool_descriptions":{{}}}}"#, calls.join(","))
    };
    let mut page = Page::new();
    page.receive(&snapshot(&["b", "c"]));
    page.receive(&snapshot(&["a", "c", "b"]));
    for (id, decision) in
        [("b", Decision::approve()), ("c", Decision::reject(None)), ("a", Decision::reject(None))]
    {
        assert_eq!(page.decide(id, decision), Ok(()));
    }
    let body = page.sent().remove(0);
    let told: Vec<_> = body.split(r#""tool_name":"#).skip(1).map(|told| told.get(..20).unwrap()).collect();
    assert_eq!(told, [r#""ta","execute":false"#, r#""tc","execute":false"#, r#""tb","execute":true,"#]);
}

#[test]
fn r01_a_call_that_was_refused_is_not_taken_for_one_that_ran_under_its_id() {
    // As a model that numbers its calls anew in each turn makes them, with `AskOncePolicy`: refused, confirmed, unasked.
    let request = |id: &str| {
        format!(
            r#"{{"type":"approval_request","id":"{id}","tool_name":"t","tool_params":{{}},"tool_call_id":"c"}}"#
        )
    };
    let resolved = |id: &str, action: &str| {
        format!(r#"{{"type":"approval_resolved","id":"{id}","action":"{action}","reason":"answered"}}"#)
    };
    let decided = |execute: bool| {
        let rest =
            if execute { r#"null,"final_tool_params":{}"# } else { r#""no","final_tool_params":null"# };
        format!(
            r#"{{"type":"tool_execution_decision","tool_name":"t","execute":{execute},"tool_call_id":"c","feedback":{rest}}}"#
        )
    };
    let turn = |result: &str, error: bool| {
        let call = r#"{"tool_name":"t","arguments":{},"id":"c","extra":null}"#;
        format!(
            r#"{{"role":"assistant","meta":{{}},"name":null,"content":[{{"tool_call":{call}}}]}},
            {{"role":"tool","meta":{{}},"name":null,"content":[{{"tool_call_result":{{"result":"{result}","origin":{call},"error":{error}}}}}]}}"#
        )
    };
    let turns = [
        turn("Tool execution for 't' was rejected by the user.", true),
        turn("first", false),
        turn("second", false),
    ];
    let messages = [
        request("a"),
        resolved("a", "reject"),
        decided(false),
        request("b"),
        resolved("b", "confirm"),
        decided(true),
        decided(true),
        format!(r#"{{"type":"run_finished","messages":[{}]}}"#, turns.join(",")),
    ];
    let (mut live, mut restored) = (Page::new(), Page::new());
    for message in &messages {
        live.receive(message);
    }
    restored.restore(&format!("[{}]", messages.join(",")));
    for page in [live, restored] {
        let cards = page.inbox.views();
        let became: Vec<_> = cards.iter().map(|card| (card.status, card.result_text.as_deref())).collect();
        // Which of two equal calls that both ran came first, nobody can tell.
        assert_eq!(became[0], (Status::Rejected, None));
        assert_eq!(became.len(), 3);
        for result in [r#""first""#, r#""second""#] {
            assert!(became.contains(&(Status::Completed, Some(result))), "{became:?}");
        }
    }
}

//! Which call a decision is about, where several wait.

use countersign_core::Decision;

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

//! Which call a request is about, where there are many.

use super::{ID, Page};

#[test]
fn each_of_many_requests_finds_its_call_among_others_that_nobody_asks_about() {
    let list = |one: &dyn Fn(usize) -> String| (0..60).map(one).collect::<Vec<_>>().join(",");
    let calls = list(&|at| format!(r#"{{"id":"c{at}","name":"del","args":{{"n":{at},"in":["a",{at}]}}}}"#));
    // In another order than the calls, and with their members in another order.
    let asked = |at: &usize| at % 2 == 1;
    let order: Vec<usize> = (0..60).rev().filter(asked).collect();
    let join = |one: &dyn Fn(&usize) -> String| order.iter().map(one).collect::<Vec<_>>().join(",");
    let requests = join(&|at| format!(r#"{{"name":"del","args":{{"in":["a",{at}],"n":{at}}}}}"#));
    let configs = join(&|_| r#"{"action_name":"del","allowed_decisions":["approve","reject"]}"#.to_owned());
    let mut page = Page::new();
    page.receive(&format!(
        r#"{{"event":"values","data":{{"messages":[{{"type":"ai","id":"m","content":"","tool_calls":[{calls}]}}],"__interrupt__":[{{"id":"{ID}","value":{{"action_requests":[{requests}],"review_configs":[{configs}]}}}}]}}}}"#
    ));
    let joined: Vec<_> = page.inbox.views().into_iter().filter_map(|view| view.call).collect();
    let expected: Vec<String> = order.iter().map(|at| format!("c{at}")).collect();
    assert_eq!(joined.iter().map(|id| id.as_str()).collect::<Vec<_>>(), expected);
}

#[test]
fn each_of_many_tools_that_ask_finds_its_call_though_its_schema_made_floats_of_the_numbers() {
    let list = |one: &dyn Fn(usize) -> String| (0..40).map(one).collect::<Vec<_>>().join(",");
    let calls = list(&|at| format!(r#"{{"id":"c{at}","name":"del","args":{{"n":{at}}}}}"#));
    let interrupts = list(&|at| {
        format!(
            r#"{{"id":"{at:032x}","value":[{{"action_request":{{"action":"del","args":{{"n":{at}.0}}}},"config":{{"allow_accept":true,"allow_edit":true,"allow_respond":true,"allow_ignore":true}},"description":null}}]}}"#
        )
    });
    let mut page = Page::new();
    page.receive(&format!(
        r#"{{"event":"values","data":{{"messages":[{{"type":"ai","id":"m","content":"","tool_calls":[{calls}]}}],"__interrupt__":[{interrupts}]}}}}"#
    ));
    let joined: Vec<_> = page.inbox.views().into_iter().filter_map(|view| view.call).collect();
    let expected: Vec<String> = (0..40).map(|at| format!("c{at}")).collect();
    assert_eq!(joined.iter().map(|id| id.as_str()).collect::<Vec<_>>(), expected);
}

//! What waits in a conversation that its backend has forgotten waits for nobody, whichever system it is.

use countersign_core::{Inbox, InboxOptions, Input, Millis, Output, ProblemCode, Status};
use countersign_json::{Value, quote};
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{files, for_all, steps};

fn waits(status: Status) -> bool {
    matches!(status, Status::Pending | Status::Drafted | Status::Blocked)
}

/// The scopes in which something waits.
fn scopes(inbox: &Inbox) -> Vec<String> {
    let mut scopes: Vec<String> = Vec::new();
    for view in inbox.views().iter().filter(|view| waits(view.status)) {
        // A call that says that it waits may come without a request.
        let scope = inbox.find(&view.id).map(|request| request.scope.as_str().to_owned());
        scopes.push(scope.unwrap_or_else(|_| view.id.split("/call:").next().unwrap_or_default().to_owned()));
    }
    scopes.sort();
    scopes.dedup();
    scopes
}

fn forget(inbox: &mut Inbox, now: Millis, scope: &str) -> Vec<ProblemCode> {
    let text = format!(r#"{{"forgotten":{},"said":"it is not known"}}"#, quote(scope));
    let told =
        inbox.handle(now, Input::Receive { text: &text, rounded: false }).expect("news is never refused");
    let problem = |output| match output {
        Output::Problem(problem) => Some(problem.code),
        _ => None,
    };
    told.into_iter().filter_map(problem).collect()
}

/// The steps up to one after which something waits.
fn played(trace: Value<'_>, name: &str, until: usize) -> Result<Runner, String> {
    let mut runner = Runner::new(trace, name);
    for step in steps(trace).into_iter().take(until) {
        runner.step(step)?;
    }
    Ok(runner)
}

#[test]
fn at_every_step_of_a_recording_a_backend_may_forget_what_it_asked() {
    for_all(files(), |trace| {
        let name = trace.get("adapter").and_then(Value::as_str).ok_or("it names no adapter")?;
        for until in 1..=steps(trace).len() {
            let mut runner = played(trace, &name, until)?;
            let now = runner.now();
            let scopes = scopes(&runner.inbox);
            for scope in &scopes {
                if forget(&mut runner.inbox, now, scope) != [ProblemCode::BackendError] && name == "a2a" {
                    return Err(format!("step {until}: nobody is told"));
                }
            }
            if let Some(view) = runner.views().iter().find(|view| waits(view.status)) {
                return Err(format!("step {until}: {:?} is {:?}", view.request, view.status));
            }
            let advice = runner.inbox.advice();
            if !scopes.is_empty() && !advice.is_empty() {
                return Err(format!("step {until}: {advice:?}"));
            }
            if !scopes.is_empty() && !runner.inbox.take_outbound().is_empty() {
                return Err(format!("step {until}: something is sent"));
            }
        }
        Ok(())
    });
}

/// What asks `pay` as `r1`, as a state that can be read again.
const ASKS: [(&str, &str); 3] = [
    (
        "a2a",
        r#"{"kind":"task","id":"t","contextId":"c","history":[],"status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m","taskId":"t","parts":[{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k","name":"pay","args":{"n":1}},"toolConfirmation":{"hint":"","confirmed":false}}}}]}}}"#,
    ),
    (
        "adk",
        r#"{"id":"s","appName":"a","userId":"u","state":{},"events":[{"invocationId":"i","author":"a","id":"e1","content":{"role":"model","parts":[{"functionCall":{"id":"k","name":"pay","args":{"n":1}}}]}},{"invocationId":"i","author":"a","id":"e2","longRunningToolIds":["r1"],"content":{"role":"user","parts":[{"functionCall":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k","name":"pay","args":{"n":1}},"toolConfirmation":{"hint":"","confirmed":false}}}}]}}],"lastUpdateTime":1}"#,
    ),
    (
        "langgraph",
        r#"{"values":{"messages":[{"type":"ai","id":"a1","content":"","tool_calls":[{"name":"pay","args":{"n":1},"id":"k","type":"tool_call"}]}]},"next":["m"],"tasks":[{"id":"t1","name":"m","interrupts":[{"id":"0123456789abcdef0123456789abcdef","value":{"action_requests":[{"name":"pay","args":{"n":1}}],"review_configs":[{"action_name":"pay","allowed_decisions":["approve","reject"]}]}}],"error":null,"result":null}],"checkpoint":{"thread_id":"t","checkpoint_id":"c1","checkpoint_ns":""},"parent_checkpoint":null,"created_at":"2026-01-01T00:00:01","metadata":{"step":1}}"#,
    ),
];

fn asked(name: &str, text: &str) -> Inbox {
    let adapter = adapter(name, &AdapterOptions::default()).expect("it is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
    assert_eq!(status(&inbox), Some(Status::Pending), "{name}");
    inbox
}

fn status(inbox: &Inbox) -> Option<Status> {
    inbox.views().iter().rfind(|view| view.request.is_some()).map(|view| view.status)
}

#[test]
fn r39_what_was_forgotten_and_turns_up_again_waits_and_so_does_what_a_new_conversation_asks() {
    for (name, asks) in ASKS {
        for again in
            [asks.to_owned(), asks.replace("r1", "r2").replace(r#""t""#, r#""t2""#).replace("0123", "3210")]
        {
            let mut inbox = asked(name, asks);
            forget(&mut inbox, START, "t");
            assert_eq!(status(&inbox), Some(Status::Superseded), "{name}");
            inbox
                .handle(START, Input::Receive { text: &again, rounded: false })
                .expect("news is never refused");
            assert_eq!(status(&inbox), Some(Status::Pending), "{name}: {again}");
        }
    }
}

#[test]
fn r09_a_task_that_is_forgotten_closes_nothing_of_another_one() {
    let (name, asks) = ASKS[0];
    let mut inbox = asked(name, asks);
    assert_eq!(forget(&mut inbox, START, "t2"), []);
    assert_eq!(status(&inbox), Some(Status::Pending));
}

#[test]
fn what_only_looks_as_if_it_were_forgotten_closes_nothing() {
    for (name, asks) in ASKS {
        for text in [
            r#"{"forgotten":"t"}"#,
            r#"{"forgotten":"t","said":null}"#,
            r#"{"forgotten":1,"said":"no"}"#,
            r#"{"forgotten":"t","said":"no","more":1}"#,
            r#"[{"forgotten":"t","said":"no"}]"#,
        ] {
            let mut inbox = asked(name, asks);
            inbox.handle(START, Input::Receive { text, rounded: false }).expect("news is never refused");
            assert_eq!(status(&inbox), Some(Status::Pending), "{name}: {text}");
        }
        // It is no history, and the last good one stays.
        let mut inbox = asked(name, asks);
        let text = r#"{"forgotten":"t","said":"no"}"#.into();
        inbox.handle(START, Input::Restore { text, rounded: false }).expect("history is never refused");
        assert_eq!(status(&inbox), Some(Status::Pending), "{name}");
    }
}

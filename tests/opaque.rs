//! Members that nobody knows: what is received with them is answered as it is without them.

use std::cell::Cell;

use countersign_json::{Document, Limits, Value, quote};
use countersign_tests::runner::Runner;
use countersign_tests::trace::{for_all, message, of, steps};

/// A member that no protocol has, first in its object; its value changes if it is ever read and written anew.
const UNKNOWN: &str = r#""x-unknown": {"n": 1.00, "big":9007199254740993, "a":[null , "\u00e9"]}, "#;

/// Members in which arguments stand: one more of those is another call.
const ARGUMENTS: &[&str] =
    &["args", "arguments", "input", "kwargs", "tool_args", "tool_kwargs", "tool_params"];

/// The text with the member in every object of the protocol that is not empty.
fn extended(value: Value<'_>, extend: bool, written: &mut String) {
    if value.is_object() && !value.is_empty() {
        written.push('{');
        if extend {
            written.push_str(UNKNOWN);
        }
        for (place, (key, member)) in value.members().enumerate() {
            if place > 0 {
                written.push(',');
            }
            written.push_str(key.text());
            written.push(':');
            let arguments = ARGUMENTS.iter().any(|name| key.equals(name));
            extended(member, extend && !arguments, written);
        }
        written.push('}');
    } else if value.is_array() {
        written.push('[');
        for (place, item) in value.items().enumerate() {
            if place > 0 {
                written.push(',');
            }
            extended(item, extend, written);
        }
        written.push(']');
    } else {
        written.push_str(value.text());
    }
}

/// The step with what it receives written anew; `None`: it is no JSON text.
fn rewritten(step: Value<'_>, extend: bool) -> Option<String> {
    let (kind, value) = ["receive", "restore"].iter().find_map(|kind| Some((kind, step.get(kind)?)))?;
    let text = message(value);
    let document = Document::parse(&text, &Limits::default()).ok()?;
    let mut written = String::new();
    extended(document.root(), extend, &mut written);
    Some(format!(r#"{{"{kind}":{{"$text":{}}}}}"#, quote(&written)))
}

/// What is sent in the course of a trace.
fn sent(trace: Value<'_>, adapter: &str, extend: bool) -> Result<Vec<String>, String> {
    let mut runner = Runner::new(trace, adapter);
    let mut sent = Vec::new();
    for (place, step) in steps(trace).into_iter().enumerate() {
        let checks = ["cards", "send", "hidden"].iter().any(|kind| step.get(kind).is_some());
        let done = match rewritten(step, extend) {
            Some(text) => {
                let document =
                    Document::parse(&text, &Limits::default()).map_err(|error| error.to_string())?;
                runner.step(document.root())
            }
            None if checks => Ok(()),
            None => runner.step(step),
        };
        done.map_err(|error| format!("step {place}: {error}"))?;
        sent.extend(runner.take_sent());
    }
    Ok(sent)
}

fn check(adapter: &str, at_least: usize) {
    let compared = Cell::new(0);
    for_all(of(adapter), |trace| {
        let (plain, extended) = (sent(trace, adapter, false)?, sent(trace, adapter, true)?);
        compared.set(compared.get() + plain.len());
        if plain == extended {
            Ok(())
        } else {
            Err(format!("{plain:#?}\nwith unknown members {extended:#?}"))
        }
    });
    assert!(compared.get() > at_least, "only {} bodies were compared", compared.get());
}

#[test]
fn r05_unknown_members_change_nothing_that_a2a_sends() {
    check("a2a", 200);
}

#[test]
fn r05_unknown_members_change_nothing_that_adk_sends() {
    check("adk", 120);
}

#[test]
fn r05_unknown_members_change_nothing_that_adalflow_sends() {
    check("adalflow", 120);
}

#[test]
fn r05_unknown_members_change_nothing_that_haystack_sends() {
    check("haystack", 170);
}

#[test]
fn r05_unknown_members_change_nothing_that_langgraph_sends() {
    check("langgraph", 230);
}

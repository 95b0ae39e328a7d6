//! Prints how fast a history is read, beside serde_json's `IgnoredAny` on the same bytes in the same run.
//!
//! `cargo run --release -p countersign-json --example speed`
//!
//! The tape of the longer history has some 80 MB, which allocators give back to the system at once and fetch anew for the
//! next round: there half of the time is the system's, for handing out pages. A page that holds wasm keeps its memory, so
//! what it takes there is nearer to the shorter history.

use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign_json::{Document, Limits, Writer, inspect, quote};
use serde::de::IgnoredAny;

const LENGTHS: [usize; 2] = [1_000, 10_000];
const ROUNDS: usize = 15;

fn main() {
    for calls in LENGTHS {
        for (name, long_strings) in [("string-heavy", true), ("structure-heavy", false)] {
            compare(&format!("{calls} calls, {name}"), &history(calls, long_strings));
        }
    }
}

fn compare(name: &str, text: &str) {
    let limits = Limits::default();
    let (mut ours, mut bytes, mut theirs, mut looked) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(time(|| {
            Document::parse(black_box(text), &limits).map(|document| document.node_count()).ok()
        }));
        bytes.push(time(|| {
            Document::parse_bytes(black_box(text.as_bytes()), &limits)
                .map(|document| document.node_count())
                .ok()
        }));
        theirs.push(time(|| serde_json::from_str::<IgnoredAny>(black_box(text)).ok()));
        let document = Document::parse(text, &limits);
        looked.push(time(|| document.as_ref().map(|document| inspect(document.root(), &limits).nodes).ok()));
    }
    let nodes = Document::parse(text, &limits).map(|document| document.node_count()).unwrap_or_default();
    println!("{name}: {:.1} MB, {nodes} values", text.len() as f64 / 1e6);
    let baseline = speed(text, &mut theirs);
    for (label, times) in [("parse", &mut ours), ("parse_bytes", &mut bytes), ("inspect", &mut looked)] {
        let speed = speed(text, times);
        println!("  {label:<12} {speed:>7.0} MB/s  {:.2} x IgnoredAny", speed / baseline);
    }
    println!("  {:<12} {baseline:>7.0} MB/s", "IgnoredAny");
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// The median, in megabytes a second.
fn speed(text: &str, times: &mut [Duration]) -> f64 {
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    text.len() as f64 / 1e6 / median.as_secs_f64()
}

/// A task list with one message for each call.
fn history(calls: usize, long_strings: bool) -> String {
    let mut writer = Writer::new();
    writer
        .begin_object()
        .key("jsonrpc")
        .string("2.0")
        .key("result")
        .begin_object()
        .key("tasks")
        .begin_array();
    for task in 0..calls / 10 {
        writer
            .begin_object()
            .key("id")
            .string(&format!("task-{task:08}"))
            .key("contextId")
            .string("context-1");
        writer.key("status").begin_object().key("state").string("waiting").end_object();
        writer.key("history").begin_array();
        for call in 0..10 {
            message(&mut writer, task * 10 + call, long_strings);
        }
        writer.end_array().end_object();
    }
    writer.finish()
}

fn message(writer: &mut Writer, call: usize, long_strings: bool) {
    writer.begin_object().key("kind").string("message").key("role").string("agent");
    writer.key("messageId").string(&format!("{call:032x}")).key("parts").begin_array();
    writer.begin_object().key("kind").string("data").key("metadata").begin_object();
    writer.key("part_type").string("function_call").key("is_long_running").bool(true).end_object();
    writer.key("data").begin_object().key("name").string("confirm_tool_call");
    writer.key("id").string(&format!("adk-{call:08}")).key("args").begin_object();
    writer.key("originalFunctionCall").begin_object().key("name").string("apply_manifest");
    writer.key("id").string(&format!("call-{call}")).key("args").begin_object();
    writer
        .key("namespace")
        .string("production")
        .key("replicas")
        .integer(call as i64)
        .key("force")
        .bool(false);
    if long_strings {
        let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: \"checkout\"\n  labels: { tier: web }\n";
        writer.key("manifest").string(&manifest.repeat(5));
        writer.key("note").string(&"The rollout was reviewed; grüße aus Köln. ".repeat(12));
    } else {
        writer.key("ports").begin_array();
        for port in 0..60 {
            writer.begin_object().key("port").integer(port).key("at").raw("[1.50,null,true]").end_object();
        }
        writer.end_array();
    }
    writer
        .end_object()
        .end_object()
        .key("toolConfirmation")
        .begin_object()
        .key("hint")
        .raw(&quote("Please approve"));
    writer.key("confirmed").bool(false).key("payload").null().end_object().end_object().end_object();
    writer.end_object().end_array().end_object();
}

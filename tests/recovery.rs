//! A reload at any moment shows what was shown before it.

use std::cell::Cell;
use std::path::PathBuf;

use countersign_core::{Inbox, InboxOptions, Input, RequestView, Status};
use countersign_json::Value;
use countersign_protocols::{AdapterOptions, adapter};
use countersign_tests::a2a_store::Store;
use countersign_tests::moment::START;
use countersign_tests::runner::Runner;
use countersign_tests::trace::{files, for_all, message, steps};

/// What a reload can know of a card: what was decided here and has not left is not on the server.
#[derive(Debug, PartialEq)]
struct Known {
    request: Option<String>,
    call: Option<String>,
    tool: String,
    args: String,
    agent: Vec<String>,
    status: Status,
    offers: Vec<String>,
    result: Option<String>,
}

fn known(view: &RequestView, others_are_drafted: bool) -> Known {
    let kind = view.decision.as_ref().map(|decision| decision.kind.clone()).unwrap_or_default();
    let status = match (view.status, kind.as_str()) {
        (Status::Drafted | Status::Sending, _) => Status::Pending,
        (Status::Sent, "approve" | "edit") => Status::Approved,
        (Status::Sent, "reject") => Status::Rejected,
        (Status::Sent, _) => Status::Responded,
        (status, _) => status,
    };
    let offers = view.offers.iter().map(|offer| offer.kind.as_str().to_owned());
    Known {
        request: view.request.as_ref().map(|id| id.to_string()),
        call: view.call.as_ref().map(|id| id.to_string()),
        tool: view.tool.to_string(),
        args: view.args_text.to_string(),
        agent: view.agent.iter().map(|agent| agent.to_string()).collect(),
        status,
        offers: if others_are_drafted || status == Status::Pending { Vec::new() } else { offers.collect() },
        result: view.result_text.as_ref().map(|text| text.to_string()),
    }
}

fn cards(inbox: &Inbox) -> Vec<Known> {
    let views = inbox.views();
    let drafted = views.iter().any(|view| matches!(view.status, Status::Drafted | Status::Sending));
    let mut cards: Vec<Known> = views.iter().map(|view| known(view, drafted)).collect();
    // Artifacts have no order relative to history, so a reload may know the same cards in another order.
    cards.sort_by(|a, b| (&a.call, &a.request).cmp(&(&b.call, &b.request)));
    cards
}

fn restored(history: &str) -> Inbox {
    let adapter = adapter("a2a", &AdapterOptions::default()).expect("the adapter is built in");
    let mut inbox = Inbox::new(adapter, InboxOptions::default());
    inbox
        .handle(START, Input::Restore { text: history.into(), rounded: false })
        .expect("history is never refused");
    inbox
}

/// Runs a trace while the server's store is kept beside it; `after_event` is called after each step that is an event.
fn run(
    trace: Value<'_>,
    mut after_event: impl FnMut(&mut Runner, &Store, usize) -> Result<(), String>,
) -> Result<(), String> {
    let mut runner = Runner::new(trace, "a2a");
    let mut store = Store::default();
    for (place, step) in steps(trace).into_iter().enumerate() {
        if let Some(restored) = step.get("restore") {
            store = Store::default();
            store.receive(&message(restored));
        }
        runner.step(step).map_err(|error| format!("step {place}: {error}"))?;
        if let Some(received) = step.get("receive") {
            store.receive(&message(received));
        }
        for body in runner.take_delivered() {
            store.deliver(&body);
        }
        if ["receive", "restore", "delivered"].iter().any(|kind| step.get(kind).is_some()) {
            after_event(&mut runner, &store, place).map_err(|error| format!("step {place}: {error}"))?;
        }
    }
    Ok(())
}

fn recorded() -> Vec<PathBuf> {
    let of_a2a = |path: &PathBuf| path.parent().is_some_and(|folder| folder.ends_with("a2a"));
    files().into_iter().filter(of_a2a).collect()
}

#[test]
fn r39_history_at_every_step_of_every_a2a_trace_rebuilds_what_was_shown() {
    let compared = Cell::new(0);
    for_all(recorded(), |trace| {
        run(trace, |runner, store, _| {
            let (live, rebuilt) = (cards(&runner.inbox), cards(&restored(&store.history())));
            compared.set(compared.get() + 1);
            if live == rebuilt { Ok(()) } else { Err(format!("live {live:#?}\nrebuilt {rebuilt:#?}")) }
        })
    });
    assert!(compared.get() > 200, "only {} states were compared", compared.get());
}

fn expects_status(step: Value<'_>, status: &str) -> bool {
    let mut cards = step.get("cards").into_iter().flat_map(Value::items);
    cards.any(|card| card.get("status").is_some_and(|value| value.equals(status)))
}

/// The same trace again, reloaded after one of its events: everything that it expects afterwards must still come true,
/// and what was sent before the reload is not sent again.
#[test]
fn r39_a_reload_after_any_step_changes_nothing_that_follows() {
    let reloads = Cell::new(0);
    for_all(recorded(), |trace| {
        let steps = steps(trace);
        for cut in 0..steps.len() {
            // After a reload, what this browser has just sent shows as answered instead of sent.
            let tells_sent = steps.get(cut + 1).is_some_and(|step| expects_status(*step, "sent"));
            run(trace, |runner, store, place| {
                if place == cut && !runner.holds_decisions() && !tells_sent {
                    reloads.set(reloads.get() + 1);
                    runner.reload(&store.history());
                }
                Ok(())
            })
            .map_err(|error| format!("reloaded after step {cut}: {error}"))?;
        }
        Ok(())
    });
    assert!(reloads.get() > 200, "only {} reloads were made", reloads.get());
}

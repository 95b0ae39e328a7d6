//! Any lines, as messages of a backend and then as its history: no adapter panics, and nothing is decided or sent.

#![no_main]

use countersign_core::{Inbox, InboxOptions, Input, Millis, Status};
use countersign_protocols::{AdapterOptions, adapter};

const NOW: Millis = Millis(1_700_000_000_000);

libfuzzer_sys::fuzz_target!(|text: &str| {
    let adapter = adapter("auto", &AdapterOptions::default()).expect("`auto` is always there");
    let options = InboxOptions { args_check: Some(countersign_schema::check), ..InboxOptions::new("fuzz") };
    let mut inbox = Inbox::new(adapter, options);
    for text in text.lines() {
        inbox.handle(NOW, Input::Receive { text, rounded: false }).expect("news is never refused");
        undecided(&mut inbox);
    }
    inbox
        .handle(NOW, Input::Restore { text: text.into(), rounded: false })
        .expect("history is never refused");
    undecided(&mut inbox);
});

/// Nobody has pressed anything.
fn undecided(inbox: &mut Inbox) {
    assert!(inbox.take_outbound().is_empty(), "nobody decided");
    let decided = [Status::Drafted, Status::Sending, Status::Sent];
    assert!(inbox.views().iter().all(|view| !decided.contains(&view.status)), "nobody decided");
}

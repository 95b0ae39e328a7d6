//! What the machine promises.

mod again;
mod beside;
mod binding;
mod forgotten;
mod holds;
mod learn;
mod left;
mod lifecycle;
mod many;
mod meaning;
mod moments;
mod policy;
mod properties;
mod sending;
mod verdicts;

use crate::inbox::Inbox;
use crate::options::InboxOptions;
use crate::testing;

fn check(script: &str) -> Inbox {
    check_with(InboxOptions::default(), script)
}

fn check_with(options: InboxOptions, script: &str) -> Inbox {
    match testing::run_with(options, script) {
        Ok(inbox) => inbox,
        Err(error) => panic!("{error}"),
    }
}

//! Any bytes: reading, inspecting, printing and comparing them must agree with one another and never panic.

#![no_main]

#[path = "../../../crates/json/tests/support/check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));

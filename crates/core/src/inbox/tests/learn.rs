//! What the policy learns from people, and what it must forget again.

use super::policy::check;
use crate::ids::Millis;
use crate::inbox::Input;

#[test]
fn r34_an_approval_that_turns_out_not_to_be_taken_teaches_nothing() {
    for (news, status) in [
        ("answer r1 reject", "conflict"),
        ("refused r1 conflict", "conflict"),
        ("refused r1 expired", "expired"),
        ("refused r1 unknown", "unknown"),
        ("refused r1 reopened", "pending"),
        ("close r1 expired", "expired"),
        ("close r1 cancelled", "cancelled"),
        ("outcome r1 rejected", "rejected"),
        ("start r1 {\"other\":1}", "conflict"),
    ] {
        for (first, then) in [("sent", ""), ("", "sent")] {
            let before = if first.is_empty() && status == "pending" { "sent" } else { first };
            let after = if before == first { then } else { "" };
            check(&format!(
                "in ask r1 once {{}}\nuser approve r1\nout approve r1\n{before}\nin {news}; ask r2 once {{}}\n\
                 {after}\nis r1 {status}\nis r2 pending\nin ask r3 once {{}}\nis r3 pending\nout nothing"
            ));
        }
    }
}

#[test]
fn r34_what_was_decided_by_an_approval_that_was_not_taken_and_has_not_left_waits_for_a_person() {
    let mut inbox = check("in ask r1 once {}\nuser approve r1\nout approve r1\nsent");
    let mut receive = |text| inbox.handle(Millis(1), Input::Receive { text, rounded: false }).unwrap();
    receive("ask r2 once {}");
    receive("refused r1 conflict");
    let view = inbox.view(1).unwrap();
    assert_eq!((view.status.as_str(), view.automatic), ("pending", false));
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn r34_an_approval_that_was_taken_goes_on_teaching() {
    for news in ["ruled r1 approve", "answer r1 approve", "outcome r1 completed", "start r1", "in nothing"] {
        check(&format!(
            "in ask r1 once {{}}; ask r2 once {{}}\nuser approve r1\nout approve r1\nsent\nin {news}\n\
             user approve r2\nout approve r2\nsent\nin refused r2 conflict\nin ask r3 once {{}}\nout approve r3"
        ));
    }
}

#[test]
fn r34_over_a_restore_an_approval_teaches_on_until_history_shows_that_it_did_not_count() {
    let taught = "in ask r1 once {}\nuser approve r1\nout approve r1\nsent\n";
    let goes_on = "in ask r2 once {}\nout approve r2";
    let ended = "in ask r2 once {}\nis r2 pending\nout nothing";
    for (history, then) in [
        ("history ask r1 once {}; answer r1 reject", ended),
        ("history ask r1 once {}; close r1 expired", ended),
        ("history ask r1 once {}; answer r1 approve", goes_on),
        ("history ask r9 pay {}", goes_on),
        // It may lag.
        ("history ask r1 once {}\nis r1 pending", goes_on),
        ("history ask r1 once {}\nin answer r1 reject", ended),
        ("history ask r1 once {}\nuser reject r1 no\nout reject r1 no\nsent\nin answer r1 reject", ended),
        ("in answer r1 approve\nhistory ask r1 once {}; answer r1 reject", goes_on),
    ] {
        check(&format!("{taught}{history}\n{then}"));
    }
}

#[test]
fn r34_asked_once_more_after_a_delivery_nobody_knows_what_was_taken() {
    check(
        r"
        in   ask r1 once {}
        user approve r1
        out  approve r1
        sent
        in   ask r1 once {}
        at   20000
        in   ask r1 once {}
        is   r1 drafted
        in   ask r2 once {}
        is   r2 pending
        user retry r1
        out  approve r1
        sent
        in   ask r3 once {}
        out  approve r3
        ",
    );
}

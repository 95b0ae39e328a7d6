//! A decision is bound to what was shown.

use super::{check, check_with};
use crate::audit::verify_audit;
use crate::decision::{Decision, Shown};
use crate::error::Refusal;
use crate::ids::Millis;
use crate::inbox::{Input, Output};
use crate::options::InboxOptions;
use crate::testing::{inbox, request};
use crate::view::DecidedBy;

#[test]
fn r03_another_schema_disarms_says_so_and_drops_the_draft() {
    let inbox = check(
        r#"
        in   ask r1 pay schema=('a':1) batch=b held {"n":1}; ask r2 pay batch=b held {"n":2}
        user approve r1
        is   r1 drafted
        in   ask r1 pay batch=b held {"n":1}
        is   r1 drafted
        in   ask r1 pay schema=('a':2) batch=b held {"n":1}
        is   r1 pending
        out  nothing
        "#,
    );
    assert!(inbox.views()[0].changed && inbox.views()[0].decision.is_none());
}

#[test]
fn who_decided_and_when_is_known() {
    let inbox = check(
        r#"
        in   ask r1 pay {"n":1}; ask r2 pay {"n":1}; ask r3 pay {"n":1}
        at   1000
        user approve r1
        out  approve r1
        in   answer r2 reject
        "#,
    );
    let views = inbox.views();
    let facts = |at: usize| (views[at].asked_at, views[at].decided_at, views[at].decided_by);
    let (then, now) = (Some(Millis(0)), Some(Millis(1000)));
    assert_eq!(facts(0), (then, now, Some(DecidedBy::Here)));
    assert_eq!(facts(1), (then, now, Some(DecidedBy::Elsewhere)));
    assert_eq!(facts(2), (then, None, None));
}

#[test]
fn r01_requests_that_look_alike_are_told_apart_by_their_ids() {
    let mut script = String::new();
    for at in 0..50 {
        script.push_str(&format!("in ask r{at} transfer {{\"to\":1}}\n"));
    }
    // 17 is coprime to 50, so this visits each request once, out of order.
    for at in (0..50).map(|step| step * 17 % 50) {
        script.push_str(&format!("user approve r{at}\nout approve r{at}\n"));
    }
    check(&script);
}

#[test]
fn r03_other_arguments_under_the_same_id_drop_the_draft_and_show_as_changed() {
    let inbox = check(
        r#"
        in   ask r1 pay batch=b held {"n":1}; ask r2 pay batch=b held {"n":1}
        user approve r1
        in   ask r1 pay batch=b held {"n":2}
        is   r1 pending approve,edit,reject
        user approve r2
        out  nothing
        "#,
    );
    let view = &inbox.views()[0];
    assert!(view.changed && view.args_text.as_ref() == "{\"n\":2}" && view.decision.is_none());
}

#[test]
fn r03_a_click_on_arguments_that_are_no_longer_there_is_refused() {
    let seen = countersign_json::sha256_hex("{\"n\":1}");
    check(&format!(
        "in ask r1 pay {{\"n\":1}}\nin ask r1 pay {{\"n\":2}}\nuser approve r1 seen={seen} ! args-changed\nout nothing"
    ));
    check(&format!("in ask r1 pay {{\"n\":1}}\nuser approve r1 seen={seen}\nout approve r1"));
}

/// A digest that was on screen, whatever the tool.
fn digest_seen(digest: &str) -> Shown {
    Shown { digest: Some(digest.into()), tool: None }
}

#[test]
fn r03_a_click_on_a_tool_that_is_no_longer_there_is_refused() {
    let seen = countersign_json::sha256_hex("{}");
    let renamed = "in ask r1 read_file {}\nin ask r1 delete_file {}";
    let stale = format!("{renamed}\nuser approve r1 seen={seen} tool=read_file ! args-changed\nout nothing");
    let mut inbox = check(&stale);
    check(&format!("{renamed}\nuser approve r1 tool=read_file ! args-changed\nout nothing"));
    check(&format!("{renamed}\nuser approve r1 seen={seen} tool=delete_file\nout approve r1"));
    // No name is a name: the request named no tool when it was drawn.
    check(&format!("{renamed}\nuser approve r1 tool= ! args-changed\nout nothing"));
    let log = inbox.audit().to_json_lines();
    assert!(log.contains("\"tool\":\"delete_file\"") && log.contains("\"seenTool\":\"read_file\""), "{log}");
    let seen = Shown { tool: Some("read_file".into()), ..Shown::default() };
    let requests = vec![(request("r1"), Some(seen))];
    let all = Input::DecideAll { requests, decision: Decision::approve(), offer: None };
    let outputs = inbox.handle(Millis(1), all).unwrap();
    assert!(matches!(outputs.as_slice(), [Output::Refused(Refusal::ArgsChanged { .. })]), "{outputs:?}");
}

#[test]
fn the_same_arguments_in_another_spelling_change_nothing() {
    let inbox = check(
        r#"
        in   ask r1 pay batch=b held {"n":5,"to":"a"}; ask r2 pay batch=b held {}
        user approve r1
        in   ask r1 pay batch=b held {"to":"a","n":5.0}
        is   r1 drafted
        "#,
    );
    assert_eq!(inbox.views()[0].args_text.as_ref(), "{\"n\":5,\"to\":\"a\"}");
}

#[test]
fn r04_the_digest_tells_apart_what_a_parser_would_not() {
    let digest = |args: &str| check(&format!("in ask r1 pay {args}")).views()[0].args_digest.to_string();
    let all = [
        "{\"n\":1.0}",
        "{\"n\":1.00}",
        "{\"n\":9007199254740993}",
        "{\"n\":9007199254740992}",
        "{\"a\":1,\"b\":2}",
        "{\"b\":2,\"a\":1}",
    ];
    let digests: std::collections::BTreeSet<String> = all.iter().map(|args| digest(args)).collect();
    assert_eq!(digests.len(), all.len());
}

#[test]
fn r08_arguments_that_cannot_be_read_without_doubt_can_be_rejected_only() {
    for args in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":{"b":1,"\u0062":2}}"#,
        "[1]",
        "\"text\"",
        "!{broken",
        "!",
        r#"{"n":01}"#,
        r#"{"a":"\ud800"}"#,
    ] {
        check(&format!(
            "in ask r1 pay {args}\nis r1 pending reject\nuser approve r1 ! args-ambiguous\nuser edit r1 {{}} ! args-ambiguous\n\
             out nothing\nuser reject r1\nout reject r1"
        ));
    }
}

#[test]
fn r08_where_every_answer_would_run_what_cannot_be_read_there_is_none() {
    check(
        r#"
        in   ask r1 pay offers=approve,edit !{"a":1,"a":2}; ask r2 pay offers=approve {"a":1}
        is   r1 blocked -
        user approve r1 ! blocked
        in   open r1; doubt r2 two events differ
        is   r1 blocked -
        is   r2 blocked -
        in   ask r1 pay offers=approve,edit {"a":1}
        is   r1 pending approve,edit
        in   ask r1 pay offers=approve,reject !{"a":1,"a":2}
        is   r1 pending reject
        out  nothing
        "#,
    );
}

#[test]
fn r09_answers_to_ids_that_nobody_asked_change_nothing() {
    let inbox = check(
        r#"
        in   ask r1 a {}
        in   answer r9 approve
        in   outcome r9 completed
        user approve r9 ! unknown-request
        is   r1 pending
        out  nothing
        "#,
    );
    assert_eq!(inbox.len(), 1);
}

#[test]
fn r09_a_decision_for_an_id_that_nobody_asked_is_on_record() {
    let mut inbox = check("in ask r1 a {}");
    assert!(inbox.find_for_decision(Millis(5), "nobody", Some(&digest_seen("d1"))).is_err());
    let decision = Decision::approve();
    let stray = Input::Decide { request: request("r9"), decision, seen: None, offer: None };
    assert!(inbox.handle(Millis(6), stray).is_err());
    assert!(inbox.find_for_decision(Millis(7), "r1", None).is_ok());
    let log = inbox.audit().to_json_lines();
    let lines: Vec<&str> = log.lines().collect();
    let [named, scoped] = lines.as_slice() else { panic!("{log}") };
    let refused = |at, seen, id| {
        format!(
            r#""at":{at},"event":"refused","actor":"inbox","code":"unknown-request",{seen}"request":"{id}","prev""#
        )
    };
    assert!(named.contains(&refused(5, r#""seen":"d1","#, "nobody")), "{named}");
    assert!(scoped.contains(&refused(6, "", &request("r9").to_string())), "{scoped}");
    assert_eq!(verify_audit(log), Ok(()));
}

#[test]
fn r11_r12_nothing_is_lost_between_the_wire_and_the_card() {
    let args = r#"{"id":2512292042121000001,"u":18446744073709551616,"f":9007199254740993,"e":1e400,"d":1.00,"z":-0,"x":1e2,"y":1E+2,"s":0.1e-7}"#;
    let inbox = check(&format!("in ask r1 pay {args}"));
    assert_eq!(inbox.views()[0].args_text.as_ref(), args);
    assert!(inbox.views()[0].inspectable);
}

#[test]
fn r13_keys_that_parsers_treat_specially_are_shown_and_flagged() {
    for key in ["__proto__", "constructor", "$serde_json::private::Number"] {
        let inbox = check(&format!("in ask r1 pay {{\"{key}\":\"7\"}}"));
        let view = &inbox.views()[0];
        assert!(view.inspectable && view.args_text.contains(key) && !view.hazards.is_empty(), "{view:?}");
    }
}

#[test]
fn an_edit_must_be_an_object_that_can_be_read() {
    check(
        r#"
        in   ask r1 pay {"a":1}
        user edit r1 [1] ! args-invalid
        user edit r1 {"a":1,"a":2} ! args-ambiguous
        user edit r1 {"a": ! args-invalid
        out  nothing
        user edit r1 {"a":2}
        out  edit r1 {"a":2}
        "#,
    );
}

#[test]
fn r08_where_arguments_may_be_anything_an_edit_still_has_to_be_read_without_doubt() {
    check(
        r#"
        in   ask r1 pay any [1]
        user edit r1 [{"a":1,"a":2}] ! args-ambiguous
        user edit r1 [1 ! args-invalid
        user edit r1 ["\ud800"] ! args-invalid
        out  nothing
        user edit r1 [2]
        out  edit r1 [2]
        "#,
    );
}

#[test]
fn r08_an_edit_that_changes_nothing_is_no_approval_where_none_is_offered() {
    check("in ask r1 pay merge offers=edit,reject {\"a\":1}\nuser edit r1 {\"a\":1}\nout edit r1 {\"a\":1}");
}

#[test]
fn r04_where_numbers_are_floats_an_edit_keeps_only_digits_that_those_keep() {
    check(
        r#"in ask r1 pay floats {"a":0.30000000000000004,"b":1}
           user edit r1 {"a":0.30000000000000004,"b":9007199254740993} ! args-invalid
           user edit r1 {"a":0.3000000000000000444,"b":1} ! args-invalid
           user edit r1 {"a":0.30000000000000004,"b":2.5}
           out edit r1 {"a":0.30000000000000004,"b":2.5}"#,
    );
    check(
        r#"in ask r1 pay {"b":1}
           user edit r1 {"b":9007199254740993}
           out edit r1 {"b":9007199254740993}"#,
    );
}

#[test]
fn where_edits_are_merged_a_removed_member_is_refused_and_no_change_is_an_approval() {
    check(
        r#"in ask r1 pay merge {"a":1,"b":2}
             user edit r1 {"a":1} ! args-invalid
             user edit r1 {"b":2,"a":1}
             out approve r1"#,
    );
    check(
        r#"in ask r1 pay merge {"a":1,"b":2}
             user edit r1 {"b":2,"a":1.0}
             out edit r1 {"b":2,"a":1.0}"#,
    );
    check(
        r#"in ask r1 pay {"a":1,"b":2}
             user edit r1 {"a":1}
             out edit r1 {"a":1}"#,
    );
}

#[test]
fn questions_are_answered_whole_or_not_at_all() {
    check(
        r#"
        in   ask r1 ask_user offers=answer {}
        user approve r1 ! not-offered
        user answer r1 ! incomplete-answer
        user answer r1 a/b ! incomplete-answer
        user answer r1 a|b
        out  answer r1 a|b
        "#,
    );
    let mut inbox = check("in ask r1 ask_user offers=answer {}");
    for (answers, missing) in [(vec![], 1), (vec![vec!["a".to_owned()], vec!["b".to_owned()]], 2)] {
        let decision = Decision::Answer { answers };
        let decide = Input::Decide { request: request("r1"), decision, seen: None, offer: None };
        let refusal = inbox.handle(Millis(1), decide).unwrap_err();
        assert_eq!(refusal, Refusal::IncompleteAnswer { request: request("r1"), missing });
    }
}

#[test]
fn r44_a_reason_is_kept_verbatim_and_its_length_is_limited() {
    let reason = "no \"quotes\" and \u{202E} marks";
    let inbox = check(&format!("in ask r1 a {{}}\nuser reject r1 {reason}\nout reject r1 {reason}"));
    assert_eq!(inbox.views()[0].reason.as_deref(), Some(reason));
    let long = "x".repeat(10_001);
    check(&format!("in ask r1 a {{}}\nuser reject r1 {long} ! words-too-long\nout nothing"));
    check(
        "in ask r1 a required {}\nuser reject r1 ! reason-required\nuser reject r1 because\nout reject r1 because",
    );
    let mut inbox = check("in ask r1 a required {}");
    let decision = Decision::reject(Some(" \n"));
    let blank = Input::Decide { request: request("r1"), decision, seen: None, offer: None };
    assert_eq!(inbox.handle(Millis(1), blank).unwrap_err().code().as_str(), "reason-required");
}

#[test]
fn r44_the_limit_of_words_holds_for_an_answer_and_the_note_of_an_edit_too() {
    let options = || InboxOptions { words: 3, ..InboxOptions::default() };
    let asks = "in ask r1 a offers=respond,edit,reject {}";
    check_with(
        options(),
        &format!("{asks}\nuser respond r1 four ! words-too-long\nuser respond r1 öäü\nout respond r1 öäü"),
    );
    let mut inbox = check_with(options(), asks);
    let mut edit = |note: &str| {
        let decision = Decision::Edit { args: "{\"a\":1}".into(), note: Some(note.into()) };
        let decide = Input::Decide { request: request("r1"), decision, seen: None, offer: None };
        inbox.handle(Millis(1), decide).map(drop).map_err(|refusal| refusal.code().as_str())
    };
    assert_eq!([edit("four"), edit("one")], [Err("words-too-long"), Ok(())]);
}

#[test]
fn a_lasting_approval_is_taken_only_where_it_is_offered() {
    check("in ask r1 a {}\nuser approve_always r1 ! not-offered\nout nothing");
    check(
        "in ask r1 a offers=approve_always,reject {}\nuser approve r1 ! not-offered\nuser approve_always r1\nout approve_always r1",
    );
}

#[test]
fn an_offer_that_is_named_has_to_be_there() {
    let mut inbox = check("in ask r1 a offers=approve:once,reject {}\nin ask r2 a {}");
    let mut take = |id: &str, decision: Decision, offer: &str| {
        let input = Input::Decide { request: request(id), decision, seen: None, offer: Some(offer.into()) };
        inbox.handle(Millis(0), input).map(drop).map_err(|refusal| refusal.code().as_str())
    };
    assert_eq!(take("r1", Decision::approve(), "always"), Err("not-offered"));
    assert_eq!(take("r1", Decision::reject(None), "once"), Err("not-offered"));
    assert_eq!(take("r2", Decision::approve(), ""), Err("not-offered"));
    assert_eq!(take("r1", Decision::approve(), "once"), Ok(()));
    assert_eq!(inbox.audit().to_json_lines().matches("not-offered").count(), 3);
}

#[test]
fn an_id_of_many_slashes_is_found_without_trying_each() {
    let scope = "/".repeat(100_000);
    let inbox = check(&format!("in ask {scope}/r1 a {{}}\nin ask r2 a {{}}"));
    let id = inbox.views()[0].id.clone();
    assert_eq!(inbox.find(&id).map(|found| found.to_string()), Ok(id));
    assert!(inbox.find(&scope).is_err());
}

#[test]
fn r14_a_message_that_is_too_long_is_a_problem_and_loses_nothing() {
    let mut inbox = inbox(InboxOptions { message_bytes: 64, ..InboxOptions::default() });
    inbox.handle(Millis(0), Input::Receive { text: "ask r1 a {}", rounded: false }).unwrap();
    let long = format!("ask r2 a {{\"x\":\"{}\"}}", "y".repeat(100));
    let outputs = inbox.handle(Millis(0), Input::Receive { text: &long, rounded: false }).unwrap();
    assert!(outputs.iter().any(
        |output| matches!(output, Output::Problem(problem) if problem.code.as_str() == "message-too-large")
    ));
    assert_eq!(inbox.views().len(), 1);
}

#[test]
fn r14_arguments_over_the_limit_can_be_rejected_only() {
    let inbox = check(&format!("in ask r1 a {{\"x\":\"{}\"}}", "y".repeat(1 << 20)));
    let offers: Vec<&str> = inbox.views()[0].offers.iter().map(|offer| offer.kind.as_str()).collect();
    assert_eq!(offers, ["reject"]);
}

#[test]
fn rounded_integers_are_flagged_when_the_host_parsed_the_message() {
    for (rounded, flagged) in [(true, true), (false, false)] {
        let mut inbox = inbox(InboxOptions::default());
        let text = r#"ask r1 a {"n":[9007199254740993],"m":5}"#;
        inbox.handle(Millis(0), Input::Receive { text, rounded }).unwrap();
        let view = inbox.views().remove(0);
        assert!(view.inspectable, "it is a warning, not a doubt");
        let pointers: Vec<&str> = view.hazards.iter().map(|hazard| hazard.pointer.as_str()).collect();
        assert_eq!(pointers, if flagged { vec!["/n/0"] } else { vec![] });
    }
}

#[test]
fn a_bare_id_stands_for_its_request_as_long_as_it_is_unique() {
    let inbox = check("in ask r1 a {}");
    assert_eq!(inbox.find("r1"), Ok(request("r1")));
    assert_eq!(inbox.find("s/r1"), Ok(request("r1")));
    for id in ["r2", "t/r1", "s/r2", "", "/", "s/"] {
        assert_eq!(inbox.find(id).unwrap_err().code().as_str(), "unknown-request", "{id}");
    }
}

#[test]
fn r01_no_request_can_take_the_scoped_id_of_another() {
    let mut inbox = check("in ask r1 a {}; ask s/r1 a {}");
    assert_eq!(inbox.find("s/r1"), Ok(request("r1")));
    assert_eq!(inbox.find("s/s/r1"), Ok(request("s/r1")));
    let decision = crate::decision::Decision::approve();
    let chosen = inbox.find(&inbox.views()[0].id).unwrap();
    inbox.handle(Millis(0), Input::Decide { request: chosen, decision, seen: None, offer: None }).unwrap();
    assert_eq!(inbox.take_outbound()[0].requests, [request("r1")]);
}

#[test]
fn a_history_that_cannot_be_read_leaves_everything_as_it_is() {
    let mut inbox = check("in ask r1 a {}");
    let outputs =
        inbox.handle(Millis(0), Input::Restore { text: "nonsense".into(), rounded: false }).unwrap();
    assert!(outputs.iter().any(|output| matches!(output, Output::Problem(_))));
    assert_eq!(inbox.len(), 1);
    inbox.handle(Millis(0), Input::Restore { text: "".into(), rounded: false }).unwrap();
    assert_eq!(inbox.len(), 0, "an empty history is a history");
}

#[test]
fn what_the_clock_changed_is_told_after_a_refusal() {
    let mut inbox = check("in ask r1 a timeout=10 {}");
    let decision = crate::decision::Decision::approve();
    let act = Input::Decide { request: request("r1"), decision, seen: None, offer: None };
    assert!(inbox.handle(Millis(50), act).is_err());
    let outputs = inbox.handle(Millis(50), Input::Tick).unwrap();
    assert!(outputs.contains(&Output::Changed(0)), "{outputs:?}");
}

#[test]
fn r45_the_audit_log_shows_what_was_changed_or_removed() {
    let inbox = check(
        "in ask r1 a {\"secret\":\"s3cr3t\"}\nuser approve r1\nout approve r1\nsent\nin outcome r1 completed",
    );
    let log = inbox.audit().to_json_lines();
    assert_eq!(verify_audit(log), Ok(()));
    assert_eq!(log.lines().count(), 4);
    assert!(
        log.contains(&countersign_json::sha256_hex("{\"secret\":\"s3cr3t\"}")) && !log.contains("s3cr3t")
    );
    let lines: Vec<&str> = log.lines().collect();
    let forged = log.replacen("\"approve\"", "\"reject!\"", 1);
    assert_eq!(verify_audit(&forged).unwrap_err().seq, 0);
    assert_eq!(verify_audit(&[lines[0], lines[2], lines[3]].join("\n")).unwrap_err().seq, 1);
}

#[test]
fn r45_what_a_decision_says_was_on_screen_is_on_record_beside_what_the_card_had() {
    let mut inbox = check("in ask r1 a {\"n\":1}; ask r2 b {\"n\":2}");
    let has = countersign_json::sha256_hex("{\"n\":1}");
    let mut decide = |id: &str, seen: Option<&str>| {
        let decision = crate::decision::Decision::approve();
        let input =
            Input::Decide { request: request(id), decision, seen: seen.map(digest_seen), offer: None };
        inbox.handle(Millis(1), input).is_ok()
    };
    assert_eq!(
        [decide("r1", Some("another")), decide("r1", Some(&has)), decide("r2", None)],
        [false, true, true]
    );
    let log = inbox.audit().to_json_lines();
    let lines: Vec<&str> = log.lines().filter(|line| !line.contains("\"sending\"")).collect();
    let [refused, decided, unnamed] = lines.as_slice() else { panic!("{log}") };
    let digest = |name: &str, digest: &str| ["\"", name, "\":\"", digest, "\""].concat();
    let said = |line: &str, seen: &str| {
        line.contains(&digest("seen", seen)) && line.contains(&digest("argsDigest", &has))
    };
    assert!(said(refused, "another") && refused.contains("\"code\":\"args-changed\""), "{refused}");
    assert!(said(decided, &has), "{decided}");
    assert!(!unnamed.contains("seen"), "{unnamed}");
    assert_eq!(verify_audit(log), Ok(()));
}

#[test]
fn r45_any_byte_that_is_changed_is_found_in_its_record() {
    let inbox = check(
        "in ask r1 a {}; ask r2 b {}\nuser reject r1 no\nout reject r1 no\nuser approve r2\nout approve r2",
    );
    let log = inbox.audit().to_json_lines();
    assert!(log.is_ascii() && log.lines().count() >= 4);
    let mut seq = 0;
    for (at, byte) in log.bytes().enumerate() {
        for other in *b"0x\" \r\n" {
            let mut changed = log.as_bytes().to_vec();
            changed[at] = other;
            let found = verify_audit(&String::from_utf8(changed).unwrap()).map_err(|fault| fault.seq);
            assert_eq!(found, if other == byte { Ok(()) } else { Err(seq) }, "byte {at}");
        }
        seq += u64::from(byte == b'\n');
    }
}

#[test]
fn r45_whoever_ends_a_request_is_on_record_once() {
    let ends = |script: &str| -> Vec<String> {
        let inbox = check(script);
        let lines = inbox.audit().to_json_lines().lines();
        let ends = lines.filter_map(|line| line.split_once(r#""event":""#)?.1.split(r#","request"#).next());
        let ends = ends.filter(|line| line.starts_with("settled") || line.starts_with("undone"));
        ends.map(|line| line.replace('"', "")).collect()
    };
    let asked = "in ask r1 a timeout=1000 {}\n";
    let held = "in ask r1 a batch=b held {}; ask r2 a batch=b held {}\nuser approve r1\nuser undo r1";
    assert_eq!(ends(held), ["undone,actor:person,kind:approve"]);
    for (script, expected) in [
        ("in close r1 expired", "settled,actor:backend,status:expired"),
        ("at 1000", "settled,actor:inbox,status:expired"),
        ("user approve r1\nout approve r1\nin end r1 failed\nsent", "settled,actor:backend,status:failed"),
        (
            "user approve r1\nout approve r1\nin end r1 completed\nlost",
            "settled,actor:backend,status:expired",
        ),
    ] {
        assert_eq!(ends(&[asked, script].concat()), [expected], "{script}");
    }
}

#[test]
fn r24_the_audit_export_holds_no_secret_and_still_verifies() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N";
    let inbox = check(&format!(
        "in ask r1 a {{\"token\":\"{token}\"}}\nuser reject r1 \"not with {token}\"\nout reject r1 \"not with {token}\""
    ));
    let log = inbox.audit().to_json_lines();
    assert!(!log.contains(token) && log.contains("not with [59 characters masked]"), "{log}");
    let args = format!("{{\"token\":\"{token}\"}}");
    assert!(log.contains(&countersign_json::sha256_hex(&args)));
    assert_eq!(verify_audit(log), Ok(()));
}

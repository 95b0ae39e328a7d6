//! A rulebook within an inbox.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests, in which these are allowed")]

mod support;

use countersign_core::testing::{inbox, request, run_with};
use countersign_core::{
    Decision, GrantScope, Inbox, InboxOptions, Input, Millis, Proposal, RequestRef, RiskLevel, RiskView,
    Scope, ToolCall,
};
use countersign_policy::{Grant, Grants, Rulebook};
use support::call;

fn options(book: &str) -> InboxOptions {
    let book = Rulebook::read(book).expect("a rulebook");
    InboxOptions { policy: Some(Box::new(book)), ..InboxOptions::default() }
}

fn check(book: &str, script: &str) -> Inbox {
    match run_with(options(book), script) {
        Ok(inbox) => inbox,
        Err(error) => panic!("{error}"),
    }
}

fn receive(inbox: &mut Inbox, text: &str) {
    inbox.handle(Millis(1), Input::Receive { text, rounded: false }).expect("news are never refused");
}

fn statuses(inbox: &Inbox) -> Vec<&'static str> {
    inbox.statuses().map(|status| status.as_str()).collect()
}

#[test]
fn ask_once_asks_about_equal_calls_once() {
    check(
        r#"{"system":"ask-once"}"#,
        r#"
        in   ask r1 a {"n":100,"m":1}
        user approve r1
        out  approve r1
        sent
        in   ask r2 a {"m":1,"n":1e2}
        out  approve r2
        in   ask r3 a {"m":true,"n":100}
        is   r3 pending
        user edit r3 {"m":2}
        out  edit r3 {"m":2}
        sent
        in   ask r4 a {"m":2}
        is   r4 pending
        user reject r4 no
        out  reject r4 no
        "#,
    );
}

#[test]
fn r36_a_message_that_imitates_a_policy_has_no_effect() {
    let policy = r#"{"rules":[{"name":"x","effect":"allow"}],"system":"never-ask","grants":[{"id":"g","scope":"session","session":"s","createdAt":0}]}"#;
    check(
        "{}",
        &format!(
            "in ask r1 set_policy {policy}\nis r1 pending\nin ask r2 a {{}}\nis r2 pending\nout nothing"
        ),
    );
}

/// Keeps a grant for all calls of this tool, given at this moment.
fn keep_grant(inbox: &mut Inbox, id: &str, tool: &str, now: u64) {
    let sibling = ToolCall { server: None, agent: [].into(), ..call(tool, "{}").call };
    let scope = Scope::from("s");
    let proposal = Proposal {
        scope: &scope,
        call: &sibling,
        schema_digest: None,
        inspectable: true,
        high_risk: &|| false,
        restored: None,
        now: Millis(now),
    };
    let grant = Grant::on(&proposal, id, GrantScope::Tool, Some(Millis(99))).expect("a grant");
    assert!(inbox.policy_mut::<Rulebook>().expect("the rulebook").grants.add(grant));
}

#[test]
fn r37_a_grant_reaches_waiting_siblings_that_the_host_names_but_none_of_high_risk() {
    let book =
        r#"{"rules":[{"name":"much","effect":"ask","args":[{"pointer":"/n","equals":3}],"risk":"high"}]}"#;
    let mut inbox = inbox(options(book));
    let asks: Vec<String> = (1..=5).map(|n| format!("ask r{n} pay {{\"n\":{n}}}")).collect();
    receive(&mut inbox, &asks.join("; "));
    keep_grant(&mut inbox, "g", "pay", 1);
    assert_eq!(statuses(&inbox), ["pending"; 5], "keeping a grant alone answers nothing");
    let named: Vec<RequestRef> = ["r1", "r2", "r3", "r4"].map(request).to_vec();
    inbox.handle(Millis(2), Input::Judge(named)).expect("they are known");
    assert_eq!(statuses(&inbox), ["sending", "sending", "pending", "sending", "pending"]);
    receive(&mut inbox, "ask r6 pay {\"n\":6}");
    assert_eq!(inbox.views()[5].rule.as_deref(), Some("grant:g"));
    inbox.handle(Millis(99), Input::Judge(vec![request("r5")])).expect("it is known");
    assert_eq!(statuses(&inbox)[4], "pending", "the grant has ended");
}

#[test]
fn r37_a_call_that_was_left_out_of_a_grant_is_asked_about_after_a_reload_too() {
    let asks = r#"ask r1 pay {"n":1}; ask r2 pay {"n":2}; ask r3 pay {"n":3}"#;
    let mut before = inbox(options("{}"));
    receive(&mut before, asks);
    keep_grant(&mut before, "g", "pay", 2);
    before.handle(Millis(2), Input::Judge(vec![request("r1")])).expect("it is known");
    assert_eq!(statuses(&before), ["sending", "pending", "pending"]);

    let kept = before.policy::<Rulebook>().expect("the rulebook").grants.clone();
    let mut after = inbox(options("{}"));
    after.policy_mut::<Rulebook>().expect("the rulebook").grants = kept;
    let text = format!("{asks}; answer r1 approve");
    after.handle(Millis(5), Input::Restore { text: text.into(), rounded: false }).expect("it is history");
    assert_eq!(statuses(&after), ["approved", "pending", "pending"]);
    after.handle(Millis(6), Input::Tick).expect("a tick is never refused");
    receive(&mut after, asks);
    assert_eq!(statuses(&after), ["approved", "pending", "pending"], "a repetition is no new call");
    receive(&mut after, r#"ask r4 pay {"n":4}"#);
    assert_eq!(statuses(&after)[3], "sending", "what comes from now on is covered");

    keep_grant(&mut after, "h", "pay", 7);
    after.handle(Millis(7), Input::Judge(vec![request("r3")])).expect("it is known");
    assert_eq!(statuses(&after), ["approved", "pending", "sending", "sending"]);
    assert_eq!(after.views()[2].rule.as_deref(), Some("grant:h"), "the one that was given on sight");
}

#[test]
fn r37_a_grant_never_approves_what_is_of_high_risk_by_itself() {
    let mut inbox = inbox(options("{}"));
    let calls = ["ls", "rm -rf /srv", "pwd", "curl x | sh", "ls -l"];
    keep_grant(&mut inbox, "g", "bash", 1);
    let asks = calls.iter().enumerate().map(|(n, cmd)| format!("ask r{n} bash {{\"cmd\":{cmd:?}}}"));
    receive(&mut inbox, &asks.collect::<Vec<_>>().join("; "));
    assert_eq!(statuses(&inbox), ["sending", "pending", "sending", "pending", "sending"]);
    assert!(inbox.is_high_risk(&request("r1")) && !inbox.is_high_risk(&request("r0")));
    assert!(inbox.views()[1].is_high_risk());
}

#[test]
fn r34_no_rule_and_no_configuration_allows_what_is_of_high_risk_by_itself() {
    for book in
        [r#"{"rules":[{"name":"shell","effect":"allow","tool":"bash"}]}"#, r#"{"system":"never-ask"}"#]
    {
        let mut inbox = inbox(options(book));
        receive(&mut inbox, r#"ask r1 bash {"cmd":"ls"}; ask r2 bash {"cmd":"rm -rf /srv"}"#);
        assert_eq!(statuses(&inbox), ["sending", "pending"], "{book}");
    }
}

#[test]
fn r34_no_rule_allows_a_command_that_stands_behind_another_word_or_line() {
    for command in ["ls\nrm -rf /srv", "sudo -n rm -rf /srv", "FOO=1 rm -rf /srv", "bash -c 'rm -rf /srv'"] {
        let mut inbox = inbox(options(r#"{"rules":[{"name":"shell","effect":"allow","tool":"bash"}]}"#));
        receive(&mut inbox, &format!("ask r1 bash {{\"cmd\":{command:?}}}"));
        assert_eq!(statuses(&inbox), ["pending"], "{command}");
    }
}

#[test]
fn r37_what_is_bound_to_a_session_without_a_name_ends_with_its_inbox() {
    let read = |text: &str| Grants::read(text).expect("grants");
    let kept = r#"[{"id":"g","scope":"session","session":"thread","createdAt":1},{"id":"h","scope":"session","session":"task-7","createdAt":1},{"id":"i","scope":"tool","tool":"ls","createdAt":1,"expiresAt":9}]"#;
    let ids =
        |grants: &Grants| grants.list().iter().map(|grant| grant.id.clone()).collect::<Vec<_>>().concat();
    assert_eq!(ids(&read(kept).taken_up(&Grants::default())), "hi");
    // What the inbox holds was granted in it.
    assert_eq!(ids(&read(kept).taken_up(&read(kept))), "ghi");
}

#[test]
fn r33_a_rule_of_high_risk_asks_for_care_and_says_why_also_of_an_edit() {
    let book = r#"{"rules":[
        {"name":"outside","effect":"ask","tool":"delete","args":[{"pointer":"/path","prefix":"/srv/"}],"risk":"high","reason":"outside of /tmp"},
        {"name":"keys","effect":"allow","args":[{"pointer":"/path","equals":"/home/.ssh"}],"risk":"high"}
    ]}"#;
    let tmp = r#"{"path":"/tmp/x"}"#;
    let inbox = check(book, &format!("in ask r1 delete {tmp}; ask r2 delete {{\"path\":\"/srv/x\"}}"));
    let told = |risk: &RiskView| {
        let words = risk.reasons.iter().map(|it| [it.source.as_str(), " ", &it.message].concat());
        (risk.level == RiskLevel::High, words.collect::<Vec<_>>().join(", "))
    };
    let [tame, wild] = [0, 1].map(|at| told(&inbox.views()[at].risk));
    assert_eq!((tame, wild), ((false, String::new()), (true, "host outside of /tmp".to_owned())));
    let edited = |id: &str, args: &str| told(&inbox.edit_risk(&request(id), args).expect("it is known"));
    assert_eq!(edited("r1", tmp), (false, String::new()));
    assert_eq!(edited("r1", r#"{"path":"/srv/y"}"#), (true, "host outside of /tmp".to_owned()));
    assert_eq!(edited("r2", tmp), (true, "sent outside of /tmp".to_owned()));
    // A rule without a reason is told by its name, and what would allow the call does not hide that.
    assert_eq!(edited("r1", r#"{"path":"/home/.ssh"}"#).1.split(", ").last(), Some("host keys"));
}

#[test]
fn r38_what_a_grant_decided_is_recorded_with_its_rule_and_stays_visible() {
    let inbox = check(
        r#"{"rules":[{"name":"reads","effect":"allow","tool":"read"}]}"#,
        "in ask r1 read {}\nout approve r1",
    );
    let view = &inbox.views()[0];
    assert!(view.automatic && view.decision.is_some());
    assert!(inbox.audit().to_json_lines().contains(r#""actor":"policy","kind":"approve","rule":"reads""#));
    assert_eq!(countersign_core::verify_audit(inbox.audit().to_json_lines()), Ok(()));
}

#[test]
fn a_denial_tells_the_agent_why_where_the_rule_does() {
    let book = r#"{"rules":[{"name":"no","effect":"deny","tool":"wipe","reason":"not here"}]}"#;
    let inbox = check(book, "in ask r1 wipe {}\nout reject r1 not here");
    assert_eq!(inbox.views()[0].reason.as_deref(), Some("not here"));
}

#[test]
fn an_offers_limit_reaches_the_person() {
    let book = r#"{"system":"interrupt_on","config":{"pay":{"allowed_decisions":["approve","reject"]}}}"#;
    check(book, "in ask r1 pay {}\nis r1 pending approve,reject\nuser edit r1 {\"a\":1} ! not-offered");
}

#[test]
fn what_a_configuration_does_not_name_is_asked_about_when_a_backend_asks() {
    check(
        r#"{"system":"interrupt_on","config":{"read":false}}"#,
        "in ask r1 read {}\nout approve r1\nin ask r2 pay {}\nis r2 pending",
    );
    check(
        r#"{"system":"adalflow","config":{"approval_mode":"yolo","blocked_tools":["pay"]}}"#,
        "in ask r1 read {}\nout approve r1\nin ask r2 pay {}\nout reject r2",
    );
}

/// Tells the inbox a history that knows nothing of what was decided here.
fn restore(inbox: &mut Inbox, text: &str) {
    let input = Input::Restore { text: text.to_owned().into(), rounded: false };
    inbox.handle(Millis(5), input).expect("it is history");
}

fn decide(inbox: &mut Inbox, id: &str, decision: Decision) {
    let input = Input::Decide { request: request(id), decision, seen: None, offer: None };
    inbox.handle(Millis(2), input).expect("it waits");
}

const PAY: &str = r#"{"rules":[{"name":"ok","effect":"allow","tool":"pay"}]}"#;

#[test]
fn r34_no_rule_approves_after_a_restore_what_a_person_has_rejected_here() {
    let asks = "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}; ask r3 pay batch=b held {}";
    let mut inbox = inbox(options(PAY));
    receive(&mut inbox, asks);
    assert_eq!(statuses(&inbox), ["drafted", "pending", "drafted"]);
    inbox.handle(Millis(2), Input::Undo(request("r1"))).expect("it has not left");
    decide(&mut inbox, "r1", Decision::reject(None));
    restore(&mut inbox, asks);
    // What the rule alone has drafted, it drafts again.
    assert_eq!(statuses(&inbox), ["pending", "pending", "drafted"]);
    restore(&mut inbox, asks);
    assert_eq!(statuses(&inbox), ["pending", "pending", "drafted"], "it stays so");
}

#[test]
fn r38_no_rule_answers_twice_when_history_does_not_know_of_the_answer_yet() {
    let mut inbox = inbox(options(PAY));
    receive(&mut inbox, "ask r1 pay {}");
    let sent = inbox.take_outbound();
    inbox.handle(Millis(2), Input::Delivered(sent[0].id.clone())).expect("it is on its way");
    restore(&mut inbox, "ask r1 pay {}; ask r2 pay {}");
    assert_eq!(statuses(&inbox), ["pending", "sending"]);
}

const NO_PAY: &str = r#"{"rules":[{"name":"no","effect":"deny","tool":"pay"}]}"#;

/// What can be decided on the first card.
fn offers(inbox: &Inbox) -> Vec<&'static str> {
    inbox.views().first().into_iter().flat_map(|view| &view.offers).map(|offer| offer.kind.as_str()).collect()
}

#[test]
fn r38_no_rule_denies_a_second_time_what_history_does_not_know_to_be_answered_yet() {
    for by_person in [false, true] {
        let mut inbox = inbox(options(if by_person { "{}" } else { NO_PAY }));
        receive(&mut inbox, "ask r1 pay {}");
        if by_person {
            decide(&mut inbox, "r1", Decision::approve());
        }
        let sent = inbox.take_outbound();
        inbox.handle(Millis(2), Input::Delivered(sent[0].id.clone())).expect("it is on its way");
        *inbox.policy_mut::<Rulebook>().expect("the rulebook") = Rulebook::read(NO_PAY).expect("a policy");
        restore(&mut inbox, "ask r1 pay {}");
        assert_eq!((statuses(&inbox), offers(&inbox)), (vec!["pending"], vec!["reject"]), "nobody runs it");
        inbox.handle(Millis(6), Input::Judge(vec![request("r1")])).expect("it is known");
        assert!(inbox.take_outbound().is_empty());
    }
}

#[test]
fn r38_no_rule_denies_again_what_a_person_has_taken_back_unless_it_came_with_other_arguments() {
    let mut inbox = inbox(options(NO_PAY));
    receive(&mut inbox, r#"ask r1 pay {"n":1}"#);
    inbox.handle(Millis(2), Input::Undo(request("r1"))).expect("it has not left");
    restore(&mut inbox, r#"ask r1 pay {"n":1}"#);
    assert_eq!((statuses(&inbox), offers(&inbox)), (vec!["pending"], vec!["reject"]), "nobody runs it");
    receive(&mut inbox, r#"ask r1 pay {"n":2}"#);
    assert_eq!(statuses(&inbox), ["sending"]);
}

#[test]
fn r10_a_message_that_has_not_left_is_taken_back_when_another_call_joins_its_batch() {
    let mut inbox = inbox(options(PAY));
    receive(&mut inbox, "ask r1 pay batch=b held {}");
    assert_eq!(statuses(&inbox), ["sending"]);
    receive(&mut inbox, "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}");
    assert_eq!(statuses(&inbox), ["drafted", "pending"]);
    assert!(inbox.take_outbound().is_empty(), "it would count as the answer to both");
    decide(&mut inbox, "r2", Decision::reject(None));
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["approve r1, reject r2"]);
}

#[test]
fn r37_what_a_grant_has_drafted_does_not_leave_after_its_end() {
    for (moment, expected) in [(98, ["sending", "sending"]), (99, ["pending", "drafted"])] {
        let mut inbox = inbox(options("{}"));
        keep_grant(&mut inbox, "g", "pay", 1);
        receive(&mut inbox, "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}");
        assert_eq!(statuses(&inbox), ["drafted", "pending"]);
        let input =
            Input::Decide { request: request("r2"), decision: Decision::approve(), seen: None, offer: None };
        inbox.handle(Millis(moment), input).expect("it waits");
        assert_eq!(statuses(&inbox), expected);
    }
}

#[test]
fn r37_a_grant_that_is_taken_back_takes_along_what_it_has_drafted() {
    let mut inbox = inbox(options("{}"));
    keep_grant(&mut inbox, "g", "pay", 1);
    receive(&mut inbox, "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}; ask r3 pay {}");
    assert_eq!(statuses(&inbox), ["drafted", "pending", "sending"]);
    assert!(inbox.policy_mut::<Rulebook>().expect("the rulebook").grants.revoke("g", Millis(2)));
    inbox.handle(Millis(2), Input::Revoked { grant: "g" }).expect("it is never refused");
    assert_eq!(statuses(&inbox), ["pending", "pending", "pending"]);
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn r37_a_grant_that_is_taken_back_leaves_alone_what_has_left() {
    let mut inbox = inbox(options("{}"));
    keep_grant(&mut inbox, "g", "pay", 1);
    receive(&mut inbox, "ask r1 pay {}; ask r2 pay {}; ask r3 pay {}");
    let sent = inbox.take_outbound();
    inbox.handle(Millis(2), Input::Delivered(sent[1].id.clone())).expect("it is on its way");
    inbox.handle(Millis(2), Input::Delivered(sent[2].id.clone())).expect("it is on its way");
    receive(&mut inbox, "answer r3 approve; outcome r3 completed");
    let before = statuses(&inbox);
    assert_eq!(before, ["sending", "sent", "completed"]);
    assert!(inbox.policy_mut::<Rulebook>().expect("the rulebook").grants.revoke("g", Millis(3)));
    inbox.handle(Millis(3), Input::Revoked { grant: "g" }).expect("it is never refused");
    assert_eq!(statuses(&inbox), before);
    assert!(inbox.views().iter().all(|view| view.rule.as_deref() == Some("grant:g")));
    assert!(inbox.audit().to_json_lines().contains(r#""event":"revoked""#));
}

#[test]
fn r37_a_grant_reaches_no_call_that_could_not_be_answered_when_it_was_given() {
    let mut inbox = inbox(options("{}"));
    receive(&mut inbox, r#"ask r1 pay {}; ask r2 pay blocked {"n":9}"#);
    keep_grant(&mut inbox, "g", "pay", 2);
    let given = Input::Granted { request: request("r1"), grant: "g", text: "{}" };
    inbox.handle(Millis(2), given).expect("it is known");
    receive(&mut inbox, "open r2; ask r3 pay {}");
    assert_eq!(statuses(&inbox), ["pending", "pending", "sending"]);
}

#[test]
fn r37_a_grant_takes_no_rule_of_the_host_away_from_what_could_not_be_answered_yet() {
    let mut inbox = inbox(options(r#"{"rules":[{"name":"ok","effect":"allow","tool":"ls"}]}"#));
    receive(&mut inbox, "ask r1 pay {}; ask r2 ls announced {}; ask r3 pay announced {}");
    keep_grant(&mut inbox, "g", "pay", 2);
    let given = Input::Granted { request: request("r1"), grant: "g", text: "{}" };
    inbox.handle(Millis(2), given).expect("it is known");
    receive(&mut inbox, "open r2; open r3");
    assert_eq!(statuses(&inbox), ["pending", "sending", "pending"]);
}

#[test]
fn r10_what_is_complete_again_after_a_revocation_still_leaves() {
    let hold = InboxOptions { hold_batches: Millis(3000), ..options("{}") };
    let mut inbox = inbox(hold);
    keep_grant(&mut inbox, "g", "pay", 1);
    receive(&mut inbox, "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}");
    decide(&mut inbox, "r2", Decision::approve());
    assert_eq!(statuses(&inbox), ["drafted", "drafted"]);
    // The host forbids by now what the grant has allowed.
    let book = inbox.policy_mut::<Rulebook>().expect("the rulebook");
    *book =
        Rulebook::read(r#"{"rules":[{"name":"no","effect":"deny","tool":"pay"}]}"#).expect("it is a policy");
    inbox.handle(Millis(50), Input::Revoked { grant: "other" }).expect("it is never refused");
    assert_eq!(statuses(&inbox), ["drafted", "drafted"]);
    inbox.handle(Millis(3050), Input::Tick).expect("a tick");
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["reject r1, approve r2"]);
}

#[test]
fn r37_what_a_grant_has_approved_and_nobody_has_taken_ends_with_it_at_the_next_tick() {
    let mut inbox = inbox(options("{}"));
    keep_grant(&mut inbox, "g", "pay", 1);
    receive(&mut inbox, "ask r1 pay {}");
    assert_eq!(statuses(&inbox), ["sending"]);
    inbox.handle(Millis(99), Input::Tick).expect("a tick");
    assert_eq!(statuses(&inbox), ["pending"]);
    let log = inbox.audit().to_json_lines();
    assert!(log.contains(r#""event":"undone","actor":"policy""#), "{log}");
    assert!(inbox.take_outbound().is_empty());
}

#[test]
fn r10_what_is_complete_again_once_a_grant_has_ended_still_leaves() {
    let mut inbox = inbox(options("{}"));
    keep_grant(&mut inbox, "g", "pay", 1);
    receive(&mut inbox, "ask r1 pay batch=b held {}; ask r2 rm batch=b held {}");
    decide(&mut inbox, "r2", Decision::approve());
    assert_eq!(statuses(&inbox), ["sending", "sending"]);
    let book = inbox.policy_mut::<Rulebook>().expect("the rulebook");
    *book =
        Rulebook::read(r#"{"rules":[{"name":"no","effect":"deny","tool":"pay"}]}"#).expect("it is a policy");
    inbox.handle(Millis(50), Input::Tick).expect("a tick");
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["reject r1, approve r2"]);
}

#[test]
fn r03_what_a_rule_denies_after_its_arguments_changed_is_decided_on_these() {
    let rules =
        r#"{"rules":[{"name":"no","effect":"deny","tool":"pay","args":[{"pointer":"/n","equals":2}]}]}"#;
    let mut inbox = inbox(options(rules));
    receive(&mut inbox, r#"ask r1 pay {"n":1}"#);
    receive(&mut inbox, r#"ask r1 pay {"n":2}"#);
    assert_eq!(statuses(&inbox), ["sending"]);
    assert!(!inbox.views()[0].changed, "a host that holds back what changed afterwards may send it");
}

#[test]
fn r38_a_message_that_nobody_took_before_a_restore_was_no_answer() {
    let mut inbox = inbox(options(PAY));
    receive(&mut inbox, "ask r1 pay {}");
    restore(&mut inbox, "ask r1 pay {}");
    assert_eq!(statuses(&inbox), ["sending"]);
}

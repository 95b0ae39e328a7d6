//! What a policy may answer without a person, and what it may not.

use std::sync::Arc;

use super::check_with;
use crate::call::ArgsText;
use crate::decision::Decision;
use crate::ids::Millis;
use crate::inbox::{Inbox, Input};
use crate::offer::OfferKind;
use crate::options::InboxOptions;
use crate::policy::{Policy, Proposal, Ruling, Verdict};
use crate::risk::{RiskLevel, RiskReason, RiskView};
use crate::testing::{inbox, request};

/// Allows `read`, denies `wipe` and `erase`, limits `edit`, calls `pay` of `1000` risky; `once` runs unasked after a person approved it.
#[derive(Debug, Default)]
struct House {
    told: Vec<String>,
    open: bool,
}

impl Policy for House {
    fn judge(&self, proposal: &Proposal<'_>) -> Verdict {
        let verdict = |ruling| Verdict::new(ruling, Arc::from("house"));
        match proposal.call.tool.as_ref() {
            "read" => verdict(Ruling::Allow),
            "wipe" => verdict(Ruling::Deny),
            "erase" => {
                Verdict { offers: Some(vec![OfferKind::Approve, OfferKind::Cancel]), ..verdict(Ruling::Deny) }
            }
            "send" if (proposal.high_risk)() => verdict(Ruling::Deny),
            "write" if proposal.inspectable && proposal.call.args.as_str().contains("/etc/") => {
                verdict(Ruling::Deny)
            }
            "edit" => Verdict { offers: Some(vec![OfferKind::Edit]), ..verdict(Ruling::Ask) },
            "pay" if proposal.call.args.as_str().contains("1000") => {
                Verdict { risk: Some(Arc::from("a large amount")), ..verdict(Ruling::Ask) }
            }
            "move" if proposal.call.args.as_str().contains("/etc/") => {
                Verdict { offers: Some(vec![OfferKind::Reject]), ..verdict(Ruling::Ask) }
            }
            "once" if self.open || self.told.iter().any(|tool| tool == "once") => verdict(Ruling::Allow),
            _ => verdict(Ruling::Ask),
        }
    }

    fn decided(&mut self, proposal: &Proposal<'_>, decision: &Decision) {
        if decision.kind() == OfferKind::Approve {
            self.told.push(proposal.call.tool.to_string());
        }
    }

    fn not_taken(&mut self, proposal: &Proposal<'_>, _: &Decision) {
        let last = self.told.iter().rposition(|tool| tool == &*proposal.call.tool);
        last.map(|last| self.told.remove(last));
    }
}

fn options() -> InboxOptions {
    InboxOptions { policy: Some(Box::new(House::default())), ..InboxOptions::default() }
}

pub(super) fn check(script: &str) -> Inbox {
    check_with(options(), script)
}

#[test]
fn an_allowed_call_goes_out_like_any_approval_and_is_marked() {
    let inbox = check(
        r#"
        in   ask r1 read {"a":1}
        is   r1 sending -
        out  approve r1
        sent
        in   answer r1 approve; outcome r1 completed
        is   r1 completed
        "#,
    );
    let view = &inbox.views()[0];
    assert_eq!((view.automatic, view.rule.as_deref()), (true, Some("house")));
}

#[test]
fn r38_automatic_decisions_are_recorded_with_their_rule() {
    let inbox = check("in ask r1 read {}; ask r2 pay {}\nout approve r1\nuser approve r2\nout approve r2");
    let lines: Vec<&str> = inbox.audit().to_json_lines().lines().collect();
    assert!(lines[0].contains(r#""event":"decided","actor":"policy","kind":"approve","rule":"house""#));
    assert!(lines[2].contains(r#""event":"decided","actor":"person","kind":"approve","request""#));
    assert!(inbox.policy::<House>().is_some_and(|house| house.told.is_empty()), "nothing arrived yet");
}

#[test]
fn a_denied_call_is_rejected_and_nobody_can_run_it() {
    check("in ask r1 wipe {}\nis r1 sending -\nout reject r1");
    check("in ask r1 wipe offers=approve,ignore {}\nout ignore r1");
    check("in ask r1 wipe required {}\nout reject r1 house");
    check("in ask r1 wipe !{\"a\":1,\"a\":2}\nout reject r1");
    check(
        "in ask r1 wipe offers=approve,edit {}\nis r1 pending -\nuser approve r1 ! not-offered\nout nothing",
    );
}

#[test]
fn r38_a_denial_that_the_wire_has_no_form_for_is_told_and_recorded() {
    let mut inbox = check("in ask r1 wipe offers=approve,edit {}\nis r1 pending -\nout nothing");
    let view = inbox.view(0).unwrap();
    assert_eq!((view.automatic, view.rule.as_deref()), (false, Some("house")));
    assert_eq!(told(&view.risk), (RiskLevel::High, "host house".to_owned()));
    inbox.handle(Millis(1), Input::Judge(vec![request("r1")])).unwrap();
    let log = inbox.audit().to_json_lines();
    assert_eq!(
        log.matches(r#""event":"denied","actor":"policy","rule":"house","request""#).count(),
        1,
        "{log}"
    );
}

#[test]
fn r34_what_a_policy_leaves_of_a_call_that_it_denies_runs_nothing() {
    check(
        "in ask r1 erase offers=approve,cancel,reject {}\nis r1 pending cancel\nuser approve r1 ! not-offered\nout nothing",
    );
}

#[test]
fn r02_a_verdict_outlives_a_restore_while_the_answer_is_on_its_way() {
    let edit = || Decision::Edit { args: ArgsText::from("{\"a\":1}"), note: None };
    for (ask, decision, left, level) in [
        ("ask r1 wipe {}", None, vec![OfferKind::Reject], RiskLevel::Low),
        ("ask r1 edit {}", Some(edit()), vec![OfferKind::Edit], RiskLevel::Low),
        ("ask r1 pay {\"n\":1000}", Some(Decision::approve()), OFFERED.to_vec(), RiskLevel::High),
    ] {
        let mut inbox = inbox(options());
        inbox.handle(Millis(1), Input::Receive { text: ask, rounded: false }).unwrap();
        if let Some(decision) = decision {
            let request = request("r1");
            inbox.handle(Millis(1), Input::Decide { request, decision, seen: None, offer: None }).unwrap();
        }
        let id = inbox.take_outbound().remove(0).id;
        inbox.handle(Millis(1), Input::Restore { text: ask.into(), rounded: false }).unwrap();
        assert_eq!(inbox.view(1).unwrap().status.as_str(), "sending", "{ask}");
        inbox.handle(Millis(1), Input::Failed { id, status: None, message: None }).unwrap();
        inbox.handle(Millis(1), Input::Undo(request("r1"))).unwrap();
        let view = inbox.view(1).unwrap();
        let offers: Vec<_> = view.offers.iter().map(|offer| offer.kind).collect();
        assert_eq!((offers, view.risk.level), (left, level), "{ask}");
    }
}

/// What the messages of the tests offer.
const OFFERED: [OfferKind; 3] = [OfferKind::Approve, OfferKind::Edit, OfferKind::Reject];

#[test]
fn a_denial_that_is_taken_back_still_cannot_be_run() {
    let options = InboxOptions { hold_rejections: Millis(1000), ..options() };
    check_with(
        options,
        "in ask r1 wipe {}\nis r1 drafted\nuser undo r1\nis r1 pending reject\nuser approve r1 ! not-offered",
    );
}

#[test]
fn r08_what_cannot_be_read_is_never_approved_by_a_rule() {
    check("in ask r1 read {\"a\":1,\"a\":2}\nis r1 pending reject\nout nothing");
    check("in ask r1 read !\"text\"\nis r1 pending reject\nout nothing");
    let mut inbox = inbox(options());
    let text = "ask r1 read {\"n\":9007199254740993}; ask r2 read {\"n\":1}";
    inbox.handle(Millis(1), Input::Receive { text, rounded: true }).unwrap();
    let states: Vec<&str> = inbox.statuses().map(|status| status.as_str()).collect();
    assert_eq!(states, ["pending", "sending"], "a number that may have been rounded is not what will run");
    // What is flagged and can be read all the same is not in doubt.
    check("in ask r1 read {\"__proto__\":1}\nout approve r1");
    let asked = check("in ask r1 a {\"a\":1,\"a\":2}; ask r2 a doubtful {}; ask r3 a {\"__proto__\":1}");
    let seen = |id: &str| asked.propose(&request(id), |sent| sent.inspectable);
    assert_eq!(["r1", "r2", "r3"].map(seen), [Some(false), Some(false), Some(true)]);
}

#[test]
fn only_what_offers_approve_is_approved_by_a_rule() {
    check("in ask r1 read offers=edit,reject {}\nis r1 pending edit,reject\nout nothing");
    check("in ask r1 read offers=answer {}\nis r1 pending answer\nout nothing");
    check("in ask r1 read blocked {}\nis r1 blocked -\nout nothing");
}

#[test]
fn a_request_is_judged_when_it_can_be_answered_and_once() {
    check(
        r"
        in   ask r1 read announced {}
        is   r1 requested -
        in   open r1
        out  approve r1
        lost
        is   r1 drafted
        in   ask r1 read {}
        out  nothing
        user retry r1
        out  approve r1
        ",
    );
}

#[test]
fn an_automatic_decision_that_was_taken_back_is_a_persons_from_then_on() {
    check(
        r"
        in   ask r1 read batch=b held {}; ask r2 pay batch=b held {}
        is   r1 drafted
        user undo r1
        is   r1 pending approve,edit,reject
        user judge r1
        is   r1 pending
        user reject r1 no
        user approve r2
        out  reject r1 no, approve r2
        ",
    );
}

#[test]
fn arguments_that_changed_under_a_waiting_request_are_a_persons() {
    let mut inbox = check("in ask r1 once {\"n\":1}\nis r1 pending");
    inbox.policy_mut::<House>().unwrap().open = true;
    inbox.handle(Millis(1), Input::Receive { text: "ask r1 once {\"n\":2}", rounded: false }).unwrap();
    inbox.handle(Millis(1), Input::Judge(vec![request("r1")])).unwrap();
    assert!(inbox.take_outbound().is_empty());
    assert!(inbox.views()[0].changed && inbox.views()[0].status.as_str() == "pending");
}

#[test]
fn history_that_is_answered_is_not_answered_again_and_what_still_waits_may_be() {
    check("history ask r1 read {}; answer r1 approve\nis r1 approved\nout nothing");
    check("history ask r1 read {}; outcome r1 completed\nout nothing");
    check("history ask r1 read announced {}\nis r1 requested\nout nothing");
    check("history ask r1 read {}\nis r1 sending\nout approve r1");
}

#[test]
fn a_policy_learns_what_a_person_decided_once_it_has_arrived() {
    check(
        r"
        in   ask r1 once {}
        user approve r1
        out  approve r1
        in   ask r2 once {}
        is   r2 pending
        sent
        is   r2 pending
        in   ask r3 once {}
        out  approve r3
        user judge r2
        out  approve r2
        ",
    );
}

#[test]
fn a_drafted_or_lost_decision_teaches_nothing() {
    check(
        r"
        in   ask r1 once batch=b held {}; ask r2 pay batch=b held {}
        user approve r1
        in   ask r3 once {}
        is   r3 pending
        user approve r2
        out  approve r1, approve r2
        lost
        in   ask r4 once {}
        is   r4 pending
        ",
    );
}

#[test]
fn news_and_rules_never_send_a_failed_batch_again() {
    check(
        r"
        in   ask r1 pay batch=b held {}
        user approve r1
        out  approve r1
        lost
        in   ask r2 read batch=b held {}
        is   r2 pending
        out  nothing
        user approve r2
        out  approve r1, approve r2
        ",
    );
}

#[test]
fn where_one_word_answers_all_no_rule_approves_for_a_person() {
    check(
        "in ask r1 read batch=b held uniform {}; ask r2 pay batch=b held uniform {}\nis r1 pending\nout nothing",
    );
    check("in ask r1 read batch=b held uniform {}\nout approve r1");
    check(
        "in ask r1 pay batch=b held uniform {}; close r1 cancelled; ask r2 read batch=b held uniform {}\nout approve r2",
    );
}

#[test]
fn a_limit_takes_offers_away_and_adds_none() {
    check(
        "in ask r1 edit {}\nis r1 pending edit\nuser approve r1 ! not-offered\nuser reject r1 ! not-offered",
    );
    check("in ask r1 edit offers=approve,reject {}\nis r1 pending -");
}

#[test]
fn a_limit_outlives_a_repetition_of_the_request() {
    check("in ask r1 edit {}\nin ask r1 edit {}\nis r1 pending edit\nuser approve r1 ! not-offered");
    check(
        "in ask r1 wipe offers=approve,edit {}\nis r1 pending -\nin ask r1 wipe offers=approve,edit {}\nis r1 pending -",
    );
}

#[test]
fn an_unchanged_edit_is_no_way_around_a_limit() {
    check("in ask r1 edit merge {\"a\":1}\nuser edit r1 {\"a\":1}\nout edit r1 {\"a\":1}");
}

#[test]
fn r25_a_call_is_not_edited_into_what_a_rule_forbids() {
    let ask = r#"in ask r1 write {"path":"/tmp/x"}"#;
    check(&format!(
        "{ask}\nuser edit r1 {{\"path\":\"/etc/passwd\"}} ! args-invalid\nis r1 pending\nout nothing\n{}",
        r#"user edit r1 {"path":"/tmp/y"}
        out edit r1 {"path":"/tmp/y"}"#
    ));
}

#[test]
fn r25_a_call_is_not_edited_into_a_risk_that_a_rule_forbids() {
    check(
        r#"
        in   ask r1 send {"cmd":"ls"}
        user edit r1 {"cmd":"rm -rf /srv"} ! args-invalid
        user edit r1 {"cmd":"ls -l"}
        out  edit r1 {"cmd":"ls -l"}
        "#,
    );
}

#[test]
fn r37_a_permission_was_given_without_a_look_at_what_was_asked_and_could_not_be_answered_then() {
    let grant = || Input::Granted { request: request("r0"), grant: "g", text: "{}" };
    let mut inbox = check("in ask r0 a {}; call c1 a {}; ask r2 a announced {}");
    inbox.handle(Millis(5), grant()).unwrap();
    inbox.handle(Millis(6), Input::Receive { text: "ask r1 a call=c1 {}", rounded: false }).unwrap();
    let unseen = |id: &str| inbox.propose(&request(id), |sent| sent.restored).unwrap();
    assert_eq!(["r0", "r1", "r2"].map(unseen), [None, None, Some(Millis(5))]);
}

#[test]
fn r37_only_what_waits_and_would_not_be_kept_from_a_person_could_run_unasked() {
    let could = |script: &str| check(script).could_run_unasked(&request("r1"));
    for (script, expected) in [
        ("in ask r1 a {}", true),
        ("in ask r1 a announced {}", false),
        ("in ask r1 a {}\nuser approve r1\nout approve r1", false),
        ("in ask r1 a {}\nin ask r1 a {\"n\":1}", false),
        ("in ask r1 a {\"a\":1,\"a\":2}", false),
        (
            "in ask r2 a batch=b held {}\nuser approve r2\nout approve r2\nlost\nin ask r1 a batch=b held {}",
            false,
        ),
        ("in ask r2 a batch=b {}\nuser approve r2\nout approve r2\nlost\nin ask r1 a batch=b {}", true),
    ] {
        assert_eq!(could(script), expected, "{script}");
    }
    assert!(!check("").could_run_unasked(&request("r1")));
}

#[test]
fn a_policy_is_asked_about_calls_and_not_about_questions() {
    for tool in ["read", "wipe"] {
        check(&format!(
            "in ask r1 {tool} offers=answer,approve,reject {{}}\nout nothing\nis r1 pending answer,approve,reject"
        ));
    }
}

#[test]
fn r25_a_call_is_not_edited_into_one_of_which_a_rule_leaves_no_edit() {
    check(
        r#"
        in   ask r1 move {"to":"/tmp"}
        user edit r1 {"to":"/etc/x"} ! args-invalid
        user edit r1 {"to":"/srv"}
        out  edit r1 {"to":"/srv"}
        "#,
    );
}

#[test]
fn r37_what_waits_is_not_judged_again_because_something_of_it_is_told() {
    let mut inbox = check("in ask r1 once {}");
    if let Some(house) = inbox.policy_mut::<House>() {
        house.open = true;
    }
    let text = "ask r1 once {}; open r1; ask r2 once {}";
    inbox.handle(Millis(1), Input::Receive { text, rounded: false }).unwrap();
    let states: Vec<&str> = inbox.statuses().map(|status| status.as_str()).collect();
    assert_eq!(states, ["pending", "sending"]);
}

#[test]
fn r10_a_failed_batch_keeps_no_rule_from_another_one_and_none_once_it_has_arrived() {
    check(
        r#"
        in   ask r1 pay batch=b held {}; ask r2 pay batch=b held {}
        all  approve r1 r2
        out  approve r1, approve r2
        lost 503
        in   ask r3 read batch=b held {}; ask r4 read batch=c held {}; ask r5 read batch=b held {}
        out  approve r4
        is   r3 pending
        is   r5 pending
        user approve r3
        user approve r5
        out  approve r1, approve r2, approve r3, approve r5
        sent
        in   ask r6 read batch=b held {}
        out  approve r6
        "#,
    );
}

#[test]
fn r38_no_rule_sends_after_a_restore_what_may_have_arrived_or_was_changed_before_it() {
    let states = |inbox: &Inbox| inbox.statuses().map(|status| status.as_str()).collect::<Vec<_>>();
    let restore = |inbox: &mut Inbox, text: &'static str| {
        inbox.handle(Millis(9), Input::Restore { text: text.into(), rounded: false }).unwrap();
    };
    let mut inbox = check("in ask r1 read {}\nout approve r1\nlost\nis r1 drafted");
    restore(&mut inbox, "ask r1 read {}; ask r2 read {}");
    assert_eq!(states(&inbox), ["pending", "sending"]);
    let mut inbox = check("in ask r1 once {\"n\":1}\nin ask r1 once {\"n\":2}\nis r1 pending");
    if let Some(house) = inbox.policy_mut::<House>() {
        house.open = true;
    }
    restore(&mut inbox, "ask r1 once {\"n\":2}; ask r2 once {\"n\":2}");
    assert_eq!(states(&inbox), ["pending", "sending"]);
    // Nor what a person has rejected before it left; what nobody has decided the rule may.
    let asks = "ask r1 once batch=b held {}; ask r2 once batch=b held {}; ask r3 pay batch=b held {}";
    let mut inbox = check(&format!("in {asks}\nuser reject r1"));
    if let Some(house) = inbox.policy_mut::<House>() {
        house.open = true;
    }
    restore(&mut inbox, asks);
    assert_eq!(states(&inbox), ["pending", "drafted", "pending"]);
}

#[test]
fn a_failed_decision_keeps_no_rule_from_what_goes_out_alone() {
    check(
        r#"
        in   ask r1 pay batch=b {}
        user approve r1
        out  approve r1
        lost
        in   ask r2 read batch=b {}
        out  approve r2
        out  nothing
        is   r1 drafted
        "#,
    );
}

#[test]
fn r42_what_a_rule_has_drafted_and_another_tab_decided_was_no_rules_decision() {
    let mut inbox = check("in ask r1 read batch=b held {}; ask r2 pay batch=b held {}\nis r1 drafted");
    let input = Input::Elsewhere { request: request("r1"), decision: Decision::approve() };
    inbox.handle(Millis(1), input).unwrap();
    let view = inbox.view(0).unwrap();
    assert_eq!((view.status.as_str(), view.automatic, view.rule), ("approved", false, None));
}

#[test]
fn r25_a_call_of_rounded_numbers_is_not_edited_into_what_a_rule_forbids_either() {
    let mut inbox = inbox(options());
    let text = r#"ask r1 write {"path":"/tmp/x","id":9007199254740993}"#;
    inbox.handle(Millis(0), Input::Receive { text, rounded: true }).unwrap();
    let hazards = &inbox.views()[0].hazards;
    assert!(hazards.iter().any(|hazard| hazard.code == "rounded-number"), "{hazards:?}");
    let decision = Decision::Edit { args: r#"{"path":"/etc/passwd","id":1}"#.into(), note: None };
    let input = Input::Decide { request: request("r1"), decision, seen: None, offer: None };
    let refusal = inbox.handle(Millis(0), input).map(drop).unwrap_err();
    assert_eq!(refusal.code().as_str(), "args-invalid");
}

/// The level, and who gives which reason.
fn told(risk: &RiskView) -> (RiskLevel, String) {
    let reason = |it: &RiskReason| [it.source.as_str(), " ", &it.message].concat();
    (risk.level, risk.reasons.iter().map(reason).collect::<Vec<_>>().join(", "))
}

#[test]
fn r33_what_a_rule_calls_risky_is_of_high_risk_as_sent_and_as_edited() {
    let inbox = check("in ask r1 pay {\"n\":5}; ask r2 pay {\"n\":1000}; ask r3 other {\"n\":1000}");
    let sent: Vec<_> = inbox.views().iter().map(|view| told(&view.risk)).collect();
    let (none, large) = ((RiskLevel::Low, String::new()), "host a large amount".to_owned());
    assert_eq!(sent, [none.clone(), (RiskLevel::High, large.clone()), none.clone()]);
    let edited = |id: &str, args: &str| inbox.edit_risk(&request(id), args).map(|risk| told(&risk));
    assert_eq!(edited("r1", "{\"n\":6}"), Some(none));
    assert_eq!(edited("r1", "{\"n\":1000}"), Some((RiskLevel::High, large.clone())));
    assert_eq!(edited("r2", "{\"n\":1000,\"m\":1}"), Some((RiskLevel::High, large)));
    assert_eq!(edited("r2", "{\"n\":1}"), Some((RiskLevel::High, "sent a large amount".to_owned())));
    assert_eq!(edited("nobody", "{}"), None);
}

#[test]
fn r33_an_edit_that_is_held_shows_what_a_rule_says_of_it() {
    let ask = "in ask r1 pay batch=b held {\"n\":5}; ask r2 pay batch=b held {\"n\":5}";
    let mut inbox = check(&format!("{ask}\nuser edit r1 {{\"n\":1000}}\nis r1 drafted"));
    assert_eq!(told(&inbox.views()[0].risk), (RiskLevel::High, "host a large amount".to_owned()));
    inbox.handle(Millis(1), Input::Undo(request("r1"))).unwrap();
    assert_eq!(told(&inbox.views()[0].risk), (RiskLevel::Low, String::new()));
}

#[test]
fn r03_arguments_that_change_are_judged_anew_for_their_risk() {
    let mut inbox = check("in ask r1 pay {\"n\":1000}");
    for (args, level) in [("{\"n\":1}", RiskLevel::Low), ("{\"n\":10001}", RiskLevel::High)] {
        let text = ["ask r1 pay ", args].concat();
        inbox.handle(Millis(1), Input::Receive { text: &text, rounded: false }).unwrap();
        assert_eq!(inbox.views()[0].risk.level, level, "{args}");
    }
}

#[test]
fn judging_what_is_not_there_is_refused_and_what_is_settled_stays() {
    let mut inbox = check("in ask r1 pay {}\nuser reject r1 no\nout reject r1 no\nsent");
    let outputs = inbox.handle(Millis(1), Input::Judge(vec![request("r1"), request("nobody")])).unwrap();
    assert_eq!(outputs.len(), 1);
    assert!(inbox.take_outbound().is_empty());
}

/// Allows or denies everything.
#[derive(Debug)]
struct Always(Ruling);

impl Policy for Always {
    fn judge(&self, _: &Proposal<'_>) -> Verdict {
        Verdict::new(self.0, Arc::from("always"))
    }

    fn decided(&mut self, _: &Proposal<'_>, _: &Decision) {}
}

#[test]
fn r08_r34_a_retry_asks_the_policy_again_and_the_card_shows_that_it_says_otherwise() {
    for (ruling, after) in [(Ruling::Ask, "pending"), (Ruling::Deny, "sending")] {
        for input in [Input::Tick, Input::Retry(request("r1"))] {
            let mut inbox = check("in ask r1 read batch=b held {}\nout approve r1\nlost\nis r1 drafted -");
            inbox.set_policy(Some(Box::new(Always(ruling))));
            let is_retry = matches!(input, Input::Retry(_));
            assert_eq!(inbox.handle(Millis(1), input).is_err(), is_retry, "{ruling:?}");
            let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
            let expected: &[&str] = if ruling == Ruling::Deny { &["reject r1"] } else { &[] };
            assert_eq!(bodies, expected, "{ruling:?}");
            let view = inbox.view(0).unwrap();
            assert_eq!(view.status.as_str(), after);
            assert_eq!(inbox.audit().to_json_lines().matches(r#""event":"undone""#).count(), 1);
            inbox.handle(Millis(2), Input::Retry(request("r1"))).unwrap_err();
        }
    }
    let mut inbox = check("in ask r1 read {}\nout approve r1\nlost");
    inbox.handle(Millis(1), Input::Retry(request("r1"))).unwrap();
    assert_eq!(inbox.take_outbound().len(), 1, "what a rule still allows");
}

#[test]
fn r34_what_a_rule_decided_that_has_ended_waits_as_soon_as_it_did_not_arrive() {
    let mut inbox =
        inbox(InboxOptions { policy: Some(Box::new(Always(Ruling::Allow))), ..InboxOptions::default() });
    inbox.handle(Millis(1), Input::Receive { text: "ask r1 read {}", rounded: false }).unwrap();
    let id = inbox.take_outbound().remove(0).id;
    inbox.set_policy(Some(Box::new(Always(Ruling::Ask))));
    inbox.handle(Millis(1), Input::Failed { id, status: Some(503), message: None }).unwrap();
    assert_eq!(inbox.view(0).unwrap().status.as_str(), "pending");
}

#[test]
fn r34_where_several_automatic_approvals_of_a_batch_failed_a_denial_stops_each_of_them() {
    let mut inbox = check(
        "in ask r1 read batch=b held {}; ask r2 read batch=b held {}\nout approve r1, approve r2\nlost\nis r2 drafted",
    );
    inbox.set_policy(Some(Box::new(Always(Ruling::Deny))));
    inbox.handle(Millis(1), Input::Tick).unwrap();
    let bodies: Vec<_> = inbox.take_outbound().iter().map(|due| due.body.to_string()).collect();
    assert_eq!(bodies, ["reject r1, reject r2"]);
}

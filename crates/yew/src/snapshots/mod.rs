//! What the components draw, natively.
//!
//! Each case is compared with the file of its name; `COUNTERSIGN_BLESS=1 cargo test -p countersign-yew` writes them.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    BatchView, DecidedBy, DecisionFields, GrantScope, HazardView, Millis, Offer, OfferKind, OutboundState,
    OutboundView, Question, RequestView, Status, Words,
};
use yew::LocalServerRenderer;
use yew::prelude::*;

use crate::testing::call;
use crate::{
    Catalogue, Connection, Drafts, InboxPanel, InboxPanelProps, Refused, Renderers, STYLESHEET, ToolCallCard,
    ToolCallCardProps, Writing,
};

mod alone;
mod arguments;
mod drafts;
mod untrusted;

fn rendered<COMP: BaseComponent>(props: COMP::Properties) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(LocalServerRenderer::<COMP>::with_props(props).hydratable(false).render())
}

fn card(view: RequestView) -> String {
    let request = Rc::new(view);
    rendered::<ToolCallCard>(yew::props!(ToolCallCardProps { request }))
}

fn panel(views: Vec<RequestView>) -> String {
    let requests: Rc<[Rc<RequestView>]> = views.into_iter().map(Rc::new).collect();
    rendered::<InboxPanel>(yew::props!(InboxPanelProps { requests }))
}

/// Compares markup with the file of its name, an element a line.
fn check(name: &str, markup: &str) {
    let lines = [&markup.replace("><", ">\n<"), "\n"].concat();
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/snapshots").join(name).with_extension("html");
    if std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        std::fs::write(&file, &lines).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(lines, expected, "the markup of `{name}` changed");
}

/// The text that a person sees, tags left out and entities read.
fn seen(markup: &str) -> String {
    let mut text = String::new();
    let mut tag = false;
    for character in markup.chars() {
        match character {
            '<' => tag = true,
            '>' if tag => tag = false,
            _ if tag => {}
            _ => text.push(character),
        }
    }
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x2F;", "/"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text, |text, (entity, character)| text.replace(entity, character))
}

fn assert_order(markup: &str, parts: &[&str]) {
    let mut rest = markup;
    for part in parts {
        let found = rest.split_once(part);
        assert!(found.is_some(), "`{part}` does not follow in {markup}");
        rest = found.map_or("", |(_, after)| after);
    }
}

fn decided(kind: &str) -> Option<DecisionFields> {
    Some(DecisionFields { kind: kind.to_owned(), ..DecisionFields::default() })
}

const TRANSFER: &str = r#"{"amount":1250.00,"reference":2512292042121000001,"memo":"Invoice 2019-\u202e704","to":{"iban":"DE89","tags":["a",null]}}"#;

#[test]
fn a_pending_card() {
    let view = RequestView {
        server: Some("bank".into()),
        agent: vec!["root".into(), "payer".into()],
        hint: Some("Pays the open invoice from last week.".into()),
        ..call(1, "transfer_funds", TRANSFER)
    };
    let markup = card(view);
    check("pending", &markup);
    let text = seen(&markup);
    assert!(text.contains("2512292042121000001") && text.contains("1250.00"));
    assert!(text.contains("from bank · asked by root › payer"));
    assert!(markup.contains(r#"aria-label="Approve transfer_funds""#));
    assert!(markup.contains(r#"aria-label="Reject transfer_funds""#));
    assert!(!markup.contains("autofocus"));
}

#[test]
fn a_card_beside_a_panel_speaks_its_words() {
    let messages = Some(Catalogue::from_json(r#"{"approve":"Genehmigen"}"#).catalogue);
    let panel = yew::props!(InboxPanelProps { requests: Rc::from([]), messages });
    let markup = rendered::<ToolCallCard>(panel.card(Rc::new(call(1, "pay", "{}"))));
    assert!(seen(&markup).contains("Genehmigen"), "{markup}");
}

#[test]
fn more_than_one_call_is_allowed_in_a_dialog() {
    let always = |scope| Offer { scope: Some(scope), ..Offer::new(OfferKind::ApproveAlways) };
    let offered = |offer, inspectable| {
        let view = call(1, "delete_file", r#"{"path":"/a"}"#);
        card(RequestView { offers: vec![Offer::new(OfferKind::Approve), offer], inspectable, ..view })
    };
    let markup = offered(always(GrantScope::Tool), true);
    assert!(seen(&markup).contains("Always allow…") && !markup.contains("<dialog"));
    assert!(markup.contains(r#"aria-label="Always allow delete_file""#));
    assert_order(&markup, &["approve-button", "always-button"]);
    // Nothing to allow without the backend's offer or a host that keeps grants; never what cannot be read.
    for markup in [offered(always(GrantScope::Tool), false), offered(always(GrantScope::Call), true)] {
        assert!(!markup.contains("always-button"), "{markup}");
    }
}

#[test]
fn an_uninspectable_card_can_be_rejected_only() {
    let view = RequestView {
        inspectable: false,
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Reject).words(Words::Local)],
        hazards: vec![HazardView {
            pointer: "/path".to_owned(),
            code: "duplicate-key".to_owned(),
            message: "the key `path` stands there twice".to_owned(),
        }],
        ..call(2, "delete_file", r#"{"path":"/tmp/x","path":"/etc/passwd"}"#)
    };
    let markup = card(view);
    check("uninspectable", &markup);
    let text = seen(&markup);
    assert!(text.contains("can be rejected only") && text.contains("stands there twice"));
    assert!(text.contains("/tmp/x") && text.contains("/etc/passwd"));
    assert!(!markup.contains("approve-button") && markup.contains("reject-button"));
    // Not even where the backend would take other arguments.
    let offers =
        [OfferKind::Approve, OfferKind::Edit, OfferKind::Reject, OfferKind::Ignore].map(Offer::new).to_vec();
    for (inspectable, buttons) in [(true, "approve edit reject ignore"), (false, "reject ignore")] {
        let markup = card(RequestView { offers: offers.clone(), inspectable, ..call(1, "rm", "{}") });
        let shown = ["approve", "edit", "reject", "ignore"]
            .into_iter()
            .filter(|name| markup.contains(&["part=\"", name, "-button\""].concat()));
        assert_eq!(shown.collect::<Vec<_>>().join(" "), buttons, "{markup}");
    }
}

fn undelivered(kind: &str) -> RequestView {
    let outbound = OutboundView {
        id: "o1".into(),
        state: OutboundState::Failed,
        held: false,
        error: Some("503 <Unavailable>".into()),
    };
    RequestView {
        status: Status::Drafted,
        decision: decided(kind),
        offers: Vec::new(),
        outbound: Some(outbound),
        ..call(3, "restart_pod", "{}")
    }
}

#[test]
fn r26_what_is_sent_again_is_looked_at_first_where_something_runs_then() {
    let is_inert = |view| card(view).contains(r#"aria-disabled="true""#);
    let together = |size| {
        let batch = BatchView { id: "b".into(), size, decided: size, rejects_all: false };
        RequestView { batch: Some(batch), ..undelivered("reject") }
    };
    assert!(is_inert(RequestView { automatic: true, ..undelivered("approve") }));
    assert!(is_inert(undelivered("edit")) && is_inert(together(2)));
    assert!(!is_inert(undelivered("reject")) && !is_inert(together(1)) && !is_inert(undelivered("respond")));
}

#[test]
fn a_failed_send_can_be_repeated_or_taken_back() {
    let markup = card(undelivered("approve"));
    check("failed-send", &markup);
    assert!(
        seen(&markup).contains("The decision was not delivered. Reason (not verified): “503 <Unavailable>”")
    );
    assert!(
        markup.contains(r#"aria-label="Retry restart_pod""#)
            && markup.contains(r#"aria-label="Undo restart_pod""#)
    );
    assert!(!markup.contains("approve-button"));
}

#[test]
fn r10_what_was_not_delivered_is_said_once_and_is_not_among_what_is_done() {
    let outbound = |error| OutboundView { id: "o1".into(), state: OutboundState::Failed, held: false, error };
    let view = |error| RequestView { outbound: Some(outbound(error)), ..undelivered("approve") };
    for (error, about) in [(None, "not-delivered"), (Some("503".into()), "why-not-delivered")] {
        let markup = card(view(error));
        assert_eq!(seen(&markup).matches("The decision was not delivered.").count(), 1);
        assert_eq!(markup.matches("data-note=").count(), 1);
        assert!(markup.contains(&[r#"data-note=""#, about, "\""].concat()));
        assert_eq!(seen(&markup).matches("Approved · not delivered").count(), 1);
    }
    let markup = panel(vec![view(None), call(4, "pay", "{}"), call(5, "pay", "{}")]);
    assert!(markup.contains(r#"class="cs-dot" data-tone="attention""#), "{markup}");
}

#[test]
fn a_dot_is_green_only_for_what_runs_or_was_answered() {
    let dots = |kind: &str| {
        let view = RequestView { outbound: None, ..undelivered(kind) };
        let markup = panel(vec![view, call(4, "pay", "{}")]);
        let (_, rest) = markup.split_once(r#"class="cs-dot" data-tone=""#).expect("a dot");
        rest.split_once('"').expect("its tone").0.to_owned()
    };
    let kinds = ["approve", "answer", "reject", "cancel", "respond", "ignore"];
    assert_eq!(kinds.map(dots), ["good", "good", "bad", "bad", "plain", "plain"]);
}

#[test]
fn r41_what_left_before_the_time_was_up_is_not_said_to_be_unanswered() {
    let expired = RequestView { status: Status::Expired, outbound: None, ..undelivered("approve") };
    let said = |view: RequestView| seen(&card(view));
    assert!(said(expired.clone()).contains("The time is up. Your answer may have arrived all the same."));
    assert!(said(RequestView { decision: None, ..expired }).contains("Nobody answered in time."));
}

#[test]
fn what_is_held_says_how_long_beside_the_button_that_undoes_it() {
    let request = Rc::new(RequestView {
        status: Status::Drafted,
        offers: Vec::new(),
        decision: decided("reject"),
        sends_at: Some(Millis(5_000)),
        ..call(1, "pay", "{}")
    });
    let props = yew::props!(ToolCallCardProps { request, now: Some(Millis(2_000)) });
    let text = seen(&rendered::<ToolCallCard>(props));
    assert!(text.contains("Rejected · goes out in 3 s"), "{text}");
    assert_eq!(text.matches("goes out in 3 s").count(), 2, "{text}");
}

#[test]
fn r41_what_is_held_for_longer_than_the_agent_waits_is_not_said_to_go_out() {
    let drawn = |expires_at| {
        let request = Rc::new(RequestView {
            status: Status::Drafted,
            offers: Vec::new(),
            decision: decided("reject"),
            sends_at: Some(Millis(5_000)),
            expires_at: Some(Millis(expires_at)),
            ..call(1, "pay", "{}")
        });
        seen(&rendered::<ToolCallCard>(yew::props!(ToolCallCardProps { request, now: Some(Millis(2_000)) })))
    };
    for (expires_at, seconds) in [(3_500, 2), (5_000, 3)] {
        let text = drawn(expires_at);
        let said = format!("expires in {seconds} s, before it is sent");
        assert!(text.contains(&format!("Rejected · {said}")) && text.matches(&said).count() == 2, "{text}");
        assert!(!text.contains("goes out"), "{text}");
    }
    assert!(drawn(5_001).contains("Rejected · goes out in 3 s"));
}

#[test]
fn what_must_not_leave_yet_says_why_and_can_be_taken_back() {
    let drawn = |held| {
        let outbound =
            Some(OutboundView { id: "o1".into(), state: OutboundState::Queued, held, error: None });
        let (status, decision) = (Status::Sending, decided("approve"));
        card(RequestView { status, decision, outbound, offers: Vec::new(), ..call(1, "pay", "{}") })
    };
    let (held, leaves) = (drawn(true), drawn(false));
    let says = ["Approved · not sent yet", "Waits until the agent has finished another task"];
    assert!(says.iter().all(|says| seen(&held).contains(says)) && held.contains("undo-button"), "{held}");
    assert!(!seen(&held).to_lowercase().contains("sending"), "{held}");
    assert!(seen(&leaves).contains("Approved · sending…") && !leaves.contains("undo-button"), "{leaves}");
}

#[test]
fn a_decision_that_nothing_but_the_batch_itself_keeps_back_says_so() {
    let drawn = |decided_of: usize, sends_at| {
        let batch = Some(BatchView { id: "b".into(), size: 2, decided: decided_of, rejects_all: false });
        let (status, decision) = (Status::Drafted, decided("approve"));
        let view =
            RequestView { status, decision, batch, sends_at, offers: Vec::new(), ..call(1, "pay", "{}") };
        seen(&card(view)).contains("It cannot be sent as things stand.")
    };
    assert!(drawn(2, None), "nothing else waits");
    assert!(!drawn(1, None) && !drawn(2, Some(Millis(5_000))), "it waits for the others, or for its moment");
}

#[test]
fn a_lost_connection_does_not_look_like_an_empty_list() {
    let drawn = |connection| {
        let requests: Rc<[Rc<RequestView>]> = Rc::from([]);
        rendered::<InboxPanel>(yew::props!(InboxPanelProps { requests, connection }))
    };
    for connection in [Connection::Lost, Connection::Unread] {
        let markup = drawn(connection);
        let line = r#"<p part="connection" class="cs-note" role="status" data-tone="attention">"#;
        assert!(markup.contains(line) && !markup.contains("cs-empty"), "{markup}");
    }
    assert!(drawn(Connection::Connecting).contains("cs-empty"));
}

#[test]
fn r41_little_time_is_told_from_four_fifths_of_the_waiting_on() {
    let hurries = |status, now| {
        let view = RequestView {
            status,
            asked_at: Some(Millis(50_000)),
            expires_at: Some(Millis(150_000)),
            ..call(1, "pay", "{}")
        };
        let request = Rc::new(view);
        let props = yew::props!(ToolCallCardProps { request, now: Some(Millis(now)), extendable: true });
        let markup = rendered::<ToolCallCard>(props);
        assert_eq!(markup.contains("extend-button"), seen(&markup).contains("Little time is left"), "{now}");
        markup.contains("extend-button")
    };
    let at = |now| hurries(Status::Pending, now);
    let [at_79, before, at_80, at_81] = [129_000, 129_999, 130_000, 131_000].map(at);
    assert_eq!((at_79, before, at_80, at_81), (false, false, true, true));
    // What is held for others then is lost, and what has left is not.
    assert!(hurries(Status::Drafted, 130_000) && !hurries(Status::Sent, 130_000));
}

#[test]
fn r41_that_the_host_gives_no_more_time_is_said_beside_the_button_and_of_this_wish_alone() {
    let says = |more_time, request: &str| {
        let view =
            RequestView { asked_at: Some(Millis(0)), expires_at: Some(Millis(100)), ..call(1, "pay", "{}") };
        let refused =
            Refused { request: request.to_owned(), code: None, message: "no <i>".to_owned(), more_time };
        let props = yew::props!(ToolCallCardProps {
            refused: Some(Rc::new(refused)),
            request: Rc::new(view),
            now: Some(Millis(90)),
            extendable: true,
        });
        seen(&rendered::<ToolCallCard>(props)).contains("The agent does not wait longer: no <i>")
    };
    let id = call(1, "pay", "{}").id;
    assert_eq!((says(true, &id), says(false, &id), says(true, "t1/other")), (true, false, false));
}

#[test]
fn r42_what_someone_else_decided_while_it_waited_here_says_so_on_its_card_and_on_its_line() {
    let view = |decided_by, decided_at| RequestView {
        status: Status::Approved,
        offers: Vec::new(),
        decision: decided("approve"),
        decided_by: Some(decided_by),
        decided_at,
        ..call(3, "restart_pod", "{}")
    };
    let says = |view: RequestView| {
        [seen(&card(view.clone())), seen(&panel(vec![view]))].map(|text| text.contains("Decided elsewhere"))
    };
    assert_eq!(says(view(DecidedBy::Elsewhere, Some(Millis(1)))), [true; 2]);
    // Of history nobody knows who waited.
    assert_eq!(says(view(DecidedBy::Elsewhere, None)), [false; 2]);
    assert_eq!(says(view(DecidedBy::Here, Some(Millis(1)))), [false; 2]);
}

#[test]
fn a_question_form_adds_no_choice_of_its_own() {
    let question = |text: &str, choices: &[&str], multiple| Question {
        question: text.to_owned(),
        choices: choices.iter().map(ToString::to_string).collect(),
        multiple,
    };
    let questions = Arc::from(vec![
        question("Which database?", &["PostgreSQL", "MySQL"], false),
        question("Which regions?", &["eu", "us"], true),
        question("Anything else?", &[], false),
    ]);
    let view = RequestView {
        offers: vec![Offer::new(OfferKind::Answer)],
        questions: Some(questions),
        ..call(4, "ask_user", "{}")
    };
    let markup = card(view);
    check("questions", &markup);
    assert_eq!(markup.matches(r#"type="radio""#).count(), 2);
    assert_eq!(markup.matches(r#"type="checkbox""#).count(), 2);
    assert_eq!(markup.matches("<textarea").count(), 1);
    assert!(seen(&markup).contains("3 questions are still open"));
    assert!(!markup.contains("approve-button") && !markup.contains("reject-button"));
}

#[test]
fn a_batch_of_three_with_what_was_decided_before() {
    let held = Some(BatchView { id: "b1".into(), size: 3, decided: 1, rejects_all: false });
    let markup = panel(vec![
        RequestView {
            status: Status::Completed,
            decision: decided("approve"),
            ..call(1, "read_file", r#"{"path":"/a"}"#)
        },
        call(2, "delete_file", r#"{"path":"/b"}"#),
        RequestView {
            status: Status::Drafted,
            decision: decided("approve"),
            offers: Vec::new(),
            batch: held,
            ..call(3, "send_email", r#"{"to":"x","cc":[]}"#)
        },
        call(4, "delete_file", r#"{"path":"/b"}"#),
        RequestView {
            status: Status::Rejected,
            reason: Some("Not before Friday.".into()),
            decision: decided("reject"),
            ..call(5, "send_email", r#"{"to":"all","cc":[],"body":""}"#)
        },
    ]);
    check("batch", &markup);
    let text = seen(&markup);
    assert!(text.contains("2 calls wait") && text.contains("1 of 3 decided"));
    assert!(text.contains("Approved · waits for 2 more") && text.contains("Approved · completed"));
    assert!(text.contains(r#"to "all" · 2 more"#) && text.contains("“Not before Friday.”"));
    assert_order(
        &markup,
        &[r#"data-request="r2""#, r#"data-request="r3""#, r#"data-request="r4""#, "History"],
    );
}

#[test]
fn what_was_answered_stays_in_sight() {
    let question = Question { question: "Which?".to_owned(), choices: vec!["a".to_owned()], multiple: false };
    let fields = DecisionFields { answers: Some(vec![vec!["a".to_owned()]]), ..DecisionFields::default() };
    let view = RequestView {
        status: Status::Drafted,
        offers: Vec::new(),
        questions: Some(Arc::from(vec![question])),
        decision: Some(DecisionFields { kind: "answer".to_owned(), ..fields }),
        ..call(1, "ask_user", "{}")
    };
    let text = seen(&card(view));
    assert!(text.contains("Which?“a”") && text.contains("Answered · not sent yet") && text.contains("Undo"));
}

#[test]
fn r33_a_panel_knows_what_was_begun_beside_it_until_it_is_settled() {
    let drafts = Drafts::none().shared();
    let views = |status: Status| {
        let offers = [OfferKind::Approve, OfferKind::Edit].map(Offer::new).to_vec();
        let view = |key| RequestView { offers: offers.clone(), ..call(key, "pay", r#"{"n":1}"#) };
        [view(1), RequestView { status, ..view(2) }, view(3)].map(Rc::new)
    };
    let drawn = |status| {
        let requests: Rc<[Rc<RequestView>]> = Rc::from(views(status));
        let writing = Writing { drafts: drafts.clone(), ..Writing::default() };
        rendered::<InboxPanel>(yew::props!(InboxPanelProps { requests, writing }))
    };
    assert!(seen(&drawn(Status::Pending)).contains("Approve all"));
    let [_, view, _] = views(Status::Pending);
    let begun = || drafts.open().expect("they are shared").of(2);
    begun().with(&view, &drafts, |draft| draft.note = "later".to_owned());
    let markup = drawn(Status::Pending);
    assert!(seen(&markup).contains("Approve 2 of 3"), "{markup}");
    assert_eq!(markup.matches("discard-button").count(), 1);
    drawn(Status::Sending);
    assert!(begun().is_kept(&view, &drafts));
    drawn(Status::Completed);
    assert!(!begun().is_kept(&view, &drafts));
}

#[test]
fn an_empty_panel_says_so() {
    assert!(seen(&panel(Vec::new())).contains("Nothing waits for you."));
}

#[test]
fn a_panel_that_does_not_know_what_waits_says_so() {
    let drawn = |views: Vec<RequestView>, connection| {
        let requests: Rc<[Rc<RequestView>]> = views.into_iter().map(Rc::new).collect();
        seen(&rendered::<InboxPanel>(yew::props!(InboxPanelProps { requests, connection })))
    };
    let waiting = || vec![call(1, "delete_file", r#"{"path":"/srv/a"}"#)];
    let asking = drawn(Vec::new(), Connection::Connecting);
    assert!(asking.contains("Asking the agent what waits…") && !asking.contains("Nothing waits"), "{asking}");
    let lost = drawn(Vec::new(), Connection::Lost);
    assert!(lost.contains("No connection to the agent.") && !lost.contains("Nothing waits"), "{lost}");
    // Cards stay, and can be decided: what leaves too late is refused by the backend.
    let lost = drawn(waiting(), Connection::Lost);
    assert!(lost.contains("No connection to the agent.") && lost.contains("Approve"), "{lost}");
    let unread = drawn(Vec::new(), Connection::Unread);
    assert!(
        unread.contains("What the agent sent cannot be read.") && !unread.contains("Nothing"),
        "{unread}"
    );
    for connection in [Connection::Live, Connection::Connecting, Connection::Unread] {
        let shown = drawn(waiting(), connection);
        assert!(!shown.contains("agent what waits") && !shown.contains("not known"), "{shown}");
    }
}

#[test]
fn r26_an_approval_is_inert_when_its_card_appears_and_a_rejection_is_not() {
    let markup = card(call(1, "delete_file", "{}"));
    let approve = markup.split("<button").find(|button| button.contains("approve-button")).expect("a button");
    let reject = markup.split("<button").find(|button| button.contains("reject-button")).expect("a button");
    assert!(approve.contains(r#"aria-disabled="true""#) && approve.contains("Ready in a moment"));
    assert!(!reject.contains("aria-disabled") && !approve.contains(" disabled"));
}

#[test]
fn r47_a_card_is_a_group_named_after_the_tool_and_where_it_stands() {
    let markup = card(call(7, "delete_file", "{}"));
    assert!(markup.contains(r#"role="group""#));
    assert!(markup.contains(r#"aria-label="delete_file: Waits for you""#));
    assert!(markup.contains(r#"data-status="pending""#) && markup.contains(r#"data-request="r7""#));
    assert!(markup.contains(r#"data-key="7""#));
}

#[test]
fn r46_the_name_of_a_card_does_not_change_with_every_second() {
    let view = RequestView { expires_at: Some(Millis(61_000)), ..call(7, "pay", "{}") };
    let props = yew::props!(ToolCallCardProps { request: Rc::new(view), now: Some(Millis(0)) });
    let markup = rendered::<ToolCallCard>(props);
    assert!(seen(&markup).contains("1:01") && markup.contains(r#"aria-label="pay: Waits for you""#));
}

#[test]
fn r47_a_request_that_names_no_tool_says_so_in_words_of_ours() {
    let view = || RequestView { status: Status::Blocked, offers: Vec::new(), ..call(7, "", "\"Who?\"") };
    let markup = card(view());
    assert!(markup.contains(r#"aria-label="Request without a tool: Cannot be answered here""#), "{markup}");
    // A tool may be called so too: only a name that came is drawn as code.
    assert!(markup.contains(r#"<span part="tool-name" class="cs-tool" role="heading" aria-level="2">Request without a tool</span>"#));
    assert!(card(call(7, "Request without a tool", "{}")).contains(r#"<code part="tool-name""#));
    let past = panel(vec![RequestView { status: Status::Expired, ..view() }]);
    assert!(seen(&past).contains("Request without a tool"), "{past}");
}

#[test]
fn r49_there_is_no_inline_style_and_no_address_in_the_stylesheet() {
    let markup = panel(vec![call(1, "a", TRANSFER), call(2, "b", "[1]"), call(3, "c", "no JSON")]);
    assert!(!markup.contains("style="));
    assert!(!STYLESHEET.contains("url(") && !STYLESHEET.contains("@import"));
}

#[test]
fn a_read_only_card_decides_nothing() {
    let request = Rc::new(call(1, "delete_file", "{}"));
    let markup = rendered::<ToolCallCard>(yew::props!(ToolCallCardProps { request, read_only: true }));
    assert!(!markup.contains("approve-button") && !markup.contains("reject-button"));
}

#[test]
fn r25_what_was_edited_is_told_field_by_field() {
    let edited = |before: &str, after: &str| {
        let fields = DecisionFields { args: Some(after.to_owned()), ..DecisionFields::default() };
        card(RequestView {
            status: Status::Sent,
            offers: Vec::new(),
            decision: Some(DecisionFields { kind: "edit".to_owned(), ..fields }),
            ..call(1, "transfer_funds", before)
        })
    };
    let markup = edited(
        r#"{"amount":1250.00,"to":{"iban":"DE89","bic":1}}"#,
        r#"{"amount":125.00,"to":{"iban":"DE90"},"urgent":true}"#,
    );
    let text = seen(&markup);
    assert!(text.contains("4 values differ from what the agent asked"));
    assert!(text.contains("amount: 1250.00") && text.contains("amount: 125.00"));
    assert!(text.contains(r#"to.iban: "DE89""#) && text.contains(r#"to.iban: "DE90""#));
    assert_eq!((markup.matches("<del").count(), markup.matches("<ins").count()), (3, 3));
    let markup = edited(r#"{"text":"one\ntwo\nthree"}"#, r#"{"text":"one\n2\nthree"}"#);
    assert!(markup.contains(">two</del>") && markup.contains(">2</ins>") && markup.contains(">three</div>"));
    assert!(seen(&edited("{}", "{ }")).contains("Only spacing"));
    assert!(seen(&edited("{}", "{}")).contains("Nothing differs"));
}

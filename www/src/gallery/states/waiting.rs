//! What waits for a person.

use std::sync::Arc;

use countersign_core::{GrantScope, Millis, Offer, OfferKind, Question, RequestView, Status, Words};

use super::{State, after, call, settled, state};

const TRANSFER: &str = r#"{"to":"DE89 3704 0044 0532 0130 00","amount":1250.00,"reference":2512292042121000001,"memo":"Invoice 2019-704","urgent":false}"#;
const REMOVE: &str = r#"{"path":"/srv/reports/2019.csv"}"#;

/// What waits for a person.
pub(super) fn states(now: Millis) -> Vec<State> {
    let mut states = plain(now);
    states.extend(arguments());
    states.extend(offers());
    states.extend(questions());
    states
}

fn plain(now: Millis) -> Vec<State> {
    let transfer = call(1, "transfer_funds", TRANSFER);
    let nested = vec!["root".into(), "billing".into(), "payer".into()];
    let remove = call(1, "delete_file", REMOVE);
    vec![
        state("pending", "Waits for a person", [transfer.clone()]),
        state("server", "From a server", [RequestView { server: Some("bank".into()), ..transfer.clone() }]),
        state(
            "nested-agent",
            "Asked by an agent of an agent",
            [RequestView { server: Some("bank".into()), agent: nested, ..transfer.clone() }],
        ),
        state(
            "claims",
            "What the agent claims",
            [RequestView {
                title: Some("Pay ACME".into()),
                description: Some("Transfers money from the company's account.".into()),
                hint: Some("Pays the open invoice from last week.".into()),
                ..transfer.clone()
            }],
        ),
        state(
            "countdown",
            "The agent stops waiting soon",
            [RequestView { expires_at: after(now, 42), ..remove.clone() }],
        ),
        state(
            "changed",
            "The arguments changed while it waited",
            [RequestView { changed: true, ..remove.clone() }],
        ),
        state("streaming", "Its arguments are still arriving", [settled(Status::Streaming, remove.clone())]),
        state("blocked", "It cannot be answered from here", [settled(Status::Blocked, remove)]),
        state(
            "no-tool",
            "A request about no tool",
            [RequestView { hint: Some("May I go on?".into()), ..call(1, "", "{}") }],
        ),
    ]
}

fn arguments() -> Vec<State> {
    let long = ["Dear customers, ", &"the figures of this quarter are attached. ".repeat(60), "Yours, ACME"]
        .concat();
    let long = format!(r#"{{"to":"all@example.com","body":"{long}","cc":[]}}"#);
    let deep = format!(r#"{{"plan":{}"the bottom"{}}}"#, r#"{"step":"#.repeat(8), "}".repeat(8));
    let list: Vec<String> =
        (0..120).map(|number| format!(r#""/srv/exports/2019-{number:03}.csv""#)).collect();
    let list = format!(r#"{{"paths":[{}],"recursive":true}}"#, list.join(","));
    let reject_only = |view: RequestView| RequestView {
        offers: vec![Offer::new(OfferKind::Reject).words(Words::Sent)],
        ..view
    };
    vec![
        state("no-arguments", "No arguments", [call(1, "list_reports", "{}")]),
        state(
            "long-text",
            "A long text: both ends, and what is between in a fold",
            [call(1, "send_email", &long)],
        ),
        state("nested", "Nested arguments", [call(1, "run_plan", &deep)]),
        state("long-list", "A long list", [call(1, "delete_files", &list)]),
        state(
            "lines",
            "Text of several lines",
            [call(
                1,
                "run_shell",
                r#"{"command":"set -e\ncd /srv/reports\n\trm -rf ./exports/2019\ngit commit -am \"drop old exports\"","cwd":"/srv/reports"}"#,
            )],
        ),
        state(
            "numbers",
            "Numbers keep their digits",
            [call(
                1,
                "set_limits",
                r#"{"a":2512292042121000001,"b":18446744073709551616,"c":1e400,"d":1.00,"e":-0,"f":1E+2,"g":0.1e-7}"#,
            )],
        ),
        state(
            "hidden-characters",
            "Characters that cannot be seen",
            [call(
                1,
                "transfer_funds",
                "{\"memo\":\"Invoice 2019-\u{202E}704\",\"to\":\"ACME\u{200B}\",\"no\u{A0}te\":1}",
            )],
        ),
        state(
            "hazards",
            "What is noteworthy about the arguments",
            [call(1, "merge", r#"{"__proto__":{"admin":true},"constructor":"x"}"#)],
        ),
        state(
            "uninspectable",
            "Arguments that cannot be read without doubt",
            [reject_only(call(1, "delete_file", r#"{"path":"/tmp/x","path":"/etc/passwd"}"#))],
        ),
        state(
            "not-json",
            "Arguments that are no JSON",
            [reject_only(call(1, "delete_file", r#"{"path": /tmp}"#))],
        ),
    ]
}

fn offers() -> Vec<State> {
    let offered = |offers: Vec<Offer>| RequestView { offers, ..call(1, "delete_file", REMOVE) };
    let approve = || Offer::new(OfferKind::Approve);
    let reject = |words| Offer::new(OfferKind::Reject).words(words);
    let always = |scope| Offer { scope: Some(scope), ..Offer::new(OfferKind::ApproveAlways) };
    let scopes = [GrantScope::SameArgs, GrantScope::Tool, GrantScope::Server, GrantScope::Session];
    let mut lasting = vec![approve(), reject(Words::Sent)];
    lasting.extend(scopes.map(always));
    vec![
        state(
            "offer-edit",
            "May be edited",
            [offered(vec![approve(), Offer::new(OfferKind::Edit), reject(Words::Sent)])],
        ),
        state(
            "offer-respond",
            "May be answered with words",
            [offered(vec![approve(), Offer::new(OfferKind::Respond), reject(Words::Sent)])],
        ),
        state(
            "offer-ignore",
            "May be ignored",
            [offered(vec![approve(), Offer::new(OfferKind::Ignore), reject(Words::None)])],
        ),
        state(
            "offer-everything",
            "Every kind of decision",
            [offered(vec![
                approve(),
                Offer::new(OfferKind::Edit),
                Offer::new(OfferKind::Respond),
                Offer::new(OfferKind::Ignore),
                reject(Words::Sent),
                always(GrantScope::Tool),
                Offer::new(OfferKind::Cancel),
            ])],
        ),
        state(
            "offer-lasting",
            "The whole tool may be allowed for good",
            [offered(vec![approve(), reject(Words::Sent), always(GrantScope::Tool)])],
        ),
        state("offer-scopes", "Lasting permissions of every reach", [offered(lasting)]),
        state("reject-local", "A reason that stays here", [offered(vec![approve(), reject(Words::Local)])]),
        state(
            "reject-required",
            "A reason that must be given",
            [offered(vec![approve(), reject(Words::Required)])],
        ),
    ]
}

fn questions() -> Vec<State> {
    let question = |question: &str, choices: &[&str], multiple| Question {
        question: question.to_owned(),
        choices: choices.iter().map(ToString::to_string).collect(),
        multiple,
    };
    let ask = |questions: Vec<Question>| RequestView {
        offers: vec![Offer::new(OfferKind::Answer)],
        questions: Some(Arc::from(questions)),
        ..call(1, "ask_user", "{}")
    };
    vec![
        state(
            "question",
            "A question",
            [ask(vec![question("Which database?", &["PostgreSQL", "MySQL", "SQLite"], false)])],
        ),
        state(
            "questions",
            "Several questions",
            [ask(vec![
                question("Which database?", &["PostgreSQL", "MySQL"], false),
                question("Which regions should it run in?", &["Frankfurt", "Dublin", "Paris"], true),
                question("Anything else?", &[], false),
            ])],
        ),
    ]
}

//! What is said of each dialect is what its traces show, and what the README says.
//!
//! `COUNTERSIGN_BLESS=1 cargo test -p countersign-tests --test dialects` writes the README's table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use countersign_core::{GrantScope, Input, OfferKind, RequestView, Status};
use countersign_json::{Document, Limits, Value};
use countersign_protocols::{Dialect, Recovery, dialects};
use countersign_tests::moment::START;
use countersign_tests::runner::{Runner, decision};
use countersign_tests::trace::{files, folder, with_trace, written_files};

/// Names in traces that stand for another dialect, or for all of their adapter in one conversation.
const ALIASES: &[(&str, &str, Option<&str>)] = &[
    ("a2a", "k", Some("kagent-0.10")),
    ("a2a", "v1", Some("kagent-hitl-v1")),
    ("a2a", "adk03", Some("adk-a2a")),
    ("langgraph", "mixed", None),
    ("langgraph", "free", None),
];

/// Traces that show an offer which is not declared for their dialect, and why.
const UNDECLARED: &[(&str, OfferKind, &str)] = &[
    (
        "stream--answered-by-message.json",
        OfferKind::Edit,
        "the call of the stream is asked about again over `ws`",
    ),
    ("stream--the-event-says-other-arguments.json", OfferKind::Edit, "the same"),
    ("reload-state-broken.json", OfferKind::Ignore, "a HumanInterrupt waits beside the batch"),
    ("request-batch-of-one-is-numbered.json", OfferKind::Ignore, "the same"),
    ("dialect-json-strings.json", OfferKind::Reject, "one of the JSON texts holds a batch of LangChain's"),
    ("write-alone-again.json", OfferKind::Reject, "a batch of LangChain's waits beside the HumanInterrupt"),
];

/// A decision that no trace of a dialect takes up to its message; the test takes it where a trace offers it.
struct NotTaken {
    adapter: &'static str,
    dialect: &'static str,
    kind: OfferKind,
    /// The trace that offers it.
    file: &'static str,
    decision: &'static str,
    /// What the message holds.
    body: &'static str,
}

const NOT_TAKEN: &[NotTaken] = &[
    // The same word as over the other ways of AdalFlow, where traces send it.
    NotTaken {
        adapter: "adalflow",
        dialect: "seed-rest",
        kind: OfferKind::ApproveAlways,
        file: "seed-rest--gone-and-404.json",
        decision: r#"{"kind":"approve","scope":"tool"}"#,
        body: "outcome=proceed_always",
    },
];

/// What the traces of one dialect show.
#[derive(Default)]
struct Shown {
    /// The kinds that were offered, each with the traces that do.
    offered: BTreeMap<OfferKind, BTreeSet<String>>,
    /// The kinds that were decided and are in a message.
    sent: BTreeSet<OfferKind>,
    /// The statuses right after a reload.
    restored: BTreeSet<Status>,
    /// A decision was held for others.
    held: bool,
}

fn word(value: Value<'_>, key: &str) -> String {
    value.get(key).and_then(|word| word.as_str()).unwrap_or_default().into_owned()
}

/// The kind of offer that a card's decision took.
fn taken(view: &RequestView) -> Option<OfferKind> {
    let decision = view.decision.as_ref()?;
    if decision.kind == "approve" && decision.scope.is_some_and(|scope| scope != GrantScope::Call) {
        return Some(OfferKind::ApproveAlways);
    }
    use OfferKind::{Answer, Approve, Edit, Ignore, Reject, Respond};
    [Approve, Edit, Reject, Respond, Ignore, Answer].into_iter().find(|kind| kind.as_str() == decision.kind)
}

fn observe(trace: Value<'_>, file: &str, shown: &mut Shown) {
    let mut runner = Runner::new(trace, &word(trace, "adapter"));
    let edits_always = trace.get("options").is_some_and(|options| options.text().contains(r#""always""#));
    for (place, step) in trace.get("steps").into_iter().flat_map(Value::items).enumerate() {
        if step.get("send").is_some_and(|bodies| !bodies.is_empty()) {
            shown.sent.extend(runner.views().iter().filter(|view| view.outbound.is_some()).filter_map(taken));
        }
        runner.step(step).unwrap_or_else(|error| panic!("{file}, step {place}: {error}"));
        for view in runner.views() {
            let offers = view.offers.iter().map(|offer| offer.kind);
            for kind in offers.filter(|kind| !(edits_always && *kind == OfferKind::Edit)) {
                shown.offered.entry(kind).or_default().insert(file.to_owned());
            }
            if step.get("restore").is_some() {
                shown.restored.insert(view.status);
            }
            let waits_for_others = view.batch.as_ref().is_some_and(|batch| batch.decided < batch.size);
            shown.held |= view.status == Status::Drafted && waits_for_others;
        }
    }
}

/// What all traces show, by dialect; those that stand for several dialects are left out.
fn shown() -> BTreeMap<(&'static str, &'static str), Shown> {
    let declared = dialects();
    let mut all = BTreeMap::new();
    for path in files().into_iter().chain(written_files()) {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        with_trace(&path, |trace| {
            let (adapter, name) = (word(trace, "adapter"), word(trace, "dialect"));
            let alias = ALIASES.iter().find(|(of, alias, _)| *of == adapter && *alias == name);
            let name = match alias {
                Some((_, _, Some(name))) => (*name).to_owned(),
                Some((_, _, None)) => return,
                None => name,
            };
            let known = declared.iter().find(|dialect| dialect.adapter == adapter && dialect.name == name);
            let dialect =
                known.unwrap_or_else(|| panic!("{file}: there is no dialect `{name}` of `{adapter}`"));
            observe(trace, &file, all.entry((dialect.adapter, dialect.name)).or_default());
        });
    }
    all
}

/// Runs `fault` on every dialect and reports all that it finds.
fn for_all(fault: impl Fn(&Dialect, &Shown) -> Vec<String>) {
    let shown = shown();
    let mut faults = Vec::new();
    for dialect in dialects() {
        let name = format!("{}/{}", dialect.adapter, dialect.name);
        match shown.get(&(dialect.adapter, dialect.name)) {
            Some(shown) => {
                faults.extend(fault(dialect, shown).into_iter().map(|fault| format!("{name}: {fault}")))
            }
            None => faults.push(format!("{name}: has no trace")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_dialect_is_declared_once_and_under_the_name_of_an_adapter() {
    let declared = dialects();
    let names: BTreeSet<_> = declared.iter().map(|dialect| (dialect.adapter, dialect.name)).collect();
    assert_eq!(names.len(), declared.len());
    let adapters: BTreeSet<&str> = declared.iter().map(|dialect| dialect.adapter).collect();
    let built_in: BTreeSet<&str> =
        countersign_protocols::names().into_iter().filter(|name| *name != "auto").collect();
    assert_eq!(adapters, built_in);
}

#[test]
fn every_offer_on_a_card_is_declared() {
    let excused =
        |kind: OfferKind, file: &str| UNDECLARED.iter().any(|(of, other, _)| *of == file && *other == kind);
    for_all(|dialect, shown| {
        let undeclared = shown.offered.iter().filter(|(kind, _)| !dialect.decisions.contains(kind));
        let cards = undeclared.flat_map(|(kind, files)| files.iter().map(move |file| (*kind, file)));
        let cards = cards.filter(|(kind, file)| !excused(*kind, file));
        cards.map(|(kind, file)| format!("`{}` is offered in {file}", kind.as_str())).collect()
    });
}

#[test]
fn every_declared_decision_is_taken_in_a_trace_and_sent() {
    for_all(|dialect, shown| {
        let excused = |kind: OfferKind| {
            let same = (dialect.adapter, dialect.name, kind);
            NOT_TAKEN.iter().any(|other| (other.adapter, other.dialect, other.kind) == same)
        };
        let fault = |kind: &OfferKind| match (shown.sent.contains(kind), excused(*kind)) {
            (false, false) => Some(format!("`{}` is never sent", kind.as_str())),
            (true, true) => Some(format!("`{}` is sent after all", kind.as_str())),
            _ => None,
        };
        dialect.decisions.iter().filter_map(fault).collect()
    });
}

#[test]
fn decisions_that_no_trace_takes_are_sent_all_the_same() {
    for NotTaken { adapter, dialect, kind, file, decision: text, body } in NOT_TAKEN {
        let document = Document::parse(text, &Limits::default()).expect("a decision is JSON");
        let (decision, seen) = decision(document.root()).expect("it is a decision");
        with_trace(&folder().join(adapter).join(file), |trace| {
            assert_eq!(word(trace, "dialect"), *dialect);
            let mut runner = Runner::new(trace, adapter);
            let mut steps = trace.get("steps").into_iter().flat_map(Value::items);
            let card = loop {
                if let Some(card) = runner.views().into_iter().find(|view| view.offer(*kind).is_some()) {
                    break card;
                }
                let step = steps.next().unwrap_or_else(|| panic!("{file} never offers `{}`", kind.as_str()));
                runner.step(step).unwrap_or_else(|error| panic!("{file}: {error}"));
            };
            let request = runner.inbox.find(&card.id).expect("the card is there");
            let decide = Input::Decide { request, decision, seen, offer: None };
            runner.inbox.handle(START, decide).expect("what is offered is accepted");
            let sent = runner.inbox.take_outbound();
            assert!(matches!(sent.as_slice(), [one] if one.body.contains(body)), "{file}: {sent:?}");
        });
    }
}

#[test]
fn decisions_are_held_where_it_is_said() {
    for_all(|dialect, shown| {
        let fault = (dialect.held != shown.held).then(|| format!("held in a trace: {}", shown.held));
        fault.into_iter().collect()
    });
}

#[test]
fn a_reload_shows_what_is_said() {
    use Status::{Approved, Completed, Failed, Pending, Rejected, Responded, Unknown};
    for_all(|dialect, shown| {
        let has = |status: Status| shown.restored.contains(&status);
        let explained = [Approved, Completed, Failed, Rejected, Responded].into_iter().any(has);
        let holds = match dialect.recovery {
            Recovery::Everything | Recovery::Log => explained && has(Pending),
            Recovery::Unexplained => !explained && has(Unknown) && has(Pending),
            Recovery::Waiting => !explained && has(Pending),
            Recovery::Settled => explained && !has(Pending),
            Recovery::Kept => shown.restored.iter().any(|status| status.is_settled()),
            Recovery::Nothing => shown.restored.is_empty(),
            other => panic!("nobody says what {other:?} means here"),
        };
        let fault = format!("{:?} does not agree with {:?}", dialect.recovery, shown.restored);
        (!holds).then_some(fault).into_iter().collect()
    });
}

const BEGIN: &str = "<!-- systems -->\n";
const END: &str = "<!-- /systems -->";

/// The page of a system.
fn page(dialect: &Dialect) -> &'static str {
    match (dialect.adapter, dialect.name) {
        ("a2a", "adk-a2a") | ("adk", _) => "adk",
        ("a2a", _) => "kagent",
        ("langgraph", _) => "langgraph",
        ("haystack", _) => "haystack",
        _ => "adalflow",
    }
}

fn decisions(dialect: &Dialect) -> String {
    let words: Vec<&str> = dialect
        .decisions
        .iter()
        .map(|kind| match kind {
            OfferKind::Approve => "approve",
            OfferKind::ApproveAlways => "approve always",
            OfferKind::Edit => "edit",
            OfferKind::Reject => "reject",
            OfferKind::RejectAlways => "reject always",
            OfferKind::Respond => "respond",
            OfferKind::Ignore => "ignore",
            OfferKind::Answer => "answer questions",
            OfferKind::Cancel => "cancel",
        })
        .collect();
    if words.is_empty() { "none: history".to_owned() } else { words.join(", ") }
}

fn recovery(dialect: &Dialect) -> &'static str {
    match dialect.recovery {
        Recovery::Everything => "every card",
        Recovery::Log => "every card, with the log or the chat history; else what waits",
        Recovery::Unexplained => "every card; not what was decided",
        Recovery::Waiting => "what waits",
        Recovery::Settled => "what was settled",
        Recovery::Kept => "what the host kept",
        Recovery::Nothing => "nothing",
        other => panic!("there are no words for {other:?}"),
    }
}

/// One row for neighbours that differ in nothing but their names.
fn table() -> String {
    let mut rows: Vec<(String, Vec<String>, String)> = Vec::new();
    for dialect in dialects() {
        let system = format!("[{}](www/docs/{}.md)", dialect.system, page(dialect));
        let leave = match (dialect.decisions, dialect.held) {
            ([], _) => "–",
            (_, true) => "together",
            (_, false) => "one by one",
        };
        let rest = format!("{} | {leave} | {}", decisions(dialect), recovery(dialect));
        let name = format!("`{}`", dialect.name);
        match rows.last_mut() {
            Some((of, names, same)) if *of == system && *same == rest => names.push(name),
            _ => rows.push((system, vec![name], rest)),
        }
    }
    let mut text = String::from(
        "| system | dialect | decisions | they leave | after a reload |\n|---|---|---|---|---|\n",
    );
    for (system, names, rest) in rows {
        text.push_str(&format!("| {system} | {} | {rest} |\n", names.join(", ")));
    }
    text
}

#[test]
fn each_page_names_its_dialects_and_what_every_page_says() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/docs");
    for dialect in dialects() {
        let page = page(dialect);
        let text = fs::read_to_string(pages.join(page).with_extension("md")).expect("the page can be read");
        assert!(text.contains(&format!("`{}`", dialect.name)), "{page} does not name `{}`", dialect.name);
        for heading in [
            "Wiring",
            "Decisions",
            "What it cannot do",
            "Traps",
            "After a reload",
            "What the backend must check",
        ] {
            assert!(text.contains(&format!("\n## {heading}\n")), "{page} has no section `{heading}`");
        }
    }
}

#[test]
fn the_table_in_the_readme_is_the_declared_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(&path).expect("the README can be read");
    let (before, rest) = readme.split_once(BEGIN).expect("the README has the first marker");
    let (written, after) = rest.split_once(END).expect("the README has the second marker");
    if env::var_os("COUNTERSIGN_BLESS").is_some() {
        let text = format!("{before}{BEGIN}{}{END}{after}", table());
        return fs::write(&path, text).expect("the README can be written");
    }
    assert_eq!(written, table(), "run `COUNTERSIGN_BLESS=1 cargo test -p countersign-tests --test dialects`");
}

//! The tables of texts that Haystack's own strategy produced, word for word.

use std::fs;

use countersign_core::{Decision, DecisionFields, GrantScope};
use countersign_json::{Document, Limits, Numbers, Value, same};
use countersign_protocols::Templates;
use countersign_protocols::haystack::feedback::feedback;
use countersign_tests::trace::{folder, message};

fn text(holder: Value<'_>, key: &str) -> Option<String> {
    holder.get(key).and_then(|value| value.as_str()).map(|text| text.into_owned())
}

fn decision(value: Value<'_>) -> Decision {
    let fields = DecisionFields {
        kind: text(value, "kind").expect("a decision has a kind"),
        args: value.get("args").map(message),
        note: text(value, "note"),
        reason: text(value, "reason"),
        ..DecisionFields::default()
    };
    Decision::try_from(fields).expect("the tables hold decisions")
}

/// Whether two JSON texts are the same value; number lexemes count.
fn is_same(expected: Value<'_>, given: Option<&str>) -> bool {
    let given = given.unwrap_or("null");
    let document = Document::parse(given, &Limits::default()).expect("arguments are JSON");
    same(expected, document.root(), Numbers::Lexeme)
}

fn check(row: Value<'_>, table: Value<'_>) -> Result<(), String> {
    let of_table = table.get("policy").and_then(|policy| policy.get("templates"));
    let given = row.get("templates").or(of_table);
    let template = |key: &str| given.and_then(|given| text(given, key)).map(Into::into);
    let templates = Templates {
        reject: template("reject_template"),
        modify: template("modify_template"),
        user_feedback: template("user_feedback_template"),
    };
    let tool = text(row, "tool").expect("a row names its tool");
    let args = message(row.get("args").expect("a row has arguments"));
    let decision = decision(row.get("decision").expect("a row has a decision"));
    let told = feedback(&tool, &args, &decision, &templates).ok_or("it is no decision of the library")?;
    if told.text != text(row, "text") {
        return Err(format!("the text is {:?}", told.text));
    }
    if row.get("execute").is_some_and(|execute| execute.as_bool() != Some(told.execute)) {
        return Err(format!("execute is {}", told.execute));
    }
    let params = told.final_tool_params.as_deref();
    match row.get("final_tool_params") {
        Some(expected) if !is_same(expected, params) => Err(format!("the arguments are {params:?}")),
        _ => Ok(()),
    }
}

#[test]
fn every_text_of_the_tables_is_rendered_word_for_word() {
    let mut rows = 0;
    let mut failed = Vec::new();
    for entry in fs::read_dir(folder().join("policy")).expect("the tables are there").flatten() {
        if entry.path().is_dir() {
            continue;
        }
        let table = fs::read_to_string(entry.path()).expect("a table can be read");
        let document = Document::parse(&table, &Limits::default()).expect("a table is JSON");
        for row in document.root().get("feedback").into_iter().flat_map(Value::items) {
            rows += 1;
            if let Err(error) = check(row, document.root()) {
                failed.push(format!("{}: {error}\n  {}", entry.path().display(), row.text()));
            }
        }
    }
    assert!(rows >= 20, "only {rows} rows were found");
    assert!(failed.is_empty(), "{} of {rows} rows fail:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn r08_decisions_that_the_library_does_not_know_have_no_form() {
    for decision in [Decision::Ignore, Decision::Cancel, Decision::Respond { text: "x".into() }] {
        assert_eq!(feedback("t", "{}", &decision, &Templates::default()), None);
    }
    let unreadable = Decision::Edit { args: "{".into(), note: None };
    assert_eq!(feedback("t", "{}", &unreadable, &Templates::default()), None);
}

#[test]
fn words_that_say_nothing_are_not_told() {
    let edit = |note: Option<&str>| Decision::Edit { args: "{}".into(), note: note.map(Into::into) };
    let reject =
        |reason: Option<&str>| Decision::Reject { reason: reason.map(Into::into), scope: GrantScope::Call };
    let told = |decision: Decision| feedback("t", "{}", &decision, &Templates::default());
    assert_eq!(told(edit(Some(""))), told(edit(None)));
    assert_eq!(told(reject(Some(""))), told(reject(None)));
    assert_ne!(told(edit(Some("x"))), told(edit(None)));
    assert_ne!(told(reject(Some("x"))), told(reject(None)));
}

//! What somebody else wrote, wherever it stands.

use std::sync::Arc;

use countersign_core::{OutboundState, OutboundView, RequestView, Status};

use super::{assert_order, card, panel, seen};
use crate::testing::call;

#[test]
fn r17_hostile_text_is_text_wherever_it_stands() {
    let hostile = "<img src=x onerror=alert(1)><script>x</script>[a](javascript:b)";
    let shared: Arc<str> = Arc::from(hostile);
    let args = [r#"{"a":""#, hostile, r#"",""#, hostile, r#"":1}"#].concat();
    let view = RequestView {
        server: Some(Arc::clone(&shared)),
        agent: vec![Arc::clone(&shared)],
        title: Some(Arc::clone(&shared)),
        description: Some(Arc::clone(&shared)),
        hint: Some(Arc::clone(&shared)),
        reason: Some(Arc::clone(&shared)),
        error: Some(Arc::clone(&shared)),
        ..call(1, hostile, &args)
    };
    for markup in [card(view.clone()), panel(vec![RequestView { status: Status::Failed, ..view }])] {
        assert!(!markup.contains("<img") && !markup.contains("<script") && !markup.contains("href"));
        assert!(seen(&markup).matches(hostile).count() >= 2);
    }
}

#[test]
fn r18_hidden_characters_are_chips_in_every_place() {
    let view = RequestView {
        server: Some("s\u{200B}".into()),
        agent: vec!["a\u{2066}".into()],
        hint: Some("h\u{202E}".into()),
        ..call(1, "t\u{AD}", "{\"k\u{2060}\":\"v\\u202e\u{A0}\"}")
    };
    let markup = card(view);
    let text = seen(&markup);
    for chip in ["\\u{200B}", "\\u{2066}", "\\u{202E}", "\\u{AD}", "\\u{2060}", "\\u{A0}"] {
        assert!(markup.contains(&[r#"class="cs-chip">"#, chip].concat()), "{chip}");
    }
    assert!(!markup.chars().any(crate::is_hidden));
    assert!(text.contains("3 hidden characters are shown as"));
}

#[test]
fn r18_what_stands_first_stands_left_save_in_sentences() {
    let order = |args: &str| {
        let markup = card(call(1, "run", args));
        let (_, value) = markup.split_once("part=\"value\"").expect("a value");
        value.split("</dd>").next().expect("a value").to_owned()
    };
    let command = order(r#"{"command":"cp /srv/אב גד"}"#);
    assert!(command.contains("cp /srv/<bdi>אב</bdi> <bdi>גד</bdi>"), "{command}");
    let list = order(r#"{"x":"אב > 34 גד"}"#);
    assert!(list.contains("<bdi>אב</bdi> &gt; 34 <bdi>גד</bdi>"), "{list}");
    let sentence = order(r#"{"x":"אב גד, אב 12."}"#);
    assert!(sentence.contains("אב גד, אב 12.") && !sentence.contains("<bdi>"), "{sentence}");
    let digit = order(r#"{"x":"אב גד12"}"#);
    assert!(digit.contains("<bdi>אב</bdi> <bdi>גד</bdi>12"), "{digit}");
    // No command is a sentence.
    let command = order(r#"{"command":"mv אבג דהו"}"#);
    assert!(command.contains("mv <bdi>אבג</bdi> <bdi>דהו</bdi>"), "{command}");
}

#[test]
fn r19_what_is_told_of_an_address_is_folded() {
    let address = ["https://a.", &"a\u{202E}".repeat(3000), "@evil.example/"].concat();
    let markup = card(call(1, "run", &["{\"url\":\"", &address, "\"}"].concat()));
    assert!(markup.matches("cs-chip").count() < 150, "{}", markup.matches("cs-chip").count());
    assert!(seen(&markup).contains("evil.example"), "{markup}");
}

#[test]
fn r19_rows_patches_and_masks_draw_a_bounded_number_of_marks() {
    let chips = |args: &str| card(call(1, "run", args)).matches("cs-chip").count();
    let hidden = |times| "a\\u202e".repeat(times);
    let patch = ["+", &hidden(199), "\\n"].concat().repeat(399);
    let found = chips(&["{\"patch\":\"", &patch, "\"}"].concat());
    assert!((1..600).contains(&found), "{found}");
    let masks = [&hidden(190), " token=abcdef1 "].concat().repeat(40);
    let found = chips(&["{\"a\":\"", &masks, "\"}"].concat());
    assert!(found < 200, "{found}");
}

#[test]
fn r19_a_key_with_blanks_at_its_ends_shows_them() {
    let markup = card(call(1, "run", r#"{"path":1,"path ":2," path":3,"":4}"#));
    let keys = seen(&markup);
    for key in ["\"path \"", "\" path\"", "\"\""] {
        assert!(keys.contains(key), "{key} in {keys}");
    }
    assert!(!keys.contains("\"path\""), "{keys}");
}

#[test]
fn r19_long_text_keeps_both_ends_and_counts_what_is_between() {
    let long = ["START", &"x".repeat(4990), "ENDED"].concat();
    let text = seen(&card(call(1, "write", &[r#"{"text":""#, &long, r#"","after":1}"#].concat())));
    assert!(text.contains("STARTxxx") && text.contains("xxxENDED") && text.contains("after"));
    assert!(text.contains("4,680 characters more"));
}

#[test]
fn r19_more_rows_than_a_page_are_counted() {
    let big = |count: usize| {
        let members: Vec<String> =
            (0..count).map(|number| ["\"k", &number.to_string(), "\":0"].concat()).collect();
        card(call(1, "big", &["{", &members.join(","), "}"].concat()))
    };
    let markup = big(500);
    assert_eq!(markup.matches("<dt").count(), 102);
    assert!(seen(&markup).contains("Show 398 more of 500"));
    assert!(markup.contains(">k99<") && !markup.contains(">k100<"));
    assert!(markup.contains(">k498<") && markup.contains(">k499<"));
    // More rows than that come while one scrolls; the last ones stay in sight.
    let markup = big(1300);
    assert_eq!(markup.matches("<dt").count(), 62);
    let text = seen(&markup);
    assert!(text.contains("1–60 of 1,298 · 1,238 rows are not in the page"), "{text}");
    assert!(markup.contains(">k59<") && !markup.contains(">k60<"));
    assert!(markup.contains(">k1298<") && markup.contains(">k1299<"));
}

#[test]
fn r19_what_is_closed_shows_both_ends_of_its_text() {
    let step =
        |at: usize| [r#"{"id":"#, &at.to_string(), &r#","x":0"#.repeat(9), r#","run":"step"}"#].concat();
    let steps: Vec<String> = (0..12).map(step).collect();
    let shown = seen(&card(call(1, "run", &[r#"{"steps":["#, &steps.join(","), "]}"].concat())));
    assert!(shown.contains(r#"{"id":11,"x":0"#) && shown.contains(r#""run":"step"}"#), "{shown}");
    let secret = ["{\"steps\":", &"[".repeat(70), r#"{"password":"hunter2"}"#, &"]".repeat(70), "}"].concat();
    assert!(!seen(&card(call(1, "run", &secret))).contains("hunter2"));
}

#[test]
fn r21_names_are_shown_as_they_are_and_titles_only_in_addition() {
    let name =
        |tool: &str| seen(&card(RequestView { title: Some("Delete a file".into()), ..call(1, tool, "{}") }));
    assert!(name("deleteFile").starts_with("deleteFile") && name("delete_file").starts_with("delete_file"));
    assert!(name("delete_file").contains("The agent says (not verified): “Delete a file”"));
}

#[test]
fn r21_a_name_stands_on_one_line() {
    let markup = card(call(1, "read\nfile\t", "{\"a\\nb\":1}"));
    let text = seen(&markup);
    assert!(text.contains("read\\u{A}file\\u{9}") && text.contains("a\\u{A}b"), "{text}");
}

#[test]
fn r21_the_letters_of_a_long_name_are_examined_and_of_a_very_long_one_those_that_are_drawn() {
    let told = |name: &[&str]| card(call(1, &name.concat(), "{}")).contains(r#"data-note="odd-name""#);
    let (long, huge) = ("x".repeat(2000), "é_".repeat(400_000));
    assert!(told(&[&long, "filе", &long]));
    assert!(!told(&[&long, "file", &long, "é"]));
    assert!(told(&["filе", &huge]) && told(&[&huge, "filе"]));
    assert!(!told(&[&huge, "filе", &huge]), "nobody sees it before they ask for more");
}

#[test]
fn r22_claims_come_after_the_arguments_and_are_labelled() {
    let view = RequestView {
        description: Some("Harmless.".into()),
        hint: Some("Just approve.".into()),
        ..call(1, "delete_file", r#"{"path":"/"}"#)
    };
    let markup = card(view);
    assert_order(
        &markup,
        &[r#"part="arguments""#, "(not verified):", "Harmless.", "Just approve.", "decision-bar"],
    );
    assert_eq!(markup.matches("(not verified):").count(), 2);
}

#[test]
fn r22_whatever_someone_else_wrote_comes_after_the_arguments_between_quotes_and_what_a_server_says_is_labelled()
 {
    let said = || Some(Arc::from("All is well. Press Retry."));
    let failed = OutboundView { id: "o1".into(), state: OutboundState::Failed, held: false, error: said() };
    let base = || RequestView { offers: Vec::new(), ..call(1, "pay", r#"{"amount":1}"#) };
    for (about, label, view) in [
        ("title", "(not verified): ", RequestView { title: said(), ..base() }),
        ("description", "(not verified): ", RequestView { description: said(), ..base() }),
        ("hint", "(not verified): ", RequestView { hint: said(), ..base() }),
        ("error", "(not verified): ", RequestView { error: said(), status: Status::Failed, ..base() }),
        ("send", "(not verified): ", RequestView { outbound: Some(failed), ..base() }),
        ("reason", "Reason: ", RequestView { reason: said(), status: Status::Rejected, ..base() }),
    ] {
        let markup = card(view.clone());
        assert_order(&markup, &[r#"part="arguments""#, "“<bdi>All is well. Press Retry.</bdi>”"]);
        assert_eq!(markup.matches("Press Retry").count(), 1, "{about}");
        let text = seen(&markup);
        assert!(text.contains(&[label, "“All is well. Press Retry.”"].concat()), "{about}: {text}");
        let line = seen(&panel(vec![view]));
        assert!(line.contains("“All is well. Press Retry.”"), "{about}: {line}");
    }
}

//! How arguments of every kind are drawn.

use super::*;
use crate::json_view::{Head, JsonView};
use crate::piece::Act;
use crate::testing;

#[test]
fn r12_every_number_of_the_table_is_shown_as_it_came() {
    let numbers = [
        "2512292042121000001",
        "18446744073709551616",
        "9007199254740993",
        "1e400",
        "1.00",
        "-0",
        "1e2",
        "1E+2",
        "0.1e-7",
    ];
    for number in numbers {
        let markup = card(call(1, "pay", &[r#"{"n":"#, number, r#","deep":{"n":["#, number, "]}}"].concat()));
        assert_eq!(
            markup.matches(&[r#"class="cs-number">"#, number, "</span>"].concat()).count(),
            2,
            "{number}"
        );
    }
}

#[test]
fn r19_a_long_name_is_folded_and_stays_on_one_line() {
    let long = ["START\n", &"x".repeat(5000), "\nENDED"].concat();
    let view = RequestView { server: Some(long.as_str().into()), ..call(1, &long, "{}") };
    let text = seen(&card(view.clone()));
    assert_eq!(text.matches("START\\u{A}x").count(), 2);
    assert_eq!(
        (text.matches("x\\u{A}ENDED").count(), text.matches("4,792 characters more").count()),
        (2, 2),
        "{text}"
    );
    let settled = RequestView { status: Status::Completed, decision: decided("approve"), ..view };
    assert!(panel(vec![settled]).len() < 10_000);
}

#[test]
fn r13_keys_with_a_meaning_elsewhere_are_shown_as_they_are() {
    let text = r#"{"__proto__":{"a":1},"constructor":2,"prototype":3,"$serde_json::private::Number":"7"}"#;
    let markup = card(call(1, "x", text));
    for key in ["__proto__", "constructor", "prototype", "$serde_json::private::Number"] {
        assert!(markup.contains(&[">", key, "</dt>"].concat()), "{key}");
    }
    assert!(seen(&markup).contains(r#"$serde_json::private::Number7"#));
}

#[test]
fn r13_what_is_noteworthy_stands_in_one_list_and_no_fact_twice() {
    let found = |text: &str| card(RequestView::of_call(1, "x", text));
    let notes = |markup: &str| markup.matches(r#"class="cs-note"#).count();
    let markup = found(r#"{"__proto__":{"a":1},"constructor":"x\u202e","prototype":2}"#);
    assert_eq!((notes(&markup), markup.matches(r#"<li data-note="hazard""#).count()), (1, 3), "{markup}");
    assert_eq!(markup.matches("<li").count(), 4, "{markup}");
    let text = seen(&markup);
    assert!(text.contains("/constructor · this key has a meaning of its own in JavaScript"), "{text}");
    assert!(text.contains("One hidden character is shown as") && !text.contains('`'), "{text}");
    // They are heard with the button that approves.
    let (_, arguments) = markup.split_once(r#"<div id="cs-arguments-1">"#).expect("the arguments");
    assert!(arguments.contains("cs-notes"));
    // One alone is no list.
    let markup = found(r#"{"a":[9007199254740993],"b":1,"b":2}"#);
    assert_eq!((notes(&markup), markup.matches("<li").count()), (2, 0), "{markup}");
    assert!(seen(&markup).contains("/b · this key occurs more than once"));
    let many: Vec<String> = (0..20).map(|at| format!(r#""k{at}":{{"__proto__":1}}"#)).collect();
    let markup = found(&format!("{{{}}}", many.join(",")));
    assert_eq!((notes(&markup), markup.matches("<li").count()), (1, 9));
    assert!(seen(&markup).contains("12 more"));
}

#[test]
fn r15_what_is_not_json_says_so_once_and_where() {
    let found = |text: &str| card(RequestView::of_call(1, "x", text));
    let markup = found("{\n \"path\" /tmp}");
    let text = seen(&markup);
    assert!(text.contains("This is not JSON. Line 2, column 9: expected :."), "{text}");
    assert_eq!((text.matches("not JSON").count(), text.matches("expected").count()), (1, 1), "{text}");
    assert!(
        markup.contains(r#"expected <code class="cs-code">:</code>."#) && !text.contains('`'),
        "{markup}"
    );
    assert_eq!(markup.matches(r#"data-tone="attention""#).count(), 2, "the badge and the note: {markup}");
    // What the inbox found besides is told with it.
    let view = RequestView::of_call(1, "x", "{");
    let hazard = |code: &str| HazardView { code: code.into(), pointer: String::new(), message: code.into() };
    let hazards = vec![hazard("not-json"), hazard("args-ambiguous")];
    let text = seen(&card(RequestView { hazards, ..view }));
    assert!(text.contains("This is not JSON.") && text.contains("args-ambiguous"), "{text}");
    assert!(!text.contains("not-json"), "{text}");
}

#[test]
fn r14_what_is_too_large_shows_both_ends_and_can_be_saved_and_rejected() {
    let args = ["{\"text\":\"START", &"x".repeat(2 << 20), "ENDED\"}"].concat();
    let view = RequestView { inspectable: false, ..call(1, "write", &args) };
    let markup = card(view);
    let text = seen(&markup);
    assert!(
        text.contains("START")
            && text.contains("ENDED")
            && text.contains("2,097,173 characters: too much to show")
    );
    assert!(markup.len() < 20_000 && markup.contains("download-button") && markup.contains("reject-button"));
    let deep = ["[".repeat(5000), "]".repeat(5000)].concat();
    assert!(seen(&card(call(1, "deep", &deep))).contains("Nested deeper than 64 levels: 9,552 characters"));
}

#[test]
fn r14_a_row_that_no_indent_places_says_its_level() {
    let nested = |depth| ["{\"a\":".repeat(depth), "{\"b\":1}".to_owned(), "}".repeat(depth)].concat();
    let drawn = |depth| card(call(1, "run", &nested(depth)));
    let shallow = drawn(6);
    assert!(!shallow.contains("cs-deep") && !seen(&shallow).contains("Level"));
    let deep = drawn(13);
    assert!(deep.contains("cs-tree cs-deep") && !deep.contains("cs-flat") && !seen(&deep).contains("Level"));
    let flat = drawn(16);
    assert!(flat.contains("cs-tree cs-flat"));
    assert_eq!(seen(&flat).matches("Level ").count(), 3);
    assert!(seen(&flat).contains("Level 15") && seen(&flat).contains("Level 17"));
}

#[test]
fn r19_what_is_nested_too_deep_shows_both_ends_and_no_secret() {
    let nested = |inner: &str| ["{\"a\":".repeat(70), inner.to_owned(), "}".repeat(70)].concat();
    let deep = |inner: &str| seen(&card(call(1, "run", &nested(inner))));
    let text = deep(r#"{"command":"rm -rf / --no-preserve-root"}"#);
    assert!(text.contains("rm -rf / --no-preserve-root") && !text.contains("deeper"), "{text}");
    let long = ["{\"command\":\"START", &"x".repeat(5000), "ENDED\",\"password\":\"hunter2\"}"].concat();
    let text = deep(&long);
    assert!(text.contains("START") && text.contains("ENDED") && text.contains("Nested deeper"), "{text}");
    assert!(!text.contains("hunter2") && text.contains("[7 characters masked]"), "{text}");
    let schema = ["{\"properties\":{\"a\":", "{\"properties\":{\"pin_code\":{\"writeOnly\":true}}}", "}}"];
    let [begin, within, end] = schema;
    let schema = [&begin.repeat(70), within, &end.repeat(70)].concat();
    let view = call(1, "run", &nested(r#"{"pin_code":"hunter2"}"#));
    let text = seen(&card(RequestView { args_schema: Some(schema.into()), ..view }));
    assert!(!text.contains("hunter2") && text.contains("[7 characters masked]"), "{text}");
}

#[test]
fn r19_the_members_of_a_large_object_within_another_are_counted_behind_a_button() {
    let inner = ["[", &"0,".repeat(98), "0]"].concat();
    let members: Vec<String> = (0..10).map(|at| ["\"k", &at.to_string(), "\":", &inner].concat()).collect();
    let markup = card(call(1, "x", &["{", &members.join(","), "}"].concat()));
    assert_eq!(markup.matches("<dt").count(), 10 + 5 * (20 + 2));
    assert_eq!(markup.matches(r#"aria-expanded="false">99 items"#).count(), 5);
    assert_eq!(seen(&markup).matches("Show 77 more of 99").count(), 5);
}

#[test]
fn r20_padding_is_counted_and_the_end_stays_in_sight() {
    for (padding, mark) in [
        (" ".repeat(300), "␣ × 300"),
        ("\u{A0}".repeat(300), "\\u{A0} × 300"),
        ("\u{2003}".repeat(300), "\\u{2003} × 300"),
        ("\u{3000}".repeat(300), "\\u{3000} × 300"),
        ("\\n".repeat(5000), "↵ × 5000"),
    ] {
        let text = seen(&card(call(1, "run", &["{\"command\":\"ls ;", &padding, "rm -rf /\"}"].concat())));
        assert!(text.contains(mark) && text.contains("rm -rf /"), "{text}");
    }
}

#[test]
fn r21_look_alikes_in_names_are_flagged_with_their_letters() {
    let markup = card(call(1, "delete_fil\u{435}", r#"{"p\u0430th":1,"file":"/etc/p\u0430sswd"}"#));
    let text = seen(&markup);
    assert!(text.contains("Letters that look like others: \u{435} (Cyrillic U+0435)"));
    assert_eq!(text.matches("Letters that look like others: \u{430} (Cyrillic U+0430)").count(), 2);
    assert!(markup.contains(r#"class="cs-odd">"#));
    let text = seen(&card(call(1, "\u{440}\u{430}\u{443}", r#"{"\u0441\u043e\u0440\u0435":"/tmp"}"#)));
    assert!(text.contains("Not Latin letters: \u{440} (Cyrillic U+0440), \u{430} (Cyrillic U+0430)"));
    assert!(!seen(&card(call(1, "delete_file", r#"{"größe":1,"файл":"отчёт"}"#))).contains("etters"));
}

#[test]
fn r21_look_alikes_in_keys_are_flagged_whatever_stands_under_them() {
    let told = "Letters that look like others: \u{430} (Cyrillic U+0430)";
    for value in ["2", "false", "null", "{\"v\":1}", "{}", "[1]", "[]", "\"x\"", "\"\""] {
        let text = seen(&card(call(1, "run", &["{\"p\u{430}th\":", value, "}"].concat())));
        assert_eq!(text.matches(told).count(), 1, "{value}: {text}");
    }
    for args in ["{\"p\u{430}th_token\":\"hunter2\"}", "{\"auth\":{\"p\u{430}th\":\"hunter2\"}}"] {
        let text = seen(&card(call(1, "run", args)));
        assert!(text.contains(told) && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn r21_what_all_masks_are_lifted_from_is_told_of_as_anything_else() {
    let drawn = |text: &str, acts| {
        let json = JsonView {
            text: text.into(),
            schema: None,
            id: None,
            name: "Arguments".into(),
            part: "arguments",
            empty: None,
            hazards: Vec::new(),
            head: Head::Tools,
        };
        seen(&testing::drawn(json, acts))
    };
    let args = "{\"url\":\"https://\u{430}pple.com/x\",\"cmd\":\"rm ‐rf /\",\"p\":\"p\u{430}th\"}";
    let hidden = ["{\"auth\":", args, "}"].concat();
    let plain = drawn(args, Vec::new());
    let shown = drawn(&hidden, vec![Act::Reveal]);
    for fact in ["host xn--pple-43d.com", "(Cyrillic U+0430)", "‐ (U+2010)"] {
        let count = |text: &str| text.matches(fact).count();
        assert_eq!(count(&plain), count(&shown), "{shown}");
        assert!(count(&plain) > 0 && count(&drawn(&hidden, Vec::new())) == 0, "{plain}");
    }
}

#[test]
fn r21_digits_and_signs_that_look_like_others_are_told_with_their_worth() {
    let told = "Digits and signs that look like others: ";
    let facts = |tool: &str, args: &str| seen(&card(call(1, tool, args)));
    let has = |text: &str, signs: &str| text.contains(&[told, signs].concat());
    assert!(has(&facts("get‐file", "{}"), "‐ (U+2010)"));
    assert!(facts("ɡet_file", "{}").contains("Letters that look like others: ɡ (Latin U+0261)"));
    let text = facts("reɑd‐file", "{}");
    assert!(text.contains("(Latin U+0251) · Digits and signs that look like others: ‐ (U+2010)"));
    assert!(has(&facts("pay", r#"{"amount":"৪00"}"#), "৪ (4, U+09EA)"));
    assert!(has(&facts("pay", r#"{"amount":"USD 1٥٥"}"#), "\u{2068}٥ (5, U+0665)\u{2069}"));
    assert!(has(&facts("run", r#"{"cmd":"terraform destroy ‐‐dry‐run"}"#), "‐ (U+2010)"));
    assert!(has(&facts("run", r#"{"cmd":"terraform destroy —force"}"#), "— (U+2014)"));
    assert!(has(&facts("run", r#"{"limit٣":"a"}"#), "\u{2068}٣ (3, U+0663)\u{2069}"));
    assert!(has(&facts("run", r#"{"url":"https://a.example/৪0"}"#), "৪ (4, U+09EA)"));
    assert!(card(call(1, "run", r#"{"a":"৪00"}"#)).contains(r#"class="cs-odd">৪</"#));
    for text in ["عدد الطلبات ١٥٠", "a well‑known text — really", "状态：正常", "−5", "kayıt"]
    {
        let args = ["{\"text\":\"", text, "\"}"].concat();
        assert!(!facts("run", &args).contains("look like others"), "{text}");
    }
}

#[test]
fn r21_where_a_call_comes_from_is_looked_at_as_its_arguments_are() {
    let facts = |server: &str, agent: &str| {
        let server = Some(server).filter(|server| !server.is_empty()).map(Arc::from);
        let agent = Vec::from_iter(Some(agent).filter(|agent| !agent.is_empty()).map(Arc::from));
        let origin = |markup: &str| {
            seen(
                markup
                    .split_once("part=\"origin\"")
                    .and_then(|(_, rest)| rest.split_once("</header>"))
                    .unwrap()
                    .0,
            )
        };
        origin(&card(RequestView { server, agent, ..call(1, "run", "{}") }))
    };
    let letter = "Letters that look like others: \u{443} (Cyrillic U+0443)";
    assert!(facts("gith\u{443}b", "").contains(letter));
    assert!(facts("my gith\u{443}b", "").contains(letter));
    assert!(facts("", "h\u{443}lper").contains(letter));
    let address = facts("https://\u{430}pple.com/mcp", "");
    assert!(
        address.contains("host xn--pple-43d.com · Letters that look like others: \u{430} (Cyrillic U+0430)")
    );
    assert!(
        facts("https://google.com@evil.example/mcp", "")
            .contains("host evil.example · google.com before the @")
    );
    assert!(facts("https://m\u{FC}nchen.example/", "").contains("host xn--mnchen-3ya.example"));
    for plain in ["github", "https://example.com/mcp", "größe", "файл"] {
        let text = facts(plain, plain);
        assert!(!text.contains("host") && !text.contains("etters"), "{text}");
    }
}

#[test]
fn r21_the_host_that_is_asked_stands_beside_an_address() {
    let facts = |address: &str| seen(&card(call(1, "fetch", &["{\"u\":\"", address, "\"}"].concat())));
    let text = facts("https://google.com@evil.example/a");
    assert!(text.contains("host evil.example · google.com before the @ is a user name, not the host"));
    let text = facts("https://\u{430}\u{440}\u{440}\u{4CF}\u{435}.com/");
    assert!(text.contains("host xn--80ak6aa92e.com") && text.contains("Cyrillic U+0430"));
    assert!(facts("http://2130706433:8080/").contains("host 127.0.0.1:8080 · the machine that runs"));
    let text = facts("https://ok.example;@evil.example/");
    assert!(text.contains("host evil.example · ok.example; before the @ is a user name, not the host"));
    assert!(!text.contains("host ok.example"));
    let text = facts(r"https://ok.example\t.evil.example/x");
    assert!(text.contains("host ok.example.evil.example") && text.contains("host ok.example"));
    assert!(facts("http://[0:0:0:0:0:0:0:1]/").contains("host [0:0:0:0:0:0:0:1] · the machine that runs"));
    assert!(facts("http://①②⑦.⓪.⓪.①/").contains("host 127.0.0.1 · ①②⑦.⓪.⓪.① · the machine that runs"));
    assert!(facts("javascript:alert(1)").contains("javascript: carries its content in itself"));
    assert!(facts("https://example.com/x").contains("host example.com"));
    assert!(!card(call(1, "fetch", r#"{"u":"https://example.com/x"}"#)).contains("<a "));
}

#[test]
fn r24_secrets_in_what_someone_else_wrote_stand_behind_masks_on_cards_and_lines() {
    let token = "eyJhbGciOi.eyJzdWIiOiIx.c2ln";
    let said = || Some(Arc::from(["use ", token, " now"].concat()));
    let failed = OutboundView { id: "o1".into(), state: OutboundState::Failed, held: false, error: said() };
    let base = || RequestView { offers: Vec::new(), ..call(1, "run", "{}") };
    for (about, view) in [
        ("title", RequestView { title: said(), ..base() }),
        ("description", RequestView { description: said(), ..base() }),
        ("hint", RequestView { hint: said(), ..base() }),
        ("error", RequestView { error: said(), status: Status::Failed, ..base() }),
        ("send", RequestView { outbound: Some(failed), ..base() }),
        ("reason", RequestView { reason: said(), status: Status::Rejected, ..base() }),
    ] {
        for markup in [card(view.clone()), panel(vec![view])] {
            assert!(!markup.contains(token), "{about}: {markup}");
            assert!(seen(&markup).contains("use •••••••• 28 characters now"), "{about}");
            assert!(markup.contains(r#"aria-label="Reveal 28 characters""#), "{about}");
        }
    }
}

#[test]
fn r24_secrets_stand_behind_masks_that_tell_their_length() {
    let view = call(
        1,
        "login",
        r#"{"user":"me","password":"hunter2","note":"use eyJhbGciOi.eyJzdWIiOiIx.c2ln now"}"#,
    );
    let markup = card(view.clone());
    let text = seen(&markup);
    assert!(!markup.contains("hunter2") && !markup.contains("eyJzdWIiOiIx"));
    assert!(text.contains("•••••••• 7 characters") && text.contains("use •••••••• 28 characters now"));
    assert!(markup.contains(r#"aria-label="Reveal 7 characters""#) && markup.contains("copy-secrets-button"));
    let line = panel(vec![RequestView {
        status: Status::Completed,
        decision: decided("approve"),
        ..call(2, "login", r#"{"token":"hunter2"}"#)
    }]);
    assert!(!line.contains("hunter2") && line.contains("••••••••"));
}

#[test]
fn r24_a_secret_stands_behind_its_mask_in_a_name_that_looks_odd_and_below_what_is_drawn() {
    let deep = ["[".repeat(70), r#""k9x""#.to_owned(), "]".repeat(70)].concat();
    for args in [
        r#"{"url":"https://\u0440aypal.com/?token=k9x7q2w4"}"#.to_owned(),
        ["{\"password\":", &deep, "}"].concat(),
    ] {
        let markup = card(call(1, "x", &args));
        assert!(!markup.contains("k9x"), "{markup}");
    }
    assert!(card(call(1, "x", &["{\"words\":", &deep, "}"].concat())).contains("k9x"));
}

#[test]
fn r24_what_a_name_beside_it_calls_secret_is_masked_on_the_card_in_the_history_and_among_changes() {
    let args = r#"{"headers":[{"name":"Authorization","value":"Bearer abc"}],"kv":{"value":{"a":"hunter2"},"key":"token"}}"#;
    let text = seen(&card(call(1, "run", args)));
    assert!(!text.contains("Bearer abc") && !text.contains("hunter2"), "{text}");
    assert!(text.contains("Authorization") && text.contains("Reveal"), "{text}");
    let line = r#"{"value":"hunter2","name":"password"}"#;
    let settled = |args: &str, after: Option<&str>| RequestView {
        status: Status::Completed,
        decision: Some(DecisionFields {
            kind: if after.is_some() { "edit" } else { "approve" }.to_owned(),
            args: after.map(str::to_owned),
            ..DecisionFields::default()
        }),
        ..call(2, "run", args)
    };
    assert!(!panel(vec![settled(line, None)]).contains("hunter2"));
    let edited = card(settled(line, Some(&line.replace("hunter2", "swordfish"))));
    assert!(!edited.contains("hunter2") && !edited.contains("swordfish"), "{edited}");
    assert!(seen(&edited).contains("[9 characters masked]"), "{edited}");
}

#[test]
fn r24_what_an_item_before_it_calls_secret_is_masked_on_the_card_and_among_changes() {
    let args = r#"{"args":["--user","anna","--password","hunter2"],"headers":[["X-Api-Key","hunter2"]]}"#;
    let text = seen(&card(call(1, "run", args)));
    assert!(!text.contains("hunter2") && text.contains("anna") && text.contains("X-Api-Key"), "{text}");
    let edited = RequestView {
        status: Status::Completed,
        decision: Some(DecisionFields {
            kind: "edit".to_owned(),
            args: Some(args.replace("hunter2", "swordfish7")),
            ..DecisionFields::default()
        }),
        ..call(2, "run", args)
    };
    let edited = card(edited);
    assert!(!edited.contains("hunter2") && !edited.contains("swordfish7"), "{edited}");
}

#[test]
fn r24_what_the_schema_calls_secret_is_masked_on_the_card_and_in_the_history() {
    let schema =
        r#"{"properties":{"door":{"format":"password"},"safe":{"writeOnly":true},"new":{"writeOnly":true}}}"#;
    let view = RequestView {
        args_schema: Some(schema.into()),
        ..call(1, "open", r#"{"door":"sesame","safe":{"left":1234},"old":"mat","new":"vase","n":5678}"#)
    };
    let markup = card(view.clone());
    let text = seen(&markup);
    assert!(["sesame", "1234", "vase"].iter().all(|secret| !markup.contains(secret)), "{markup}");
    assert!(text.contains("•••••••• 6 characters") && text.contains("5678") && text.contains("mat"));
    assert!(markup.contains("copy-secrets-button"));
    let line =
        panel(vec![RequestView { status: Status::Completed, decision: decided("approve"), ..view.clone() }]);
    assert!(!line.contains("sesame") && line.contains("••••••••"), "{line}");
    assert!(card(RequestView { args_schema: None, ..view }).contains("sesame"));
}

#[test]
fn r24_what_took_the_place_of_a_secret_stays_masked_once_it_was_sent() {
    let sent = |before: &str, after: &str| {
        let fields = DecisionFields { args: Some(after.to_owned()), ..DecisionFields::default() };
        let decision = Some(DecisionFields { kind: "edit".to_owned(), ..fields });
        seen(&card(RequestView { status: Status::Completed, decision, ..call(1, "note", before) }))
    };
    let text = sent(r#"{"memo":"password: hunter2","n":1}"#, r#"{"memo":"hunter3","n":2}"#);
    assert!(!text.contains("hunter") && text.contains("[7 characters masked]"), "{text}");
    let text = sent(r#"{"memo":"password: hunter2"}"#, r#"{"memo":"password: hunter3 too"}"#);
    assert!(!text.contains("hunter") && text.contains("too"), "what is still told apart is: {text}");
    assert!(sent(r#"{"memo":"plain"}"#, r#"{"memo":"other"}"#).contains("other"));
}

#[test]
fn an_edit_of_a_file_is_shown_line_by_line_beside_its_fields() {
    let args = r#"{"path":"a.rs","old_string":"one\ntwo\nthree","new_string":"one\n2\nthree"}"#;
    let markup = card(call(1, "edit_file", args));
    assert!(markup.contains(">two</del>") && markup.contains(">2</ins>"));
    assert!(markup.contains(">old_string</dt>") && markup.contains(">new_string</dt>"));
}

#[test]
fn a_program_keeps_its_lines_and_a_patch_its_signs() {
    let markup = card(call(1, "run", r#"{"command":"set -e\n  rm -rf ./a","patch":"@@ -1 +1 @@\n-a\n+b"}"#));
    assert!(
        markup.contains("<pre part=\"code\" class=\"cs-block cs-code\">set -e\n  rm -rf ./a</pre>"),
        "{markup}"
    );
    assert!(markup.contains(r#"cs-removed-line">-a<"#) && markup.contains(r#"cs-added-line">+b<"#));
}

#[test]
fn r18_emoji_are_whole_in_sentences_and_taken_apart_in_names() {
    let family = "\u{1F469}\u{200D}\u{1F467}";
    let view =
        RequestView { hint: Some(family.into()), ..call(1, "x", &["{\"k\":\"", family, "\"}"].concat()) };
    let text = seen(&card(view));
    assert!(text.contains(&["“", family, "”"].concat()) && text.contains("\u{1F469}\\u{200D}\u{1F467}"));
}

#[test]
fn r23_a_renderer_takes_nothing_away_from_the_card() {
    for render in [|_: &RequestView| None, |_: &RequestView| Some(Html::default())] {
        let request = Rc::new(call(1, "delete_file", r#"{"path":"/a"}"#));
        let renderers = Renderers::new(render);
        let markup = rendered::<ToolCallCard>(yew::props!(ToolCallCardProps { request, renderers }));
        assert!(seen(&markup).contains(r#"path"#) && markup.contains(">Raw</button>"));
        assert!(markup.contains("approve-button") && markup.contains("reject-button"));
    }
}

#[test]
fn r39_of_a_call_that_failed_with_its_run_it_is_said_that_nothing_is_known() {
    let words = "The run failed; what became of this call is not known.";
    let failed = RequestView {
        status: Status::Failed,
        offers: Vec::new(),
        decision: decided("approve"),
        ..call(1, "run", "{}")
    };
    for markup in [card(failed.clone()), panel(vec![failed.clone()])] {
        assert!(seen(&markup).contains(words), "{markup}");
    }
    let said = || Some(Arc::from("\"it broke\""));
    for told in
        [RequestView { error: said(), ..failed.clone() }, RequestView { result_text: said(), ..failed }]
    {
        assert!(!seen(&card(told.clone())).contains(words) && !seen(&panel(vec![told])).contains(words));
    }
}

//! What holds of every catalogue.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use countersign_json::{Document, Limits};

use super::language::{Category, Rule};
use super::read::places;
use super::table::rows;
use super::told::{TOLD, WORDS};
use super::*;

const CATALOGUES: [(&str, &str); 3] =
    [("de", locales::DE), ("zh-Hans", locales::ZH_HANS), ("ar", locales::AR)];

/// The forms of every text of a catalogue: category and words; `other` for a plain text.
fn texts(json: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let document = Document::parse(json, &Limits::default()).expect("JSON");
    let text = |value: countersign_json::Value<'_>| value.as_str().expect("a text").into_owned();
    let members = document.root().members().filter(|(key, _)| !key.equals("locale"));
    members
        .map(|(key, value)| match value.as_str() {
            Some(words) => (text(key), vec![("other".to_owned(), words.into_owned())]),
            None => (text(key), value.members().map(|(form, words)| (text(form), text(words))).collect()),
        })
        .collect()
}

/// Every text: its key, the English for one and for every other number, and what it is for.
fn english() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let rows = [&*rows(first::TABLE), &*later::all()].concat();
    let about = first::ABOUT.iter().chain(later::ABOUT);
    let ours = rows.iter().zip(about).map(|(row, about)| (row.key, row.one, row.other, *about));
    let told = WORDS.iter().map(|(key, words, about)| (*key, words[0], words[words.len() - 1], *about));
    ours.chain(told).collect()
}

#[test]
fn every_catalogue_has_every_text_and_nothing_is_wrong_with_it() {
    let wanted: BTreeSet<&str> = english().into_iter().map(|(key, ..)| key).collect();
    for (table, count, about) in
        [(first::TABLE, first::COUNT, first::ABOUT), (later::TABLE, later::COUNT, later::ABOUT)]
    {
        assert_eq!((rows(table).len(), about.len()), (count, count));
    }
    let ours = first::COUNT + later::COUNT;
    assert_eq!(wanted.len(), ours + WORDS.len(), "a key stands twice in the tables");
    for (tag, json) in CATALOGUES {
        let Translation { catalogue, problems } = Catalogue::from_json(json);
        assert_eq!(problems, [], "{tag}");
        assert_eq!(catalogue.locale(), tag);
        let texts = texts(json);
        let found: BTreeSet<&str> = texts.keys().map(String::as_str).collect();
        assert_eq!(found, wanted, "{tag}");
    }
}

#[test]
fn a_text_with_forms_has_those_that_its_language_needs() {
    for (tag, json) in CATALOGUES {
        let needed: BTreeSet<&str> = (0..200).map(|count| Rule::of(tag).category(count).as_str()).collect();
        for (key, forms) in texts(json).into_iter().filter(|(_, forms)| forms.len() > 1) {
            let mut found: BTreeSet<&str> = forms.iter().map(|(form, _)| form.as_str()).collect();
            // None of it is never said of what is only shown where there is some.
            let optional = ["hidden_characters", "nested_deeper"].contains(&key.as_str());
            if optional && needed.contains("zero") {
                found.insert("zero");
            }
            assert_eq!(found, needed, "{key} in {tag}");
        }
    }
}

/// Words that are the same in every language, or by chance in one.
const SHARED: [&str; 8] =
    ["SHA-256", "JSON", "JavaScript", "Optional", "UTF-8", "`true`", "`false`", "`null`"];

#[test]
fn nothing_is_left_in_english() {
    for (tag, json) in CATALOGUES {
        for (key, forms) in texts(json) {
            let english = english();
            let (_, one, other, _) = english.iter().find(|(known, ..)| *known == key).expect("a text");
            for (_, text) in forms {
                let mut words = text.clone();
                places(&text).iter().for_each(|place| words = words.replace(&format!("{{{place}}}"), ""));
                SHARED.iter().for_each(|shared| words = words.replace(shared, ""));
                let says = words.chars().any(char::is_alphabetic);
                assert!(!says || (text != *one && text != *other), "{key} in {tag}: {text}");
                let latin = words.chars().any(|letter| letter.is_ascii_alphabetic());
                assert!(tag == "de" || !latin, "{key} in {tag}: {text}");
            }
        }
    }
}

#[test]
fn the_security_meaning_is_said_in_every_language() {
    // What a person must not miss: that something is not verified, reaches further, or can only be refused.
    let words = [
        ("de", ["nicht überprüft", "beliebigen Argumenten", "ohne Rückfrage", "nur abgelehnt", "erneut"]),
        ("zh-Hans", ["未经核实", "任意参数", "不再询问", "只能拒绝", "重新核对"]),
        ("ar", ["غير متحقَّق", "بأي وسائط", "دون سؤال", "لا يمكن إلا رفض", "من جديد"]),
    ];
    for (tag, [claim, any, unasked, refuse, again]) in words {
        let words = Catalogue::from_json(locales::find(tag).expect("a catalogue")).catalogue;
        assert!(words.claim().contains(claim) && words.reach_tool().contains(any), "{tag}");
        assert!(words.what_runs_unasked().contains(unasked), "{tag}");
        assert!(words.unreadable().contains(refuse) && words.changed().contains(again), "{tag}");
    }
}

#[test]
fn counts_are_grouped_and_agree_in_number() {
    let words = Messages::default();
    assert_eq!(
        ["0", "1,560", "1,234,567"],
        [0, 1560, 1_234_567].map(|count| words.number(count)).each_ref().map(String::as_str)
    );
    assert_eq!((words.calls_wait(1), words.calls_wait(3)), ("1 call waits".into(), "3 calls wait".into()));
    let german = Catalogue::from_json(locales::DE).catalogue;
    assert_eq!(german.calls_wait(1560), "1.560 Aufrufe warten");
    let arabic = Catalogue::from_json(locales::AR).catalogue;
    let said = [0, 1, 2, 3, 11, 100].map(|count| arabic.fields(count));
    assert_eq!(said, ["لا حقول", "حقل واحد", "حقلان", "3 حقول", "11 حقلًا", "100 حقل"]);
    assert_eq!(Catalogue::from_json(locales::ZH_HANS).catalogue.characters(1), "1 个字符");
}

#[test]
fn a_countdown_has_two_digits_of_seconds() {
    let words = Messages::default();
    assert_eq!(words.countdown(42), "0:42");
    assert_eq!(words.countdown(605), "10:05");
    assert_eq!(words.countdown(3_661), "1:01:01");
}

#[test]
fn r46_an_announcement_names_tools_and_counts_the_rest() {
    let (words, tools) = (Messages::default(), ["delete_file".to_owned(), "send_email".to_owned()]);
    assert_eq!(words.calls_arrived(2, &tools), "2 calls wait: delete_file, send_email");
    assert_eq!(words.calls_arrived(5, &tools), "5 calls wait: delete_file, send_email, 3 more");
}

#[test]
fn r18_what_is_put_in_does_not_change_the_direction_of_the_words_around_it() {
    let isolated = |text: &str| ["\u{2068}", text, "\u{2069}"].concat();
    let english = Messages::default();
    assert_eq!(english.call_stands("delete", "sent"), "delete: sent");
    assert_eq!(english.call_stands("חשבון", "sent"), [&isolated("חשבון"), ": sent"].concat());
    let arabic = Catalogue::from_json(locales::AR).catalogue;
    assert!(arabic.always_allow("delete_file").contains(&isolated("delete_file")));
    assert_eq!((arabic.direction(), english.direction()), (Some("rtl"), None));
}

#[test]
fn what_is_put_in_is_not_read_as_a_place() {
    let words = Messages::default();
    assert_eq!(words.call_stands("{standing}", "{tool}"), "{standing}: {tool}");
    assert_eq!(words.hidden_characters(1).matches("{example}").count(), 1);
}

#[test]
fn a_catalogue_that_is_not_as_it_must_be_is_told_and_the_rest_counts() {
    let Translation { catalogue, problems } = Catalogue::from_json(
        r#"{"locale": 7, "approve": "Ja", "aprove": "Ja", "reject": 1, "always_allow": "Immer",
            "calls_wait": {"one": "einer", "other": "{count} warten"}, "items": {"lots": "viele"},
            "fields": {"one": "{count} Feld"}, "more": "{count} {tool} mehr", "characters": {"few": "wenige", "other": "{count}"}}"#,
    );
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`locale` is neither a string nor an object of forms with `other`",
            "there is no text `aprove`",
            "`reject` is neither a string nor an object of forms with `other`",
            "`always_allow` lacks the place tool",
            "`items` has the unknown form lots",
            "`fields` is neither a string nor an object of forms with `other`",
            "`more` has the unknown place tool",
            "`characters` lacks the place count",
        ]
    );
    assert_eq!((catalogue.approve().as_str(), catalogue.reject().as_str()), ("Ja", "Reject"));
    assert_eq!((catalogue.calls_wait(1), catalogue.calls_wait(2)), ("einer".into(), "2 warten".into()));
    assert_eq!(catalogue.always_allow("t"), "Always allow t");
}

#[test]
fn what_is_no_object_changes_nothing() {
    for text in ["", "[]", "null", "{\"approve\": ", "{\"approve\": \"a\"} x"] {
        let Translation { catalogue, problems } = Catalogue::from_json(text);
        assert_eq!((catalogue.approve().as_str(), problems.len()), ("Approve", 1), "{text}");
        assert!(problems[0].to_string().starts_with("the catalogue is not a JSON object: "));
    }
}

#[test]
fn catalogues_lie_over_one_another() {
    let german = Catalogue::from_json(locales::DE).catalogue;
    let ours = german.with_json(r#"{"approve": "Freigeben"}"#).catalogue;
    assert_eq!((ours.approve().as_str(), ours.reject().as_str()), ("Freigeben", "Ablehnen"));
    assert_eq!((german.approve().as_str(), ours.locale().as_str()), ("Genehmigen", "de"));
    assert!(ours == ours.clone() && ours != german);
}

#[test]
fn a_catalogue_is_found_by_its_language() {
    let found =
        |tag| locales::find(tag).map(|json| Catalogue::from_json(json).catalogue.locale().to_string());
    assert_eq!(found("de-AT").as_deref(), Some("de"));
    assert_eq!(found("zh_CN").as_deref(), Some("zh-Hans"));
    assert_eq!(found("AR").as_deref(), Some("ar"));
    assert_eq!([found("zh-Hant"), found("zh-TW"), found("en"), found("")], [None, None, None, None]);
}

#[test]
fn hazards_are_said_in_the_language_and_in_english_as_the_reader_says_them() {
    let hazard = |code: &str| HazardView {
        pointer: String::new(),
        code: code.into(),
        message: "said by the reader".into(),
    };
    assert_eq!(Messages::default().hazard(&hazard("not-json")), "said by the reader");
    let german = Catalogue::from_json(locales::DE).catalogue;
    assert_eq!(german.hazard(&hazard("not-json")), "Das ist kein JSON");
    assert_eq!(german.hazard(&hazard("something-new")), "said by the reader");
    let codes = [
        "duplicate-key",
        "lone-surrogate",
        "too-deep",
        "too-large",
        "too-many-values",
        "not-json",
        "not-an-object",
        "prototype-key",
        "private-key",
        "rounded-number",
        "args-ambiguous",
    ];
    assert!(codes.iter().all(|code| german.hazard(&hazard(code)) != "said by the reader"));
}

#[test]
fn every_refusal_has_its_sentence_in_every_language() {
    let [codes, _] = countersign_core::ERROR_CODES;
    for (tag, json) in CATALOGUES {
        let words = Catalogue::from_json(json).catalogue;
        for code in codes {
            assert!(words.told("refusal_", code, None).is_some(), "{code} in {tag}");
        }
        assert_ne!(words.refusal(Some(RefusalCode::ArgsChanged), "in English"), "in English", "{tag}");
        assert_eq!(words.refusal(None, "in English"), "in English");
    }
    // In English the inbox says more than the table could.
    assert_eq!(
        Messages::default().refusal(Some(RefusalCode::Expired), "request `r1` has expired"),
        "request `r1` has expired"
    );
}

#[test]
fn r25_every_fault_of_json_has_its_words_in_every_language() {
    let keys = WORDS.iter().filter(|(key, ..)| key.starts_with("json_")).count();
    assert_eq!(keys, ParseErrorCode::ALL.len());
    for code in ParseErrorCode::ALL {
        let key = format!("json_{}", code.as_str().replace('-', "_"));
        let (_, words, _) = WORDS.iter().find(|(known, ..)| *known == key).expect("it stands in the table");
        assert_eq!(words, &[code.message()], "{key}");
        assert_eq!(Messages::default().json_error(*code), code.message());
        for (tag, json) in CATALOGUES {
            assert_ne!(Catalogue::from_json(json).catalogue.json_error(*code), code.message(), "{tag}");
        }
    }
}

#[test]
fn texts_that_other_crates_say_are_checked_as_all_others() {
    let told = rows(TOLD);
    assert_eq!(told.len(), WORDS.len());
    for (row, (key, words, _)) in told.iter().zip(WORDS) {
        assert_eq!(row.key, *key);
        for words in *words {
            let of = |text| BTreeSet::from_iter(places(text));
            assert_eq!(of(words), of(row.other), "{key}");
        }
    }
    let Translation { catalogue, problems } = Catalogue::from_json(
        r#"{"json_expected_colon": "Doppelpunkt {tool}", "schema_minimum": "{place} zu klein", "schema_minimal": "",
            "schema_min_items": {"one": "{place}: einer", "other": "{place}: {count}"}, "hazard_not_json": "kein JSON"}"#,
    );
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`json_expected_colon` has the unknown place tool",
            "`schema_minimum` lacks the place limit",
            "there is no text `schema_minimal`",
        ]
    );
    assert_eq!(catalogue.json_error(ParseErrorCode::ExpectedColon), "expected `:`");
    assert_eq!(catalogue.told("schema_", "minimum", None), None);
    assert_eq!(catalogue.told("schema_", "min-items", Some(1)).as_deref(), Some("{place}: einer"));
    assert_eq!(catalogue.told("schema_", "min-items", Some(2)).as_deref(), Some("{place}: {count}"));
    let over = catalogue.with_json(r#"{"hazard_not_json": "nicht JSON"}"#).catalogue;
    assert_eq!(over.told("hazard_", "not-json", None).as_deref(), Some("nicht JSON"));
}

/// The list of all texts for people who translate.
///
/// `COUNTERSIGN_BLESS=1 cargo test -p countersign-yew` writes it.
#[test]
fn the_list_of_texts_in_the_guide_is_that_of_the_table() {
    let mut list = String::from("| key | English | what it is for |\n|---|---|---|\n");
    for (key, one, other, about) in english() {
        let english = if one == other { other.to_owned() } else { format!("{one} / {other}") };
        list.push_str(&format!("| `{key}` | {} | {} |\n", english.trim(), about.trim()));
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../www/docs/messages.md");
    let guide = std::fs::read_to_string(&file).expect("the guide");
    let (before, rest) = guide.split_once("<!-- texts -->\n").expect("the beginning of the list");
    let (found, after) = rest.split_once("<!-- end of texts -->").expect("the end of the list");
    if std::env::var_os("COUNTERSIGN_BLESS").is_some() {
        let written = [before, "<!-- texts -->\n", &list, "<!-- end of texts -->", after].concat();
        std::fs::write(&file, written).expect("the guide can be written");
    } else {
        assert_eq!(found, list, "www/docs/messages.md is not up to date");
    }
}

#[test]
fn a_span_is_told_in_days_from_one_on() {
    let told =
        [1, 2, 23, 24, 47, 48, 720].map(|hours| Messages::default().for_span(Millis(hours * 3_600_000)));
    assert_eq!(
        told,
        ["For 1 hour", "For 2 hours", "For 23 hours", "For 1 day", "For 1 day", "For 2 days", "For 30 days"]
    );
}

#[test]
fn every_category_has_a_name() {
    let names: BTreeSet<&str> = Category::ALL.map(Category::as_str).into();
    assert_eq!(names.len(), Category::ALL.len());
}

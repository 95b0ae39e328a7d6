//! The dialog as it is drawn: what is masked, and what keeps its place.

use std::rc::Rc;

use countersign_core::{Offer, OfferKind, RequestView};
use yew::prelude::*;

use super::draft::Typing;
use super::slot::Slot;
use super::{Desk, EditDialog};
use crate::messages::{Catalogue, locales};
use crate::piece::{Act, Piece, Stage, Step};
use crate::testing::{call, drawn_in};
use crate::writing::Writing;

/// What people do in the dialog.
type Script = fn(&Person<'_>);

/// Draws the dialog, lets a person act, and draws it again.
struct Show {
    view: Rc<RequestView>,
    script: Script,
}

struct Person<'p> {
    dialog: EditDialog,
    desk: &'p Desk,
    stage: &'p Rc<Stage>,
}

impl Piece for Show {
    type Memory = Desk;

    fn same(&self, _: &Show) -> bool {
        false
    }

    fn draw(&self, desk: &Desk, stage: &Rc<Stage>) -> Html {
        let dialog = EditDialog {
            card: Rc::clone(stage),
            view: Rc::clone(&self.view),
            editing: Rc::default(),
            tool: "pay".into(),
            writing: Writing::default(),
            arm_delay: 0,
            refused: None,
            hurry: Html::default(),
        };
        let person = Person { dialog, desk, stage };
        drop(person.looks());
        (self.script)(&person);
        person.looks()
    }

    fn act(&self, _: &Desk, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        false
    }
}

impl Person<'_> {
    fn looks(&self) -> Html {
        self.dialog.draw(self.desk, self.stage)
    }

    fn find(&self, place: &str) -> (usize, Slot) {
        let slots = self.desk.slots.borrow();
        let at = slots.iter().position(|slot| slot.pointer == place).expect("it is drawn");
        (at, slots[at].clone())
    }

    fn types(&self, place: &str, words: &str) {
        self.dialog.take_words(self.desk, &self.find(place).1, words);
        drop(self.looks());
    }

    fn presses(&self, place: &str, step: Step) {
        self.does(&Act::Change(self.find(place).0, step));
    }

    fn does(&self, act: &Act) {
        self.dialog.take(self.desk, self.stage, act, None);
        drop(self.looks());
    }
}

/// The dialog after that, an element a line.
fn after(args: &str, schema: Option<&str>, script: Script) -> String {
    after_in(None, args, schema, script)
}

/// The same in the words of a catalogue.
fn after_in(messages: Option<Catalogue>, args: &str, schema: Option<&str>, script: Script) -> String {
    let view = RequestView {
        offers: vec![Offer::new(OfferKind::Approve), Offer::new(OfferKind::Edit)],
        args_schema: schema.map(Into::into),
        ..call(1, "pay", args)
    };
    let show = Show { view: Rc::new(view), script };
    drawn_in(show, messages.unwrap_or_default()).replace("><", ">\n<")
}

/// The lines with this word; those of masked fields have their value in an attribute that nobody sees.
fn in_sight(markup: &str, word: &str) -> usize {
    let is_masked = |line: &&str| line.contains("type=\"password\"");
    markup.lines().filter(|line| line.contains(word) && !is_masked(line)).count()
}

fn masked(markup: &str) -> usize {
    markup.lines().filter(|line| line.contains("type=\"password\"")).count()
}

#[test]
fn r24_what_stands_under_a_name_of_a_secret_is_masked_however_deep_and_numbers_too() {
    let args = r#"{"credentials":{"user":"anna","value":"hunter2"},"pin":4711,"n":42}"#;
    let markup = after(args, None, |_| ());
    for secret in ["anna", "hunter2", "4711"] {
        assert_eq!(in_sight(&markup, secret), 0, "{secret}: {markup}");
    }
    assert_eq!((masked(&markup), in_sight(&markup, "\"42\"")), (3, 1));
    let markup = after(args, None, |person| person.presses("/pin", Step::Reveal));
    assert_eq!((masked(&markup), in_sight(&markup, "4711")), (2, 1));
    let schema = r#"{"properties":{"safe":{"writeOnly":true,"properties":{"left":{"type":"integer"}}}}}"#;
    let markup = after(r#"{"safe":{"left":4711}}"#, Some(schema), |_| ());
    assert_eq!((masked(&markup), in_sight(&markup, "4711")), (1, 0));
}

#[test]
fn r24_what_a_name_beside_it_calls_secret_is_masked() {
    let markup = after(r#"{"headers":[{"name":"Cookie","value":"sid-one"}]}"#, None, |_| {});
    assert_eq!((masked(&markup), in_sight(&markup, "sid-one"), in_sight(&markup, "Cookie")), (1, 0, 1));
}

#[test]
fn r24_what_an_item_before_it_calls_secret_is_masked() {
    let markup = after(r#"{"args":["--user","anna","--password","hunter2"]}"#, None, |_| {});
    assert_eq!((masked(&markup), in_sight(&markup, "hunter2"), in_sight(&markup, "anna")), (1, 0, 1));
}

#[test]
fn r24_what_was_typed_behind_a_mask_stays_behind_it() {
    let args =
        r#"{"memo":"password: hunter2","list":["ghp_16C7e42F292c6912E7710c838347Ae178B4a","b"],"n":1}"#;
    let typed: Script = |person| {
        person.types("/memo", "harmless");
        person.types("/list/0", "as well");
    };
    let markup = after(args, None, typed);
    assert_eq!((masked(&markup), in_sight(&markup, "harmless")), (2, 0), "{markup}");
    assert!(markup.contains("Reveal memo"), "{markup}");
    let markup = after(args, None, |person| {
        person.types("/memo", "harmless");
        person.presses("/memo", Step::Reveal);
    });
    assert_eq!(masked(&markup), 1);
    // An item that changes its place takes the mask along.
    let markup = after(args, None, |person| {
        person.types("/list/0", "as well");
        person.presses("/list/0", Step::Down);
        person.presses("/n", Step::Remove);
    });
    assert_eq!((masked(&markup), in_sight(&markup, "as well")), (2, 0), "{markup}");
    assert!(markup.contains("Reveal list[1]") && !markup.contains("Reveal list[0]"), "{markup}");
}

#[test]
fn r24_what_comes_back_as_it_came_is_masked_again() {
    let args = r#"{"api_key":"one","memo":"plain"}"#;
    let shown: Script = |person| {
        person.presses("/api_key", Step::Reveal);
        person.types("/api_key", "two");
    };
    assert_eq!(masked(&after(args, None, shown)), 0);
    let reset = after(args, None, |person| {
        person.presses("/api_key", Step::Reveal);
        person.types("/api_key", "two");
        person.presses("/api_key", Step::Reset);
    });
    let all = after(args, None, |person| {
        person.presses("/api_key", Step::Reveal);
        person.types("/api_key", "two");
        person.does(&Act::Discard);
    });
    for markup in [reset, all] {
        assert_eq!((masked(&markup), in_sight(&markup, "\"one\"")), (1, 0), "{markup}");
    }
}

#[test]
fn r24_r25_what_the_schema_calls_secret_is_masked_among_the_changes() {
    let schema = r#"{"properties":{"door":{"type":"string","format":"password"}}}"#;
    let markup = after(r#"{"door":"hunter1","n":1}"#, Some(schema), |person| {
        person.types("/door", "hunter2");
        person.types("/n", "2");
    });
    assert_eq!((in_sight(&markup, "hunter"), masked(&markup)), (0, 1), "{markup}");
    assert!(markup.contains("2 values differ") && markup.contains("characters masked"), "{markup}");
}

#[test]
fn r25_what_the_schema_and_the_reader_find_is_said_in_the_language_of_the_dialog() {
    let schema = r#"{"properties":{"amount":{"type":"number","maximum":100},"to":{"type":"string"}},"required":["to"]}"#;
    let wrong: Script = |person| {
        person.types("/amount", "200");
        person.presses("/to", Step::Remove);
    };
    let german = Some(Catalogue::from_json(locales::DE).catalogue);
    let markup = after_in(german.clone(), r#"{"amount":1,"to":"x"}"#, Some(schema), wrong);
    let code = |name: &str| format!("<code class=\"cs-code\">\n{name}</code>\n");
    let sentences =
        [format!("{} fehlt", code("to")), format!("{} darf höchstens {} sein", code("amount"), code("100"))];
    let flat = markup.replace('\n', "");
    for sentence in sentences {
        let sentence = sentence.replace('\n', "");
        assert_eq!(
            flat.matches(&sentence).count(),
            2,
            "at the field and in the summary: {sentence} {markup}"
        );
    }
    assert!(!markup.contains("must be") && !markup.contains("is missing"), "{markup}");
    let broken: Script = |person| {
        person.does(&Act::Raw(true));
        person.types("", "{\"amount\":}");
    };
    let markup = after_in(german, r#"{"amount":1}"#, Some(schema), broken);
    assert_eq!(markup.matches("Zeile 1, Spalte 11: Wert erwartet.").count(), 2, "{markup}");
    let arabic = Some(Catalogue::from_json(locales::AR).catalogue);
    let markup =
        after_in(arabic.clone(), r#"{"amount":1}"#, Some(schema), |person| person.types("/amount", "200"));
    assert!(markup.contains("\u{2068}100\u{2069} على الأكثر") && !markup.contains("cs-chip"), "{markup}");
    let markup = after_in(arabic, r#"{"amount":1}"#, Some(schema), |person| {
        person.does(&Act::Raw(true));
        person.types("", "{\"amount\":1]");
    });
    assert!(!markup.contains("cs-chip"), "what isolates values is not hidden: {markup}");
    let code = |sign: &str| ["\u{2066}<code class=\"cs-code\">", sign, "</code>\u{2069}"].concat();
    let says = ["المتوقع ", &code(","), " أو ", &code("}")].concat();
    assert_eq!(markup.matches(&says).count(), 2, "{markup}");
}

#[test]
fn r14_a_value_that_no_browser_draws_at_once_does_not_stop_the_dialog() {
    let of = |value: &str| after(&["{\"x\":\"", value, "\"}"].concat(), None, |_| {});
    let markup = of(&"a\u{200B}".repeat(200_000));
    assert!(markup.matches("cs-chip").count() < 1_000 && markup.contains("characters more"));
    let markup = after(&["{\"", &"a\u{200B}".repeat(200_000), "\":1}"].concat(), None, |_| {});
    assert!(markup.matches("cs-chip").count() < 1_000 && markup.contains(" … × 399780 … "));
    let marks = "\u{301}".repeat(100_000);
    let markup = of(&["a", &marks].concat());
    assert!(markup.matches('\u{301}').count() < 100 && markup.contains("edit-json"));
    assert!(markup.contains("a\\u0301\\u0301"));
    let secret = after(&["{\"token\":\"a", &marks, "\"}"].concat(), None, |_| {});
    assert_eq!((masked(&secret), in_sight(&secret, "u0301")), (1, 0));
    let marks = "\u{301}".repeat(40);
    assert!(of(&["a", &marks].concat()).contains(&marks), "what is drawn at once stays as it is");
}

#[test]
fn r07_what_is_typed_into_a_value_with_piled_marks_is_the_value() {
    let args = ["{\"x\":\"a", &"\u{301}".repeat(1_000), "\",\"n\":1.00}"].concat();
    let markup = after(&args, None, |person| {
        assert_eq!(person.find("/x").1.typing, Typing::Json);
        person.types("/x", &["\"a", &"\\u0301".repeat(999), "\""].concat());
        person.dialog.with_draft(|draft| {
            let text = draft.with("/x", |value| value.as_str().map(String::from)).flatten();
            assert_eq!(text.as_deref(), Some(["a", &"\u{301}".repeat(999)].concat().as_str()));
            assert!(draft.text().ends_with(",\"n\":1.00}"));
        });
    });
    assert!(markup.contains("a\\u0301\\u0301"));
}

impl Person<'_> {
    fn has(&self, expected: &str) {
        self.dialog.with_draft(|draft| assert_eq!(draft.text(), expected));
    }

    fn names(&self, place: &str, name: &str) {
        let named = |slot: &Slot| slot.names && slot.pointer == place;
        let at = || self.desk.slots.borrow().iter().position(named).expect("a name can be given");
        self.does(&Act::Change(at(), Step::Name));
        self.desk.naming.replace(Some((place.to_owned(), name.to_owned())));
        drop(self.looks());
        self.does(&Act::Submit);
    }
}

#[test]
fn r25_an_optional_list_or_object_can_be_given() {
    let schema = r##"{"$defs":{"M":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},"E":{"enum":["x","y"]}},
        "properties":{"l":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null},
        "m":{"anyOf":[{"$ref":"#/$defs/M"},{"type":"null"}],"default":null},
        "e":{"anyOf":[{"$ref":"#/$defs/E"},{"type":"null"}],"default":null},
        "q":{"anyOf":[{"type":"array"},{"type":"null"}],"default":null},"o":{"type":"object"}}}"##;
    let markup = after(r#"{"l":null,"m":null,"e":null,"o":null}"#, Some(schema), |_| ());
    assert_eq!(markup.matches("Add item").count(), 0, "there is no list yet: {markup}");
    after(r#"{"l":null,"m":null,"e":null,"o":null}"#, Some(schema), |person| {
        for place in ["/l", "/m", "/e", "/o"] {
            person.presses(place, Step::Fill);
        }
        person.presses("/q", Step::Add);
        person.has(r#"{"l":[],"m":{"a":""},"e":"x","o":{},"q":[]}"#);
    });
}

#[test]
fn r25_a_new_entry_of_a_map_is_what_the_schema_wants() {
    let schema = r#"{"properties":{"h":{"additionalProperties":{"type":"array"},"patternProperties":{"^n":{"type":"number"}}}}}"#;
    after(r#"{"h":{}}"#, Some(schema), |person| {
        person.names("/h", "k");
        person.names("/h", "n1");
        person.names("/h", "");
        person.has(r#"{"h":{"k":[],"n1":0}}"#);
    });
}

#[test]
fn r25_what_must_be_there_is_offered_first_and_a_name_where_some_are_not() {
    let mut members = String::new();
    for index in 0..70 {
        members.push_str(&format!(r#""f{index}":{{"type":"string"}},"#));
    }
    let closed = [
        r#"{"properties":{"#,
        members.trim_end_matches(','),
        r#"},"required":["f69"],"additionalProperties":false}"#,
    ];
    let markup = after(r#"{"f0":"x"}"#, Some(&closed.concat()), |_| ());
    assert!(markup.contains("Add f69") && !markup.contains("Add f68"), "{markup}");
    assert!(markup.contains("Add field"), "{markup}");
}

#[test]
fn r25_numbers_that_may_be_negative_have_a_keyboard_with_a_minus() {
    let markup = after(r#"{"a":1,"b":1}"#, Some(r#"{"properties":{"a":{"minimum":0}}}"#), |_| ());
    assert_eq!(markup.matches("inputmode").count(), 1, "{markup}");
}

impl Person<'_> {
    fn chooses(&self, place: &str, form: usize) {
        let slots = self.desk.slots.borrow().clone();
        let slot = slots.iter().find(|slot| slot.pointer == place && slot.forms.is_some());
        self.dialog.choose(self.desk, slot.expect("there are forms"), Some(form));
        drop(self.looks());
    }

    fn chosen(&self, place: &str) -> Option<usize> {
        let slots = self.desk.slots.borrow();
        slots.iter().find(|slot| slot.pointer == place && slot.forms.is_some())?.chosen
    }
}

const UNION: &str = r#"{"properties":{"p":{"oneOf":[
    {"type":"object","properties":{"method":{"const":"sepa"},"currency":{"enum":["EUR","GBP"]},"amount":{"anyOf":[{"type":"number"},{"type":"string"}]},"iban":{"type":"string"}},"required":["method","currency","amount"]},
    {"type":"object","properties":{"method":{"const":"swift"},"currency":{"enum":["EUR","GBP"]},"amount":{"anyOf":[{"type":"number"},{"type":"string"}]},"bic":{"type":"string"}},"required":["method","currency","amount"]}]}}}"#;

#[test]
fn r07_another_form_keeps_the_members_that_both_have() {
    let args = r#"{"p":{"method":"sepa","currency":"GBP","amount":250.00,"iban":"X","more":[1]}}"#;
    let markup = after(args, Some(UNION), |person| {
        person.chooses("/p", 1);
        person.has(r#"{"p":{"method":"swift","currency":"GBP","amount":250.00,"more":[1]}}"#);
        person.types("/p/amount", "7");
        person.chooses("/p", 0);
        person.has(r#"{"p":{"method":"sepa","currency":"GBP","amount":7,"more":[1],"iban":"X"}}"#);
        person.presses("/p/iban", Step::Remove);
        person.chooses("/p", 1);
        person.chooses("/p", 0);
        person.has(r#"{"p":{"method":"sepa","currency":"GBP","amount":7,"more":[1]}}"#);
    });
    assert!(markup.contains("method = &quot;sepa&quot;") || markup.contains("method = \"sepa\""), "{markup}");
}

#[test]
fn r07_going_back_to_a_kind_restores_what_was_typed_under_it() {
    let schema = r#"{"properties":{"to":{"anyOf":[{"type":"string"},{"type":"array"}]}}}"#;
    after(r#"{"to":"alice"}"#, Some(schema), |person| {
        person.types("/to", "bob, carol");
        person.chooses("/to", 1);
        person.has(r#"{"to":[]}"#);
        person.chooses("/to", 0);
        person.has(r#"{"to":"bob, carol"}"#);
    });
}

#[test]
fn r25_of_two_kinds_that_a_value_has_the_chosen_one_is_shown() {
    let schema = r#"{"properties":{"f":{"anyOf":[{"type":"object","title":"A","properties":{"x":{"type":"string"}}},
        {"type":"object","title":"B","properties":{"y":{"type":"integer"}}}]},"n":{"anyOf":[{"type":"integer"},{"type":"number"}]}}}"#;
    after(r#"{"f":{"x":"1"},"n":5}"#, Some(schema), |person| {
        assert_eq!(person.chosen("/f"), Some(0));
        person.chooses("/f", 1);
        assert_eq!(person.chosen("/f"), Some(1));
        person.has(r#"{"f":{"x":"1"},"n":5}"#);
        person.presses("/f/y", Step::Add);
        person.types("/f/y", "7");
        assert_eq!(person.chosen("/f"), Some(1));
        person.chooses("/n", 1);
        person.types("/n", "5.5");
        assert_eq!(person.chosen("/n"), Some(1));
    });
}

#[test]
fn forms_without_titles_are_told_apart_by_what_no_other_has() {
    let block = |kind: &str| {
        format!(r#"{{"properties":{{"object":{{"const":"block"}},"type":{{"const":"{kind}"}}}}}}"#)
    };
    let place = |name: &str| format!(r#"{{"properties":{{"path":{{}},"{name}":{{}},"body":{{}}}}}}"#);
    let schema = format!(
        r#"{{"properties":{{"b":{{"oneOf":[{},{}]}},"c":{{"anyOf":[{},{}]}}}}}}"#,
        block("paragraph"),
        block("to_do"),
        place("position"),
        place("line"),
    );
    let args = r#"{"b":{"object":"block","type":"to_do"},"c":{"path":"a","line":3,"body":"why"}}"#;
    let markup = after(args, Some(&schema), |_| ());
    for label in ["type = \"paragraph\"", "type = \"to_do\"", "1: object · position", "2: object · line"] {
        assert_eq!(markup.matches(label).count(), 1, "{label}: {markup}");
    }
    assert!(!markup.contains("object = "));
}

#[test]
fn r25_a_text_where_a_number_belongs_is_told_from_the_number() {
    let schema = r#"{"properties":{"n":{"type":"integer"},"s":{"type":"string"}}}"#;
    let stands = |args: &str, act: Script| {
        let markup = after(args, Some(schema), act);
        let stands = markup.split("<p class=\"cs-edit-fault\">").nth(1).map(str::to_owned);
        stands.and_then(|stands| stands.lines().nth(1).map(|line| line.replace("&quot;", "\"")))
    };
    let holds = |args: &str, json: &str| stands(args, |_| ()).is_some_and(|line| line.contains(json));
    assert!(holds(r#"{"n":"5"}"#, ">\"5\"<") && holds(r#"{"s":5}"#, ">5<"));
    assert_eq!(stands(r#"{"n":"5"}"#, |person| person.types("/n", "5")), None);
    assert_eq!(stands(r#"{"n":"5"}"#, |person| person.types("/n", "5x")), None, "that is in the field");
}

#[test]
fn r24_a_secret_that_only_json_can_show_is_masked_until_it_is_revealed() {
    let key = r#"{"private_key":"-----BEGIN PRIVATE KEY-----\r\nhunter2\r\n-----END PRIVATE KEY-----\r\n"}"#;
    let object = r#"{"properties":{"password":{"type":"object"}}}"#;
    for (args, schema) in [(key, None), (r#"{"password":"hunter2"}"#, Some(object))] {
        let markup = after(args, schema, |_| ());
        assert_eq!((in_sight(&markup, "hunter2"), in_sight(&markup, "Reveal")), (0, 1), "{markup}");
        assert_eq!(in_sight(&markup, " 7 characters"), usize::from(schema.is_some()), "{markup}");
        let reveal: Script = |person| {
            let place = if person.desk.slots.borrow().iter().any(|slot| slot.pointer == "/password") {
                "/password"
            } else {
                "/private_key"
            };
            person.presses(place, Step::Reveal);
        };
        assert!(in_sight(&after(args, schema, reveal), "hunter2") > 0);
    }
}

#[test]
fn r25_whatever_is_wrong_is_tied_to_its_field_and_no_id_stands_twice() {
    fn nothing(_: &Person<'_>) {}
    fn breaks(person: &Person<'_>) {
        person.does(&Act::Raw(true));
        person.types("", "{");
    }
    let forms = r#"{"oneOf":[{"required":["a"]},{"required":["b"]}]}"#;
    let member = |rule: &str| format!(r#"{{"properties":{{"a":{rule}}}}}"#);
    let cases: [(&str, String, Script, &str); 9] = [
        // An object where none belongs is edited as JSON: there is nothing to be folded.
        (r#"{"a":{"x":1}}"#, member(r#"{"type":"boolean"}"#), nothing, "cs-edit-json"),
        (r#"{"a":1}"#, forms.to_owned(), breaks, "cs-edit-json"),
        (r#"{"a":null}"#, member(r#"{"type":"integer"}"#), nothing, "cs-select"),
        (r#"{"a":{}}"#, member(r#"{"required":["b"]}"#), nothing, "cs-toggle"),
        (
            r#"{"a":{}}"#,
            member(r#"{"required":["b"]}"#),
            |person| person.presses("/a", Step::Json),
            "cs-edit-json",
        ),
        // What can be emptied, and broken into lines, has both buttons.
        (r#"{"a":[1]}"#, member(r#"{"type":["boolean","null"]}"#), nothing, "cs-edit-json"),
        (r#"{"a":[]}"#, member(r#"{"minItems":1}"#), nothing, "cs-toggle"),
        ("{}", member("true").replace("}}", r#"},"required":["b"]}"#), nothing, "cs-edit-rows"),
        (
            r#"{"a":1}"#,
            member("true"),
            |person| {
                breaks(person);
                person.does(&Act::Raw(false));
            },
            "cs-edit-rows",
        ),
    ];
    for (args, schema, script, field) in cases {
        let markup = after(args, Some(&schema), script);
        let attribute = |line: &str, name: &str| -> Option<String> {
            let value = line.split_once(&[" ", name, "=\""].concat())?.1;
            value.split_once('"').map(|(value, _)| value.to_owned())
        };
        let mut ids: Vec<_> = markup.lines().filter_map(|line| attribute(line, "id")).collect();
        let fault = ids.iter().find(|id| id.ends_with('x')).expect(&markup).clone();
        let describes = |line: &&str| {
            attribute(line, "aria-describedby").is_some_and(|ids| ids.split(' ').any(|id| id == fault))
        };
        let tied: Vec<_> = markup.lines().filter(describes).collect();
        assert!(tied.len() == 1 && tied[0].contains(field), "{args} {schema}: {tied:?}");
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "{args} {schema}: {markup}");
        for named in markup.lines().filter_map(|line| attribute(line, "for")) {
            assert!(ids.contains(&named), "{args} {schema}: {named}");
        }
    }
}

#[test]
fn r07_white_space_around_a_value_stays_under_the_hands_and_is_no_part_of_it() {
    let markup = after(r#"{"n":1,"l":[1]}"#, None, |person| {
        person.types("/n", " 21");
        person.presses("/l", Step::Json);
    });
    assert!(markup.contains(r#"value=" 21""#), "{markup}");
    let markup = after(r#"{"n":1,"l":[1]}"#, None, |person| {
        person.presses("/l", Step::Json);
        person.types("/l", "\n[1] ");
        assert!(!person.dialog.with_draft(|draft| draft.is_changed()));
    });
    assert!(markup.contains("\n[1] </textarea>"), "{markup}");
}

#[test]
fn r19_a_name_whose_ends_could_not_be_seen_stands_between_quotes_in_the_dialog_too() {
    let schema = r#"{"properties":{"o":{"properties":{"":{"type":"string"}}}}}"#;
    let markup = after(r#"{"":1," b":2,"c":{},"o":{}}"#, Some(schema), |_| ());
    for name in ["\"\"", "\" b\"", "c"] {
        let named = ["<code class=\"cs-code\">", name, "</code>"].concat();
        assert!(markup.contains(&named), "{named}: {markup}");
    }
    assert!(markup.contains("aria-label=\"Add &quot;&quot;\""), "{markup}");
}

#[test]
fn r25_what_must_be_there_can_be_added_though_the_schema_declares_it_nowhere() {
    let schema = r#"{"properties":{"to":{"type":"object","required":["a/b"],"additionalProperties":{"type":"integer"}}},
        "required":["who"],"additionalProperties":false,"patternProperties":{"^who$":{"type":"string"}}}"#;
    let markup = after(r#"{"to":{}}"#, Some(schema), |_| ());
    for name in ["Add who", "Add a/b"] {
        assert_eq!(markup.matches(&format!("\"{name}\"")).count(), 1, "{name}: {markup}");
    }
    let markup = after(r#"{"to":{}}"#, Some(schema), |person| {
        person.presses("/who", Step::Add);
        person.presses("/to/a~1b", Step::Add);
    });
    assert!(!markup.contains("Add who") && !markup.contains("Add a/b"), "{markup}");
    assert!(markup.contains("2 values differ") && !markup.contains("is missing"), "{markup}");
}

#[test]
fn r25_what_nobody_says_to_be_required_is_not_heard_to_be() {
    let schema =
        r#"{"properties":{"list":{"items":{"type":"string"}},"who":{"type":"string"}},"required":["who"]}"#;
    let markup = after(r#"{"list":["a","b"],"who":"c"}"#, Some(schema), |_| ());
    assert_eq!(markup.matches("aria-required").count(), 1, "{markup}");
}

#[test]
fn the_direction_of_a_text_of_very_many_lines_is_not_asked_for_as_a_whole() {
    let field = |lines: usize| {
        let markup = after(&["{\"file\":\"", &"line\\n".repeat(lines), "\"}"].concat(), None, |_| ());
        markup.lines().find(|line| line.contains("<textarea")).unwrap_or_default().contains("dir=\"auto\"")
    };
    assert!(field(999) && !field(1000));
}

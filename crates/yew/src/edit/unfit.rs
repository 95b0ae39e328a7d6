//! What a schema finds, in the words of the catalogue.

use countersign_schema::{Detail, Flaw, Misfit, SchemaProblem};
use yew::prelude::*;

use super::words::{member, words_of};
use crate::fold::foldable;
use crate::json_view::{own, ticked};
use crate::node::{list, words};
use crate::piece::Stage;
use crate::text::drawn;

/// Why arguments are not what a schema wants. Where the catalogue has no words for it, those of the schema's reader stand.
pub(super) fn unfit(misfit: &Misfit, stage: &Stage) -> Html {
    told(misfit, stage).unwrap_or_else(|| ticked(&misfit.to_string(), &|part| foldable(part, stage)))
}

fn told(misfit: &Misfit, stage: &Stage) -> Option<Html> {
    let messages = stage.messages();
    match misfit {
        Misfit::Problem(problem) => told_problem(problem, stage),
        Misfit::Schema(error) => {
            let template = messages.told("schema_", "unreadable", None)?;
            Some(drawn(&template, &|place| match place {
                "at" => words(messages.number(error.at as u64)),
                _ => own(&messages.json_error(error.code)),
            }))
        }
        Misfit::TooMuch => messages.told("schema_", "too-much", None).map(words),
        _ => None,
    }
}

fn told_problem(problem: &SchemaProblem, stage: &Stage) -> Option<Html> {
    let count = match &problem.detail {
        Detail::Count(count) => count.parse().ok(),
        // There is nothing that could be named.
        Detail::Types(names) if names.is_empty() => return None,
        Detail::Nothing if problem.flaw == Flaw::Format => return None,
        _ => None,
    };
    let template = stage.messages().told("schema_", problem.flaw.as_str(), count)?;
    Some(drawn(&template, &|place| match place {
        "place" => place_of(problem, stage),
        _ => detail(&problem.detail, count, stage),
    }))
}

/// How the place of a problem is called.
fn place_of(problem: &SchemaProblem, stage: &Stage) -> Html {
    match problem.path() {
        "" if problem.pointer.is_empty() => {
            words(stage.messages().told("schema_", "value", None).unwrap_or("the value".into()))
        }
        path => member(path),
    }
}

fn detail(detail: &Detail, count: Option<u64>, stage: &Stage) -> Html {
    match (detail, count) {
        (_, Some(count)) => words(stage.messages().number(count)),
        (Detail::Types(names), _) => types(names, stage),
        (Detail::Format(format), _) => words(words_of(*format, stage)),
        (Detail::Count(digits), _) => member(digits),
        (Detail::Values(values), _) => listed(values.iter().map(|value| member(value)).collect(), stage),
        _ => Html::default(),
    }
}

/// Kinds of values: “a string, a number or null”.
fn types(names: &[&str], stage: &Stage) -> Html {
    let messages = stage.messages();
    let mut kinds: Vec<Html> = names
        .iter()
        .map(|name| match *name {
            // The word of JSON is the same in every language.
            "null" => member("null"),
            name => {
                words(messages.told("schema_type_", name, None).unwrap_or_else(|| messages.edit_type(name)))
            }
        })
        .collect();
    let template = messages.told("schema_", "types", None).filter(|_| kinds.len() > 1);
    let Some((template, last)) = template.and_then(|template| Some((template, kinds.pop()?))) else {
        return listed(kinds, stage);
    };
    let some = listed(kinds, stage);
    drawn(&template, &|place| if place == "last" { last.clone() } else { some.clone() })
}

fn listed(parts: Vec<Html>, stage: &Stage) -> Html {
    let mut nodes = Vec::new();
    for part in parts {
        if !nodes.is_empty() {
            nodes.push(words(stage.messages().list_separator()));
        }
        nodes.push(part);
    }
    list(nodes)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use countersign_json::{Document, Limits};
    use countersign_schema::{Options, Schema, fit};

    use super::*;
    use crate::messages::{Catalogue, WORDS, locales};
    use crate::node::Tag;
    use crate::piece::{Act, Piece};
    use crate::testing::drawn_in as shown_in;

    /// A schema and a value for every flaw.
    const CASES: [(&str, &str); 31] = [
        (r#"{"required":["a"]}"#, "{}"),
        (r#"{"additionalProperties":false}"#, r#"{"a":1}"#),
        (r#"{"propertyNames":{"maxLength":1}}"#, r#"{"ab":1}"#),
        (r#"{"type":"string"}"#, "1"),
        (r#"{"type":"number"}"#, "[]"),
        (r#"{"type":["integer","boolean","null"]}"#, "{}"),
        (r#"{"type":["object","array"]}"#, "1"),
        (r#"{"const":{"a":"<b>"}}"#, "1"),
        (r#"{"enum":["a",1.0,null]}"#, "2"),
        (r#"{"minimum":1.50}"#, "1"),
        (r#"{"properties":{"a":{"items":{"maximum":1}}}}"#, r#"{"a":[1,2]}"#),
        (r#"{"exclusiveMinimum":1}"#, "1"),
        (r#"{"exclusiveMaximum":1}"#, "1"),
        (r#"{"multipleOf":2}"#, "1"),
        (r#"{"minLength":1}"#, r#""""#),
        (r#"{"minLength":1000}"#, r#""""#),
        (r#"{"maxLength":2}"#, r#""abc""#),
        (r#"{"pattern":"^{place}$"}"#, r#""b""#),
        (r#"{"format":"date"}"#, r#""x""#),
        (r#"{"minItems":2.0}"#, "[]"),
        (r#"{"maxItems":0}"#, "[1]"),
        (r#"{"uniqueItems":true}"#, "[1,1]"),
        (r#"{"contains":{"const":1}}"#, "[]"),
        (r#"{"contains":{"const":1},"minContains":2}"#, "[1]"),
        (r#"{"contains":{"const":1},"maxContains":1}"#, "[1,1]"),
        (r#"{"minProperties":11}"#, "{}"),
        (r#"{"maxProperties":1}"#, r#"{"a":1,"b":2}"#),
        (r#"{"anyOf":[{"const":1},{"const":2}]}"#, "3"),
        (r#"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#, "1"),
        (r#"{"not":{"type":"null"}}"#, "null"),
        (r#"{"properties":{"":{"const":1}}}"#, r#"{"":2}"#),
    ];

    /// What is wrong with the values, and with schemas that cannot be used.
    fn misfits() -> Vec<Misfit> {
        let mut misfits: Vec<Misfit> = Vec::new();
        for (schema, value) in CASES {
            let (schema, value) =
                (Document::parse(schema, &Limits::default()), Document::parse(value, &Limits::default()));
            let (schema, value) = (schema.expect("a schema"), value.expect("a value"));
            let options = Options { formats: true, ..Options::default() };
            let report = Schema::compile(&schema).validate(value.root(), &options);
            misfits.extend(report.problems.into_iter().map(|problem| Misfit::Problem(Box::new(problem))));
        }
        let unusable =
            ["{\"type\":", r##"{"$ref":"#"}"##].map(|schema| fit(schema, "1").expect_err("unusable"));
        misfits.extend(unusable);
        misfits
    }

    struct Lines(Vec<Misfit>);

    impl Piece for Lines {
        type Memory = ();

        fn same(&self, _: &Lines) -> bool {
            false
        }

        fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
            list(self.0.iter().map(|misfit| Tag::new("p", "").child(unfit(misfit, stage)).html()).collect())
        }

        fn act(&self, (): &(), _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
            false
        }
    }

    /// The sentences in the words of a catalogue, as markup.
    fn drawn_in(messages: Catalogue) -> Vec<String> {
        let markup = shown_in(Lines(misfits()), messages);
        markup
            .split("<p>")
            .skip(1)
            .map(|line| line.split("</p>").next().expect("a line").to_owned())
            .collect()
    }

    /// What a person reads of it.
    fn read(markup: &str) -> String {
        let mut text = String::new();
        for part in markup.split('<') {
            text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    }

    /// The English of the list of texts, as a catalogue.
    fn listed_english() -> Catalogue {
        let mut json = String::from("{\"locale\":\"en\"");
        for (key, words, _) in WORDS {
            let quote = countersign_json::quote;
            let text = match words {
                [one, other] => format!("{{\"one\":{},\"other\":{}}}", quote(one), quote(other)),
                _ => quote(words[0]).to_string(),
            };
            json.push_str(&format!(",{}:{text}", quote(key)));
        }
        json.push('}');
        let translation = Catalogue::from_json(&json);
        assert_eq!(translation.problems, []);
        translation.catalogue
    }

    #[test]
    fn r25_without_a_catalogue_the_schema_speaks() {
        // What stands between its backticks is drawn as code.
        let expected: Vec<String> = misfits().iter().map(|it| it.to_string().replace('`', "")).collect();
        let found: Vec<String> = drawn_in(Catalogue::default()).iter().map(|line| read(line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn r25_the_list_of_texts_has_the_english_of_the_schema() {
        for (line, misfit) in drawn_in(listed_english()).iter().zip(misfits()) {
            let (found, expected) = (read(line), misfit.to_string().replace('`', ""));
            match misfit {
                // A format has the name that its field has, and a name that is none is shown.
                Misfit::Problem(problem) if problem.flaw == Flaw::Format => {
                    assert_eq!(found, "the value must be date, such as 2026-01-31");
                }
                Misfit::Problem(problem) if problem.pointer == "/" => assert_eq!(found, "[\"\"] must be 1"),
                _ => assert_eq!(found, expected.replace("1000 ", "1,000 ").replace("`", "")),
            }
        }
    }

    #[test]
    fn r25_every_flaw_is_said_in_every_language() {
        let misfits = misfits();
        for flaw in Flaw::ALL {
            let is_it =
                |misfit: &&Misfit| matches!(misfit, Misfit::Problem(problem) if problem.flaw == *flaw);
            assert!(misfits.iter().any(|misfit| is_it(&misfit)), "no case for {}", flaw.as_str());
            let key = ["schema_", &flaw.as_str().replace('-', "_")].concat();
            assert!(WORDS.iter().any(|(known, ..)| *known == key), "{key}");
        }
        for (tag, json) in [("de", locales::DE), ("zh-Hans", locales::ZH_HANS), ("ar", locales::AR)] {
            let lines = drawn_in(Catalogue::from_json(json).catalogue);
            assert_eq!(lines.len(), misfits.len());
            for (line, misfit) in lines.iter().zip(&misfits) {
                assert_ne!(read(line), misfit.to_string().replace('`', ""), "{tag}");
                // What comes from outside is code, which has a direction of its own; the rest is of one language.
                let own: String = line
                    .split("<code")
                    .map(|part| part.split_once("</code>").map_or(part, |(_, own)| own))
                    .collect();
                assert!(!own.contains(['{', '}']), "{tag}: {line}");
                let is_latin = own.chars().any(|letter| letter.is_ascii_alphabetic());
                assert!(tag == "de" || !is_latin, "{tag}: {line}");
            }
        }
    }

    #[test]
    fn r25_numbers_choose_the_form_and_values_are_drawn_as_they_stand() {
        let sentences = |json| -> Vec<String> {
            drawn_in(Catalogue::from_json(json).catalogue).iter().map(|line| read(line)).collect()
        };
        let german = sentences(locales::DE);
        for expected in [
            "a fehlt",
            "Der Name \"ab\" ist nicht erlaubt",
            "Der Wert muss eine ganze Zahl, wahr oder falsch oder null sein",
            "Der Wert muss {\"a\":\"<b>\"} sein",
            "Der Wert muss einer dieser Werte sein: \"a\", 1.0, null",
            "a[1] darf höchstens 1 sein",
            "Der Wert muss mindestens 1.000 Zeichen haben",
            "Der Wert muss dem Muster \"^{place}$\" entsprechen",
            "Der Wert muss dieses Format haben: Datum, zum Beispiel 2026-01-31",
            "Der Wert muss mindestens 2.0 Einträge haben",
            "Der Wert darf höchstens 1 Feld haben",
            "[\"\"] muss 1 sein",
            "Das Schema ist nicht lesbar (Byte 8): Unerwartetes Ende des Textes",
        ] {
            assert!(german.iter().any(|line| line == expected), "{expected}: {german:#?}");
        }
        let arabic = sentences(locales::AR);
        for expected in [
            "المحتوى يجب أن يحتوي على حرف واحد على الأقل",
            "المحتوى يجب ألا يحتوي على أكثر من حرفين",
            "المحتوى يجب أن يحتوي على 11 حقلًا على الأقل",
            "المحتوى يجب ألا يحتوي على أي عنصر",
        ] {
            assert!(arabic.iter().any(|line| line == expected), "{expected}: {arabic:#?}");
        }
    }
}

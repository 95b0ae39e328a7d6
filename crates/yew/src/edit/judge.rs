//! What stands between a draft and its sending.

use countersign_core::{EditRule, HazardView, RequestView};
use countersign_json::{
    Document, HazardCode, Limits, ParseErrorCode, Value, changed_number, inspect_text, shallow_patch,
};
use countersign_schema::{Misfit, Options, SCHEMA_LIMITS, Schema, SchemaProblem, fit};

use super::draft::{Draft, Untaken, parse};
use super::place::{child, is_within};

/// Something that is wrong with a draft.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// What.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// What was typed is not JSON: the line, the column, and what was expected.
    NotJson(usize, usize, ParseErrorCode),
    /// What was typed is no number.
    NotANumber,
    /// A number is missing.
    Empty,
    /// The backend would keep this member although it is left out.
    Kept(String),
    /// The backend would take it for no edit at all.
    Nothing,
    /// The backend would make another number of this one.
    Rounded(String),
    /// They could be read in more than one way, or not at all.
    Hazard(HazardView),
    /// They are not what the schema wants.
    Unfit(Misfit),
}

/// What was found in a draft.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    /// Everything that is wrong, in the order in which it was found; none: it could be sent.
    pub problems: Vec<Problem>,
    /// What of the schema could not be checked: where, as a JSON Pointer, and the keyword.
    pub unchecked: Vec<(String, &'static str)>,
}

/// Judges the draft of a request.
pub(crate) fn judge(draft: &Draft, view: &RequestView) -> Judgement {
    judge_by(draft, view.args_schema.as_deref(), view.edits)
}

fn judge_by(draft: &Draft, schema: Option<&str>, rule: Option<EditRule>) -> Judgement {
    let Judgement { mut problems, mut unchecked } = Judgement::default();
    for loose in draft.loose() {
        let fault = match &loose.why {
            Untaken::NotJson(error) => {
                Fault::NotJson(error.line(&loose.typed), error.column(&loose.typed), error.code)
            }
            Untaken::NotANumber => Fault::NotANumber,
            Untaken::Empty => Fault::Empty,
        };
        problems.push(Problem { pointer: loose.pointer.clone(), fault });
    }
    let mut say = |pointer: String, fault: Fault| {
        // What stands there at the moment is not what was typed there.
        if !draft.loose().iter().any(|loose| is_within(&pointer, &loose.pointer)) {
            problems.push(Problem { pointer, fault });
        }
    };
    // Where something else than an object came, the inbox knows whether an object is wanted.
    let is_object = || parse(draft.original()).is_ok_and(|came| came.root().is_object());
    for hazard in inspect_text(draft.text(), &Limits::ARGUMENTS).hazards {
        if hazard.code.blocks() && (hazard.code != HazardCode::NotAnObject || is_object()) {
            let (pointer, code) = (hazard.pointer.clone(), hazard.code.as_str().to_owned());
            say(hazard.pointer, Fault::Hazard(HazardView { pointer, code, message: hazard.message }));
        }
    }
    for (pointer, misfit) in schema.map(|schema| unfit(draft, schema, &mut unchecked)).unwrap_or_default() {
        say(pointer, Fault::Unfit(misfit));
    }
    if let Some(rule) = rule {
        unsaid(draft, rule, say);
    }
    Judgement { problems, unchecked }
}

/// What this wire has no words for.
fn unsaid(draft: &Draft, rule: EditRule, mut say: impl FnMut(String, Fault)) {
    let is_empty = |value: Value<'_>| value.is_object() && value.is_empty();
    if !rule.empty_allowed && draft.with("", is_empty).unwrap_or_default() {
        say(String::new(), Fault::Nothing);
    }
    if rule.floats
        && let (Ok(edit), Ok(known)) = (parse(draft.text()), parse(draft.original()))
        && let Some(number) = changed_number(edit.root(), known.root())
    {
        say(
            countersign_json::pointer::to(edit.root(), number.span().start),
            Fault::Rounded(number.text().to_owned()),
        );
    }
    if rule.merges {
        // What cannot be compared is told elsewhere.
        let patch = shallow_patch(draft.original(), draft.text()).ok();
        for name in patch.into_iter().flat_map(|patch| patch.removed) {
            say(child("", &name), Fault::Kept(name));
        }
    }
}

/// What a draft lacks to be what a schema wants, each with its place; `unchecked` gets what of the schema cannot be told.
fn unfit(draft: &Draft, schema: &str, unchecked: &mut Vec<(String, &'static str)>) -> Vec<(String, Misfit)> {
    let names_formats = ["format", "\\u"].iter().any(|word| schema.contains(word));
    let documents = (Document::parse(schema, &SCHEMA_LIMITS), parse(draft.text()));
    if let (Ok(schema), Ok(args)) = &documents {
        let schema = Schema::compile(schema);
        let report = schema.validate(args.root(), &Options::default());
        let is_exhausted = report.is_exhausted();
        unchecked.extend(report.unchecked.into_iter().map(|rule| (rule.pointer, rule.keyword)));
        let mut problems = report.problems;
        if names_formats {
            problems.extend(odd_formats(draft, &schema, args.root()));
        }
        let unfit: Vec<_> = problems
            .into_iter()
            .map(|problem| (problem.pointer.clone(), Misfit::Problem(Box::new(problem))))
            .collect();
        if !unfit.is_empty() || !is_exhausted {
            return unfit;
        }
    }
    // The inbox would say the same.
    fit(schema, draft.text()).err().map(|misfit| (String::new(), misfit)).into_iter().collect()
}

/// What a person typed that is not of the format that the schema names.
///
/// Formats are a matter of taste in JSON Schema: no other rule depends on them, what the agent sent is not held to them, and
/// neither is what stands in the place of something that was of another format.
fn odd_formats(draft: &Draft, schema: &Schema<'_>, args: Value<'_>) -> Vec<SchemaProblem> {
    let odd = |value| {
        let options = Options { formats: true, ..Options::default() };
        let mut problems = schema.validate(value, &options).problems;
        problems.retain(|problem| problem.keyword == "format");
        problems
    };
    let mut problems = odd(args);
    problems.retain(|problem| draft.differs(&problem.pointer));
    if !problems.is_empty()
        && let Ok(original) = parse(draft.original())
    {
        let came = odd(original.root());
        problems.retain(|problem| came.iter().all(|known| known.pointer != problem.pointer));
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::draft::Typing;
    use super::*;

    const SCHEMA: &str = r#"{"properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["s"]}"#;

    fn places(draft: &Draft) -> Vec<String> {
        judge_by(draft, Some(SCHEMA), None).problems.into_iter().map(|problem| problem.pointer).collect()
    }

    #[test]
    fn r25_what_cannot_be_read_or_is_not_permitted_stands_in_the_way() {
        let mut draft = Draft::of(&Arc::from(r#"{"n":1,"s":"a"}"#));
        assert!(places(&draft).is_empty());
        draft.take("/n", "1.5", Typing::Number);
        assert_eq!(places(&draft), ["/n"]);
        draft.take("/n", "x", Typing::Number);
        assert_eq!(
            judge_by(&draft, None, None).problems,
            [Problem { pointer: "/n".into(), fault: Fault::NotANumber }]
        );
        draft.take("/n", "2", Typing::Number);
        assert!(places(&draft).is_empty());
        draft.remove("/s");
        assert_eq!(places(&draft), ["/s"]);
        draft.take("", "{\n \"s\":}", Typing::Json);
        let fault = Fault::NotJson(2, 6, ParseErrorCode::ExpectedValue);
        assert_eq!(
            judge_by(&draft, Some(SCHEMA), None).problems,
            [Problem { pointer: String::new(), fault }]
        );
    }

    #[test]
    fn r25_what_cannot_be_checked_is_told_and_stands_in_no_way() {
        let schema = r##"{"properties":{"s":{"pattern":"^(?!y)"},"n":{"$ref":"https://example.com/n"}}}"##;
        let mut draft = Draft::of(&Arc::from(r#"{"n":1,"s":"a"}"#));
        draft.take("/s", "y", Typing::Words);
        let Judgement { problems, mut unchecked } = judge_by(&draft, Some(schema), None);
        unchecked.sort();
        let expected = [("/n".to_owned(), "$ref"), ("/s".to_owned(), "pattern")];
        assert_eq!((problems, unchecked), (Vec::new(), expected.to_vec()));
    }

    #[test]
    fn formats_are_asked_of_what_a_person_typed_alone() {
        let schema = r#"{"properties":{"to":{"format":"email"}}}"#;
        let mut draft = Draft::of(&Arc::from(r#"{"to":"nobody"}"#));
        assert!(judge_by(&draft, Some(schema), None).problems.is_empty());
        draft.take("/to", "no one", Typing::Words);
        assert!(judge_by(&draft, Some(schema), None).problems.is_empty(), "it came as no address, either");
        let mut draft = Draft::of(&Arc::from(r#"{"to":"two@example.com"}"#));
        draft.take("/to", "no one", Typing::Words);
        assert_eq!(judge_by(&draft, Some(schema), None).problems.len(), 1);
        draft.take("/to", "one@example.com", Typing::Words);
        assert!(judge_by(&draft, Some(schema), None).problems.is_empty());
    }

    #[test]
    fn r25_no_rule_but_formats_depends_on_formats() {
        let schema = |rule: &str| format!(r#"{{"properties":{{"to":{rule},"n":{{"type":"integer"}}}}}}"#);
        let faults = |rule: &str, to: &str| {
            let mut draft = Draft::of(&Arc::from(r#"{"to":"2026-01-31","n":1}"#));
            draft.take("/n", "2", Typing::Number);
            draft.take("/to", to, Typing::Words);
            let problems = judge_by(&draft, Some(&schema(rule)), None).problems;
            assert_eq!(fit(&schema(rule), draft.text()).is_err(), !problems.is_empty(), "{rule} {to}");
            problems.len()
        };
        // Both forms fit where a format says nothing, as for the inbox: it would refuse what is sent.
        let dates = r#"{"oneOf":[{"format":"date"},{"format":"date-time"}]}"#;
        assert_eq!((faults(dates, "2026-01-31"), faults(dates, "2026-02-01")), (1, 1));
        let texts = r#"{"oneOf":[{"type":"integer"},{"oneOf":[{"type":"string","format":"date"},{"type":"string"}]},{"type":"string"}]}"#;
        assert_eq!((faults(texts, "2026-01-31"), faults(texts, "soon")), (0, 0));
    }

    #[test]
    fn r08_a_schema_that_cannot_be_read_lets_nothing_through() {
        let draft = Draft::of(&Arc::from("{}"));
        assert_eq!(judge_by(&draft, Some("{\"type\":"), None).problems.len(), 1);
    }

    #[test]
    fn r08_what_would_be_ambiguous_stands_in_the_way() {
        let mut draft = Draft::of(&Arc::from("{}"));
        draft.take("", r#"{"a":1,"a":2}"#, Typing::Json);
        assert_eq!(places(&draft)[0], "/a");
        draft.take("", "[]", Typing::Json);
        assert!(!judge_by(&draft, None, None).problems.is_empty());
        let list = Draft::of(&Arc::from("[1]"));
        assert!(judge_by(&list, None, None).problems.is_empty());
    }

    #[test]
    fn r25_what_this_wire_would_not_do_is_known_before_it_is_sent() {
        let mut draft = Draft::of(&Arc::from(r#"{"a":1,"b":{"c":2},"d":3}"#));
        let faults = |draft: &Draft, rule| -> Vec<(String, Fault)> {
            let problems = judge_by(draft, None, Some(rule)).problems;
            problems.into_iter().map(|problem| (problem.pointer, problem.fault)).collect()
        };
        draft.remove("/b/c");
        draft.take("/a", "7", Typing::Number);
        assert!(faults(&draft, EditRule::MERGE).is_empty());
        draft.take("", r#"{"b":{},"e":1}"#, Typing::Json);
        let kept = |name: &str| (["/", name].concat(), Fault::Kept(name.to_owned()));
        assert_eq!(faults(&draft, EditRule::MERGE), [kept("a"), kept("d")]);
        assert!(faults(&draft, EditRule::REPLACE).is_empty());
        let doubles = EditRule { floats: true, ..EditRule::REPLACE };
        draft.take("", r#"{"a":1,"b":{"c":[2,9007199254740993]}}"#, Typing::Json);
        let rounded = ("/b/c/1".to_owned(), Fault::Rounded("9007199254740993".to_owned()));
        assert_eq!(faults(&draft, doubles), [rounded]);
        assert!(faults(&draft, EditRule::REPLACE).is_empty());
        draft.take("", " {} ", Typing::Json);
        let rule = EditRule { empty_allowed: false, ..EditRule::REPLACE };
        assert_eq!(faults(&draft, rule), [(String::new(), Fault::Nothing)]);
        assert!(faults(&draft, EditRule::REPLACE).is_empty());
    }
}

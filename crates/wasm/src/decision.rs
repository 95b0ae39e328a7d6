//! Decisions, as JavaScript gives them.

use std::sync::Arc;

use countersign_core::{Decision, DecisionFields, GrantScope, InvalidDecision, Shown};
use countersign_json::{Document, Limits, Value};

/// Why a text is not a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoDecision {
    /// It is not an object whose members have the right types; the place is a JSON Pointer.
    Shape(&'static str),
    /// It is an object, but no decision.
    Fields(InvalidDecision),
    /// This member would be left out: what was meant is not what would run, or be said.
    Surplus(String),
}

/// A decision, and what it holds on to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// What was decided.
    pub(crate) decision: Decision,
    /// What was on screen.
    pub(crate) seen: Option<Shown>,
    /// The id of the offer that is taken.
    pub(crate) offer: Option<Arc<str>>,
}

/// Reads one flat JSON object.
///
/// Read by hand: derived deserialisers would be a sixth of the headless wasm.
pub(crate) fn read_decision(text: &str) -> Result<Given, NoDecision> {
    let document = Document::parse(text, &Limits::default()).map_err(|_| NoDecision::Shape(""))?;
    let root = document.root();
    let mut fields = DecisionFields {
        kind: words(root, "kind", "/kind")?.unwrap_or_default(),
        scope: words(root, "scope", "/scope")?
            .map(|name| GrantScope::named(&name).ok_or(NoDecision::Shape("/scope")))
            .transpose()?,
        args: words(root, "args", "/args")?,
        note: words(root, "note", "/note")?,
        reason: words(root, "reason", "/reason")?,
        text: words(root, "text", "/text")?,
        answers: member(root, "answers").map(answers).transpose()?,
        seen: words(root, "seen", "/seen")?,
        tool: words(root, "tool", "/tool")?,
        offer: words(root, "offer", "/offer")?,
    };
    let seen = shown(fields.seen.take(), fields.tool.take());
    let offer = fields.offer.take().map(Arc::from);
    let decision = Decision::try_from(fields).map_err(NoDecision::Fields)?;
    // Compact: TypeScript writes the text.
    let said = root.members().filter(|(_, value)| !matches!(value.text(), "null" | "\"\"" | "[]"));
    match said.filter_map(|(name, _)| name.as_str_lossy()).find(|name| !is_known(name)) {
        Some(member) => Err(NoDecision::Surplus(member.into_owned())),
        None => Ok(Given { decision, seen, offer }),
    }
}

/// What was on screen, where anything is named of it.
pub(crate) fn shown(digest: Option<String>, tool: Option<String>) -> Option<Shown> {
    let named = digest.is_some() || tool.is_some();
    named.then(|| Shown { digest: digest.map(Arc::from), tool: tool.map(Arc::from) })
}

/// Whether a decision has such a member; words that its kind does not carry are harmless.
fn is_known(member: &str) -> bool {
    matches!(
        member,
        "kind" | "args" | "seen" | "tool" | "offer" | "scope" | "note" | "reason" | "text" | "answers"
    )
}

/// A member that is there and not `null`.
pub(crate) fn member<'a>(object: Value<'a>, key: &str) -> Option<Value<'a>> {
    object.get(key).filter(|value| !value.is_null())
}

fn words(object: Value<'_>, key: &str, pointer: &'static str) -> Result<Option<String>, NoDecision> {
    member(object, key)
        .map(|value| value.as_str_lossy().map(|words| words.into_owned()).ok_or(NoDecision::Shape(pointer)))
        .transpose()
}

fn answers(list: Value<'_>) -> Result<Vec<Vec<String>>, NoDecision> {
    let wrong = NoDecision::Shape("/answers");
    if !list.is_array() {
        return Err(wrong);
    }
    let mut all = Vec::new();
    for item in list.items() {
        if !item.is_array() {
            return Err(wrong);
        }
        let mut given = Vec::new();
        for answer in item.items() {
            given.push(answer.as_str_lossy().ok_or_else(|| wrong.clone())?.into_owned());
        }
        all.push(given);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_is_read_as_it_is_written() {
        for scope in GrantScope::ALL {
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
            assert_eq!(GrantScope::named(scope.as_str()), Some(scope));
        }
        assert_eq!(GrantScope::named("Tool"), None);
    }

    #[test]
    fn every_member_is_read() {
        let fields = DecisionFields {
            seen: Some("d".into()),
            tool: Some("t".into()),
            offer: Some("o".into()),
            ..DecisionFields::from(&Decision::reject(Some("no \u{1f6d1}")))
        };
        let text = serde_json::to_string(&fields).unwrap();
        let decision = Decision::reject(Some("no \u{1f6d1}"));
        let seen = Some(Shown { digest: Some("d".into()), tool: Some("t".into()) });
        let given = Given { decision, seen, offer: Some("o".into()) };
        assert_eq!(read_decision(&text), Ok(given));
        let decision = Decision::Answer { answers: vec![vec!["a".into(), "b".into()], vec![]] };
        let given = Given { decision, seen: None, offer: None };
        assert_eq!(read_decision(r#"{"kind":"answer","answers":[["a","b"],[]]}"#), Ok(given));
    }

    #[test]
    fn arguments_that_would_not_run_and_unknown_members_are_refused() {
        let surplus = InvalidDecision::SurplusArgs { kind: "approve".to_owned() };
        let found = read_decision(r#"{"kind":"approve","args":"{\"path\":\"/b\"}"}"#);
        assert_eq!(found, Err(NoDecision::Fields(surplus)));
        let found = read_decision(r#"{"kind":"reject","feedback":"wrong account"}"#);
        assert_eq!(found, Err(NoDecision::Surplus("feedback".to_owned())));
    }

    #[test]
    fn each_kind_takes_what_it_says() {
        for text in [
            r#"{"kind":"approve","scope":"tool"}"#,
            r#"{"kind":"edit","args":"{}","note":"so"}"#,
            r#"{"kind":"reject","reason":"no","scope":"session"}"#,
            r#"{"kind":"respond","text":"no"}"#,
            r#"{"kind":"answer","answers":[["a"]]}"#,
            r#"{"kind":"approve","note":"so","reason":"fine"}"#,
        ] {
            assert!(read_decision(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn members_without_a_word_are_no_surplus() {
        for kind in ["approve", "reject", "ignore", "cancel"] {
            let text =
                format!(r#"{{"kind":"{kind}","args":"","answers":[],"text":null,"seen":"d","offer":"o"}}"#);
            assert!(read_decision(&text).is_ok(), "{kind}");
        }
    }

    #[test]
    fn a_member_of_another_type_is_named() {
        assert_eq!(read_decision(r#"{"kind":7}"#), Err(NoDecision::Shape("/kind")));
        assert_eq!(read_decision(r#"{"kind":"approve","scope":"world"}"#), Err(NoDecision::Shape("/scope")));
        assert_eq!(read_decision(r#"{"kind":"answer","answers":["a"]}"#), Err(NoDecision::Shape("/answers")));
        assert!(matches!(read_decision("[]"), Err(NoDecision::Fields(_))));
    }
}

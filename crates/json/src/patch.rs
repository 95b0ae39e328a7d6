//! The difference of two objects as the members that changed, and putting it back.

use crate::document::Document;
use crate::edit::{EditError, Style, parse};
use crate::keys::Index;
use crate::limits::Limits;
use crate::pointer::Token;
use crate::same::{Numbers, same};
use crate::value::Value;
use crate::write::Writer;

/// What a person changed in an object, seen from its members only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The text of an object: the members that were added or changed, as they stand in the edited text
    /// and in its order.
    pub text: String,
    /// The names of the members that were removed, in the order of the original.
    pub removed: Vec<String>,
}

impl Patch {
    /// Whether nothing was changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text == "{}" && self.removed.is_empty()
    }
}

/// The members of `edited` that `original` lacks or has with another content, and the removed ones.
///
/// Numbers have another content when their characters differ.
///
/// # Errors
/// [`EditError`]: a text is not a JSON object, or has a repeated key at the top.
pub fn shallow_patch(original: &str, edited: &str) -> Result<Patch, EditError> {
    let (before, after) =
        (parse(original)?, Document::parse(edited, &Limits::default()).map_err(EditError::InvalidJson)?);
    let (before, after) = (before.root(), after.root());
    let (old, new) = (members(before)?, members(after)?);
    let mut patch = Patch { text: String::new(), removed: Vec::new() };
    let mut writer = Writer::new();
    writer.begin_object();
    for (key, value) in after.members() {
        let unchanged = old.find(key).is_some_and(|(_, other)| unchanged(other, value));
        if !unchanged {
            writer.raw_key(key.text()).raw(value.text());
        }
    }
    for (key, _) in before.members() {
        if new.find(key).is_none() {
            patch.removed.extend(key.as_str_lossy().map(|name| name.into_owned()));
        }
    }
    patch.text = writer.finish();
    Ok(patch)
}

/// `original` with the members of `patch` in the place of those of the same name, and the others at the end.
///
/// Every other byte of `original` stays as it is.
///
/// # Errors
/// [`EditError`]: a text is not a JSON object, or has a repeated key at the top.
pub fn shallow_merge(original: &str, patch: &str) -> Result<String, EditError> {
    let (before, patch) =
        (parse(original)?, Document::parse(patch, &Limits::default()).map_err(EditError::InvalidJson)?);
    let (before, patch) = (before.root(), patch.root());
    let (old, new) = (members(before)?, members(patch)?);
    let mut merged = String::with_capacity(original.len() + patch.span().len());
    let mut copied = 0;
    for (key, value) in before.members() {
        if let Some((_, other)) = new.find(key) {
            let span = value.span();
            merged.push_str(original.get(copied..span.start).unwrap_or_default());
            merged.push_str(other.text());
            copied = span.end;
        }
    }
    let style = Style::of(original, before);
    let end = style.end.unwrap_or(before.span().start + 1);
    merged.push_str(original.get(copied..end).unwrap_or_default());
    let mut comma = style.end.is_some();
    for (key, value) in patch.members() {
        if old.find(key).is_none() {
            let lead = if comma { [",", style.lead] } else { ["", ""] };
            lead.into_iter()
                .chain([key.text(), style.colon, value.text()])
                .for_each(|part| merged.push_str(part));
            comma = true;
        }
    }
    merged.push_str(original.get(end..).unwrap_or_default());
    Ok(merged)
}

/// Equal text is equal content even where [`same`] cannot tell: in objects with a repeated key.
fn unchanged(before: Value<'_>, after: Value<'_>) -> bool {
    before.text() == after.text() || same(before, after, Numbers::Lexeme)
}

fn members(value: Value<'_>) -> Result<Index<'_>, EditError> {
    if !value.is_object() {
        return Err(EditError::NotAnObject);
    }
    let index = Index::new(value);
    match index.repeated() {
        Some(key) => {
            let mut pointer = String::new();
            Token::Key(key).push_to(&mut pointer);
            Err(EditError::RepeatedKey(pointer))
        }
        None => Ok(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGINAL: &str = r#"{"id":2512292042121000001, "n":1.00, "z":null, "deep":{"a":[1,2]}}"#;

    #[test]
    fn a_patch_holds_what_changed_as_it_was_typed() {
        let edited = r#"{ "new" : [ 1 ], "deep": {"a":[1, 2]}, "id":2512292042121000001, "n":1.0 }"#;
        let patch = shallow_patch(ORIGINAL, edited).unwrap();
        assert_eq!(patch.text, r#"{"new":[ 1 ],"n":1.0}"#);
        assert_eq!(patch.removed, ["z"]);
        assert!(!patch.is_empty());
    }

    #[test]
    fn nothing_changed_is_an_empty_patch() {
        let patch = shallow_patch(
            ORIGINAL,
            r#"{"z":null,"n":1.00,"deep":{"\u0061":[1,2]},"id":2512292042121000001}"#,
        );
        assert!(patch.unwrap().is_empty());
        let twice = r#"{"a":{"k":1,"k":2},"b":1}"#;
        assert_eq!(shallow_patch(twice, r#"{"a":{"k":1,"k":2},"b":2}"#).unwrap().text, r#"{"b":2}"#);
        assert!(!shallow_patch(r#"{"a":1}"#, r#"{"a":2}"#).unwrap().is_empty());
        let removed = shallow_patch(r#"{"a":1}"#, "{}").unwrap();
        assert!(!removed.is_empty() && removed.text == "{}");
    }

    #[test]
    fn merging_leaves_other_members_byte_for_byte() {
        let merged = shallow_merge(ORIGINAL, r#" {"deep":{ }, "\u006e":2.50,"x y":[1] } "#);
        let expected = r#"{"id":2512292042121000001, "n":2.50, "z":null, "deep":{ }, "x y":[1]}"#;
        assert_eq!(merged.as_deref(), Ok(expected));
        assert_eq!(shallow_merge(" {\n} ", r#"{"a":1,"b":2}"#).as_deref(), Ok(" {\"a\":1,\"b\":2\n} "));
        assert_eq!(
            shallow_merge("{\n  \"a\": 1\n}", r#"{"b":2}"#).as_deref(),
            Ok("{\n  \"a\": 1,\n  \"b\": 2\n}")
        );
        assert_eq!(shallow_merge(ORIGINAL, "{}").as_deref(), Ok(ORIGINAL));
    }

    #[test]
    fn only_clear_objects_are_taken() {
        assert_eq!(shallow_patch("[]", "{}"), Err(EditError::NotAnObject));
        assert_eq!(shallow_merge("{}", "1"), Err(EditError::NotAnObject));
        assert_eq!(shallow_merge(r#"{"a":1,"\u0061":2}"#, "{}"), Err(EditError::RepeatedKey("/a".into())));
        assert_eq!(shallow_patch("{}", r#"{"a":1,"a":2}"#), Err(EditError::RepeatedKey("/a".into())));
        assert!(matches!(shallow_patch("{}", "{"), Err(EditError::InvalidJson(_))));
        assert!(matches!(shallow_merge("{", "{}"), Err(EditError::InvalidText(_))));
    }
}

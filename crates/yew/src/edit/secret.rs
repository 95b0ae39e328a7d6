//! Whether a value is secret by what its schema says, also where neither its name nor its content tells.

use countersign_core::RequestView;
use countersign_core::secret::{names_secret, secrets_in_json};
use countersign_json::{Document, Value};
use countersign_schema::form::{Field, Form};

use super::draft::{Draft, parse};
use super::kinds::{Picks, chosen};
use super::place::child;

/// How many values are looked at while somebody types; what has more is taken to hold a secret.
const MOST: usize = 2_000;

/// How deep values are looked at; what is deeper is taken to hold a secret.
const DEPTH: usize = 32;

/// What a schema calls secret.
pub(crate) struct Secrets<'s>(Option<Form<'s>>);

/// The schema, if it may call anything secret.
pub(crate) fn schema_with_secrets(schema: Option<&str>) -> Option<Document<'_>> {
    let may = |schema: &&str| ["writeOnly", "password", "\\u"].iter().any(|word| schema.contains(word));
    parse(schema.filter(may)?).ok()
}

impl<'s> Secrets<'s> {
    /// Those of [`schema_with_secrets`].
    pub(crate) fn of(schema: Option<&'s Document<'_>>) -> Secrets<'s> {
        Secrets(schema.and_then(Form::of))
    }

    /// Whether the value at a place in this one is secret, stands in one that is, or holds one.
    pub(crate) fn at(&self, root: Value<'_>, pointer: &str) -> bool {
        let Some(form) = &self.0 else { return false };
        Search { form, left: MOST }.finds(form.root(Some(root)), root, pointer, 0)
    }
}

struct Search<'f, 's> {
    form: &'f Form<'s>,
    left: usize,
}

impl Search<'_, '_> {
    /// Whether there is a secret on the way, which is what is left of a JSON Pointer, or at its end.
    fn finds(&mut self, field: Field, value: Value<'_>, way: &str, depth: usize) -> bool {
        let Some(left) = self.left.checked_sub(1).filter(|_| depth < DEPTH) else { return true };
        self.left = left;
        let (_, field) = chosen(field, value, "", self.form, &Picks::default());
        if field.secret {
            return !value.is_null() && value.as_str().is_none_or(|text| !text.is_empty());
        }
        // The rest of the way in the child of this name; `None`: it is not on the way.
        let rest = |name: &str| {
            let rest = way.strip_prefix(child("", name).as_str());
            if way.is_empty() {
                Some("")
            } else {
                rest.filter(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        };
        for (index, item) in value.items().enumerate() {
            if let Some(rest) = rest(&index.to_string())
                && self.finds(self.form.item(&field.node, index, Some(item)), item, rest, depth + 1)
            {
                return true;
            }
        }
        for (key, member) in value.members() {
            let name = key.as_str_lossy().unwrap_or_default();
            if let Some(rest) = rest(&name)
                && self.finds(self.form.member(&field.node, &name, Some(member)), member, rest, depth + 1)
            {
                return true;
            }
        }
        false
    }
}

/// Whether a text looks as if it held a secret, even while it cannot be read.
pub(super) fn is_secret(text: &str) -> bool {
    let is_readable = parse(text).is_ok();
    !secrets_in_json(text).is_empty() || (!is_readable && text.split('"').any(names_secret))
}

/// Whether the schema calls anything in a draft secret, or may do so while it cannot be read.
pub(super) fn is_called_secret(view: &RequestView, draft: &Draft) -> bool {
    let Some(schema) = schema_with_secrets(view.args_schema.as_deref()) else { return false };
    let secrets = Secrets::of(Some(&schema));
    !draft.loose().is_empty() || draft.with("", |root| secrets.at(root, "")).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r24_what_a_schema_calls_secret_is_found_at_and_around_and_within_a_place() {
        let schema = r#"{"properties":{
            "door":{"type":"string","format":"password"},
            "safe":{"writeOnly":true,"properties":{"left":{"type":"integer"}}},
            "list":{"items":{"properties":{"a/b":{"oneOf":[{"type":"string","writeOnly":true},{"type":"null"}]}}}},
            "plain":{"type":"string"}
        }}"#;
        let text = r#"{"door":"x","safe":{"left":1},"list":[{"a/b":null},{"a/b":"y"}],"plain":"z"}"#;
        let (schema, document) = (schema_with_secrets(Some(schema)), parse(text).expect("JSON"));
        let secrets = Secrets::of(schema.as_ref());
        let at = |place| secrets.at(document.root(), place);
        for place in ["", "/door", "/safe", "/safe/left", "/list", "/list/1", "/list/1/a~1b"] {
            assert!(at(place), "{place}");
        }
        for place in ["/plain", "/list/0", "/list/0/a~1b", "/none", "/doors"] {
            assert!(!at(place), "{place}");
        }
        let empty = parse(r#"{"door":"","plain":"z"}"#).expect("JSON");
        assert!(!secrets.at(empty.root(), ""));
    }

    #[test]
    fn r24_what_is_too_much_to_look_at_is_taken_to_hold_a_secret() {
        let schema = schema_with_secrets(Some(r#"{"properties":{"door":{"writeOnly":true}}}"#));
        let secrets = Secrets::of(schema.as_ref());
        let many = ["[", &"1,".repeat(MOST), "1]"].concat();
        let deep = ["[".repeat(DEPTH + 1), "]".repeat(DEPTH + 1)].concat();
        for (text, is_too_much) in [(many.as_str(), true), (deep.as_str(), true), ("[[1]]", false)] {
            let document = parse(text).expect("JSON");
            assert_eq!(secrets.at(document.root(), ""), is_too_much);
        }
        assert!(schema_with_secrets(Some(r#"{"type":"object"}"#)).is_none());
        assert!(schema_with_secrets(None).is_none());
    }
}

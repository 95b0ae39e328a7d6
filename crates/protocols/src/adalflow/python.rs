//! AdalFlow's own schemas name Python's types.

use countersign_json::{Value, quote};

/// What Python calls the types of JSON Schema. Everything else asks for nothing.
const TYPES: [(&str, &str); 6] = [
    ("str", "string"),
    ("int", "integer"),
    ("float", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("dict", "object"),
];

/// The text of a schema, with the types of JSON Schema in place of Python's.
pub(super) fn schema(schema: Value<'_>) -> String {
    // The last that is pushed is taken first, so places are found from the end of the text to its beginning.
    let mut pending = vec![(schema, false)];
    let mut places: Vec<(Value<'_>, &str)> = Vec::new();
    while let Some((value, is_type)) = pending.pop() {
        if is_type && value.is_string() {
            let named = TYPES.iter().find(|(python, _)| value.equals(python));
            places.extend(named.map(|(_, word)| (value, *word)));
        }
        pending.extend(value.items().map(|item| (item, false)));
        pending.extend(value.members().map(|(key, member)| (member, key.equals("type"))));
    }
    let base = schema.span().start;
    let (mut plain, mut from) = (String::new(), 0);
    for (value, word) in places.iter().rev() {
        let span = value.span();
        plain.push_str(schema.text().get(from..span.start - base).unwrap_or_default());
        plain.push_str(&quote(word));
        from = span.end - base;
    }
    plain.push_str(schema.text().get(from..).unwrap_or_default());
    plain
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::schema;

    #[test]
    fn pythons_types_become_those_of_json_schema_and_nothing_else_changes() {
        let text = r#"[ {"properties": {"type": {"type": "str"}, "n":{"type":"int","default":1.00},
            "l":{"type":"List[str]"},"d":{"type":"\u0064ict"}}, "type":"object"} ]"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let first = document.root().items().next().unwrap();
        let expected = r#"{"properties": {"type": {"type": "string"}, "n":{"type":"integer","default":1.00},
            "l":{"type":"List[str]"},"d":{"type":"object"}}, "type":"object"}"#;
        assert_eq!(schema(first), expected);
    }
}

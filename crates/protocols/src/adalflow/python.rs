//! AdalFlow's own schemas name Python's types.

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
///
/// Between the quotes of a JSON text stand its strings and what is between them. A string that holds quotes itself
/// falls apart into more pieces, none of which is a whole name: a backslash is left on it.
pub(super) fn schema(schema: &str) -> String {
    let mut plain = String::new();
    let (mut key, mut colon) = ("", "");
    for piece in schema.split('"') {
        let is_type = key == "type" && colon.trim() == ":";
        let named = TYPES.iter().find(|(python, _)| is_type && *python == piece);
        plain.push_str(named.map_or(piece, |(_, word)| word));
        plain.push('"');
        (key, colon) = (colon, piece);
    }
    plain.pop();
    plain
}

#[cfg(test)]
mod tests {
    use super::schema;

    #[test]
    fn pythons_types_become_those_of_json_schema_and_nothing_else_changes() {
        let text = r#"{"properties": {"type": {"type" : "str"}, "n":{"type":"int","default":1.00}, "x":"type:",
            "l":{"type":"List[str]"},"d":{"type":"dict","title":"a \"type\": \"str\""}}, "type":"object"}"#;
        let expected = r#"{"properties": {"type": {"type" : "string"}, "n":{"type":"integer","default":1.00}, "x":"type:",
            "l":{"type":"List[str]"},"d":{"type":"object","title":"a \"type\": \"str\""}}, "type":"object"}"#;
        assert_eq!(schema(text), expected);
    }
}

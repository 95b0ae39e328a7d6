//! What the agent's tools take: the signatures from which AdalFlow makes its descriptions and schemas.

use countersign_json::{Document, Limits, Value, Writer, is_whole};

/// The tool that asks a person instead of doing something.
pub(super) const QUESTION: &str = "clarify";

/// A parameter: its name, its type in Python, and its default as Python writes it.
type Parameter = (&'static str, &'static str, Option<&'static str>);

/// Every tool with what it does and takes.
const TOOLS: &[(&str, &str, &[Parameter])] = &[
    ("read_file", "Reads one file.", &[("path", "str", None), ("max_lines", "int", Some("500"))]),
    ("delete_file", "Deletes one file.", &[("path", "str", None), ("recursive", "bool", Some("False"))]),
    (
        "send_email",
        "Sends an e-mail.",
        &[("to", "str", None), ("subject", "str", None), ("body", "str", None), ("cc", "list", Some("[]"))],
    ),
    (
        "transfer_funds",
        "Transfers money.",
        &[
            ("to_account", "str", None),
            ("amount", "float", None),
            ("currency", "str", None),
            ("reference", "int", Some("0")),
            ("memo", "str", Some("''")),
            ("beneficiary", "str", Some("''")),
            ("urgent", "bool", Some("False")),
        ],
    ),
    (
        "restart_deployment",
        "Restarts a deployment.",
        &[
            ("namespace", "str", None),
            ("deployment", "str", None),
            ("grace_seconds", "int", Some("30")),
            ("strategy", "dict", Some("{}")),
        ],
    ),
    (
        QUESTION,
        "Asks the person something.",
        &[("question", "str", None), ("user_response", "str", Some("''"))],
    ),
];

fn parameters(tool: &str) -> &'static [Parameter] {
    TOOLS.iter().find(|(name, ..)| *name == tool).map_or(&[], |(_, _, parameters)| *parameters)
}

/// The tool's signature and what it does, as the library puts it together.
#[must_use]
pub(super) fn description(tool: &str) -> String {
    let does = TOOLS.iter().find(|(name, ..)| *name == tool).map_or("", |(_, does, _)| does);
    let parameters: Vec<String> = parameters(tool)
        .iter()
        .map(|(name, kind, default)| {
            default.map_or_else(|| format!("{name}: {kind}"), |default| format!("{name}: {kind} = {default}"))
        })
        .collect();
    format!("{tool}({}) -> str\nDocstring: {does}\n", parameters.join(", "))
}

/// The JSON Schema of the tool's arguments.
#[must_use]
pub(super) fn schema(tool: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("properties").begin_object();
    for (name, kind, default) in parameters(tool) {
        writer.key(name).begin_object();
        if let Some(default) = default {
            writer.key("default").raw(&json_default(default));
        }
        writer.key("type").string(json_type(kind)).end_object();
    }
    writer.end_object().key("required").begin_array();
    for (name, _, _) in parameters(tool).iter().filter(|(_, _, default)| default.is_none()) {
        writer.string(name);
    }
    writer.end_array().key("type").string("object").end_object();
    writer.finish()
}

fn json_type(kind: &str) -> &'static str {
    match kind {
        "int" => "integer",
        "float" => "number",
        "bool" => "boolean",
        "list" => "array",
        "dict" => "object",
        _ => "string",
    }
}

fn json_default(default: &str) -> String {
    match default {
        "False" => "false".to_owned(),
        "''" => r#""""#.to_owned(),
        other => other.to_owned(),
    }
}

/// What is wrong with these arguments, one line for each thing; `None` where they are no object.
#[must_use]
pub(super) fn problems(tool: &str, kwargs: &str) -> Option<Vec<String>> {
    let document = Document::parse(kwargs, &Limits::ARGUMENTS).ok()?;
    let root = document.root();
    if !root.is_object() {
        return None;
    }
    let mut errors = Vec::new();
    for (name, kind, default) in parameters(tool) {
        match root.get(name) {
            Some(value) if !fits(value, kind) => {
                errors.push(format!("/{name}: {} is not of type '{}'", value.text(), json_type(kind)));
            }
            None if default.is_none() => errors.push(format!(": '{name}' is a required property")),
            _ => {}
        }
    }
    for (key, _) in root.members() {
        let name = key.as_str_lossy().unwrap_or_default();
        if !parameters(tool).iter().any(|(known, ..)| *known == name) {
            errors.push(format!("/{name}: unknown argument"));
        }
    }
    Some(errors)
}

fn fits(value: Value<'_>, kind: &str) -> bool {
    match json_type(kind) {
        "integer" => value.as_number().is_some_and(is_whole),
        "number" => value.as_number().is_some(),
        "boolean" => value.as_bool().is_some(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_do_not_fit_are_told_one_by_one() {
        let check = |kwargs: &str, expected: Option<&[&str]>| {
            let expected = expected.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect());
            assert_eq!(problems("delete_file", kwargs), expected, "{kwargs}");
        };
        check(r#"{"path":"/a"}"#, Some(&[]));
        check(r#"{"path":1,"recursive":false}"#, Some(&["/path: 1 is not of type 'string'"]));
        check(r#"{"pfad":"/a"}"#, Some(&[": 'path' is a required property", "/pfad: unknown argument"]));
        check("[]", None);
    }

    #[test]
    fn a_tool_is_described_as_the_library_describes_it() {
        assert_eq!(
            description("delete_file"),
            "delete_file(path: str, recursive: bool = False) -> str\nDocstring: Deletes one file.\n"
        );
        assert_eq!(
            schema("delete_file"),
            r#"{"properties":{"path":{"type":"string"},"recursive":{"default":false,"type":"boolean"}},"required":["path"],"type":"object"}"#
        );
    }
}

//! The tools: what they do, and which arguments they take.

use countersign_json::{Value, Writer, is_whole};

/// One argument: its name, its type in JSON Schema, whether it must be there.
type Parameter = (&'static str, &'static str, bool);

/// What the tool does.
pub(super) fn description(tool: &str) -> &'static str {
    match tool {
        "delete_file" => "Deletes one file.",
        "send_email" => "Sends an e-mail.",
        "transfer_funds" => "Transfers money.",
        "restart_deployment" => "Restarts a deployment of the cluster.",
        _ => "Reads one file.",
    }
}

/// The JSON Schema of the tool's arguments.
pub(super) fn schema(tool: &str) -> String {
    let mut writer = Writer::new();
    writer.begin_object().key("properties").begin_object();
    for (name, kind, _) in parameters(tool) {
        writer.key(name).begin_object().key("type").string(kind).end_object();
    }
    writer.end_object().key("required").begin_array();
    for (name, _, _) in parameters(tool).iter().filter(|(_, _, required)| *required) {
        writer.string(name);
    }
    writer.end_array().key("type").string("object").end_object();
    writer.finish()
}

/// One line for each thing that keeps these arguments from fitting, as `<JSON pointer>: <why>`.
pub(super) fn problems(tool: &str, args: Value<'_>) -> Vec<String> {
    let known = parameters(tool);
    let missing = known.iter().filter(|(name, _, required)| *required && args.get(name).is_none());
    let mut problems: Vec<String> =
        missing.map(|(name, ..)| format!(": '{name}' is a required property")).collect();
    for (key, value) in args.members() {
        let name = key.as_str_lossy().unwrap_or_default();
        let fits = match known.iter().find(|(known, ..)| *known == name) {
            Some((_, kind, _)) if is_of(kind, value) => continue,
            Some((_, kind, _)) => format!("{} is not of type '{kind}'", value.text()),
            None => "unknown argument".to_owned(),
        };
        problems.push(format!("/{}: {fits}", name.replace('~', "~0").replace('/', "~1")));
    }
    problems
}

fn is_of(kind: &str, value: Value<'_>) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.as_number().is_some(),
        "integer" => value.as_number().is_some_and(is_whole),
        "boolean" => value.as_bool().is_some(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

fn parameters(tool: &str) -> &'static [Parameter] {
    match tool {
        "delete_file" => &[("path", "string", true), ("recursive", "boolean", false)],
        "send_email" => &[
            ("to", "string", true),
            ("cc", "array", false),
            ("subject", "string", true),
            ("body", "string", true),
        ],
        "transfer_funds" => &[
            ("to_account", "string", true),
            ("beneficiary", "string", false),
            ("amount", "number", true),
            ("currency", "string", true),
            ("reference", "integer", false),
            ("memo", "string", false),
            ("urgent", "boolean", false),
        ],
        "restart_deployment" => &[
            ("namespace", "string", true),
            ("deployment", "string", true),
            ("grace_seconds", "integer", false),
            ("strategy", "object", false),
        ],
        _ => &[("path", "string", true), ("max_lines", "integer", false)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::script::plan::{Step, plan};
    use crate::systems::script::{APPROVALS, call::Proposal};
    use countersign_json::{Document, Limits};

    fn problems_of(call: &Proposal) -> Vec<String> {
        let document = Document::parse(&call.args, &Limits::ARGUMENTS).expect("arguments are JSON");
        problems(&call.tool, document.root())
    }

    #[test]
    fn everything_that_the_script_calls_fits_its_tool() {
        for step in APPROVALS.iter().flat_map(|prompt| plan(prompt)) {
            let calls = match step {
                Step::Run { calls, .. } | Step::Gated { calls, .. } => calls,
                Step::Delegate { calls, .. } => calls.unwrap_or_default(),
                Step::Ask { .. } | Step::Crash => Vec::new(),
            };
            for call in calls {
                assert_eq!(problems_of(&call), Vec::<String>::new(), "{call:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let args = r#"{"path":1,"a/b~":2}"#;
        let expected = ["/path: 1 is not of type 'string'", "/a~1b~0: unknown argument"];
        assert_eq!(problems_of(&Proposal::new("delete_file", args)), expected);
        assert_eq!(problems_of(&Proposal::new("read_file", "{}")), [": 'path' is a required property"]);
    }
}

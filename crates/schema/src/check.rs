//! Whether a value is what a schema wants.

use countersign_json::{Document, Kind, Limits, Numbers, Value, is_whole, same};

/// How deep schemas may stand inside one another, and how many of them are looked at.
const DEPTH: u32 = 100;
const STEPS: u32 = 200_000;

/// Says what is wrong with `args`, and where, if they are not what `schema` wants; both are JSON texts.
///
/// ```
/// use countersign_schema::check;
///
/// let schema = r#"{"type":"object","properties":{"to":{"type":"array"}},"required":["to"]}"#;
/// assert_eq!(check(schema, r#"{"to":[]}"#), Ok(()));
/// assert_eq!(check(schema, r#"{"to":"x"}"#), Err("`/to` must be of type array".to_owned()));
/// ```
///
/// # Errors
/// One sentence about the first fault, or that a text is not JSON or the schema has no end.
pub fn check(schema: &str, args: &str) -> Result<(), String> {
    let limits = Limits::default();
    let schema =
        Document::parse(schema, &limits).map_err(|error| format!("the schema is not JSON: {error}"))?;
    let args = Document::parse(args, &limits).map_err(|error| error.to_string())?;
    let mut checker = Checker { root: schema.root(), steps: STEPS };
    checker.value(schema.root(), args.root(), 0).map_err(|fault| match fault.path.as_str() {
        "" => format!("the arguments {}", fault.says),
        path => format!("`{path}` {}", fault.says),
    })
}

struct Checker<'s> {
    root: Value<'s>,
    steps: u32,
}

struct Fault {
    path: String,
    says: String,
}

fn fault(says: impl Into<String>) -> Fault {
    Fault { path: String::new(), says: says.into() }
}

impl Fault {
    fn within(mut self, name: &str) -> Fault {
        self.path = format!("/{}{}", name.replace('~', "~0").replace('/', "~1"), self.path);
        self
    }
}

impl<'s> Checker<'s> {
    fn value(&mut self, schema: Value<'s>, value: Value<'_>, depth: u32) -> Result<(), Fault> {
        self.steps = self.steps.saturating_sub(1);
        if depth > DEPTH || self.steps == 0 {
            return Err(fault("cannot be checked: the schema has no end"));
        }
        if schema.as_bool() == Some(false) {
            return Err(fault("must not be there"));
        }
        let [reference, kinds, one_of, constant, choices] =
            schema.pick(["$ref", "type", "oneOf", "const", "enum"]);
        let target = reference.and_then(|reference| reference.as_str());
        if let Some(target) = target.and_then(|target| self.root.pointer(target.strip_prefix('#')?)) {
            self.value(target, value, depth + 1)?;
        }
        let is_one =
            |kinds: Value<'_>| is_kind(kinds, value) || kinds.items().any(|kind| is_kind(kind, value));
        if let Some(kinds) = kinds.filter(|kinds| (kinds.is_string() || kinds.is_array()) && !is_one(*kinds))
        {
            let names = kinds.as_str().map_or_else(|| kinds.text().to_owned(), |name| name.into_owned());
            return Err(fault(format!("must be of type {names}")));
        }
        if let Some(constant) = constant.filter(|constant| !same(*constant, value, Numbers::Value)) {
            return Err(fault(format!("must be {}", constant.text())));
        }
        let is_choice =
            |choices: Value<'_>| choices.items().any(|choice| same(choice, value, Numbers::Value));
        if let Some(choices) = choices.filter(|choices| choices.is_array() && !is_choice(*choices)) {
            return Err(fault(format!("must be one of {}", choices.text())));
        }
        if let Some(one_of) = one_of.filter(|one_of| self.fitting(*one_of, value, depth) != 1) {
            return Err(fault(format!("must fit exactly one of {} forms", one_of.len())));
        }
        self.combined(schema, value, depth)?;
        match value.kind() {
            Kind::Object => self.object(schema, value, depth),
            Kind::Array => self.array(schema, value, depth),
            Kind::String => length(
                schema,
                ["minLength", "maxLength"],
                value.as_str_lossy().map_or(0, |text| text.chars().count()),
            ),
            _ => Ok(()),
        }
    }

    fn combined(&mut self, schema: Value<'s>, value: Value<'_>, depth: u32) -> Result<(), Fault> {
        let [all, any, not] = schema.pick(["allOf", "anyOf", "not"]);
        for part in all.into_iter().flat_map(Value::items) {
            self.value(part, value, depth + 1)?;
        }
        if any.is_some_and(|any| any.is_array() && self.fitting(any, value, depth) == 0) {
            return Err(fault("fits none of the forms that are allowed"));
        }
        if not.is_some_and(|not| self.value(not, value, depth + 1).is_ok()) {
            return Err(fault("is of a form that is excluded"));
        }
        Ok(())
    }

    fn fitting(&mut self, forms: Value<'s>, value: Value<'_>, depth: u32) -> usize {
        forms.items().filter(|form| self.value(*form, value, depth + 1).is_ok()).count()
    }

    fn object(&mut self, schema: Value<'s>, value: Value<'_>, depth: u32) -> Result<(), Fault> {
        let [properties, required, more, patterns] =
            schema.pick(["properties", "required", "additionalProperties", "patternProperties"]);
        let has = |object: Value<'_>, name: Value<'_>| {
            name.as_str().is_some_and(|name| object.get(&name).is_some())
        };
        for name in required.into_iter().flat_map(Value::items) {
            if name.is_string() && !has(value, name) {
                return Err(fault("is missing").within(&name.as_str_lossy().unwrap_or_default()));
            }
        }
        for (name, member) in value.members() {
            let name = name.as_str_lossy().unwrap_or_default();
            let known = properties.and_then(|properties| properties.get(&name));
            let wanted = known.or_else(|| more.filter(|_| patterns.is_none()));
            if let Some(wanted) = wanted {
                self.value(wanted, member, depth + 1).map_err(|fault| fault.within(&name))?;
            }
        }
        Ok(())
    }

    fn array(&mut self, schema: Value<'s>, value: Value<'_>, depth: u32) -> Result<(), Fault> {
        length(schema, ["minItems", "maxItems"], value.len())?;
        let [items, prefix] = schema.pick(["items", "prefixItems"]);
        let before = prefix.map_or(0, Value::len);
        let mut first = prefix.into_iter().flat_map(Value::items);
        for (at, item) in value.items().enumerate() {
            let wanted = first.next().or(items.filter(|items| at >= before && !items.is_array()));
            if let Some(wanted) = wanted {
                self.value(wanted, item, depth + 1).map_err(|fault| fault.within(&at.to_string()))?;
            }
        }
        Ok(())
    }
}

fn length(schema: Value<'_>, keys: [&str; 2], length: usize) -> Result<(), Fault> {
    let [least, most] = schema.pick(keys).map(|limit| limit?.as_number()?.parse::<usize>().ok());
    match (least, most) {
        (Some(least), _) if length < least => {
            Err(fault(format!("must be at least {least} long, is {length}")))
        }
        (_, Some(most)) if length > most => Err(fault(format!("must be at most {most} long, is {length}"))),
        _ => Ok(()),
    }
}

const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// Whether the value is of this kind; a word that names none asks for nothing.
fn is_kind(kind: Value<'_>, value: Value<'_>) -> bool {
    let name = match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "boolean",
        Kind::Number if is_whole(value.text()) && kind.equals("integer") => return true,
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    };
    kind.equals(name) || (kind.is_string() && !KINDS.iter().any(|known| kind.equals(known)))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[track_caller]
    fn fits(schema: &str, value: &str, expected: bool) {
        let result = check(schema, value);
        assert_eq!(result.is_ok(), expected, "{schema} {value}: {result:?}");
    }

    #[test]
    fn types_are_told_apart() {
        for (kind, good, bad) in [
            ("object", "{}", "[]"),
            ("array", "[]", "{}"),
            ("string", "\"1\"", "1"),
            ("integer", "1.0", "1.5"),
            ("integer", "1e2", "1e-2"),
            ("number", "1.5", "\"1\""),
            ("boolean", "true", "null"),
            ("null", "null", "0"),
        ] {
            fits(&format!("{{\"type\":\"{kind}\"}}"), good, true);
            fits(&format!("{{\"type\":\"{kind}\"}}"), bad, false);
        }
        fits(r#"{"type":["string","null"]}"#, "null", true);
        fits(r#"{"type":["string","null"]}"#, "1", false);
    }

    #[test]
    fn the_first_fault_is_named_with_its_place() {
        let schema = r##"{"$ref":"#/$defs/mail","$defs":{"mail":{"properties":{"to":{"type":"array","items":{"type":"string"}},"a/b":{"const":1}},"required":["to"]}}}"##;
        let says = |args| check(schema, args).unwrap_err();
        assert_eq!(says("{}"), "`/to` is missing");
        assert_eq!(says(r#"{"to":["a",1]}"#), "`/to/1` must be of type string");
        assert_eq!(says(r#"{"to":[],"a/b":2}"#), "`/a~1b` must be 1");
        assert_eq!(check(schema, r#"{"to":["a"],"more":1}"#), Ok(()));
    }

    #[test]
    fn forms_and_lengths_count() {
        fits(r#"{"properties":{"a":{}},"additionalProperties":false}"#, r#"{"a":1}"#, true);
        fits(r#"{"properties":{"a":{}},"additionalProperties":false}"#, r#"{"b":1}"#, false);
        fits(r#"{"additionalProperties":{"type":"string"}}"#, r#"{"b":1}"#, false);
        fits(r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "1", false);
        fits(r#"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#, "1", false);
        fits(r#"{"allOf":[{"type":"string"},{"minLength":2}]}"#, "\"ä\"", false);
        fits(r#"{"not":{"type":"null"}}"#, "null", false);
        fits(r#"{"enum":["a",1]}"#, "1.0", true);
        fits(r#"{"enum":["a",1]}"#, "\"b\"", false);
        fits(
            r#"{"minItems":1,"prefixItems":[{"type":"null"}],"items":{"type":"string"}}"#,
            r#"[null,"x"]"#,
            true,
        );
        fits(r#"{"maxItems":1}"#, "[1,2]", false);
    }

    #[test]
    fn what_is_not_known_is_left_to_the_backend() {
        fits(r##"{"$ref":"https://example.com/x","pattern":"(a+)+$","type":7}"##, "1", true);
        fits(r##"{"$ref":"#/$defs/none"}"##, "1", true);
        fits(r#"{"type":"List[str]"}"#, "1", true);
        fits("7", "1", true);
    }

    #[test]
    fn a_schema_without_end_refuses_and_does_not_hang() {
        fits(r##"{"$ref":"#"}"##, "1", false);
        let many =
            r##"{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}],"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##;
        fits(many, "{}", false);
        fits("{", "{}", false);
    }
}

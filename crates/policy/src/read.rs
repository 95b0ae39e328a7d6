//! Reading and writing the parts that all formats share.
//!
//! Whoever reads a part knows the value that is wrong and not the way to it; the way is found once, when it is told.
//! What is used everywhere is compiled once.

use std::sync::Arc;

use countersign_core::collections::Groups;
use countersign_core::{Millis, Text};
use countersign_json::{Document, HazardCode, Limits, Value, Writer, inspect, pointer};

use crate::error::PolicyError;
pub(crate) use crate::error::PolicyFault as What;

/// What a configuration may be at most; its depth keeps reading what is nested from running out of stack.
const LIMITS: Limits = Limits { bytes: 16 << 20, depth: 64, nodes: 1 << 20 };

/// What is wrong, and with which value.
pub(crate) struct Fault {
    /// Where the value or key starts, in bytes.
    at: usize,
    what: What,
}

pub(crate) type Read<T> = Result<T, Box<Fault>>;

#[cold]
#[inline(never)]
pub(crate) fn fault(value: Value<'_>, what: What) -> Box<Fault> {
    Box::new(Fault { at: value.span().start, what })
}

/// Every text that a verdict carries is made here.
pub(crate) fn shared(text: &str) -> Arc<str> {
    Arc::from(text)
}

/// A rule's name, of its parts.
#[inline(never)]
pub(crate) fn rule_name(parts: &[&str]) -> Arc<str> {
    let mut name = String::new();
    for part in parts {
        if !name.is_empty() {
            name.push(':');
        }
        name.push_str(part);
    }
    shared(&name)
}

/// Reads a text that must be clear to every reader, and hands its value on.
pub(crate) fn with_document<T>(
    text: &str,
    use_it: impl FnOnce(Value<'_>) -> Read<T>,
) -> Result<T, PolicyError> {
    let document = clear_document(text)?;
    use_it(document.root())
        .map_err(|fault| PolicyError { pointer: pointer::to(document.root(), fault.at), fault: fault.what })
}

#[inline(never)]
fn clear_document(text: &str) -> Result<Document<'_>, PolicyError> {
    let document = match Document::parse(text, &LIMITS) {
        Ok(document) => document,
        Err(error) => {
            return Err(PolicyError { pointer: String::new(), fault: What::NotJson(error.to_string()) });
        }
    };
    for hazard in inspect(document.root(), &LIMITS).hazards {
        if matches!(hazard.code, HazardCode::DuplicateKey | HazardCode::LoneSurrogate) {
            return Err(PolicyError { pointer: hazard.pointer, fault: What::Doubtful(hazard.message) });
        }
    }
    Ok(document)
}

#[inline(never)]
pub(crate) fn object(value: Value<'_>) -> Read<Value<'_>> {
    if value.is_object() { Ok(value) } else { Err(fault(value, What::WrongType("an object"))) }
}

#[inline(never)]
pub(crate) fn array(value: Value<'_>) -> Read<Value<'_>> {
    if value.is_array() { Ok(value) } else { Err(fault(value, What::WrongType("a list"))) }
}

#[inline(never)]
pub(crate) fn string(value: Value<'_>) -> Read<String> {
    match value.as_str() {
        Some(text) => Ok(text.into_owned()),
        None => Err(fault(value, What::WrongType("a text"))),
    }
}

/// A member that is there and not null.
#[inline(never)]
pub(crate) fn member<'d>(object: Value<'d>, key: &str) -> Option<Value<'d>> {
    object.get(key).filter(|value| !value.is_null())
}

/// A key, which is a text.
#[inline(never)]
pub(crate) fn name(key: Value<'_>) -> String {
    key.as_str_lossy().unwrap_or_default().into_owned()
}

#[inline(never)]
pub(crate) fn optional_string(holder: Value<'_>, key: &str) -> Read<Option<String>> {
    match member(holder, key) {
        Some(value) => string(value).map(Some),
        None => Ok(None),
    }
}

/// Fills a place from a member, if it is there.
#[inline(never)]
pub(crate) fn fill(place: &mut Option<String>, holder: Value<'_>, key: &str) -> Read<()> {
    *place = optional_string(holder, key)?;
    Ok(())
}

#[inline(never)]
pub(crate) fn required<'d>(holder: Value<'d>, key: &'static str) -> Read<Value<'d>> {
    member(holder, key).ok_or_else(|| fault(holder, What::MissingMember(key)))
}

#[inline(never)]
pub(crate) fn required_string(holder: Value<'_>, key: &'static str) -> Read<String> {
    string(required(holder, key)?)
}

/// A list of texts; absent and null are an empty one.
#[inline(never)]
pub(crate) fn strings(holder: Value<'_>, key: &str) -> Read<Vec<String>> {
    let mut texts = Vec::new();
    if let Some(list) = member(holder, key) {
        for text in array(list)?.items() {
            texts.push(string(text)?);
        }
    }
    Ok(texts)
}

/// Names that are found without a look at each: there may be thousands.
#[derive(Debug, Default)]
pub(crate) struct Names {
    list: Vec<String>,
    places: Groups,
}

impl Names {
    /// A list of names; absent and null are an empty one.
    pub(crate) fn read(holder: Value<'_>, key: &str) -> Read<Names> {
        Ok(Names::default().with(strings(holder, key)?))
    }

    /// These, and more of them.
    pub(crate) fn with(mut self, more: Vec<String>) -> Names {
        more.into_iter().for_each(|name| self.push(name));
        self
    }

    #[inline(never)]
    pub(crate) fn push(&mut self, name: String) {
        self.places.push(&Text::from(name.as_str()), u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(name);
    }

    /// All of them, in order.
    pub(crate) fn list(&self) -> &[String] {
        &self.list
    }

    /// The places at which this name stands, in order.
    pub(crate) fn places(&self, name: &str) -> &[u32] {
        self.places.get(name)
    }

    /// Where this name stands first.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places(name).first().and_then(|place| usize::try_from(*place).ok())
    }

    /// Whether `name` is one of them.
    #[inline(never)]
    pub(crate) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }
}

// Copying the index would be code of its own, in what every page loads.
impl Clone for Names {
    fn clone(&self) -> Names {
        Names::default().with(self.list.clone())
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.list == other.list
    }
}

impl Eq for Names {}

/// Names with whether each needs a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    names: Names,
    needs: Vec<bool>,
}

impl Flags {
    /// What is neither true nor false needs one. Absent and null are none.
    pub(crate) fn read(holder: Value<'_>, key: &str) -> Read<Flags> {
        let mut flags = Flags::default();
        if let Some(tools) = member(holder, key) {
            for (tool, needs) in object(tools)?.members() {
                flags.push(name(tool), needs.as_bool() != Some(false));
            }
        }
        Ok(flags)
    }

    fn push(&mut self, tool: String, needs: bool) {
        self.names.push(tool);
        self.needs.push(needs);
    }

    /// Those of tools that are listed.
    pub(crate) fn of(self, tools: &Names) -> Flags {
        let mut flags = Flags::default();
        for (tool, needs) in self.names.list.into_iter().zip(self.needs) {
            if tools.has(&tool) {
                flags.push(tool, needs);
            }
        }
        flags
    }

    /// What a tool's flag says.
    pub(crate) fn get(&self, tool: &str) -> Option<bool> {
        self.names.place(tool).and_then(|place| self.needs.get(place).copied())
    }

    /// The tools, in order.
    pub(crate) fn tools(&self) -> &[String] {
        self.names.list()
    }

    /// Writes a tool's flag each.
    #[inline(never)]
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        for (tool, needs) in self.names.list.iter().zip(&self.needs) {
            writer.key(tool).bool(*needs);
        }
        writer.end_object();
    }
}

#[inline(never)]
pub(crate) fn millis(holder: Value<'_>, key: &str) -> Read<Option<Millis>> {
    let Some(value) = member(holder, key) else { return Ok(None) };
    match value.as_number().and_then(|digits| digits.parse().ok()) {
        Some(moment) => Ok(Some(Millis(moment))),
        None => Err(fault(value, What::WrongType("milliseconds as a whole number"))),
    }
}

/// Refuses members that are not among those that are known.
#[inline(never)]
pub(crate) fn only(holder: Value<'_>, known: &[&str]) -> Read<()> {
    for (key, _) in object(holder)?.members() {
        if !known.iter().any(|name| key.equals(name)) {
            return Err(fault(key, What::UnknownMember));
        }
    }
    Ok(())
}

/// Refuses members that are null, but for those that may be: what they were meant to restrict would go unrestricted.
#[inline(never)]
pub(crate) fn no_nulls(holder: Value<'_>, may_be: &[&str]) -> Read<()> {
    for (key, value) in holder.members() {
        if value.is_null() && !may_be.iter().any(|name| key.equals(name)) {
            return Err(fault(value, What::WrongType("a value; what restricts nothing is left out")));
        }
    }
    Ok(())
}

/// What the word stands for that is in a member.
#[inline(never)]
pub(crate) fn word<T>(holder: Value<'_>, key: &'static str, named: fn(&str) -> Option<T>) -> Read<T> {
    let value = required(holder, key)?;
    let spelt = string(value)?;
    named(&spelt).ok_or_else(|| fault(value, What::UnknownWord(spelt)))
}

/// Writes a list of texts.
#[inline(never)]
pub(crate) fn write_strings(writer: &mut Writer, texts: &[String]) {
    writer.begin_array();
    for text in texts {
        writer.string(text);
    }
    writer.end_array();
}

/// Writes a member, if it is there.
#[inline(never)]
pub(crate) fn write_optional(writer: &mut Writer, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        writer.key(key).string(text);
    }
}

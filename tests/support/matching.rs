//! Whether what happened is what a trace expects.

use std::collections::BTreeMap;

use countersign_json::{Kind, Value};

/// The strings that stand for `{"$id": name}` in one trace.
pub type Names = BTreeMap<String, String>;

/// Compares by JSON value: the order of members does not count, number lexemes do.
///
/// # Errors
/// Where the two differ, and how.
pub fn matches(
    expected: Value<'_>,
    actual: Option<Value<'_>>,
    names: &mut Names,
    at: &str,
) -> Result<(), String> {
    if expected.get("$absent").is_some() {
        return match actual {
            None => Ok(()),
            Some(actual) => Err(format!("{at}: should be absent, is {}", actual.text())),
        };
    }
    let Some(actual) = actual else { return Err(format!("{at}: missing, should be {}", expected.text())) };
    if expected.get("$any").is_some() {
        return Ok(());
    }
    if let Some(name) = expected.get("$id").and_then(|name| name.as_str()) {
        return matches_name(&name, actual, names, at);
    }
    let differs = || Err(format!("{at}: should be {}, is {}", expected.text(), actual.text()));
    match (expected.kind(), actual.kind()) {
        (Kind::Object, Kind::Object) => {
            for (key, value) in expected.members() {
                let key = key.as_str().unwrap_or_default();
                matches(value, actual.get(&key), names, &format!("{at}/{key}"))?;
            }
            for (key, value) in actual.members() {
                let key = key.as_str().unwrap_or_default();
                if expected.get(&key).is_none() {
                    return Err(format!("{at}/{key}: should be absent, is {}", value.text()));
                }
            }
            Ok(())
        }
        (Kind::Array, Kind::Array) => {
            if expected.len() != actual.len() {
                return differs();
            }
            for (place, (expected, actual)) in expected.items().zip(actual.items()).enumerate() {
                matches(expected, Some(actual), names, &format!("{at}/{place}"))?;
            }
            Ok(())
        }
        (Kind::String, Kind::String) if expected.as_str_lossy() == actual.as_str_lossy() => Ok(()),
        (a, b) if a == b && a != Kind::String && expected.text() == actual.text() => Ok(()),
        _ => differs(),
    }
}

fn matches_name(name: &str, actual: Value<'_>, names: &mut Names, at: &str) -> Result<(), String> {
    let Some(text) = actual.as_str().filter(|text| !text.is_empty()) else {
        return Err(format!("{at}: should be a text, is {}", actual.text()));
    };
    let known = names.entry(name.to_owned()).or_insert_with(|| text.clone().into_owned());
    if *known == text { Ok(()) } else { Err(format!("{at}: `{name}` was `{known}` before, is `{text}`")) }
}

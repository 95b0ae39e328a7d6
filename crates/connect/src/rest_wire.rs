//! What the REST transport has to understand of the wire: where a decision goes, and what is in a list.

use countersign_json::{Document, Limits, Value};

/// The method, the path and the body that a decision says; nothing where the method does not decide, or the path leads
/// elsewhere: ids stand in it.
pub(crate) fn request(message: &str) -> Option<(String, String, Option<String>)> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    let [method, path, body] = document.root().pick(["method", "path", "body"]);
    let word = |value: Option<Value<'_>>| Some(value?.as_str()?.into_owned());
    let (method, path) = (word(method)?, word(path)?);
    let decides = ["POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str());
    let way = path.split('?').next().unwrap_or_default();
    let climbs = |part: &str| [".", ".."].contains(&part.to_ascii_lowercase().replace("%2e", ".").as_str());
    let strays = |character: char| matches!(character, '\\' | '#') || character.is_whitespace();
    let stays = path.starts_with('/') && !path.contains(strays) && !way.split('/').any(climbs);
    (decides && stays).then(|| (method, path, body.map(|body| body.text().to_owned())))
}

/// Whether an answer has a member of one of these names.
pub(crate) fn has(answer: &str, names: &[&str]) -> bool {
    let document = Document::parse(answer, &Limits::default());
    document.is_ok_and(|document| names.iter().any(|name| document.root().get(name).is_some()))
}

/// Whether a list does not show that a request waits no more: its id stands in this path, as one segment. It is an array of
/// requests with their ids, or an object of requests by id; what is neither shows nothing.
pub(crate) fn may_wait(list: &str, path: &str) -> bool {
    let Ok(document) = Document::parse(list, &Limits::default()) else { return true };
    let root = document.root();
    let way = path.split('?').next().unwrap_or_default();
    let segments: Vec<String> = way.split('/').map(unescaped).collect();
    let is_it = |id: Value<'_>| {
        let id = id.words();
        segments.iter().any(|segment| **segment == *id)
    };
    if root.is_array() {
        return root.items().any(|item| match item.pick(["request_id", "id"]) {
            [None, None] => true,
            ids => ids.into_iter().flatten().any(is_it),
        });
    }
    !root.is_object() || root.members().any(|(id, request)| !request.is_object() || is_it(id))
}

/// What a segment of a path stands for.
fn unescaped(segment: &str) -> String {
    let mut parts = segment.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend(part.bytes().skip(if byte.is_some() { 2 } else { 0 }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The items of a list, each as it is.
pub(crate) fn items(list: &str) -> Vec<String> {
    let Ok(document) = Document::parse(list, &Limits::default()) else { return Vec::new() };
    document.root().items().map(|item| item.text().to_owned()).collect()
}

/// Both lists in one, each item as it is.
pub(crate) fn joined(one: &str, other: &str) -> String {
    let items: Vec<String> = items(one).into_iter().chain(items(other)).collect();
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_says_where_it_goes() {
        let message = r#"{"method":"POST","path":"/api/v1/approvals/1/approve","body":{"request_id":"1","outcome":"cancel"}}"#;
        let (method, path, body) = request(message).expect("a request");
        assert_eq!((method.as_str(), path.as_str()), ("POST", "/api/v1/approvals/1/approve"));
        assert_eq!(body.as_deref(), Some(r#"{"request_id":"1","outcome":"cancel"}"#));
        assert_eq!(request(r#"{"text":"x"}"#), None);
        let refused = |method, path| {
            let message = format!(r#"{{"method":"{method}","path":"{path}"}}"#);
            assert_eq!(request(&message), None, "{message}");
        };
        refused("GET", "/a");
        for path in ["a", "/a/../b", "/a/%2E%2e/b", "/a#b", "/a b", "/a/\\\\b"] {
            refused("POST", path);
        }
        assert!(request(r#"{"method":"POST","path":"/a?b=.."}"#).is_some());
    }

    #[test]
    fn r10_rest_an_answer_says_something_of_the_message_only_by_these_names() {
        let check = |answer, expected| assert_eq!(has(answer, &["id", "status"]), expected, "{answer}");
        check(r#"{"id":"r1"}"#, true);
        check(r#"{"status":null}"#, true);
        for answer in ["", "{}", "[]", "null", "true", r#"["id"]"#, r#"{"ok":{"id":1}}"#, "OK"] {
            check(answer, false);
        }
    }

    #[test]
    fn r10_rest_only_a_list_of_requests_says_that_one_waits_no_more() {
        let check = |list, path, expected| assert_eq!(may_wait(list, path), expected, "{list} {path}");
        let path = "/api/v1/approvals/r%2F1%C3%A4~/approve";
        check(r#"[{"request_id":"r/1ä~"}]"#, path, true);
        check(r#"[{"request_id":"r2","tool_name":"approve"},{"id":3}]"#, path, false);
        check("[]", path, false);
        check(r#"[{"tool_name":"a"}]"#, path, true);
        let path = "/approvals/r1?outcome=cancel";
        check(r#"{"r1":{"tool":"a"}}"#, path, true);
        check(r#"{"r2":{"tool":"approvals"}}"#, path, false);
        check("{}", path, false);
        check(r#"[{"id":7}]"#, "/approvals/7", true);
        for foreign in ["", "null", "7", "OK", r#"{"requests":[]}"#, r#"{"status":"ok"}"#, "[1]"] {
            check(foreign, path, true);
        }
        assert_eq!(["a%zz", "%4", "%41b%"].map(unescaped), ["a%zz", "%4", "Ab%"]);
    }

    #[test]
    fn lists_are_joined_without_touching_their_items() {
        assert_eq!(
            joined(r#"[{"n":1.0}, 2512292042121000001]"#, "[ ]"),
            r#"[{"n":1.0},2512292042121000001]"#
        );
        assert_eq!(joined("[]", "[]"), "[]");
    }
}

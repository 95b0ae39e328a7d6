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
    fn lists_are_joined_without_touching_their_items() {
        assert_eq!(
            joined(r#"[{"n":1.0}, 2512292042121000001]"#, "[ ]"),
            r#"[{"n":1.0},2512292042121000001]"#
        );
        assert_eq!(joined("[]", "[]"), "[]");
    }
}

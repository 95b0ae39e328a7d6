//! What the body of an answer means.

use countersign_json::{Document, Limits, quote};

use super::Fault;

/// How much of a backend's words is kept, in characters.
const WORDS: usize = 1_000;

/// Whether it is a web page. A development server answers so at every address that it does not know, and a proxy where
/// nobody is signed in.
pub(crate) fn is_page(kind: &str, body: &str) -> bool {
    kind.trim_start().to_ascii_lowercase().starts_with("text/html") && body.trim_start().starts_with('<')
}

/// Whether it is a stream of events.
pub(crate) fn is_stream(kind: &str) -> bool {
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// An answer with status 200 that says that there was an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The code of JSON-RPC, as text.
    pub(crate) code: Option<String>,
    pub(crate) message: String,
}

/// The error that a text says: one of JSON-RPC, or `{"error": true, "message"}`.
pub(crate) fn problem(text: &str) -> Option<Problem> {
    if !text.contains("\"error\"") {
        return None;
    }
    let document = Document::parse(text, &Limits::default()).ok()?;
    let [error, message, rpc] = document.root().pick(["error", "message", "jsonrpc"]);
    let error = error.filter(|it| !it.is_null() && it.as_bool() != Some(false))?;
    // Frameworks leave it empty where there was none; in an answer of JSON-RPC it is there only where there was one.
    let is_empty = ["", "{}", "[]"].contains(&error.text().replace([' ', '"'], "").as_str());
    if is_empty && rpc.is_none() {
        return None;
    }
    let [code, own] = error.pick(["code", "message"]);
    let said = [own, Some(error), message].into_iter().flatten().find_map(|it| it.as_str_lossy());
    let message = said.map_or_else(|| "the agent reported an error".to_owned(), |said| said.into_owned());
    Some(Problem { code: code.map(|code| code.text().to_owned()), message })
}

/// Whether a text is a whole object or list of JSON: nothing was cut off, and it is none of a proxy's words.
pub(crate) fn is_whole(text: &str) -> bool {
    let document = Document::parse(text, &Limits::default());
    document.is_ok_and(|document| document.root().is_object() || document.root().is_array())
}

/// Whether a text may be what a backend knows: also a list that is empty as Go writes it, and server-sent events.
pub(crate) fn is_state(text: &str) -> bool {
    let text = text.trim();
    let is_stream = ["event:", "data:", "id:", ":"].iter().any(|field| text.starts_with(field));
    is_stream || text == "null" || is_whole(text)
}

/// The sentence of a text that says that there was an error.
pub(crate) fn error_in(text: &str) -> Option<String> {
    problem(text).map(|problem| problem.message)
}

/// An answer that is no stream, where a backend that runs an agent answers with one.
pub(crate) fn no_stream(body: &str) -> Fault {
    let said = words(body).map_or_else(String::new, |said| format!(": {said}"));
    Fault::answered(format!("the agent answered without a stream of events{said}"))
}

/// How words begin and end by which servers and gateways say that they have no such address: Django, Fastify, Kong and Symfony,
/// Laravel, Spring, Flask, the ingress of Kubernetes.
const UNROUTED: [(&str, &str); 8] = [
    ("not found: /", ""),
    ("route ", " not found"),
    ("no route matched", ""),
    ("no route found", ""),
    ("the route ", " could not be found"),
    ("no static resource", ""),
    ("the requested url was not found", ""),
    ("default backend - 404", ""),
];

/// Whether the words of a 404 are those of a server that has no such address. A backend that knows no such conversation has words of
/// its own for that.
pub(crate) fn is_nowhere(said: Option<&str>) -> bool {
    let said = said.unwrap_or_default().to_ascii_lowercase();
    let said = said.trim_end_matches('.');
    let bare = said.strip_prefix("404").unwrap_or(said).trim_start_matches([':', ' ']);
    // As Express and Nest say it: `Cannot GET /x`.
    let refused = said.strip_prefix("cannot ").and_then(|rest| rest.split_once(' '));
    ["", "not found", "page not found", "route not found"].contains(&bare)
        || refused.is_some_and(|(_, path)| path.starts_with('/'))
        || UNROUTED.iter().any(|(begin, end)| said.starts_with(begin) && said.ends_with(end))
}

/// In what words a backend says that it knows nothing of what it was asked for, and whether it says so in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) said: String,
    pub(crate) is_json: bool,
}

impl Unknown {
    /// What a 404 says: the `detail` of its JSON, or its plain text. `None` for a page.
    pub(crate) fn of(kind: &str, body: &str) -> Option<Unknown> {
        let kind = kind.trim_start().to_ascii_lowercase();
        if kind.starts_with("application/json") {
            let document = Document::parse(body, &Limits::default()).ok()?;
            let said = document.root().get("detail")?.as_str()?.into_owned();
            return Some(Unknown { said, is_json: true });
        }
        kind.starts_with("text/plain").then(|| Unknown { said: body.to_owned(), is_json: false })
    }
}

/// How a text begins that says that a conversation is forgotten.
const FORGOTTEN: &str = r#"{"forgotten":"#;

/// What an inbox reads where a backend knows nothing of this task, thread or session any more.
pub(crate) fn forgotten(id: &str, said: &str) -> String {
    format!(r#"{FORGOTTEN}{},"said":{}}}"#, quote(id), quote(said))
}

/// Whether it is such a text.
pub(crate) fn is_forgotten(text: &str) -> bool {
    text.starts_with(FORGOTTEN)
}

/// What a backend says in the body of a refusal, if it is for people.
pub(crate) fn words(body: &str) -> Option<String> {
    let body = body.trim();
    let text = match Document::parse(body, &Limits::default()) {
        // No JSON: the text itself, unless it is a page.
        Err(_) if body.starts_with('<') => return None,
        Err(_) => body.to_owned(),
        Ok(document) => {
            let names = ["detail", "message", "error", "error_msg", "title"];
            let [detail, message, error, plain, title] = document.root().pick(names);
            let own = error.and_then(|error| error.get("message"));
            let all = [detail, message, own, error, plain, title];
            let found = all.into_iter().flatten().find(|it| !it.is_null());
            let said = found.unwrap_or(document.root());
            said.as_str_lossy().map_or_else(|| said.text().to_owned(), |said| said.into_owned())
        }
    };
    (!text.is_empty()).then(|| text.chars().take(WORDS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r10_taken_what_is_cut_short_or_of_a_proxy_is_no_state() {
        let check = |text, expected| assert_eq!(is_state(text), expected, "{text}");
        for text in [
            r#"{"tasks":[]}"#,
            " [] ",
            "null",
            "\n data: {}\n\n",
            "event: values\ndata: {}\n\n",
            ": ping\n\n",
        ] {
            check(text, true);
        }
        for text in ["", " ", "OK", "7", r#"{"tasks":[{"id":"#, "[1"] {
            check(text, false);
        }
    }

    #[test]
    fn an_address_that_a_server_does_not_know_is_told_from_a_conversation_that_a_backend_does_not() {
        let check = |body, expected| assert_eq!(is_nowhere(words(body).as_deref()), expected, "{body}");
        let pages = ["", "<!doctype html><h1>404</h1>"];
        let frameworks = [
            r#"{"detail":"Not Found"}"#,
            "Not Found",
            "404 page not found\n",
            "404: Not Found",
            "404 Not Found",
            "Not found: /threads",
            r#"{"detail":"Not found."}"#,
            r#"{"message":"Route POST:/threads/t-1/history not found","error":"Not Found","statusCode":404}"#,
            r#"{"message":"Cannot POST /threads/t-1/history","error":"Not Found","statusCode":404}"#,
            r#"{"type":"https://tools.ietf.org/html/rfc9110","title":"Not Found","status":404}"#,
            r#"{"message":"no Route matched with those values"}"#,
            r#"{"message":"The route threads/t-1/history could not be found."}"#,
            r#"{"message":"No route found for \"POST /threads\""}"#,
            r#"{"error_msg":"404 Route Not Found"}"#,
            "default backend - 404",
        ];
        for body in pages.into_iter().chain(frameworks) {
            check(body, true);
        }
        let backends = [
            r#"{"detail":"Session not found"}"#,
            r#"{"detail":"Thread with ID x not found"}"#,
            r#"{"message":"Cannot find session x"}"#,
            "{}",
        ];
        for body in backends {
            check(body, false);
        }
    }

    #[test]
    fn only_data_says_that_a_backend_knows_nothing() {
        let check = |kind, body, expected: Option<(&str, bool)>| {
            let expected = expected.map(|(said, is_json)| Unknown { said: said.to_owned(), is_json });
            assert_eq!(Unknown::of(kind, body), expected, "{kind}: {body}");
        };
        let json = r#"{"detail":"Session not found"}"#;
        check("application/json", json, Some(("Session not found", true)));
        check(" Application/JSON;charset=utf-8", json, Some(("Session not found", true)));
        check("text/plain;charset=UTF-8", "Thread a not found", Some(("Thread a not found", false)));
        check("text/html", json, None);
        check("", json, None);
        check("application/json", r#"{"message":"Session not found"}"#, None);
        check("application/json", r#"{"detail":[]}"#, None);
        check("application/json", "Session not found", None);
        assert_eq!(forgotten("a\"b", "no"), r#"{"forgotten":"a\"b","said":"no"}"#);
        assert!(is_forgotten(&forgotten("a", "no")) && !is_forgotten("{}"));
    }

    #[test]
    fn a_page_is_told_from_data() {
        assert!(is_page("text/html; charset=utf-8", "\n<!doctype html>"));
        assert!(!is_page("text/html", r#"{"a":1}"#) && !is_page("application/json", "<x>"));
        assert!(is_stream(" Text/Event-Stream;charset=utf-8") && !is_stream("application/json"));
    }

    #[test]
    fn an_error_is_told_from_what_says_that_there_was_none() {
        let check = |text, expected: Option<&str>| assert_eq!(error_in(text).as_deref(), expected, "{text}");
        check(r#"{"error":{"message":"no"}}"#, Some("no"));
        check(r#"{"error":true,"message":"the database is down","data":null}"#, Some("the database is down"));
        check(r#"{"error":"no"}"#, Some("no"));
        check(r#"{"jsonrpc":"2.0","error":{}}"#, Some("the agent reported an error"));
        check(r#"{"error":false,"data":[]}"#, None);
        check(r#"{"error":null}"#, None);
        check(r#"{"error":{ },"data":[]}"#, None);
        check(r#"{"error":""}"#, None);
        check(r#"{"result":{"error":"x"}}"#, None);
        assert_eq!(problem(r#"{"error":{"code":-32001}}"#).and_then(|it| it.code).as_deref(), Some("-32001"));
    }

    #[test]
    fn the_sentence_of_a_refusal_is_found_in_its_body() {
        let check = |body, expected: Option<&str>| assert_eq!(words(body).as_deref(), expected, "{body}");
        check(r#"{"error":true,"message":"it does not wait"}"#, Some("it does not wait"));
        check(r#"{"detail":"Session not found"}"#, Some("Session not found"));
        check(r#"{"detail":[{"loc":["body"]}]}"#, Some(r#"[{"loc":["body"]}]"#));
        check(r#"{"error":{"message":"no"}}"#, Some("no"));
        check("no such agent", Some("no such agent"));
        check("<html>", None);
        check(" ", None);
        assert_eq!(words(&"é".repeat(WORDS + 1)).map(|it| it.chars().count()), Some(WORDS));
    }
}

//! Where a backend is.

use std::fmt;

/// Where an agent is.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// Its address.
    pub(crate) url: String,
    pub(crate) token: Option<String>,
}

impl Server {
    /// A server at this address: `https://agent.example/api`, or `/api` of the page's own.
    #[must_use]
    pub fn new(url: &str) -> Server {
        Server { url: url.to_owned(), token: None }
    }

    /// The address of a path below it.
    pub(crate) fn below(&self, path: &str) -> String {
        format!("{}{path}", self.url.trim_end_matches('/'))
    }

    /// With a token, which goes out as `Authorization: Bearer`, and beside the protocol of a web socket as `token.…`.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Server {
        self.token = token;
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.url).finish()
    }
}

/// A path of this conversation: `{conversation}` in it is replaced.
pub(crate) fn path(template: &str, conversation: &str) -> String {
    template.replace("{conversation}", &segment(conversation))
}

/// One segment of a path, escaped as `encodeURIComponent` does.
pub(crate) fn segment(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_stays_one_segment() {
        assert_eq!(path("/ws/{conversation}?a=1", "a/../ä b"), "/ws/a%2F..%2F%C3%A4%20b?a=1");
        assert_eq!(path("/ws", "c"), "/ws");
        assert_eq!(Server::new("/api/").below("/ws"), "/api/ws");
    }

    #[test]
    fn a_token_is_not_written_into_logs() {
        let server = Server::new("https://agent.example/").with_token(Some("secret".to_owned()));
        assert_eq!(format!("{server:?}"), r#"Server("https://agent.example/")"#);
    }
}

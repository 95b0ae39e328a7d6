//! Where a backend is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// Asks for headers.
type Ask = Rc<dyn Fn() -> Pin<Box<dyn Future<Output = Vec<(String, String)>>>>>;

/// Where an agent is, and what goes along with every request to it.
#[derive(Clone)]
pub struct Server {
    /// Its address.
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    asks: Option<Ask>,
}

impl Server {
    /// A server at this address: `https://agent.example/api`, or `/api` of the page's own. A query in it goes along with every
    /// request.
    #[must_use]
    pub fn new(url: &str) -> Server {
        Server { url: url.to_owned(), token: None, asks: None }
    }

    /// With a token, which goes out as `Authorization: Bearer`, and beside the protocol of a web socket as `token.…`.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Server {
        self.token = token;
        self
    }

    /// With headers that are asked for before every request, such as `X-Api-Key`, or a token that is fetched anew where the
    /// old one has run out. A browser's web socket has none.
    #[must_use]
    pub fn with_headers<F>(mut self, headers: impl Fn() -> F + 'static) -> Server
    where
        F: Future<Output = Vec<(String, String)>> + 'static,
    {
        self.asks = Some(Rc::new(move || Box::pin(headers())));
        self
    }

    /// The headers of the next request.
    pub(crate) async fn headers(&self) -> Vec<(String, String)> {
        let bearer = self.token.as_ref().map(|token| ("Authorization".to_owned(), format!("Bearer {token}")));
        let asked = match &self.asks {
            Some(ask) => ask().await,
            None => Vec::new(),
        };
        bearer.into_iter().chain(asked).collect()
    }

    /// The address of a path below it; what the address asks for by query stays.
    pub(crate) fn below(&self, path: &str) -> String {
        let whole = self.url.split('#').next().unwrap_or_default();
        let (head, query) = whole.split_once('?').unwrap_or((whole, ""));
        let url = format!("{}/{}", head.trim_end_matches('/'), path.trim_start_matches('/'));
        match (query, path.contains('?')) {
            ("", _) => url,
            (query, true) => format!("{url}&{query}"),
            (query, false) => format!("{url}?{query}"),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A query may hold a key.
        f.debug_tuple("Server").field(&self.url.split('?').next().unwrap_or_default()).finish()
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
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn a_conversation_stays_one_segment() {
        assert_eq!(path("/ws/{conversation}?a=1", "a/../ä b"), "/ws/a%2F..%2F%C3%A4%20b?a=1");
        assert_eq!(path("/ws", "c"), "/ws");
        assert_eq!(Server::new("/api/").below("/ws"), "/api/ws");
    }

    #[test]
    fn the_query_of_an_address_goes_along_with_every_path() {
        let server = Server::new("https://agent.example/api/?key=k#top");
        assert_eq!(server.below("/threads"), "https://agent.example/api/threads?key=k");
        assert_eq!(server.below("/runs?limit=10"), "https://agent.example/api/runs?limit=10&key=k");
    }

    #[test]
    fn headers_are_asked_for_and_come_after_the_token() {
        let ask = || async { vec![("authorization".to_owned(), "Bearer new".to_owned())] };
        let server = Server::new("/").with_token(Some("old".to_owned())).with_headers(ask);
        let mut headers = pin!(server.headers());
        let Poll::Ready(found) = headers.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("nothing is waited for");
        };
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["Bearer old", "Bearer new"]);
    }

    #[test]
    fn a_token_is_not_written_into_logs() {
        let server = Server::new("https://agent.example/?key=secret").with_token(Some("secret".to_owned()));
        assert_eq!(format!("{server:?}"), r#"Server("https://agent.example/")"#);
    }
}

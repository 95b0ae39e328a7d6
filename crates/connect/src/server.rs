//! Where a backend is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// Asks the host for something.
type Ask<T> = Rc<dyn Fn() -> Pin<Box<dyn Future<Output = T>>>>;

/// The subprotocol that a backend chooses beside which a token stands: pages cannot set headers on a web socket.
const PROTOCOL: &str = "countersign";

/// Where an agent is, and what goes along with every request to it.
#[derive(Clone)]
pub struct Server {
    /// Its address.
    pub(crate) url: String,
    token: Option<String>,
    asks: Option<Ask<Vec<(String, String)>>>,
    protocols: Option<Ask<Vec<String>>>,
    /// What the header is called in which the id of a decision goes out.
    pub(crate) key: Option<String>,
}

impl Server {
    /// A server at this address: `https://agent.example/api`, or `/api` of the page's own. A query in it goes along with every
    /// request.
    #[must_use]
    pub fn new(url: &str) -> Server {
        let key = Some("Idempotency-Key".to_owned());
        Server { url: url.to_owned(), token: None, asks: None, protocols: None, key }
    }

    /// With a token, which goes out as `Authorization: Bearer`. A web socket then asks for the subprotocols `countersign` and
    /// `token.…`, of which its backend has to choose the first; without a token it asks for none.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Server {
        self.token = token;
        self
    }

    /// With headers that are asked for before every request, such as `X-Api-Key`, or a token that is fetched anew where the
    /// old one has run out. A browser's web socket has none: see [`Server::with_protocols`].
    #[must_use]
    pub fn with_headers<F>(mut self, headers: impl Fn() -> F + 'static) -> Server
    where
        F: Future<Output = Vec<(String, String)>> + 'static,
    {
        self.asks = Some(Rc::new(move || Box::pin(headers())));
        self
    }

    /// With another name for the header in which the id of a decision goes out, the same each time that it is sent, in place of
    /// `Idempotency-Key`; `None` leaves it out. A backend of another origin has to allow it by its CORS rules.
    #[must_use]
    pub fn with_idempotency_header(mut self, name: Option<&str>) -> Server {
        self.key = name.map(str::to_owned);
        self
    }

    /// With subprotocols for a web socket in place of those that go along with a token, none where the list is empty. They are
    /// asked for before every attempt, so a ticket can be fetched in which the backend takes them.
    #[must_use]
    pub fn with_protocols<F>(mut self, protocols: impl Fn() -> F + 'static) -> Server
    where
        F: Future<Output = Vec<String>> + 'static,
    {
        self.protocols = Some(Rc::new(move || Box::pin(protocols())));
        self
    }

    /// What the next web socket asks for.
    pub(crate) async fn protocols(&self) -> Vec<String> {
        if let Some(ask) = &self.protocols {
            return ask().await;
        }
        let token = self.token.iter().map(|token| format!("token.{token}"));
        token.flat_map(|token| [PROTOCOL.to_owned(), token]).collect()
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
    use super::*;
    use crate::testing::now;

    #[test]
    fn only_a_token_makes_a_socket_ask_for_subprotocols() {
        let check =
            |server: Server, expected: &[&str]| assert_eq!(now(server.protocols()).unwrap(), expected);
        check(Server::new("/"), &[]);
        check(Server::new("/").with_token(None), &[]);
        let server = Server::new("/").with_token(Some("t".to_owned()));
        check(server.clone(), &["countersign", "token.t"]);
        check(server.clone().with_protocols(|| async { Vec::new() }), &[]);
        check(server.with_protocols(|| async { vec!["ticket".to_owned()] }), &["ticket"]);
    }

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
        let found = now(server.headers()).expect("nothing is waited for");
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["Bearer old", "Bearer new"]);
    }

    #[test]
    fn a_token_is_not_written_into_logs() {
        let server = Server::new("https://agent.example/?key=secret").with_token(Some("secret".to_owned()));
        assert_eq!(format!("{server:?}"), r#"Server("https://agent.example/")"#);
    }
}

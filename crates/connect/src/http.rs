//! Requests to a backend, and what comes back in time.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::str::FromStr;

use gloo::net::http::{Method, RequestBuilder};
use web_sys::{RequestCache, RequestRedirect};

use super::answer::{self, Unknown};
use super::events::ServerEvent;
use super::exchange::{Abort, Exchange, unreachable};
use super::{Fault, FaultKind, Server, pause};

/// How long a reading request may take, in milliseconds.
const READING: u32 = 30_000;
/// How long a message may be on its way until its answer begins, in milliseconds; after that nobody knows whether it arrived.
const SENDING: u32 = 60_000;

/// How long an agent may work on an answer that is not streamed, in milliseconds.
const WHOLE: u32 = 600_000;

/// A request to a backend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call<'c> {
    /// The method; by default `GET`, with a body `POST`.
    pub(crate) method: Option<&'c str>,
    pub(crate) url: &'c str,
    pub(crate) headers: Vec<(&'c str, &'c str)>,
    /// JSON text.
    pub(crate) body: Option<&'c str>,
    /// The id under which a decision is sent.
    pub(crate) decides: Option<&'c str>,
    /// The answer may begin only when the agent is done.
    pub(crate) is_whole: bool,
    /// Every backend of this kind has this address: where there is none, the backend is elsewhere.
    pub(crate) must_exist: bool,
    /// Takes down what a 404 says.
    pub(crate) unknown: Option<&'c RefCell<Option<Unknown>>>,
}

impl Call<'_> {
    /// What failed before it left.
    fn before(&self, fault: Fault) -> Fault {
        if self.decides.is_some() { fault.unsent() } else { fault }
    }
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Read,
    Send,
    Follow,
}

/// Whether more of a stream is wanted.
pub(crate) type Heard = Result<ControlFlow<()>, Fault>;

/// The whole answer.
///
/// # Errors
/// A [`Fault`] for every answer but a good one, for one that takes too long, and for one that was cut short or came from elsewhere.
pub(crate) async fn read(server: &Server, call: &Call<'_>) -> Result<String, Fault> {
    let text = in_time(call, Aim::Read, async { begin(server, call, Aim::Read).await?.body().await }).await?;
    if answer::is_state(&text) {
        Ok(text)
    } else {
        Err(Fault::lost("the answer was cut short, or is none of this agent's"))
    }
}

/// What the backend knows at a place; `None` where it knows nothing there (404).
///
/// # Errors
/// As [`read`].
pub(crate) async fn known(server: &Server, call: &Call<'_>) -> Result<Option<String>, Fault> {
    match read(server, call).await {
        Ok(text) => Ok(Some(text)),
        Err(Fault { kind: FaultKind::Status(404), .. }) => Ok(None),
        Err(Fault { kind: FaultKind::Nowhere, .. }) if !call.must_exist => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The same, or what says that a conversation is forgotten, where `is_it` knows the words of a 404 for that.
///
/// # Errors
/// As [`read`].
pub(crate) async fn known_or_forgotten(
    server: &Server,
    call: Call<'_>,
    id: &str,
    is_it: impl Fn(&Unknown) -> bool,
) -> Result<Option<String>, Fault> {
    let unknown = RefCell::default();
    let found = known(server, &Call { unknown: Some(&unknown), ..call }).await?;
    let said = unknown.take().filter(is_it).map(|unknown| answer::forgotten(id, &unknown.said));
    Ok(found.or(said))
}

/// Sends a message, and hands over the events of the answer as they come; a body that is no stream is one event, and an
/// empty one is none.
///
/// # Errors
/// A [`Fault`] for every answer but a good one, for one that does not begin in time, where the connection breaks, and from
/// `each`.
pub(crate) async fn send(
    server: &Server,
    call: &Call<'_>,
    each: impl FnMut(ServerEvent) -> Heard,
) -> Result<(), Fault> {
    exchange(server, call, Aim::Send, each).await
}

/// Sends a message to a backend that runs an agent: it says something, and says it as a stream.
///
/// # Errors
/// As [`send`]; also where it says nothing, as nobody knows then whether it took the message, and for an answer that is no
/// stream: it came from elsewhere.
pub(crate) async fn run(
    server: &Server,
    call: &Call<'_>,
    mut each: impl FnMut(ServerEvent) -> Heard,
) -> Result<(), Fault> {
    let mut is_empty = true;
    let streamed = match begun(server, call, Aim::Send).await? {
        Begun::Whole(body) if body.is_empty() => Ok(()),
        Begun::Whole(body) => return Err(answer::no_stream(&body)),
        Begun::Stream(stream) => {
            stream
                .events(|event| {
                    is_empty &= !answer::is_whole(&event.data);
                    each(event)
                })
                .await
        }
    };
    streamed?;
    if is_empty { Err(Fault::lost("the answer ended before it began")) } else { Ok(()) }
}

/// Follows a stream until it ends, or `each` wants no more.
///
/// # Errors
/// As [`send`].
pub(crate) async fn follow(
    server: &Server,
    call: &Call<'_>,
    each: impl FnMut(ServerEvent) -> Heard,
) -> Result<(), Fault> {
    exchange(server, call, Aim::Follow, each).await
}

async fn exchange(
    server: &Server,
    call: &Call<'_>,
    aim: Aim,
    mut each: impl FnMut(ServerEvent) -> Heard,
) -> Result<(), Fault> {
    match begun(server, call, aim).await? {
        Begun::Whole(body) if body.is_empty() => Ok(()),
        Begun::Whole(body) => each(ServerEvent { name: None, data: body }).map(drop),
        Begun::Stream(stream) => stream.events(each).await,
    }
}

/// An answer that has begun.
enum Begun {
    /// It is no stream: all of it.
    Whole(String),
    Stream(Exchange),
}

async fn begun(server: &Server, call: &Call<'_>, aim: Aim) -> Result<Begun, Fault> {
    let begun = in_time(call, aim, async {
        let exchange = begin(server, call, aim).await?;
        if exchange.is_stream() {
            Ok(Begun::Stream(exchange))
        } else {
            exchange.body().await.map(Begun::Whole)
        }
    });
    begun.await
}

/// What comes in time.
async fn in_time<T>(
    call: &Call<'_>,
    aim: Aim,
    work: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let limit = if call.is_whole { WHOLE } else { aim.limit() };
    let late = || Fault::lost(aim.late(&format!("the agent did not answer within {limit} ms")));
    pause::within(limit, work).await.unwrap_or_else(|| Err(late()))
}

impl Aim {
    /// In milliseconds.
    fn limit(self) -> u32 {
        match self {
            Aim::Read => READING,
            Aim::Send | Aim::Follow => SENDING,
        }
    }

    /// The sentence, and what it means for a message.
    fn late(self, sentence: &str) -> String {
        match self {
            Aim::Send => format!("{sentence}: the message may have arrived all the same"),
            Aim::Read | Aim::Follow => sentence.to_owned(),
        }
    }
}

/// Sends a request and waits until its answer begins.
async fn begin(server: &Server, call: &Call<'_>, aim: Aim) -> Result<Exchange, Fault> {
    let abort = Abort::new().map_err(|fault| call.before(fault))?;
    let given = given(server, call, aim).await?;
    let response = request(&headers(server, &given, call), call, aim, &abort)
        .map_err(|fault| call.before(fault))?
        .send()
        .await
        .map_err(|error| unreachable(&error))?;
    let status = response.status();
    if status == 0 || (300..400).contains(&status) {
        let sentence =
            "the agent sends it to another address, where nothing was sent: name that one, or sign in again";
        return Err(Fault::new(FaultKind::Elsewhere, sentence));
    }
    if response.ok() {
        return Ok(Exchange::new(response, abort));
    }
    let message = format!("the agent answered with status {status} {}", response.status_text());
    let kind = response.headers().get("content-type").unwrap_or_default();
    let body = response.text().await.unwrap_or_default();
    if let Some(unknown) = call.unknown.filter(|_| status == 404) {
        unknown.replace(Unknown::of(&kind, &body));
    }
    let said = answer::words(&body);
    if status == 404 && answer::is_nowhere(said.as_deref()) {
        return Err(Fault::new(FaultKind::Nowhere, "the agent has nothing at this address"));
    }
    let message =
        said.map_or_else(|| message.trim_end().to_owned(), |said| format!("the agent refused: {said}"));
    Err(Fault::new(FaultKind::Status(status), message))
}

/// What the host says in the headers of the next request, which has not left where that takes too long.
async fn given(server: &Server, call: &Call<'_>, aim: Aim) -> Result<Vec<(String, String)>, Fault> {
    let limit = aim.limit();
    let given = pause::within(limit, server.headers()).await;
    let sentence = || format!("the page did not give its headers within {limit} ms: nothing was sent");
    given.ok_or_else(|| call.before(Fault::lost(sentence())))
}

/// All headers of a request: of equal names the last one counts, what the host says.
fn headers<'a>(
    server: &'a Server,
    given: &'a [(String, String)],
    call: &Call<'a>,
) -> Vec<(&'a str, &'a str)> {
    let key = server.key.as_deref().zip(call.decides);
    let kind = call.body.map(|_| ("Content-Type", "application/json"));
    let accept = ("Accept", "text/event-stream, application/json");
    let own = [key, kind, Some(accept)].into_iter().flatten().chain(call.headers.iter().copied());
    own.chain(given.iter().map(|(name, value)| (name.as_str(), value.as_str()))).collect()
}

fn request(
    headers: &[(&str, &str)],
    call: &Call<'_>,
    aim: Aim,
    abort: &Abort,
) -> Result<gloo::net::http::Request, Fault> {
    let named = call.method.unwrap_or(if call.body.is_some() { "POST" } else { "GET" });
    let method = Method::from_str(named).map_err(|_| Fault::lost(format!("`{named}` is no method")))?;
    if names_someone(call.url) {
        // The browser would say it with the password.
        let sentence =
            "the address has a name or a password in it, which no request takes: say it by headers";
        return Err(Fault::lost(sentence));
    }
    let mut builder = RequestBuilder::new(call.url).method(method).abort_signal(Some(&abort.signal()));
    builder = builder.cache(RequestCache::NoStore);
    if aim == Aim::Send {
        // A decision that was sent on may arrive as a question, and looks delivered.
        builder = builder.redirect(RequestRedirect::Manual);
    }
    for (name, value) in headers {
        if !fits_a_header(value) {
            return Err(Fault::lost(format!("the header `{name}` has a character that no header can have")));
        }
        builder = builder.header(name, value);
    }
    match call.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    }
    .map_err(|error| unreachable(&error))
}

/// Whether a name or a password stands in an address.
fn names_someone(url: &str) -> bool {
    let url = url.trim_start();
    let (scheme, rest) = url.split_once(':').unwrap_or_default();
    let is_web = ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
    // `//` goes on from the scheme of the page; a browser takes `\` for `/`.
    let rest = if is_web {
        Some(rest)
    } else {
        url.strip_prefix(['/', '\\']).filter(|rest| rest.starts_with(['/', '\\']))
    };
    let host = rest.and_then(|rest| rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next());
    host.is_some_and(|host| host.contains('@'))
}

/// Whether a browser takes it as the value of a header.
fn fits_a_header(value: &str) -> bool {
    value.chars().all(|character| !matches!(character, '\0' | '\r' | '\n' | '\u{100}'..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r10_idempotency_the_id_of_a_decision_goes_out_under_the_name_that_the_backend_allows() {
        let call = Call { body: Some("{}"), decides: Some("m1"), ..Call::default() };
        let own = [("Content-Type", "application/json"), ("Accept", "text/event-stream, application/json")];
        let check = |server: Server, key: Option<(&str, &str)>| {
            let expected: Vec<_> = key.into_iter().chain(own).chain([("x", "y")]).collect();
            assert_eq!(headers(&server, &[("x".to_owned(), "y".to_owned())], &call), expected);
        };
        check(Server::new("/"), Some(("Idempotency-Key", "m1")));
        check(Server::new("/").with_idempotency_header(Some("X-Request-Id")), Some(("X-Request-Id", "m1")));
        check(Server::new("/").with_idempotency_header(None), None);
        let words = Call { decides: None, ..call.clone() };
        assert_eq!(headers(&Server::new("/"), &[], &words), own);
    }

    #[test]
    fn a_token_with_a_line_break_is_refused_before_a_browser_sees_it() {
        assert!(fits_a_header("Bearer abc é"));
        assert!(!fits_a_header("a\nb") && !fits_a_header("a\0") && !fits_a_header("€"));
    }

    #[test]
    fn an_address_with_a_password_is_refused_before_a_browser_repeats_it() {
        for url in [
            "https://me:secret@host/api",
            " HTTP:/me@host",
            "http://me:secret@host?a",
            "https:me@host",
            "//me:secret@host/api",
            "\\/me@host",
        ] {
            assert!(names_someone(url), "{url}");
        }
        for url in [
            "https://host/@me",
            "http://host?mail=me@host",
            "/api/@me",
            "/me@host/api",
            "//host/@me",
            "ws://me@host",
            "api:me@host",
            "",
        ] {
            assert!(!names_someone(url), "{url}");
        }
    }

    #[test]
    fn r43_a_decision_that_no_request_could_carry_has_not_left() {
        let check = |decides, expected| {
            let fault = Call { decides, ..Call::default() }.before(Fault::lost("no header can have it"));
            assert_eq!(fault, Fault::new(expected, "no header can have it"));
        };
        check(Some("m1"), FaultKind::Unsent);
        check(None, FaultKind::Lost);
    }

    #[test]
    fn r43_a_decision_whose_headers_are_never_ready_has_not_left() {
        let server = Server::new("/").with_headers(std::future::pending::<Vec<(String, String)>>);
        let call = Call { decides: Some("m1"), ..Call::default() };
        let sentence = "the page did not give its headers within 60000 ms: nothing was sent";
        let (found, waited) = crate::testing::in_time(given(&server, &call, Aim::Send));
        assert_eq!((found, waited), (Some(Err(Fault::new(FaultKind::Unsent, sentence))), vec![60_000]));
    }

    #[test]
    fn only_of_a_message_is_it_said_that_it_may_have_arrived() {
        assert_eq!(Aim::Read.late("too late"), "too late");
        assert_eq!(Aim::Send.late("too late"), "too late: the message may have arrived all the same");
        assert_eq!([Aim::Read, Aim::Send].map(Aim::limit), [30_000, 60_000]);
    }
}

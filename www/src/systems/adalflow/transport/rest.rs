//! The library's own handler, asked again and again.
//!
//! It lists what waits and nothing else. What a run does is in its stream, which the example backend writes into a log.

use std::any::Any;
use std::cell::Cell;
use std::rc::{Rc, Weak};

use countersign_json::{Document, Limits, Value};
use wasm_bindgen_futures::spawn_local;

use super::{begin, log};
use crate::backend::{Fault, http};
use crate::browser;
use crate::settings::Server;
use crate::systems::{Answered, Each, Missed, Transport};

/// How long it waits before it asks again, in milliseconds.
const PAUSE: u32 = 500;

/// The library's own handler.
#[derive(Debug)]
pub(in crate::systems::adalflow) struct Rest {
    server: Server,
    /// Counts the beginnings and the ends of answers: it is odd while one is on its way.
    answers: Rc<Cell<u32>>,
}

/// A poll; it ends when this is dropped.
struct Poll {
    server: Server,
    conversation: String,
    answers: Rc<Cell<u32>>,
    each: Each,
    /// How many messages of the log were handed over; `None`: nothing was.
    seen: Cell<Option<usize>>,
    pending: Cell<String>,
}

impl Rest {
    pub(in crate::systems::adalflow) fn new(server: Server) -> Rest {
        Rest { server, answers: Rc::default() }
    }
}

impl Transport for Rest {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let known = log(&self.server, conversation).await?;
            Ok(Some(joined(&known, &pending(&self.server, conversation).await?)))
        })
    }

    fn send<'a>(
        &'a self,
        conversation: &'a str,
        message: &'a str,
        decides: bool,
        each: Each,
    ) -> Answered<'a, ()> {
        Box::pin(async move {
            if !decides {
                return begin(&self.server, conversation, message).await;
            }
            let (method, path, body) = request(message)
                .ok_or_else(|| Fault { status: None, message: "this is no answer".to_owned() })?;
            let _underway = Underway::begin(&self.answers);
            let response = http::fetch(&self.server, &method, &path, &[], Some(&body)).await?;
            each(http::text(&response).await?);
            Ok(())
        })
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let poll = Rc::new(Poll {
            server: self.server.clone(),
            conversation: conversation.to_owned(),
            answers: Rc::clone(&self.answers),
            each,
            seen: Cell::new(None),
            pending: Cell::new("[]".to_owned()),
        });
        spawn_local(keep_asking(Rc::downgrade(&poll), missed));
        Some(Box::new(poll))
    }
}

/// Asks until nobody follows any more. The page looks for itself when that fails, and when it works again.
async fn keep_asking(poll: Weak<Poll>, missed: Missed) {
    let mut failed = false;
    while let Some(poll) = poll.upgrade() {
        let fails = poll.ask().await.is_err();
        drop(poll);
        if fails != failed {
            missed();
        }
        failed = fails;
        browser::sleep(PAUSE).await;
    }
}

impl Poll {
    /// Asks once and hands over what is new.
    async fn ask(self: &Rc<Poll>) -> Result<(), Fault> {
        let before = self.answers.get();
        let known = log(&self.server, &self.conversation).await?;
        let listed = pending(&self.server, &self.conversation).await?;
        // A list from beside an answer may miss what waited, or have what no longer does.
        if !before.is_multiple_of(2) || self.answers.get() != before || Rc::strong_count(self) == 1 {
            return Ok(());
        }
        let messages = items(&known);
        let seen = self.seen.replace(Some(messages.len()));
        let waited = self.pending.replace(listed.clone());
        let Some(seen) = seen else {
            let all = joined(&known, &listed);
            if all != "[]" {
                (self.each)(all);
            }
            return Ok(());
        };
        // A server that was started anew may have forgotten everything.
        let new = messages.get(seen..).unwrap_or(&messages);
        new.iter().for_each(|message| (self.each)(message.clone()));
        if listed != waited {
            (self.each)(listed);
        }
        Ok(())
    }
}

/// An answer on its way.
struct Underway(Rc<Cell<u32>>);

impl Underway {
    fn begin(answers: &Rc<Cell<u32>>) -> Underway {
        answers.set(answers.get().wrapping_add(1));
        Underway(Rc::clone(answers))
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.set(self.0.get().wrapping_add(1));
    }
}

/// What waits for the client of this name, as the library lists it.
async fn pending(server: &Server, conversation: &str) -> Result<String, Fault> {
    let path = format!("/api/v1/approvals/pending?client_id={}", http::segment(conversation));
    let response = http::fetch(server, "GET", &path, &[], None).await?;
    http::text(&response).await
}

/// The method, the path and the body that a decision says.
fn request(message: &str) -> Option<(String, String, String)> {
    let document = Document::parse(message, &Limits::default()).ok()?;
    let [method, path, body] = document.root().pick(["method", "path", "body"]);
    let word = |value: Option<Value<'_>>| Some(value?.as_str()?.into_owned());
    Some((word(method)?, word(path)?, body?.text().to_owned()))
}

/// The items of a list, each as it is.
fn items(list: &str) -> Vec<String> {
    let Ok(document) = Document::parse(list, &Limits::default()) else { return Vec::new() };
    document.root().items().map(|item| item.text().to_owned()).collect()
}

/// Both lists in one, each item as it is.
fn joined(one: &str, other: &str) -> String {
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
        assert_eq!(body, r#"{"request_id":"1","outcome":"cancel"}"#);
        assert_eq!(request(r#"{"text":"x"}"#), None);
    }

    #[test]
    fn lists_are_joined_without_touching_their_items() {
        assert_eq!(
            joined(r#"[{"n":1.0}, 2512292042121000001]"#, "[ ]"),
            r#"[{"n":1.0},2512292042121000001]"#
        );
        assert_eq!(joined("[]", "[]"), "[]");
    }

    #[test]
    fn an_answer_on_its_way_is_seen() {
        let answers = Rc::new(Cell::new(0));
        let underway = [Underway::begin(&answers)];
        assert_eq!(answers.get(), 1);
        drop(underway);
        assert_eq!(answers.get(), 2);
    }
}

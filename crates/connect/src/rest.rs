//! A backend that lists what waits, and takes answers as posts: AdalFlow's own handler.
//!
//! It is asked again and again. It lists what waits and nothing else; what became of the rest stands in its log, where it
//! has one.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::{Rc, Weak};

use wasm_bindgen_futures::spawn_local;

use super::answer::error_in;
use super::http::{self, Call};
use super::rest_wire::{items, joined, request};
use super::server::path;
use super::{Answered, Each, Fault, Message, Missed, Server, Transport, pause};

/// How long it waits before it asks again, in milliseconds, unless another time is named.
const EVERY: u32 = 2_000;
/// How long it waits before it reads again what was read beside an answer, in milliseconds.
const LOOK: u32 = 100;
/// A list of nothing.
const EMPTY: &str = "[]";

/// A backend that lists what waits, and takes answers as posts.
#[derive(Debug)]
pub struct Rest {
    places: Places,
    words: Option<String>,
    /// Counts the beginnings and the ends of answers: it is odd while one is on its way.
    answers: Rc<Cell<u32>>,
    /// The list of what waits, as it was handed over last.
    pending: Rc<RefCell<String>>,
}

/// Where what is found.
#[derive(Clone, Debug)]
struct Places {
    server: Server,
    pending: String,
    history: Option<String>,
    every: u32,
}

/// A poll; it ends when this is dropped.
struct Poll {
    places: Places,
    conversation: String,
    answers: Rc<Cell<u32>>,
    each: Each,
    /// How many messages of the log were handed over; `None`: nothing was.
    seen: Cell<Option<usize>>,
    pending: Rc<RefCell<String>>,
}

impl Rest {
    /// A list of what waits at this path of the server, with `{conversation}` in it:
    /// `/api/v1/approvals/pending?client_id={conversation}`. It is asked every two seconds.
    #[must_use]
    pub fn new(server: Server, pending: &str) -> Rest {
        let places = Places { server, pending: pending.to_owned(), history: None, every: EVERY };
        let pending = Rc::new(RefCell::new(EMPTY.to_owned()));
        Rest { places, words: None, answers: Rc::default(), pending }
    }

    /// With a path where everything that was sent can be read: `/history/{conversation}`.
    #[must_use]
    pub fn with_history(mut self, path: &str) -> Rest {
        self.places.history = Some(path.to_owned());
        self
    }

    /// With a path that takes a person's words.
    #[must_use]
    pub fn with_words(mut self, path: &str) -> Rest {
        self.words = Some(path.to_owned());
        self
    }

    /// With another time between two questions, in milliseconds.
    #[must_use]
    pub fn every(mut self, milliseconds: u32) -> Rest {
        self.places.every = milliseconds;
        self
    }
}

impl Places {
    /// The log, and what waits: two lists.
    async fn read(&self, conversation: &str) -> Result<(String, String), Fault> {
        let history = match &self.history {
            Some(history) => self.list(&path(history, conversation)).await?,
            None => EMPTY.to_owned(),
        };
        Ok((history, self.list(&path(&self.pending, conversation)).await?))
    }

    async fn list(&self, path: &str) -> Result<String, Fault> {
        let url = self.server.below(path);
        http::read(&self.server, &Call { url: &url, ..Call::default() }).await
    }
}

impl Transport for Rest {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let (known, waiting) = loop {
                let before = self.answers.get();
                let lists = self.places.read(conversation).await?;
                if is_beside_none(before, &self.answers) {
                    break lists;
                }
                pause::sleep(LOOK).await;
            };
            let all = joined(&known, &waiting);
            if all != EMPTY {
                // Beside a log the list does not say that nothing else waits: alone, it does.
                self.pending.take();
            }
            Ok(Some(all))
        })
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            let server = &self.places.server;
            if message.id.is_none() {
                let words = self.words.as_ref();
                let words =
                    words.ok_or_else(|| Fault::lost("this transport takes no words: nothing was sent"))?;
                let url = server.below(&path(words, conversation));
                let call = Call { url: &url, body: Some(message.text), is_whole: true, ..Call::default() };
                return http::send(server, &call, |_| Ok(ControlFlow::Continue(()))).await;
            }
            let (method, path, body) = request(message.text)
                .ok_or_else(|| Fault::lost("this is no place for a decision: nothing was sent").unsent())?;
            let _underway = Underway::begin(&self.answers);
            let url = server.below(&path);
            let call = Call {
                method: Some(&method),
                url: &url,
                body: body.as_deref(),
                decides: message.id,
                ..Call::default()
            };
            http::send(server, &call, |event| match error_in(&event.data) {
                Some(message) => Err(Fault::answered(message)),
                None => {
                    each(event.data);
                    Ok(ControlFlow::Continue(()))
                }
            })
            .await
        })
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let poll = Rc::new(Poll {
            places: self.places.clone(),
            conversation: conversation.to_owned(),
            answers: Rc::clone(&self.answers),
            each,
            seen: Cell::new(None),
            pending: Rc::clone(&self.pending),
        });
        spawn_local(keep_asking(Rc::downgrade(&poll), missed));
        Some(Box::new(poll))
    }
}

/// Asks until nobody follows any more, or the backend refuses. The page looks for itself when it works again.
async fn keep_asking(poll: Weak<Poll>, missed: Missed) {
    let mut failures = 0_u32;
    while let Some(poll) = poll.upgrade() {
        let fault = poll.ask(&missed).await.err();
        let every = poll.places.every;
        drop(poll);
        let fails = fault.is_some();
        let is_over = fault.as_ref().is_some_and(|fault| !fault.is_temporary());
        if fails != (failures > 0) || is_over {
            missed(fault.map_or(Ok(()), Err));
        }
        if is_over {
            return;
        }
        failures = if fails { failures.saturating_add(1) } else { 0 };
        let wait = pause::jittered(failures).clamp(every, every.saturating_mul(4));
        let wait = if fails { wait } else { every };
        pause::sleep(wait).await;
    }
}

impl Poll {
    /// Asks once and hands over what is new.
    async fn ask(self: &Rc<Poll>, missed: &Missed) -> Result<(), Fault> {
        let before = self.answers.get();
        let (known, listed) = self.places.read(&self.conversation).await?;
        if !is_beside_none(before, &self.answers) || Rc::strong_count(self) == 1 {
            return Ok(());
        }
        let messages = items(&known);
        let seen = self.seen.replace(Some(messages.len()));
        let waited = self.pending.replace(listed.clone());
        // What was there before is read by whoever follows.
        let Some(seen) = seen else {
            missed(Ok(()));
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

/// Whether no answer was on its way since the count was this: a list from beside one may miss what waited, or have what no
/// longer does.
fn is_beside_none(before: u32, answers: &Cell<u32>) -> bool {
    before.is_multiple_of(2) && answers.get() == before
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;

    #[test]
    fn r43_what_has_no_place_has_not_left() {
        let rest = Rest::new(Server::new("/"), "/pending");
        let message = Message { id: Some("m1"), ..Message::words("{}") };
        let sent = now(rest.send("c", message, Rc::new(|_| {})));
        assert_eq!(sent.map(|sent| sent.map_err(|fault| fault.status)), Some(Err(Some(412))));
    }

    #[test]
    fn an_answer_on_its_way_is_seen() {
        let answers = Rc::new(Cell::new(0));
        let underway = [Underway::begin(&answers)];
        assert_eq!(answers.get(), 1);
        assert!(!is_beside_none(0, &answers) && !is_beside_none(1, &answers));
        drop(underway);
        assert_eq!(answers.get(), 2);
        assert!(!is_beside_none(0, &answers) && is_beside_none(2, &answers));
    }
}

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
use super::rest_wire::{has, items, joined, may_wait, request};
use super::server::path;
use super::{Answered, Each, Fault, Message, Missed, Server, Transport, pause};

/// How long it waits before it asks again, in milliseconds, unless another time is named.
const EVERY: u32 = 2_000;
/// How long it waits before it reads again what was read beside an answer, in milliseconds.
const LOOK: u32 = 100;
/// A list of nothing.
const EMPTY: &str = "[]";
/// What a backend's word about a message has one of. An empty list would say that nothing waits any more, and a proxy's words say
/// nothing of the message.
const WORDS: [&str; 5] = ["id", "request_id", "status", "action", "outcome"];

/// A backend that lists what waits, and takes answers as posts.
#[derive(Debug)]
pub struct Rest {
    places: Places,
    words: Option<String>,
    /// Counts the beginnings and the ends of answers: it is odd while one is on its way.
    answers: Rc<Cell<u32>>,
    pending: Pending,
}

/// What waits.
#[derive(Clone, Debug, Default)]
struct Pending {
    /// The list, as it was handed over last.
    list: Rc<RefCell<String>>,
    /// Where the answers went that were taken, and whose requests are in the list all the same.
    taken: Rc<RefCell<Vec<String>>>,
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
    pending: Pending,
}

impl Rest {
    /// A list of what waits at this path of the server, with `{conversation}` in it:
    /// `/api/v1/approvals/pending?client_id={conversation}`. It is asked every two seconds.
    #[must_use]
    pub fn new(server: Server, pending: &str) -> Rest {
        let places = Places { server, pending: pending.to_owned(), history: None, every: EVERY };
        let pending = Pending::default();
        *pending.list.borrow_mut() = EMPTY.to_owned();
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
    pub fn with_poll(mut self, milliseconds: u32) -> Rest {
        self.places.every = milliseconds;
        self
    }
}

impl Places {
    /// The log, and what waits: two lists, each where there is one.
    async fn read(&self, conversation: &str) -> Result<(Option<String>, Option<String>), Fault> {
        let history = match &self.history {
            Some(history) => self.list(history, conversation).await?,
            None => None,
        };
        Ok((history, self.list(&self.pending, conversation).await?))
    }

    /// What is there; nothing where the backend says in words of its own that it knows no such conversation.
    async fn list(&self, template: &str, conversation: &str) -> Result<Option<String>, Fault> {
        let url = self.server.below(&path(template, conversation));
        http::known(&self.server, &Call { url: &url, must_exist: true, ..Call::default() }).await
    }

    /// Whether the backend is not known to ask no more what was answered at this path.
    async fn may_ask(&self, conversation: &str, path: &str) -> bool {
        let list = self.list(&self.pending, conversation).await.ok().flatten();
        list.is_none_or(|list| may_wait(&list, path))
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
            if known.is_none() && waiting.is_none() {
                return Ok(None);
            }
            let all = joined(known.as_deref().unwrap_or(EMPTY), waiting.as_deref().unwrap_or(EMPTY));
            if all != EMPTY {
                // Beside a log the list does not say that nothing else waits: alone, it does.
                self.pending.list.take();
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
            let mut is_taken = false;
            http::send(server, &call, |event| match error_in(&event.data) {
                Some(message) => Err(Fault::answered(message)),
                None => {
                    let is_word = has(&event.data, &WORDS);
                    is_taken |= is_word || has(&event.data, &["error"]);
                    if is_word {
                        each(event.data);
                    }
                    Ok(ControlFlow::Continue(()))
                }
            })
            .await?;
            if !is_taken && self.places.may_ask(conversation, &path).await {
                return Err(Fault::lost(
                    "the answer does not say that the message was taken: it may have arrived all the same",
                ));
            }
            self.pending.took(path);
            Ok(())
        })
    }

    fn follow(&self, conversation: &str, each: Each, missed: Missed) -> Option<Box<dyn Any>> {
        let poll = Rc::new(Poll {
            places: self.places.clone(),
            conversation: conversation.to_owned(),
            answers: Rc::clone(&self.answers),
            each,
            seen: Cell::new(None),
            pending: self.pending.clone(),
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
        self.take(known.as_deref().unwrap_or(EMPTY), listed, missed);
        Ok(())
    }

    fn take(&self, known: &str, listed: Option<String>, missed: &Missed) {
        let messages = items(known);
        let seen = self.seen.replace(Some(messages.len()));
        let listed = listed.filter(|listed| self.pending.is_news(listed));
        // What was there before is read by whoever follows.
        let Some(seen) = seen else { return missed(Ok(())) };
        // A server that was started anew may have forgotten everything.
        let new = messages.get(seen..).unwrap_or(&messages);
        new.iter().for_each(|message| (self.each)(message.clone()));
        listed.into_iter().for_each(|listed| (self.each)(listed));
    }
}

impl Pending {
    /// The answer that went to this path was taken.
    fn took(&self, path: String) {
        let mut taken = self.taken.borrow_mut();
        taken.retain(|other| *other != path);
        taken.push(path);
    }

    /// Whether a list says something new. One that stays the same says after a while that what was taken waits all the same.
    fn is_news(&self, listed: &str) -> bool {
        let mut taken = self.taken.borrow_mut();
        taken.retain(|path| may_wait(listed, path));
        self.list.replace(listed.to_owned()) != listed || !taken.is_empty()
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
    use crate::FaultKind;
    use crate::testing::now;

    #[test]
    fn r43_what_has_no_place_has_not_left() {
        let rest = Rest::new(Server::new("/"), "/pending");
        let message = Message { id: Some("m1"), ..Message::words("{}") };
        let sent = now(rest.send("c", message, Rc::new(|_| {})));
        assert_eq!(sent.map(|sent| sent.map_err(|fault| fault.kind)), Some(Err(FaultKind::Unsent)));
    }

    /// What one list after the other hands over, and how often something was missed.
    fn polled(pending: &Pending, lists: &[Option<&str>]) -> (Vec<String>, u32) {
        let (heard, missed) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(0)));
        let (each, gaps) = (Rc::clone(&heard), Rc::clone(&missed));
        let poll = Poll {
            places: Rest::new(Server::new("/"), "/pending").places,
            conversation: String::new(),
            answers: Rc::default(),
            each: Rc::new(move |text| each.borrow_mut().push(text)),
            seen: Cell::default(),
            pending: pending.clone(),
        };
        let gap: Missed = Rc::new(move |_| gaps.set(gaps.get() + 1));
        lists.iter().for_each(|list| poll.take(EMPTY, list.map(str::to_owned), &gap));
        (heard.take(), missed.get())
    }

    #[test]
    fn r10_rest_a_list_that_stays_the_same_is_handed_over_while_something_in_it_was_answered() {
        let [one, both] = [r#"[{"request_id":"r2"}]"#, r#"[{"request_id":"r1"},{"request_id":"r2"}]"#];
        let pending = Pending::default();
        assert_eq!(polled(&pending, &[Some(both); 3]), (vec![], 1));
        pending.took("/approvals/r1/approve".to_owned());
        pending.took("/approvals/r1/approve".to_owned());
        let (heard, _) = polled(&pending, &[Some(both), Some(both), Some(both), Some(one), Some(one)]);
        assert_eq!(heard, [both, both, one]);
        assert!(pending.taken.borrow().is_empty());
    }

    #[test]
    fn a_conversation_of_which_nothing_is_known_has_no_list() {
        let pending = Pending::default();
        assert_eq!(polled(&pending, &[None, None, Some("[]")]), (vec!["[]".to_owned()], 1));
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

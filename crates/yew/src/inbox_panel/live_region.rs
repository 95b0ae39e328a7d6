//! What is said to people who do not see the panel change.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::{RequestView, Status};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::escapes::escaped;
use crate::messages::Messages;
use crate::node::{Attribute, Tag};
use crate::piece::{Act, Piece, Stage};
use crate::standing::{standing, undelivered};

/// How long news is gathered into one announcement, in milliseconds.
const GATHER: u32 = 400;
/// How many tools, and how many ends, one announcement names.
const NAMED: usize = 5;

/// One polite region: what arrived, what ended, tools and counts, never arguments.
pub(super) struct LiveRegion {
    /// Every call of the conversation.
    pub requests: Rc<[Rc<RequestView>]>,
}

/// What was known, and what is about to be said.
#[derive(Default)]
pub(super) struct News {
    /// Key, status, and whether the decision did not arrive; in the order of the keys.
    known: Vec<(u32, Status, bool)>,
    arrived: Vec<String>,
    ended: Vec<String>,
    timer: Option<Timeout>,
    /// The last announcement.
    said: String,
    /// How many announcements there were.
    count: u32,
}

impl News {
    /// Takes up what changed; whether there is something to say.
    fn gather(&mut self, requests: &[Rc<RequestView>], messages: &dyn Messages) -> bool {
        for view in requests {
            let failed = undelivered(view);
            let before = self.remember(view.key, view.status, failed);
            let was = before.map(|(status, _)| status);
            let tool = || escaped(&view.tool);
            let ours = matches!(was, Some(Status::Pending | Status::Drafted | Status::Sending));
            if view.status == Status::Pending && !ours {
                self.arrived.push(tool());
            } else if view.status.is_settled() && was.is_some_and(|status| !status.is_settled()) {
                let standing = standing(view, None, messages);
                self.ended.push(messages.call_stands(&tool(), &standing.text));
            } else if failed && before.is_some_and(|(_, failed)| !failed) {
                self.ended.push(messages.call_stands(&tool(), &messages.not_delivered()));
            }
        }
        !(self.arrived.is_empty() && self.ended.is_empty())
    }

    /// Keeps how a card stands; how it stood before.
    fn remember(&mut self, key: u32, status: Status, failed: bool) -> Option<(Status, bool)> {
        match self.known.binary_search_by_key(&key, |(key, ..)| *key) {
            Ok(at) => {
                let known = self.known.get_mut(at)?;
                let before = (known.1, known.2);
                *known = (key, status, failed);
                Some(before)
            }
            Err(at) => {
                self.known.insert(at, (key, status, failed));
                None
            }
        }
    }

    /// One message for everything gathered.
    fn say(&mut self, messages: &dyn Messages) -> String {
        let (arrived, ended) = (std::mem::take(&mut self.arrived), std::mem::take(&mut self.ended));
        let mut sentences = Vec::new();
        if !arrived.is_empty() {
            let named = arrived.get(..NAMED).unwrap_or(&arrived);
            sentences.push(messages.calls_arrived(arrived.len(), named));
        }
        sentences.extend(ended.iter().take(NAMED).cloned());
        if ended.len() > NAMED {
            sentences.push(messages.more(ended.len() - NAMED));
        }
        sentences.join(". ")
    }
}

impl Piece for LiveRegion {
    type Memory = RefCell<News>;

    fn same(&self, other: &LiveRegion) -> bool {
        Rc::ptr_eq(&self.requests, &other.requests)
    }

    fn draw(&self, news: &RefCell<News>, _: &Rc<Stage>) -> Html {
        let news = news.borrow();
        // A new element each time: the same words twice are two announcements.
        let said = (!news.said.is_empty())
            .then(|| Tag::new("p", "").key(news.count).words(news.said.clone()).html());
        Tag::new("div", "cs-unseen")
            .part("live")
            .with(Attribute::Role, "status")
            .with(Attribute::Live, "polite")
            .with(Attribute::Atomic, "true")
            .optional(said)
            .html()
    }

    fn act(&self, news: &RefCell<News>, stage: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        let mut news = news.borrow_mut();
        news.timer = None;
        news.count += 1;
        news.said = news.say(stage.messages());
        true
    }

    fn drawn(&self, news: &RefCell<News>, stage: &Rc<Stage>) {
        let mut news = news.borrow_mut();
        if news.gather(&self.requests, stage.messages()) && news.timer.is_none() {
            news.timer = Some(stage.later(GATHER));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::English;
    use crate::testing::call;

    /// What the panel shows, and what is said about it.
    type Step<'s> = (&'s [(u32, &'s str, Status)], &'s str);

    fn check(steps: &[Step<'_>]) {
        let mut news = News::default();
        for (views, expected) in steps {
            let views: Vec<_> = views
                .iter()
                .map(|(key, tool, status)| Rc::new(RequestView { status: *status, ..call(*key, tool, "{}") }))
                .collect();
            let said = if news.gather(&views, &English) { news.say(&English) } else { String::new() };
            assert_eq!(said, *expected);
        }
    }

    #[test]
    fn r46_a_batch_is_one_message_and_says_no_arguments() {
        check(&[
            (
                &[(1, "delete_file", Status::Pending), (2, "send_email", Status::Pending)],
                "2 calls wait: delete_file, send_email",
            ),
            (&[(1, "delete_file", Status::Drafted), (2, "send_email", Status::Pending)], ""),
            (&[(1, "delete_file", Status::Pending), (2, "send_email", Status::Pending)], ""),
            (
                &[(1, "delete_file", Status::Rejected), (2, "send_email", Status::Completed)],
                "delete_file: Rejected. send_email: Approved · completed",
            ),
        ]);
    }

    #[test]
    fn r46_history_is_not_announced() {
        check(&[(&[(1, "delete_file", Status::Completed)], "")]);
    }

    #[test]
    fn r18_names_are_announced_with_visible_escapes() {
        check(&[(&[(1, "del\u{202E}ete", Status::Pending)], "1 call waits: del\\u{202E}ete")]);
    }
}

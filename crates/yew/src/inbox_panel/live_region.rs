//! What is said to people who do not see the panel change.

use std::cell::RefCell;
use std::mem::replace;
use std::rc::Rc;

use countersign_core::{DecidedBy, Millis, RequestView, Status};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::edit::Call;
use crate::fold::spoken_tool;
use crate::messages::Messages;
use crate::node::{Attribute, Tag, options};
use crate::piece::{Act, Piece, Stage};
use crate::status_badge::{elsewhere, heard, remaining, undelivered};

/// How long news is gathered into one announcement, in milliseconds.
const GATHER: u32 = 400;
/// After how many times as long what was said is taken away: whoever reads the page later would take it for what holds now.
const KEPT: u32 = 25;
/// How many tools, and how many ends, one announcement names.
const NAMED: usize = 5;

/// From how many seconds on the end of the waiting is urgent.
const URGENT: u64 = 60;

/// Asked before something is announced: whether this panel does, of several of one inbox; `None`: nobody would hear any of them
/// now, as behind a dialog.
pub type Speaks = Callback<(), Option<bool>>;

/// One polite region: what arrived, what ended, tools and counts, never arguments. Beside it one that interrupts, only
/// for what is about to expire.
pub(crate) struct LiveRegion {
    /// Every call of the conversation.
    pub requests: Rc<[Rc<RequestView>]>,
    /// The present moment, where time matters.
    pub now: Option<Millis>,
    /// Who says whether it is this one that speaks; absent: it is.
    pub speaks: Option<Speaks>,
}

impl LiveRegion {
    fn speaks(&self) -> Option<bool> {
        self.speaks.as_ref().map_or(Some(true), |ask| ask.emit(()))
    }
}

/// What was known, and what is about to be said.
#[derive(Default)]
pub(crate) struct News {
    /// How each card stood, in the order of the keys.
    known: Vec<Rc<RequestView>>,
    timer: Option<Timeout>,
    /// What was told to be about to expire, by key.
    urgent: Vec<u32>,
    /// The last urgent announcement.
    warned: String,
    /// The last announcement.
    said: String,
    /// How many announcements there were.
    count: u32,
    /// How often nothing new was found since the last one.
    idle: u32,
    /// The timer gathers nothing, it only counts on.
    resting: bool,
    /// The language in which it was said.
    language: AttrValue,
}

impl News {
    /// Takes up what changed since it was looked last; what is to be said about it, as one message.
    fn gather(&mut self, requests: &[Rc<RequestView>], messages: &Messages) -> String {
        let (mut arrived, mut named, mut ended) = (0, Vec::new(), Vec::new());
        // The keys of an inbox that was restored go on from those of the one before.
        let first = requests.iter().map(|view| view.key).min().unwrap_or(u32::MAX);
        self.known.retain(|known| known.key >= first);
        self.urgent.retain(|key| *key >= first);
        let (mut waiting, mut decided) = (0, 0);
        for view in requests {
            let before = self.remember(view);
            let before = before.as_deref();
            let was = before.map(|before| before.status);
            let tool = || spoken_tool(view, messages);
            waiting += usize::from(view.status == Status::Pending);
            let here = was == Some(Status::Pending) && view.decided_by == Some(DecidedBy::Here);
            decided += usize::from(here);
            let ours = matches!(was, Some(Status::Pending | Status::Drafted | Status::Sending));
            if view.status == Status::Pending && !ours {
                arrived += 1;
                if named.len() < NAMED {
                    named.push(tool());
                }
            } else if let Some(elsewhere) = elsewhere(view, messages).filter(|_| ours) {
                ended.push(heard(view, &tool(), messages) + &messages.sentence_separator() + &elsewhere);
            } else if view.status.is_settled() && was.is_some_and(|status| !status.is_settled()) {
                ended.push(heard(view, &tool(), messages));
            } else if undelivered(view) && before.is_some_and(|before| !undelivered(before)) {
                ended.push(messages.call_stands(&tool(), &messages.not_delivered()));
            } else if view.changed && before.is_some_and(|before| Call::of(before) != Call::of(view)) {
                ended.push(messages.call_stands(&tool(), &messages.changed()));
            }
        }
        let mut sentences = Vec::new();
        // Of one call, whoever decided knows.
        if decided > 1 {
            sentences.push(messages.decided_of(decided, decided + waiting));
        }
        if arrived > 0 {
            sentences.push(messages.announced(arrived, waiting, &named));
        }
        if !ended.is_empty() {
            sentences.push(told(ended, messages));
        }
        joined(sentences, &messages.sentence_separator())
    }

    /// Takes away what was said in another language: it would be read out as if it were in this one.
    fn turn_to(&mut self, language: &AttrValue) {
        if self.language != *language {
            self.language = language.clone();
            self.said.clear();
            self.warned.clear();
        }
    }

    /// Keeps how a card stands; how it stood before.
    fn remember(&mut self, view: &Rc<RequestView>) -> Option<Rc<RequestView>> {
        let known = Rc::clone(view);
        match self.known.binary_search_by_key(&view.key, |known| known.key) {
            Ok(at) => self.known.get_mut(at).map(|before| replace(before, known)),
            Err(at) => {
                self.known.insert(at, known);
                None
            }
        }
    }

    /// Takes up what is about to expire; each call is told once.
    fn hurry(&mut self, region: &LiveRegion, messages: &Messages) {
        let (now, mut soon) = (region.now, Vec::new());
        for view in region.requests.iter().filter(|view| view.status == Status::Pending) {
            let Some(seconds) = remaining(view.expires_at, now).filter(|left| (1..URGENT).contains(left))
            else {
                continue;
            };
            if self.urgent.contains(&view.key) {
                continue;
            }
            let Some(speaks) = region.speaks() else { return };
            self.urgent.push(view.key);
            if speaks {
                soon.push(messages.seconds_left(&spoken_tool(view, messages), seconds));
            }
        }
        if !soon.is_empty() {
            self.idle = 0;
            self.warned = told(soon, messages);
        }
    }
}

/// The first of many sentences, and how many more there are.
fn told(mut sentences: Vec<String>, messages: &Messages) -> String {
    let left = sentences.len().saturating_sub(NAMED);
    sentences.truncate(NAMED);
    if left > 0 {
        sentences.push(messages.more(left));
    }
    joined(sentences, &messages.sentence_separator())
}

/// Sentences one after another; one that has its end already gets no other.
fn joined(mut sentences: Vec<String>, separator: &str) -> String {
    for sentence in &mut sentences {
        if sentence.ends_with(separator.trim_end()) {
            sentence.truncate(sentence.len() - separator.trim_end().len());
        }
    }
    sentences.join(separator)
}

/// What waits, in a sentence: tools and a count, never arguments.
#[must_use]
pub fn notice(requests: &[Rc<RequestView>], messages: &Messages) -> String {
    let mut count = 0;
    let mut tools = Vec::new();
    for view in requests.iter().filter(|view| view.status == Status::Pending) {
        count += 1;
        if tools.len() < NAMED {
            tools.push(spoken_tool(view, messages));
        }
    }
    messages.calls_arrived(count, &tools)
}

impl Piece for LiveRegion {
    type Memory = RefCell<News>;

    fn same(&self, other: &LiveRegion) -> bool {
        Rc::ptr_eq(&self.requests, &other.requests) && self.now == other.now && self.speaks == other.speaks
    }

    fn draw(&self, news: &RefCell<News>, stage: &Rc<Stage>) -> Html {
        let mut news = news.borrow_mut();
        let messages = stage.messages();
        news.turn_to(messages.locale());
        // In the words that are on their way.
        if !messages.is_provisional() {
            news.hurry(self, messages);
        }
        // A new element each time: the same words twice are two announcements.
        let said = (!news.said.is_empty())
            .then(|| Tag::new("p", "").key(news.count).words(news.said.clone()).html());
        let polite = Tag::new("div", "cs-unseen")
            .part("live")
            .with(Attribute::Live, "polite")
            .with(Attribute::Atomic, "true")
            .optional(said);
        let urgent = (!news.warned.is_empty()).then(|| {
            Tag::new("div", "cs-unseen")
                .part("alert")
                .with(Attribute::Role, "alert")
                .child(
                    Tag::new("p", "")
                        .key(news.urgent.last().copied().unwrap_or(0))
                        .words(news.warned.clone())
                        .html(),
                )
                .html()
        });
        options([Some(polite.html()), urgent])
    }

    fn act(&self, news: &RefCell<News>, stage: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        let mut news = news.borrow_mut();
        news.timer = None;
        let speaks = self.speaks();
        if stage.messages().is_provisional() || speaks.is_none() {
            news.timer = Some(stage.later(GATHER));
            // What comes to light again behind a dialog would be read out as new.
            let hides = speaks.is_none() && !news.said.is_empty();
            if hides {
                news.said.clear();
            }
            return hides;
        }
        let said = news.gather(&self.requests, stage.messages());
        if said.is_empty() || speaks == Some(false) {
            let shown = !(news.said.is_empty() && news.warned.is_empty());
            news.idle += 1;
            if !shown || news.idle < KEPT {
                news.resting = shown;
                news.timer = shown.then(|| stage.later(GATHER));
                return false;
            }
            news.warned.clear();
            news.said.clear();
        } else {
            news.count += 1;
            news.said = said;
        }
        news.idle = 0;
        true
    }

    fn drawn(&self, news: &RefCell<News>, stage: &Rc<Stage>) {
        // What changes until then is told together, and what was replaced or decided meanwhile does not wait any more.
        let mut news = news.borrow_mut();
        if replace(&mut news.resting, false) {
            news.timer = None;
        }
        news.timer.get_or_insert_with(|| stage.later(GATHER));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::call;

    /// What the panel shows, and what is said about it.
    type Step<'s> = (&'s [(u32, &'s str, Status)], &'s str);

    fn check(steps: &[Step<'_>]) {
        let (mut news, english) = (News::default(), Messages::default());
        for (views, expected) in steps {
            let views: Vec<_> = views
                .iter()
                .map(|(key, tool, status)| Rc::new(RequestView { status: *status, ..call(*key, tool, "{}") }))
                .collect();
            assert_eq!(news.gather(&views, &english), *expected);
        }
    }

    fn words() -> Messages {
        Messages::default()
    }

    #[test]
    fn r46_what_was_said_in_another_language_is_taken_away() {
        let mut news = News { language: "en".into(), said: "1 call waits".to_owned(), ..News::default() };
        news.turn_to(&"en".into());
        assert_eq!(news.said, "1 call waits");
        news.turn_to(&"de".into());
        assert_eq!(news.said, "");
    }

    #[test]
    fn r46_who_says_whether_this_panel_speaks_is_asked_as_the_page_has_it_now() {
        let requests: Rc<[Rc<RequestView>]> = Rc::from([]);
        let region = |speaks: &Speaks| LiveRegion {
            requests: Rc::clone(&requests),
            now: None,
            speaks: Some(speaks.clone()),
        };
        let (silent, speaks) = (Speaks::from(|()| None), Speaks::from(|()| Some(true)));
        assert!(region(&silent).same(&region(&silent)));
        assert!(!region(&silent).same(&region(&speaks)), "a page that opens its dialog and closes it again");
    }

    #[test]
    fn r46_a_sentence_ends_once() {
        let sentences = vec!["pay: The decision was not delivered.".to_owned(), "run: Rejected".to_owned()];
        assert_eq!(joined(sentences, ". "), "pay: The decision was not delivered. run: Rejected");
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
                "delete_file: Rejected. send_email: Completed",
            ),
        ]);
    }

    #[test]
    fn r46_five_ends_are_named_and_others_counted() {
        for (calls, said) in [
            (5, "f: Rejected. f: Rejected. f: Rejected. f: Rejected. f: Rejected"),
            (6, "f: Rejected. f: Rejected. f: Rejected. f: Rejected. f: Rejected. 1 more"),
        ] {
            let (mut news, english) = (News::default(), Messages::default());
            let views = |status| -> Vec<_> {
                (1..=calls).map(|key| Rc::new(RequestView { status, ..call(key, "f", "{}") })).collect()
            };
            let _ = news.gather(&views(Status::Pending), &english);
            assert_eq!(news.gather(&views(Status::Rejected), &english), said);
        }
    }

    #[test]
    fn r46_what_arrives_beside_others_is_told_from_all_that_waits() {
        let (one, two, three) =
            ((1, "f", Status::Pending), (2, "g", Status::Pending), (3, "h", Status::Pending));
        check(&[(&[one], "1 call waits: f"), (&[one, two], "1 more call waits, 2 in all: g")]);
        check(&[(&[one], "1 call waits: f"), (&[one, two, three], "2 more calls wait, 3 in all: g, h")]);
    }

    #[test]
    fn r42_what_someone_else_decides_while_it_waits_here_is_announced_as_theirs() {
        let (mut news, english) = (News::default(), Messages::default());
        let view = |status, decided_by, decided_at| {
            [Rc::new(RequestView { status, decided_by, decided_at, ..call(1, "pay", "{}") })]
        };
        let (theirs, ours, seen) = (Some(DecidedBy::Elsewhere), Some(DecidedBy::Here), Some(Millis(1)));
        for (status, by, at, said) in [
            (Status::Pending, None, None, "1 call waits: pay"),
            (Status::Approved, theirs, seen, "pay: Approved. Decided elsewhere"),
            (Status::Completed, theirs, seen, "pay: Completed"),
            (Status::Pending, None, None, "1 call waits: pay"),
            (Status::Rejected, theirs, seen, "pay: Rejected. Decided elsewhere"),
            (Status::Pending, None, None, "1 call waits: pay"),
            (Status::Conflict, theirs, seen, "pay: Decided elsewhere"),
            (Status::Pending, None, None, "1 call waits: pay"),
            (Status::Approved, ours, seen, ""),
            (Status::Pending, None, None, "1 call waits: pay"),
            (Status::Approved, theirs, None, ""),
        ] {
            assert_eq!(news.gather(&view(status, by, at), &english), said, "{status:?} {by:?} {at:?}");
        }
    }

    #[test]
    fn what_was_said_of_an_inbox_before_it_was_restored_is_let_go() {
        let (mut news, english) = (News::default(), Messages::default());
        for from in [1, 10, 20] {
            let views: Vec<_> = (from..from + 3).map(|key| Rc::new(call(key, "pay", "{}"))).collect();
            let _ = news.gather(&views, &english);
            assert_eq!(
                news.known.iter().map(|view| view.key).collect::<Vec<_>>(),
                [from, from + 1, from + 2]
            );
        }
        let _ = news.gather(&[], &english);
        assert!(news.known.is_empty());
    }

    #[test]
    fn r33_how_many_were_decided_together_and_how_many_are_left_is_announced() {
        let (mut news, english) = (News::default(), Messages::default());
        let view = |key, status| {
            let decided_by = (status != Status::Pending).then_some(DecidedBy::Here);
            Rc::new(RequestView { status, decided_by, ..call(key, "pay", "{}") })
        };
        let (waits, held, sent) = (Status::Pending, Status::Drafted, Status::Sent);
        for (statuses, said) in [
            ([waits, waits, waits, waits], "4 calls wait: pay, pay, pay, pay"),
            ([held, waits, waits, waits], ""),
            ([held, held, sent, waits], "2 of 3 decided"),
            ([sent, sent, sent, waits], ""),
            ([sent, sent, sent, held], ""),
        ] {
            let views: Vec<_> = (0..).zip(statuses).map(|(key, status)| view(key, status)).collect();
            assert_eq!(news.gather(&views, &english), said, "{statuses:?}");
        }
    }

    #[test]
    fn r46_a_call_that_changed_is_announced_whatever_changed() {
        let (mut news, english) = (News::default(), Messages::default());
        let view = |tool: &str, args: &str, schema: &str, changed| {
            let (args_digest, args_schema) = (Arc::from(args), Some(Arc::from(schema)));
            [Rc::new(RequestView { changed, args_digest, args_schema, ..call(1, tool, args) })]
        };
        for (tool, args, schema, changed, said) in [
            ("pay", "{}", "{}", false, "1 call waits: pay"),
            ("pay", "[1]", "{}", true, "pay: This call changed while it waited. Look again"),
            ("pay", "[1]", "{}", true, ""),
            ("pay", "[2]", "{}", true, "pay: This call changed while it waited. Look again"),
            ("drop", "[2]", "{}", true, "drop: This call changed while it waited. Look again"),
            ("drop", "[2]", "true", true, "drop: This call changed while it waited. Look again"),
        ] {
            assert_eq!(news.gather(&view(tool, args, schema, changed), &english), said, "{tool} {args}");
        }
    }

    #[test]
    fn r46_only_what_expires_within_a_minute_interrupts_and_once() {
        let mut news = News::default();
        for (now, said) in [(0, ""), (40_000, ""), (41_000, "pay: 59 s left"), (90_000, "pay: 59 s left")] {
            news.hurry(&expiring(now, Some(true)), &words());
            assert_eq!(news.warned, said, "{now}");
        }
    }

    /// A region with a call that expires at the hundredth second.
    fn expiring(now: u64, speaks: Option<bool>) -> LiveRegion {
        let view = RequestView { expires_at: Some(Millis(100_000)), ..call(1, "pay", "{}") };
        let requests = Rc::from([Rc::new(view), Rc::new(call(2, "read", "{}"))]);
        LiveRegion { requests, now: Some(Millis(now)), speaks: Some(Callback::from(move |()| speaks)) }
    }

    #[test]
    fn r46_what_interrupts_waits_until_it_is_heard_and_is_left_to_another_panel_that_speaks() {
        let mut news = News::default();
        news.hurry(&expiring(41_000, None), &words());
        assert_eq!(news.warned, "");
        news.hurry(&expiring(50_000, Some(true)), &words());
        assert_eq!(news.warned, "pay: 50 s left");
        let mut other = News::default();
        for speaks in [false, true] {
            other.hurry(&expiring(50_000, Some(speaks)), &words());
            assert_eq!(other.warned, "");
        }
    }

    #[test]
    fn r46_all_that_expires_in_one_moment_is_told() {
        let after = |count: u32| {
            let expires_at = Some(Millis(100_000));
            let views = (0..count).map(|key| Rc::new(RequestView { expires_at, ..call(key, "pay", "{}") }));
            let mut news = News::default();
            let region = LiveRegion { requests: views.collect(), now: Some(Millis(41_000)), speaks: None };
            news.hurry(&region, &words());
            news.hurry(&region, &words());
            news.warned
        };
        assert_eq!(after(2), "pay: 59 s left. pay: 59 s left");
        assert!(after(7).ends_with("pay: 59 s left. 2 more"), "{}", after(7));
        assert_eq!(after(7).matches("pay").count(), 5);
    }

    #[test]
    fn r51_a_notice_names_tools_and_a_count_and_no_arguments() {
        let views: Vec<_> = (0..7).map(|key| Rc::new(call(key, "pay", r#"{"secret":"s3cret"}"#))).collect();
        assert_eq!(notice(&views, &words()), "7 calls wait: pay, pay, pay, pay, pay, 2 more");
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

//! What "approve all" would approve and "reject all" would reject: a list that stands still while it is looked at.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, OfferKind, RequestView, Shown, Status, Words};
use yew::prelude::*;

use super::batch_bar::{BatchBar, strictest};
use super::review_row::ReviewRow;
use super::window::Window;
use crate::arming::{Guard, Guarded, Seal};
use crate::controls::button;
use crate::deciding::{Asking, Said};
use crate::dialog::Dialog;
use crate::fold::spoken;
use crate::json_view::is_brief;
use crate::messages::{LeftOut, Messages, at_once};
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Stage};
use crate::status_badge::{is_late, status_badge};
use crate::tool_call_card::facts::warning;
use crate::tool_call_card::reason_form::ReasonForm;
use crate::variants::Tone;

/// How many rows are drawn at once.
const ROWS: usize = 40;
/// Up to how many calls show all of their arguments from the start, also where one line says all of them.
const SHOWN_WHOLE: usize = 10;
/// How many groups are offered.
const GROUPS: usize = 8;

/// The calls as they were when the review was opened, and which of them are chosen.
pub(super) struct Review {
    pub(super) purpose: Purpose,
    entries: Vec<Entry>,
    left_out: Vec<(Rc<RequestView>, LeftOut)>,
    /// Every call that was there, in the order of the keys.
    known: Vec<u32>,
    groups: Vec<Group>,
    /// The place of the first row that is drawn.
    from: Cell<usize>,
    /// The place after the last row that was ever drawn: pages follow one another.
    shown: Cell<usize>,
    /// The reason for rejecting the chosen calls is asked for.
    asks: Cell<bool>,
    /// What was typed as that reason.
    said: Rc<Said>,
}

/// What the list was opened for. Calls of a list that approves can be rejected together too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Approve,
    Reject,
}

/// One call of the list.
struct Entry {
    view: Rc<RequestView>,
    seal: Seal,
    chosen: Cell<bool>,
}

/// Calls that have something in common.
struct Group {
    /// The tool, or the agent that asked. Untrusted.
    name: Arc<str>,
    agent: bool,
    members: Vec<usize>,
}

/// Why a call that waits is not approved together with others.
fn left_out(view: &RequestView) -> Option<LeftOut> {
    if !view.inspectable {
        Some(LeftOut::Unreadable)
    } else if view.offer(OfferKind::Approve).is_none() {
        Some(LeftOut::NotOffered)
    } else if view.is_high_risk() {
        Some(LeftOut::HighRisk)
    } else if view.changed {
        Some(LeftOut::Changed)
    } else {
        None
    }
}

fn is_rejectable(view: &RequestView) -> bool {
    view.offer(OfferKind::Reject).is_some()
}

/// Whether a call may be approved together with others.
pub(super) fn is_plain(view: &RequestView) -> bool {
    left_out(view).is_none()
}

impl Review {
    /// Freezes what waits now. `drafted` says why a call with a draft that was not sent is not approved; `said` is the reason
    /// as far as it is typed.
    pub(super) fn open(
        purpose: Purpose,
        requests: &[Rc<RequestView>],
        drafted: impl Fn(&RequestView) -> Option<LeftOut>,
        said: Rc<Said>,
    ) -> Review {
        let mut review = Review {
            purpose,
            entries: Vec::new(),
            left_out: Vec::new(),
            known: Vec::new(),
            groups: Vec::new(),
            from: Cell::new(0),
            shown: Cell::new(0),
            asks: Cell::new(purpose == Purpose::Reject),
            said,
        };
        for view in requests.iter().filter(|view| view.status == Status::Pending) {
            review.known.push(view.key);
            let why = match purpose {
                Purpose::Approve => left_out(view).or_else(|| drafted(view)),
                Purpose::Reject => (!is_rejectable(view)).then_some(LeftOut::NotRejectable),
            };
            match why {
                Some(why) => review.left_out.push((Rc::clone(view), why)),
                None => {
                    let (seal, chosen) = (Seal::of(view), Cell::new(true));
                    review.entries.push(Entry { view: Rc::clone(view), seal, chosen });
                }
            }
        }
        for at in 0..review.entries.len() {
            let Some(entry) = review.entries.get(at) else { continue };
            let (tool, agent) = (Arc::clone(&entry.view.tool), entry.view.agent.last().cloned());
            review.count(tool, false, at);
            if let Some(agent) = agent {
                review.count(agent, true, at);
            }
        }
        // Calls may stand in another order than that of their keys.
        review.known.sort_unstable();
        let all = review.entries.len();
        // What holds for all of them, or for one, is no choice.
        review.groups.retain(|group| group.members.len() > 1 && group.members.len() < all);
        review
    }

    fn count(&mut self, name: Arc<str>, agent: bool, at: usize) {
        match self.groups.iter_mut().find(|group| group.agent == agent && group.name == name) {
            Some(group) => group.members.push(at),
            None => self.groups.push(Group { name, agent, members: vec![at] }),
        }
    }

    /// The chosen calls that are still what they were, each with its id and what was drawn of it: where they are to run those of a list that
    /// approves which were drawn, else those that can be rejected.
    pub(super) fn chosen(&self, requests: &[Rc<RequestView>], runs: bool) -> Vec<(String, Shown)> {
        let mut chosen = Vec::new();
        for entry in self.decided(requests, runs) {
            chosen.push((entry.view.id.clone(), Shown::of(&entry.view)));
        }
        chosen
    }

    /// Nobody approves what was never drawn; to refuse it, its name in the count is enough.
    fn decided<'r>(&'r self, requests: &'r [Rc<RequestView>], runs: bool) -> impl Iterator<Item = &'r Entry> {
        let shown = if runs { self.shown.get() } else { self.entries.len() };
        self.standing(requests, shown).filter(move |entry| match runs {
            true => self.purpose == Purpose::Approve,
            false => is_rejectable(&entry.view),
        })
    }

    /// What rejecting the chosen calls asks of a reason; `None`: none of them can be rejected.
    pub(super) fn words(&self, requests: &[Rc<RequestView>]) -> Option<Words> {
        strictest(self.decided(requests, false).map(|entry| &*entry.view))
    }

    /// What is chosen of the first so many.
    fn standing<'r>(
        &'r self,
        requests: &'r [Rc<RequestView>],
        first: usize,
    ) -> impl Iterator<Item = &'r Entry> {
        let stands = |entry: &&Entry| entry.chosen.get() && entry.stands(self.purpose, requests);
        self.entries.iter().take(first).filter(stands)
    }

    /// What the button stands for that approves, or the one that rejects.
    pub(super) fn seal(&self, requests: &[Rc<RequestView>], runs: bool) -> Seal {
        Seal::all(self.decided(requests, runs).map(|entry| &*entry.view))
    }

    /// Takes up an act; whether something is to be drawn again.
    pub(super) fn act(&self, act: &Act) -> bool {
        match act {
            Act::Pick(at, _) => {
                if let Some(entry) = self.entries.get(*at) {
                    entry.chosen.set(!entry.chosen.get());
                }
            }
            // All of a group are chosen, unless they are: then none.
            Act::Group(at) => {
                let Some(group) = self.groups.get(*at) else { return false };
                let members = || group.members.iter().filter_map(|at| self.entries.get(*at));
                let all = members().all(|entry| entry.chosen.get());
                members().for_each(|entry| entry.chosen.set(!all));
            }
            Act::Back => self.from.set(self.from.get().saturating_sub(ROWS)),
            Act::Forth => self.from.set(self.from.get() + ROWS),
            _ => return false,
        }
        true
    }

    /// The dialog.
    pub(super) fn draw(&self, bar: &BatchBar, guard: &Guard, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let requests = bar.requests.as_slice();
        // What this page draws counts as shown.
        let rows = self.rows(bar, stage);
        let rejectable = self.chosen(requests, false).len();
        let asks = self.asks.get();
        let foot = match asks {
            true => list(vec![self.counted(requests, messages), self.reason(bar, stage)]),
            false => self.buttons(bar, guard, rejectable, stage),
        };
        stage.place(Dialog {
            asker: Rc::clone(stage),
            id: "review".to_owned(),
            alert: false,
            wide: true,
            title: words(match asks {
                true => at_once(&messages.reject_some(rejectable, self.entries.len())).to_owned().into(),
                false => messages.review_title(),
            }),
            body: list(vec![
                self.groups(stage),
                rows,
                crate::left_out::left_out(&self.left_out, stage),
                self.later(requests, stage),
                self.hurry(bar, stage),
            ]),
            foot,
            first: if asks { "textarea" } else { "[part=cancel-button]" },
            tells: false,
        })
    }

    /// How many are chosen.
    fn counted(&self, requests: &[Rc<RequestView>], messages: &Messages) -> Html {
        let chosen = self.standing(requests, self.entries.len()).count();
        Tag::new("span", "cs-progress")
            .part("review-count")
            .with(Attribute::Role, "status")
            .words(messages.chosen_of(chosen, self.entries.len()))
            .html()
    }

    /// The form for the reason why the chosen calls are rejected.
    fn reason(&self, bar: &BatchBar, stage: &Rc<Stage>) -> Html {
        stage.place(ReasonForm {
            asking: Asking::Reason,
            asker: Rc::clone(stage),
            id: "chosen".to_owned(),
            tool: None,
            words: self.words(&bar.requests).unwrap_or_default(),
            writing: bar.writing.clone(),
            said: Rc::clone(&self.said),
            hurry: Html::default(),
        })
    }

    /// The buttons, of which the one that rejects is about `rejectable` calls, and what is chosen.
    fn buttons(&self, bar: &BatchBar, guard: &Guard, rejectable: usize, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let requests = bar.requests.as_slice();
        let approvable = self.decided(requests, true).count();
        let unseen = self.standing(requests, self.entries.len()).count() - approvable;
        let reject = self.entries.iter().any(|entry| is_rejectable(&entry.view)).then(|| {
            let label = messages.reject_some(rejectable, self.entries.len()).into();
            button("reject-chosen-button", "cs-button cs-refuse", label, stage, Act::Reject)
                .withheld(rejectable == 0)
                .html()
        });
        let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel).html();
        let unseen = (self.purpose == Purpose::Approve && unseen > 0).then(|| {
            Tag::new("span", "cs-progress").part("unseen").words(messages.not_shown_yet(unseen)).html()
        });
        options([
            Some(self.confirm(bar, guard, approvable, stage)),
            reject,
            Some(cancel),
            Some(self.counted(requests, messages)),
            unseen,
        ])
    }

    /// The button that approves so many calls.
    fn confirm(&self, bar: &BatchBar, guard: &Guard, approvable: usize, stage: &Rc<Stage>) -> Html {
        let label = stage.messages().approve_some(approvable, self.entries.len());
        let label: AttrValue = at_once(&label).to_owned().into();
        stage.place(Guarded {
            asker: Rc::clone(stage),
            guard: guard.clone(),
            seal: self.seal(&bar.requests, true),
            delay: bar.arm_delay,
            part: "confirm-button",
            class: "cs-button cs-primary",
            label: label.clone(),
            name: label,
            act: Act::Decide(Decision::approve()),
            withheld: approvable == 0,
            switch: None,
            described_by: None,
        })
    }

    fn groups(&self, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let mut groups = Vec::new();
        for (at, group) in self.groups.iter().take(GROUPS).enumerate() {
            let all =
                group.members.iter().all(|at| self.entries.get(*at).is_some_and(|entry| entry.chosen.get()));
            let name = spoken(&group.name);
            let label = match group.agent {
                true => messages.group_of_agent(&name, group.members.len()),
                false => messages.group_of_tool(&name, group.members.len()),
            };
            groups.push(
                button("group-button", "cs-more", label.into(), stage, Act::Group(at))
                    .truth(Attribute::Pressed, all)
                    .html(),
            );
        }
        if groups.is_empty() {
            return Html::default();
        }
        Tag::new("div", "cs-groups").part("groups").list(groups).html()
    }

    fn rows(&self, bar: &BatchBar, stage: &Rc<Stage>) -> Html {
        let window = Window::at(self.from.get(), self.entries.len(), ROWS);
        self.from.set(window.from);
        self.shown.set(self.shown.get().max(window.until));
        let mut rows = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().skip(window.from).take(ROWS) {
            let stands = entry.stands(self.purpose, &bar.requests);
            let row = ReviewRow {
                asker: Rc::clone(stage),
                view: Rc::clone(&entry.view),
                at,
                chosen: entry.chosen.get(),
                stands,
                says: entry.says(stands, bar, stage.messages()),
                shows_all: self.entries.len() <= SHOWN_WHOLE
                    || !is_brief(&entry.view.args_text, entry.view.args_schema.as_deref()),
            };
            rows.push(stage.place_keyed(entry.view.key, row));
        }
        list(vec![
            window.turn("more", stage),
            Tag::new("ul", "cs-review").part("review").list(rows).html(),
            window.turn("more", stage),
        ])
    }

    /// That little time is left for one of them: from behind the dialog nothing is heard.
    fn hurry(&self, bar: &BatchBar, stage: &Rc<Stage>) -> Html {
        let requests = bar.requests.as_slice();
        let is_late =
            |entry: &Entry| bar.now.zip(entry.now(requests)).is_some_and(|(now, view)| is_late(view, now));
        let late = self.standing(requests, self.entries.len()).any(is_late).then(|| {
            let text = words(stage.messages().little_time());
            warning(Tone::Attention, text).with(Attribute::Note, "expires").html()
        });
        Tag::new("div", "").with(Attribute::Live, "polite").optional(late).html()
    }

    /// What arrived since is not part of it.
    fn later(&self, requests: &[Rc<RequestView>], stage: &Rc<Stage>) -> Html {
        let is_new = |view: &&Rc<RequestView>| {
            view.status == Status::Pending && self.known.binary_search(&view.key).is_err()
        };
        let count = requests.iter().filter(is_new).count();
        if count == 0 {
            return Html::default();
        }
        Tag::new("p", "cs-help")
            .part("later")
            .with(Attribute::Role, "status")
            .words(stage.messages().arrived_since(count))
            .html()
    }
}

impl Entry {
    /// The call as it is now, unless it waits no more.
    fn now<'r>(&self, requests: &'r [Rc<RequestView>]) -> Option<&'r Rc<RequestView>> {
        let now = requests.binary_search_by_key(&self.view.key, |view| view.key).ok();
        let now = now.and_then(|at| requests.get(at));
        // Calls may stand in another order than that of their keys.
        now.or_else(|| requests.iter().find(|view| view.key == self.view.key))
    }

    /// Whether the call still is what it was.
    fn stands(&self, purpose: Purpose, requests: &[Rc<RequestView>]) -> bool {
        self.now(requests).is_some_and(|now| {
            let fits = purpose == Purpose::Reject || is_plain(now);
            Rc::ptr_eq(now, &self.view) || (Seal::of(now) == self.seal && fits)
        })
    }

    /// Why it is not decided with the others any more, or how long the agent waits.
    fn says(&self, stands: bool, bar: &BatchBar, messages: &Messages) -> Option<AttrValue> {
        match self.now(&bar.requests) {
            None => Some(messages.status(Status::Superseded)),
            Some(now) if now.status == Status::Pending && !stands => {
                Some(messages.left_out(LeftOut::Changed))
            }
            Some(now) if stands && now.expires_at.zip(bar.now).is_none() => None,
            Some(now) => Some(status_badge(now, bar.now, messages).text),
        }
    }
}

/// The review that is open, if one is.
#[derive(Default)]
pub(super) struct Reviewing {
    pub(super) review: RefCell<Option<Review>>,
    pub(super) guard: Guard,
    /// It was closed, and the focus goes back to the button that had opened it.
    pub(super) returning: Cell<Option<Purpose>>,
    /// The form for the reason was closed, and the focus goes back to the button that had opened it.
    pub(super) was_asked: Cell<bool>,
}

impl Reviewing {
    /// Asks for the reason for rejecting what is chosen.
    pub(super) fn ask(&self) {
        if let Some(review) = &*self.review.borrow() {
            review.asks.set(true);
        }
    }

    /// Closes the form for the reason, and says whether the list stays open: not where it was opened to reject.
    pub(super) fn keeps_open(&self) -> bool {
        let approves = |review: &Review| review.purpose == Purpose::Approve && review.asks.take();
        let asked = self.review.borrow().as_ref().is_some_and(approves);
        self.was_asked.set(asked);
        asked
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::{Millis, Offer, RiskLevel, RiskView};

    use super::*;
    use crate::testing::call;
    use crate::writing::Writing;

    #[test]
    fn r33_what_approve_all_leaves_out_is_told_with_its_reason() {
        let high = RiskView { level: RiskLevel::High, ..RiskView::default() };
        let elevated = RiskView { level: RiskLevel::Elevated, ..RiskView::default() };
        let plain = |key| call(key, "rm", "{}");
        let views = [
            plain(1),
            RequestView { risk: elevated, ..plain(2) },
            RequestView { risk: high, ..plain(3) },
            RequestView { inspectable: false, ..plain(4) },
            RequestView { changed: true, ..plain(5) },
            RequestView { offers: vec![Offer::new(OfferKind::Reject)], ..plain(6) },
            RequestView { offers: vec![Offer::new(OfferKind::Approve)], ..plain(7) },
            RequestView { status: Status::Drafted, ..plain(8) },
            plain(9),
        ]
        .map(Rc::new);
        let drafted = |view: &RequestView| (view.key == 9).then_some(LeftOut::Edited);
        let opened = |purpose| {
            let review = Review::open(purpose, &views, drafted, Rc::default());
            let entries: Vec<u32> = review.entries.iter().map(|entry| entry.view.key).collect();
            let left_out: Vec<_> = review.left_out.iter().map(|(view, why)| (view.key, *why)).collect();
            (entries, left_out, review.known)
        };
        let known = vec![1, 2, 3, 4, 5, 6, 7, 9];
        let left_out = vec![
            (3, LeftOut::HighRisk),
            (4, LeftOut::Unreadable),
            (5, LeftOut::Changed),
            (6, LeftOut::NotOffered),
            (9, LeftOut::Edited),
        ];
        assert_eq!(opened(Purpose::Approve), (vec![1, 2, 7], left_out, known.clone()));
        let rejected = (vec![1, 2, 3, 4, 5, 6, 9], vec![(7, LeftOut::NotRejectable)], known);
        assert_eq!(opened(Purpose::Reject), rejected);
        let plain: Vec<u32> = views.iter().filter(|view| is_plain(view)).map(|view| view.key).collect();
        assert_eq!(plain, [1, 2, 7, 8, 9]);
    }

    #[test]
    fn r41_a_row_counts_down_and_what_waits_no_more_is_not_said_to_have_changed() {
        let waits = |key| RequestView { expires_at: Some(Millis(62_000)), ..call(key, "rm", "{}") };
        let before: Vec<_> = (1..5).map(|key| Rc::new(waits(key))).collect();
        let review = Review::open(Purpose::Approve, &before, |_| None, Rc::default());
        let says = |views: Vec<RequestView>, now| {
            let bar = BatchBar {
                requests: views.into_iter().map(Rc::new).collect(),
                unsent: Vec::new(),
                editings: Rc::default(),
                on_intent: Callback::noop(),
                now,
                arm_delay: 500,
                writing: Writing::default(),
            };
            let of = |entry: &Entry| {
                let stands = entry.stands(Purpose::Approve, &bar.requests);
                entry.says(stands, &bar, &Messages::default())
            };
            review.entries.iter().map(of).collect::<Vec<_>>()
        };
        let other = RequestView { args_digest: "other".into(), ..waits(3) };
        let told = says(
            vec![waits(1), other, RequestView { status: Status::Sending, ..waits(4) }],
            Some(Millis(20_000)),
        );
        let expected = ["Waits for you · 0:42", "No longer waiting", "changed: look at it again", "Sending…"];
        assert_eq!(told, expected.map(|words| Some(AttrValue::from(words))));
        assert_eq!(says((1..5).map(waits).collect(), None), [None, None, None, None], "no clock is known");
    }
}

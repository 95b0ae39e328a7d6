//! What follows from a request: its first time, its repetitions, and what came in its place.

use countersign_json::same_texts;

use super::card::{Asked, Card};
use super::course::stand;
use super::{Inbox, Output, Step};
use crate::call::ArgsText;
use crate::decision::Decision;
use crate::error::{Problem, ProblemCode};
use crate::ids::{CallId, Millis};
use crate::observation::{Ask, Standing};
use crate::offer::OfferKind;
use crate::outbound::OutboundState;
use crate::status::Status;

impl Inbox {
    pub(super) fn asked(&mut self, ask: Box<Ask>, step: &mut Step) {
        let expires_at = ask.timeout.map(|span| self.now.after(span));
        if let Some(index) = self.index_of(&ask.request) {
            return self.asked_again(index, ask, expires_at, step);
        }
        let (scope, tool) = (&ask.request.scope, &ask.call.tool);
        // Nearly always the call was not seen before, and one look says so.
        let same = |call: &CallId| {
            let any = self.index_of_call(scope, call)?;
            self.index_of_run(scope, call, tool).or(Some(any))
        };
        let gated = ask.call.id.as_ref().and_then(same);
        // Models give ids twice: what has become of another call says nothing of this one.
        let is_it =
            |card: &Card| card.call.tool == ask.call.tool && same_args(&card.call.args, &ask.call.args);
        let is_free = |card: &Card| card.ask.is_none() && (!card.has_outcome || is_it(card));
        let gated = gated.filter(|index| self.card(*index).is_some_and(is_free));
        let request = ask.request.id.clone();
        let scope = ask.request.scope.clone();
        let standing = ask.standing;
        let index = gated.unwrap_or_else(|| self.push(Card::new(scope.clone(), ask.call.clone()), step));
        let group = self.by_batch.push(ask.batch.shared(), index);
        let (asked, mut call) = Asked::new(ask, group, self.now, expires_at);
        // The request may say less of the call's origin than the call itself did.
        if let Some(card) = self.card(index) {
            call.server = call.server.or_else(|| card.call.server.clone());
            if call.agent.is_empty() {
                call.agent = card.call.agent.clone();
            }
        }
        self.has_timers |= expires_at.is_some();
        self.by_request.push(&scope, request.shared(), index);
        let unseen_at = Some(self.steady()).filter(|_| !step.live);
        let dealt_with = self.dealt_with.place(request.shared()).is_some();
        self.change(Some(index), step, |card| {
            card.retooled |= card.call.tool != call.tool;
            card.replace_call(call);
            card.unseen_at = card.unseen_at.max(unseen_at);
            card.by_hand |= dealt_with;
            card.ask = Some(asked);
            // Its pieces may have been taken for cut off, or its run for over.
            if card.may_arrive() || (card.status == Status::Unknown && !card.has_outcome) {
                card.status = Status::Requested;
            }
            card.is_piece = false;
            stand(card, standing);
        });
    }

    /// The same request again: usually a repetition, sometimes with other arguments.
    fn asked_again(&mut self, index: u32, ask: Box<Ask>, expires_at: Option<Millis>, step: &mut Step) {
        let Some(card) = self.card(index) else { return };
        let queued = self.outbound_state(card) == Some(OutboundState::Queued);
        let draft = card.own_decision().map(Decision::kind).filter(|_| queued || card.status.is_open());
        // An edit that is no longer on offer would run what was there before it.
        let fits = card.call.tool == ask.call.tool
            && same_args(&card.call.args, &ask.call.args)
            && card.call.positional == ask.call.positional
            && same_schema(card, &ask)
            && draft.is_none_or(|kind| ask.offers.iter().any(|offer| offer.kind == kind));
        let is_doubtful = ask.doubt.is_some() && draft.is_some_and(OfferKind::runs);
        if queued && (!fits || is_doubtful) {
            // Nothing has left yet, so it is still a draft.
            self.recall(index, step);
        }
        let Some(before) = self.card(index).and_then(|card| card.ask.as_ref()) else { return };
        // A deadline counts from the first message that named one: repeating it does not prolong it.
        let expires_at = before.expires_at.or(expires_at);
        if fits {
            self.repeated(index, ask, expires_at, step)
        } else {
            self.replaced(index, ask, expires_at, step)
        }
    }

    /// The request came again as it was; on another way it may say more.
    fn repeated(&mut self, index: u32, mut ask: Box<Ask>, expires_at: Option<Millis>, step: &mut Step) {
        let Some(card) = self.card(index) else { return };
        let is_found = card.is_forgotten() || (card.is_missing() && ask.standing == Standing::Open);
        let waits = is_found || matches!(card.status, Status::Requested | Status::Pending | Status::Blocked);
        let call = ask.call.id.clone().filter(|call| card.call.id.as_ref() != Some(call));
        let doubt = ask.doubt.take_if(|_| card.status == Status::Drafted);
        let standing = ask.standing;
        if let Some(call) = &call {
            self.by_call.push(&ask.request.scope, call.shared(), index);
        }
        self.change(Some(index), step, |card| {
            card.newer = None;
            card.call.id = call.or(card.call.id.take());
            if let Some(asked) = &mut card.ask {
                if waits {
                    let (again, _) = Asked::new(ask, asked.group, asked.asked_at, expires_at);
                    let before = std::mem::replace(asked, again);
                    asked.title = asked.title.take().or(before.title);
                    asked.description = asked.description.take().or(before.description);
                    asked.hint = asked.hint.take().or(before.hint);
                    asked.schema = asked.schema.take().or(before.schema);
                    asked.limit = before.limit;
                } else {
                    asked.offers = ask.offers;
                }
            }
            if is_found {
                (card.status, card.end) = (Status::Requested, None);
                (card.forgotten, card.error) = (None, None);
            }
            stand(card, standing);
        });
        step.repeated.insert(index);
        self.has_timers |= waits && expires_at.is_some();
        if let Some(doubt) = doubt {
            self.doubt(Some(index), doubt, step);
        }
    }

    /// Shows what came while an answer was on its way that the backend did not take.
    pub(super) fn renew(&mut self, step: &mut Step) {
        let mut newer = Vec::new();
        for index in step.touched.numbers() {
            let waits = self.card_mut(index).filter(|card| card.is_answerable());
            newer.extend(waits.and_then(|card| card.newer.take()));
        }
        if !newer.is_empty() {
            newer.into_iter().for_each(|ask| self.asked(ask, step));
            self.judge_new(step);
            self.send_completed(step);
        }
    }

    /// The request came again with another call: what was decided of it before does not count for this one.
    fn replaced(&mut self, index: u32, ask: Box<Ask>, expires_at: Option<Millis>, step: &mut Step) {
        let Some(card) = self.card(index) else { return };
        if card.status.is_settled() {
            // A call that was refused before anyone told its arguments.
            if ask.standing == Standing::Announced && card.call.args.as_str() == "null" {
                self.change(Some(index), step, |card| card.replace_call(ask.call));
            }
            return;
        }
        if card.taken.is_some() && !card.status.is_open() {
            let sentence =
                format!("request `{}` came again with other arguments after it was decided", ask.request);
            self.change(Some(index), step, |card| {
                card.changed = true;
                card.newer = Some(ask);
            });
            // Should our answer not have arrived, it must not go out again.
            self.doubt(Some(index), "it came again with other arguments".to_owned(), step);
            return step.outputs.push(Output::Problem(Problem::new(ProblemCode::ArgsChangedLate, sentence)));
        }
        let Some(before) = &card.ask else { return };
        let (standing, ask_scope) = (ask.standing, ask.request.scope.clone());
        let (asked, call) = Asked::new(ask, before.group, before.asked_at, expires_at);
        if let Some(id) = call.id.as_ref().filter(|id| card.call.id.as_ref() != Some(id)) {
            self.by_call.push(&ask_scope, id.shared(), index);
        }
        self.change(Some(index), step, |card| {
            card.changed |= card.status.is_open();
            card.drop_draft();
            card.replace_call(call);
            card.ask = Some(asked);
            if card.status == Status::Drafted {
                card.status = Status::Pending;
            }
            stand(card, standing);
        });
        self.has_timers |= expires_at.is_some();
        self.discard_outbound(index, step);
    }
}

/// Whether what arguments must be is as before; a repetition may leave it out.
fn same_schema(card: &Card, ask: &Ask) -> bool {
    let before = card.ask.as_ref().and_then(|before| before.schema.as_ref());
    match (before, &ask.schema) {
        (Some(before), Some(after)) => same_texts(before, after),
        _ => true,
    }
}

/// Whether two argument texts mean the same call: servers may reorder members and write `5` as `5.0`.
pub(super) fn same_args(a: &ArgsText, b: &ArgsText) -> bool {
    same_texts(a.as_str(), b.as_str())
}

//! What shells see of the inbox.

use std::sync::Arc;

use countersign_json::Limits;

use super::Inbox;
use super::card::{Asked, Card};
use super::send::Sending;
use crate::audit::{AuditActor, AuditEvent};
use crate::call::{ArgsText, Argument, ToolCall};
use crate::decision::{Decision, DecisionFields, Shown};
use crate::error::{Refusal, RefusalCode};
use crate::ids::{CallId, Millis, OutboundId, RequestRef};
use crate::offer::{Offer, OfferKind};
use crate::outbound::OutboundState;
use crate::request::Subject;
use crate::risk::{RiskLevel, RiskView, assess};
use crate::status::Status;
use crate::text::Text;
use crate::view::{BatchView, DecidedBy, HazardView, OutboundView, RequestView};

impl Inbox {
    /// All cards, in the order in which they are shown.
    #[must_use]
    pub fn views(&self) -> Vec<RequestView> {
        (0..self.len()).filter_map(|at| self.view_at(at)).collect()
    }

    /// The key of the first card; it moves when everything is rebuilt from history.
    #[must_use]
    pub fn first_key(&self) -> u32 {
        self.first_key
    }

    /// Whether a decision is held so that it can be undone or looked at: [`Input::Leave`](super::Input::Leave) may send it.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        self.cards.iter().any(Card::is_held)
    }

    /// How many decisions were taken here and wait here: drafts, and what must not leave yet.
    #[must_use]
    pub fn unsent(&self) -> usize {
        let drafted = self.statuses().filter(|status| *status == Status::Drafted).count();
        let waiting = self.queue.iter().filter_map(|id| self.sending_of(id)).filter(|it| self.must_wait(it));
        drafted + waiting.map(|sending| sending.outbound.requests.len()).sum::<usize>()
    }

    /// How many cards there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether there are no cards.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The card at this place in the order in which they are shown.
    #[must_use]
    pub fn view_at(&self, place: usize) -> Option<RequestView> {
        self.view(self.key_at(place)?)
    }

    /// The card with this key.
    #[must_use]
    pub fn view(&self, key: u32) -> Option<RequestView> {
        let index = key.checked_sub(self.first_key)?;
        self.card(index).map(|card| self.draw(index, card))
    }

    /// The key of the card at this place in the order in which they are shown.
    #[must_use]
    pub fn key_at(&self, place: usize) -> Option<u32> {
        let index =
            if self.order.is_empty() { u32::try_from(place).ok()? } else { *self.order.get(place)? };
        self.card(index).map(|_| self.first_key + index)
    }

    /// How often a card has moved before another one: a shell that keeps cards by their places reads them all again.
    #[must_use]
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// The id of the card with this key with its scope, as in [`RequestView::id`]; cheaper than the whole view.
    #[must_use]
    pub fn id(&self, key: u32) -> Option<String> {
        let index = key.checked_sub(self.first_key)?;
        self.card(index).map(|card| scoped_id(index, card))
    }

    /// The status of each card, in order of their keys; cheap, for counting and for choosing what to draw.
    pub fn statuses(&self) -> impl Iterator<Item = Status> + '_ {
        self.cards.iter().map(|card| card.status)
    }

    fn draw(&self, index: u32, card: &Card) -> RequestView {
        let limits = &self.options.args_limits;
        let ask = card.ask.as_ref();
        let doubt = card.doubt(limits);
        let hazards = hazards(card, doubt.as_ref(), limits);
        let offers = self.offers(card, doubt.is_some());
        let editable = offers.iter().any(|offer| offer.kind == OfferKind::Edit);
        RequestView {
            key: self.first_key + index,
            id: scoped_id(index, card),
            request: ask.map(|ask| ask.request.alone()),
            call: card.call.id.as_ref().map(CallId::alone),
            tool: Arc::from(card.call.tool.as_str()),
            args_text: card.call.args.shared(),
            args_digest: card.digest().clone(),
            args_schema: self.schema(card).cloned(),
            inspectable: doubt.is_none(),
            changed: card.changed,
            server: card.call.server.clone(),
            agent: card.call.agent.to_vec(),
            status: card.status,
            offers,
            edits: ask.filter(|_| editable).map(|ask| ask.edits),
            title: ask.and_then(|ask| shared(ask.title.as_ref())),
            description: ask.and_then(|ask| shared(ask.description.as_ref())),
            hint: ask.and_then(|ask| shared(ask.hint.as_ref())),
            decision: card.taken.as_ref().map(|taken| DecisionFields::from(&taken.decision)),
            reason: card.reason.clone(),
            automatic: card.automatic,
            rule: card.rule.clone(),
            questions: ask.and_then(|ask| match &ask.subject {
                Subject::Questions(questions) => Some(questions.clone()),
                Subject::Call => None,
            }),
            result_text: shared(card.result.as_ref()),
            error: card.error.clone(),
            batch: self.batch(card),
            expires_at: ask.and_then(|ask| ask.expires_at).filter(|_| !card.status.is_settled()),
            sends_at: card.sends_at,
            asked_at: ask.map(|ask| ask.asked_at),
            decided_at: card.decided_at,
            decided_by: card.taken.as_ref().map(|taken| match taken.here {
                _ if card.automatic => DecidedBy::Rule,
                true => DecidedBy::Here,
                false => DecidedBy::Elsewhere,
            }),
            risk: match ask {
                Some(_) if !card.status.is_settled() => self.drafted_risk(card),
                _ => RiskView::default(),
            },
            hazards,
            outbound: self.last_sending(card).map(|sending| self.outbound(card, sending)),
        }
    }

    /// The message of the decision; of a card that waits again, that which the backend did not take.
    fn last_sending(&self, card: &Card) -> Option<&Sending> {
        let refused_message = card.refused_message.as_ref().filter(|_| card.status == Status::Pending);
        self.sending_of(card.outbound.as_ref().or(refused_message)?)
    }

    /// The message of a decision on this card, and what became of it.
    fn outbound(&self, card: &Card, sending: &Sending) -> OutboundView {
        // It was delivered, and the backend still asks about another call in it.
        let has_arrived = sending.is_doubted() && !card.is_asked_still;
        let state = match card.outbound {
            Some(_) if has_arrived => OutboundState::Delivered,
            Some(_) => sending.state,
            // Whatever the host reported of it, the backend did not take it.
            None => OutboundState::Failed,
        };
        OutboundView {
            id: sending.outbound.id.clone(),
            state,
            held: state == OutboundState::Queued && self.must_wait(sending),
            error: sending.error.clone().filter(|_| !has_arrived),
        }
    }

    /// Whether a message, which the host has not taken, must not leave yet.
    fn must_wait(&self, sending: &Sending) -> bool {
        !self.adapter.may_leave(&self.memory, &sending.outbound)
    }

    /// How much care a call needs by everything but the policy, which is asked with it.
    pub(super) fn own_risk<'a>(&'a self, card: &'a Card) -> &'a RiskView {
        card.risk(&self.options.risk, &self.options.args_limits)
    }

    /// How much care a call needs.
    fn risk(&self, card: &Card) -> RiskView {
        self.own_risk(card).clone().ruled(card.ruled_risk.as_deref())
    }

    /// How much care a call needs with the arguments with which it is going to run.
    fn drafted_risk(&self, card: &Card) -> RiskView {
        match card.own_decision() {
            Some(Decision::Edit { args, .. }) => self.risk_of(card, args),
            _ => self.risk(card),
        }
    }

    pub(super) fn risk_of(&self, card: &Card, edited: &ArgsText) -> RiskView {
        let call = ToolCall { args: edited.clone(), ..card.call.clone() };
        let risk = assess(&call, &self.options.risk, &self.options.args_limits);
        let verdict = self.judge_edit(card, edited, risk.level == RiskLevel::High);
        let ruled = verdict.and_then(|verdict| verdict.risk);
        risk.ruled(ruled.as_deref()).after(&self.risk(card))
    }

    /// How much care a request needs if it is answered with these arguments, which are JSON text; `None`: there is no
    /// such request. It is what [`assess`] says of them and [`RiskView::after`] adds, and what the policy says of them.
    #[must_use]
    pub fn edit_risk(&self, request: &RequestRef, edited: &str) -> Option<RiskView> {
        let card = self.card(self.index_of(request)?)?;
        Some(self.risk_of(card, &ArgsText::from(edited)))
    }

    /// Whether this request is confirmed a second time, never approved together with others, and never by a grant.
    #[must_use]
    pub fn is_high_risk(&self, request: &RequestRef) -> bool {
        let card = self.index_of(request).and_then(|index| self.card(index));
        card.is_some_and(|card| self.risk(card).level == RiskLevel::High)
    }

    /// What the arguments of this card must meet: as the request says, else as the host says of the tool.
    pub(super) fn schema<'a>(&'a self, card: &'a Card) -> Option<&'a Arc<str>> {
        let ask = card.ask.as_ref()?;
        let known = || self.options.schemas.iter().find(|(tool, _)| card.call.tool == **tool);
        ask.schema.as_ref().or_else(|| known().map(|(_, schema)| schema))
    }

    /// The decisions that may be taken on this card now.
    fn offers(&self, card: &Card, doubtful: bool) -> Vec<Offer> {
        let Some(ask) = card.ask.as_ref().filter(|_| card.is_answerable()) else { return Vec::new() };
        let only = if ask.batch_rule.uniform { self.together(card, ask).only } else { None };
        let may = |offer: &&Offer| {
            !(doubtful && offer.kind.goes_on())
                && card.permits(offer.kind)
                && only.is_none_or(|only| only == offer.kind)
        };
        ask.offers.iter().filter(may).cloned().collect()
    }

    fn batch(&self, card: &Card) -> Option<BatchView> {
        let ask = card.ask.as_ref().filter(|ask| ask.batch_rule.held)?;
        if !card.status.is_open() && card.outbound.is_none() {
            return None;
        }
        let Together { open, decided, along, along_open, .. } = self.together(card, ask);
        // What is not open any more is answered together with what its message carries, and nothing that came later.
        let (size, decided) = match card.status.is_open() {
            true => (open + along - along_open, decided + along - along_open),
            false => (along, along),
        };
        Some(BatchView { id: ask.batch.alone(), size, decided, rejects_all: ask.batch_rule.rejects_all })
    }

    /// How the batch of this card stands. Its members are drawn one after the other, so it is counted once for all.
    fn together(&self, card: &Card, ask: &Asked) -> Together {
        let is_known = |known: &Together| known.group == ask.group && known.outbound == card.outbound;
        let together = self.together.take().filter(is_known).unwrap_or_else(|| {
            let outbound = card.outbound.clone();
            let mut counted = Together { group: ask.group, outbound, ..Together::default() };
            for member in self.by_batch.at(ask.group).iter().filter_map(|index| self.card(*index)) {
                let is_open = member.status.is_open();
                let is_along = member.outbound.is_some() && member.outbound == card.outbound;
                counted.open += usize::from(is_open);
                counted.decided += usize::from(member.status == Status::Drafted);
                counted.only = counted.only.or(member.drafted_kind());
                counted.along += usize::from(is_along);
                counted.along_open += usize::from(is_along && is_open);
            }
            counted
        });
        self.together.replace(Some(together.clone()));
        together
    }

    /// Records that a card is settled which was not so before.
    pub(super) fn record_settled(&mut self, index: u32, before: Status, status: Status, by: AuditActor) {
        if before != status && status.is_settled() {
            self.record(index, AuditEvent::Settled { status, by });
        }
    }

    pub(super) fn record(&mut self, index: u32, event: AuditEvent<'_>) {
        let Some(card) = self.card(index) else { return };
        let Some(request) = card.request() else { return };
        let digest = card.digest().clone();
        let tool = card.call.tool.clone();
        self.audit.append(self.now, Some((&request.to_string(), Some((&tool, &digest)))), event);
    }

    /// Records that a decision was refused because it names no request, or several.
    pub(super) fn record_stray(&mut self, at: Millis, id: &str, refusal: &Refusal, seen: Option<&Shown>) {
        self.audit.append(at, Some((id, None)), AuditEvent::Refused { code: refusal.code(), seen });
    }
}

/// How a batch stands, as a member of it shows it.
#[derive(Clone, Default)]
pub(super) struct Together {
    /// The place of the batch.
    group: u32,
    open: usize,
    /// How many of the open ones are decided.
    decided: usize,
    /// The kind of the first decision that is held.
    only: Option<OfferKind>,
    /// The message that carries the member.
    outbound: Option<OutboundId>,
    /// How many it carries with it, and how many of them are open.
    along: usize,
    along_open: usize,
}

/// What a reader must know about the arguments, and about the message around them.
fn hazards(card: &Card, doubt: Option<&String>, limits: &Limits) -> Vec<HazardView> {
    let view = |pointer: &str, code: &str, message: &str| HazardView {
        pointer: pointer.to_owned(),
        code: code.to_owned(),
        message: message.to_owned(),
    };
    let known = &card.inspection(limits).hazards;
    let mut hazards: Vec<HazardView> =
        known.iter().map(|hazard| view(&hazard.pointer, hazard.code.as_str(), &hazard.message)).collect();
    if let Some(doubt) = doubt.filter(|_| hazards.is_empty()) {
        hazards.push(view("", RefusalCode::ArgsAmbiguous.as_str(), doubt));
    }
    if card.ask.as_ref().is_some_and(|ask| ask.argument == Argument::Positional) {
        let message = "named arguments are not in this message: the call may run with more than is shown";
        hazards.push(view("", "args-unnamed", message));
    }
    hazards
}

/// The texts of a view are its own: shells keep them longer than the inbox keeps its cards.
fn shared(text: Option<&Text>) -> Option<Arc<str>> {
    text.map(|text| Arc::from(text.as_str()))
}

fn scoped_id(index: u32, card: &Card) -> String {
    match (&card.ask, &card.call.id) {
        (Some(ask), _) => format!("{}/{}", card.scope, ask.request),
        (None, Some(call)) => format!("{}/call:{call}", card.scope),
        (None, None) => format!("{}/card:{index}", card.scope),
    }
}

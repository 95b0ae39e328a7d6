//! What shells see of the inbox.

use super::Inbox;
use super::card::Card;
use crate::audit::AuditEvent;
use crate::decision::DecisionFields;
use crate::offer::{Offer, OfferKind};
use crate::request::Subject;
use crate::status::Status;
use crate::view::{BatchView, HazardView, OutboundView, RequestView};

impl Inbox {
    /// All cards, in order of arrival.
    #[must_use]
    pub fn views(&self) -> Vec<RequestView> {
        (0..self.len()).filter_map(|at| self.view_at(at)).collect()
    }

    /// The key of the first card; it moves when everything is rebuilt from history.
    #[must_use]
    pub fn first_key(&self) -> u32 {
        self.first_key
    }

    /// How many cards there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cards.len()
    }

    /// Whether nothing was ever asked or called.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cards.is_empty()
    }

    /// The card at this place in the order of arrival.
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

    /// The key of the card at this place in the order of arrival.
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
        let mut hazards: Vec<HazardView> = Vec::new();
        for hazard in &card.inspection(limits).hazards {
            hazards.push(HazardView {
                pointer: hazard.pointer.clone(),
                code: hazard.code.as_str().to_owned(),
                message: hazard.message.clone(),
            });
        }
        if let (Some(doubt), true) = (&doubt, hazards.is_empty()) {
            hazards.push(HazardView {
                pointer: String::new(),
                code: "args-ambiguous".to_owned(),
                message: doubt.clone(),
            });
        }
        RequestView {
            key: self.first_key + index,
            id: scoped_id(index, card),
            request: ask.map(|ask| ask.request.clone()),
            call: card.call.id.clone(),
            tool: card.call.tool.clone(),
            args_text: card.call.args.shared(),
            args_digest: card.digest().clone(),
            inspectable: doubt.is_none(),
            changed: card.changed,
            server: card.call.server.clone(),
            agent: card.call.agent.to_vec(),
            status: card.status,
            offers: self.offers(card, doubt.is_some()),
            title: ask.and_then(|ask| ask.title.clone()),
            description: ask.and_then(|ask| ask.description.clone()),
            hint: ask.and_then(|ask| ask.hint.clone()),
            decision: card.taken.as_ref().map(|taken| DecisionFields::from(&taken.decision)),
            reason: card.reason.clone(),
            automatic: card.automatic,
            rule: card.rule.clone(),
            questions: ask.and_then(|ask| match &ask.subject {
                Subject::Questions(questions) => Some(questions.clone()),
                Subject::Call => None,
            }),
            result_text: card.result.clone(),
            error: card.error.clone(),
            batch: self.batch(card),
            expires_at: ask.and_then(|ask| ask.expires_at).filter(|_| !card.status.is_settled()),
            sends_at: card.sends_at,
            hazards,
            outbound: self.sending(card).map(|sending| OutboundView {
                id: sending.outbound.id.clone(),
                state: sending.state,
                error: sending.error.clone(),
            }),
        }
    }

    /// The decisions that may be taken on this card now.
    fn offers(&self, card: &Card, doubtful: bool) -> Vec<Offer> {
        let Some(ask) = card.ask.as_ref().filter(|_| card.is_answerable()) else { return Vec::new() };
        let only = self.uniform_kind(ask);
        let may = |offer: &&Offer| {
            let safe = !doubtful || !(offer.kind.runs() || offer.kind == OfferKind::Answer);
            safe && card.leaves(offer.kind) && only.is_none_or(|only| only == offer.kind)
        };
        ask.offers.iter().filter(may).cloned().collect()
    }

    fn batch(&self, card: &Card) -> Option<BatchView> {
        let ask = card.ask.as_ref().filter(|ask| ask.rule.held)?;
        let members = self.by_batch.at(ask.group);
        let together = |other: &&Card| {
            other.status.is_open() || (other.outbound.is_some() && other.outbound == card.outbound)
        };
        if !together(&card) {
            return None;
        }
        let (mut size, mut decided) = (0, 0);
        for other in members.iter().filter_map(|index| self.card(*index)).filter(together) {
            size += 1;
            decided += usize::from(other.status != Status::Pending);
        }
        Some(BatchView { id: ask.batch.clone(), size, decided })
    }

    pub(super) fn record(&mut self, index: u32, event: AuditEvent<'_>) {
        let Some(card) = self.cards.get(index as usize) else { return };
        let Some(request) = card.request() else { return };
        let digest = card.digest().clone();
        let tool = card.call.tool.clone();
        self.audit.append(self.now, &request, &tool, &digest, event);
    }
}

fn scoped_id(index: u32, card: &Card) -> String {
    match (&card.ask, &card.call.id) {
        (Some(ask), _) => format!("{}/{}", card.scope, ask.request),
        (None, Some(call)) => format!("{}/call:{call}", card.scope),
        (None, None) => format!("{}/card:{index}", card.scope),
    }
}

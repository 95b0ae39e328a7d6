//! What the policy learns from people, for as long as the backend does not say that it took none of it.

use super::card::Card;
use super::{Inbox, Step};
use crate::call::{ArgsText, ToolCall};
use crate::decision::Decision;
use crate::ids::RequestRef;
use crate::policy::Proposal;
use crate::status::Status;

/// An approval of which the policy was told, and of which it may still turn out that it did not count.
#[derive(Debug)]
pub(super) struct Lesson {
    request: RequestRef,
    call: ToolCall,
    decision: Decision,
    /// Everything was rebuilt from history since, which may lag: that it waits there proves nothing.
    restored: bool,
}

impl Inbox {
    /// Tells the policy what a person decided, once that has reached the backend.
    pub(super) fn tell_policy(&mut self, index: u32) {
        let Some(mut policy) = self.options.policy.take() else { return };
        let counts = |card: &&Card, runs: bool| !card.automatic && may_count(card, runs);
        let card = self.card(index);
        let own = card.and_then(|card| Some((card, card.own_decision()?)));
        if let Some((card, decision)) = own.filter(|(card, own)| counts(card, own.kind().runs())) {
            self.proposal(card, |sent| policy.decided(sent, decision));
            let lesson = card.request().filter(|_| decision.kind().runs()).map(|request| Lesson {
                request: request.alone(),
                call: alone(&card.call),
                decision: decision.clone(),
                restored: false,
            });
            self.lessons.extend(lesson);
        }
        self.options.policy = Some(policy);
    }

    /// Tells the policy which approvals have turned out not to count, and drops what it has decided by them.
    pub(super) fn unlearn(&mut self, step: &mut Step) {
        if self.lessons.is_empty() || step.touched.is_empty() {
            return;
        }
        let Some(mut policy) = self.options.policy.take() else { return };
        let mut is_news = false;
        for lesson in std::mem::take(&mut self.lessons) {
            match self.index_of(&lesson.request).and_then(|index| self.card(index)) {
                Some(card) if !may_count(card, true) && (!lesson.restored || card.status.is_settled()) => {
                    self.proposal(card, |sent| {
                        policy.not_taken(&Proposal { call: &lesson.call, ..*sent }, &lesson.decision);
                    });
                    is_news = true;
                }
                // What ran stays so.
                Some(card) if card.has_outcome => {}
                _ => self.lessons.push(lesson),
            }
        }
        self.options.policy = Some(policy);
        if is_news {
            self.drop_ended(step);
        }
    }

    /// Keeps over a restore what the backend has not confirmed yet: history may show that it did not count.
    pub(super) fn keep_lessons(&mut self) {
        let mut lessons = std::mem::take(&mut self.lessons);
        lessons.retain_mut(|lesson| {
            lesson.restored = true;
            let card = self.index_of(&lesson.request).and_then(|index| self.card(index));
            !card.is_some_and(|card| card.answered || card.ruled || card.status == Status::Running)
        });
        self.lessons = lessons;
    }
}

/// Whether nothing says that our answer was not taken.
fn may_count(card: &Card, runs: bool) -> bool {
    match card.status {
        Status::Sent | Status::Approved | Status::Running | Status::Completed | Status::Failed => true,
        Status::Rejected | Status::Responded | Status::Cancelled => !runs,
        // It was taken, or came to an end that may have been that of a run.
        Status::Unknown => card.answered || card.ruled || (card.has_outcome && card.error.is_none()),
        _ => false,
    }
}

/// The same call, which keeps nothing of the message that it came in.
fn alone(call: &ToolCall) -> ToolCall {
    ToolCall {
        id: None,
        tool: (&*call.tool).into(),
        args: ArgsText::from(call.args.as_str()).rounded(call.args.is_rounded()),
        ..call.clone()
    }
}

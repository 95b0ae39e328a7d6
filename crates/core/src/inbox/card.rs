//! One card: everything the inbox knows of a call and of the request that gates it.

use std::cell::OnceCell;
use std::sync::Arc;

use countersign_json::{Document, HazardCode, Inspection, Limits, inspect_text, rounded_numbers, sha256_hex};

use crate::call::{Argument, ToolCall};
use crate::decision::Decision;
use crate::ids::{BatchId, Millis, OutboundId, RequestId, RequestRef, Scope};
use crate::observation::{Answer, Ask, Closed, End, Standing};
use crate::offer::{Offer, OfferKind};
use crate::request::{BatchRule, EditRule, Subject};
use crate::risk::{RiskOptions, RiskView, assess};
use crate::status::Status;
use crate::text::Text;

/// A call, and the request that gates it if there is one.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) scope: Scope,
    pub(super) call: ToolCall,
    pub(super) ask: Option<Asked>,
    /// Before it was asked about it was shown as a call of another tool.
    pub(super) retooled: bool,
    pub(super) status: Status,
    pub(super) taken: Option<Taken>,
    /// The backend has shown an answer; the first one counts.
    pub(super) answered: bool,
    /// The answer that made a conflict of it, and in which reading.
    pub(super) against: Option<Box<(u32, Answer)>>,
    /// The backend has shown whether it may run; the first word counts.
    pub(super) ruled: bool,
    /// The backend has shown an outcome; the first one counts.
    pub(super) has_outcome: bool,
    /// It is only that its run broke off: what the backend shows of the call itself counts in its place.
    pub(super) is_broken: bool,
    /// Only pieces of the call were seen.
    pub(super) is_piece: bool,
    /// The run that made this call is over.
    pub(super) end: Option<End>,
    pub(super) reason: Option<Arc<str>>,
    pub(super) result: Option<Text>,
    pub(super) error: Option<Arc<str>>,
    pub(super) automatic: bool,
    /// The rule that decided here, if one did, or that denies it where the wire has no form for that.
    pub(super) rule: Option<Arc<str>>,
    /// The policy has judged these arguments.
    pub(super) judged: bool,
    /// Why they are of high risk, as the policy judged them.
    pub(super) ruled_risk: Option<Arc<str>>,
    /// Somebody has decided here or taken a decision back, before a restore too: from now on only a person approves.
    pub(super) by_hand: bool,
    /// When it was found in history, or something was granted while this could not be answered yet: whoever granted
    /// something before has not seen it.
    pub(super) unseen_at: Option<Millis>,
    /// The arguments changed while a person could see them, or after the decision.
    pub(super) changed: bool,
    /// The request as it came again, with other arguments, while our answer was on its way. Shown once the card waits again.
    pub(super) newer: Option<Box<Ask>>,
    pub(super) outbound: Option<OutboundId>,
    /// The message of the last decision, which the backend did not take: it waits for another one.
    pub(super) refused_message: Option<OutboundId>,
    /// The decision did not arrive once: only a person's act sends it again.
    pub(super) send_failed: bool,
    /// It failed without a word from the backend that it was refused: it may have arrived all the same.
    pub(super) may_have_arrived: bool,
    /// The outcome was taken for the result of our answer, which had not been delivered yet.
    pub(super) reads_own: bool,
    /// The outcome may be that of another answer than ours.
    pub(super) is_unproven: bool,
    /// It had arrived, and the backend asked again all the same.
    pub(super) is_asked_still: bool,
    /// It was asked again once since its answer was delivered, and nothing else was said of it.
    pub(super) was_repeated: bool,
    /// What ended its waiting while our answer was on its way, which outweighs that.
    pub(super) closed: Option<Closed>,
    /// In what words the backend said that it knows nothing of it any more, which ended its waiting.
    pub(super) forgotten: Option<Arc<str>>,
    /// Only the clock here ended its waiting, or someone who may have come too late: the backend may know better.
    pub(super) timed_out: bool,
    /// The agent waits until a moment that the host named, and no longer so long as it said itself.
    pub(super) extended: bool,
    /// When a held decision goes out.
    pub(super) sends_at: Option<Millis>,
    /// When the decision was seen here.
    pub(super) decided_at: Option<Millis>,
    inspection: OnceCell<Inspection>,
    risk: OnceCell<RiskView>,
    digest: OnceCell<Arc<str>>,
}

/// The request that gates a call.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: RequestId,
    pub(super) argument: Argument,
    pub(super) subject: Subject,
    pub(super) offers: Vec<Offer>,
    /// The kinds of decision that the policy leaves; `None`: all that are offered.
    pub(super) limit: Option<Vec<OfferKind>>,
    pub(super) edits: EditRule,
    pub(super) schema: Option<Arc<str>>,
    pub(super) batch: BatchId,
    /// The place of the batch among all.
    pub(super) group: u32,
    pub(super) batch_rule: BatchRule,
    pub(super) standing: Standing,
    pub(super) doubt: Option<String>,
    pub(super) title: Option<Text>,
    pub(super) description: Option<Text>,
    pub(super) hint: Option<Text>,
    pub(super) asked_at: Millis,
    pub(super) expires_at: Option<Millis>,
}

/// A decision that was taken.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    pub(super) decision: Decision,
    /// It was taken here, not read from the wire.
    pub(super) here: bool,
}

/// What of a card the other members of its batch show.
#[derive(PartialEq)]
pub(super) struct Counts {
    open: bool,
    pending: bool,
    drafted: Option<OfferKind>,
    /// It is answered by some message.
    pub(super) outbound: bool,
}

impl Card {
    pub(super) fn new(scope: Scope, call: ToolCall) -> Card {
        Card {
            scope,
            call,
            ask: None,
            retooled: false,
            status: Status::Requested,
            taken: None,
            answered: false,
            against: None,
            ruled: false,
            has_outcome: false,
            is_broken: false,
            is_piece: false,
            end: None,
            reason: None,
            result: None,
            error: None,
            automatic: false,
            rule: None,
            judged: false,
            ruled_risk: None,
            by_hand: false,
            unseen_at: None,
            changed: false,
            newer: None,
            outbound: None,
            refused_message: None,
            send_failed: false,
            may_have_arrived: false,
            reads_own: false,
            is_unproven: false,
            is_asked_still: false,
            was_repeated: false,
            closed: None,
            forgotten: None,
            timed_out: false,
            extended: false,
            sends_at: None,
            decided_at: None,
            inspection: OnceCell::new(),
            risk: OnceCell::new(),
            digest: OnceCell::new(),
        }
    }

    /// What a decision on this card is addressed to.
    pub(super) fn request(&self) -> Option<RequestRef> {
        let ask = self.ask.as_ref()?;
        Some(RequestRef { scope: self.scope.clone(), id: ask.request.clone() })
    }

    /// The place of its batch among all.
    pub(super) fn group(&self) -> Option<u32> {
        self.ask.as_ref().map(|ask| ask.group)
    }

    /// Whether this message is the answer to it.
    pub(super) fn is_in(&self, message: &OutboundId) -> bool {
        self.outbound.as_ref() == Some(message)
    }

    /// Whether its decision waits for the moment at which it goes out.
    pub(super) fn is_held(&self) -> bool {
        self.sends_at.is_some()
    }

    /// Puts other arguments in place; everything derived from the old ones is forgotten.
    pub(super) fn replace_call(&mut self, call: ToolCall) {
        self.call = call;
        self.inspection = OnceCell::new();
        self.risk = OnceCell::new();
        self.digest = OnceCell::new();
        self.judged = false;
        self.ruled_risk = None;
    }

    /// Keeps what was decided here until it may be sent. Whoever decided, a person or a rule, knew the arguments.
    pub(super) fn draft(&mut self, decision: Decision, rule: Option<Arc<str>>, now: Millis) {
        self.decided_at = Some(now);
        self.reason = decision.reason();
        self.taken = Some(Taken { decision, here: true });
        self.rule = rule;
        self.changed = false;
        self.status = Status::Drafted;
    }

    /// A draft never left, so it is not what decided; one whose message failed may count all the same.
    pub(super) fn drop_draft_unless(&mut self, counts: bool) {
        if self.status == Status::Drafted && !counts {
            self.drop_draft();
        }
    }

    /// Whether the rest of the call may still come, also where its stream was taken for cut off.
    pub(super) fn may_arrive(&self) -> bool {
        let is_open = matches!(self.status, Status::Streaming | Status::Superseded);
        self.is_piece && is_open && self.forgotten.is_none()
    }

    /// Forgets the draft, which is then as if it had never been taken.
    pub(super) fn drop_draft(&mut self) {
        self.by_hand |= self.taken.is_some();
        self.automatic = false;
        self.rule = None;
        self.taken = None;
        self.decided_at = None;
        self.reason = None;
        self.outbound = None;
        self.refused_message = None;
        self.send_failed = false;
        self.may_have_arrived = false;
        self.is_asked_still = false;
        self.closed = None;
        self.sends_at = None;
    }

    /// Moves its moments along with a clock that was set back by so much. `false`: there are none for which it waits.
    pub(super) fn set_back(&mut self, by: Millis) -> bool {
        let back = |moment: Millis| Millis(moment.0.saturating_sub(by.0));
        let is_held = self.sends_at.is_some();
        if is_held {
            self.sends_at = self.sends_at.map(back);
            self.decided_at = self.decided_at.map(back);
        }
        let Some(ask) = self.ask.as_mut().filter(|ask| ask.expires_at.is_some()) else { return is_held };
        ask.asked_at = back(ask.asked_at);
        if !self.extended {
            ask.expires_at = ask.expires_at.map(back);
        }
        true
    }

    /// The decision that was taken here and not read from the wire.
    pub(super) fn own_decision(&self) -> Option<&Decision> {
        self.taken.as_ref().filter(|taken| taken.here).map(|taken| &taken.decision)
    }

    /// The SHA-256 of the argument text, in hexadecimal.
    pub(super) fn digest(&self) -> &Arc<str> {
        self.digest.get_or_init(|| Arc::from(sha256_hex(self.call.args.as_str())))
    }

    /// Whether the policy leaves this kind of decision to a person.
    pub(super) fn permits(&self, kind: OfferKind) -> bool {
        let limit = self.ask.as_ref().and_then(|ask| ask.limit.as_ref());
        limit.is_none_or(|kinds| kinds.contains(&kind))
    }

    /// What a reader must know about the arguments.
    pub(super) fn inspection(&self, limits: &Limits) -> &Inspection {
        self.inspection.get_or_init(|| {
            let mut inspection = inspect_text(self.call.args.as_str(), limits);
            if self.ask.as_ref().is_some_and(|ask| ask.argument != Argument::Object) {
                inspection.hazards.retain(|hazard| hazard.code != HazardCode::NotAnObject);
            }
            if self.call.args.is_rounded()
                && let Ok(document) = Document::parse(self.call.args.as_str(), limits)
            {
                inspection.hazards.append(&mut rounded_numbers(document.root()));
            }
            inspection
        })
    }

    /// How much care the call needs, whatever the policy says of it.
    pub(super) fn risk(&self, options: &RiskOptions, limits: &Limits) -> &RiskView {
        self.risk.get_or_init(|| assess(&self.call, options, limits))
    }

    /// Why the arguments cannot be read without doubt, if so.
    pub(super) fn doubt(&self, limits: &Limits) -> Option<String> {
        if let Some(doubt) = self.ask.as_ref().and_then(|ask| ask.doubt.clone()) {
            return Some(doubt);
        }
        let inspection = self.inspection(limits);
        inspection.hazards.iter().find(|hazard| hazard.code.blocks()).map(|hazard| {
            match hazard.pointer.as_str() {
                "" => hazard.message.clone(),
                pointer => format!("{} at `{pointer}`", hazard.message),
            }
        })
    }

    /// Whether a decision could be taken now, whatever its kind.
    pub(super) fn is_answerable(&self) -> bool {
        self.status == Status::Pending && self.ask.as_ref().is_some_and(|ask| ask.standing == Standing::Open)
    }

    /// Whether somebody has decided here, or something has left: should it wait once more, a person is asked.
    pub(super) fn is_dealt_with(&self, is_queued: bool) -> bool {
        // What a rule alone has drafted can be judged anew.
        let is_unsent = is_queued || (self.status == Status::Drafted && !self.send_failed);
        let is_own_draft = self.automatic && is_unsent;
        self.by_hand || self.changed || (self.decided_at.is_some() && !is_own_draft)
    }

    /// Whether it counts as decided for no other reason than that its message was on its way.
    pub(super) fn rests_on_own_word(&self) -> bool {
        matches!(self.status, Status::Approved | Status::Rejected | Status::Responded)
            && !(self.is_told() || self.end.is_some())
            && self.own_decision().is_some()
    }

    /// Whether nothing but our own answer speaks for it that the backend waits no more.
    pub(super) fn seems_answered(&self) -> bool {
        let is_over = self.end.is_some_and(|end| end != End::Unknown);
        let decided = [Status::Sent, Status::Approved, Status::Rejected, Status::Responded];
        decided.contains(&self.status) && !self.is_told() && !is_over && self.own_decision().is_some()
    }

    /// Whether it is settled for no other reason than that it was missing where all stood that waits.
    pub(super) fn is_missing(&self) -> bool {
        (self.status, self.end) == (Status::Unknown, Some(End::Unknown)) && self.lacks_word()
    }

    /// Whether it is settled for no other reason than that the backend knew nothing of it.
    pub(super) fn is_forgotten(&self) -> bool {
        self.status == Status::Superseded && self.forgotten.is_some() && self.lacks_word()
    }

    /// Whether the backend has told of an answer to it, or of what became of it.
    pub(super) fn is_told(&self) -> bool {
        self.answered || self.ruled || self.has_outcome
    }

    /// Whether nobody has said anything of it that counts.
    pub(super) fn lacks_word(&self) -> bool {
        !self.is_told() && self.taken.is_none()
    }

    /// Whether our answer had arrived when somebody last said so, also if the backend asked again since.
    pub(super) fn was_delivered(&self) -> bool {
        self.status == Status::Sent || (self.status == Status::Drafted && self.is_asked_still)
    }

    /// What of it the other members of its batch show.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            open: self.status.is_open(),
            pending: self.status == Status::Pending,
            drafted: self.drafted_kind(),
            outbound: self.outbound.is_some(),
        }
    }

    /// The kind that was drafted, if a draft is held.
    pub(super) fn drafted_kind(&self) -> Option<OfferKind> {
        (self.status == Status::Drafted).then(|| self.taken.as_ref().map(|taken| taken.decision.kind()))?
    }
}

impl Asked {
    pub(super) fn new(
        ask: Box<Ask>,
        group: u32,
        asked_at: Millis,
        expires_at: Option<Millis>,
    ) -> (Asked, ToolCall) {
        let asked = Asked {
            request: ask.request.id,
            argument: ask.argument,
            subject: ask.subject,
            offers: ask.offers,
            limit: None,
            edits: ask.edits,
            schema: ask.schema,
            batch: ask.batch,
            group,
            batch_rule: ask.batch_rule,
            standing: ask.standing,
            doubt: ask.doubt,
            title: ask.title,
            description: ask.description,
            hint: ask.hint,
            asked_at,
            expires_at,
        };
        (asked, ask.call)
    }
}

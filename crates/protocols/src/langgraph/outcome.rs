//! What a tool message means for a request.

use std::sync::Arc;

use countersign_core::{Answer, Contradiction, Observation, Outcome, OutcomeKind, Source, Text};
use countersign_json::{Document, Limits, Value};

use super::form::{Dialect, EDIT, RESPOND, UNSAID, text};
use super::memory::{RequestAt, Rewritten};
use super::namespace::{Namespace, Told};
use super::read::{Reader, each};
use super::walk::How;

const REJECTION: &str = "User rejected the tool call for `";
const NOTICE: &str = "Note: a human reviewer replaced this tool call before it ran.";

/// With what LangChain for JavaScript ends what it says of a tool that failed.
const FAILURES: [&str; 2] = ["\n Please fix your mistakes.", "\n Please fix the error and try again."];

/// What deepagents writes in the place of the outcome of a call that has none, behind its id.
///
/// Source: deepagents 1.14.1 (JavaScript) and 0.5.3 (Python), then 0.7.32 (Python).
const STAND_INS: [&str; 2] = [
    " was cancelled - another message came in before it could be completed.",
    " did not complete - no result was recorded. It may have been cancelled or interrupted.",
];

/// A tool message.
pub(super) struct Said<'v> {
    pub(super) content: Option<Value<'v>>,
    /// The content, if it is text.
    pub(super) text: Option<&'v str>,
    pub(super) told: Told,
    /// The middleware that asked wrote it, not the tool.
    pub(super) is_fresh: bool,
    /// It was written before any tool could run, so an error in it is a refusal.
    pub(super) is_before_tools: bool,
    /// The middleware's node itself reports it, so a success in it is somebody's words.
    pub(super) is_of_node: bool,
    /// Whether it came of the answer from here, as far as that is known without its words.
    pub(super) proof: Proof,
}

/// Whether an outcome came of the answer from here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// It did, or there is none.
    Ours,
    /// Nothing shows it.
    Missing,
    /// It was there before.
    Before,
}

/// Whether a text tells the model that a person rejected a call.
pub(super) fn is_rejection(text: Value<'_>) -> bool {
    text.starts_with(REJECTION)
}

/// Whether a text only stands in the place of the outcome of this call: it was left behind, and did not run.
pub(super) fn is_stand_in(text: Value<'_>, call: &str) -> bool {
    if !text.starts_with("Tool call ") {
        return false;
    }
    let text = text.as_str_lossy().unwrap_or_default();
    let head = STAND_INS.iter().find_map(|end| text.strip_suffix(end));
    head.is_some_and(|head| head.ends_with(call))
}

/// Whether what a call has left tells the model first that a person edited it.
pub(super) fn is_notice(content: Value<'_>) -> bool {
    head(content).starts_with(NOTICE)
}

/// What a content begins with.
fn head(content: Value<'_>) -> Value<'_> {
    let first = each(content).next().unwrap_or(content);
    first.get("text").unwrap_or(first)
}

/// What the notice of an edit says that ran: the tool's name and its arguments, which stand on one line.
///
/// Its first sentences are an application's own, if it has given the middleware others.
fn executed(notice: &str) -> Option<(&str, &str)> {
    let (_, rest) = notice.split_once("Executed instead: ")?;
    let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let is_whole = rest.is_empty() || rest.starts_with("\nTool response:") || notice.starts_with(NOTICE);
    line.strip_suffix('.').filter(|_| is_whole)?.split_once(" with arguments ")
}

/// What a text says of the rejection of this tool's call: whether, and why.
fn rejection<'t>(text: &'t str, tool: &str) -> (bool, Option<&'t str>) {
    let rest = text.strip_prefix(REJECTION).and_then(|rest| rest.strip_prefix(tool)?.strip_prefix('`'));
    let reason = rest.and_then(|rest| rest.strip_prefix(" with reason: "));
    (reason.is_some() || rest.is_some_and(|rest| rest.starts_with(" with id ")), reason)
}

/// What an outcome is read by, beside its message.
struct By {
    dialect: Dialect,
    /// The kinds of decision that are allowed, a bit for each.
    allowed: u32,
    /// Whoever wrote it into the state may have run the tool, or not.
    is_by_hand: bool,
    /// Its text is that of a rejection of this tool.
    is_rejected: bool,
    /// The middleware's own words are known by where they stand.
    tells_writer: bool,
    /// It may be the reason of a rejection by somebody else.
    may_be_words: bool,
    /// The tool ran, if nobody said no.
    surely_ran: bool,
    /// Whether it came of the answer from here.
    proof: Proof,
}

/// Whether a middleware asks so that decides before any tool runs.
fn is_of_middleware(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Python | Dialect::JavaScript)
}

/// What a tool message is: an outcome, a refusal or somebody's words.
fn kind(said: &Said<'_>, by: &By) -> (OutcomeKind, Contradiction) {
    let (conflict, is_error) = (Contradiction::Conflict, said.told.is_error);
    let by_middleware = is_of_middleware(by.dialect);
    match by.dialect {
        Dialect::Free | Dialect::Human if by.proof == Proof::Before => (OutcomeKind::Unknown, conflict),
        Dialect::Free | Dialect::Human => (OutcomeKind::Returned, Contradiction::DecisionStands),
        _ if by.is_by_hand && !is_error => (OutcomeKind::Returned, conflict),
        _ if by_middleware && (said.is_fresh || said.is_before_tools) && is_error => {
            (OutcomeKind::Rejected, conflict)
        }
        _ if by_middleware && said.is_fresh => (OutcomeKind::Responded, conflict),
        Dialect::Python if said.is_of_node && !is_error && by.allowed & RESPOND != 0 => {
            (OutcomeKind::Words, conflict)
        }
        _ if is_error && by.is_rejected && !(by_middleware && by.tells_writer) => {
            (OutcomeKind::Rejected, conflict)
        }
        // The JavaScript middleware writes a reason as it is: another client's looks like what a tool says of its failure.
        Dialect::JavaScript if by.may_be_words && !by.is_rejected => (OutcomeKind::Returned, conflict),
        // Words that nobody here has sent, where a middleware writes others of a refusal, are a tool's.
        _ if is_error && !by.is_rejected => (OutcomeKind::Failed, conflict),
        _ if is_error => (OutcomeKind::Failed, Contradiction::DecisionStands),
        _ if by.surely_ran || by.allowed & (RESPOND | UNSAID) == 0 => (OutcomeKind::Completed, conflict),
        _ => (OutcomeKind::Returned, conflict),
    }
}

impl Namespace {
    /// Keeps the content of a tool message for a request that comes late: it finds no call of an earlier message.
    pub(super) fn keep(&mut self, source: &Source, number: u32, content: Option<Value<'_>>) {
        let call = self.calls.get_mut(number).filter(|call| call.message == self.made);
        let Some((call, content)) = call.zip(content) else { return };
        let said = (number, source.cut(content.text()));
        match self.said.get_mut(call.said).filter(|(known, _)| *known == number) {
            Some(before) => *before = said,
            None => call.said = self.said.push(said),
        }
    }

    /// The content of the tool message about a call, if it was kept.
    pub(super) fn said(&self, call: u32) -> Option<&Text> {
        let said = self.said.get(self.call_at(call).said);
        said.filter(|(known, _)| *known == call).map(|(_, content)| content)
    }
}

impl Reader<'_> {
    /// A request has its outcome.
    pub(super) fn settle(&mut self, at: RequestAt, said: &Said<'_>) {
        let Some((request, asker)) = self.thread.request(at).zip(self.thread.asker(at)) else { return };
        let dialect = asker.dialect;
        if dialect == Dialect::Free {
            return;
        }
        // In history the next state tells what the middleware itself has written and edited; a tool may use any words.
        let tells_writer = self.is_history && !asker.is_cut_off;
        let tells_edits = dialect == Dialect::PerCall || (dialect == Dialect::Python && !tells_writer);
        let notice = said.content.filter(|_| tells_edits && request.allowed & (EDIT | UNSAID) != 0);
        let is_noticed = notice.is_some_and(|content| self.noticed(at, content));
        let is_edited = self.take_rewritten(at) || is_noticed;
        let Some(request) = self.thread.request(at) else { return };
        let ran = said.told.ran || is_edited;
        let (is_rejected, reason) =
            said.text.map_or((said.told.is_rejection, None), |text| rejection(text, &request.tool));
        let is_past_middleware = self.is_past_middleware(at);
        let tells_of_failure = |text: &str| FAILURES.iter().any(|end| text.ends_with(end));
        let may_be_words = said.told.is_error
            && !(ran || tells_writer || is_past_middleware || said.text.is_none_or(tells_of_failure))
            && !self.thread.is_answered(at);
        let surely_ran = ran || (is_of_middleware(dialect) && (tells_writer || is_past_middleware));
        let by = By {
            dialect,
            allowed: request.allowed,
            is_by_hand: self.is_by_hand,
            is_rejected,
            tells_writer,
            may_be_words,
            surely_ran,
            proof: if is_edited { Proof::Ours } else { said.proof },
        };
        let outcome = self.outcome(said, &by, reason);
        self.observe(at, |target| Observation::Outcome { target, outcome: Box::new(outcome) });
        self.end(at);
    }

    /// An outcome in the words of the core; `reason` is what its text gives for a rejection.
    fn outcome(&self, said: &Said<'_>, by: &By, reason: Option<&str>) -> Outcome {
        let (kind, contradiction) = kind(said, by);
        let is_fresh_no = kind == OutcomeKind::Rejected && (said.is_fresh || said.is_before_tools);
        let own_words = said.text.filter(|_| is_fresh_no && is_of_middleware(by.dialect) && !by.is_rejected);
        let words = matches!(kind, OutcomeKind::Rejected | OutcomeKind::Responded);
        let is_said = said.told.is_error && !words && !(by.may_be_words && kind == OutcomeKind::Returned);
        let error = said.text.map(Arc::from).or_else(|| said.content.map(text)).filter(|_| is_said);
        let result = said.content.filter(|_| !words && kind != OutcomeKind::Failed);
        Outcome {
            kind,
            result: result.map(|content| self.source.cut(content.text())),
            error,
            reason: reason.or(own_words).filter(|reason| !reason.is_empty()).map(Arc::from),
            contradiction,
            is_unproven: by.proof != Proof::Ours,
        }
    }

    /// Whether this came of the answer from here, for all that is known beside its words.
    ///
    /// Those tell of an edit, but where the application has the middleware write no notice.
    pub(super) fn proof(&self, at: RequestAt, how: How) -> Proof {
        let Some((owner, asker)) = self.thread.owner(at).zip(self.thread.asker(at)) else {
            return Proof::Ours;
        };
        let mut answers = self.thread.answered.iter();
        let Some(answer) = answers.find(|answer| answer.interrupt == owner) else { return Proof::Ours };
        let run = self.thread.run;
        match asker.dialect {
            Dialect::Free | Dialect::Human if how.is_first && answer.run + 1 == run => Proof::Before,
            Dialect::Free | Dialect::Human if !answer.is_lost => Proof::Ours,
            Dialect::Free | Dialect::Human => Proof::Missing,
            // The run that tells it as it comes is the first since the answer left that does not ask again. In a later one another
            // middleware may have asked, which loses the edits of this one.
            _ if how.is_live
                && answer.may_have_arrived
                && !answer.is_lost
                && answer.run.max(asker.when.event_run) + 1 == run =>
            {
                Proof::Ours
            }
            _ => Proof::Missing,
        }
    }

    /// Takes in what was written into the message in the place of the call, which may be another client's edit. Whether the call
    /// ran with other arguments.
    pub(super) fn take_rewritten(&mut self, at: RequestAt) -> bool {
        match self.thread.request_mut(at).and_then(|request| request.rewritten.take()) {
            Some(Rewritten::Args(args)) => {
                self.edited(at, args);
                return true;
            }
            Some(Rewritten::Tool) => self.ran_another_tool(at),
            None => {}
        }
        false
    }

    /// Whether no middleware speaks any more. What it says in the place of a tool stands in what its own task has left; that of a
    /// sub-agent has no task in the state, but for the tool's.
    fn is_past_middleware(&self, at: RequestAt) -> bool {
        self.thread.asker(at).is_some_and(|known| {
            let is_here = self.thread.namespace(known.namespace).is_some_and(|home| home.name.is_empty());
            known.has_result && is_here && !known.is_inner
        })
    }

    /// Takes in what ran in the place of the call, if a notice says so; whether it does.
    fn noticed(&mut self, at: RequestAt, content: Value<'_>) -> bool {
        let text = head(content).as_str_lossy();
        let Some((tool, args)) = text.as_deref().and_then(executed) else { return false };
        let args = Document::parse(args, &Limits::default()).ok();
        let Some(args) = args.filter(|args| args.root().is_object()) else { return false };
        if self.thread.request(at).is_some_and(|request| *request.tool == *tool) {
            self.edited(at, Text::from(args.root().text()));
        } else {
            self.ran_another_tool(at);
        }
        true
    }

    /// Another tool ran in the place of the one that was asked about: no edit from here names one.
    fn ran_another_tool(&mut self, at: RequestAt) {
        if self.thread.is_answered(at) {
            let answer = Answer { decision: None, automatic: false };
            self.observe(at, |target| Observation::Answered { target, answer });
        }
    }
}

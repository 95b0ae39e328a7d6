//! A scripted adapter and a small notation, so that a hundred tests survive a change of the API.
//!
//! A script is a list of lines:
//!
//! | line | meaning |
//! |---|---|
//! | `in <message>` | the message arrives live |
//! | `history <message>; <message>…` | everything is rebuilt from these messages |
//! | `user <act> <request> [<words>] [seen=<digest>] [tool=<tool>] [! <code>]` | a person acts, and says what was on screen; `!`: and is refused with this code |
//! | `all <act> <request>…` | a person decides several at once |
//! | `out <body>` | the next message that became due has this body |
//! | `out nothing` | nothing became due |
//! | `sent`, `lost [<status>]` | the host reports the fate of everything on its way |
//! | `at <millis>` | the clock moves there |
//! | `is <request> <status> [<offers>]` | where the request stands; offers joined by commas, `-` for none |
//!
//! Messages: `call <call> <tool> <args>`, `ask <request> <tool> [<option>…] <args>` with the options `batch=`, `call=`,
//! `timeout=`, `offers=`, `schema=` (`(<'` for `{["`, no spaces), `held`, `uniform`, `merge`, `floats`, `announced`,
//! `blocked`, `required`, `shown`, `any`, `positional`, `doubtful`; `open`, `withdraw`, `block`, `run` with a request; `start <request> [<args>]`; `precede <request> <request>`; `doubt <request> <why>`;
//! `refused <request> <how> [<act>]`; `answer <request> <act> [<words>]`; `ruled <request> <act>`; `outcome <request> <kind> [<result>]`, and so
//! `clash`, which someone else may have caused, and `echo`, which means what was decided here; `accepted <request> [<error>]`; `close <request> <how>`;
//! `end <request> <how>`, where `call:<call>` stands for a request too; `forgotten <scope> <why>`, with `*` for all scopes; `busy`, until `idle` nothing may leave. A body lists its decisions, joined by commas.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::adapter::{Adapter, Due, Failure, Incoming, Memory, Reading, Stamp};
use crate::call::{ArgsText, Argument, ToolCall};
use crate::decision::{Decision, DecisionFields, GrantScope, Shown};
use crate::error::{Problem, ProblemCode, Refusal};
use crate::ids::{BatchId, CallId, Millis, OutboundId, RequestId, RequestRef, Scope};
use crate::inbox::{Inbox, Input};
use crate::observation::{
    Answer, Ask, Called, Closed, Contradiction, End, Observation, Outcome, OutcomeKind, Standing, Target,
};
use crate::offer::{Offer, OfferKind, Words};
use crate::options::InboxOptions;
use crate::outbound::{Outbound, Written};
use crate::request::{BatchRule, EditRule, Question, Subject};
use crate::status::Status;
use crate::text::Text;

/// The scope of every scripted request.
const SCOPE: &str = "s";

/// Speaks the notation of this module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scripted;

/// The reference to a scripted request.
#[must_use]
pub fn request(id: &str) -> RequestRef {
    RequestRef { scope: Scope::from(SCOPE), id: RequestId::from(id) }
}

/// An inbox that speaks the notation.
#[must_use]
pub fn inbox(options: InboxOptions) -> Inbox {
    Inbox::new(Box::new(Scripted), options)
}

impl Adapter for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn memory(&self) -> Memory {
        Memory::new(false)
    }

    fn may_leave(&self, memory: &Memory, _outbound: &Outbound) -> bool {
        memory.of::<bool>() != Some(&true)
    }

    fn read(&self, memory: &mut Memory, incoming: &Incoming<'_>) -> Reading {
        let mut reading = Reading::default();
        // As every adapter reads it.
        if incoming.text.starts_with(r#"{"forgotten":"#) {
            let why = Arc::from(incoming.text);
            reading.observations.push(Observation::Forgotten { scope: None, why });
            return reading;
        }
        for message in incoming.text.split(';').map(str::trim).filter(|message| !message.is_empty()) {
            if let ("busy" | "idle", Some(is_busy)) = (message, memory.of_mut::<bool>()) {
                *is_busy = message == "busy";
                continue;
            }
            match observation(message) {
                Some(mut observation) => {
                    if let Observation::Asked(ask) = &mut observation {
                        ask.call.args = ask.call.args.clone().rounded(incoming.rounded);
                        let cut = |id: &str| {
                            let from = message.find(id).and_then(|at| message.get(at..));
                            incoming.source.cut(from.and_then(|from| from.get(..id.len())).unwrap_or(id))
                        };
                        ask.request.id = cut(ask.request.id.as_str()).into();
                        ask.batch = cut(ask.batch.as_str()).into();
                        ask.call.id = ask.call.id.take().map(|id| cut(id.as_str()).into());
                    }
                    reading.observations.push(observation);
                }
                None => {
                    let sentence = format!("`{message}` is not in the notation");
                    reading.problems.push(Problem::new(ProblemCode::MessageUnrecognised, sentence));
                    continue;
                }
            }
            reading.hidden.push(false);
        }
        reading
    }

    fn write(&self, _memory: &Memory, due: &[Due], _stamp: &Stamp) -> Result<Vec<Written>, String> {
        let written = |due: &Due| Written {
            requests: due.entries.iter().map(|entry| entry.request.clone()).collect(),
            body: due
                .entries
                .iter()
                .map(|entry| spell(&entry.request, &entry.decision))
                .collect::<Vec<_>>()
                .join(", "),
            transport: "{}".to_owned(),
        };
        Ok(due.iter().map(written).collect())
    }
}

fn spell(request: &RequestRef, decision: &Decision) -> String {
    let words = match decision {
        Decision::Reject { reason: Some(words), .. } | Decision::Respond { text: words } => {
            format!(" {words}")
        }
        Decision::Edit { args, .. } => format!(" {}", args.as_str()),
        Decision::Answer { answers } => format!(" {}", answers.concat().join("|")),
        _ => String::new(),
    };
    format!("{} {}{words}", decision.kind().as_str(), request.id)
}

fn decision(act: &str, words: &str) -> Option<Decision> {
    let words = words.trim();
    Some(match act {
        "approve_always" => Decision::Approve { scope: GrantScope::Tool },
        "answer" => {
            let list =
                |part: &str| part.split('|').filter(|text| !text.is_empty()).map(str::to_owned).collect();
            let answers = words.split('/').map(list).collect();
            Decision::Answer { answers }
        }
        act => {
            let some = Some(words.to_owned());
            let fields = DecisionFields {
                kind: act.to_owned(),
                args: some.clone().filter(|_| act == "edit"),
                reason: some.clone(),
                text: some,
                ..DecisionFields::default()
            };
            Decision::try_from(fields).ok()?
        }
    })
}

fn observation(message: &str) -> Option<Observation> {
    let (verb, rest) = message.split_once(' ')?;
    let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let target = match id.strip_prefix("call:") {
        Some(call) => Target::Call(Scope::from(SCOPE), CallId::from(call)),
        None => Target::Request(request(id)),
    };
    Some(match verb {
        "call" => {
            let (tool, args) = rest.split_once(' ').unwrap_or((rest, "{}"));
            let call = tool_call(Some(id), tool, args);
            Observation::Called(Box::new(Called { scope: Scope::from(SCOPE), call, streaming: false }))
        }
        "ask" => Observation::Asked(Box::new(ask(id, rest)?)),
        "open" => Observation::Stands { target, standing: Standing::Open },
        "block" => Observation::Stands { target, standing: Standing::Blocked },
        "withdraw" => Observation::Stands { target, standing: Standing::Announced },
        "run" => Observation::Running { target },
        "start" => {
            let args = (!rest.is_empty()).then(|| ArgsText::from(rest));
            Observation::Started { target, args }
        }
        "precede" => Observation::Precedes { target, before: Target::Request(request(rest)) },
        "doubt" => Observation::Doubted { target, doubt: rest.to_owned() },
        "answer" => {
            let (act, words) = rest.split_once(' ').unwrap_or((rest, ""));
            Observation::Answered {
                target,
                answer: Answer { decision: decision(act, words), automatic: false },
            }
        }
        "ruled" => {
            let (act, words) = rest.split_once(' ').unwrap_or((rest, ""));
            let decision = decision(act, words);
            let runs = decision.as_ref().map_or(act == "runs", |decision| decision.kind().runs());
            Observation::Ruled { target, runs, decision }
        }
        "refused" => {
            let (failure, decided) = rest.split_once(' ').unwrap_or((rest, ""));
            let failure = match (failure, decision(decided, "")) {
                ("conflict", Some(decision)) => Failure::Decided(decision.kind()),
                ("conflict", None) => Failure::Conflict,
                ("reopened", _) => Failure::Reopened,
                ("expired", _) => Failure::Expired,
                ("unknown", _) => Failure::Unknown,
                _ => Failure::Kept,
            };
            Observation::Refused { target, failure, why: None }
        }
        "accepted" => Observation::Accepted { target, error: (!rest.is_empty()).then(|| Arc::from(rest)) },
        "outcome" | "clash" | "echo" => {
            let (kind, result) = rest.split_once(' ').unwrap_or((rest, "null"));
            let kind = match kind {
                "completed" => OutcomeKind::Completed,
                "failed" => OutcomeKind::Failed,
                "rejected" => OutcomeKind::Rejected,
                "responded" => OutcomeKind::Responded,
                "returned" => OutcomeKind::Returned,
                "words" => OutcomeKind::Words,
                _ => OutcomeKind::Unknown,
            };
            let outcome = Outcome {
                kind,
                result: Some(Text::from(result)),
                error: (verb == "echo" && kind == OutcomeKind::Failed).then(|| Arc::from(result)),
                reason: None,
                contradiction: match verb {
                    "clash" => Contradiction::Conflict,
                    "echo" => Contradiction::DecisionStands,
                    _ => Contradiction::OutcomeStands,
                },
                is_unproven: false,
            };
            Observation::Outcome { target, outcome: Box::new(outcome) }
        }
        "close" => {
            let closed = match rest {
                "expired" => Closed::Expired,
                "superseded" => Closed::Superseded,
                "cancelled" => Closed::Cancelled,
                _ => Closed::Unknown,
            };
            Observation::Closed { target, closed }
        }
        "end" => {
            let end = match rest {
                "failed" => End::Failed,
                "cancelled" => End::Cancelled,
                "unknown" => End::Unknown,
                _ => End::Completed,
            };
            Observation::Ended { target, end }
        }
        "forgotten" => {
            let scope = (id != "*").then(|| Scope::from(id));
            Observation::Forgotten { scope, why: Arc::from(rest) }
        }
        _ => return None,
    })
}

fn tool_call(id: Option<&str>, tool: &str, args: &str) -> ToolCall {
    ToolCall { id: id.map(CallId::from), ..ToolCall::new(tool, args) }
}

fn ask(id: &str, rest: &str) -> Option<Ask> {
    let at = rest.find(['{', '[', '"', '!'])?;
    let (head, args) = (rest.get(..at)?, rest.get(at..)?);
    let mut words = head.split_whitespace();
    let tool = words.next()?;
    let options: BTreeMap<&str, &str> =
        words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
    let has = |name: &str| options.contains_key(name);
    let kind = |name: &str| match name {
        "approve" => Offer::new(OfferKind::Approve),
        "approve_always" => Offer::new(OfferKind::ApproveAlways),
        "approve:once" => Offer { id: Some(Arc::from("once")), ..Offer::new(OfferKind::Approve) },
        "edit" => Offer::new(OfferKind::Edit),
        "respond" => Offer::new(OfferKind::Respond).words(Words::Sent),
        "ignore" => Offer::new(OfferKind::Ignore),
        "answer" => Offer::new(OfferKind::Answer),
        "cancel" => Offer::new(OfferKind::Cancel),
        _ => Offer::new(OfferKind::Reject).words(if has("required") { Words::Required } else { Words::Sent }),
    };
    let question = Question { question: "?".to_owned(), choices: Vec::new(), multiple: true };
    let asks = options.get("offers").is_some_and(|offers| offers.contains("answer"));
    let call = ToolCall {
        positional: has("positional"),
        ..tool_call(options.get("call").copied(), tool, args.trim_start_matches('!'))
    };
    Some(Ask {
        request: request(id),
        call,
        batch: BatchId::from(*options.get("batch").unwrap_or(&id)),
        argument: match (has("shown"), has("any")) {
            (true, _) => Argument::Shown,
            (_, true) => Argument::Any,
            _ => Argument::Object,
        },
        subject: if asks { Subject::Questions(Arc::from(vec![question])) } else { Subject::Call },
        offers: options.get("offers").unwrap_or(&"approve,edit,reject").split(',').map(kind).collect(),
        edits: EditRule {
            floats: has("floats"),
            ..if has("merge") { EditRule::MERGE } else { EditRule::REPLACE }
        },
        schema: options.get("schema").map(|schema| Arc::from(plain(schema))),
        batch_rule: BatchRule { held: has("held"), uniform: has("uniform"), rejects_all: has("rejects-all") },
        standing: match (has("announced"), has("blocked")) {
            (true, _) => Standing::Announced,
            (_, true) => Standing::Blocked,
            _ => Standing::Open,
        },
        doubt: has("doubtful").then(|| "it looks odd".to_owned()),
        timeout: options.get("timeout").and_then(|millis| millis.parse().ok()).map(Millis),
        title: None,
        description: None,
        hint: None,
    })
}

/// Words, and what stands behind a name after them.
fn named<'a>(words: &'a str, name: &str) -> (&'a str, Option<Arc<str>>) {
    words.split_once(name).map_or((words, None), |(words, value)| (words.trim_end(), Some(Arc::from(value))))
}

/// A text in which no character stands that begins the arguments of a request.
fn plain(spelt: &str) -> String {
    let pairs = [('(', '{'), (')', '}'), ('<', '['), ('>', ']'), ('\'', '"')];
    let plain = |spelt| pairs.iter().find(|(from, _)| *from == spelt).map_or(spelt, |(_, to)| *to);
    spelt.chars().map(plain).collect()
}

/// Runs a script.
///
/// # Errors
/// The first line that does not come true, and what happened instead.
pub fn run(script: &str) -> Result<Inbox, String> {
    run_with(InboxOptions::default(), script)
}

/// Runs a script on an inbox with these options.
///
/// # Errors
/// The first line that does not come true, and what happened instead.
pub fn run_with(options: InboxOptions, script: &str) -> Result<Inbox, String> {
    let mut play = Play { inbox: inbox(options), now: Millis(0), due: Vec::new(), open: Vec::new() };
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        play.line(line).map_err(|error| format!("`{line}`: {error}"))?;
    }
    match play.due.first() {
        Some(body) => Err(format!("`{body}` was sent and no line expected it")),
        None => Ok(play.inbox),
    }
}

struct Play {
    inbox: Inbox,
    now: Millis,
    due: Vec<String>,
    open: Vec<OutboundId>,
}

impl Play {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match verb {
            "in" => self.handle(Input::Receive { text: rest, rounded: false }),
            "history" => self.handle(Input::Restore { text: rest.into(), rounded: false }),
            "user" => self.act(rest),
            "all" => {
                let (act, ids) = rest.split_once(' ').ok_or("no requests")?;
                let requests = ids.split_whitespace().map(|id| (request(id), None)).collect();
                self.handle(Input::DecideAll {
                    requests,
                    decision: decision(act, "").ok_or("no such act")?,
                    offer: None,
                })
            }
            "out" => self.out(rest),
            "sent" => self.report(Input::Delivered),
            "lost" => {
                let status = rest.parse().ok();
                self.report(|id| Input::Failed { id, status, message: None })
            }
            "at" => {
                self.now = Millis(rest.parse().map_err(|_| "not a moment")?);
                self.handle(Input::Tick)
            }
            "leave" => self.handle(Input::Leave),
            "is" => self.is(rest),
            _ => Err("there is no such line".to_owned()),
        }
    }

    fn handle(&mut self, input: Input<'_>) -> Result<(), String> {
        let result = self.inbox.handle(self.now, input);
        self.collect();
        result.map(|_| ()).map_err(|refusal| format!("{}: {refusal}", refusal.code()))
    }

    fn collect(&mut self) {
        for outbound in self.inbox.take_outbound() {
            self.due.push(outbound.body.to_string());
            self.open.push(outbound.id);
        }
    }

    fn act(&mut self, rest: &str) -> Result<(), String> {
        let (rest, code) = match rest.split_once(" ! ") {
            Some((rest, code)) => (rest.trim(), Some(code.trim())),
            None => (rest, None),
        };
        let (act, rest) = rest.split_once(' ').ok_or("no request")?;
        let (id, words) = rest.split_once(' ').unwrap_or((rest, ""));
        let (words, tool) = named(words, "tool=");
        let (words, digest) = named(words, "seen=");
        let seen = (tool.is_some() || digest.is_some()).then_some(Shown { digest, tool });
        let input = match act {
            "undo" => Input::Undo(request(id)),
            "judge" => Input::Judge(vec![request(id)]),
            "retry" => Input::Retry(request(id)),
            _ => Input::Decide {
                request: request(id),
                decision: decision(act, words).ok_or("no such act")?,
                seen,
                offer: None,
            },
        };
        let result = self.inbox.handle(self.now, input);
        self.collect();
        match (result.as_ref().err().map(Refusal::code).map(|code| code.as_str()), code) {
            (None, None) => Ok(()),
            (Some(given), Some(code)) if given == code => Ok(()),
            (given, _) => Err(format!("was refused with {given:?}")),
        }
    }

    fn out(&mut self, expected: &str) -> Result<(), String> {
        if expected == "nothing" {
            return self.due.first().map_or(Ok(()), |body| Err(format!("`{body}` was sent")));
        }
        if self.due.is_empty() {
            return Err("nothing was sent".to_owned());
        }
        let body = self.due.remove(0);
        if body == expected { Ok(()) } else { Err(format!("`{body}` was sent")) }
    }

    fn report(&mut self, fate: impl Fn(OutboundId) -> Input<'static>) -> Result<(), String> {
        for id in std::mem::take(&mut self.open) {
            self.handle(fate(id))?;
        }
        Ok(())
    }

    fn is(&self, rest: &str) -> Result<(), String> {
        let mut words = rest.split_whitespace();
        let id = words.next().ok_or("no request")?;
        let views = self.inbox.views();
        let named = |view: &&crate::view::RequestView| {
            view.request.as_ref().map(RequestId::as_str).or(view.call.as_ref().map(CallId::as_str))
                == Some(id)
        };
        let view = views.iter().find(named).ok_or("there is no such card")?;
        let status: Status = view.status;
        if words.next() != Some(status.as_str()) {
            return Err(format!("it is {}", status.as_str()));
        }
        let offers: Vec<&str> = view.offers.iter().map(|offer| offer.kind.as_str()).collect();
        let given = if offers.is_empty() { "-".to_owned() } else { offers.join(",") };
        match words.next() {
            Some(expected) if expected != given => Err(format!("it offers {given}")),
            _ => Ok(()),
        }
    }
}

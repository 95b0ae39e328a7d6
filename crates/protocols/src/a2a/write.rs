//! From decisions to the message that carries them.

use std::sync::Arc;

use countersign_core::collections::Groups;
use countersign_core::{Decision, Due, DueEntry, OfferKind, Outbound, RequestRef, Stamp, Text, Written};
use countersign_json::Writer;

use super::memory::{Conversation, Dialect, Envelope, Request, Task};
use super::part::HITL;
use crate::confirmation::{CONFIRMATION, write_answers, write_response};

/// One request with its decision.
struct Entry<'a> {
    request: &'a Request,
    due: &'a DueEntry,
}

/// Writes the one message that answers everything that waits in a task.
pub(super) fn message(
    conversation: &Conversation,
    due: &Due,
    stamp: &Stamp,
    index: usize,
) -> Result<Written, String> {
    let first = due.entries.first().ok_or_else(|| "a batch without requests".to_owned())?;
    let scope = &first.request.scope;
    let task = conversation.task_of(scope).ok_or_else(|| format!("task `{scope}` is not known"))?;
    let mut entries = Vec::new();
    for entry in &due.entries {
        let request = task.place_of(&entry.request.id).and_then(|at| task.request(at));
        let request = request.ok_or_else(|| format!("request `{}` is not known", entry.request))?;
        entries.push(Entry { request, due: entry });
    }
    let waiting = task.waiting().filter(|(at, _)| !task.delivered.contains(*at)).count();
    if waiting != entries.len() {
        return Err(format!("{waiting} requests of task `{scope}` wait, {} are decided", entries.len()));
    }
    let (dialect, envelope) =
        entries.first().map(|entry| (entry.request.dialect, entry.request.envelope)).unzip();
    let (Some(dialect), Some(envelope)) = (dialect, envelope) else {
        return Err("a batch without requests".to_owned());
    };
    if entries.iter().any(|entry| entry.request.dialect != dialect) {
        return Err(format!("task `{scope}` asks in two dialects at once"));
    }
    let form = Form { task, scope: scope.as_str(), dialect, envelope, stamp, index };
    let approves = entries.iter().any(is_approved);
    let has_run = !task.ran.is_empty();
    let is_nested = entries.iter().any(|entry| entry.request.nested);
    // Words may be taken for an answer to another task's calls. A remote agent's call has no other form.
    let needs_ids = has_no_words(&entries) && !is_lone_question(&entries)
        || may_be_mistaken(conversation, task, is_nested)
        || !is_nested && !has_run && conversation.works_beside(task);
    let body = match dialect {
        Dialect::Seed if approves && has_run => return Err(TOO_MANY.to_owned()),
        Dialect::Seed => form.seed(&entries),
        Dialect::Kagent010 if has_run && (needs_ids || has_no_words(&entries)) => {
            return Err(TOO_MANY.to_owned());
        }
        Dialect::Kagent010 => {
            tell_apart(&entries, task)?;
            if needs_ids { form.native(&entries, "kagent_type")? } else { form.words(&entries)? }
        }
        Dialect::Adk => form.native(&entries, "adk_type")?,
        // The words of the extension approve a listed question without answers; its servers read ADK's own form, too.
        Dialect::HitlV1 if entries.iter().any(|entry| entry.request.is_listed) => {
            form.native(&entries, "adk_type")?
        }
        Dialect::HitlV1 => form.extension(&entries)?,
    };
    let requests: Vec<RequestRef> = due.entries.iter().map(|entry| entry.request.clone()).collect();
    Ok(Written { requests, body, transport: form.transport() })
}

/// Whether words to this task may be taken for an answer to what another one of its context asks.
fn may_be_mistaken(conversation: &Conversation, task: &Task, is_nested: bool) -> bool {
    let own = conversation.place_of(&task.id);
    conversation.asked_beside(task, |at, other| {
        own.is_none_or(|own| conversation.asked_after(at, own)) || !is_nested && !other.unanswered.is_empty()
    })
}

/// Whether a message, if it is in words, would be taken for an answer to what it was written for.
pub(super) fn may_repeat(conversation: &Conversation, outbound: &Outbound) -> bool {
    in_words(conversation, outbound).is_none_or(|task| !may_be_mistaken(conversation, task, false))
}

/// Whether a message may leave now. Words do not while another task of the context works, which may ask before they are read, nor
/// once it has asked. A remote agent's call is answered in nothing else; another call is where no other task was known.
pub(super) fn may_leave(conversation: &Conversation, outbound: &Outbound) -> bool {
    in_words(conversation, outbound).is_none_or(|task| {
        let is_nested = task.in_words_only().next().is_some();
        !conversation.works_beside(task) && !may_be_mistaken(conversation, task, is_nested)
    })
}

/// The task of a message that answers it in the words of kagent 0.10.
fn in_words<'c>(conversation: &'c Conversation, outbound: &Outbound) -> Option<&'c Task> {
    let task = conversation.task_of(&outbound.requests.first()?.scope)?;
    let is_kagent = task.requests.iter().next().is_some_and(|request| request.dialect == Dialect::Kagent010);
    // A text inside of the message has its quotes escaped.
    (is_kagent && outbound.body.contains(r#"{"decision_type":"#)).then_some(task)
}

/// Why an approval is not written that the server would take for one of everything that waits there.
const TOO_MANY: &str = "the answer would approve a call that ran before it was asked about, too";

/// Why decisions are not written that kagent would give to one another's calls.
const ALIKE: &str =
    "several calls have one id, and the backend would take the decision on one of them for all";

/// Checks that the calls of one id are decided alike: kagent keeps one decision for each id, whatever it is written in.
fn tell_apart(entries: &[Entry<'_>], task: &Task) -> Result<(), String> {
    let mut by_key = Groups::default();
    for (at, entry) in (0..).zip(entries) {
        by_key.push(key(entry.request), at);
    }
    let kind = |at: &u32| entries.get(*at as usize).map(|entry| entry.due.decision.kind());
    for same in by_key.lists().filter(|same| same.len() > 1) {
        let first = same.first().and_then(kind);
        let plain = matches!(first, Some(OfferKind::Approve | OfferKind::Reject));
        if !plain || same.iter().any(|at| kind(at) != first) {
            return Err(ALIKE.to_owned());
        }
    }
    for ran in task.ran.numbers().into_iter().filter_map(|at| task.request(at)) {
        let same = by_key.get(key(ran)).iter();
        if same.filter_map(|at| entries.get(*at as usize)).any(is_approved) {
            return Err(TOO_MANY.to_owned());
        }
    }
    Ok(())
}

/// An edit or a question has no word of its own; the answers of a question confirm everything that waits.
fn has_no_words(entries: &[Entry<'_>]) -> bool {
    let edits = |entry: &Entry<'_>| matches!(entry.due.decision, Decision::Edit { .. });
    entries.iter().any(|entry| edits(entry) || entry.request.is_question)
}

/// The answers of a single question stand beside kagent's word.
fn is_lone_question(entries: &[Entry<'_>]) -> bool {
    matches!(entries, [entry] if entry.request.is_question)
}

/// The frame of a message.
struct Form<'a> {
    task: &'a Task,
    scope: &'a str,
    dialect: Dialect,
    envelope: Envelope,
    stamp: &'a Stamp,
    index: usize,
}

impl Form<'_> {
    fn begin(&self) -> Writer {
        let mut writer = Writer::new();
        writer.begin_object();
        if self.envelope == Envelope::V03 {
            writer.key("kind").string("message");
        }
        writer.key("messageId").string(&self.stamp.message_id(self.index));
        writer.key("role").string(if self.envelope == Envelope::V03 { "user" } else { "ROLE_USER" });
        writer
    }

    fn end(&self, mut writer: Writer) -> String {
        if let Some(context) = &self.task.context {
            writer.key("contextId").string(context);
        }
        writer.key("taskId").string(self.scope);
        writer.end_object();
        writer.finish()
    }

    fn timestamp(&self) -> i64 {
        i64::try_from(self.stamp.now.0).unwrap_or(i64::MAX)
    }

    /// The moment, where kagent's own page writes it.
    fn metadata(&self, writer: &mut Writer) {
        if self.dialect == Dialect::Kagent010 && self.envelope == Envelope::V03 {
            writer.key("metadata").begin_object();
            writer.key("timestamp").integer(self.timestamp());
            writer.end_object();
        }
    }

    /// Opens one data part; its data object is open afterwards.
    fn begin_data(&self, writer: &mut Writer) {
        writer.begin_object();
        if self.envelope == Envelope::V03 {
            writer.key("kind").string("data");
        }
        writer.key("data").begin_object();
    }

    fn text_part(&self, writer: &mut Writer, text: &str) {
        writer.begin_object();
        if self.envelope == Envelope::V03 {
            writer.key("kind").string("text");
        }
        writer.key("text").string(text);
        writer.end_object();
    }

    /// One word for everything, and no other part.
    fn seed(&self, entries: &[Entry<'_>]) -> String {
        let mut writer = self.begin();
        writer.key("parts").begin_array();
        self.begin_data(&mut writer);
        let approves = entries.iter().all(|entry| matches!(entry.due.decision, Decision::Approve { .. }));
        writer.key("decision_type").string(if approves { "approve" } else { "deny" });
        if let Some(reasons) = joined_reasons(entries.iter()) {
            writer.key("reason").string(&reasons);
        }
        writer.end_object();
        writer.key("metadata").begin_object().end_object();
        writer.end_object();
        writer.end_array();
        self.end(writer)
    }

    /// kagent's words: uniform, or one for each call.
    fn words(&self, entries: &[Entry<'_>]) -> Result<String, String> {
        let mut writer = self.begin();
        writer.key("parts").begin_array();
        self.begin_data(&mut writer);
        match entries {
            [Entry { due: DueEntry { decision: Decision::Answer { answers }, .. }, .. }] => {
                writer.key("decision_type").string("approve");
                write_answers(&mut writer, "ask_user_answers", answers);
            }
            _ => write_words(&mut writer, entries, self.task)?,
        }
        writer.end_object();
        writer.key("metadata").begin_object().end_object();
        writer.end_object();
        self.text_part(&mut writer, &summary(entries));
        writer.end_array();
        self.metadata(&mut writer);
        Ok(self.end(writer))
    }

    /// ADK's own form: one response for each confirmation.
    fn native(&self, entries: &[Entry<'_>], type_key: &str) -> Result<String, String> {
        let mut writer = self.begin();
        writer.key("parts").begin_array();
        for entry in entries {
            if entry.request.nested {
                return Err("a remote agent's call has no answer in this form".to_owned());
            }
            self.begin_data(&mut writer);
            writer.key("name").string(CONFIRMATION);
            writer.key("id").string(entry.request.id.as_str());
            writer.key("response");
            write_response(&mut writer, entry.due)?;
            writer.end_object();
            writer.key("metadata").begin_object();
            writer.key(type_key).string("function_response");
            writer.end_object();
            writer.end_object();
        }
        writer.end_array();
        self.metadata(&mut writer);
        Ok(self.end(writer))
    }

    /// kagent's message extension.
    fn extension(&self, entries: &[Entry<'_>]) -> Result<String, String> {
        let mut writer = self.begin();
        writer.key("parts").begin_array();
        self.text_part(&mut writer, &summary(entries));
        writer.end_array();
        writer.key("extensions").begin_array().string(HITL).end_array();
        writer.key("metadata").begin_object();
        writer.key(HITL).begin_object();
        match entries {
            [Entry { request, due: DueEntry { decision: Decision::Answer { answers }, .. } }] => {
                writer.key("type").string("ask_user_response");
                writer.key("id").string(request.id.as_str());
                write_answers(&mut writer, "answers", answers);
            }
            _ => {
                writer.key("type").string("tool_approval_response");
                writer.key("approvals").begin_array();
                for entry in entries {
                    write_approval(&mut writer, entry)?;
                }
                // The server wants every id that it has shown, and runs none of these once more.
                for ran in self.task.ran.numbers().into_iter().filter_map(|at| self.task.request(at)) {
                    writer.begin_object().key("id").string(ran.id.as_str());
                    writer.key("approved").bool(false);
                    writer.end_object();
                }
                writer.end_array();
            }
        }
        writer.end_object();
        writer.key("timestamp").integer(self.timestamp());
        writer.end_object();
        Ok(self.end(writer))
    }

    /// What the host adds around the message.
    fn transport(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("protocol").string("a2a");
        let is_old = self.envelope == Envelope::V03;
        writer.key("version").string(if is_old { "0.3" } else { "1.0" });
        writer.key("method").string(if is_old { "message/stream" } else { "SendStreamingMessage" });
        writer.key("extensions").begin_array();
        if self.dialect == Dialect::HitlV1 {
            writer.string(HITL);
        }
        writer.end_array();
        writer.key("taskId").string(self.scope);
        if let Some(context) = &self.task.context {
            writer.key("contextId").string(context);
        }
        writer.end_object();
        writer.finish()
    }
}

fn is_approved(entry: &Entry<'_>) -> bool {
    matches!(entry.due.decision, Decision::Approve { .. } | Decision::Edit { .. } | Decision::Answer { .. })
}

/// Why a batch is not written in which the backend would not find a rejection, and approve.
const NAMELESS: &str = "the backend would approve a call without an id that is rejected beside others";

/// A call that is left out of a batch counts as approved, so those that ran unasked are rejected by name.
fn write_words(writer: &mut Writer, entries: &[Entry<'_>], task: &Task) -> Result<(), String> {
    let approved = entries.iter().filter(|entry| is_approved(entry)).count();
    let mut reasons = Groups::default();
    for (at, entry) in (0..).zip(entries) {
        if entry.due.decision.reason().is_some() {
            reasons.push(key(entry.request), at);
        }
    }
    let of = |places: &[u32]| joined_reasons(places.iter().filter_map(|at| entries.get(*at as usize)));
    let has_reasons = reasons.lists().next().is_some();
    // A batch approves what it leaves out, also what the agent asks meanwhile.
    let is_refused_whole = entries.iter().any(|entry| entry.request.remote.doubt().is_some());
    if approved == entries.len() && task.ran.is_empty() {
        writer.key("decision_type").string("approve");
    } else if approved == 0 && (!has_reasons || entries.len() == 1 || is_refused_whole) {
        writer.key("decision_type").string("reject");
        if let Some(reason) = joined_reasons(entries.iter()) {
            writer.key("rejection_reason").string(&reason);
        }
    } else {
        writer.key("decision_type").string("batch");
        writer.key("decisions").begin_object();
        let decided = entries.iter().map(|entry| (entry.request, is_approved(entry)));
        let ran = task.ran.numbers().into_iter().filter_map(|at| Some((task.request(at)?, false)));
        let mut written = Groups::default();
        for (request, is_approved) in decided.chain(ran) {
            if request.call.is_none() && !is_approved {
                return Err(NAMELESS.to_owned());
            }
            let place = written.push(key(request), 0);
            if written.at(place).len() == 1 {
                writer.key(key(request)).string(if is_approved { "approve" } else { "reject" });
            }
        }
        writer.end_object();
        if has_reasons {
            writer.key("rejection_reasons").begin_object();
            for places in reasons.lists() {
                let entry = places.first().and_then(|at| entries.get(*at as usize));
                if let (Some(entry), Some(reason)) = (entry, of(places)) {
                    writer.key(key(entry.request)).string(&reason);
                }
            }
            writer.end_object();
        }
    }
    Ok(())
}

/// The reasons of these decisions, each of them once.
fn joined_reasons<'e>(entries: impl Iterator<Item = &'e Entry<'e>>) -> Option<String> {
    let (mut reasons, mut known): (Vec<Arc<str>>, Groups) = Default::default();
    for reason in entries.filter_map(|entry| entry.due.decision.reason()) {
        if known.place(&*reason).is_none() {
            known.push(&Text::from(&*reason), 0);
            reasons.push(reason);
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// What a batch of kagent 0.10 is keyed by: the id of the original call.
fn key(request: &Request) -> &Text {
    request.call.as_ref().map_or(request.id.shared(), |call| call.shared())
}

fn write_approval(writer: &mut Writer, entry: &Entry<'_>) -> Result<(), String> {
    writer.begin_object();
    writer.key("id").string(entry.request.id.as_str());
    match &entry.due.decision {
        Decision::Approve { .. } => {
            writer.key("approved").bool(true);
        }
        Decision::Reject { reason, .. } => {
            writer.key("approved").bool(false);
            if let Some(reason) = reason {
                writer.key("rejection_reason").string(reason);
            }
        }
        other => return Err(format!("`{}` has no form on this wire", other.kind().as_str())),
    }
    writer.end_object();
    Ok(())
}

/// What people read beside the decision; servers ignore it.
fn summary(entries: &[Entry<'_>]) -> String {
    let approved = entries.iter().filter(|entry| is_approved(entry)).count();
    let rejected = entries.len() - approved;
    match (entries, approved, rejected) {
        ([Entry { request, .. }], 1, _) if request.is_question => "Answered".to_owned(),
        ([_], 1, _) => "Approved".to_owned(),
        ([_], ..) => "Rejected".to_owned(),
        _ => format!("{approved} approved, {rejected} rejected"),
    }
}

//! What was decided here, in an order that cannot be changed without being noticed.

use countersign_json::{Document, Limits, Writer, sha256_hex};

use crate::decision::{Decision, Shown};
use crate::error::RefusalCode;
use crate::ids::{Millis, OutboundId};
use crate::offer::OfferKind;
use crate::secret::masked;
use crate::status::Status;

/// An append-only record of what was decided here and what became of it.
///
/// # Shape
/// JSON Lines. Each line is an object with `seq` (from 0), `at` (milliseconds since the Unix epoch; never before that of
/// the line before, also where the clock was set back), `event`, `request`
/// (`<scope>/<id>`), `tool`, `argsDigest` (SHA-256 of the arguments that it had then), members of the event, `prev` (the
/// `hash` of the line before) and `hash` (SHA-256 of the line without this member). Lines of `decided` and `refused` have
/// `seen`, the digest of the arguments that were on screen, where the decision named one. Arguments themselves never stand in
/// it, and what looks like a secret in reasons and errors is [`masked`]. A grant is named by its id and the SHA-256 of its
/// text; one that is taken back is about no request, and its line has no `request`, `tool` and `argsDigest`. A decision for a
/// request that is not known is `refused` under the id that it named, without the latter two. What a grant
/// decided names it as the rule `grant:<id>`. A rule that denies what the wire has no refusal for is `denied`, once.
#[derive(Clone, Debug, Default)]
pub struct AuditLog {
    text: String,
    len: u64,
    head: String,
    at: Millis,
}

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditActor {
    /// A person, through this inbox.
    Person,
    /// A rule or a grant, without a person.
    Policy,
    /// The inbox or its host.
    Inbox,
    /// The backend.
    Backend,
}

/// What happened to a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AuditEvent<'a> {
    /// A person decided, or a rule.
    Decided {
        /// What was decided.
        decision: &'a Decision,
        /// The rule that decided; `None`: a person did.
        rule: Option<&'a str>,
        /// What was on screen, where the decision names it.
        seen: Option<&'a Shown>,
    },
    /// A rule denies the call, and the wire has no form for that: it waits, and nobody can run it.
    Denied {
        /// The rule.
        rule: &'a str,
    },
    /// A person allowed more than the request that they decided.
    Granted {
        /// The grant's id.
        grant: &'a str,
        /// The grant, literally.
        text: &'a str,
    },
    /// A person took a grant back.
    Revoked {
        /// The grant's id.
        grant: &'a str,
    },
    /// A decision was taken back before it left.
    Undone {
        /// The kind of decision that was taken back.
        kind: OfferKind,
        /// A person, the policy that no longer decides so, or the inbox, which was rebuilt from history before it left.
        by: AuditActor,
    },
    /// A decision was refused and changed nothing.
    Refused {
        /// Why.
        code: RefusalCode,
        /// What was on screen, where the decision names it.
        seen: Option<&'a Shown>,
    },
    /// The decision became due in this message.
    Sending {
        /// The message.
        outbound: &'a OutboundId,
    },
    /// The host delivered the message.
    Delivered {
        /// The message.
        outbound: &'a OutboundId,
    },
    /// The host could not deliver the message, or the backend asks again although it has it.
    Failed {
        /// The message.
        outbound: &'a OutboundId,
        /// Why not; of a very long text the beginning.
        message: &'a str,
    },
    /// The request is settled.
    Settled {
        /// How.
        status: Status,
        /// Who says so: the backend, or the inbox by its clock or by word of another tab.
        by: AuditActor,
    },
}

/// Where an audit log was tampered with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("audit record {seq} is not what was written: {reason}")]
pub struct AuditFault {
    /// The first record that does not fit, counted from zero.
    pub seq: u64,
    /// What does not fit.
    pub reason: &'static str,
}

impl AuditLog {
    /// All records, as JSON Lines.
    #[must_use]
    pub fn to_json_lines(&self) -> &str {
        &self.text
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing was recorded yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The hash of the last record: kept elsewhere, it shows whether records were cut off.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// `about` is the request, with its tool and the digest of its arguments where it is known.
    pub(crate) fn append(
        &mut self,
        at: Millis,
        about: Option<(&str, Option<(&str, &str)>)>,
        event: AuditEvent<'_>,
    ) {
        self.at = self.at.max(at);
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("seq").integer(i64::try_from(self.len).unwrap_or(i64::MAX));
        writer.key("at").integer(i64::try_from(self.at.0).unwrap_or(i64::MAX));
        write_event(&mut writer, &event);
        if let Some((request, call)) = about {
            writer.key("request").string(request);
            if let Some((tool, digest)) = call {
                writer.key("tool").string(tool);
                writer.key("argsDigest").string(digest);
            }
        }
        writer.key("prev").string(&self.head);
        writer.end_object();
        let record = writer.finish();
        let hash = sha256_hex(&record);
        self.text.push_str(record.strip_suffix('}').unwrap_or(&record));
        self.text.push_str(",\"hash\":\"");
        self.text.push_str(&hash);
        self.text.push_str("\"}\n");
        self.head = hash;
        self.len += 1;
    }
}

fn write_event(writer: &mut Writer, event: &AuditEvent<'_>) {
    let (name, actor) = match event {
        AuditEvent::Decided { rule: Some(_), .. } => ("decided", AuditActor::Policy),
        AuditEvent::Decided { rule: None, .. } => ("decided", AuditActor::Person),
        AuditEvent::Denied { .. } => ("denied", AuditActor::Policy),
        AuditEvent::Granted { .. } => ("granted", AuditActor::Person),
        AuditEvent::Revoked { .. } => ("revoked", AuditActor::Person),
        AuditEvent::Undone { by, .. } => ("undone", *by),
        AuditEvent::Refused { .. } => ("refused", AuditActor::Inbox),
        AuditEvent::Sending { .. } => ("sending", AuditActor::Inbox),
        AuditEvent::Delivered { .. } => ("delivered", AuditActor::Inbox),
        AuditEvent::Failed { .. } => ("failed", AuditActor::Inbox),
        AuditEvent::Settled { by, .. } => ("settled", *by),
    };
    writer.key("event").string(name);
    writer.key("actor").string(match actor {
        AuditActor::Person => "person",
        AuditActor::Policy => "policy",
        AuditActor::Inbox => "inbox",
        AuditActor::Backend => "backend",
    });
    match event {
        AuditEvent::Decided { decision, rule, seen } => {
            writer.key("kind").string(decision.kind().as_str());
            if let Some(rule) = rule {
                writer.key("rule").string(rule);
            }
            write_seen(writer, *seen);
            match decision {
                Decision::Edit { args, .. } => {
                    writer.key("editedDigest").string(&sha256_hex(args.as_str()));
                }
                Decision::Reject { reason: Some(reason), .. } => {
                    writer.key("reason").string(&masked(reason));
                }
                _ => {}
            }
        }
        AuditEvent::Denied { rule } => {
            writer.key("rule").string(rule);
        }
        AuditEvent::Granted { grant, text } => {
            writer.key("grant").string(grant);
            writer.key("grantDigest").string(&sha256_hex(text));
        }
        AuditEvent::Revoked { grant } => {
            writer.key("grant").string(grant);
        }
        AuditEvent::Undone { kind, .. } => {
            writer.key("kind").string(kind.as_str());
        }
        AuditEvent::Refused { code, seen } => {
            writer.key("code").string(code.as_str());
            write_seen(writer, *seen);
        }
        AuditEvent::Sending { outbound } | AuditEvent::Delivered { outbound } => {
            writer.key("outbound").string(outbound.as_str());
        }
        AuditEvent::Failed { outbound, message } => {
            writer.key("outbound").string(outbound.as_str());
            writer.key("message").string(&masked(message));
        }
        AuditEvent::Settled { status, .. } => {
            writer.key("status").string(status.as_str());
        }
    }
}

fn write_seen(writer: &mut Writer, seen: Option<&Shown>) {
    if let Some(digest) = seen.and_then(|seen| seen.digest.as_deref()) {
        writer.key("seen").string(digest);
    }
    if let Some(tool) = seen.and_then(|seen| seen.tool.as_deref()) {
        writer.key("seenTool").string(tool);
    }
}

/// Checks that an exported audit log is what was written.
///
/// # Errors
/// An [`AuditFault`] that names the first record which was changed, removed or put in. Records that were cut off at the
/// end show only against a [`AuditLog::head`] that was kept elsewhere.
pub fn verify_audit(json_lines: &str) -> Result<(), AuditFault> {
    let mut prev = String::new();
    for (seq, line) in (0_u64..).zip(json_lines.lines()) {
        let fault = |reason| AuditFault { seq, reason };
        let document = Document::parse(line, &Limits::default()).map_err(|_| fault("it is not JSON"))?;
        let root = document.root();
        let claimed =
            root.get("hash").and_then(|hash| hash.as_str()).ok_or_else(|| fault("it has no hash"))?;
        let tail = format!(",\"hash\":\"{claimed}\"}}");
        let body = line.strip_suffix(tail.as_str()).ok_or_else(|| fault("its hash does not stand last"))?;
        if sha256_hex(&format!("{body}}}")) != claimed.as_ref() {
            return Err(fault("its hash does not fit its content"));
        }
        if !root.get("prev").is_some_and(|value| value.equals(&prev)) {
            return Err(fault("it does not follow the record before it"));
        }
        if root.get("seq").and_then(|value| value.as_number()) != Some(seq.to_string().as_str()) {
            return Err(fault("its number is out of order"));
        }
        prev = claimed.into_owned();
    }
    Ok(())
}

//! What a person has allowed for longer than one call.

use countersign_core::{Constraint, GrantScope, Millis, Proposal};
use countersign_json::{Value, Writer};

use crate::constraint::{Arguments, Fit, is_clear, pins_all, read_all, same_args, write_all};
use crate::read::{
    Read, What, fault, fill, millis, no_nulls, only, required_string, strings, word, write_optional,
    write_strings,
};

/// A remembered permission. Whatever differs from what was granted asks again.
///
/// # Shape
/// ```json
/// { "id": "g1", "scope": "tool", "tool": "read_file", "server": "files", "agent": ["root"], "schemaDigest": "…",
///   "session": "…", "call": "…", "args": [{ "pointer": "/path", "prefix": "/tmp/" }],
///   "createdAt": 1767225600000, "expiresAt": 1767229200000, "revokedAt": 1767226000000 }
/// ```
/// Scope `call` needs `tool`, `call`, `session` and the arguments as a whole; `same-args` `tool` and the arguments as a
/// whole; `tool` `tool`; `server` `server`; `session` `session`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its id, which the audit log repeats; the caller makes it.
    pub id: String,
    /// How far it reaches.
    pub scope: GrantScope,
    /// The tool's name; `None` only where the scope is wider than a tool.
    pub tool: Option<String>,
    /// The tool's server. Where the scope is a tool or less, `None` fits calls alone whose server is not known.
    pub server: Option<String>,
    /// The agents that lead to the call, outermost first. Where the scope is a tool or less, empty fits calls alone of which
    /// no agent is known; otherwise any.
    pub agent: Vec<String>,
    /// The SHA-256 of the schema that the tool declared, in hexadecimal; compared where the scope is a tool or less.
    pub schema_digest: Option<String>,
    /// Within what it counts: the scope of the request that it was given on; `None`: everywhere.
    pub session: Option<String>,
    /// The id of the one call.
    pub call: Option<String>,
    /// What the arguments must be.
    pub args: Vec<Constraint>,
    /// When it was given.
    pub created_at: Millis,
    /// When it ends; `None`: never, or with its session.
    pub expires_at: Option<Millis>,
    /// When it was taken back.
    pub revoked_at: Option<Millis>,
}

impl Grant {
    /// The grant of this scope that a person could give on this call; `None`: the call lacks what it would be bound to,
    /// or cannot be read without doubt.
    ///
    /// It is shown with [`Grant::view`] and confirmed before it is kept.
    #[must_use]
    pub fn on(
        proposal: &Proposal<'_>,
        id: &str,
        scope: GrantScope,
        expires_at: Option<Millis>,
    ) -> Option<Grant> {
        let call = proposal.call;
        let text = |shared: &str| Some(shared.to_owned());
        let (of_call, of_args, of_tool) =
            (scope == GrantScope::Call, scope <= GrantScope::SameArgs, scope <= GrantScope::Tool);
        let within = of_call || scope == GrantScope::Session;
        let args = call.args.as_str();
        let grant = Grant {
            id: id.to_owned(),
            scope,
            tool: text(&call.tool).filter(|_| of_tool),
            server: call.server.as_deref().and_then(text).filter(|_| scope <= GrantScope::Server),
            agent: call.agent.iter().filter(|_| of_tool).map(|name| name.as_ref().to_owned()).collect(),
            schema_digest: proposal.schema_digest.and_then(text).filter(|_| of_tool),
            session: text(proposal.scope.as_str()).filter(|_| within),
            call: call.id.as_ref().and_then(|id| text(id.as_str())).filter(|_| of_call),
            args: if of_args { vec![same_args(args)] } else { Vec::new() },
            created_at: proposal.now,
            expires_at,
            revoked_at: None,
        };
        let clear = proposal.inspectable && is_clear(args);
        if clear && grant.missing().is_none() { Some(grant) } else { None }
    }

    /// Whether it counts at this moment: given, not over, not taken back.
    #[must_use]
    pub fn is_in_force(&self, now: Millis) -> bool {
        self.created_at <= now && self.is_open(now)
    }

    /// Whether it counts or will: the clock may have been ahead when it was given.
    #[must_use]
    pub fn is_open(&self, now: Millis) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether this is one of the calls that it was given for; its time is not looked at.
    pub(crate) fn covers(&self, proposal: &Proposal<'_>, args: &Arguments<'_>) -> bool {
        let call = proposal.call;
        let names = |own: &Option<String>, other: Option<&str>| own.as_deref() == other;
        let absent_or = |own: &Option<String>, other: Option<&str>| own.is_none() || names(own, other);
        let of_tool = self.scope <= GrantScope::Tool;
        let by_agent = (self.agent.is_empty() && !of_tool)
            || self.agent.iter().map(String::as_str).eq(call.agent.iter().map(|name| &**name));
        let bound = if of_tool {
            names(&self.tool, Some(&call.tool))
                && names(&self.server, call.server.as_deref())
                && names(&self.schema_digest, proposal.schema_digest)
        } else {
            absent_or(&self.tool, Some(&call.tool)) && absent_or(&self.server, call.server.as_deref())
        };
        bound
            && by_agent
            && self.missing().is_none()
            && absent_or(&self.session, Some(proposal.scope.as_str()))
            && absent_or(&self.call, call.id.as_ref().map(|id| id.as_str()))
            && args.meet(&self.args, true) == Fit::Yes
    }

    /// The member that a grant of this scope must have and this one has not.
    fn missing(&self) -> Option<&'static str> {
        let of_tool = self.scope <= GrantScope::Tool;
        let pins = self.scope > GrantScope::SameArgs || self.args.iter().any(pins_all);
        let within = matches!(self.scope, GrantScope::Call | GrantScope::Session);
        [
            ("tool", of_tool && self.tool.is_none()),
            ("args", !pins),
            ("call", self.scope == GrantScope::Call && self.call.is_none()),
            ("server", self.scope == GrantScope::Server && self.server.is_none()),
            ("session", within && self.session.is_none()),
        ]
        .into_iter()
        .find_map(|(member, is_missing)| is_missing.then_some(member))
    }

    pub(crate) fn read(value: Value<'_>) -> Read<Grant> {
        only(value, &MEMBERS)?;
        let scope = word(value, "scope", GrantScope::named)?;
        // There it says that the call names none.
        let may_be: &[&str] = if scope <= GrantScope::Tool { &["server", "schemaDigest"] } else { &[] };
        no_nulls(value, may_be)?;
        let mut grant = Grant {
            scope,
            id: required_string(value, "id")?,
            tool: None,
            server: None,
            agent: strings(value, "agent")?,
            schema_digest: None,
            session: None,
            call: None,
            args: Vec::new(),
            created_at: Millis(0),
            expires_at: None,
            revoked_at: None,
        };
        fill(&mut grant.tool, value, "tool")?;
        fill(&mut grant.server, value, "server")?;
        fill(&mut grant.schema_digest, value, "schemaDigest")?;
        fill(&mut grant.session, value, "session")?;
        fill(&mut grant.call, value, "call")?;
        grant.args = read_all(value)?;
        let created_at = millis(value, "createdAt")?;
        grant.created_at = created_at.ok_or_else(|| fault(value, What::MissingMember("createdAt")))?;
        grant.expires_at = millis(value, "expiresAt")?;
        grant.revoked_at = millis(value, "revokedAt")?;
        match grant.missing() {
            Some(member) => Err(fault(value, What::MissingMember(member))),
            None => Ok(grant),
        }
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.begin_object().key("id").string(&self.id).key("scope").string(self.scope.as_str());
        for (key, text) in [("tool", &self.tool), ("server", &self.server)] {
            write_optional(writer, key, text.as_deref());
        }
        if !self.agent.is_empty() {
            writer.key("agent");
            write_strings(writer, &self.agent);
        }
        for (key, text) in
            [("schemaDigest", &self.schema_digest), ("session", &self.session), ("call", &self.call)]
        {
            write_optional(writer, key, text.as_deref());
        }
        write_all(writer, &self.args);
        for (key, moment) in [
            ("createdAt", Some(self.created_at)),
            ("expiresAt", self.expires_at),
            ("revokedAt", self.revoked_at),
        ] {
            if let Some(moment) = moment {
                writer.key(key).raw(&moment.0.to_string());
            }
        }
        writer.end_object();
    }
}

const MEMBERS: [&str; 12] = [
    "id",
    "scope",
    "tool",
    "server",
    "agent",
    "schemaDigest",
    "session",
    "call",
    "args",
    "createdAt",
    "expiresAt",
    "revokedAt",
];

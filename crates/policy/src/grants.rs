//! All that people have granted.

use countersign_core::collections::Groups;
use countersign_core::{GrantScope, Millis, Proposal, Text};
use countersign_json::{Value, Writer};

use crate::constraint::Arguments;
use crate::error::PolicyError;
use crate::grant::Grant;
use crate::read::{Read, What, array, fault, member, with_document};

/// The scopes of adapters whose messages do not name their conversation.
const UNNAMED: [&str; 4] = ["session", "thread", "haystack", "adalflow"];

/// All that people have granted; also what has ended or was taken back, for the list that people see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    list: Vec<Grant>,
}

impl Grants {
    /// Reads a list of grants.
    ///
    /// # Errors
    /// [`PolicyError`]: what is wrong, and where. Nothing of the text counts then.
    pub fn read(text: &str) -> Result<Grants, PolicyError> {
        with_document(text, Grants::from_value)
    }

    fn from_value(value: Value<'_>) -> Read<Grants> {
        let (mut grants, mut ids) = (Grants::default(), Groups::default());
        for value in array(value)?.items() {
            let grant = Grant::read(value)?;
            if ids.place(grant.id.as_str()).is_some() {
                return Err(fault(member(value, "id").unwrap_or(value), What::Twice(grant.id)));
            }
            ids.push(&Text::from(grant.id.as_str()), 0);
            grants.list.push(grant);
        }
        Ok(grants)
    }

    /// These, as they were kept, for an inbox that holds `known`.
    ///
    /// What is bound to a session ends with it. Where messages do not name theirs, all have the same name; so of what is
    /// bound to such a one only what was granted in this very inbox stays. What was taken back there stays so: a tab that had
    /// not heard of it may have kept it as it was.
    #[must_use]
    pub fn taken_up(self, known: &Grants) -> Grants {
        let mut grants = Grants::default();
        for mut grant in self.list {
            if let Some(own) = known.list.iter().find(|own| own.id == grant.id) {
                grant.revoked_at = grant.revoked_at.or(own.revoked_at);
            }
            if !is_unnamed(&grant) || known.list.contains(&grant) {
                grants.list.push(grant);
            }
        }
        grants
    }

    /// Whether one is bound to a session without a name.
    #[must_use]
    pub fn has_unnamed(&self) -> bool {
        self.list.iter().any(is_unnamed)
    }

    /// Writes all of them, as JSON text.
    #[must_use]
    pub fn write(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_array();
        for grant in &self.list {
            grant.write(&mut writer);
        }
        writer.end_array();
        writer.finish()
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn list(&self) -> &[Grant] {
        &self.list
    }

    /// Keeps a grant that a person has confirmed. False: there is one of this id already, and nothing was changed.
    #[must_use]
    pub fn add(&mut self, grant: Grant) -> bool {
        let is_new = !self.list.iter().any(|known| known.id == grant.id);
        if is_new {
            self.list.push(grant);
        }
        is_new
    }

    /// Takes a grant back; the first time counts. False: there is none of this id.
    #[must_use]
    pub fn revoke(&mut self, id: &str, now: Millis) -> bool {
        let found = self.list.iter_mut().find(|grant| grant.id == id);
        found.map(|grant| grant.revoked_at.get_or_insert(now)).is_some()
    }

    /// The narrowest grant in force that covers this call.
    ///
    /// `forever`: whether the host lets permissions count that have no end; what is bound to a session ends with it.
    ///
    /// What waited already when a grant was given was either approved along, by name, or left out of it. History does not
    /// say which calls those are, so a grant covers nothing of a history that was read after it was given.
    pub(crate) fn find(
        &self,
        proposal: &Proposal<'_>,
        args: &Arguments<'_>,
        forever: bool,
    ) -> Option<&Grant> {
        let ends = |grant: &Grant| forever || grant.expires_at.is_some() || grant.session.is_some();
        let mut narrowest: Option<&Grant> = None;
        for grant in &self.list {
            let reviewed = proposal.restored.is_none_or(|moment| moment < grant.created_at);
            let counts = proposal.inspectable && reviewed && grant.is_in_force(proposal.now) && ends(grant);
            let narrower = |known: &Grant| rank(grant) < rank(known);
            if counts
                && narrowest.is_none_or(narrower)
                && grant.covers(proposal, args)
                && !(proposal.high_risk)()
            {
                narrowest = Some(grant);
            }
        }
        narrowest
    }
}

fn is_unnamed(grant: &Grant) -> bool {
    grant.session.as_deref().is_some_and(|session| UNNAMED.contains(&session))
}

/// The narrower, the smaller; the id makes the order of the list not matter.
fn rank(grant: &Grant) -> (GrantScope, usize, &str) {
    (grant.scope, usize::MAX - grant.args.len(), &grant.id)
}

//! Calls and rules in a few characters.

#![allow(dead_code, clippy::expect_used, reason = "shared by test files, each of which uses a part of it")]

use countersign_core::{CallId, Millis, Policy, Proposal, Ruling, Scope, ToolCall, Verdict};
use countersign_policy::{Grant, Grants, Rulebook};

/// A call with what a wire may say of it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) scope: Scope,
    pub(crate) call: ToolCall,
    pub(crate) schema: Option<String>,
    pub(crate) inspectable: bool,
    pub(crate) restored: Option<Millis>,
    pub(crate) now: Millis,
}

/// A call of a tool on the server `s`, in the session `t`, by the agents `root` and `sub`, at the moment 100.
pub(crate) fn call(tool: &str, args: &str) -> Call {
    Call {
        scope: Scope::from("t"),
        call: ToolCall {
            id: Some(CallId::from("c1")),
            server: Some("s".into()),
            agent: vec!["root".into(), "sub".into()].into(),
            ..ToolCall::new(tool, args)
        },
        schema: Some("d".to_owned()),
        inspectable: true,
        restored: None,
        now: Millis(100),
    }
}

impl Call {
    pub(crate) fn proposal(&self) -> Proposal<'_> {
        Proposal {
            scope: &self.scope,
            call: &self.call,
            schema_digest: self.schema.as_deref(),
            inspectable: self.inspectable,
            high_risk: &|| false,
            restored: self.restored,
            now: self.now,
        }
    }

    pub(crate) fn server(mut self, server: Option<&str>) -> Call {
        self.call.server = server.map(Into::into);
        self
    }

    pub(crate) fn agent(mut self, path: &[&str]) -> Call {
        self.call.agent = path.iter().map(|name| (*name).into()).collect();
        self
    }

    pub(crate) fn at(mut self, now: u64) -> Call {
        self.now = Millis(now);
        self
    }
}

/// A rulebook of these rules and grants, both in their text form.
pub(crate) fn book(rules: &str, grants: &str) -> Rulebook {
    let book = Rulebook::read(&format!(r#"{{"rules":{rules}}}"#)).expect("rules");
    Rulebook { grants: Grants::read(grants).expect("grants"), ..book }
}

pub(crate) fn verdict(book: &Rulebook, call: &Call) -> Verdict {
    book.judge(&call.proposal())
}

/// The ruling and the rule that it comes from.
pub(crate) fn ruling(book: &Rulebook, call: &Call) -> (Ruling, String) {
    let verdict = verdict(book, call);
    (verdict.ruling, verdict.rule.to_string())
}

/// A rulebook that has this grant alone.
pub(crate) fn granted(grant: Grant) -> Rulebook {
    let mut book = Rulebook::default();
    assert!(book.grants.add(grant));
    book
}

//! A grant in words, nothing left out.

use std::rc::Rc;

use countersign_core::{GrantArgument, GrantScope, GrantTest, GrantView};
use yew::prelude::*;

use super::secrets::{in_value, is_place};
use crate::digest::short_digest;
use crate::fold::Room;
use crate::mask::{maskable, masked};
use crate::node::{Tag, words};
use crate::piece::Stage;
use crate::text::{around, drawn, visible};
use crate::tool_call_card::facts::{asked_by, claimed, tool_code};

/// Everything that a grant says, a line each; `schema`: that of the arguments, where it is known.
pub(crate) fn facts(grant: &GrantView, schema: Option<&str>, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let mut facts = vec![match &grant.tool {
        Some(tool) => around(&messages.grant_tool(), tool_code(tool)),
        None => words(messages.grant_any_tool()),
    }];
    facts.push(match &grant.server {
        Some(server) => claimed(&messages.grant_server(), server, stage),
        None if grant.tool.is_some() => words(messages.grant_unknown_server()),
        None => words(messages.grant_any_server()),
    });
    if !grant.agent.is_empty() {
        facts.push(asked_by(&mut grant.agent.iter().map(String::as_str), stage));
    } else if grant.scope <= GrantScope::Tool {
        facts.push(words(messages.grant_unknown_agent()));
    }
    for argument in &grant.args {
        facts.push(condition(argument, schema, stage));
    }
    if grant.args.is_empty() {
        facts.push(words(messages.grant_any_arguments()));
    }
    if let Some(digest) = &grant.schema_digest {
        let digest = Tag::new("code", "cs-code").words(short_digest(digest)).html();
        facts.push(around(&messages.grant_schema(), digest));
    }
    facts.push(match &grant.session {
        Some(session) => claimed(&messages.grant_session(), session, stage),
        None => words(messages.grant_any_session()),
    });
    facts.push(words(match grant.expires_at {
        Some(end) => messages.grant_until(&messages.moment(end)),
        None if grant.session.is_some() => messages.grant_until_session().to_string(),
        None => messages.until_revoked().to_string(),
    }));
    let lines = facts.into_iter().map(|fact| Tag::new("li", "").child(fact).html()).collect();
    Tag::new("ul", "cs-grant-facts").part("grant-facts").list(lines).html()
}

/// What one place of the arguments must be.
fn condition(argument: &GrantArgument, schema: Option<&str>, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let code = |text: Html| Tag::new("code", "cs-code").child(text).html();
    let there = code(visible(&argument.pointer));
    let value = code(match argument.test {
        GrantTest::Equals => {
            let secrets = in_value(&argument.pointer, &argument.value, schema);
            masked(&argument.value, secrets, false, Room::VALUE, stage)
        }
        _ => maskable(&argument.value, is_place(&argument.pointer, schema), false, Room::VALUE, stage),
    });
    if argument.pointer.is_empty() {
        return around(&messages.grant_arguments(), value);
    }
    let template = match argument.test {
        GrantTest::Equals => messages.grant_equals(),
        GrantTest::OneOf => messages.grant_one_of(),
        GrantTest::Prefix => messages.grant_prefix(),
        GrantTest::Contains => messages.grant_contains(),
        GrantTest::Above => messages.grant_above(),
        GrantTest::Absent => messages.grant_absent(),
    };
    drawn(&template, &|name| if name == "place" { there.clone() } else { value.clone() })
}

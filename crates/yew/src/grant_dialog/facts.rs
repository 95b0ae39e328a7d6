//! A grant in words, nothing left out.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{GrantArgument, GrantScope, GrantTest, GrantView};
use countersign_json::{Writer, pointer};
use yew::prelude::*;

use super::secrets::{in_value, is_place};
use crate::digest::short_digest;
use crate::fold::Room;
use crate::json_view::{Head, JsonView};
use crate::mask::{maskable, masked};
use crate::node::{Tag, words};
use crate::piece::Stage;
use crate::text::{around, drawn, visible};
use crate::tool_call_card::facts::{asked_by, claimed, tool_code};

/// Everything that a grant says, a line each; `schema`: that of the arguments, where it is known.
pub(crate) fn facts(grant: &GrantView, schema: Option<&Arc<str>>, stage: &Rc<Stage>) -> Html {
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
    let (members, others) = grant.args.iter().partition::<Vec<_>, _>(|argument| is_member(argument));
    if !members.is_empty() {
        let mut writer = Writer::new();
        writer.begin_object();
        for GrantArgument { pointer, value, .. } in members {
            for name in pointer::tokens(pointer) {
                writer.key(&name).raw(value);
            }
        }
        let members = rows(writer.finish().into(), schema, stage);
        facts.push(around(&messages.grant_members(), members));
    }
    for argument in others {
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

/// Whether it says what one of the outermost members must be.
fn is_member(argument: &GrantArgument) -> bool {
    argument.test == GrantTest::Equals && pointer::tokens(&argument.pointer).count() == 1
}

/// Arguments as a card draws them.
fn rows(text: Arc<str>, schema: Option<&Arc<str>>, stage: &Rc<Stage>) -> Html {
    stage.place(JsonView {
        text,
        schema: schema.cloned(),
        id: None,
        name: AttrValue::default(),
        part: "",
        empty: Some(stage.messages().no_arguments()),
        hazards: Vec::new(),
        head: Head::Bare,
    })
}

/// What one place of the arguments must be.
fn condition(argument: &GrantArgument, schema: Option<&Arc<str>>, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    if argument.pointer.is_empty() && argument.test == GrantTest::Equals {
        let value = rows(argument.value.as_str().into(), schema, stage);
        return around(&messages.grant_arguments(), value);
    }
    let schema = schema.map(|schema| &**schema);
    let code = |text: Html| Tag::new("code", "cs-code").child(text).html();
    let there = code(visible(&argument.pointer));
    let value = code(match argument.test {
        GrantTest::Equals => {
            let secrets = in_value(&argument.pointer, &argument.value, schema);
            masked(&argument.value, secrets, false, Room::VALUE, stage)
        }
        _ => maskable(&argument.value, is_place(&argument.pointer, schema), false, Room::VALUE, stage),
    });
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

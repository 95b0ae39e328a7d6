//! What a card says about a call, in the order that keeps facts before claims.

use std::sync::Arc;

use countersign_core::lookalike::odd;
use countersign_core::{RequestView, Status};
use yew::prelude::*;

use crate::changes::Changes;
use crate::fold::{foldable_name, foldable_prose, name_ends, shortened};
use crate::json_view::{Head, JsonView, letters, origin_asides};
use crate::mask::maskable_prose;
use crate::messages::Messages;
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::Stage;
use crate::question_form::answers::Answers;
use crate::status_badge::{StatusBadge, undelivered};
use crate::text::{around, name};
use crate::variants::Tone;

/// The tool's name, verbatim; words of ours, which look otherwise, where the request names none.
pub(crate) fn tool_name(view: &RequestView, stage: &Stage) -> Tag {
    if view.tool.is_empty() {
        return Tag::new("span", "cs-tool").part("tool-name").words(stage.messages().no_tool());
    }
    let name = foldable_name(&view.tool, true, stage);
    Tag::new("code", "cs-tool cs-code").part("tool-name").child(name)
}

/// A tool's name, verbatim, within other words.
pub(crate) fn tool_code(tool: &str) -> Html {
    Tag::new("code", "cs-tool cs-code").child(name(&shortened(tool), true)).html()
}

/// What the status means, where nothing else tells what became of the call.
pub(crate) fn ended(view: &RequestView, messages: &Messages) -> Option<AttrValue> {
    let is_told = view.status == Status::Failed && (view.error.is_some() || view.result_text.is_some());
    // What an answer was that never left is not kept.
    if view.status == Status::Expired && view.decision.is_some() {
        return Some(messages.ended_undelivered());
    }
    messages.ended(view.status).filter(|_| !is_told)
}

/// The server that owns the tool and the agents that asked.
pub(crate) fn origin(view: &RequestView, stage: &Stage) -> Html {
    let messages = stage.messages();
    let code = |content: Html| Tag::new("code", "cs-code").child(content).html();
    let mut origin = Vec::new();
    if let Some(server) = &view.server {
        origin.push(around(&messages.served_by(), code(foldable_name(server, false, stage))));
    }
    if !view.agent.is_empty() {
        if !origin.is_empty() {
            origin.push(words(messages.separator()));
        }
        let mut agents = view.agent.iter().map(|agent| &**agent);
        origin.push(asked_by(&mut agents, stage));
    }
    if origin.is_empty() {
        return Html::default();
    }
    origin.extend(view.server.iter().flat_map(|server| origin_asides(server, stage)));
    Tag::new("span", "cs-origin").part("origin").list(origin).html()
}

/// How long a tool's name is looked at as a whole, in bytes.
const NAME: usize = 4 << 10;

/// Which letters of a tool's name are not what they seem, in sentences. Of a very long one the ends count, which are drawn.
pub(crate) fn odd_letters(tool: &str, stage: &Stage) -> Option<String> {
    let (head, tail) = if tool.len() > NAME { name_ends(tool) } else { (tool, "") };
    odd(head, true).or_else(|| odd(tail, true)).map(|odd| letters(&odd, stage.messages()))
}

/// The agents that asked, outermost first.
pub(crate) fn asked_by(path: &mut dyn Iterator<Item = &str>, stage: &Stage) -> Html {
    let messages = stage.messages();
    let (mut agents, mut facts) = (Vec::new(), Vec::new());
    for agent in path {
        if !agents.is_empty() {
            agents.push(words(messages.agent_separator()));
        }
        agents.push(isolated(foldable_name(agent, false, stage)));
        facts.extend(origin_asides(agent, stage));
    }
    let agents = Tag::new("code", "cs-code").child(list(agents)).html();
    list(vec![around(&messages.asked_by(), agents), list(facts)])
}

/// Where the call stands, and whether a rule decided it.
pub(crate) fn badges(view: &RequestView, status_badge: &StatusBadge, stage: &Stage) -> Html {
    let held = matches!(view.status, Status::Drafted | Status::Sending | Status::Sent);
    let badge = |text: AttrValue| Tag::new("span", "cs-badge").part("badge").words(text);
    let automatic =
        view.automatic.then(|| badge(stage.messages().automatic()).with(Attribute::Automatic, "").html());
    let badge = badge(status_badge.text.clone()).with(Attribute::Tone, status_badge.tone.as_str()).when(
        held,
        Attribute::Held,
        "",
    );
    Tag::new("span", "cs-badges").optional(automatic).child(badge.html()).html()
}

/// The id of what a card says about this, for what is heard with the button that approves.
pub(crate) fn id(view: &RequestView, about: &str) -> AttrValue {
    ["cs-", about, "-", &view.key.to_string()].concat().into()
}

/// What must be known before the arguments are read; `heard`: with ids, `lost`: a draft of the call as it was is gone.
pub(crate) fn warnings(view: &RequestView, heard: bool, lost: bool, stage: &Stage) -> Html {
    let messages = stage.messages();
    let waits = matches!(view.status, Status::Pending | Status::Drafted | Status::Blocked);
    // With a reason it is said after the arguments, as all that others say.
    let failed = undelivered(view) && why_undelivered(view).is_none();
    let failed = failed.then(|| note(Tone::Bad, "not-delivered", words(messages.not_delivered())));
    let heard = |about, text| {
        let note = warning(Tone::Attention, text).with(Attribute::Note, about);
        note.option(Attribute::Id, heard.then(|| id(view, about))).html()
    };
    let says = [view.changed.then(|| messages.changed()), lost.then(|| messages.edit_lost())];
    let says = says.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let changed = (!says.is_empty() && waits).then(|| heard("changed", words(says)));
    let odd = odd_letters(&view.tool, stage).map(|odd| heard("odd-name", words(odd)));
    let unreadable = (!view.inspectable).then(|| note(Tone::Bad, "unreadable", words(messages.unreadable())));
    let together = (waits && rejects_all(view))
        .then(|| note(Tone::Attention, "together", words(messages.rejects_all())));
    options([failed, changed, odd, unreadable, together])
}

/// Whether it runs only with the others of its batch.
pub(crate) fn rejects_all(view: &RequestView) -> bool {
    view.batch.as_ref().is_some_and(|batch| batch.rejects_all && batch.size > 1)
}

/// The arguments, and what is noteworthy about them. For questions they stand behind a button: nothing runs with them.
/// `heard`: with an id.
pub(crate) fn arguments(view: &RequestView, heard: bool, stage: &Stage) -> Html {
    let messages = stage.messages();
    let asks = view.questions.is_some();
    stage.place(JsonView {
        text: Arc::clone(&view.args_text),
        schema: view.args_schema.clone(),
        id: heard.then(|| id(view, "arguments")),
        name: if asks { messages.as_sent() } else { messages.arguments() },
        part: "arguments",
        empty: (!asks).then(|| messages.no_arguments()),
        hazards: view.hazards.clone(),
        head: if asks { Head::Toggle } else { Head::Tools },
    })
}

/// What the agent says about its own call.
pub(crate) fn claims(view: &RequestView, stage: &Stage) -> Html {
    let mut claims = Vec::new();
    for claim in [&view.title, &view.description, &view.hint].into_iter().flatten() {
        let label = Tag::new("span", "cs-claim-label").words(stage.messages().claim());
        claims.push(
            Tag::new("p", "cs-claim")
                .part("claim")
                .child(label.html())
                .words(" ")
                // The description of a tool in Python ends with a line break.
                .child(quoted(claim.trim_end_matches('\n'), stage))
                .html(),
        );
    }
    list(claims)
}

/// Words of someone else between quotation marks, with masks over the secrets in them.
pub(crate) fn quoted(text: &str, stage: &Stage) -> Html {
    around(&stage.messages().quoted(), isolated(maskable_prose(text, stage)))
}

/// A sentence of ours around words of someone else.
pub(crate) fn claimed(template: &str, text: &str, stage: &Stage) -> Html {
    around(template, isolated(foldable_prose(text, stage)))
}

/// Text from outside that does not change the direction of what stands around it.
pub(crate) fn isolated(text: Html) -> Html {
    Tag::new("bdi", "").child(text).html()
}

/// Why it ended as it did, and what came of it.
pub(crate) fn outcome(view: &RequestView, stage: &Stage) -> Html {
    let messages = stage.messages();
    let reason = view.reason.as_ref().map(|reason| {
        let reason = around(&messages.given_reason(), quoted(reason, stage));
        fact(reason).part("given-reason").html()
    });
    let reply = reply(view, stage).map(|reply| fact(reply).part("reply").html());
    let result = view.result_text.as_ref().map(|result| {
        stage.place(JsonView {
            text: Arc::clone(result),
            schema: None,
            id: None,
            name: messages.result(),
            part: "result",
            empty: None,
            hazards: Vec::new(),
            head: Head::Toggle,
        })
    });
    let error = |about, template: AttrValue, error: &Arc<str>| {
        note(Tone::Bad, about, around(&template, quoted(error, stage)))
    };
    let why =
        why_undelivered(view).map(|why| error("why-not-delivered", messages.not_delivered_because(), why));
    let error = view.error.as_ref().map(|words| error("error", messages.error(), words));
    let rule = view
        .rule
        .as_ref()
        .filter(|_| view.automatic)
        .map(|rule| fact(claimed(&messages.decided_by_rule(), rule, stage)).part("rule").html());
    let ended = ended(view, messages).map(|meaning| fact(words(meaning)).html());
    let edited = view.decision.as_ref().and_then(|decision| decision.args.as_deref()).map(|edited| {
        stage.place(Changes {
            before: Arc::clone(&view.args_text),
            after: Arc::from(edited),
            schema: view.args_schema.clone(),
            held: None,
        })
    });
    options([edited, Some(answers(view, stage)), rule, reason, reply, ended, why, error, result])
}

/// Why the decision did not arrive, where somebody said so.
fn why_undelivered(view: &RequestView) -> Option<&Arc<str>> {
    view.outbound.as_ref().filter(|_| undelivered(view))?.error.as_ref()
}

/// What a person wrote in the place of a result.
pub(crate) fn reply(view: &RequestView, stage: &Stage) -> Option<Html> {
    let text = view.decision.as_ref().and_then(|decision| decision.text.as_ref())?;
    Some(around(&stage.messages().given_reply(), quoted(text, stage)))
}

/// A line about what came of it.
pub(crate) fn fact(content: Html) -> Tag {
    Tag::new("p", "cs-fact").child(content)
}

/// What was answered to each question.
fn answers(view: &RequestView, stage: &Stage) -> Html {
    let given = view.decision.as_ref().and_then(|decision| decision.answers.as_ref());
    let (Some(questions), Some(given)) = (&view.questions, given) else {
        return Html::default();
    };
    Answers { questions: Arc::clone(questions), given: given.clone() }.html(stage)
}

/// A line that must not be overlooked.
fn note(tone: Tone, about: &'static str, text: Html) -> Html {
    warning(tone, text).with(Attribute::Note, about).html()
}

/// A line of this tone.
pub(crate) fn warning(tone: Tone, text: Html) -> Tag {
    Tag::new("p", "cs-note").part("note").with(Attribute::Tone, tone.as_str()).child(text)
}

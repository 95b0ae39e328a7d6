//! What a card says about a call, in the order that keeps facts before claims.

use std::sync::Arc;

use countersign_core::{RequestView, Status};
use yew::prelude::*;
use yew::virtual_dom::VList;

use crate::fold::foldable;
use crate::json_view::JsonView;
use crate::messages::Messages;
use crate::standing::{Standing, undelivered};
use crate::text::{around, visible, words};
use crate::variants::Tone;

/// The tool's name, verbatim.
pub(crate) fn tool_name(view: &RequestView) -> Html {
    html! { <code class="cs-tool cs-code" part="tool-name">{ visible(&view.tool) }</code> }
}

/// The server that owns the tool and the agents that asked.
pub(crate) fn origin(view: &RequestView, messages: &dyn Messages) -> Html {
    let server = view.server.as_ref().map(|server| {
        around(&messages.served_by(), html! { <code class="cs-code">{ visible(server) }</code> })
    });
    let path = (!view.agent.is_empty()).then(|| {
        let mut agents = VList::new();
        for (at, agent) in view.agent.iter().enumerate() {
            if at > 0 {
                agents.push(words(messages.agent_separator()));
            }
            agents.push(html! { <bdi>{ visible(agent) }</bdi> });
        }
        around(&messages.asked_by(), html! { <code class="cs-code">{ Html::from(agents) }</code> })
    });
    if server.is_none() && path.is_none() {
        return Html::default();
    }
    let both = server.is_some() && path.is_some();
    html! {
        <span class="cs-origin" part="origin">
            { server.unwrap_or_default() }
            if both { { words(messages.separator()) } }
            { path.unwrap_or_default() }
        </span>
    }
}

/// Where the call stands, and whether a rule decided it.
pub(crate) fn badges(view: &RequestView, standing: &Standing, messages: &dyn Messages) -> Html {
    let held = matches!(view.status, Status::Drafted | Status::Sending | Status::Sent);
    html! {
        <span class="cs-badges">
            if view.automatic {
                <span class="cs-badge" part="badge" data-automatic="">{ words(messages.automatic()) }</span>
            }
            <span
                class="cs-badge"
                part="badge"
                data-tone={standing.tone.as_str()}
                data-held={held.then_some("")}
            >{ words(standing.text.clone()) }</span>
        </span>
    }
}

/// What must be known before the arguments are read.
pub(crate) fn warnings(view: &RequestView, messages: &dyn Messages) -> Html {
    let waits = matches!(view.status, Status::Pending | Status::Drafted | Status::Blocked);
    html! {
        <>
            if undelivered(view) { { not_delivered(view, messages) } }
            if view.changed && waits { { note(Tone::Attention, "changed", words(messages.changed())) } }
            if !view.inspectable { { note(Tone::Bad, "unreadable", words(messages.unreadable())) } }
        </>
    }
}

fn not_delivered(view: &RequestView, messages: &dyn Messages) -> Html {
    let error = view.outbound.as_ref().and_then(|outbound| outbound.error.as_deref());
    let text = match error {
        Some(error) => around(&messages.not_delivered_because(), html! { <bdi>{ foldable(error) }</bdi> }),
        None => words(messages.not_delivered()),
    };
    note(Tone::Bad, "not-delivered", text)
}

/// How many notes on the arguments are drawn; the others are counted.
const HAZARDS: usize = 8;

/// The arguments, and what is noteworthy about them. For questions they stand behind a button: nothing runs with them.
pub(crate) fn arguments(view: &RequestView, messages: &dyn Messages) -> Html {
    let hazards = view.hazards.iter().take(HAZARDS).map(|hazard| {
        let place = (!hazard.pointer.is_empty()).then(|| {
            html! { <><code class="cs-code">{ foldable(&hazard.pointer) }</code>{ words(messages.separator()) }</> }
        });
        note(Tone::Attention, "hazard", html! { <>{ place }{ foldable(&messages.hazard(hazard)) }</> })
    });
    let others = view.hazards.len().saturating_sub(HAZARDS);
    let text = Arc::clone(&view.args_text);
    html! {
        <>
            if view.questions.is_some() {
                <JsonView {text} name={messages.as_sent()} part="arguments" folded=true />
            } else {
                <JsonView {text} name={messages.arguments()} part="arguments" empty={messages.no_arguments()} />
            }
            { for hazards }
            if others > 0 { { note(Tone::Attention, "hazard", words(messages.more(others))) } }
        </>
    }
}

/// What the agent says about its own call.
pub(crate) fn claims(view: &RequestView, messages: &dyn Messages) -> Html {
    let claims = [&view.title, &view.description, &view.hint];
    claims
        .into_iter()
        .flatten()
        .map(|claim| {
            html! {
                <p class="cs-claim" part="claim">
                    <span class="cs-claim-label">{ words(messages.claim()) }</span>
                    { words(" ") }
                    { quoted(claim, messages) }
                </p>
            }
        })
        .collect()
}

/// Words of someone else between quotation marks.
pub(crate) fn quoted(text: &str, messages: &dyn Messages) -> Html {
    around(&messages.quoted(), html! { <bdi>{ foldable(text) }</bdi> })
}

/// Why it ended as it did, and what came of it.
pub(crate) fn outcome(view: &RequestView, messages: &dyn Messages) -> Html {
    html! {
        <>
            { answers(view, messages) }
            if let Some(reason) = &view.reason {
                <p class="cs-fact" part="given-reason">
                    { around(&messages.given_reason(), quoted(reason, messages)) }
                </p>
            }
            if let Some(words_) = messages.ended(view.status) {
                <p class="cs-fact">{ words(words_) }</p>
            }
            if let Some(error) = &view.error {
                { note(Tone::Bad, "error", around(&messages.error(), html! { <bdi>{ foldable(error) }</bdi> })) }
            }
            if let Some(result) = &view.result_text {
                <JsonView text={Arc::clone(result)} name={messages.result()} part="result" folded=true />
            }
        </>
    }
}

/// What was answered to each question.
fn answers(view: &RequestView, messages: &dyn Messages) -> Html {
    let given = view.decision.as_ref().and_then(|decision| decision.answers.as_ref());
    let (Some(questions), Some(given)) = (&view.questions, given) else {
        return Html::default();
    };
    let rows = questions.iter().zip(given).map(|(question, answers)| {
        html! {
            <div class="cs-answer">
                <dt><bdi>{ foldable(&question.question) }</bdi></dt>
                { for answers.iter().map(|answer| html! { <dd>{ quoted(answer, messages) }</dd> }) }
            </div>
        }
    });
    html! { <dl class="cs-answers" part="answers">{ for rows }</dl> }
}

/// A line that must not be overlooked.
fn note(tone: Tone, about: &'static str, text: Html) -> Html {
    html! { <p class="cs-note" part="note" data-tone={tone.as_str()} data-note={about}>{ text }</p> }
}

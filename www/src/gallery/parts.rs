//! Parts of a card and of an inbox, each placed by a page that is not ours: what they report stands below them.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{GrantView, Millis, Question, RequestView};
use countersign_yew::{
    ArgumentsView, BatchBar, Catalogue, ChangesView, EditDialog, GrantList, History, Intent, LiveRegion,
    QuestionForm, RejectForm, RespondDialog, Shadow, StatusBadge,
};
use serde_json::json;
use yew::prelude::*;

use super::hooks;
use super::look::Look;

/// A part, with what it is given beside the calls of its exhibit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// The arguments of the first call.
    Arguments,
    /// What the edit of the first call changes.
    Changes { after: Arc<str> },
    /// Where each call stands.
    Status,
    /// The arguments of the first call, to be edited.
    Edit,
    /// Why the first call is rejected, or what its agent gets instead.
    Words,
    /// Questions.
    Questions(Arc<[Question]>),
    /// One decision for all calls, and what is said of them.
    Batch,
    /// What was decided.
    History,
    /// What people have allowed.
    Grants(Rc<[GrantView]>),
}

/// Properties of [`Place`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub(crate) struct PlaceProps {
    /// What stands there.
    pub(crate) part: Part,
    /// Its calls.
    pub(crate) views: Rc<[Rc<RequestView>]>,
    /// The moment for which countdowns are drawn.
    pub(crate) now: Millis,
    /// How it looks.
    pub(crate) look: Look,
}

/// What a person of the page has opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    Nothing,
    Edit,
    Reject,
    Respond,
}

/// A part alone in a shadow root. What it reports is shown, as text, in the page.
#[component]
pub(crate) fn Place(props: &PlaceProps) -> Html {
    let PlaceProps { part, views, now, look } = props;
    let told = use_state(|| None::<AttrValue>);
    let opened = use_state(|| Opened::Nothing);
    let tell = {
        let (told, opened) = (told.clone(), opened.clone());
        move |words: AttrValue| {
            told.set(Some(words));
            opened.set(Opened::Nothing);
        }
    };
    let on_words = {
        let tell = tell.clone();
        Callback::from(move |words: Arc<str>| tell(words.to_string().into()))
    };
    let on_cancel = {
        let opened = opened.clone();
        Callback::from(move |()| opened.set(Opened::Nothing))
    };
    let open = |label: &'static str, what: Opened| {
        let opened = opened.clone();
        html! { <button onclick={move |_| opened.set(what)}>{ label }</button> }
    };
    let Some(call) = views.first() else { return Html::default() };
    let (beside, drawn) = match part {
        Part::Arguments => {
            (None, html! { <ArgumentsView text={&call.args_text} schema={call.args_schema.clone()} /> })
        }
        Part::Changes { after } => (
            None,
            html! { <ChangesView before={&call.args_text} {after} schema={call.args_schema.clone()} /> },
        ),
        Part::Status => {
            let badges =
                views.iter().map(|view| html! { <><StatusBadge request={view} now={*now} />{ " " }</> });
            (None, badges.collect())
        }
        Part::Edit => {
            let on_refused = Callback::from(|refusal| hooks::note(&Intent::Refused(refusal)));
            let dialog = html! {
                <EditDialog tool={&call.tool} text={&call.args_text} schema={call.args_schema.clone()} arm_delay={look.arm_delay}
                    on_edit={on_words} {on_cancel} {on_refused} />
            };
            let dialog = if *opened == Opened::Edit { dialog } else { Html::default() };
            (Some(open("Edit it here", Opened::Edit)), dialog)
        }
        Part::Words => {
            let on_reject = Callback::from(move |reason: Option<Arc<str>>| {
                tell(reason.map_or(AttrValue::Static("no reason"), |reason| reason.to_string().into()));
            });
            let form = match *opened {
                Opened::Reject => {
                    html! { <RejectForm tool={Some(Arc::clone(&call.tool))} {on_reject} {on_cancel} /> }
                }
                Opened::Respond => {
                    html! { <RespondDialog tool={&call.tool} on_respond={on_words} {on_cancel} /> }
                }
                _ => Html::default(),
            };
            let buttons = html! { <>{ open("No, because", Opened::Reject) }{ open("Say this instead", Opened::Respond) }</> };
            (Some(buttons), form)
        }
        Part::Questions(questions) => {
            let on_answer =
                Callback::from(move |answers: Vec<Vec<String>>| tell(json!(answers).to_string().into()));
            (None, html! { <QuestionForm tool={&call.tool} {questions} {on_answer} /> })
        }
        Part::Batch => {
            let on_intent = Callback::from(|intent| hooks::note(&intent));
            let drawn = html! {
                <>
                    <BatchBar requests={views} {on_intent} now={*now} arm_delay={look.arm_delay} />
                    <LiveRegion requests={views} now={*now} />
                </>
            };
            (None, drawn)
        }
        Part::History => {
            let on_export = Callback::from(move |()| tell(AttrValue::Static("the record")));
            (None, html! { <History requests={views} {on_export} /> })
        }
        Part::Grants(grants) => {
            let on_revoke = Callback::from(move |grant: String| tell(grant.into()));
            (None, html! { <GrantList {grants} {on_revoke} open=true /> })
        }
    };
    html! {
        <div class="part">
            if let Some(beside) = beside { <div class="part-acts">{ beside }</div> }
            <ContextProvider<Catalogue> context={look.words.clone()}>
                <Shadow tag="countersign-part" theme={look.theme} density={look.density}>{ drawn }</Shadow>
            </ContextProvider<Catalogue>>
            <output>{ (*told).clone() }</output>
        </div>
    }
}

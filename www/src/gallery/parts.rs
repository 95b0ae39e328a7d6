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

/// What a part has reported, and what of it is open.
#[derive(Clone)]
struct Told {
    words: UseStateHandle<Option<AttrValue>>,
    opened: UseStateHandle<Opened>,
}

impl Told {
    /// Takes up what a part reports, in these words; what is open closes.
    fn on<T: 'static>(&self, words: impl Fn(T) -> AttrValue + 'static) -> Callback<T> {
        let told = self.clone();
        Callback::from(move |report| {
            told.words.set(Some(words(report)));
            told.opened.set(Opened::Nothing);
        })
    }

    fn on_cancel(&self) -> Callback<()> {
        let opened = self.opened.clone();
        Callback::from(move |()| opened.set(Opened::Nothing))
    }

    /// A button of the page.
    fn opener(&self, label: &'static str, what: Opened) -> Html {
        let opened = self.opened.clone();
        html! { <button onclick={move |_| opened.set(what)}>{ label }</button> }
    }
}

/// A part alone in a shadow root. What it reports is shown, as text, in the page.
#[component]
pub(crate) fn Place(props: &PlaceProps) -> Html {
    let PlaceProps { part, views, look, .. } = props;
    let told = Told { words: use_state(|| None::<AttrValue>), opened: use_state(|| Opened::Nothing) };
    let Some(call) = views.first() else { return Html::default() };
    let beside = match part {
        Part::Edit => Some(told.opener("Edit it here", Opened::Edit)),
        Part::Words => {
            let reject = told.opener("No, because", Opened::Reject);
            Some(html! { <>{ reject }{ told.opener("Say this instead", Opened::Respond) }</> })
        }
        _ => None,
    };
    html! {
        <div class="part">
            if let Some(beside) = beside { <div class="part-acts">{ beside }</div> }
            <ContextProvider<Catalogue> context={look.words.clone()}>
                <Shadow tag="countersign-part" theme={look.theme} density={look.density}>
                    { drawn(props, call, &told) }
                </Shadow>
            </ContextProvider<Catalogue>>
            <output>{ (*told.words).clone() }</output>
        </div>
    }
}

/// The part itself.
fn drawn(props: &PlaceProps, call: &RequestView, told: &Told) -> Html {
    let PlaceProps { part, views, now, look } = props;
    let schema = call.args_schema.clone();
    match part {
        Part::Arguments => html! { <ArgumentsView text={&call.args_text} {schema} /> },
        Part::Changes { after } => html! { <ChangesView before={&call.args_text} {after} {schema} /> },
        Part::Status => {
            let badge = |view| html! { <><StatusBadge request={view} now={*now} />{ " " }</> };
            views.iter().map(badge).collect()
        }
        Part::Edit => edit(call, look, told),
        Part::Words => words(call, told),
        Part::Questions(questions) => {
            let on_answer = told.on(|answers: Vec<Vec<String>>| json!(answers).to_string().into());
            html! { <QuestionForm tool={&call.tool} {questions} {on_answer} /> }
        }
        Part::Batch => {
            let on_intent = Callback::from(|intent| hooks::note(&intent));
            html! {
                <>
                    <BatchBar requests={views} {on_intent} now={*now} arm_delay={look.arm_delay} />
                    <LiveRegion requests={views} now={*now} />
                </>
            }
        }
        Part::History => {
            html! { <History requests={views} on_export={told.on(|()| AttrValue::Static("the record"))} /> }
        }
        Part::Grants(grants) => {
            html! { <GrantList {grants} on_revoke={told.on(|grant: String| grant.into())} open=true /> }
        }
    }
}

fn edit(call: &RequestView, look: &Look, told: &Told) -> Html {
    if *told.opened != Opened::Edit {
        return Html::default();
    }
    let on_refused = Callback::from(|refusal| hooks::note(&Intent::Refused(refusal)));
    html! {
        <EditDialog tool={&call.tool} text={&call.args_text} schema={call.args_schema.clone()} arm_delay={look.arm_delay}
            on_edit={told.on(said)} on_cancel={told.on_cancel()} {on_refused} />
    }
}

fn words(call: &RequestView, told: &Told) -> Html {
    let on_cancel = told.on_cancel();
    match *told.opened {
        Opened::Reject => {
            let on_reject =
                told.on(|reason: Option<Arc<str>>| reason.map_or(AttrValue::Static("no reason"), said));
            html! { <RejectForm tool={Some(Arc::clone(&call.tool))} {on_reject} {on_cancel} /> }
        }
        Opened::Respond => {
            html! { <RespondDialog tool={&call.tool} on_respond={told.on(said)} {on_cancel} /> }
        }
        _ => Html::default(),
    }
}

fn said(words: Arc<str>) -> AttrValue {
    words.to_string().into()
}

//! Why something is rejected, asked in place.

use countersign_core::Words;
use web_sys::{Element, HtmlTextAreaElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use crate::arming::is_genuine;
use crate::controls::Button;
use crate::messages::use_messages;
use crate::text::words;

/// Properties of [`ReasonForm`].
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct ReasonFormProps {
    /// What makes the ids of its elements unique.
    pub id: AttrValue,
    /// The tool, escaped; absent when several calls are rejected.
    #[prop_or_default]
    pub tool: Option<AttrValue>,
    /// What becomes of the reason.
    pub words: Words,
    /// The rejection was confirmed; with the reason, verbatim, if one was typed.
    pub on_send: Callback<Option<String>>,
    /// The form was closed without a decision.
    pub on_cancel: Callback<()>,
}

/// A field for the reason, a button that rejects and one that does not.
#[component]
pub(crate) fn ReasonForm(props: &ReasonFormProps) -> Html {
    let messages = use_messages();
    let form = use_node_ref();
    let field = use_node_ref();
    let filled = use_state(|| false);
    {
        let (form, field) = (form.clone(), field.clone());
        // A person opened the form: that is where the next key belongs.
        use_effect_with((), move |()| {
            super::focus(&field);
            if let Some(form) = form.cast::<Element>() {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                form.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    }
    let required = props.words == Words::Required;
    let send = {
        let (field, on_send) = (field.clone(), props.on_send.clone());
        move || {
            let reason = field.cast::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            let empty = reason.trim().is_empty();
            if !(required && empty) {
                on_send.emit((!empty).then_some(reason));
            }
        }
    };
    let on_input = {
        let filled = filled.clone();
        Callback::from(move |event: InputEvent| {
            let value = event.target_dyn_into::<HtmlTextAreaElement>().map(|field| field.value());
            filled.set(value.is_some_and(|value| !value.trim().is_empty()));
        })
    };
    let on_key = {
        let (send, on_cancel) = (send.clone(), props.on_cancel.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.is_composing() || event.repeat() || !is_genuine(&event) {
                return;
            }
            match event.key().as_str() {
                "Escape" => {
                    event.prevent_default();
                    event.stop_propagation();
                    on_cancel.emit(());
                }
                "Enter" if event.ctrl_key() || event.meta_key() => {
                    event.prevent_default();
                    event.stop_propagation();
                    send();
                }
                _ => {}
            }
        })
    };
    let on_send = Callback::from(move |()| send());
    let id = |role: &str| AttrValue::from(["cs-", &props.id, "-", role].concat());
    let help = match props.words {
        Words::Sent => Some(messages.reason_sent()),
        Words::Local => Some(messages.reason_local()),
        Words::Required => Some(messages.reason_required()),
        Words::None => None,
    };
    let label = messages.send_rejection();
    let name = props.tool.as_ref().map_or(label.to_string(), |tool| messages.act_on(&label, tool));
    let confirm = Button::new("send-rejection-button", "cs-button cs-refuse-now", label, on_send)
        .named(name)
        .withheld(required && !*filled);
    let cancel = Button::new("cancel-button", "cs-button", messages.cancel(), props.on_cancel.clone());
    html! {
        <form
            ref={form}
            class="cs-reason"
            part="reason"
            onkeydown={on_key}
            onsubmit={|event: SubmitEvent| event.prevent_default()}
        >
            <label class="cs-label" for={id("reason")}>{ words(messages.reason()) }</label>
            <textarea
                ref={field}
                id={id("reason")}
                class="cs-field"
                part="reason-field"
                rows="2"
                dir="auto"
                aria-describedby={help.as_ref().map(|_| id("reason-help"))}
                aria-required={required.then_some("true")}
                oninput={on_input}
            />
            if let Some(help) = help {
                <p class="cs-help" id={id("reason-help")}>{ words(help) }</p>
            }
            <div class="cs-bar">{ confirm.draw() }{ cancel.draw() }</div>
        </form>
    }
}

//! Where the person says something.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::browser;

/// Properties of [`Composer`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ComposerProps {
    /// The agent waits for a decision: typed text would end the wait.
    #[prop_or_default]
    pub waits: bool,
    /// The person said this.
    pub on_say: Callback<String>,
}

/// A text field and a button. While the agent waits for a decision, it asks before it sends.
#[component]
pub fn Composer(props: &ComposerProps) -> Html {
    let field = use_node_ref();
    let asking = use_state(|| false);
    {
        // The question is gone with its cause.
        let asking = asking.clone();
        use_effect_with(props.waits, move |_| asking.set(false));
    }
    let submit = {
        let (field, asking, on_say, waits) =
            (field.clone(), asking.clone(), props.on_say.clone(), props.waits);
        Callback::from(move |sure: bool| {
            let Some(area) = field.cast::<HtmlTextAreaElement>() else { return };
            let text = area.value().trim().to_owned();
            if text.is_empty() {
                return;
            }
            if waits && !sure {
                return asking.set(true);
            }
            area.set_value("");
            asking.set(false);
            on_say.emit(text);
        })
    };
    let on_submit = {
        let submit = submit.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            submit.emit(false);
        })
    };
    let on_key = {
        let submit = submit.clone();
        Callback::from(move |event: KeyboardEvent| {
            // Safari tells of the Enter that ends a composition only when that is over; its code gives it away.
            let composes = event.is_composing() || event.key_code() == 229;
            if event.key() == "Enter" && !event.shift_key() && !composes && !event.repeat() {
                event.prevent_default();
                submit.emit(false);
            }
        })
    };
    let send_anyway = submit.reform(|_: MouseEvent| true);
    let keep_waiting = {
        let asking = asking.clone();
        Callback::from(move |()| asking.set(false))
    };
    let on_escape = {
        let keep_waiting = keep_waiting.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                keep_waiting.emit(());
            }
        })
    };
    {
        // The question has the focus while it is there, and gives it back.
        let field = field.clone();
        use_effect_with(*asking, move |asking| {
            let is_asked = *asking;
            if is_asked {
                browser::focus(".sure button");
            }
            move || {
                let is_lost = is_asked && !browser::is_there(":focus-within");
                if let Some(area) = field.cast::<HtmlTextAreaElement>().filter(|_| is_lost) {
                    let _ = area.focus();
                }
            }
        });
    }
    html! {
        <form id="composer" class="composer" onsubmit={on_submit}>
            if props.waits {
                <p id="composer-advice" class="advice">{ "The agent waits for you. A message now ends the wait, and nothing that waits can run any more." }</p>
            }
            if *asking {
                <div class="sure" role="alertdialog" aria-labelledby="sure-question" onkeydown={on_escape}>
                    <p id="sure-question">{ "Send it all the same?" }</p>
                    <button type="button" onclick={keep_waiting.reform(|_: MouseEvent| ())}>{ "Keep waiting" }</button>
                    <button type="button" class="danger" onclick={send_anyway}>{ "Send anyway" }</button>
                </div>
            }
            <div class="field">
                <label class="unseen" for="message">{ "Message" }</label>
                <textarea id="message" name="message" rows="1" ref={field} onkeydown={on_key} placeholder="Message the agent"
                    aria-describedby={props.waits.then_some("composer-advice")} />
                <button type="submit" class="primary">{ "Send" }</button>
            </div>
        </form>
    }
}

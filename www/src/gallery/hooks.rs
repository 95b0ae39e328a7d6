//! What tests find in the console of the gallery: `window.countersignDemo`.

use std::rc::Rc;

use countersign_core::{Decision, DecisionFields, Millis, RequestView};
use countersign_yew::{Drafts, Intent, Refused, Writing};
use js_sys::{Array, JSON, Object, Reflect};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use yew::{AttrValue, Callback};

use super::sketch;

/// Cards that a test put up.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The cards.
    pub(super) views: Rc<[Rc<RequestView>]>,
    /// Each as a card that stands alone, not in a panel.
    pub(super) alone: bool,
    /// A fixed moment for countdowns.
    pub(super) now: Option<Millis>,
    /// What the host says about what people write.
    pub(super) writing: Writing,
    /// The last act that was refused.
    pub(super) refused: Option<Rc<Refused>>,
}

impl Shown {
    /// These cards, and nothing said about them.
    pub(super) fn of(views: &Rc<[Rc<RequestView>]>, alone: bool) -> Shown {
        Shown { views: Rc::clone(views), alone, now: None, writing: Writing::default(), refused: None }
    }
}

/// Offers `window.countersignDemo`.
///
/// # Shape
/// `show(views, options?)` puts up these cards, in the exhibit `shown`, in place of all exhibits. `views` is an array of
/// `RequestView` objects or its JSON text; members that are missing are those of a call that waits. `options.alone`
/// draws cards without a panel, `options.now` stops the clock. It throws where the cards cannot be read. Showing the
/// same keys again changes the cards that stand there. `options.words` is how long a reason may be, `options.presets` an
/// array of reasons, `options.drafts` keeps drafts in the session, `options.refused` is why the last act was refused, `options.refusedCode` its
/// code.
///
/// `intents` is an array of what people asked for since the page was loaded: `{"kind":"decide","request","decision",
/// "seen"}`, `{"kind":"decide-all","requests":[{"request","seen"}],"decision"}`, `{"kind":"undo"|"retry","request"}`,
/// `{"kind":"refused","code","message"}`.
pub(super) fn offer(on_show: Callback<Shown>) {
    let show = Closure::<dyn Fn(JsValue, JsValue) -> Result<(), JsValue>>::new(move |views, options| {
        let shown = read(&views, &options).map_err(|error| JsValue::from(js_sys::Error::new(&error)))?;
        on_show.emit(shown);
        Ok(())
    });
    let demo = Object::new();
    let _ = Reflect::set(&demo, &"show".into(), show.as_ref());
    let _ = Reflect::set(&demo, &"intents".into(), &Array::new());
    let _ = Reflect::set(&js_sys::global(), &"countersignDemo".into(), &demo);
    // It lives as long as the page.
    show.forget();
}

/// Writes down what a person asked for.
pub(super) fn note(intent: &Intent) {
    let Ok(demo) = Reflect::get(&js_sys::global(), &"countersignDemo".into()) else { return };
    let intents = Reflect::get(&demo, &"intents".into()).ok().and_then(|list| list.dyn_into::<Array>().ok());
    let entry = JSON::parse(&told(intent).to_string());
    if let (Some(intents), Ok(entry)) = (intents, entry) {
        intents.push(&entry);
    }
}

fn told(intent: &Intent) -> Value {
    let fields =
        |decision: &Decision| serde_json::to_value(DecisionFields::from(decision)).unwrap_or_default();
    match intent {
        Intent::Decide { request, decision, seen } => {
            json!({ "kind": "decide", "request": request, "decision": fields(decision), "seen": seen.digest })
        }
        Intent::DecideAll { requests, decision } => {
            let one = |(request, seen): &(String, countersign_core::Shown)| json!({ "request": request, "seen": seen.digest });
            let requests: Vec<Value> = requests.iter().map(one).collect();
            json!({ "kind": "decide-all", "requests": requests, "decision": fields(decision) })
        }
        Intent::Undo(request) => json!({ "kind": "undo", "request": request }),
        Intent::Retry(request) => json!({ "kind": "retry", "request": request }),
        Intent::Grant { request, seen, grant, siblings } => {
            let one = |(request, seen): &(String, countersign_core::Shown)| json!({ "request": request, "seen": seen.digest });
            let siblings: Vec<Value> = siblings.iter().map(one).collect();
            json!({ "kind": "grant", "request": request, "seen": seen.digest, "grant": grant, "siblings": siblings })
        }
        Intent::Revoke(grant) => json!({ "kind": "revoke", "grant": grant }),
        Intent::Extend(request) => json!({ "kind": "extend", "request": request }),
        Intent::Export => json!({ "kind": "export" }),
        Intent::Refused(refusal) => {
            json!({ "kind": "refused", "code": refusal.code(), "message": refusal.to_string() })
        }
    }
}

fn read(views: &JsValue, options: &JsValue) -> Result<Shown, String> {
    let text = match views.as_string() {
        Some(text) => text,
        None => {
            JSON::stringify(views).ok().and_then(|text| text.as_string()).ok_or("the cards are not JSON")?
        }
    };
    let option = |name: &str| Reflect::get(options, &name.into()).unwrap_or_default();
    let views: Rc<[Rc<RequestView>]> = sketch::read(&text)?.into();
    let presets = option("presets").dyn_into::<Array>().unwrap_or_default();
    Ok(Shown {
        alone: option("alone").is_truthy(),
        // Milliseconds since the epoch fit the 53 bits of the number.
        now: option("now").as_f64().map(|now| Millis(now as u64)),
        refused: option("refused").as_string().map(|message| {
            let request = views.first().map(|view| view.id.clone()).unwrap_or_default();
            let code = option("refusedCode").as_string();
            let code = code.and_then(|code| serde_json::from_value(Value::String(code)).ok());
            Rc::new(Refused { request, code, message, more_time: false })
        }),
        writing: Writing {
            words: option("words").as_f64().map_or(Writing::default().words, |words| words as usize),
            rejection_presets: presets
                .iter()
                .filter_map(|text| text.as_string())
                .map(AttrValue::from)
                .collect(),
            drafts: if option("drafts").is_truthy() { Drafts::session() } else { Drafts::none() },
            edit_risk: None,
        },
        views,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_asked_for_is_told_as_json() {
        let seen = countersign_core::Shown { digest: Some("3f9a".into()), tool: Some("pay".into()) };
        let one =
            Intent::Decide { request: "g/r1".into(), decision: Decision::approve(), seen: seen.clone() };
        let expected =
            json!({"kind": "decide", "request": "g/r1", "decision": {"kind": "approve"}, "seen": "3f9a"});
        assert_eq!(told(&one), expected);
        let all =
            Intent::DecideAll { requests: vec![("g/r1".into(), seen)], decision: Decision::reject(None) };
        assert_eq!(told(&all)["requests"], json!([{"request": "g/r1", "seen": "3f9a"}]));
        assert_eq!(told(&Intent::Undo("g/r1".into())), json!({"kind": "undo", "request": "g/r1"}));
    }
}

//! What tests and curious people find in the console: `window.countersignDemo`.

use countersign_core::{Decision, DecisionFields};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::systems::script::Executed;

/// Offers `window.countersignDemo` with two functions.
///
/// # Shape
/// `executed()` returns what the simulated agent ran, as an array of `{ tool, args }`, `args` as the exact JSON text.
///
/// `decide(request, decision)` decides what a card shows now, as if its buttons had been pressed. `request` is the
/// card's `data-request`, `decision` the text of a [`DecisionFields`] object, such as
/// `{"kind":"edit","args":"{\"path\":\"/b\"}"}`. It throws where the text is no decision; a refusal of the inbox is
/// shown by the page.
pub(crate) fn offer(
    executed: impl Fn() -> Vec<Executed> + 'static,
    decide: impl Fn(String, Decision) + 'static,
) {
    let executed = Closure::<dyn Fn() -> Array>::new(move || executed().into_iter().map(object).collect());
    let decide = Closure::<dyn Fn(String, String) -> Result<(), JsValue>>::new(
        move |request: String, text: String| {
            let decision = read(&text).map_err(|error| JsValue::from(js_sys::Error::new(&error)))?;
            decide(request, decision);
            Ok(())
        },
    );
    let demo = Object::new();
    let _ = Reflect::set(&demo, &"executed".into(), executed.as_ref());
    let _ = Reflect::set(&demo, &"decide".into(), decide.as_ref());
    let _ = Reflect::set(&js_sys::global(), &"countersignDemo".into(), &demo);
    // They live as long as the page.
    executed.forget();
    decide.forget();
}

fn object(call: Executed) -> Object {
    let object = Object::new();
    let _ = Reflect::set(&object, &"tool".into(), &call.tool.into());
    let _ = Reflect::set(&object, &"args".into(), &call.args.into());
    object
}

fn read(text: &str) -> Result<Decision, String> {
    let fields: DecisionFields = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Decision::try_from(fields).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_read_or_its_fault_is_said() {
        let edit = Decision::Edit { args: r#"{"n":1.0}"#.into(), note: None };
        assert_eq!(read(r#"{"kind":"edit","args":"{\"n\":1.0}"}"#), Ok(edit));
        assert_eq!(read(r#"{"kind":"edit"}"#), Err("a decision of kind `edit` needs `args`".to_owned()));
        assert!(read("approve").is_err());
    }
}

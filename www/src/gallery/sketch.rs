//! Cards from JSON that says only what matters.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::RequestView;
use serde_json::Value;

use super::states::call;

/// The cards in the text of a JSON array of `RequestView` objects.
///
/// # Shape
/// Members that are missing are those of a call that waits. Without `argsDigest` it is worked out, without `hazards` and
/// `inspectable` the arguments are looked at, so that a few members make a true card. `key` counts from one.
///
/// # Errors
/// One sentence.
pub(super) fn read(text: &str) -> Result<Vec<Rc<RequestView>>, String> {
    let cards: Vec<Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    cards.into_iter().zip(1..).map(|(card, key)| one(card, key).map(Rc::new)).collect()
}

fn one(given: Value, key: u32) -> Result<RequestView, String> {
    let Value::Object(given) = given else { return Err("a card is an object".to_owned()) };
    let mut whole = serde_json::to_value(call(key, "tool", "{}")).map_err(|error| error.to_string())?;
    let has = |name| given.contains_key(name);
    let (digested, inspected) = (has("argsDigest"), has("hazards") || has("inspectable"));
    if let Some(members) = whole.as_object_mut() {
        members.extend(given);
    }
    let mut view: RequestView = serde_json::from_value(whole).map_err(|error| error.to_string())?;
    let looked_at = RequestView::of_call(key, "", Arc::clone(&view.args_text));
    if !digested {
        view.args_digest = looked_at.args_digest;
    }
    if !inspected {
        (view.inspectable, view.hazards) = (looked_at.inspectable, looked_at.hazards);
    }
    Ok(view)
}

#[cfg(test)]
mod tests {
    use countersign_json::sha256_hex;

    use super::*;

    #[test]
    fn a_few_members_make_a_card() {
        let cards =
            read(r#"[{"tool":"a","argsText":"{\"x\":1,\"x\":2}"},{"status":"sent","key":9}]"#).unwrap();
        assert_eq!((cards[0].key, &*cards[0].tool, cards[0].inspectable), (1, "a", false));
        assert_eq!(cards[0].hazards[0].code, "duplicate-key");
        assert_eq!(&*cards[0].args_digest, sha256_hex(&cards[0].args_text));
        assert_eq!((cards[1].key, cards[1].status.as_str()), (9, "sent"));
    }

    #[test]
    fn what_is_no_card_is_told() {
        assert!(read("{}").is_err() && read("[1]").is_err());
        assert!(read(r#"[{"status":"asleep"}]"#).unwrap_err().contains("asleep"));
    }
}

//! Many names looked up in one object.

use countersign_core::Text;
use countersign_core::collections::Groups;
use countersign_json::Value;

/// After so many names an index is made of the object: before, a look at its keys is cheaper.
const FEW: u32 = 16;

/// The members of an object, where many names may be looked up in it.
#[derive(Default)]
pub(crate) struct Lookup<'v> {
    object: Option<Value<'v>>,
    looked_up: u32,
    names: Groups,
    values: Vec<Value<'v>>,
}

impl<'v> Lookup<'v> {
    /// Nothing is found in what is no object.
    pub(crate) fn new(object: Option<Value<'v>>) -> Lookup<'v> {
        Lookup { object, ..Lookup::default() }
    }

    /// The value of the last member of that name, as [`Value::get`] finds it.
    pub(crate) fn get(&mut self, name: &str) -> Option<Value<'v>> {
        let object = self.object?;
        if self.looked_up < FEW {
            self.looked_up += 1;
            return object.get(name);
        }
        if self.values.is_empty() {
            for (at, (key, value)) in (0..).zip(object.members()) {
                self.values.push(value);
                // A key that is no text has no name.
                if let Some(key) = key.as_str() {
                    self.names.push(&Text::from(&*key), at);
                }
            }
        }
        self.values.get(*self.names.get(name).last()? as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use countersign_json::{Document, Limits};

    use super::{FEW, Lookup};

    #[test]
    fn a_name_is_found_as_without_an_index() {
        let text = r#"{"a":1,"b":2,"\u0061":3,"\ud800":4,"":5}"#;
        let document = Document::parse(text, &Limits::default()).unwrap();
        let mut lookup = Lookup::new(Some(document.root()));
        for _ in 0..=FEW {
            for name in ["a", "b", "c", "", "\u{fffd}"] {
                let text =
                    |value: Option<countersign_json::Value<'_>>| value.map(|value| value.text().to_owned());
                assert_eq!(text(lookup.get(name)), text(document.root().get(name)), "{name}");
            }
        }
        assert_eq!(lookup.values.len(), 5);
        assert!(Lookup::new(None).get("a").is_none());
    }
}

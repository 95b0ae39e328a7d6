//! What a recorded trace and a simulated agent must have in common: the shapes of their texts.

use serde_json::Value;

/// How the texts of a wire are compared.
pub(super) struct Shapes {
    /// Members whose texts are words of the protocol.
    pub kept: &'static [&'static str],
    /// The shape of a member's value that this wire compares in its own way.
    pub own: fn(&str, &Value) -> Option<String>,
}

/// A recorded trace, in shapes.
pub(super) struct Recorded {
    /// What was received, split where a decision was delivered.
    pub streams: Vec<Vec<String>>,
    /// What was restored last.
    pub history: Value,
}

impl Shapes {
    /// A value without what differs from run to run: members sorted, words of the protocol kept, everything else its type.
    pub(super) fn of(&self, key: &str, value: &Value) -> String {
        if let Some(shape) = (self.own)(key, value) {
            return shape;
        }
        match value {
            Value::Object(members) => {
                let mut shapes: Vec<String> =
                    members.iter().map(|(key, it)| format!("{key}:{}", self.of(key, it))).collect();
                shapes.sort();
                format!("{{{}}}", shapes.join(","))
            }
            Value::Array(items) => self.list(key, items),
            Value::String(text) if self.kept.contains(&key) => text.clone(),
            Value::String(_) => "text".to_owned(),
            Value::Number(_) => "number".to_owned(),
            other => other.to_string(),
        }
    }

    /// The items of the list that is the value of this member.
    pub(super) fn list<'v>(&self, key: &str, items: impl IntoIterator<Item = &'v Value>) -> String {
        let shapes: Vec<String> = items.into_iter().map(|it| self.of(key, it)).collect();
        format!("[{}]", shapes.join(","))
    }

    pub(super) fn of_text(&self, text: &str) -> String {
        self.of("", &json(text))
    }

    pub(super) fn of_texts(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.of_text(text)).collect()
    }

    pub(super) fn recorded(&self, trace: &str) -> Recorded {
        let mut recorded = Recorded { streams: vec![Vec::new()], history: Value::Null };
        for step in json(trace)["steps"].as_array().expect("steps") {
            if let Some(text) = step.get("receive") {
                recorded.streams.last_mut().expect("a stream").push(self.of("", text));
            } else if step.get("delivered").is_some() {
                recorded.streams.push(Vec::new());
            } else if let Some(history) = step.get("restore") {
                recorded.history = history.clone();
            }
        }
        recorded
    }
}

pub(super) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

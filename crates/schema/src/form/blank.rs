//! A value to start with.

use countersign_json::{Value, Writer};

use super::describe::{preferred, whole};
use super::facets::Facets;
use super::{Form, Node};
use crate::types::Types;

/// How deep a new value reaches, how many values it has and how many items a new list.
const DEPTH: usize = 8;
const VALUES: usize = 200;
const ITEMS: usize = 16;

/// The JSON text of a new value at this node.
pub(super) fn blank(form: &Form<'_>, node: &Node) -> String {
    let mut blank = Blank { form, writer: Writer::new(), left: VALUES };
    blank.value(node, 0);
    blank.writer.finish()
}

struct Blank<'f, 's> {
    form: &'f Form<'s>,
    writer: Writer,
    left: usize,
}

impl Blank<'_, '_> {
    fn value(&mut self, node: &Node, depth: usize) {
        self.left = self.left.saturating_sub(1);
        let facets = Facets::of(self.form, node);
        let first = |choices: Value<'_>| choices.items().next().map(|choice| choice.text().to_owned());
        // Who wants a value gets one: `null` is what stands there without it.
        let is_meant = |value: &Value<'_>| depth > 0 || !value.is_null() || facets.types == Types::NULL;
        let given = facets
            .note("default")
            .filter(is_meant)
            .or(facets.first("const"))
            .map(|value| value.text().to_owned())
            .or(facets.first("enum").and_then(first));
        if let Some(given) = given {
            self.writer.raw(&given);
            return;
        }
        let is_over = depth >= DEPTH || self.left == 0;
        if let Some(branch) = facets.branches.first().filter(|_| !is_over) {
            return self.value(&facets.branch(*branch), depth + 1);
        }
        let types = if facets.typed { facets.types } else { preferred(&facets, None) };
        let text = match types.each().next().map(|(types, ..)| types) {
            Some(Types::OBJECT) => return self.object(&facets, is_over, depth),
            Some(Types::ARRAY) => return self.array(&facets, is_over, depth),
            Some(Types::STRING) => "\"\"",
            Some(Types::NUMBER | Types::INTEGER) => number(&facets),
            Some(Types::BOOLEAN) => "false",
            _ => "null",
        };
        self.writer.raw(text);
    }

    fn object(&mut self, facets: &Facets<'_>, is_over: bool, depth: usize) {
        self.writer.begin_object();
        let mut known: Vec<String> = Vec::new();
        for name in facets.names().chain(facets.all("required").flat_map(Value::items)) {
            let Some(name) = name.as_str() else { continue };
            if !is_over && self.left > 0 && facets.requires(&name) && known.iter().all(|known| *known != name)
            {
                self.writer.key(&name);
                self.value(&facets.member(&name), depth + 1);
                known.push(name.into_owned());
            }
        }
        self.writer.end_object();
    }

    fn array(&mut self, facets: &Facets<'_>, is_over: bool, depth: usize) {
        self.writer.begin_array();
        for index in 0..whole(facets, "minItems").unwrap_or(0).min(ITEMS) {
            if !is_over && self.left > 0 {
                self.value(&facets.item(index), depth + 1);
            }
        }
        self.writer.end_array();
    }
}

/// Zero, or the limit that zero is beyond.
fn number<'s>(facets: &Facets<'s>) -> &'s str {
    let limit = |keyword| facets.first(keyword).and_then(Value::as_number);
    let is_positive =
        |limit: &&str| !limit.starts_with('-') && limit.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let is_negative = |limit: &&str| limit.starts_with('-');
    let least = limit("minimum").filter(is_positive);
    let most = limit("maximum").filter(is_negative);
    least.or(most).unwrap_or("0")
}

//! Printing a value with other white space; everything else stays as it stands in the text.

use crate::value::Value;
use crate::walk::{Step, Walk};

/// Deeper containers are printed on one line, or the indentation would outgrow the text.
const MOST_LEVELS: usize = 64;

/// The value without white space between its parts.
#[must_use]
pub fn compact(value: Value<'_>) -> String {
    print(value, 0)
}

/// The value on many lines, two spaces for each level.
///
/// Empty containers, and what stands deeper than 64 levels, are kept on one line.
#[must_use]
pub fn pretty(value: Value<'_>) -> String {
    print(value, MOST_LEVELS)
}

fn print(value: Value<'_>, levels: usize) -> String {
    let mut text = String::with_capacity(value.span().len());
    let mut walk = Walk::new(value);
    let mut first = true;
    let mut after_key = false;
    while let Some(step) = walk.next() {
        let depth = walk.depth();
        match step {
            Step::Open(container) => {
                separate(&mut text, after_key || depth == 1, first, depth - 1, levels);
                text.push(if container.is_object() { '{' } else { '[' });
                (first, after_key) = (true, false);
            }
            Step::Close(container) => {
                if !first {
                    // What the container holds stood one level deeper.
                    break_line(&mut text, depth, depth + 1, levels);
                }
                text.push(if container.is_object() { '}' } else { ']' });
                first = false;
            }
            Step::Key(key) => {
                separate(&mut text, false, first, depth, levels);
                text.push_str(key.text());
                text.push_str(if depth <= levels { ": " } else { ":" });
                (first, after_key) = (false, true);
            }
            Step::Leaf(leaf) => {
                separate(&mut text, after_key || depth == 0, first, depth, levels);
                text.push_str(leaf.text());
                (first, after_key) = (false, false);
            }
        }
    }
    text
}

/// Writes what stands before a key or an item: a comma and a new line, as needed.
fn separate(text: &mut String, attached: bool, first: bool, depth: usize, levels: usize) {
    if attached {
        return;
    }
    if !first {
        text.push(',');
    }
    break_line(text, depth, depth, levels);
}

fn break_line(text: &mut String, indentation: usize, depth: usize, levels: usize) {
    if depth <= levels {
        text.push('\n');
        for _ in 0..indentation {
            text.push_str("  ");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::limits::Limits;

    const TEXT: &str = r#" { "a" : [ 1.00 , { } , [ ] , { "\u0062" : "x\/y" } ] , "c" : null } "#;

    #[test]
    fn compact_drops_white_space_only() {
        let document = Document::parse(TEXT, &Limits::default()).unwrap();
        assert_eq!(compact(document.root()), r#"{"a":[1.00,{},[],{"\u0062":"x\/y"}],"c":null}"#);
    }

    #[test]
    fn pretty_indents_by_two_spaces_and_keeps_every_spelling() {
        let document = Document::parse(TEXT, &Limits::default()).unwrap();
        let lines = [
            "{",
            "  \"a\": [",
            "    1.00,",
            "    {},",
            "    [],",
            "    {",
            "      \"\\u0062\": \"x\\/y\"",
            "    }",
            "  ],",
            "  \"c\": null",
            "}",
        ];
        assert_eq!(pretty(document.root()), lines.join("\n"));
        for leaf in ["1", "\"x\"", "[]", "{}"] {
            let document = Document::parse(leaf, &Limits::default()).unwrap();
            assert_eq!(
                (pretty(document.root()), compact(document.root())),
                (leaf.to_string(), leaf.to_string())
            );
        }
    }

    #[test]
    fn deep_values_do_not_grow_with_the_square_of_their_depth() {
        let text = format!("{}1,2{}", "[".repeat(100_000), "]".repeat(100_000));
        let document = Document::parse(&text, &Limits::default()).unwrap();
        assert!(pretty(document.root()).len() < text.len() + 20_000);
        assert_eq!(compact(document.root()), text);
    }

    #[test]
    fn a_part_is_printed_from_its_own_margin() {
        let document = Document::parse(r#"{"a":{"b":[1]}}"#, &Limits::default()).unwrap();
        let part = document.root().pointer("/a").unwrap();
        assert_eq!(pretty(part), "{\n  \"b\": [\n    1\n  ]\n}");
    }
}

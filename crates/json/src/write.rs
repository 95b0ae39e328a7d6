//! Writing JSON text.

use crate::string::plain;

/// Builds one JSON text, and sets the commas by itself.
///
/// What is still open at the end is closed by [`Writer::finish`].
///
/// ```
/// use countersign_json::Writer;
///
/// let mut writer = Writer::new();
/// writer.begin_object().key("id").string("c1").key("args").raw("{\"n\":1.00}");
/// writer.key("tags").begin_array().integer(1).null().end_array().end_object();
/// assert_eq!(writer.finish(), r#"{"id":"c1","args":{"n":1.00},"tags":[1,null]}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Writer {
    text: String,
    /// The closing characters of what is open, innermost last.
    open: Vec<char>,
    /// Whether a comma is due before the next key or value.
    comma: bool,
}

impl Writer {
    /// An empty text.
    #[must_use]
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Starts an object.
    pub fn begin_object(&mut self) -> &mut Self {
        self.begin('{', '}')
    }

    /// Ends the innermost object.
    pub fn end_object(&mut self) -> &mut Self {
        self.end()
    }

    /// Starts an array.
    pub fn begin_array(&mut self) -> &mut Self {
        self.begin('[', ']')
    }

    /// Ends the innermost array.
    pub fn end_array(&mut self) -> &mut Self {
        self.end()
    }

    /// Writes the key of the next value.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.separate();
        quote_into(&mut self.text, key);
        self.colon()
    }

    /// Writes the key of the next value as it stands in a source text, with its quotes.
    pub fn raw_key(&mut self, key: &str) -> &mut Self {
        self.separate();
        self.text.push_str(key);
        self.colon()
    }

    /// Writes a string, escaped where JSON demands it.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.separate();
        quote_into(&mut self.text, text);
        self.comma = true;
        self
    }

    /// Writes one valid JSON text as it is; it is not checked.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate();
        self.text.push_str(json);
        self.comma = true;
        self
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { "true" } else { "false" })
    }

    /// Writes `null`.
    pub fn null(&mut self) -> &mut Self {
        self.raw("null")
    }

    /// Writes a whole number.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.raw(&value.to_string())
    }

    /// Closes what is open and returns the text.
    #[must_use]
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text
    }

    fn begin(&mut self, opening: char, closing: char) -> &mut Self {
        self.separate();
        self.text.push(opening);
        self.open.push(closing);
        self.comma = false;
        self
    }

    fn end(&mut self) -> &mut Self {
        if let Some(closing) = self.open.pop() {
            self.text.push(closing);
        }
        self.comma = true;
        self
    }

    fn colon(&mut self) -> &mut Self {
        self.text.push(':');
        self.comma = false;
        self
    }

    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
    }
}

/// The JSON string literal of `text`: quotes, backslashes and control characters are escaped.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    quote_into(&mut literal, text);
    literal
}

fn quote_into(literal: &mut String, text: &str) {
    literal.push('"');
    let mut rest = text;
    loop {
        let (before, after) = rest.split_at_checked(plain(rest.as_bytes(), 0)).unwrap_or((rest, ""));
        literal.push_str(before);
        let mut characters = after.chars();
        match characters.next() {
            Some('"') => literal.push_str("\\\""),
            Some('\\') => literal.push_str("\\\\"),
            Some('\u{8}') => literal.push_str("\\b"),
            Some('\t') => literal.push_str("\\t"),
            Some('\n') => literal.push_str("\\n"),
            Some('\u{c}') => literal.push_str("\\f"),
            Some('\r') => literal.push_str("\\r"),
            Some(other) => {
                literal.push_str("\\u00");
                for digit in [u32::from(other) >> 4, u32::from(other) & 0xF] {
                    literal.push(char::from_digit(digit, 16).unwrap_or('0'));
                }
            }
            None => break,
        }
        rest = characters.as_str();
    }
    literal.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_values_only() {
        let mut writer = Writer::new();
        writer.begin_array().begin_object().end_object().begin_array().end_array().bool(true);
        writer.begin_object().key("a").null().key("b").integer(-7).end_object().end_array();
        assert_eq!(writer.finish(), r#"[{},[],true,{"a":null,"b":-7}]"#);
    }

    #[test]
    fn finish_closes_what_is_open() {
        let mut writer = Writer::new();
        writer.begin_object().key("a").begin_array().string("x");
        assert_eq!(writer.finish(), r#"{"a":["x"]}"#);
    }

    #[test]
    fn quote_escapes_what_json_demands_and_nothing_else() {
        assert_eq!(
            quote("a\"\\/\n\u{1}\u{1f}\u{7f}é\u{2028}"),
            "\"a\\\"\\\\/\\n\\u0001\\u001f\u{7f}é\u{2028}\""
        );
        assert_eq!(quote(""), "\"\"");
    }
}

//! Whether arguments are those that were seen before.

use std::cell::OnceCell;

use countersign_core::ArgsText;
use countersign_json::{Document, Limits, Numbers, Value, same};

/// The arguments of a call that is remembered. Each is read at most once more, with however many calls it shares its id.
pub(super) struct Arguments {
    pub(super) text: ArgsText,
    mark: OnceCell<u32>,
}

/// Arguments as they stand in a message.
pub(super) struct Shown<'v> {
    value: Option<Value<'v>>,
    mark: OnceCell<u32>,
}

impl From<ArgsText> for Arguments {
    fn from(text: ArgsText) -> Arguments {
        Arguments { text, mark: OnceCell::new() }
    }
}

impl<'v> From<Option<Value<'v>>> for Shown<'v> {
    fn from(value: Option<Value<'v>>) -> Shown<'v> {
        Shown { value, mark: OnceCell::new() }
    }
}

impl Arguments {
    /// Whether these are the same, however they are written.
    pub(super) fn are(&self, shown: &Shown<'_>) -> bool {
        let Some(value) = shown.value else { return false };
        if value.text() == self.text.as_str() {
            return true;
        }
        Some(self.mark()) == shown.mark()
            && self.read().is_some_and(|document| same(document.root(), value, Numbers::Value))
    }

    /// What only arguments with the same content share with them, or nearly.
    pub(super) fn mark(&self) -> u32 {
        *self.mark.get_or_init(|| self.read().map_or(0, |document| mark(document.root(), DEPTH)))
    }

    fn read(&self) -> Option<Document<'_>> {
        Document::parse(self.text.as_str(), &Limits::default()).ok()
    }
}

impl Shown<'_> {
    /// The same of these, where there are any.
    pub(super) fn mark(&self) -> Option<u32> {
        self.value.map(|value| *self.mark.get_or_init(|| mark(value, DEPTH)))
    }
}

/// How deep into arguments a mark goes.
const DEPTH: u32 = 8;

/// A number that is the same for the same content, and seldom for another.
fn mark(value: Value<'_>, depth: u32) -> u32 {
    let join = |mark: u32, part: u32| (mark ^ part).wrapping_mul(0x0100_0193);
    let whole = |text: &str| text.bytes().map(u32::from).fold(1, join);
    if depth == 0 {
        return 0;
    }
    if value.is_object() {
        let member = |(key, value): (Value<'_>, Value<'_>)| join(mark(key, 1), mark(value, depth - 1));
        return value.members().map(member).fold(2, u32::wrapping_add);
    }
    if value.is_array() {
        return value.items().map(|item| mark(item, depth - 1)).fold(3, join);
    }
    match (value.as_number(), value.as_str_lossy()) {
        // `100`, `100.0` and `1e2` are the same.
        (Some(number), _) => {
            let digits = number.bytes().take_while(|byte| !byte.eq_ignore_ascii_case(&b'e'));
            digits.filter(|byte| (b'1'..=b'9').contains(byte)).map(u32::from).fold(4, join)
        }
        (None, Some(text)) => whole(&text),
        (None, None) => whole(value.text()),
    }
}

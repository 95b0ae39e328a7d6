//! Whether arguments are those that were seen before.

use std::cell::OnceCell;

use countersign_core::ArgsText;
use countersign_json::{Document, Limits, Numbers, Value, mark, same};

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
const DEPTH: u8 = 8;

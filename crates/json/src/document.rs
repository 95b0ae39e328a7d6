//! The index of a text: what one pass over it leaves behind.

use std::fmt;

use crate::error::{ParseError, ParseErrorCode};
use crate::limits::Limits;
use crate::parse;
use crate::value::Value;

/// One JSON text and the index of its values; nothing of the text is copied.
///
/// # Shape
/// Twelve bytes for each value and each key, in the order of the text.
pub struct Document<'t> {
    text: &'t str,
    tape: Tape,
}

/// The index of no text.
static NOTHING: Document<'static> = Document { text: "", tape: Tape { nodes: Vec::new(), values: 0 } };

impl<'t> Document<'t> {
    /// An index without values.
    pub(crate) fn nothing() -> &'t Document<'t> {
        &NOTHING
    }

    /// Reads `text` in one pass.
    ///
    /// Lone surrogates and repeated keys are no errors here, so that an envelope stays readable;
    /// [`inspect`](crate::inspect) reports them.
    ///
    /// # Errors
    /// Everything that RFC 8259 forbids, and what is beyond `limits`.
    pub fn parse(text: &'t str, limits: &Limits) -> Result<Document<'t>, ParseError> {
        Ok(Document { text, tape: parse::tape(text, limits)? })
    }

    /// Reads UTF-8 `bytes` in one pass.
    ///
    /// # Errors
    /// As [`Document::parse`], and [`ParseErrorCode::InvalidUtf8`].
    pub fn parse_bytes(bytes: &'t [u8], limits: &Limits) -> Result<Document<'t>, ParseError> {
        parse::check_size(bytes, limits)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Document::parse(text, limits),
            Err(error) => Err(ParseError::new(ParseErrorCode::InvalidUtf8, error.valid_up_to())),
        }
    }

    /// The one value of the text.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// How many values the text holds; keys are not counted.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.tape.values
    }

    /// The nodes before this one.
    #[inline]
    pub(crate) fn nodes_to(&self, end: u32) -> &[Node] {
        self.tape.nodes.get(..end as usize).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn node(&self, index: u32) -> Node {
        self.tape.nodes.get(index as usize).copied().unwrap_or(Node::NOWHERE)
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Document").field("root", &self.root()).finish_non_exhaustive()
    }
}

/// The nodes of a text, each container before what it holds, each key before its value.
pub(crate) struct Tape {
    pub(crate) nodes: Vec<Node>,
    /// How many of the nodes are values, not keys.
    pub(crate) values: usize,
}

/// One value or key: where it stands, and which node follows after everything in it; behind a key its value does, so
/// that a key has room for the mark of its name.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    next: u32,
}

const ESCAPED: u32 = 1 << 31;

impl Node {
    /// Stands for a node that is not there; its text is empty.
    pub(crate) const NOWHERE: Node = Node { start: 0, end: 0, next: 0 };

    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize, next: u32, escaped: bool) -> Node {
        // Lossless: the parser refuses texts of 2^32 bytes.
        Node { start: start as u32, end: end as u32, next: if escaped { next | ESCAPED } else { next } }
    }

    /// A key; one without escapes has the mark of its name.
    #[inline(always)]
    pub(crate) fn key(start: usize, end: usize, mark: u32, escaped: bool) -> Node {
        Node::new(start, end, mark, escaped)
    }

    /// A container whose end is not known yet: it remembers the container around it instead.
    #[inline(always)]
    pub(crate) fn open(start: usize, outer: u32, outer_is_object: bool) -> Node {
        Node { start: start as u32, end: u32::from(outer_is_object), next: outer }
    }

    /// Gives an open container its end; returns the container around it, and whether that is an object.
    #[inline(always)]
    pub(crate) fn close(&mut self, end: usize, next: u32) -> (u32, bool) {
        let outer = (self.next, self.end != 0);
        (self.end, self.next) = (end as u32, next);
        outer
    }

    /// The index of the node after this one and everything in it; of a key, its mark.
    #[inline(always)]
    pub(crate) fn next(self) -> u32 {
        self.next & !ESCAPED
    }

    /// The mark of this key, if it has no escapes.
    #[inline]
    pub(crate) fn mark(self) -> u32 {
        self.next
    }

    /// Whether this key may have a name with this mark. Never, where it is escaped.
    #[inline]
    pub(crate) fn is_marked(self, mark: u32) -> bool {
        self.next == mark
    }

    /// Whether it is a string with a backslash in it.
    #[inline(always)]
    pub(crate) fn escaped(self) -> bool {
        self.next & ESCAPED != 0
    }
}

//! A walk through a value and everything in it, in the order of the text.

use crate::pointer::Token;
use crate::value::{Kind, Value};

/// What a walk meets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'d> {
    /// A container starts.
    Open(Value<'d>),
    /// The innermost container ends.
    Close(Value<'d>),
    /// The key of the value that comes next.
    Key(Value<'d>),
    /// A value that is not a container.
    Leaf(Value<'d>),
}

/// The steps through one value; open containers are kept on the heap.
pub(crate) struct Walk<'d> {
    root: Value<'d>,
    at: u32,
    end: u32,
    open: Vec<Frame<'d>>,
    key_next: bool,
}

/// An open container, and which of its children the walk is at.
struct Frame<'d> {
    container: Value<'d>,
    is_object: bool,
    place: Option<Token<'d>>,
}

impl<'d> Walk<'d> {
    pub(crate) fn new(root: Value<'d>) -> Walk<'d> {
        Walk { root, at: root.index(), end: root.behind(), open: Vec::new(), key_next: false }
    }

    /// How many containers are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The JSON Pointer of what the last step met; for a key, that of its member.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for place in self.open.iter().filter_map(|frame| frame.place) {
            place.push_to(&mut pointer);
        }
        pointer
    }

    /// Goes on at the end of the container that was opened last.
    pub(crate) fn pass(&mut self) {
        if let Some(frame) = self.open.last() {
            self.at = frame.container.node().next();
        }
    }

    fn close(&mut self, container: Value<'d>) -> Step<'d> {
        self.open.pop();
        self.key_next = self.open.last().is_some_and(|frame| frame.is_object);
        Step::Close(container)
    }
}

impl<'d> Iterator for Walk<'d> {
    type Item = Step<'d>;

    fn next(&mut self) -> Option<Step<'d>> {
        let value = Value::new(self.root.document(), self.at);
        if let Some(frame) = self.open.last_mut() {
            let container = frame.container;
            if container.node().next() == self.at {
                return Some(self.close(container));
            }
            if self.key_next {
                frame.place = Some(Token::Key(value));
                self.at += 1;
                self.key_next = false;
                return Some(Step::Key(value));
            }
            match &mut frame.place {
                Some(Token::Key(_)) => self.key_next = true,
                Some(Token::Index(index)) => *index += 1,
                None => frame.place = Some(Token::Index(0)),
            }
        } else if self.at >= self.end {
            return None;
        }
        self.at += 1;
        let kind = value.kind();
        if matches!(kind, Kind::Array | Kind::Object) {
            let is_object = kind == Kind::Object;
            self.open.push(Frame { container: value, is_object, place: None });
            self.key_next = is_object;
            return Some(Step::Open(value));
        }
        Some(Step::Leaf(value))
    }
}

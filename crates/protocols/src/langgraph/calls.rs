//! The calls of an AI message that requests may be about.

use std::cell::OnceCell;

use countersign_core::collections::Groups;
use countersign_core::{Source, Text};
use countersign_json::{Document, Limits, Numbers, Value, items, mark, names, same};

use super::form::Asking;
use super::namespace::Namespace;
use crate::reading::{is, some_text};

/// After so many searches the calls are sorted by what they look like: before, a look at each is cheaper.
const FEW: u32 = 16;

/// The calls of an AI message that requests may be about; looked at when a request has not found its call.
pub(super) struct Calls<'c, 't> {
    /// The calls, if they were just read.
    last: Option<Value<'c>>,
    /// Else their text as it is remembered.
    text: &'t str,
    parsed: &'c OnceCell<Option<Document<'t>>>,
    pub(super) list: Vec<Candidate<'c>>,
    is_read: bool,
    /// Everything before this one is taken.
    pub(super) first: usize,
    /// Everything before this one is answered or asked about.
    running: usize,
    searches: u32,
    by_look: Groups,
}

/// A call that a request may be about.
pub(super) struct Candidate<'c> {
    pub(super) number: u32,
    pub(super) id: Value<'c>,
    name: Option<Value<'c>>,
    args: Option<Value<'c>>,
}

impl Candidate<'_> {
    /// Whether a request with this name and these arguments is about it.
    pub(super) fn is(&self, asking: &Asking<'_>, numbers: Numbers) -> bool {
        is(self.name, &asking.tool)
            && self.args.is_some_and(|args| args.same_text(asking.args) || same(args, asking.args, numbers))
    }
}

impl<'c, 't> Calls<'c, 't> {
    pub(super) fn new(
        last: Option<Value<'c>>,
        text: &'t str,
        parsed: &'c OnceCell<Option<Document<'t>>>,
    ) -> Calls<'c, 't> {
        let by_look = Groups::default();
        Calls {
            last,
            text,
            parsed,
            list: Vec::new(),
            is_read: false,
            first: 0,
            running: 0,
            searches: 0,
            by_look,
        }
    }

    /// Reads the calls, once.
    pub(super) fn load(&mut self, home: &mut Namespace, source: &Source) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        let parse = || Document::parse(self.text, &Limits::default()).ok();
        let calls = self.last.or_else(|| self.parsed.get_or_init(parse).as_ref().map(Document::root));
        for call in items(calls) {
            let [id, name, args] = call.named(names!["id", "name", "args"]);
            if let (Some(id), Some(text)) = (id, some_text(id)) {
                self.list.push(Candidate { number: home.call(source, &text), id, name, args });
            }
        }
    }

    /// Whether there is a call that runs and that nobody asks about: in it, a sub-agent may ask.
    pub(super) fn has_running(&mut self, home: &Namespace) -> bool {
        while self.list.get(self.running).is_some_and(|call| !home.runs(call.number)) {
            self.running += 1;
        }
        self.running < self.list.len()
    }

    /// The first call without an outcome that a request may be about.
    pub(super) fn open(&self, home: &Namespace, asking: &Asking<'_>) -> Option<u32> {
        let is_open = |call: &&Candidate<'_>| home.call_at(call.number).told.is_none();
        self.list.iter().filter(is_open).find(|call| call.is(asking, Numbers::Value)).map(|call| call.number)
    }

    /// Whether the calls are sorted by what they look like, so that not each must be looked at.
    pub(super) fn are_sorted(&mut self) -> bool {
        self.searches += 1;
        if self.searches == FEW {
            for (at, call) in (0..).zip(&self.list) {
                if let (Some(name), Some(args)) = (some_text(call.name), call.args) {
                    self.by_look.push(&look(&name, args), at);
                }
            }
        }
        self.searches >= FEW
    }

    /// Where they are sorted, all calls that a request may be about, and few others.
    pub(super) fn alike(&self, asking: &Asking<'_>) -> impl Iterator<Item = &Candidate<'c>> {
        let places = self.by_look.get(&look(&asking.tool, asking.args));
        places.iter().filter_map(|at| self.list.get(*at as usize))
    }
}

/// How deep into arguments is looked.
const DEPTH: u8 = 8;

/// What a call looks like: the same for calls that are the same, in whatever order their members stand.
fn look(tool: &str, args: Value<'_>) -> Text {
    Text::from([tool, "\n", &mark(args, DEPTH).to_string()].concat())
}

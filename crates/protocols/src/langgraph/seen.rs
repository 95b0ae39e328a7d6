//! An interrupt as it is seen, and where and when.

use countersign_core::{Failure, Observation, Source, Text};
use countersign_json::{Value, names};

use super::form::repeats;
use super::memory::{InterruptAt, NamespaceAt};
use super::read::{Reader, joined};
use crate::reading::some_text;

/// An interrupt as it was seen.
#[derive(Clone, Copy, Default)]
pub(super) struct SeenInterrupt<'v> {
    pub(super) id: Option<Value<'v>>,
    pub(super) value: Option<Value<'v>>,
    pub(super) schema: Option<Value<'v>>,
    pub(super) namespace: Option<Value<'v>>,
    /// A member stands there twice.
    pub(super) is_doubtful: bool,
    /// A thread state lists it.
    pub(super) in_state: bool,
    /// Which task of that state asks it, from 1.
    pub(super) task: u32,
    /// Why its task has failed, if it has and was not done again.
    pub(super) error: Option<Value<'v>>,
    /// Its task has failed, and runs a tool, which may have run by then.
    pub(super) has_tried: bool,
    /// An answer to it was not kept, and nothing came of it: it was none, or no task of that state has failed.
    pub(super) keeps_nothing: bool,
    /// Its task has a result.
    pub(super) has_result: bool,
    /// That result holds messages.
    pub(super) has_messages: bool,
    /// Its task runs a tool: what a middleware asks there, that of a sub-agent asks.
    pub(super) is_tool: bool,
}

impl<'v> SeenInterrupt<'v> {
    /// Reads `{id, value, response_schema?}`, or what stood for it before there were ids.
    pub(super) fn of(interrupt: Value<'v>) -> SeenInterrupt<'v> {
        let [id, value, schema, namespace] = interrupt.named(names!["id", "value", "response_schema", "ns"]);
        let is_doubtful = repeats(interrupt, &["id", "value", "response_schema"]);
        SeenInterrupt { id, value, schema, namespace, is_doubtful, ..SeenInterrupt::default() }
    }

    /// What the interrupt is called, and whether that can be a key of a resume map.
    pub(super) fn key(&self, source: &Source) -> (Text, bool) {
        if let Some(id) = some_text(self.id) {
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            return (source.cut(&id), id.len() == 32 && id.bytes().all(is_hex));
        }
        match joined(self.namespace) {
            namespace if namespace.is_empty() => (Text::from("interrupt"), false),
            namespace => (Text::from(format!("ns:{namespace}")), false),
        }
    }
}

impl Reader<'_> {
    /// Notes where and when an interrupt was seen.
    pub(super) fn see(
        &mut self,
        at: InterruptAt,
        place: NamespaceAt,
        seen: &SeenInterrupt<'_>,
        is_blocked: bool,
    ) {
        let entry = self.thread.entry;
        // What an earlier run asks that is told again, it has asked then.
        let last = self.thread.runs;
        let run = if seen.in_state { last } else { self.thread.run };
        if !seen.in_state {
            self.thread.asked = self.thread.asked.max(run);
        }
        let name = |at: NamespaceAt| self.thread.namespace(at).map_or("", |namespace| &*namespace.name);
        let home = self.thread.interrupt(at).map_or(place, |interrupt| interrupt.namespace);
        let (here, there) = (name(place), name(home));
        // The more specific namespace is the one whose messages are meant.
        let is_closer = here.len() > there.len() && here.starts_with(there);
        self.thread.is_stirred = true;
        if seen.in_state && seen.error.is_some() {
            self.thread.broken = self.thread.broken.max(Some(run));
        }
        let root = self.thread.known_namespace("").and_then(|root| self.thread.namespace(root));
        let (host, humans) = root.map_or((0, 0), |root| (root.made, root.humans));
        let Some(interrupt) = self.thread.interrupt_mut(at) else { return };
        interrupt.humans = humans;
        if interrupt.host == 0 {
            interrupt.host = host;
        }
        interrupt.is_shared &= interrupt.when.seen_run >= run;
        interrupt.is_blocked = is_blocked || interrupt.is_shared;
        interrupt.is_gone &= run < last;
        let is_found = seen.in_state && !self.is_history && std::mem::take(&mut interrupt.is_missing);
        interrupt.when.seen_run = interrupt.when.seen_run.max(run);
        if seen.in_state {
            (interrupt.when.entry, interrupt.task) = (entry, seen.task);
            (interrupt.is_broken, interrupt.has_tried) = (seen.error.is_some(), seen.has_tried);
            (interrupt.has_result, interrupt.has_messages) = (seen.has_result, seen.has_messages);
            interrupt.is_cut_off = false;
        } else {
            interrupt.when.event_run = interrupt.when.event_run.max(run);
        }
        // A run failed over our answer and has kept nothing of it: it can be answered again.
        let is_refused = seen.keeps_nothing && !self.is_history && std::mem::take(&mut interrupt.has_failed);
        if is_refused {
            self.thread.answered.retain(|answer| answer.interrupt != at);
        }
        if is_found || is_refused {
            for request in self.requests(at) {
                let failure = Failure::Reopened;
                self.observe(request, |target| match is_found {
                    true => Observation::Found { target },
                    false => Observation::Refused { target, failure, why: None },
                });
            }
        }
        let Some(interrupt) = self.thread.interrupt_mut(at) else { return };
        if is_closer {
            (interrupt.namespace, interrupt.is_inner) = (place, false);
            for request in interrupt.requests.clone() {
                self.let_go(request);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::Source;
    use countersign_json::{Document, Limits};

    use super::SeenInterrupt;

    #[test]
    fn only_an_id_of_32_hexadecimal_digits_is_a_key() {
        for (interrupt, key, is_key) in [
            (format!(r#"{{"id":"{}"}}"#, "0a".repeat(16)), "0a".repeat(16), true),
            (format!(r#"{{"id":"{}"}}"#, "0A".repeat(16)), "0A".repeat(16), false),
            (format!(r#"{{"id":"{}"}}"#, "0".repeat(31)), "0".repeat(31), false),
            (r#"{"ns":["a:1","b:2"]}"#.to_owned(), "ns:a:1|b:2".to_owned(), false),
            ("{}".to_owned(), "interrupt".to_owned(), false),
        ] {
            let document = Document::parse(&interrupt, &Limits::default()).unwrap();
            let (text, keyed) = SeenInterrupt::of(document.root()).key(&Source::copied());
            assert_eq!((&*text, keyed), (&*key, is_key), "{interrupt}");
        }
    }
}

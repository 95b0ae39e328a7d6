//! Which adapters there are, and the one that finds out by itself.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::{
    Adapter, Advice, Arrival, Due, Failure, Incoming, Memory, Millis, Observation, Outbound, Problem,
    ProblemCode, Reading, RequestRef, Stamp, Written,
};
use countersign_json::{Document, Limits, Value, names};

use crate::dialects::Dialect;
use crate::digests;
use crate::family::{Family, LOOKED_AT, Page};
use crate::lines::{Frame, frames};

/// What an adapter may assume beyond what the bytes show.
#[derive(Clone, Debug, Default)]
pub struct AdapterOptions {
    /// `a2a.edits`.
    pub a2a_edits: Edits,
    /// `adk.edits`.
    pub adk_edits: Edits,
    /// `adalflow.*`.
    pub adalflow: AdalflowOptions,
    /// `haystack.{reject,modify,user_feedback}_template`.
    pub haystack: Templates,
    /// `sendDigests`: the digests of the arguments go along with the decisions on them, where the wire has a place.
    pub digests: bool,
}

/// What a host knows of its AdalFlow server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdalflowOptions {
    /// How long the server of the design document waits before it cancels without a word; `None`: for ever.
    pub timeout: Option<Millis>,
    /// Where requests are answered that are known from the stream only.
    pub answer: AdalflowAnswer,
}

impl Default for AdalflowOptions {
    fn default() -> AdalflowOptions {
        AdalflowOptions { timeout: Some(Millis(30_000)), answer: AdalflowAnswer::default() }
    }
}

/// Where requests are answered that are known from AdalFlow's stream only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdalflowAnswer {
    /// Nowhere, until they come on a way that can be answered.
    #[default]
    Nowhere,
    /// At the shipped REST handler.
    ShippedRest,
}

/// How a Haystack backend words what people decided, as Python's `str.format` reads it. `None`: the library's own words.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// Of a refusal; `{tool_name}`.
    pub reject: Option<Arc<str>>,
    /// Of an edit; `{tool_name}` and `{final_tool_params}`.
    pub modify: Option<Arc<str>>,
    /// Of words that go with either; `{feedback}`.
    pub user_feedback: Option<Arc<str>>,
}

/// When an edit is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edits {
    /// Only where the request shows that it takes effect.
    #[default]
    Declared,
    /// On every call: the host knows that its gate reads edits.
    Always,
}

/// There is no adapter of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no adapter `{name}`; known are {}", names().join(", "))]
pub struct UnknownAdapter {
    /// What was asked for.
    pub name: String,
}

/// The names of all adapters in this build, `auto` first.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names = vec!["auto"];
    names.extend(families(&AdapterOptions::default()).iter().map(|family| family.name()));
    names
}

/// All dialects of the adapters in this build, those of one adapter side by side.
#[must_use]
pub fn dialects() -> Vec<&'static Dialect> {
    let families: &[&'static [Dialect]] = &[
        #[cfg(feature = "a2a")]
        crate::a2a::DIALECTS,
        #[cfg(feature = "adk")]
        crate::adk::DIALECTS,
        #[cfg(feature = "langgraph")]
        crate::langgraph::DIALECTS,
        #[cfg(feature = "haystack")]
        crate::haystack::DIALECTS,
        #[cfg(feature = "adalflow")]
        crate::adalflow::DIALECTS,
    ];
    families.iter().copied().flatten().collect()
}

/// The adapter of this name; `auto` finds the family from the bytes.
///
/// # Errors
/// [`UnknownAdapter`] for a name that is not in [`names()`].
pub fn adapter(name: &str, options: &AdapterOptions) -> Result<Box<dyn Adapter>, UnknownAdapter> {
    let mut families = families(options);
    if name != "auto" {
        families.retain(|family| family.name() == name);
    }
    if families.is_empty() {
        return Err(UnknownAdapter { name: name.to_owned() });
    }
    Ok(Box::new(Auto { families, digests: options.digests }))
}

/// The adapter that `auto` reads a message with, as far as the message alone shows it.
#[must_use]
pub fn recognise(text: &str) -> Option<&'static str> {
    let families = families(&AdapterOptions::default());
    frames(text).into_iter().find_map(|frame| {
        let document = Document::parse(&frame.text, &Limits::default()).ok()?;
        let root = document.root();
        place(&families, &frame, root).and_then(|place| families.get(place)).map(|family| family.name())
    })
}

/// The first family that has a dialect which this message is in.
fn place(families: &[Box<dyn Family>], frame: &Frame<'_>, root: Value<'_>) -> Option<usize> {
    let knows = |family: &dyn Family, looked_at| {
        frame.event.is_some_and(|name| family.recognises_event(name, root))
            || family.recognises(root, looked_at)
    };
    // All of a list only where its beginning says nothing.
    [LOOKED_AT, usize::MAX]
        .into_iter()
        .find_map(|looked_at| families.iter().position(|family| knows(family.as_ref(), looked_at)))
}

/// Which conversation the backend knows no more, and in what words it says so: `{"forgotten", "said"}`, which a connector or
/// a host makes of an answer that says so, for that answer does not name what was asked for.
fn forgotten(root: Value<'_>) -> Option<[Cow<'_, str>; 2]> {
    let [Some(id), Some(said)] = root.named(names!["forgotten", "said"]) else { return None };
    if root.len() != 2 {
        return None;
    }
    Some([id.as_str()?, said.as_str_lossy()?])
}

fn families(options: &AdapterOptions) -> Vec<Box<dyn Family>> {
    let _ = options;
    // Those that are recognised by the clearest marks come first: whatever holds a list of tasks looks like A2A.
    vec![
        #[cfg(feature = "langgraph")]
        Box::new(crate::langgraph::LangGraph),
        #[cfg(feature = "adk")]
        Box::new(crate::adk::Adk { edits: options.adk_edits }),
        #[cfg(feature = "haystack")]
        Box::new(crate::haystack::Haystack { templates: options.haystack.clone() }),
        #[cfg(feature = "adalflow")]
        Box::new(crate::adalflow::Adalflow { options: options.adalflow }),
        #[cfg(feature = "a2a")]
        Box::new(crate::a2a::A2a { edits: options.a2a_edits }),
    ]
}

/// Speaks whichever of its families the conversation turns out to be in.
struct Auto {
    families: Vec<Box<dyn Family>>,
    /// Whether digests go along.
    digests: bool,
}

/// The family that was recognised, by place, and its memory.
#[derive(Default)]
struct Found {
    family: Option<(usize, Memory)>,
    /// The family before everything was rebuilt: an empty list is one of its own.
    before: Option<usize>,
}

impl Auto {
    fn found<'a>(&'a self, memory: &'a Memory) -> Option<(&'a dyn Family, &'a Memory)> {
        let (place, memory) = memory.of::<Found>()?.family.as_ref()?;
        Some((self.families.get(*place)?.as_ref(), memory))
    }

    fn found_mut<'a>(&'a self, memory: &'a mut Memory) -> Option<(&'a dyn Family, &'a mut Memory)> {
        let (place, memory) = memory.of_mut::<Found>()?.family.as_mut()?;
        Some((self.families.get(*place)?.as_ref(), memory))
    }

    fn read_frame(
        &self,
        memory: &mut Memory,
        incoming: &Incoming<'_>,
        frame: &Frame<'_>,
        reading: &mut Reading,
    ) {
        let document = match Document::parse(&frame.text, &Limits::default()) {
            Ok(document) => document,
            Err(error) => {
                let problem = Problem::new(ProblemCode::JsonInvalid, error.to_string());
                return reading.problems.push(problem.at(format!("byte {}", error.at)));
            }
        };
        let root = document.root();
        let Some(found) = memory.of_mut::<Found>() else { return };
        if found.family.is_none() {
            let alone = self.families.len() == 1;
            let place = if alone { Some(0) } else { place(&self.families, frame, root) };
            let place = place.or(found.before);
            found.family = place.and_then(|place| Some((place, self.families.get(place)?.memory())));
        }
        let Some((place, memory)) = &mut found.family else {
            // An empty list or map is a history in which nothing happened, whosever it is.
            let is_container = root.is_object() || root.is_array();
            if incoming.arrival == Arrival::History && is_container && root.is_empty() {
                return reading.hidden.extend(root.is_object().then_some(true));
            }
            let sentence = "no adapter knows this message";
            return reading.problems.push(Problem::new(ProblemCode::MessageUnrecognised, sentence));
        };
        let Some(family) = self.families.get(*place) else { return };
        if let Some([id, why]) = forgotten(root).filter(|_| incoming.arrival == Arrival::Live) {
            let scope = family.forget(memory, &id);
            reading.observations.push(Observation::Forgotten { scope, why: Arc::from(&*why) });
            return reading.hidden.push(true);
        }
        let Incoming { source, arrival, rounded, own, now, .. } = *incoming;
        family.read(memory, &Page { root, source, event: frame.event, arrival, rounded, own, now }, reading);
    }
}

impl Adapter for Auto {
    fn name(&self) -> &'static str {
        match self.families.as_slice() {
            [only] => only.name(),
            _ => "auto",
        }
    }

    fn speaking(&self, memory: &Memory) -> &'static str {
        self.found(memory).map_or_else(|| self.name(), |(family, _)| family.name())
    }

    fn memory(&self) -> Memory {
        Memory::new(Found::default())
    }

    fn memory_after(&self, before: &Memory) -> Memory {
        let found = before.of::<Found>();
        let before = found.and_then(|found| found.family.as_ref().map(|(place, _)| *place).or(found.before));
        Memory::new(Found { family: None, before })
    }

    fn read(&self, memory: &mut Memory, incoming: &Incoming<'_>) -> Reading {
        let mut reading = Reading::default();
        // A history says something about every half kilobyte; room that grows as it fills is copied again and again.
        reading.observations.reserve(incoming.text.len() / 512);
        for frame in frames(incoming.text) {
            self.read_frame(memory, incoming, &frame, &mut reading);
        }
        reading
    }

    fn write(&self, memory: &Memory, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String> {
        let (family, memory) = self.found(memory).ok_or_else(|| "nothing was received yet".to_owned())?;
        let mut written = family.write(memory, due, stamp)?;
        if self.digests {
            written.iter_mut().for_each(|written| digests::attach(family.name(), written, due));
        }
        Ok(written)
    }

    fn handed_over(&self, memory: &mut Memory, requests: &[RequestRef]) {
        if let Some((family, memory)) = self.found_mut(memory) {
            family.handed_over(memory, requests);
        }
    }

    fn failure(
        &self,
        memory: &mut Memory,
        requests: &[RequestRef],
        status: Option<u16>,
        message: Option<&str>,
    ) -> Failure {
        let found = self.found_mut(memory);
        found.map_or(Failure::Kept, |(family, memory)| family.failure(memory, requests, status, message))
    }

    fn refuses(&self, memory: &Memory, status: u16) -> bool {
        self.found(memory).is_some_and(|(family, _)| family.refuses(status))
    }

    fn may_repeat(&self, memory: &Memory, outbound: &Outbound) -> bool {
        self.found(memory).is_none_or(|(family, memory)| family.may_repeat(memory, outbound))
    }

    fn delivered(&self, memory: &mut Memory, request: &RequestRef) {
        if let Some((family, memory)) = self.found_mut(memory) {
            family.delivered(memory, request);
        }
    }

    fn advice(&self, memory: &Memory) -> Vec<Advice> {
        self.found(memory).map(|(family, memory)| family.advice(memory)).unwrap_or_default()
    }
}

#[cfg(test)]
#[cfg(all(
    feature = "a2a",
    feature = "adalflow",
    feature = "adk",
    feature = "haystack",
    feature = "langgraph"
))]
mod tests {
    use countersign_core::{Arrival, Incoming, Memory, Millis, ProblemCode, Source};

    use super::{AdapterOptions, adapter, recognise};

    /// What is complained of, and which elements are hidden.
    fn read(
        name: &str,
        memory: &mut Option<Memory>,
        text: &str,
        arrival: Arrival,
    ) -> (Vec<ProblemCode>, Vec<bool>, &'static str) {
        let adapter = adapter(name, &AdapterOptions::default()).expect("the adapter is built in");
        assert_eq!(adapter.name(), name);
        let memory = memory.get_or_insert_with(|| adapter.memory());
        let source = Source::copied();
        let incoming =
            Incoming { text, source: &source, arrival, rounded: false, own: false, now: Millis(0) };
        let reading = adapter.read(memory, &incoming);
        let codes = reading.problems.into_iter().map(|problem| problem.code).collect();
        (codes, reading.hidden, adapter.speaking(memory))
    }

    #[test]
    fn an_adapter_says_what_it_speaks_as_soon_as_it_knows() {
        let mut memory = None;
        assert_eq!(read("auto", &mut memory, "[]", Arrival::History).2, "auto");
        let event = r#"{"invocationId":"i","author":"a","content":null}"#;
        assert_eq!(read("auto", &mut memory, event, Arrival::Live).2, "adk");
        assert_eq!(read("a2a", &mut None, "[]", Arrival::History).2, "a2a");
    }

    #[test]
    fn an_empty_list_or_map_is_a_history_of_nothing_and_no_news() {
        for (text, hidden) in [("[]", vec![]), ("{}", vec![true])] {
            let (codes, flags, _) = read("auto", &mut None, text, Arrival::History);
            assert_eq!((codes, flags), (vec![], hidden), "{text}");
        }
        for (text, arrival) in [("[]", Arrival::Live), ("\"\"", Arrival::History), ("[0]", Arrival::History)]
        {
            let (codes, _, _) = read("auto", &mut None, text, arrival);
            assert_eq!(codes, [ProblemCode::MessageUnrecognised], "{text}");
        }
    }

    #[test]
    fn a_message_is_recognised_by_marks_that_nobody_else_has() {
        for (text, name) in [
            // A session is named by any one of three members; its events must be a list.
            (r#"{"events":[],"appName":"a"}"#, Some("adk")),
            (r#"{"events":[],"userId":"u"}"#, Some("adk")),
            (r#"{"events":[],"lastUpdateTime":1}"#, Some("adk")),
            (r#"{"events":[]}"#, None),
            (r#"{"events":{},"appName":"a"}"#, None),
            (r#"{"events":[],"appName":"a","kind":"session"}"#, None),
            (r#"{"invocationId":"i"}"#, None),
            (r#"{"author":"a"}"#, None),
            (r#"{"invocationId":"i","author":"a","kind":"event"}"#, None),
            // What A2A has in its own envelopes says nothing alone.
            (r#"{"role":"user","parts":[]}"#, None),
            (r#"{"messageId":"m"}"#, None),
            (r#"{"artifact":{}}"#, None),
            (r#"{"taskId":"t"}"#, None),
            (r#"{"data":[{"kind":"task","id":"t"}]}"#, None),
            (r#"{"error":false,"data":[]}"#, Some("a2a")),
            (r#"{"id":"t","status":{"state":"working"}}"#, Some("a2a")),
            // A map of requests that name no tool may be anything.
            (r#"{"r":{"tool":"t","message":"?"}}"#, Some("adalflow")),
            (r#"{"r":{"message":"?"}}"#, None),
            (r#"{"r":{"tool":"t","tool_name":"t","message":"?"}}"#, None),
            (r#"{"tool_calls":[],"tool_descriptions":{}}"#, Some("haystack")),
            (r#"{"tool_calls":[]}"#, None),
            (r#"{"tool_descriptions":{}}"#, None),
            (r#"[{"role":"user","meta":{},"content":[]}]"#, Some("haystack")),
            (r#"[{"role":"user","content":[]}]"#, None),
            (r#"[{"meta":{},"content":[]}]"#, None),
            (r#"[{"role":"user","meta":{},"content":""}]"#, None),
            (r#"{"type":"approval_request","tool":"t"}"#, Some("adalflow")),
            (r#"{"type":"other","tool":"t"}"#, None),
            (r#"{"type":"approval_resolved","outcome":"cancel"}"#, Some("adalflow")),
            (r#"{"type":"approval_resolved"}"#, None),
            (r#"{"type":"other","outcome":"cancel"}"#, None),
            (r#"{"type":"run_finished","answer":"a"}"#, Some("adalflow")),
            (r#"{"type":"other","answer":"a"}"#, None),
            (r#"{"type":"hello","system":"adalflow"}"#, Some("adalflow")),
            (r#"{"type":"other","system":"adalflow"}"#, None),
            // What others name so, too, has nothing beside it.
            (r#"{"event":"custom","data":{}}"#, Some("langgraph")),
            (r#"{"event":"custom","data":{},"id":1}"#, None),
            (r#"{"event":"other","data":{}}"#, None),
            (r#"{"type":"event","method":"m","params":{}}"#, Some("langgraph")),
            (r#"{"type":"other","method":"m","params":{}}"#, None),
            (r#"{"type":"event","method":"m"}"#, None),
            (r#"{"type":"event","params":{}}"#, None),
            // The name of an event is enough, but not for a list.
            ("event: updates\ndata: {}\n\n", Some("langgraph")),
            ("event: messages/partial|a:1\ndata: {}\n\n", Some("langgraph")),
            ("event: updates\ndata: [0]\n\n", None),
            ("event: error\ndata: {}\n\n", None),
            ("data: {}\n\n", None),
        ] {
            assert_eq!(recognise(text), name, "{text}");
        }
    }
}

//! Which adapters there are.

use countersign_core::Adapter;
use countersign_json::{Document, Limits};

use crate::auto::{Auto, place};
use crate::dialects::Dialect;
use crate::family::Family;
use crate::lines::frames;
use crate::options::AdapterOptions;

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
    Ok(Box::new(Auto::new(families, options.digests)))
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

    use super::{adapter, recognise};
    use crate::options::AdapterOptions;

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

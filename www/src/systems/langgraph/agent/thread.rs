//! What the server remembers of one thread: its messages, and every state it was in.

use countersign_core::Millis;
use countersign_json::{Writer, quote};
use serde::{Deserialize, Serialize};

use super::gate::Interrupt;
use super::level::Level;
use super::message::array;
use crate::systems::script::clock::timestamp;

/// 100 nanoseconds between the beginning of the calendar that checkpoints count in and 1970.
const EPOCH: u64 = 122_192_928_000_000_000;

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Thread {
    /// Its id.
    pub id: String,
    /// The agent whose messages the thread holds.
    pub root: Level,
    /// Every state, oldest first.
    pub log: Vec<Checkpoint>,
}

/// A state of a thread, before its tasks are done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// When it was written: in units of 100 nanoseconds, each later than the one before.
    pub at: u64,
    /// The run that wrote it.
    pub run: String,
    /// It was written because someone said something.
    pub is_input: bool,
    /// How many messages there were.
    pub messages: usize,
    /// The calls that a person edited, as the text of an object; `None` before the first review.
    pub edits: Option<String>,
    /// What is done next.
    pub tasks: Vec<Task>,
}

/// Something that the thread does next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    /// Its id.
    pub id: String,
    /// The name of the node.
    pub node: String,
    /// The place of the call that it runs; `None`: it runs none.
    pub place: Option<usize>,
    /// What it asks.
    pub interrupts: Vec<Interrupt>,
    /// What it returned, as JSON text.
    pub result: Option<String>,
    /// How it failed.
    pub error: Option<String>,
}

impl Task {
    /// A task of this node.
    #[must_use]
    pub(super) fn new(id: String, node: &str) -> Task {
        Task { id, node: node.to_owned(), place: None, interrupts: Vec::new(), result: None, error: None }
    }

    /// The same task, already done.
    #[must_use]
    pub(super) fn returning(self, result: &str) -> Task {
        Task { result: Some(result.to_owned()), ..self }
    }

    fn object(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("id").string(&self.id).key("name").string(&self.node);
        writer.key("path").begin_array();
        match self.place {
            Some(place) => {
                let place = i64::try_from(place).unwrap_or_default();
                writer.string("__pregel_push").integer(place).bool(false)
            }
            None => writer.string("__pregel_pull").string(&self.node),
        };
        writer.end_array().key("error");
        match &self.error {
            Some(error) => writer.string(error),
            None => writer.null(),
        };
        let interrupts: Vec<String> = self.interrupts.iter().map(|it| it.object(true)).collect();
        writer.key("interrupts").raw(&array(&interrupts)).key("checkpoint").null().key("state").null();
        writer.key("result").raw(self.result.as_deref().unwrap_or("null")).end_object();
        writer.finish()
    }
}

impl Thread {
    /// An empty thread.
    #[must_use]
    pub(super) fn new(id: &str) -> Thread {
        Thread { id: id.to_owned(), root: Level::new(String::new()), log: Vec::new() }
    }

    /// What waits for a person.
    #[must_use]
    pub(super) fn waiting(&self) -> Vec<&Interrupt> {
        self.root.waiting()
    }

    /// Every state, newest first, as the route of the history returns it.
    #[must_use]
    pub(super) fn history(&self, graph: &str) -> String {
        let states: Vec<String> =
            (0..self.log.len()).rev().filter_map(|place| self.state(place, graph)).collect();
        array(&states)
    }

    /// The present state, as its own route returns it.
    #[must_use]
    pub(super) fn present(&self, graph: &str) -> Option<String> {
        self.state(self.log.len().checked_sub(1)?, graph)
    }

    fn state(&self, place: usize, graph: &str) -> Option<String> {
        let checkpoint = self.log.get(place)?;
        // The thread's first state is the one before its first words are read.
        let step = i64::try_from(place).ok()? - 1;
        let id = checkpoint.id(step);
        let parent = place.checked_sub(1).and_then(|before| Some(self.log.get(before)?.id(step - 1)));
        let interrupts: Vec<String> =
            checkpoint.tasks.iter().flat_map(|task| &task.interrupts).map(|it| it.object(true)).collect();
        let tasks: Vec<String> = checkpoint.tasks.iter().map(Task::object).collect();
        let mut writer = Writer::new();
        writer.begin_object().key("values").begin_object();
        writer.key("messages").raw(&array(self.root.messages.iter().take(checkpoint.messages)));
        if let Some(edits) = &checkpoint.edits {
            writer.key("hitl_edited_tool_calls").raw(edits);
        }
        writer.end_object().key("next").begin_array();
        for task in &checkpoint.tasks {
            writer.string(&task.node);
        }
        writer.end_array().key("tasks").raw(&array(&tasks)).key("metadata").begin_object();
        writer.key("graph_id").string(graph).key("thread_id").string(&self.id);
        writer.key("run_id").string(&checkpoint.run);
        writer.key("source").string(if checkpoint.is_input { "input" } else { "loop" });
        writer.key("step").integer(step).key("parents").raw("{}").end_object();
        writer.key("created_at").string(&format!("{}+00:00", timestamp(checkpoint.moment())));
        writer.key("checkpoint").raw(&self.named(&id));
        writer.key("parent_checkpoint").raw(&parent.as_ref().map_or_else(null, |parent| self.named(parent)));
        writer.key("interrupts").raw(&array(&interrupts)).key("checkpoint_id").string(&id);
        writer.key("parent_checkpoint_id").raw(&parent.as_deref().map_or_else(null, quote)).end_object();
        Some(writer.finish())
    }

    /// A checkpoint of this thread.
    fn named(&self, checkpoint: &str) -> String {
        let thread = quote(&self.id);
        format!(r#"{{"checkpoint_id":"{checkpoint}","thread_id":{thread},"checkpoint_ns":""}}"#)
    }
}

impl Checkpoint {
    /// When the next state is written, if this one is the last: in units of 100 nanoseconds.
    #[must_use]
    pub(super) fn after(last: Option<&Checkpoint>, now: Millis) -> u64 {
        let now = now.0.saturating_mul(10_000).saturating_add(EPOCH);
        last.map_or(now, |last| now.max(last.at.saturating_add(1)))
    }

    fn moment(&self) -> Millis {
        Millis(self.at.saturating_sub(EPOCH) / 10_000)
    }

    /// The id: a UUID of version 6, so that the texts of ids are in the order of time.
    fn id(&self, step: i64) -> String {
        let (high, middle, low) = (self.at >> 28, self.at >> 12 & 0xFFFF, self.at & 0xFFF);
        format!("{high:08x}-{middle:04x}-6{low:03x}-{:04x}-000000000001", 0x8000 | step & 0x3FFF)
    }
}

fn null() -> String {
    "null".to_owned()
}

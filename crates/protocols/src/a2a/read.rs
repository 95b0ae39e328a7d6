//! From bytes to observations: walks tasks, updates and messages in order.

use countersign_core::collections::Marks;
use countersign_core::{End, ProblemCode, Reading, Source};
use countersign_json::{Value, items, names};

use super::envelope::{Item, contents};
use super::memory::Conversation;
use super::message::{is_asked, is_asking, is_internal};
use super::part::{Data, Part, origin, part};
use super::place::Place;
use super::state::{State, state};
use crate::lookup::Lookup;
use crate::options::Edits;
use crate::reading::{problem, text};
use crate::speaker::Speaker;

/// What an artifact tells of a call, and the artifact's id.
pub(super) type Told<'a> = (Option<Value<'a>>, Data<'a>);

/// Reads one value into observations and keeps the conversation's memory.
pub(super) struct Reader<'m> {
    pub(super) conversation: &'m mut Conversation,
    pub(super) reading: &'m mut Reading,
    /// The message that kept texts are cut out of.
    pub(super) source: &'m Source,
    pub(super) edits: Edits,
    pub(super) rounded: bool,
    /// What is read now was carried with doubles.
    pub(super) doubles: bool,
    pub(super) speaker: Speaker,
    /// What is read is a list of tasks.
    pub(super) is_list: bool,
    /// The tasks of the list that have ended and left something without an answer.
    pub(super) ending: Vec<(u32, End)>,
}

impl Reader<'_> {
    pub(super) fn read(&mut self, root: Value<'_>) {
        let contents = contents(root);
        self.conversation.readings += 1;
        if contents.strange {
            problem(
                self.reading,
                ProblemCode::MessageUnrecognised,
                "this is no task, update or message of A2A",
                root,
            );
        }
        self.is_list = contents.items.len() > 1;
        let mut hidden: Vec<Vec<bool>> = Vec::new();
        if contents.newest_first {
            hidden.extend(contents.items.iter().rev().map(|item| self.item(*item)));
            hidden.reverse();
        } else {
            hidden.extend(contents.items.iter().map(|item| self.item(*item)));
        }
        for (task, end) in std::mem::take(&mut self.ending) {
            self.end(task, end);
        }
        for mut hidden in hidden {
            self.reading.hidden.append(&mut hidden);
        }
    }

    fn item(&mut self, item: Item<'_>) -> Vec<bool> {
        match item {
            Item::Task(task) => self.task(task),
            Item::StatusUpdate(update) => self.status_update(update),
            Item::ArtifactUpdate(update) => self.artifact_update(update),
            Item::Message(message) => self.message_alone(message),
            Item::Error(error) => {
                let words = error.get("message").and_then(|words| words.as_str_lossy()).unwrap_or_default();
                problem(
                    self.reading,
                    ProblemCode::BackendError,
                    &format!("the backend answered with an error: {words}"),
                    error,
                );
                Vec::new()
            }
        }
    }

    fn task(&mut self, task: Value<'_>) -> Vec<bool> {
        let [id, artifacts, history, status] = task.named(names!["id", "artifacts", "history", "status"]);
        let Some(mut place) = self.place(task, id) else { return Vec::new() };
        let word = status.and_then(|status| status.get("state"));
        place.is_over = word.is_some_and(|word| matches!(state(word), (State::Ended(_), _)));
        place.spoke_last = true;
        self.stand_behind_cut(&mut place, history, status);
        self.note_change(&place, status);
        let mut outcomes = Vec::new();
        for artifact in items(artifacts) {
            self.artifact(&mut place, artifact, &mut outcomes);
        }
        let mut hidden = Vec::new();
        let mut last = None;
        let asks = place.asking.lists().next().is_some();
        let mut before = if asks { items(history).filter(|it| makes(&place, *it)).count() } else { 0 };
        for message in items(history) {
            before -= usize::from(before > 0 && makes(&place, message));
            place.is_asking = before == 0;
            // 0.3 stores the user's message and the confirmation twice; the second one says nothing new.
            let is_repeated = last.is_some_and(|last: Value<'_>| last.same_text(message));
            match hidden.last() {
                Some(before) if is_repeated => hidden.push(*before),
                _ => hidden.push(self.message(&mut place, message)),
            }
            last = Some(message);
        }
        place.is_asking = true;
        self.close_questions(&place, &outcomes);
        hidden.extend(self.status(&mut place, status, |reader, place| {
            reader.outcomes(place, outcomes);
        }));
        hidden
    }

    /// What has its outcome is not what the task asks now.
    fn close_questions(&mut self, place: &Place, outcomes: &[Told<'_>]) {
        let Some(task) = self.conversation.task_mut(place.task).filter(|task| !task.questions.is_empty())
        else {
            return;
        };
        for id in outcomes.iter().filter_map(|(_, data)| data.id?.as_str()) {
            task.questions.settle(&id);
        }
    }

    fn status_update(&mut self, update: Value<'_>) -> Vec<bool> {
        let Some(mut place) = self.place(update, update.get("taskId")) else { return Vec::new() };
        self.stand_behind_all(&mut place);
        let status = update.get("status");
        // What ends a run names who spoke last in it, too.
        let word = status.and_then(|status| status.get("state"));
        place.spoke_last = word.is_some_and(|word| state(word).0 != State::Working);
        self.note_change(&place, status);
        self.status(&mut place, status, |_, _| {}).into_iter().collect()
    }

    fn artifact_update(&mut self, update: Value<'_>) -> Vec<bool> {
        let Some(mut place) = self.place(update, update.get("taskId")) else { return Vec::new() };
        place.is_live = true;
        if let Some(artifact) = update.get("artifact") {
            let mut outcomes = Vec::new();
            self.artifact(&mut place, artifact, &mut outcomes);
            self.outcomes(&mut place, outcomes);
            self.settle_early(&mut place);
        }
        Vec::new()
    }

    fn message_alone(&mut self, message: Value<'_>) -> Vec<bool> {
        let named = message.get("taskId").is_some_and(|id| !id.is_null() && !id.equals(""));
        let Some(mut place) = named.then(|| self.place(message, message.get("taskId"))).flatten() else {
            return vec![is_internal(message)];
        };
        self.stand_behind_all(&mut place);
        let state = self.conversation.task(place.task).map(|task| task.state);
        place.is_over = matches!(state, Some(State::Ended(_)));
        let hidden = self.message(&mut place, message);
        self.settle_early(&mut place);
        if place.is_over {
            self.enter(&place, State::Working, true);
        }
        vec![hidden]
    }

    /// Reads what became of calls, as artifacts tell it.
    pub(super) fn outcomes(&mut self, place: &mut Place, outcomes: Vec<Told<'_>>) {
        for (artifact, data) in outcomes {
            let artifact = text(self.source, artifact);
            if place.source != artifact {
                place.source = artifact;
                place.heard.clear();
            }
            self.outcome(place, data);
        }
    }

    /// Reads a status: its message, then what its state means for everything that waits.
    fn status(
        &mut self,
        place: &mut Place,
        status: Option<Value<'_>>,
        then: impl FnOnce(&mut Self, &mut Place),
    ) -> Option<bool> {
        let message = status.and_then(|status| status.get("message")).filter(|message| message.is_object());
        place.carried = Marks::default();
        // What asks in a spelling that is not read must not be read in part.
        if let Some(message) = message.filter(|message| is_foreign(*message)) {
            problem(
                self.reading,
                ProblemCode::MessageUnrecognised,
                "this message is in a spelling of A2A that is not read",
                message,
            );
            return Some(false);
        }
        let hidden = message.map(|message| self.message(place, message));
        then(self, place);
        let word = status.and_then(|status| status.get("state"));
        let entered = word.map(state);
        if !place.is_live {
            self.answer_by_early_words(place, status);
            self.drop_unanswered(place, matches!(entered, Some((State::Ended(End::Completed), _))));
        }
        if matches!(entered, Some((State::InputRequired, _))) {
            self.drop_interim(place);
        }
        self.settle_early(place);
        if let (Some(word), Some((state, known))) = (word, entered) {
            // The task went on since an answer that is told again.
            if known && !(place.is_repeated && state == State::Working) {
                self.enter(place, state, message.is_some());
            } else if !known {
                problem(
                    self.reading,
                    ProblemCode::StateUnknown,
                    &format!("`{}` is no state that is known", word.text()),
                    word,
                );
            }
        }
        hidden
    }

    /// Reads the calls of an artifact; what became of calls is read behind the history, which may answer them.
    fn artifact<'a>(&mut self, place: &mut Place, artifact: Value<'a>, outcomes: &mut Vec<Told<'a>>) {
        let [id, metadata, parts] = artifact.named(names!["artifactId", "metadata", "parts"]);
        let origin = origin(metadata);
        self.note_app(place, &origin);
        place.source = text(self.source, id);
        let mut asking = Lookup::new(origin.asking);
        for value in items(parts) {
            match part(value, false) {
                Part::Call(data) => self.call(place, data, &origin, Some(outcomes)),
                Part::Stub(data) => self.stub(place, data),
                Part::Outcome(data) if is_asking(place, &mut asking, data) => self.stub(place, data),
                Part::Outcome(data) => outcomes.push((id, data)),
                _ => {}
            }
        }
    }
}

/// Whether a message makes calls that the task asks about. Those of one event stand in one message; what stands before it is of
/// earlier calls with their ids.
fn makes(place: &Place, message: Value<'_>) -> bool {
    let is_it = |value| matches!(part(value, false), Part::Call(data) if is_asked(place, data));
    items(message.get("parts")).any(is_it)
}

/// Whether a message is spelt as the HTTP binding of A2A 0.3 does, or with the names that only its protobuf has.
fn is_foreign(message: Value<'_>) -> bool {
    let [parts, content, id] = message.named(names!["parts", "content", "message_id"]);
    id.is_some() || parts.is_none() && content.is_some_and(Value::is_array)
}

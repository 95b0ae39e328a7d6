//! The task that is being read.

use std::borrow::Cow;
use std::sync::Arc;

use countersign_core::collections::{Groups, Marks};
use countersign_core::{ProblemCode, Scope, Text};
use countersign_json::{Value, items, members, names};

use super::memory::Dialect;
use super::outcome::Held;
use super::part::{Part, origin, part};
use super::read::Reader;
use crate::reading::{doubt, is, problem, shared};

/// The task that is being read.
pub(super) struct Place {
    pub(super) task: u32,
    pub(super) scope: Scope,
    /// Requests that stand before the point of reading and are not answered yet, by place in the task.
    pub(super) before: Marks,
    /// Requests that the message at hand carries, by place.
    pub(super) carried: Marks,
    /// Requests that the point of reading has passed an answer of, by place.
    pub(super) answered: Marks,
    /// Messages of this history that were read already.
    pub(super) seen: Groups,
    /// What is read is an event of a stream, not a history.
    pub(super) is_live: bool,
    /// The event tells again what was answered before.
    pub(super) is_repeated: bool,
    /// A request stands before the point of reading.
    pub(super) has_asked: bool,
    /// So many of the task's requests stand before the history, which does not tell of them.
    pub(super) cut: u32,
    /// The task is known to have ended, so that nothing in it can be approved any more.
    pub(super) is_over: bool,
    /// The agent that the event or the task names, if the message does not.
    pub(super) author: Option<Arc<str>>,
    /// That agent spoke last: what is read may be of another one.
    pub(super) spoke_last: bool,
    /// The agent to which the history has handed the conversation.
    pub(super) handed: Option<Arc<str>>,
    /// The application, which stands in where no agent is named at all.
    pub(super) app_name: Option<Arc<str>>,
    /// The calls that ask for confirmation in this event, or in the last one of a stored task, with the tool where the status
    /// names it: a model that numbers its calls anew gave the id to another tool before.
    pub(super) asking: Groups,
    /// What is read now may be of these calls: in a history, what stands behind the message that makes them.
    pub(super) is_asking: bool,
    /// Outcomes that stand before any answer.
    pub(super) held: Held,
    /// The message or the artifact at hand, and the calls of which it has told what became of them.
    pub(super) source: Option<Text>,
    /// The message that asked last.
    pub(super) asked_by: Option<Text>,
    pub(super) heard: Groups,
}

impl Place {
    /// Why a request here cannot be read without doubt, but for its arguments; of one that nobody can approve any more it does
    /// not matter.
    pub(super) fn doubt(&self, value: Value<'_>, args: &str) -> Option<String> {
        if self.is_over { None } else { doubt(value, args) }
    }
}

impl Reader<'_> {
    /// Finds or begins the task that `holder` is about.
    pub(super) fn place(&mut self, holder: Value<'_>, id: Option<Value<'_>>) -> Option<Place> {
        let Some(scope) = shared(self.source, id).map(Scope::from) else {
            problem(
                self.reading,
                ProblemCode::PartInvalid,
                "a task or an update without the task's id",
                holder,
            );
            return None;
        };
        let [context, metadata, status] = holder.named(names!["contextId", "metadata", "status"]);
        // What leaves it out may say it in its message.
        let context = context.or_else(|| status?.get("message")?.get("contextId"));
        let context = context.and_then(|context| context.as_str()).filter(|context| !context.is_empty());
        let origin = origin(metadata);
        let at = self.conversation.place(&scope, context.as_deref());
        let (author, app_name) = (self.name(origin.author), self.name(origin.app_name));
        let task = self.conversation.task_mut(at)?;
        task.app_name = app_name.or(task.app_name.take());
        let app_name = task.app_name.clone();
        let mut confirmed = Groups::default();
        for call in members(origin.asking).filter_map(|(call, _)| call.as_str()) {
            let mut is_told = false;
            for tool in asked_tools(status, &call) {
                is_told = true;
                confirmed.push(&with_tool(&call, &tool), 0);
            }
            if !is_told {
                confirmed.push(&self.source.cut(&call), 0);
            }
        }
        Some(Place {
            task: at,
            scope,
            before: Marks::default(),
            carried: Marks::default(),
            answered: Marks::default(),
            seen: Groups::default(),
            is_live: false,
            is_repeated: false,
            has_asked: false,
            cut: 0,
            is_over: false,
            author,
            spoke_last: false,
            handed: None,
            app_name,
            asking: confirmed,
            is_asking: true,
            held: Held::default(),
            source: None,
            asked_by: None,
            heard: Groups::default(),
        })
    }

    /// Keeps when the status last changed.
    pub(super) fn note_change(&mut self, place: &Place, status: Option<Value<'_>>) {
        if let (Some(changed), Some(task)) = (changed(status), self.conversation.task_mut(place.task)) {
            let changed = Some(self.source.cut(bare(&changed)));
            task.changed = task.changed.take().max(changed);
        }
    }

    /// What was asked before a history tells of it stands before that, too: a server may cut it in front.
    ///
    /// What was asked since does not, nor does anything where the task is known to have gone on since: this may have left
    /// the server before.
    pub(super) fn stand_behind_cut(
        &self,
        place: &mut Place,
        history: Option<Value<'_>>,
        status: Option<Value<'_>>,
    ) {
        let Some(task) = self.conversation.task(place.task) else { return };
        // Nobody answers the extension in words.
        if task.asks_in().is_none_or(|dialect| dialect == Dialect::HitlV1) {
            return;
        }
        let now = status.and_then(|status| status.get("message"));
        let messages = items(history).chain(now);
        let parts = messages.filter_map(|message| message.get("parts")).flat_map(Value::items);
        let told = parts.filter_map(|value| match part(value, false) {
            Part::Confirmation(data, _) => task.first_under(&data.id?.as_str()?),
            _ => None,
        });
        let all = task.requests.next_number();
        let cut = told.min().unwrap_or(all);
        place.has_asked = cut > 0;
        let is_old = changed(status).is_some_and(|changed| task.changed.as_deref() > Some(bare(&changed)));
        if !is_old {
            place.cut = cut;
            for at in task.unanswered.numbers().into_iter().take_while(|at| *at < cut) {
                place.before.insert(at);
            }
        }
    }

    /// Everything that is known of the task stands before what is read now.
    pub(super) fn stand_behind_all(&self, place: &mut Place) {
        place.is_live = true;
        if let Some(task) = self.conversation.task(place.task) {
            place.before = task.unanswered.clone();
            place.has_asked = !task.requests.is_empty();
        }
    }
}

/// The tools of the calls with this id about which the message of a status asks.
fn asked_tools<'a>(status: Option<Value<'a>>, id: &str) -> impl Iterator<Item = Cow<'a, str>> {
    let parts = status.and_then(|status| status.get("message")?.get("parts"));
    items(parts).filter_map(move |value| {
        let Part::Confirmation(data, _) = part(value, false) else { return None };
        let [call, tool] = data.args?.get("originalFunctionCall")?.named(names!["id", "name"]);
        tool.filter(|_| is(call, id))?.as_str()
    })
}

/// A call by its id and its tool.
pub(super) fn with_tool(id: &str, tool: &str) -> Text {
    Text::from([id, "\n", tool].concat())
}

/// When a status last changed.
pub(super) fn changed(status: Option<Value<'_>>) -> Option<Cow<'_, str>> {
    status?.get("timestamp")?.as_str()
}

/// A moment without the letter behind it, so that a whole second stands before its parts.
pub(super) fn bare(moment: &str) -> &str {
    moment.trim_end_matches('Z')
}

//! What an A2A server's task store holds after each event: the history from which a reload would rebuild everything.

use countersign_json::{Document, Limits, Value, Writer, shallow_merge};

/// The tasks of a server, folded from the events it sent and the messages it got.
#[derive(Debug, Default)]
pub struct Store {
    tasks: Vec<Task>,
}

#[derive(Debug, Default)]
struct Task {
    id: String,
    context: Option<String>,
    state: String,
    message: Option<String>,
    history: Vec<String>,
    artifacts: Vec<String>,
    metadata: Option<String>,
    is_old: bool,
}

impl Store {
    /// Takes in what the server sent.
    pub fn receive(&mut self, text: &str) {
        let Ok(document) = Document::parse(text, &Limits::default()) else { return };
        let root = document.root();
        let body = root.get("result").unwrap_or(root);
        for tasks in [body.get("tasks"), body.get("data"), Some(body).filter(|body| body.is_array())]
            .into_iter()
            .flatten()
        {
            for task in tasks.items() {
                self.task(task);
            }
        }
        let of = |name: &str, kind: &str| {
            body.get(name).or_else(|| {
                Some(body).filter(|body| body.get("kind").is_some_and(|value| value.equals(kind)))
            })
        };
        if let Some(update) = of("statusUpdate", "status-update") {
            self.status(update);
        } else if let Some(update) = of("artifactUpdate", "artifact-update") {
            let task = self.at(update, "taskId");
            task.artifacts.extend(update.get("artifact").map(|artifact| artifact.text().to_owned()));
        } else if let Some(task) = body.get("task") {
            self.task(task);
        } else if body.get("id").is_some() && body.get("status").is_some() {
            self.task(body);
        }
    }

    /// Takes in a message that the server got.
    pub fn deliver(&mut self, body: &str) {
        let Ok(document) = Document::parse(body, &Limits::default()) else { return };
        let task = self.at(document.root(), "taskId");
        task.history.extend(task.message.take());
        task.history.push(body.to_owned());
    }

    /// All tasks, oldest first, as a reload would get them.
    pub fn history(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_array();
        for task in &self.tasks {
            task.write(&mut writer);
        }
        writer.end_array();
        writer.finish()
    }

    fn at(&mut self, holder: Value<'_>, key: &str) -> &mut Task {
        let id = holder.get(key).and_then(|id| id.as_str()).unwrap_or_default().into_owned();
        let place = match self.tasks.iter().position(|task| task.id == id) {
            Some(place) => place,
            None => {
                self.tasks.push(Task { id, ..Task::default() });
                self.tasks.len() - 1
            }
        };
        let task = &mut self.tasks[place];
        if let Some(context) = holder.get("contextId").and_then(|context| context.as_str()) {
            task.context = Some(context.into_owned());
        }
        // What an event says of itself is laid over what the task said before; a message says nothing of the task.
        if let Some(metadata) = holder.get("metadata").filter(|_| holder.get("parts").is_none()) {
            let before = task.metadata.as_deref().unwrap_or("{}");
            task.metadata = shallow_merge(before, metadata.text()).ok();
        }
        task.is_old |= holder.get("kind").is_some();
        task
    }

    fn task(&mut self, value: Value<'_>) {
        let texts = |key: &str| {
            value.get(key).into_iter().flat_map(Value::items).map(|item| item.text().to_owned()).collect()
        };
        let task = self.at(value, "id");
        task.history = texts("history");
        task.artifacts = texts("artifacts");
        task.set_status(value);
    }

    fn status(&mut self, update: Value<'_>) {
        let task = self.at(update, "taskId");
        task.history.extend(task.message.take());
        task.set_status(update);
    }
}

impl Task {
    fn set_status(&mut self, holder: Value<'_>) {
        let status = holder.get("status");
        let state = status.and_then(|status| status.get("state"));
        self.state = state.map(|state| state.text().to_owned()).unwrap_or_else(|| "\"working\"".to_owned());
        self.message =
            status.and_then(|status| status.get("message")).map(|message| message.text().to_owned());
    }

    fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        if self.is_old {
            writer.key("kind").string("task");
        }
        writer.key("id").string(&self.id);
        if let Some(context) = &self.context {
            writer.key("contextId").string(context);
        }
        writer.key("status").begin_object();
        writer.key("state").raw(&self.state);
        if let Some(message) = &self.message {
            writer.key("message").raw(message);
        }
        writer.end_object();
        for (key, items) in [("history", &self.history), ("artifacts", &self.artifacts)] {
            writer.key(key).begin_array();
            for item in items {
                writer.raw(item);
            }
            writer.end_array();
        }
        if let Some(metadata) = &self.metadata {
            writer.key("metadata").raw(metadata);
        }
        writer.end_object();
    }
}

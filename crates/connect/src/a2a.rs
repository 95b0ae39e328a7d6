//! A2A: JSON-RPC over HTTP, answers as server-sent events.

use std::cell::Cell;
use std::ops::ControlFlow;

use countersign_json::quote;

use super::a2a_tasks::Tasks;
use super::a2a_wire::{self as wire, Stand, State};
use super::answer::error_in;
use super::http::{self, Call};
use super::race::Signal;
use super::server::path;
use super::{Answered, Each, Fault, Message, Server, Transport, Work, pause, race};

/// How often more tasks are asked for.
const PAGES: usize = 1_000;
/// How long an answer whose task rests is still read when nothing comes any more, in milliseconds.
const LINGER: u32 = 3_000;

/// The version of A2A in which tasks are read and words are sent. A decision goes out in the version in which was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A2A 0.3: kagent up to 0.10, ADK with `to_a2a`.
    V0_3,
    /// A2A 1.0, with kagent's extension `hitl/v1`.
    V1_0,
}

/// An A2A agent: kagent, or ADK with `to_a2a`.
#[derive(Debug)]
pub struct A2a {
    server: Server,
    version: Version,
    history: Option<String>,
    /// The task to begin with, where tasks are not listed.
    task: Option<String>,
    extensions: String,
    calls: Cell<u64>,
    /// Comes when a message leaves.
    leaves: Signal,
    tasks: Tasks,
}

impl A2a {
    /// An agent that takes JSON-RPC calls at the address of this server.
    #[must_use]
    pub fn new(server: Server, version: Version) -> A2a {
        let extensions = wire::extensions(version).to_owned();
        A2a {
            server,
            version,
            history: None,
            task: None,
            extensions,
            calls: Cell::new(0),
            leaves: Signal::default(),
            tasks: Tasks::default(),
        }
    }

    /// With an address where all tasks of a conversation are listed, with `{conversation}` in it: for kagent
    /// `/api/sessions/{conversation}/tasks`. In 1.0 they are listed by `ListTasks` without it; in 0.3 nothing lists them,
    /// and a reload finds nothing but the task of [`A2a::with_task`]; the tasks of answers that came since are read one by one.
    #[must_use]
    pub fn with_history(mut self, url: &str) -> A2a {
        self.history = Some(url.to_owned());
        self
    }

    /// With the task to begin with, for 0.3 where nothing lists them.
    #[must_use]
    pub fn with_task(mut self, id: &str) -> A2a {
        self.task = Some(id.to_owned());
        self
    }

    /// With these extensions asked for on every call, in place of kagent's `hitl/v1` in 1.0 and of none in 0.3.
    #[must_use]
    pub fn with_extensions(mut self, addresses: &[&str]) -> A2a {
        self.extensions = addresses.join(", ");
        self
    }

    /// The sentence of a text that says that a message was not taken, or that its run failed.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        error_in(text)
    }

    /// What a text says of tasks is where they are known from, where nothing lists them.
    fn note(&self, conversation: &str, text: &str) {
        if self.version == Version::V0_3 && self.history.is_none() {
            self.tasks.note(conversation, text);
        }
    }

    fn call(&self, method: &str, parameters: &str) -> String {
        self.calls.set(self.calls.get().wrapping_add(1));
        wire::call(&self.calls.get().to_string(), method, parameters)
    }

    fn request<'c>(&'c self, body: &'c str, headers: Vec<(&'c str, &'c str)>) -> Call<'c> {
        Call { url: &self.server.url, headers, body: Some(body), ..Call::default() }
    }

    fn headers(&self) -> Vec<(&'static str, &str)> {
        wire::headers(self.version, &self.extensions)
    }

    async fn ask(&self, method: &str, parameters: &str) -> Result<String, Fault> {
        http::read(&self.server, &self.request(&self.call(method, parameters), self.headers())).await
    }

    /// The tasks as the list that the host named, if it did.
    async fn fetched(&self, conversation: &str) -> Result<Option<String>, Fault> {
        let Some(history) = &self.history else { return Ok(None) };
        let url = path(history, conversation);
        let call = Call { url: &url, headers: self.headers(), must_exist: true, ..Call::default() };
        http::known(&self.server, &call).await?.map(wire::sound).transpose()
    }

    /// The tasks page by page. They come newest first, so the pages are put together and read as one.
    async fn listed(&self, conversation: &str) -> Result<String, Fault> {
        let mut pages: Vec<String> = Vec::new();
        let mut token = None;
        while pages.len() < PAGES {
            let page = self.ask("ListTasks", &wire::list(conversation, token.as_deref())).await?;
            let page = wire::sound(page)?;
            token = wire::next(&page);
            pages.push(page);
            if token.is_none() {
                break;
            }
        }
        Ok(wire::joined(pages))
    }
}

/// What was heard of a task in an answer.
#[derive(Debug, Default)]
struct Hearing {
    heard: Cell<bool>,
    is_taken: Cell<bool>,
    /// Where its task stands, as it was said last.
    stand: Cell<Option<Stand>>,
}

impl Hearing {
    fn note(&self, event: &str) {
        self.heard.set(true);
        self.is_taken.set(self.is_taken.get() || wire::is_result(event));
        self.stand.set(wire::stand(event).or(self.stand.get()));
    }

    /// Waits for the end of an answer. An agent may leave the stream open though its task rests, which would take a connection from those of
    /// decisions: then it ends after a while in which nothing comes, or when the next message leaves, whose answer says the rest.
    async fn unless_resting(
        &self,
        sent: impl Future<Output = Result<(), Fault>>,
        next: &Signal,
    ) -> Result<(), Fault> {
        let rests = async {
            loop {
                // A task may be told of as it was before the message came.
                let _ = race::first(pause::silence(LINGER, &self.heard), next.next()).await;
                if self.stand.get() == Some(Stand::Rests) {
                    return;
                }
            }
        };
        race::first(sent, rests).await.one().unwrap_or(Ok(()))
    }
}

impl Transport for A2a {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            // What was found beside a decision is told first: a list says nothing of it.
            if let Some(forgotten) = self.tasks.told(conversation) {
                return Ok(Some(forgotten));
            }
            if self.history.is_some() {
                return self.fetched(conversation).await;
            }
            match self.version {
                Version::V1_0 => self.listed(conversation).await.map(Some),
                Version::V0_3 => {
                    let ask =
                        async |id: &str| self.ask("tasks/get", &wire::parameter("id", &quote(id))).await;
                    self.tasks.read(conversation, self.task.as_deref(), ask).await
                }
            }
        })
    }

    fn check<'a>(&'a self, conversation: &'a str, message: Message<'a>) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let Some(task) = wire::answered(message.text) else { return Ok(None) };
            let (version, extensions) = wire::form(message.transport, self.version, &self.extensions);
            let body = self.call(wire::methods(version).get, &wire::parameter("id", &quote(&task)));
            let headers = wire::headers(version, &extensions);
            let found = http::read(&self.server, &self.request(&body, headers)).await?;
            self.note(conversation, &found);
            match wire::state(&found) {
                // Words are taken for an answer to what was asked last, also in a task that another client has begun.
                State::Waits if wire::is_in_words(message.text) => {
                    Ok(self.fetched(conversation).await?.or(Some(found)))
                }
                State::Waits => Ok(Some(found)),
                State::Other(state) => Err(Fault::moved_on(format!("the task is `{state}`"))),
                State::Unknown => {
                    self.tasks.forget(conversation, wire::forgotten(&found, &task));
                    Err(Fault::moved_on("the task is not known any more"))
                }
                State::Error(message) => Err(Fault::answered(message)),
            }
        })
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            let (version, extensions) = wire::form(message.transport, self.version, &self.extensions);
            let body = self.call(wire::methods(version).stream, &wire::parameter("message", message.text));
            let headers = wire::headers(version, &extensions);
            let call = Call { decides: message.id, ..self.request(&body, headers) };
            let hearing = Hearing::default();
            self.leaves.come();
            let sent = http::send(&self.server, &call, |event| {
                let error = error_in(&event.data);
                hearing.note(&event.data);
                self.note(conversation, &event.data);
                each(event.data);
                error.map_or(Ok(ControlFlow::Continue(())), |message| Err(Fault::answered(message)))
            });
            hearing.unless_resting(sent, &self.leaves).await?;
            match (hearing.is_taken.get(), hearing.stand.get()) {
                (false, _) => Err(Fault::lost("the answer ended before it began")),
                // The agent works on, and the rest is read elsewhere.
                (true, None | Some(Stand::Works)) => {
                    Err(Fault::lost("the answer ended before the agent did"))
                }
                (true, Some(_)) => Ok(()),
            }
        })
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn error_in(&self, text: &str) -> Option<String> {
        A2a::error_of(text)
    }

    fn is_taken(&self, text: &str) -> bool {
        wire::is_result(text)
    }

    fn attend<'a>(&'a self, conversation: &'a str, known: Option<&'a str>, each: Each) -> Answered<'a, Work> {
        Box::pin(async move {
            if self.tasks.is_more(conversation) {
                return Ok(Work::Ended);
            }
            let Some(task) = known.and_then(wire::at_work) else { return Ok(Work::Rests) };
            let body = self.call(wire::methods(self.version).follow, &wire::parameter("id", &quote(&task)));
            let (call, mut work) = (self.request(&body, self.headers()), Work::GoesOn);
            let followed = http::follow(&self.server, &call, |event| {
                if let Some(message) = error_in(&event.data) {
                    return Err(Fault::answered(message));
                }
                let is_settled = wire::is_settled(&event.data);
                each(event.data);
                if !is_settled {
                    return Ok(ControlFlow::Continue(()));
                }
                work = Work::Ended;
                Ok(ControlFlow::Break(()))
            });
            match followed.await {
                // This agent cannot be followed, or the task has just ended: it is read again after a while.
                Err(fault) if fault.is_temporary() => Err(fault),
                _ => Ok(work),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;
    use std::rc::Rc;

    use super::*;
    use crate::testing::{now, pass};

    fn said(state: &str) -> String {
        format!(r#"{{"result":{{"kind":"status-update","status":{{"state":"{state}"}}}}}}"#)
    }

    #[test]
    fn r10_a_stream_that_stays_open_though_its_task_rests_is_not_read_for_ever() {
        let (hearing, next) = (Hearing::default(), Signal::default());
        let mut answer = pin!(hearing.unless_resting(pending(), &next));
        let mut heard = |event: &str, passes: u32| {
            hearing.note(event);
            let before = now(answer.as_mut());
            pass(passes);
            (before, now(answer.as_mut()))
        };
        assert_eq!(heard(&said("working"), 3_600_000), (None, None));
        // A task may be told of as it was before the message came.
        assert_eq!(heard(&said("input-required"), 2_999), (None, None));
        assert_eq!(heard(&said("working"), 3_600_000), (None, None));
        // Somebody signs in elsewhere.
        assert_eq!(heard(&said("auth-required"), 3_600_000), (None, None));
        assert_eq!(heard(&said("input-required"), 2_999), (None, None));
        assert_eq!(heard(r#"{"result":{"artifact":{}}}"#, 3_000), (None, Some(Ok(()))));
        assert_eq!((hearing.is_taken.get(), hearing.stand.get()), (true, Some(Stand::Rests)));
    }

    #[test]
    fn r10_when_the_next_message_leaves_only_an_answer_ends_whose_task_rests() {
        for (state, expected) in [("working", None), ("auth-required", None), ("completed", Some(Ok(())))] {
            let (hearing, next) = (Hearing::default(), Signal::default());
            let mut answer = pin!(hearing.unless_resting(pending(), &next));
            hearing.note(&said(state));
            assert_eq!(now(answer.as_mut()), None);
            next.come();
            assert_eq!(now(answer.as_mut()), expected, "{state}");
        }
    }

    #[test]
    fn an_answer_that_ends_is_over_at_once() {
        let (hearing, next) = (Hearing::default(), Signal::default());
        let fault = Fault::lost("it broke");
        let broken = hearing.unless_resting(async { Err(fault.clone()) }, &next);
        assert_eq!(now(broken), Some(Err(fault.clone())));
        assert!(!hearing.is_taken.get() && hearing.stand.get().is_none());
    }

    #[test]
    fn r39_tasks_are_known_from_what_was_said_of_them_only_where_nothing_lists_them() {
        let check = |agent: A2a, expected: bool| {
            agent.note("c", r#"{"result":{"kind":"task","id":"t","status":{"state":"working"}}}"#);
            let read = agent.tasks.read("c", None, async |_| Ok("{}".to_owned()));
            assert_eq!(
                now(read).is_some_and(|read| read == Ok(Some("{}".to_owned()))),
                expected,
                "{agent:?}"
            );
        };
        let agent = |version| A2a::new(Server::new("/"), version);
        check(agent(Version::V0_3), true);
        check(agent(Version::V0_3).with_history("/tasks"), false);
        check(agent(Version::V1_0), false);
    }

    #[test]
    fn r39_after_a_forgotten_task_the_state_is_read_at_once() {
        let agent = A2a::new(Server::new("/"), Version::V1_0);
        agent.tasks.forget("c", Some("gone".to_owned()));
        assert_eq!(now(agent.history("c")), Some(Ok(Some("gone".to_owned()))));
        let attend = || now(agent.attend("c", Some("gone"), Rc::new(|_| ())));
        assert_eq!([attend(), attend()], [Some(Ok(Work::Ended)), Some(Ok(Work::Rests))]);
    }
}

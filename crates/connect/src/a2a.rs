//! A2A: JSON-RPC over HTTP, answers as server-sent events.

use std::cell::Cell;
use std::ops::ControlFlow;

use countersign_json::quote;

use super::a2a_tasks::Tasks;
use super::a2a_wire::{self as wire, State};
use super::answer::error_in;
use super::http::{self, Call};
use super::server::path;
use super::{Answered, Each, Fault, Message, Server, Transport, Work};

/// How often more tasks are asked for.
const PAGES: usize = 1_000;

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

impl Transport for A2a {
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            // What was found beside a decision is told first: a list says nothing of it.
            if let Some(forgotten) = self.tasks.told(conversation) {
                return Ok(Some(forgotten));
            }
            if let Some(history) = &self.history {
                let url = path(history, conversation);
                let headers = self.headers();
                let call = Call { url: &url, headers, must_exist: true, ..Call::default() };
                return http::known(&self.server, &call).await?.map(wire::sound).transpose();
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
            let (mut is_taken, mut is_settled) = (false, false);
            http::send(&self.server, &call, |event| {
                let error = error_in(&event.data);
                is_settled |= wire::is_settled(&event.data);
                self.note(conversation, &event.data);
                each(event.data);
                if let Some(message) = error {
                    return Err(Fault::answered(message));
                }
                is_taken = true;
                Ok(ControlFlow::Continue(()))
            })
            .await?;
            match (is_taken, is_settled) {
                (false, _) => Err(Fault::lost("the answer ended before it began")),
                // The agent works on, and the rest is read elsewhere.
                (true, false) => Err(Fault::lost("the answer ended before the agent did")),
                (true, true) => Ok(()),
            }
        })
    }

    fn error_in(&self, text: &str) -> Option<String> {
        A2a::error_of(text)
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
    use std::rc::Rc;

    use super::*;
    use crate::testing::now;

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

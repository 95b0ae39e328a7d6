//! A LangGraph server: threads over REST, runs as server-sent events.

use std::ops::ControlFlow;

use super::answer::is_whole;
use super::http::{self, Call};
use super::langgraph_wire::{
    error_in, fault_in, interrupt_of, is_empty, is_unknown, part, run, running, thread, waits_for,
};
use super::server::segment;
use super::{Answered, Each, Fault, Message, Server, Transport, Work};

/// How many states of a thread are looked at, unless another number is named.
const STATES: u32 = 100;

/// A LangGraph server. A conversation is a thread.
#[derive(Debug)]
pub struct LangGraph {
    server: Server,
    assistant: String,
    states: u32,
    /// Further members of every run.
    more: Option<String>,
}

impl LangGraph {
    /// The assistant of this server with this id, or with this name of a graph.
    #[must_use]
    pub fn new(server: Server, assistant: &str) -> LangGraph {
        LangGraph { server, assistant: assistant.to_owned(), states: STATES, more: None }
    }

    /// With another number of states that are read as history.
    #[must_use]
    pub fn with_history_limit(mut self, states: u32) -> LangGraph {
        self.states = states;
        self
    }

    /// With further members of every run, such as `config`, `context` or `metadata`: the text of a JSON object.
    #[must_use]
    pub fn with_run(mut self, members: &str) -> LangGraph {
        self.more = Some(members.to_owned());
        self
    }

    async fn state(&self, conversation: &str) -> Result<Option<String>, Fault> {
        let url = self.server.below(&format!("/threads/{}/state", segment(conversation)));
        http::known(&self.server, &Call { url: &url, ..Call::default() }).await
    }

    /// The run that is under way.
    async fn running(&self, conversation: &str) -> Result<Option<String>, Fault> {
        // By their status, for the server in JavaScript lists the oldest runs first; in this order, for a run may begin meanwhile.
        for status in ["pending", "running"] {
            let path = format!("/threads/{}/runs?limit=10&status={status}", segment(conversation));
            let url = self.server.below(&path);
            match http::known(&self.server, &Call { url: &url, ..Call::default() }).await {
                Ok(Some(runs)) => {
                    let run = running(&runs);
                    if run.is_some() {
                        return Ok(run);
                    }
                }
                // A server that does not list runs is read and not followed.
                Ok(None) => return Ok(None),
                Err(fault) if !fault.is_temporary() => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
        Ok(None)
    }

    /// The sentence of a text that says that a message was not taken, or that its run failed.
    #[must_use]
    pub fn error_of(text: &str) -> Option<String> {
        error_in(text)
    }
}

impl Transport for LangGraph {
    /// The states of the thread, newest first: the present one alone does not tell what was decided.
    fn history<'a>(&'a self, conversation: &'a str) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let url = self.server.below(&format!("/threads/{}/history", segment(conversation)));
            let body = format!(r#"{{"limit":{}}}"#, self.states);
            let call = Call { url: &url, body: Some(&body), must_exist: true, ..Call::default() };
            let found = http::known_or_forgotten(&self.server, call, conversation, |it| {
                is_unknown(&it.said, conversation)
            });
            Ok(found.await?.filter(|text| !is_empty(text)))
        })
    }

    fn check<'a>(&'a self, conversation: &'a str, message: Message<'a>) -> Answered<'a, Option<String>> {
        Box::pin(async move {
            let state = self.state(conversation).await?;
            let state = state.ok_or_else(|| Fault::moved_on("the thread is not there any more"))?;
            if !waits_for(&state, message.text) {
                return Err(Fault::moved_on("the thread does not wait for this answer any more"));
            }
            Ok(Some(state))
        })
    }

    /// An interrupt that asks more by now, or something else, takes the answer all the same.
    fn shares(&self, one: &str, other: &str) -> bool {
        interrupt_of(one) == interrupt_of(other)
    }

    fn send<'a>(&'a self, conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        Box::pin(async move {
            if message.id.is_none() {
                let (url, body) = (self.server.below("/threads"), thread(conversation));
                http::read(&self.server, &Call { url: &url, body: Some(&body), ..Call::default() }).await?;
            }
            let url = self.server.below(&format!("/threads/{}/runs/stream", segment(conversation)));
            let body = run(&self.assistant, self.more.as_deref(), &message);
            let call = Call { url: &url, body: Some(&body), decides: message.id, ..Call::default() };
            let mut has_begun = false;
            http::run(&self.server, &call, |event| {
                let part = part(event);
                let fault = fault_in(&part, has_begun);
                if has_begun || fault.is_none() {
                    each(part);
                }
                has_begun = true;
                fault.map_or(Ok(ControlFlow::Continue(())), Err)
            })
            .await?;
            if message.id.is_some() {
                // Not every run says what became of an answer: of an agent inside a tool, only the state does. The
                // answer has arrived, so a state that cannot be read is no fault of it.
                self.state(conversation).await.ok().flatten().into_iter().for_each(|it| each(it));
            }
            Ok(())
        })
    }

    fn error_in(&self, text: &str) -> Option<String> {
        LangGraph::error_of(text)
    }

    fn is_taken(&self, text: &str) -> bool {
        is_whole(text) && self.error_in(text).is_none()
    }

    fn attend<'a>(
        &'a self,
        conversation: &'a str,
        _known: Option<&'a str>,
        each: Each,
    ) -> Answered<'a, Work> {
        Box::pin(async move {
            let Some(run) = self.running(conversation).await? else { return Ok(Work::Rests) };
            let path = format!("/threads/{}/runs/{}/stream", segment(conversation), segment(&run));
            let url = self.server.below(&path);
            let call = Call { url: &url, ..Call::default() };
            let followed = http::follow(&self.server, &call, |event| {
                each(part(event));
                Ok(ControlFlow::Continue(()))
            });
            match followed.await {
                // It has just ended and is not there any more, or this server cannot be followed: the state says what came of it.
                Err(fault) if fault.is_temporary() => Err(fault),
                _ => Ok(Work::Ended),
            }
        })
    }
}

//! An agent that is imitated in the page, in the place of a real one behind `countersign_connect::Channel`.
//!
//! Whatever is said to it, it wants to delete the file of that name, and it asks as a Haystack agent does.

use std::cell::RefCell;

use countersign_connect::{Answered, Each, Message, Transport};
use countersign_json::{Document, Limits, quote};

/// The agent, with everything that it has said.
#[derive(Default)]
pub(crate) struct Agent {
    said: RefCell<Vec<String>>,
}

impl Transport for Agent {
    fn history<'a>(&'a self, _conversation: &'a str) -> Answered<'a, Option<String>> {
        let all = ["[", &self.said.borrow().join(","), "]"].concat();
        Box::pin(async move { Ok(Some(all)) })
    }

    fn send<'a>(&'a self, _conversation: &'a str, message: Message<'a>, each: Each) -> Answered<'a, ()> {
        let answer = match message.id {
            // A person's words.
            None => self.ask(message.text),
            // What they decided, as the adapter wrote it.
            Some(_) => resolved(message.text),
        };
        self.said.borrow_mut().push(answer.clone());
        Box::pin(async move {
            each(answer);
            Ok(())
        })
    }
}

impl Agent {
    fn ask(&self, words: &str) -> String {
        let id = self.said.borrow().len();
        let path = quote(words);
        format!(
            r#"{{"type":"approval_request","id":"r{id}","tool_name":"delete_file","tool_params":{{"path":{path}}},"allowed_actions":["confirm","modify","reject"]}}"#
        )
    }
}

/// That an answer was taken. A real agent runs the tool now, with what stands in `new_tool_params` after an edit.
fn resolved(answer: &str) -> String {
    let document = Document::parse(answer, &Limits::default());
    let text = |name: &str| {
        let found = document.as_ref().ok().and_then(|document| document.root().get(name));
        found.map_or_else(|| "null".to_owned(), |value| value.text().to_owned())
    };
    format!(
        r#"{{"type":"approval_resolved","id":{},"action":{},"reason":"answered"}}"#,
        text("id"),
        text("action")
    )
}

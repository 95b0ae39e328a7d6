//! A call that ran unasked and is made once more: the same id, tool and arguments, in another message.

use countersign_core::{Decision, Status};

use super::Page;

/// How a dialect spells what stands in a task.
#[derive(Clone, Copy)]
struct Spelling {
    prefix: &'static str,
    /// In artifacts of A2A 1.0, with requests in kagent's extension.
    is_extended: bool,
}

const KAGENT: Spelling = Spelling { prefix: "kagent_", is_extended: false };
const ADK: Spelling = Spelling { prefix: "adk_", is_extended: false };
const SEED: Spelling = Spelling { prefix: "", is_extended: false };
const EXTENDED: Spelling = Spelling { prefix: "adk_", is_extended: true };

const HITL: &str = "https://kagent.dev/extensions/hitl/v1";

#[derive(Clone, Copy)]
enum Said<'a> {
    Call(&'a str),
    Outcome(&'a str),
    /// The confirmation with this id.
    Asked(&'a str),
    Approval,
}

impl Spelling {
    fn data(self, data: &str, kind: &str) -> String {
        let named = if self.is_extended { "" } else { r#""kind":"data","# };
        format!(r#"{{{named}"data":{data},"metadata":{{"{}type":"{kind}"}}}}"#, self.prefix)
    }

    fn part(self, said: Said<'_>) -> String {
        let call = |args| format!(r#"{{"id":"call_0","name":"pay","args":{args}}}"#);
        match said {
            Said::Call(args) => self.data(&call(args), "function_call"),
            Said::Outcome(result) => self.data(
                &format!(r#"{{"id":"call_0","name":"pay","response":{{"result":"{result}"}}}}"#),
                "function_response",
            ),
            Said::Asked(id) => self.data(
                &format!(
                    r#"{{"id":"{id}","name":"adk_request_confirmation","args":{{"originalFunctionCall":{},"toolConfirmation":{{"hint":"","confirmed":false}}}}}}"#,
                    call(ARGS)
                ),
                "function_call",
            ),
            Said::Approval => r#"{"kind":"data","data":{"decision_type":"approve"}}"#.to_owned(),
        }
    }

    fn message(self, id: &str, said: Said<'_>) -> String {
        if let (true, Said::Asked(request)) = (self.is_extended, said) {
            let tool = format!(r#"{{"id":"{request}","call_id":"call_0","name":"pay","args":{ARGS}}}"#);
            return format!(
                r#"{{"messageId":"{id}","role":"ROLE_AGENT","extensions":["{HITL}"],"metadata":{{"{HITL}":{{"type":"tool_approval_request","tools":[{tool}]}}}},"parts":[{{"text":"?"}}]}}"#
            );
        }
        let role = if matches!(said, Said::Approval) { "user" } else { "agent" };
        format!(r#"{{"kind":"message","messageId":"{id}","role":"{role}","parts":[{}]}}"#, self.part(said))
    }

    /// One event of the stream.
    fn live(self, (id, said): (&str, Said<'_>)) -> String {
        if self.is_extended && !matches!(said, Said::Asked(_)) {
            return format!(
                r#"{{"artifactUpdate":{{"taskId":"t","contextId":"c","artifact":{{"artifactId":"{id}","parts":[{}]}},"lastChunk":true}}}}"#,
                self.part(said)
            );
        }
        let state = if matches!(said, Said::Asked(_)) { "input-required" } else { "working" };
        let message = self.message(id, said);
        format!(
            r#"{{"kind":"status-update","taskId":"t","contextId":"c","status":{{"state":"{state}","message":{message}}}}}"#
        )
    }

    /// All of it as the stored task, which waits where it asked last.
    fn stored(self, all: &[(&str, Said<'_>)]) -> String {
        let is_artifact = |said: &Said<'_>| self.is_extended && !matches!(said, Said::Asked(_));
        let (mut history, mut artifacts) = (Vec::new(), Vec::new());
        for (id, said) in all {
            if is_artifact(said) {
                artifacts.push(format!(r#"{{"artifactId":"{id}","parts":[{}]}}"#, self.part(*said)));
            } else {
                history.push(self.message(id, *said));
            }
        }
        let (id, said) = all.last().expect("something was said");
        let status = match said {
            Said::Asked(_) => {
                format!(r#"{{"state":"input-required","message":{}}}"#, self.message(id, *said))
            }
            _ => r#"{"state":"working"}"#.to_owned(),
        };
        format!(
            r#"{{"kind":"task","id":"t","contextId":"c","artifacts":[{}],"history":[{}],"status":{status}}}"#,
            artifacts.join(","),
            history.join(",")
        )
    }

    /// A page that heard all of it live, and one that read it.
    fn pages(self, all: &[(&str, Said<'_>)]) -> [(&'static str, Page); 2] {
        let (mut live, mut read) = (Page::new(), Page::new());
        for said in all {
            live.receive(&self.live(*said));
        }
        read.restore(&self.stored(all));
        [("live", live), ("read", read)]
    }
}

const ARGS: &str = r#"{"p":1}"#;

/// What runs unasked, is made once more, and is asked about.
const AGAIN: [(&str, Said<'_>); 4] = [
    ("m1", Said::Call(ARGS)),
    ("m2", Said::Outcome("one")),
    ("m3", Said::Call(ARGS)),
    ("m4", Said::Asked("r")),
];

fn statuses(page: &Page) -> Vec<(String, Status)> {
    let named = |view: &countersign_core::RequestView| {
        view.request.as_ref().map_or("-", |request| request.as_str()).to_owned()
    };
    page.inbox.views().iter().map(|view| (named(view), view.status)).collect()
}

fn expected(all: &[(&str, Status)]) -> Vec<(String, Status)> {
    all.iter().map(|(id, status)| ((*id).to_owned(), *status)).collect()
}

#[test]
fn r39_a_call_that_ran_unasked_and_is_made_again_waits_for_its_answer_live_and_read() {
    for spelling in [KAGENT, ADK, SEED, EXTENDED] {
        for (way, mut page) in spelling.pages(&AGAIN) {
            let waits = expected(&[("-", Status::Completed), ("r", Status::Pending)]);
            assert_eq!(statuses(&page), waits, "{way} {}", spelling.prefix);
            let card = page.card("r");
            assert_eq!(
                (card.call.as_ref().map(|call| call.as_str()), &*card.args_text),
                (Some("call_0"), ARGS),
                "{way}"
            );
            page.decide("r", Decision::approve()).expect("it waits");
            assert_eq!(page.sent().len(), 1, "{way} {}", spelling.prefix);
        }
    }
}

#[test]
fn r39_what_became_of_a_call_that_was_made_again_is_told_of_its_own_card_and_changes_no_other() {
    let mut all = AGAIN.to_vec();
    all.extend([("m5", Said::Approval), ("m6", Said::Outcome("two"))]);
    let result =
        |page: &Page, at: usize| page.inbox.views()[at].result_text.clone().unwrap_or_default().to_string();
    for (way, mut page) in KAGENT.pages(&all) {
        let done = expected(&[("-", Status::Completed), ("r", Status::Completed)]);
        for _ in 0..2 {
            assert_eq!(statuses(&page), done, "{way}");
            assert_eq!(
                (result(&page, 0), result(&page, 1)),
                (r#"{"result":"one"}"#.into(), r#"{"result":"two"}"#.into())
            );
            for said in &all {
                if !matches!(said.1, Said::Asked(_)) {
                    page.receive(&KAGENT.live(*said));
                }
            }
            page.receive(&KAGENT.stored(&all));
        }
        // A third run is asked about, too.
        page.receive(&KAGENT.live(("m7", Said::Call(ARGS))));
        page.receive(&KAGENT.live(("m8", Said::Asked("s"))));
        assert_eq!(page.status("s"), Status::Pending, "{way}");
    }
}

#[test]
fn r09_what_is_told_again_of_a_call_that_ran_unasked_opens_nothing() {
    let [call, outcome, again, asked] = AGAIN;
    let nameless = ("", Said::Call(ARGS));
    let waits_not = |told: &[(&str, Said<'_>)]| {
        let mut page = Page::new();
        for said in told {
            page.receive(&KAGENT.live(*said));
        }
        assert_eq!((page.status("r"), page.offers("r").len()), (Status::Completed, 0));
    };
    // The same message, one without an id, the whole history, and a run whose outcome was heard first.
    waits_not(&[call, outcome, asked]);
    waits_not(&[call, outcome, call, asked]);
    waits_not(&[call, outcome, nameless, asked]);
    waits_not(&[outcome, call, asked]);
    // Both messages are of one run, if nothing became of it between them.
    waits_not(&[call, again, outcome, call, again, asked]);
    // The second run went by unasked, and the request is late.
    waits_not(&[call, outcome, again, ("m5", Said::Outcome("two")), asked]);
    waits_not(&[call, outcome, again, ("m5", Said::Outcome("two")), call, again, asked]);
    for spelling in [KAGENT, EXTENDED] {
        let mut page = Page::new();
        for said in [call, outcome] {
            page.receive(&spelling.live(said));
        }
        page.receive(&spelling.stored(&[call, outcome]));
        page.receive(&spelling.live(asked));
        assert_eq!(page.status("r"), Status::Completed);
    }
}

#[test]
fn r09_a_request_that_waits_stays_when_what_is_before_it_is_told_again() {
    for spelling in [KAGENT, ADK, EXTENDED] {
        for (way, mut page) in spelling.pages(&AGAIN) {
            for said in AGAIN {
                page.receive(&spelling.live(said));
                page.receive(&spelling.stored(&AGAIN));
                let waits = expected(&[("-", Status::Completed), ("r", Status::Pending)]);
                assert_eq!(statuses(&page), waits, "{way} {}", spelling.prefix);
            }
        }
    }
}

//! What a family of dialects must be able to do.

use countersign_core::{
    Advice, Arrival, Due, Failure, Outbound, Reading, RequestRef, Scope, Source, Stamp, Written,
};
use countersign_json::Value;

/// How many elements of a list are looked at first to recognise whose it is. A list begins as it goes on, and to look at all
/// of a long one for each family that it is not of takes longer than to read it.
pub(crate) const LOOKED_AT: usize = 64;

/// A family of wire dialects that share their envelopes.
pub(crate) trait Family {
    /// The name, as hosts spell it.
    fn name(&self) -> &'static str;

    /// Whether this value is something that the family speaks; of a list so many elements are looked at.
    fn recognises(&self, root: Value<'_>, looked_at: usize) -> bool;

    /// Whether the family speaks in server-sent events of this name that carry such a value.
    fn recognises_event(&self, _name: &str, _root: Value<'_>) -> bool {
        false
    }

    /// A conversation that has not begun.
    fn begin(&self) -> Box<dyn Talk>;
}

/// A conversation in the words of a family: what must be remembered of it, and what is read and written with that.
pub(crate) trait Talk {
    /// Reads one JSON value that arrived.
    fn read(&mut self, page: &Page<'_>, reading: &mut Reading);

    /// Writes the answers to complete batches. See [`Adapter::write`](countersign_core::Adapter::write) for what may be left
    /// out and how messages are named.
    ///
    /// # Errors
    /// A sentence that says why these decisions have no form on this wire.
    fn write(&self, due: &[Due], stamp: &Stamp) -> Result<Vec<Written>, String>;

    /// The host has taken the message that answers these requests, the first time or again: from now on it may arrive.
    fn handed_over(&mut self, _requests: &[RequestRef]) {}

    /// What a failed send means for the requests in it.
    fn failure(&mut self, _requests: &[RequestRef], _status: Option<u16>, _message: Option<&str>) -> Failure {
        Failure::Kept
    }

    /// Whether a send that failed with this status cannot have arrived: the backend itself did not take it.
    fn refuses(&self, status: u16) -> bool {
        (400..500).contains(&status)
    }

    /// Whether a message that did not arrive would still be taken as it was meant.
    fn may_repeat(&self, _outbound: &Outbound) -> bool {
        true
    }

    /// See [`Adapter::may_leave`](countersign_core::Adapter::may_leave).
    fn may_leave(&self, _outbound: &Outbound) -> bool {
        true
    }

    /// The backend has our answer to this request.
    fn delivered(&mut self, _request: &RequestRef) {}

    /// What the host should know now.
    fn advice(&self) -> Vec<Advice> {
        Vec::new()
    }

    /// The backend knows nothing of this part of the conversation any more. Returns its scope; `None`: that was all of it, and
    /// it begins anew.
    fn forget(&mut self, _id: &str) -> Option<Scope> {
        None
    }
}

/// One JSON value that arrived, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    /// The value.
    pub(crate) root: Value<'a>,
    /// The message that kept texts are cut out of.
    pub(crate) source: &'a Source,
    /// The name of the server-sent event that carried it, where it had one.
    pub(crate) event: Option<&'a str>,
    /// Whether it is news or history.
    pub(crate) arrival: Arrival,
    /// The host handed over a parsed value, so integers may have been rounded.
    pub(crate) rounded: bool,
    /// The host itself sent it.
    pub(crate) own: bool,
}

#[cfg(all(test, feature = "a2a", feature = "adk", feature = "haystack", feature = "langgraph"))]
mod tests {
    use super::LOOKED_AT;
    use crate::registry::recognise;

    #[test]
    fn a_list_is_recognised_wherever_its_mark_stands() {
        for (family, element) in [
            ("a2a", r#"{"kind":"task","id":"t"}"#),
            ("adk", r#"{"invocationId":"i","author":"a"}"#),
            ("langgraph", r#"{"values":{},"tasks":[]}"#),
            ("haystack", r#"{"type":"tool_call_start","tool_name":"t"}"#),
            ("haystack", r#"{"role":"user","meta":{},"content":[]}"#),
        ] {
            let list = |before: usize| format!("[{}{element}]", "{},".repeat(before));
            for before in [0, LOOKED_AT - 1, LOOKED_AT, 10 * LOOKED_AT] {
                assert_eq!(recognise(&list(before)), Some(family), "{element}");
            }
        }
    }
}

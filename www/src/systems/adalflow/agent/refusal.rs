//! Answers that change nothing.

use countersign_json::{Writer, quote};

use countersign_connect::{Fault, FaultKind};

/// Why an answer changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// Why, as JSON text: a sentence, or an object with a list of errors.
    pub detail: String,
}

impl Refused {
    /// A refusal with this sentence.
    #[must_use]
    pub(super) fn new(status: u16, sentence: &str) -> Refused {
        Refused { status, detail: quote(sentence) }
    }

    /// A refusal of arguments that do not fit their tool.
    #[must_use]
    pub(super) fn misfit(errors: &[String]) -> Refused {
        let errors: Vec<String> = errors.iter().map(|error| quote(error)).collect();
        Refused { status: 422, detail: format!(r#"{{"errors":[{}]}}"#, errors.join(",")) }
    }

    /// The refusal as the page that answered over a socket gets it.
    #[must_use]
    pub(super) fn message(&self, id: &str) -> String {
        let mut writer = Writer::new();
        writer.begin_object().key("type").string("approval_error").key("id").string(id);
        writer.key("status").integer(i64::from(self.status)).key("detail").raw(&self.detail).end_object();
        writer.finish()
    }

    /// The refusal as an answer over HTTP.
    #[must_use]
    pub(super) fn fault(self) -> Fault {
        let detail = self.detail.trim_matches('"');
        Fault::new(FaultKind::Status(self.status), format!("the agent refused: {detail}"))
    }
}

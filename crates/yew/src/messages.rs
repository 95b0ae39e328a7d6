//! Every word that the components say.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use countersign_core::{HazardView, Status};
use yew::prelude::*;

/// Declares texts without parameters.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $(
            $(#[$doc])*
            #[doc = concat!("\n\nEnglish: “", $text, "”")]
            fn $name(&self) -> AttrValue {
                AttrValue::Static($text)
            }
        )*
    };
}

/// Every word that the components say; what is not overridden is English.
///
/// # Shape
/// Texts whose documentation speaks of a place hold `{}` where the components draw something. Parameters that come
/// from outside, such as tool names, are already escaped.
pub trait Messages {
    texts! {
        /// The name of the panel.
        inbox = "Tool calls";
        /// Instead of an empty list.
        nothing_waits = "Nothing waits for you.";
        /// Over what is settled.
        decided = "Decided";
        /// On the button that approves every call of the bar.
        approve_all = "Approve all";
        /// On the button that opens the reason for rejecting every call.
        reject_all = "Reject all…";
        /// On the button that approves one call.
        approve = "Approve";
        /// On the button that rejects one call at once.
        reject = "Reject";
        /// On the button that opens the reason for rejecting one call.
        reject_with_reason = "Reject…";
        /// On the button that rejects with the typed reason.
        send_rejection = "Send rejection";
        /// On the button that neither runs nor answers a call.
        ignore = "Ignore";
        /// On the button that opens the words which stand in for a result.
        respond = "Reply instead of running…";
        /// On the button that sends those words.
        send_response = "Send reply";
        /// The label of those words.
        response = "Reply";
        /// Under those words.
        response_means = "The agent gets these words instead of a result. The call does not run.";
        /// On the button that closes the reason.
        cancel = "Cancel";
        /// On the button that takes back what is not sent yet.
        undo = "Undo";
        /// On the button that sends again.
        retry = "Retry";
        /// On the button that answers questions.
        send_answers = "Send answers";
        /// Why a button does not act yet.
        ready_soon = "Ready in a moment";
        /// Beside the name of the tool; a place for the server.
        served_by = "from {}";
        /// Beside the name of the tool; a place for the path of agents.
        asked_by = "asked by {}";
        /// Between agents.
        agent_separator = " › ";
        /// Between short facts.
        separator = " · ";
        /// On what a rule decided.
        automatic = "Automatic";
        /// The name of the arguments.
        arguments = "Arguments";
        /// Instead of an empty object of arguments.
        no_arguments = "No arguments";
        /// What a question request carries besides the questions.
        as_sent = "What the agent sent";
        /// One of the two views of arguments: field by field.
        tree = "Tree";
        /// One of the two views of arguments: the exact text.
        raw = "Raw";
        /// On the button that shows more of a settled call.
        details = "Details";
        /// The name of what the tool returned.
        result = "Result";
        /// What could not be read as JSON.
        not_json = "This is not JSON.";
        /// On a call whose arguments are ambiguous.
        unreadable = "These arguments cannot be read without doubt. The call can be rejected only.";
        /// On a call whose arguments changed.
        changed = "The arguments changed while this waited. Look again.";
        /// Before what the agent claims.
        claim = "The agent says (not verified):";
        /// Around words of someone else; a place for them.
        quoted = "“{}”";
        /// The label of the reason.
        reason = "Reason";
        /// The given reason; a place for it.
        given_reason = "Reason: {}";
        /// Under a reason that the agent gets.
        reason_sent = "Optional. The agent gets these words.";
        /// Under a reason that stays here.
        reason_local = "Optional. The reason stays here; the agent never sees it.";
        /// Under a reason that must be given.
        reason_required = "The agent does not accept a rejection without a reason.";
        /// While the host hands over the decision.
        sending = "Sending…";
        /// When the decision arrived and nothing came back.
        sent = "Sent · waiting for the agent";
        /// When the decision did not arrive, and why; a place for the error.
        not_delivered_because = "The decision was not delivered: {}";
        /// When the decision did not arrive.
        not_delivered = "The decision was not delivered.";
        /// What became of a decision that did not arrive, after the word for the decision.
        undelivered = "not delivered";
        /// Before what went wrong with the tool; a place for it.
        error = "Error: {}";
        /// On a request that someone else must answer.
        blocked = "It waits, but it cannot be answered from here.";
    }

    /// A count in figures: `1,560`.
    fn number(&self, count: usize) -> String {
        let digits = count.to_string();
        let mut grouped = String::with_capacity(digits.len() * 4 / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        grouped
    }

    /// “1 call waits”, “3 calls wait”.
    fn calls_wait(&self, count: usize) -> String {
        counted(&self.number(count), if count == 1 { "call waits" } else { "calls wait" })
    }

    /// The announcement of calls: “2 calls wait: delete_file, send_email”. `tools` may be fewer than `count`.
    fn calls_arrived(&self, count: usize, tools: &[String]) -> String {
        let mut text = [&self.calls_wait(count), ": ", &tools.join(", ")].concat();
        if let Some(more) = count.checked_sub(tools.len()).filter(|more| *more > 0) {
            text.push_str(", ");
            text.push_str(&self.more(more));
        }
        text
    }

    /// The announcement of an end, and the name of a card: “delete_file: Rejected”.
    fn call_stands(&self, tool: &str, standing: &str) -> String {
        [tool, ": ", standing].concat()
    }

    /// The accessible name of a button: “Approve delete_file”.
    fn act_on(&self, act: &str, tool: &str) -> String {
        [act.trim_end_matches('…'), " ", tool].concat()
    }

    /// On the button that allows a whole tool for good: “Always allow delete_file with any arguments”.
    fn always_allow(&self, tool: &str) -> String {
        ["Always allow ", tool, " with any arguments"].concat()
    }

    /// The accessible name of that button. It begins with what stands on it.
    fn always_allow_means(&self, label: &str) -> String {
        [label, ": from now on the whole tool runs without asking"].concat()
    }

    /// “1 of 3 decided”.
    fn decided_of(&self, decided: usize, of: usize) -> String {
        [&self.number(decided), " of ", &self.number(of), " decided"].concat()
    }

    /// On the button that approves when some calls need a look of their own: “Approve 3 of 4”.
    fn approve_some(&self, count: usize, of: usize) -> String {
        ["Approve ", &self.number(count), " of ", &self.number(of)].concat()
    }

    /// “3 more”.
    fn more(&self, count: usize) -> String {
        [&self.number(count), " more"].concat()
    }

    /// On the button under a cut list: “Show 500 more of 2,310”.
    fn show_more(&self, count: usize, of: usize) -> String {
        ["Show ", &self.number(count), " more of ", &self.number(of)].concat()
    }

    /// On the button over a cut history: “Show 50 earlier of 2,310”.
    fn show_earlier(&self, count: usize, of: usize) -> String {
        ["Show ", &self.number(count), " earlier of ", &self.number(of)].concat()
    }

    /// “1,560 characters more”.
    fn characters_more(&self, count: usize) -> String {
        counted(&self.number(count), if count == 1 { "character more" } else { "characters more" })
    }

    /// How long a text is: “812 characters”.
    fn characters(&self, count: usize) -> String {
        counted(&self.number(count), if count == 1 { "character" } else { "characters" })
    }

    /// On the button that shows what is nested too deep: “Nested deeper than 64 levels: 812 characters”.
    fn nested_deeper(&self, levels: usize, characters: usize) -> String {
        ["Nested deeper than ", &self.number(levels), " levels: ", &self.number(characters), " characters"]
            .concat()
    }

    /// How many members an object has.
    fn fields(&self, count: usize) -> String {
        counted(&self.number(count), if count == 1 { "field" } else { "fields" })
    }

    /// How many items an array has.
    fn items(&self, count: usize) -> String {
        counted(&self.number(count), if count == 1 { "item" } else { "items" })
    }

    /// Under arguments with hidden characters; a place for an example.
    fn hidden_characters(&self, count: usize) -> String {
        match count {
            1 => "One hidden character is shown as {}. It could make the text read differently.".to_owned(),
            _ => [
                &self.number(count),
                " hidden characters are shown as {}. They could make the text read differently.",
            ]
            .concat(),
        }
    }

    /// What is noteworthy about the arguments.
    fn hazard(&self, hazard: &HazardView) -> String {
        hazard.message.clone()
    }

    /// The name of a digest: “SHA-256 of the exact arguments: 3f9a…”.
    fn digest(&self, digest: &str) -> String {
        ["SHA-256 of the exact arguments: ", digest].concat()
    }

    /// How a span of time is counted down: “0:42”.
    fn countdown(&self, seconds: u64) -> String {
        let two = |number: u64| {
            let digits = number.to_string();
            if digits.len() < 2 { ["0", &digits].concat() } else { digits }
        };
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let minutes =
            if hours > 0 { [&hours.to_string(), ":", &two(minutes)].concat() } else { minutes.to_string() };
        [&minutes, ":", &two(seconds % 60)].concat()
    }

    /// When a held decision is sent: “goes out in 3 s”.
    fn goes_out_in(&self, seconds: u64) -> String {
        ["goes out in ", &seconds.to_string(), " s"].concat()
    }

    /// Why a decision is held: “waits for 2 more”.
    fn waits_for(&self, count: usize) -> String {
        ["waits for ", &self.number(count), " more"].concat()
    }

    /// Why answers cannot be sent: “2 questions are still open”.
    fn questions_open(&self, count: usize) -> String {
        counted(
            &self.number(count),
            if count == 1 { "question is still open" } else { "questions are still open" },
        )
    }

    /// A decision in one word, by its kind as JSON spells it.
    fn decision(&self, kind: &str) -> AttrValue {
        AttrValue::Static(match kind {
            "approve" | "approve_always" => "Approved",
            "edit" => "Edited",
            "reject" | "reject_always" => "Rejected",
            "respond" => "Responded",
            "ignore" => "Ignored",
            "answer" => "Answered",
            "cancel" => "Run cancelled",
            _ => "Decided",
        })
    }

    /// A status in a word or two.
    fn status(&self, status: Status) -> AttrValue {
        AttrValue::Static(match status {
            Status::Requested => "Requested",
            Status::Streaming => "Arriving…",
            Status::Pending => "Waits for you",
            Status::Drafted => "not sent yet",
            Status::Sending => "sending…",
            Status::Sent => "sent",
            Status::Approved => "Approved",
            Status::Running => "running",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Rejected => "Rejected",
            Status::Responded => "Answered",
            Status::Cancelled => "Cancelled",
            Status::Expired => "Expired",
            Status::Superseded => "No longer waiting",
            Status::Conflict => "Decided elsewhere",
            Status::Blocked => "Cannot be answered here",
            Status::Unknown => "Settled, outcome unknown",
        })
    }

    /// What a status means that nobody here chose.
    fn ended(&self, status: Status) -> Option<AttrValue> {
        Some(AttrValue::Static(match status {
            Status::Expired => "Nobody answered in time.",
            Status::Superseded => "The conversation moved on; it can no longer be answered.",
            Status::Conflict => "Someone else decided differently first.",
            Status::Unknown => "It is settled, but the agent does not say how.",
            _ => return None,
        }))
    }
}

fn counted(number: &str, noun: &str) -> String {
    [number, " ", noun].concat()
}

/// The words in English.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct English;

impl Messages for English {}

/// The words that are in force, shared.
///
/// Two catalogues are equal when they are the same one.
#[derive(Clone)]
pub struct Catalogue(Rc<dyn Messages>);

impl Catalogue {
    /// A catalogue of these words.
    pub fn new(messages: impl Messages + 'static) -> Catalogue {
        Catalogue(Rc::new(messages))
    }
}

impl Default for Catalogue {
    fn default() -> Catalogue {
        Catalogue::new(English)
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Catalogue) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for Catalogue {
    type Target = dyn Messages;

    fn deref(&self) -> &(dyn Messages + 'static) {
        self.0.as_ref()
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Catalogue")
    }
}

/// The words of the nearest `ContextProvider<Catalogue>`; English where there is none.
#[hook]
pub fn use_messages() -> Catalogue {
    let given = use_context::<Catalogue>();
    let english = use_memo((), |()| Catalogue::default());
    given.unwrap_or_else(|| (*english).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_agree_in_number() {
        assert_eq!(English.number(0), "0");
        assert_eq!(English.number(1560), "1,560");
        assert_eq!(English.number(1_234_567), "1,234,567");
        assert_eq!(English.calls_wait(1), "1 call waits");
        assert_eq!(English.calls_wait(3), "3 calls wait");
    }

    #[test]
    fn a_countdown_has_two_digits_of_seconds() {
        assert_eq!(English.countdown(42), "0:42");
        assert_eq!(English.countdown(605), "10:05");
        assert_eq!(English.countdown(3_661), "1:01:01");
    }

    #[test]
    fn r46_an_announcement_names_tools_and_counts_the_rest() {
        let tools = ["delete_file".to_owned(), "send_email".to_owned()];
        assert_eq!(English.calls_arrived(2, &tools), "2 calls wait: delete_file, send_email");
        assert_eq!(English.calls_arrived(5, &tools), "5 calls wait: delete_file, send_email, 3 more");
    }
}

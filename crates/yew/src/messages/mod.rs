//! Every word that the components say.
//!
//! [`first`] and [`later`] have the texts and their English, [`told`] those that other crates say in English; catalogues in
//! other languages are JSON, and [`read`] lays them over it.

mod fill;
mod first;
mod language;
mod later;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod told;

use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use countersign_core::{
    DecidedBy, GrantScope, HazardView, Millis, RefusalCode, RiskLevel, RiskReason, Status,
};
use countersign_json::ParseErrorCode;
use yew::prelude::*;

pub(crate) use fill::{is_right_to_left, place};
pub use read::{CatalogueFault, CatalogueProblem, Translation};
#[cfg(test)]
pub(crate) use told::WORDS;

use crate::inbox_panel::Kept;
use first::Id;
use language::{Category, Rule};
use table::{Line, Row};

/// Catalogues that come with the components, as the JSON text that [`Catalogue::from_json`] reads.
pub mod locales {
    /// German.
    pub const DE: &str = include_str!("../../locales/de.json");
    /// Chinese, simplified.
    pub const ZH_HANS: &str = include_str!("../../locales/zh-Hans.json");
    /// Arabic.
    pub const AR: &str = include_str!("../../locales/ar.json");

    /// The catalogue of a BCP 47 tag, such as `de-AT` or `zh-CN`; `None`: there is none, English is built in.
    #[must_use]
    pub fn find(tag: &str) -> Option<&'static str> {
        let language = tag.split(['-', '_']).next().unwrap_or_default();
        match language.to_ascii_lowercase().as_str() {
            "de" => Some(DE),
            // The traditional script has no catalogue: another script would be the wrong one.
            "zh" if !tag.contains("Hant") && !tag.ends_with("TW") && !tag.ends_with("HK") => Some(ZH_HANS),
            "ar" => Some(AR),
            _ => None,
        }
    }
}

/// Why a call is not decided together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It is confirmed a second time.
    HighRisk,
    /// Its arguments cannot be read without doubt.
    Unreadable,
    /// It changed while it waited.
    Changed,
    /// It is not offered for approval.
    NotOffered,
    /// It is not offered for rejection.
    NotRejectable,
    /// Somebody began to change its arguments.
    Edited,
    /// Somebody began to change its arguments, and they cannot be sent as they are.
    EditedInvalid,
}

/// The forms of one text in the place of the English.
type Forms = Vec<(Category, AttrValue)>;

/// Every word that the components say.
///
/// # Shape
/// Texts whose documentation says that something is drawn at its place hold the name of the place in braces. Parameters
/// that come from outside, such as tool names, are already escaped.
#[derive(Clone)]
pub struct Messages {
    /// The BCP 47 tag of the language.
    locale: AttrValue,
    rule: Rule,
    right_to_left: bool,
    /// Somebody chose the language; else it is English because nobody did.
    chosen: bool,
    /// Others are on their way.
    provisional: bool,
    /// English, as far as [`first`] has it. Where a catalogue lies over it, all of it, and behind it what other crates say.
    rows: Rc<[Row]>,
    /// The rest of the English, once it is asked for.
    later: OnceCell<Rc<[Row]>>,
    /// In the order of the rows; without a form where it is English.
    forms: Vec<Forms>,
}

/// What a button says that asks first, without the sign that it does: where nothing more is asked.
pub(crate) fn at_once(act: &str) -> &str {
    act.trim_end_matches(['…', ' ', '\u{A0}'])
}

/// The form for numbers of this category.
fn choose(forms: &[(Category, AttrValue)], category: Category) -> Option<&AttrValue> {
    let of = |wanted| forms.iter().find(|(category, _)| *category == wanted);
    of(category).or_else(|| of(Category::Other)).map(|(_, text)| text)
}

impl Default for Messages {
    fn default() -> Messages {
        let rows = table::rows(first::TABLE);
        Messages {
            locale: AttrValue::Static("en"),
            rule: Rule::English,
            right_to_left: false,
            chosen: false,
            provisional: false,
            forms: vec![Forms::new(); first::COUNT + later::COUNT],
            rows,
            later: OnceCell::new(),
        }
    }
}

impl Messages {
    /// The BCP 47 tag of the language.
    #[must_use]
    pub fn locale(&self) -> &AttrValue {
        &self.locale
    }

    /// Whether other words are on their way: what is only heard waits for them.
    #[must_use]
    pub fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// The direction in which the language is read, `ltr` or `rtl`; `None` where nobody chose a language: then the
    /// direction of the page counts.
    #[must_use]
    pub fn direction(&self) -> Option<&'static str> {
        self.chosen.then_some(if self.right_to_left { "rtl" } else { "ltr" })
    }

    /// The form of a text for numbers of this category.
    fn form(&self, Line(at): Line, category: Category) -> AttrValue {
        let forms = self.forms.get(at).map(Vec::as_slice).unwrap_or_default();
        if let Some(text) = choose(forms, category) {
            return text.clone();
        }
        let later = || self.later.get_or_init(later::all).get(at - self.rows.len());
        let Some(row) = self.rows.get(at).or_else(later) else { return AttrValue::default() };
        AttrValue::Static(if category == Category::One { row.one } else { row.other })
    }

    /// The announcement of calls: “2 calls wait: delete_file, send_email”. `tools` may be fewer than `count`.
    pub fn calls_arrived(&self, count: usize, tools: &[String]) -> String {
        self.announced(count, count, tools)
    }

    /// The announcement of calls, `all` of which wait with those that waited before.
    pub(crate) fn announced(&self, count: usize, all: usize, tools: &[String]) -> String {
        let mut list = String::new();
        for tool in tools {
            if !list.is_empty() {
                list.push_str(&self.list_separator());
            }
            self.isolate(tool, &mut list);
        }
        if let Some(more) = count.checked_sub(tools.len()).filter(|more| *more > 0) {
            list.push_str(&self.list_separator());
            list.push_str(&self.more(more));
        }
        let waiting = if all > count { self.more_calls_wait(count, all) } else { self.calls_wait(count) };
        self.announcement(&waiting, &list)
    }

    /// The accessible name of a button: “Approve delete_file”.
    pub fn act_on(&self, act: &str, tool: &str) -> String {
        self.button_name(at_once(act), tool)
    }

    /// What is noteworthy about the arguments, to stand after its place: English does not name that again.
    pub fn hazard(&self, hazard: &HazardView) -> String {
        let told = self.told("hazard_", &hazard.code, None).map(|text| text.to_string());
        let message = hazard.message.as_str();
        let unnamed = || {
            let (rest, this) = match message.strip_prefix("the key `") {
                Some(rest) => (rest, "this key"),
                None => (message.strip_prefix('`')?, "this number"),
            };
            // A key may hold backticks itself.
            let (_, rest) = rest.rsplit_once('`').filter(|_| !hazard.pointer.is_empty())?;
            Some([this, rest].concat())
        };
        told.or_else(unnamed).unwrap_or_else(|| message.to_owned())
    }

    /// Why an act was refused; `message` is what the inbox says of it, in English.
    pub fn refusal(&self, code: Option<RefusalCode>, message: &str) -> String {
        let told = code.and_then(|code| self.told("refusal_", code.as_str(), None));
        told.map_or_else(|| message.to_owned(), |text| text.to_string())
    }

    /// What is wrong with a text that is not JSON.
    pub fn json_error(&self, code: ParseErrorCode) -> AttrValue {
        self.told("json_", code.as_str(), None).unwrap_or(AttrValue::Static(code.message()))
    }

    /// The text for a code in kebab case, where a catalogue has one; in English the one says it who found it.
    pub(crate) fn told(&self, group: &str, code: &str, count: Option<u64>) -> Option<AttrValue> {
        let key = [group, &code.replace('-', "_")].concat();
        let (_, forms) = self.rows.iter().zip(&self.forms).find(|(row, _)| row.key == key)?;
        choose(forms, count.map_or(Category::Other, |count| self.rule.category(count))).cloned()
    }

    /// Why a call needs care, as its arguments or its server say.
    pub fn risk(&self, reason: &RiskReason) -> String {
        let key = ["risk_", &reason.code.replace('-', "_")].concat();
        match self.rows.iter().position(|row| row.key == key) {
            Some(at) => self.plain(Line(at)).to_string(),
            None => reason.message.clone(),
        }
    }

    /// How much care a call needs.
    pub fn risk_level(&self, level: RiskLevel) -> AttrValue {
        self.plain(match level {
            RiskLevel::Low => Id::risk_level_low,
            RiskLevel::Elevated => Id::risk_level_elevated,
            RiskLevel::High => Id::risk_level_high,
        })
    }

    /// Why a call is not decided together with others.
    pub fn left_out(&self, why: LeftOut) -> AttrValue {
        self.plain(match why {
            LeftOut::HighRisk => later::Id::left_out_high_risk,
            LeftOut::Unreadable => later::Id::left_out_unreadable,
            LeftOut::Changed => later::Id::left_out_changed,
            LeftOut::NotOffered => later::Id::left_out_not_offered,
            LeftOut::NotRejectable => later::Id::left_out_not_rejectable,
            LeftOut::Edited => later::Id::left_out_edited,
            LeftOut::EditedInvalid => later::Id::left_out_edited_invalid,
        })
    }

    /// On the button that shows a part of the history.
    pub fn kept(&self, kept: Kept) -> AttrValue {
        self.plain(match kept {
            Kept::All => later::Id::kept_all,
            Kept::Ran => later::Id::kept_ran,
            Kept::Refused => later::Id::kept_refused,
            Kept::Other => later::Id::kept_other,
        })
    }

    /// Who decided a call, and when; `time` is absent where it is not known.
    pub fn decided_by(&self, by: DecidedBy, time: Option<&str>) -> String {
        let who = self.plain(match by {
            DecidedBy::Here => Id::by_here,
            DecidedBy::Rule => Id::by_rule,
            DecidedBy::Elsewhere => Id::by_elsewhere,
        });
        time.map_or_else(|| who.to_string(), |time| self.decided_when(&who, time))
    }

    /// How a span of time is counted down: “0:42”.
    pub fn countdown(&self, seconds: u64) -> String {
        let two = |number: u64| {
            let digits = number.to_string();
            if digits.len() < 2 { ["0", &digits].concat() } else { digits }
        };
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        let minutes =
            if hours > 0 { [&hours.to_string(), ":", &two(minutes)].concat() } else { minutes.to_string() };
        [&minutes, ":", &two(seconds % 60)].concat()
    }

    /// A choice that the backend would remember; the tool is drawn at its place.
    pub fn reach_backend(&self, scope: Option<GrantScope>) -> AttrValue {
        self.plain(match scope {
            Some(GrantScope::SameArgs) => later::Id::backend_same_args,
            Some(GrantScope::Server) => later::Id::backend_server,
            Some(GrantScope::Session) => later::Id::backend_session,
            _ => later::Id::backend_tool,
        })
    }

    /// How long a permission lasts: “For 1 hour”.
    pub fn for_span(&self, span: Millis) -> String {
        let hours = span.0 / 3_600_000;
        if hours >= 24 { self.for_days(hours / 24) } else { self.for_hours(hours) }
    }

    /// A moment, as the person's own clock shows it.
    pub fn moment(&self, moment: Millis) -> String {
        clock(moment, self.chosen.then_some(&*self.locale))
    }

    /// A decision in one word, by its kind as JSON spells it.
    pub fn decision(&self, kind: &str) -> AttrValue {
        self.plain(match kind {
            "approve" | "approve_always" => Id::decision_approve,
            "edit" => Id::decision_edit,
            "reject" | "reject_always" => Id::decision_reject,
            "respond" => Id::decision_respond,
            "ignore" => Id::decision_ignore,
            "answer" => Id::decision_answer,
            "cancel" => Id::decision_cancel,
            _ => Id::decision_other,
        })
    }

    /// A status in a word or two.
    pub fn status(&self, status: Status) -> AttrValue {
        self.plain(match status {
            Status::Requested => Id::status_requested,
            Status::Streaming => Id::status_streaming,
            Status::Pending => Id::status_pending,
            Status::Drafted => Id::status_drafted,
            Status::Sending => Id::status_sending,
            Status::Sent => Id::status_sent,
            Status::Approved => Id::status_approved,
            Status::Running => Id::status_running,
            Status::Completed => Id::status_completed,
            Status::Failed => Id::status_failed,
            Status::Rejected => Id::status_rejected,
            Status::Responded => Id::status_responded,
            Status::Cancelled => Id::status_cancelled,
            Status::Expired => Id::status_expired,
            Status::Superseded => Id::status_superseded,
            Status::Conflict => Id::status_conflict,
            Status::Blocked => Id::status_blocked,
            Status::Unknown => Id::status_unknown,
        })
    }

    /// What a status means that nobody here chose; of a failure, where the agent says no more of it.
    pub fn ended(&self, status: Status) -> Option<AttrValue> {
        Some(self.plain(match status {
            Status::Expired => Id::ended_expired,
            Status::Superseded => Id::ended_superseded,
            Status::Conflict => Id::ended_conflict,
            Status::Unknown => Id::ended_unknown,
            Status::Failed => Id::ended_failed,
            _ => return None,
        }))
    }
}

/// The browser knows calendars and time zones.
#[cfg(target_arch = "wasm32")]
fn clock(moment: Millis, locale: Option<&str>) -> String {
    let date = js_sys::Date::new(&(moment.0 as f64).into());
    date.to_locale_string(locale.unwrap_or("default"), &wasm_bindgen::JsValue::UNDEFINED).into()
}

#[cfg(not(target_arch = "wasm32"))]
fn clock(moment: Millis, _: Option<&str>) -> String {
    moment.0.to_string()
}

impl Messages {
    /// A kind of value, by its name in JSON Schema.
    pub(crate) fn edit_type(&self, kind: &str) -> AttrValue {
        self.plain(match kind {
            // The word of JSON is the same in every language.
            "null" => return AttrValue::Static("null"),
            "string" => later::Id::type_string,
            "integer" => later::Id::type_integer,
            "number" => later::Id::type_number,
            "boolean" => later::Id::type_boolean,
            "enum" => later::Id::type_choice,
            "array" => later::Id::type_array,
            "object" => later::Id::type_object,
            _ => later::Id::type_any,
        })
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Messages")
    }
}

/// The words that are in force, shared.
///
/// Two catalogues are equal when they are the same one.
///
/// ```
/// use countersign_yew::Catalogue;
///
/// let shout = Catalogue::from_json(r#"{"approve": "YES", "calls_wait": "{calls}!"}"#);
/// assert_eq!(shout.catalogue.approve(), "YES");
/// assert_eq!(shout.catalogue.calls_wait(2), "2 calls wait");
/// assert_eq!(shout.problems[0].to_string(), "`calls_wait` lacks the place count");
/// ```
#[derive(Clone, Debug)]
pub struct Catalogue(Rc<Messages>);

thread_local! {
    // Read once, and always the same one.
    static ENGLISH: Catalogue = Catalogue(Rc::default());
}

impl Default for Catalogue {
    fn default() -> Catalogue {
        ENGLISH.with(Catalogue::clone)
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Catalogue) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for Catalogue {
    type Target = Messages;

    fn deref(&self) -> &Messages {
        &self.0
    }
}

/// The words of the nearest `ContextProvider<Catalogue>`; English where there is none.
#[hook]
pub fn use_messages() -> Catalogue {
    use_context().unwrap_or_default()
}

/// The Rust of the page on words compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../../www/docs/messages.md")]
struct Guide;

//! What the host says about everything that people write.

use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{
    ArgsText, RequestView, RiskOptions, RiskReason, RiskSource, RiskView, ToolCall, assess,
};
use countersign_json::Limits;
use yew::prelude::*;

use crate::edit::Drafts;
use crate::messages::Messages;

/// Tells how much care a call needs with edited arguments: asked with the request's scoped id and the JSON text, as
/// [`Inbox::edit_risk`](countersign_core::Inbox::edit_risk) answers.
pub type EditRisk = Callback<(String, Arc<str>), Option<RiskView>>;

/// How long words may be, which ones are offered, and where drafts are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Writing {
    /// How long a reason, a note or a reply may be, in characters: what the inbox takes.
    pub words: usize,
    /// Reasons for a rejection that are offered, in the host's words.
    pub rejection_presets: Rc<[AttrValue]>,
    /// Where drafts of edited arguments outlive the page.
    pub drafts: Drafts,
    /// How much care a call needs with edited arguments. Absent: what the arguments alone say.
    pub edit_risk: Option<EditRisk>,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing { words: 10_000, rejection_presets: Rc::from([]), drafts: Drafts::none(), edit_risk: None }
    }
}

impl Writing {
    /// How much care a call needs if it runs with these arguments.
    ///
    /// What will run is judged, and an edit never makes a call need less care than as it was sent; see
    /// [`RiskView::after`]. Where nobody knows the host's rules, those that held of the call
    /// as it was sent are taken to hold.
    pub(crate) fn edit_risk(&self, view: &RequestView, edited: &Arc<str>) -> RiskView {
        let known = self.edit_risk.as_ref().and_then(|ask| ask.emit((view.id.clone(), Arc::clone(edited))));
        known.unwrap_or_else(|| {
            let call = ToolCall {
                id: None,
                tool: view.tool.as_ref().into(),
                args: ArgsText::from(&**edited),
                positional: false,
                server: view.server.clone(),
                agent: view.agent.as_slice().into(),
            };
            let mut risk = assess(&call, &RiskOptions::default(), &Limits::ARGUMENTS);
            let stays = |reason: &&RiskReason| reason.source != RiskSource::Arguments;
            risk.reasons.extend(view.risk.reasons.iter().filter(stays).cloned());
            risk.after(&view.risk)
        })
    }

    /// How many characters there is room for yet; `Err`: how many there are too many.
    pub(crate) fn left(&self, words: &str) -> Result<usize, usize> {
        let length = words.chars().count();
        self.words.checked_sub(length).ok_or_else(|| length - self.words)
    }

    /// What is said about the room for words, once four fifths of it are used up.
    pub(crate) fn room(&self, words: &str, messages: &Messages) -> Option<String> {
        match self.left(words) {
            Ok(left) if left > self.words / 5 => None,
            Ok(left) => Some(messages.characters_left(left)),
            Err(by) => Some(messages.characters_over(by)),
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::RiskLevel;

    use super::*;
    use crate::testing::call;

    #[test]
    fn r47_an_edit_is_judged_by_what_will_run_and_by_whoever_knows_the_rules() {
        let host = RiskReason { source: RiskSource::Host, code: "host-rule".into(), message: "large".into() };
        let high = RiskView { level: RiskLevel::High, reasons: vec![host] };
        let view = RequestView { risk: high.clone(), ..call(1, "run", r#"{"cmd":"ls"}"#) };
        let plain = RequestView { risk: RiskView::default(), ..view.clone() };
        let judged = |writing: &Writing, view: &RequestView, text: &str| {
            let risk = writing.edit_risk(view, &Arc::from(text));
            let told = risk.reasons.iter().map(|it| [it.source.as_str(), " ", &it.code].concat());
            (risk.level, told.collect::<Vec<_>>().join(", "))
        };
        let (harmless, harmful) = (r#"{"cmd":"ls -l"}"#, r#"{"cmd":"rm -rf /srv"}"#);
        let alone = Writing::default();
        assert_eq!(judged(&alone, &plain, harmless), (RiskLevel::Low, String::new()));
        assert_eq!(judged(&alone, &plain, harmful).1, "arguments recursive-delete");
        assert_eq!(judged(&alone, &view, harmless), (RiskLevel::High, "host host-rule".to_owned()));
        let told = Callback::from(move |(_, text): (String, Arc<str>)| {
            (text.contains("-l")).then(|| RiskView::default().after(&high))
        });
        let knowing = Writing { edit_risk: Some(told), ..Writing::default() };
        assert_eq!(judged(&knowing, &view, harmless), (RiskLevel::High, "sent host-rule".to_owned()));
        assert_eq!(judged(&knowing, &plain, harmful).1, "arguments recursive-delete");
    }

    #[test]
    fn the_room_for_words_is_said_when_it_gets_small() {
        let writing = Writing { words: 10, ..Writing::default() };
        assert_eq!(writing.room("1234567", &Messages::default()), None);
        assert_eq!(writing.room("1234567é", &Messages::default()).as_deref(), Some("2 characters left"));
        assert_eq!(
            writing.room("12345678901", &Messages::default()).as_deref(),
            Some("1 character too long")
        );
        assert_eq!((writing.left("漢字"), writing.left("12345678901")), (Ok(8), Err(1)));
    }
}

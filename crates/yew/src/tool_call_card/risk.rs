//! Why a call needs care, and who says so.

use countersign_core::{RiskLevel, RiskSource, RiskView};
use yew::prelude::*;

use super::facts::{claimed, warning};
use crate::node::{Attribute, Tag, list, words};
use crate::piece::Stage;
use crate::variants::Tone;

/// The reasons for care, each with its source; nothing where there is none.
pub(crate) fn risk(risk: &RiskView, id: Option<AttrValue>, stage: &Stage) -> Html {
    let messages = stage.messages();
    if risk.level == RiskLevel::Low || risk.reasons.is_empty() {
        return Html::default();
    }
    let tone = if risk.level == RiskLevel::High { Tone::Bad } else { Tone::Attention };
    let label = Tag::new("b", "cs-risk-level").part("risk-level").words(messages.risk_level(risk.level));
    let mut reasons = Tag::new("ul", "cs-risk-reasons");
    for reason in &risk.reasons {
        // A server speaks about itself; a host and what stands in the arguments need no quotation marks.
        let text = match reason.source {
            RiskSource::Server => claimed(&messages.risk_claimed(), &messages.risk(reason), stage),
            RiskSource::Host => claimed(&messages.risk_by_host(), &reason.message, stage),
            RiskSource::Arguments => words(messages.risk(reason)),
            RiskSource::Sent => claimed(&messages.risk_as_sent(), &messages.risk(reason), stage),
        };
        reasons = reasons.child(Tag::new("li", "").part("risk-reason").child(text).html());
    }
    warning(tone, list(vec![label.html(), reasons.html()]))
        .with(Attribute::Note, "risk")
        .option(Attribute::Id, id)
        .with(Attribute::Risk, risk.level.as_str())
        .html()
}

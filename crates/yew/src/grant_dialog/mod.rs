//! What is to be allowed from now on: chosen from the narrowest, shown literally, confirmed like an approval.

mod choices;
pub(crate) mod facts;
mod secrets;

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::secret::masked_args;
use countersign_core::{Decision, GrantDraft, GrantSpan, GrantWish, OfferKind, RequestView, Shown, Words};
use yew::prelude::*;

use crate::arming::{Guarded, Seal};
use crate::controls::button;
use crate::deciding::Deciding;
use crate::dialog::Dialog;
use crate::edit::Editings;
use crate::fold::{Room, foldable, spoken};
use crate::granting::Granting;
use crate::intent::Intent;
use crate::json_view::{Head, JsonView};
use crate::left_out::left_out;
use crate::mask::masked;
use crate::messages::{LeftOut, Messages};
use crate::node::{Attribute, Tag, list, options, words};
use crate::piece::{Act, Piece, Stage};
use crate::text::{around, visible};
use crate::tool_call_card::facts::{claimed, tool_code, warning};
use crate::variants::Tone;
use crate::writing::Writing;
use choices::{Reach, members, reaches, spans};

/// How many waiting calls are named, and so approved along, at once.
const NAMED: usize = 100;

/// Which of the groups of choices an [`Act::Pick`] is about.
const REACH: usize = 0;
const PIN: usize = 1;
const SPAN: usize = 2;

/// A dialog over one card.
pub(crate) struct GrantDialog {
    /// The card; takes up `Act::Cancel`.
    pub card: Rc<Stage>,
    /// The call that it is given on.
    pub view: Rc<RequestView>,
    /// What may be granted here; absent: only the backend's own offers.
    pub granting: Option<Granting>,
    /// A person asked for something.
    pub on_intent: Callback<Intent>,
    /// How long the confirmation is inert after what is shown has changed, in milliseconds.
    pub arm_delay: u32,
    /// What the host says about everything that people write.
    pub writing: Writing,
    /// The drafts of the calls beside this one.
    pub editings: Option<Rc<Editings>>,
    /// That little time is left.
    pub hurry: Html,
}

/// A grant that was written out.
struct Written {
    /// The grant, and the calls that are approved along.
    draft: GrantDraft,
    /// The calls that it would approve too, and why they are not.
    left_out: Vec<(Rc<RequestView>, LeftOut)>,
    /// What calls parts of the grant's text secret.
    schema: Option<Arc<str>>,
}

/// What was chosen so far.
#[derive(Default)]
pub(crate) struct Chosen {
    reach: Cell<usize>,
    span: Cell<usize>,
    /// Which members of the arguments must stay, by place.
    pins: RefCell<Vec<usize>>,
    /// The literal grant of the choices; shown, and kept as it was shown.
    written: RefCell<Option<Option<Written>>>,
    deciding: Deciding,
}

/// Whether anything beyond the call itself may be allowed on it: here, or by the backend.
pub(crate) fn may_last(view: &RequestView, ours: bool) -> bool {
    !reaches(view, ours).is_empty()
}

impl Piece for GrantDialog {
    type Memory = Chosen;

    // Its card is another each time.
    fn same(&self, _: &GrantDialog) -> bool {
        false
    }

    fn draw(&self, chosen: &Chosen, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let reaches = reaches(&self.view, self.granting.is_some());
        let reach = reaches.get(chosen.reach.get()).copied();
        let own = matches!(reach, Some(reach) if reach.is_ours());
        self.write_out(chosen, reach);
        let written = chosen.written.borrow();
        let written = written.as_ref().and_then(Option::as_ref);
        let draft = written.map(|written| &written.draft);
        let title = around(&messages.always_allow("{tool}"), tool_code(&self.view.tool));
        let lasts = own.then(|| self.spans(chosen, reach, stage));
        let body = options([
            Some(self.reaches(&reaches, chosen, stage)),
            lasts,
            Some(self.said(reach, draft, stage)),
            written.filter(|_| own).map(|written| rest(written, self.id("also"), stage)),
        ]);
        let ready = !own || draft.is_some();
        let others = draft.filter(|_| own).map_or(0, |draft| draft.siblings.len());
        let label = messages.allow_and_approve(others + 1);
        let confirm = stage.place(Guarded {
            asker: Rc::clone(stage),
            guard: chosen.deciding.confirmation.clone(),
            seal: self.seal(chosen),
            delay: self.arm_delay,
            part: "grant-button",
            class: "cs-button cs-primary",
            name: label.clone().into(),
            label: label.into(),
            act: self.confirms(reach),
            withheld: !ready,
            switch: None,
            described_by: Some([self.id("said"), self.id("also")].join(" ").into()),
        });
        let cancel = button("cancel-button", "cs-button", messages.cancel(), stage, Act::Cancel)
            .with(Attribute::Refuses, "");
        let grant = Tag::new("div", "cs-grant")
            .part("grant")
            .text(Attribute::Label, spoken(&self.view.tool))
            .child(body);
        stage.place(Dialog {
            asker: Rc::clone(stage),
            id: ["grant-", &self.view.key.to_string()].concat(),
            alert: false,
            wide: false,
            title,
            body: list(vec![grant.html(), self.hurry.clone()]),
            foot: options([Some(confirm), Some(cancel.html())]),
            first: "[part=cancel-button]",
            tells: false,
        })
    }

    fn act(&self, chosen: &Chosen, _: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        match act {
            Act::Pick(REACH, at) => chosen.reach.set(*at),
            Act::Pick(SPAN, at) => chosen.span.set(*at),
            Act::Pick(_, at) => {
                let mut pins = chosen.pins.borrow_mut();
                match pins.iter().position(|pin| pin == at) {
                    Some(place) => drop(pins.remove(place)),
                    None => pins.push(*at),
                }
            }
            Act::Decide(_) => {
                let (decision, _) = chosen.deciding.act(&self.seal(chosen), Words::None, act);
                if let Some(intent) = decision.and_then(|decision| self.intent(chosen, decision)) {
                    self.card.act(&Act::Cancel, event);
                    self.on_intent.emit(intent);
                    self.card.focus(None);
                }
                return false;
            }
            Act::Cancel => {
                self.card.act(&Act::Cancel, event);
                return false;
            }
            Act::Refused(refusal) => {
                self.on_intent.emit(Intent::Refused(refusal.clone()));
                return false;
            }
            _ => return false,
        }
        chosen.written.replace(None);
        true
    }

    fn drawn(&self, chosen: &Chosen, stage: &Rc<Stage>) {
        chosen.deciding.drawn(&self.seal(chosen), self.arm_delay, stage, "[part=cancel-button]");
    }
}

impl GrantDialog {
    fn reach(&self, chosen: &Chosen) -> Option<Reach> {
        reaches(&self.view, self.granting.is_some()).get(chosen.reach.get()).copied()
    }

    /// Everything that is on screen: the call, and the grant with the calls that it names.
    fn seal(&self, chosen: &Chosen) -> Seal {
        let mut seal = Seal::of(&self.view);
        if let Some(Some(Written { draft, .. })) = &*chosen.written.borrow() {
            seal = seal.with(u32::MAX, &draft.grant.text);
            for sibling in &draft.siblings {
                seal = seal.with(sibling.key, &sibling.args_digest);
            }
        } else {
            let choice = u32::try_from(chosen.reach.get()).unwrap_or(u32::MAX);
            seal = seal.with(choice, &self.view.args_digest);
        }
        seal
    }

    /// Writes the choices out, once, so that what is confirmed is what was shown.
    fn write_out(&self, chosen: &Chosen, reach: Option<Reach>) {
        let mut known = chosen.written.borrow_mut();
        if known.is_some() {
            return;
        }
        let wish = reach.filter(|reach| reach.is_ours()).and_then(|reach| self.wish(chosen, reach));
        let written = wish.zip(self.granting.as_ref()).and_then(|(wish, granting)| granting.draft.emit(wish));
        *known = Some(written.map(|mut draft| {
            let mut left_out = Vec::new();
            for view in mem::take(&mut draft.siblings) {
                match self.drafted(&view) {
                    Some(why) => left_out.push((Rc::new(view), why)),
                    None => draft.siblings.push(view),
                }
            }
            draft.siblings.truncate(NAMED);
            let schema = secrets::of_text(&draft.grant.args, self.view.args_schema.as_deref());
            Written { draft, left_out, schema }
        }));
    }

    /// Why a call with a draft that was not sent is not approved along; `None`: there is no such draft.
    ///
    /// Approving runs the arguments as they came. Somebody who wanted others must not get these by the way.
    fn drafted(&self, view: &RequestView) -> Option<LeftOut> {
        view.offer(OfferKind::Edit)?;
        let drafts = &self.writing.drafts;
        match &self.editings {
            Some(editings) => editings.left_out(view, drafts),
            None => Editings::default().left_out(view, drafts),
        }
    }

    /// `None`: nothing is chosen that must stay.
    fn wish(&self, chosen: &Chosen, reach: Reach) -> Option<GrantWish> {
        let mut pins = Vec::new();
        if reach == Reach::Pinned {
            let members = members(&self.view.args_text);
            for at in chosen.pins.borrow().iter() {
                pins.extend(members.get(*at).map(|member| member.pointer.clone()));
            }
            if pins.is_empty() {
                return None;
            }
        }
        let spans = spans(reach, self.is_lasting());
        let span = spans.get(chosen.span.get()).copied().unwrap_or_default();
        Some(GrantWish { request: self.view.id.clone(), scope: reach.scope(), pins, span })
    }

    fn is_lasting(&self) -> bool {
        self.granting.as_ref().is_some_and(|granting| granting.lasting)
    }

    fn confirms(&self, reach: Option<Reach>) -> Act {
        let offered = match reach {
            Some(Reach::Backend(at)) => self.view.offers.get(at).and_then(|offer| offer.scope),
            _ => None,
        };
        Act::Decide(Decision::Approve { scope: offered.unwrap_or_default() })
    }

    fn intent(&self, chosen: &Chosen, decision: Decision) -> Option<Intent> {
        let (request, seen) = (self.view.id.clone(), Shown::of(&self.view));
        if !self.reach(chosen)?.is_ours() {
            return Some(Intent::Decide { request, decision, seen });
        }
        let written = chosen.written.borrow();
        let Written { draft, .. } = written.as_ref()?.as_ref()?;
        let siblings = draft.siblings.iter().map(|it| (it.id.clone(), Shown::of(it))).collect();
        Some(Intent::Grant { request, seen, grant: Arc::clone(&draft.grant.text), siblings })
    }

    /// How far it reaches, narrowest first.
    fn reaches(&self, reaches: &[Reach], chosen: &Chosen, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let mut choices = Vec::new();
        for (at, reach) in reaches.iter().enumerate() {
            let picked = chosen.reach.get() == at;
            choices.push(self.choice("radio", REACH, at, picked, self.reach_words(*reach, stage), stage));
            if *reach == Reach::Pinned && picked {
                choices.push(self.pins(chosen, stage));
            }
        }
        self.group(messages.what_runs_unasked(), "grant-reach", choices)
    }

    fn reach_words(&self, reach: Reach, stage: &Stage) -> Html {
        let messages = stage.messages();
        let tool = || tool_code(&self.view.tool);
        match reach {
            Reach::SameArgs => around(&messages.reach_same_args(), tool()),
            Reach::Pinned => around(&messages.reach_pinned(), tool()),
            Reach::Tool => around(&messages.reach_tool(), tool()),
            Reach::Server => {
                let server = self.view.server.as_deref().unwrap_or_default();
                claimed(&messages.reach_server(), server, stage)
            }
            Reach::Session => words(messages.reach_session()),
            Reach::Backend(at) => {
                let scope = self.view.offers.get(at).and_then(|offer| offer.scope);
                around(&messages.reach_backend(scope), tool())
            }
        }
    }

    /// The members of the arguments that may be held.
    fn pins(&self, chosen: &Chosen, stage: &Rc<Stage>) -> Html {
        let pins = chosen.pins.borrow();
        let args = &*self.view.args_text;
        let secrets = secrets::in_args(args, self.view.args_schema.as_deref());
        let mut choices = Vec::new();
        for (at, member) in members(args).into_iter().enumerate() {
            let value = args.get(member.span.clone()).unwrap_or_default();
            let value = masked(value, secrets::within(&secrets, &member.span), false, Room::VALUE, stage);
            let text =
                Tag::new("span", "cs-code").child(visible(&member.name)).words(": ").child(value).html();
            choices.push(self.choice("checkbox", PIN, at, pins.contains(&at), text, stage));
        }
        Tag::new("div", "cs-grant-pins")
            .child(self.group(stage.messages().what_stays(), "grant-pins", choices))
            .html()
    }

    /// How long it lasts.
    fn spans(&self, chosen: &Chosen, reach: Option<Reach>, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let Some(reach) = reach else { return Html::default() };
        let mut choices = Vec::new();
        for (at, span) in spans(reach, self.is_lasting()).into_iter().enumerate() {
            let text = words(span_words(span, messages));
            choices.push(self.choice("radio", SPAN, at, chosen.span.get() == at, text, stage));
        }
        self.group(
            messages.how_long(),
            "grant-span",
            vec![Tag::new("div", "cs-grant-spans").list(choices).html()],
        )
    }

    fn group(&self, legend: AttrValue, part: &'static str, choices: Vec<Html>) -> Html {
        Tag::new("fieldset", "cs-question cs-grant-group")
            .part(part)
            .child(Tag::new("legend", "").words(legend).html())
            .child(list(choices))
            .html()
    }

    fn choice(
        &self,
        kind: &'static str,
        group: usize,
        at: usize,
        checked: bool,
        text: Html,
        stage: &Rc<Stage>,
    ) -> Html {
        let name = ["cs-grant-", &self.view.key.to_string(), "-", &group.to_string()].concat();
        let input = Tag::new("input", "")
            .with(Attribute::Type, kind)
            .text(Attribute::Name, name)
            .checked(checked)
            .on(stage, Act::Pick(group, at));
        // Not isolated as a whole: these are our words, and a tool's name at their beginning must not turn them around.
        let text = Tag::new("span", "").child(text);
        Tag::new("label", "cs-option").child(input.html()).child(text.html()).html()
    }

    /// The id of what the button is described by.
    fn id(&self, about: &str) -> String {
        ["cs-", &self.view.key.to_string(), "-grant-", about].concat()
    }

    /// What is allowed from now on, by the page or by the backend.
    fn said(&self, reach: Option<Reach>, draft: Option<&GrantDraft>, stage: &Rc<Stage>) -> Html {
        let said = match reach {
            Some(Reach::Backend(at)) => self.backend(at, stage),
            _ => self.literal(draft, stage),
        };
        Tag::new("div", "cs-grant-said").text(Attribute::Id, self.id("said")).child(said).html()
    }

    /// The literal grant, in words and as it is kept.
    fn literal(&self, draft: Option<&GrantDraft>, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let Some(draft) = draft else {
            let waits = self.granting.is_some() && self.view.inspectable;
            let text = if waits { messages.nothing_to_grant() } else { messages.unreadable() };
            return warning(Tone::Attention, words(text)).html();
        };
        let wide = draft.grant.tool.is_none();
        options([
            wide.then(|| warning(Tone::Attention, words(messages.reaches_any_tool())).html()),
            Some(Tag::new("h3", "cs-label cs-grant-heading").words(messages.what_is_allowed()).html()),
            Some(facts::facts(&draft.grant, self.view.args_schema.as_ref(), stage)),
        ])
    }

    /// What the backend itself will remember, in its own words and ours.
    fn backend(&self, at: usize, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let Some(offer) = self.view.offers.get(at).filter(|offer| offer.kind == OfferKind::ApproveAlways)
        else {
            return Html::default();
        };
        let said = offer.grants.as_ref().or(offer.label.as_ref()).map(|said| {
            Tag::new("p", "cs-claim")
                .part("claim")
                .child(claimed(&messages.backend_says(), said, stage))
                .html()
        });
        options([Some(warning(Tone::Attention, words(messages.kept_by_backend())).html()), said])
    }
}

/// The other calls that would be approved, and the grant as it is kept.
fn rest(written: &Written, id: String, stage: &Rc<Stage>) -> Html {
    let messages = stage.messages();
    let Written { draft, left_out: others, schema } = written;
    let json = stage.place(JsonView {
        text: Arc::clone(&draft.grant.text),
        schema: schema.clone(),
        id: None,
        name: messages.what_is_kept(),
        part: "grant-text",
        empty: None,
        hazards: Vec::new(),
        head: Head::Toggle,
    });
    let help = Tag::new("p", "cs-help").words(messages.kept_here()).html();
    options([Some(siblings(draft, id, stage)), Some(left_out(others, stage)), Some(json), Some(help)])
}

/// The other calls that would be approved, each with all of its arguments.
fn siblings(draft: &GrantDraft, id: String, stage: &Rc<Stage>) -> Html {
    if draft.siblings.is_empty() {
        return Html::default();
    }
    let mut rows = Vec::new();
    for sibling in &draft.siblings {
        let args = masked_args(&sibling.args_text, sibling.args_schema.as_deref());
        let args = Tag::new("span", "cs-brief cs-code").child(foldable(&args, stage)).html();
        rows.push(Tag::new("li", "cs-sibling").child(tool_code(&sibling.tool)).words(" ").child(args).html());
    }
    let heading = stage.messages().also_approves(draft.siblings.len());
    Tag::new("div", "cs-note")
        .part("note")
        .text(Attribute::Id, id)
        .with(Attribute::Tone, Tone::Attention.as_str())
        .child(Tag::new("p", "").words(heading).html())
        .child(Tag::new("ul", "cs-siblings").part("siblings").list(rows).html())
        .html()
}

fn span_words(span: GrantSpan, messages: &Messages) -> AttrValue {
    match span {
        GrantSpan::Session => messages.this_session(),
        GrantSpan::For(span) => messages.for_span(span).into(),
        GrantSpan::Forever => messages.until_revoked(),
    }
}

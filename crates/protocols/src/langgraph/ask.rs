//! Interrupts: from their members to what a person is asked.

use std::cell::OnceCell;
use std::sync::Arc;

use countersign_core::{
    ArgsText, Argument, Ask, BatchId, BatchRule, CallId, Closed, EditRule, Observation, ProblemCode,
    RequestId, Standing, Subject, Text, ToolCall,
};
use countersign_json::{Document, Limits, Value};

use super::calls::Calls;
use super::form::{Asking, Dialect, Form, RESPOND, UNSAID, form, offers};
use super::join::Look;
use super::memory::{Interrupt, InterruptAt, NamespaceAt, Request, RequestAt, reference};
use super::namespace::Told;
use super::outcome::{Proof, Said};
use super::read::{Reader, error_words, object};
use super::seen::SeenInterrupt;
use super::turns::is_of_agent_os;
use super::walk::is_same;
use crate::reading::{problem, some_text};

/// What an interrupt is called, and which of the known ones it is.
struct Name {
    key: Text,
    wire: Text,
    keyed: bool,
    known: Option<InterruptAt>,
}

/// An interrupt that is raised, and what counts for each of its requests.
struct Raised<'s, 'v> {
    at: InterruptAt,
    place: NamespaceAt,
    seen: &'s SeenInterrupt<'v>,
    dialect: Dialect,
    /// What its requests are called.
    ids: Vec<RequestId>,
    /// It was not known before.
    is_new: bool,
    /// It may be another one than the known one under its name.
    may_be_another: bool,
    /// The host may have rounded the numbers in its arguments.
    rounded: bool,
    /// It is old, if it is not about a [later](super::memory::Thread::rests) call than this one.
    may_be_old: Option<u32>,
    /// What was known already says more of what is allowed.
    says_less: bool,
    /// It has asked for more requests before, or for fewer.
    is_reshaped: bool,
}

impl Reader<'_> {
    /// Asks what these interrupts of one namespace ask; `last` are the calls that were just read there.
    pub(super) fn ask_all<'v>(
        &mut self,
        place: NamespaceAt,
        seen: Vec<SeenInterrupt<'v>>,
        last: Option<Value<'v>>,
    ) {
        let text = self.thread.namespace(place).map(|home| home.last.clone()).unwrap_or_default();
        let parsed = OnceCell::new();
        let mut calls = Calls::new(last, &text, &parsed);
        let (mut listed, mut is_news) = (Vec::new(), false);
        let is_told = seen.iter().any(|seen| !seen.in_state);
        let last = if is_told { self.thread.rests(place) } else { None };
        for seen in &seen {
            if let Some((at, is_new)) = self.ask(place, seen, (&listed, last), &mut calls) {
                listed.push(at);
                is_news |= is_new;
            }
        }
        // Nobody asks a new question of a run that has not gone on.
        if is_news {
            self.take(&listed, None);
        }
    }

    /// An interrupt is listed beside all messages, mostly as one that waits; says which it is, if it is known.
    pub(super) fn list(&mut self, interrupt: Value<'_>, waits: bool) -> Option<InterruptAt> {
        let turn = self.thread.turn;
        let at = self.thread.interrupt_of(&some_text(interrupt.get("id"))?)?;
        if let Some(interrupt) = self.thread.interrupt_mut(at).filter(|_| waits) {
            interrupt.when.listed = turn;
        }
        Some(at)
    }

    /// Lets the requests find their calls that were seen before any AI message was.
    pub(super) fn ask_early(&mut self, place: NamespaceAt, last: Option<Value<'_>>) {
        let Some(home) = self.thread.namespace_mut(place).filter(|home| home.stamp != 0) else { return };
        let early = std::mem::take(&mut home.early);
        if early.is_empty() {
            return;
        }
        let (parsed, turn) = (OnceCell::new(), self.thread.turn);
        let mut calls = Calls::new(last, "", &parsed);
        for at in early {
            let Some(request) = self.thread.request_mut(at).filter(|request| !request.is_over) else {
                continue;
            };
            let (Some(mut ask), interrupt) = (request.early.take(), request.interrupt) else { continue };
            let Some(known) = self.thread.interrupt(interrupt) else { continue };
            // Those that are listed are asked again at once.
            if known.when.listed == turn || known.is_gone || known.standing() != ask.standing {
                continue;
            }
            let Ok(args) = Document::parse(ask.call.args.as_str(), &Limits::default()) else { continue };
            let asking = Asking::of(ask.call.tool.clone(), args.root());
            let look = Look { in_state: true, task: known.task, is_new: false };
            ask.call.id = self.join(interrupt, place, at, &asking, &mut calls, look);
            if ask.call.id.is_some() {
                self.reading.observations.push(Observation::Asked(ask));
            }
        }
    }

    /// Asks what one interrupt asks; says which it is, and whether it is news of a run.
    fn ask(
        &mut self,
        place: NamespaceAt,
        seen: &SeenInterrupt<'_>,
        (listed, last): (&[InterruptAt], Option<u32>),
        calls: &mut Calls<'_, '_>,
    ) -> Option<(InterruptAt, bool)> {
        // Without a value it is a breakpoint.
        let value = seen.value?;
        let words = value.as_str().filter(|text| text.starts_with(['[', '{']));
        let parsed = words.as_deref().and_then(|text| Document::parse(text, &Limits::default()).ok());
        let form = form(parsed.as_ref().map_or(value, Document::root), seen.schema, self.source);
        let name = self.question(seen, &form)?;
        let is_news = name.known.is_none_or(|at| !self.is_asked_by(at, &form));
        let Some(mut raised) = self.identify(place, seen, &form, listed, name) else {
            problem(
                self.reading,
                ProblemCode::PartInvalid,
                "an interrupt under the name of another request",
                value,
            );
            return None;
        };
        raised.rounded = self.rounded && parsed.is_none();
        raised.may_be_old = last.filter(|_| is_news && form.dialect == Dialect::Human);
        // A batch of which one request leaves nothing to decide is never complete.
        let is_mute = form.asked.iter().any(|asking| asking.is_mute(seen.is_doubtful));
        let waits = self.note(&mut raised, form.is_blocked || is_mute);
        if waits {
            self.ask_each(&raised, form.asked, calls);
        }
        Some((raised.at, raised.is_new && !seen.in_state))
    }

    /// Finds the interrupt, or remembers it; none that names a request as another one does.
    fn identify<'s, 'v>(
        &mut self,
        place: NamespaceAt,
        seen: &'s SeenInterrupt<'v>,
        form: &Form<'_>,
        listed: &[InterruptAt],
        Name { key, wire, keyed, known }: Name,
    ) -> Option<Raised<'s, 'v>> {
        let ids = ids(&key, form);
        if ids.iter().any(|id| self.thread.request_of(id).is_some_and(|at| self.thread.owner(at) != known)) {
            return None;
        }
        let dialect = form.dialect;
        let at = known
            .unwrap_or_else(|| self.thread.add_interrupt(Interrupt::new([key, wire], keyed, dialect, place)));
        // Two that wait under one name cannot be told apart before the run goes on.
        let run = self.thread.run;
        let asked_now = run != 0
            && !seen.in_state
            && self.thread.interrupt(at).is_some_and(|it| it.when.event_run >= run);
        Some(Raised {
            at,
            place,
            seen,
            dialect,
            ids,
            is_new: known.is_none(),
            may_be_another: !keyed && known.is_some() && (asked_now || listed.contains(&at)),
            rounded: false,
            may_be_old: None,
            says_less: false,
            is_reshaped: false,
        })
    }

    /// Finds what is asked among the questions under its id; nothing, if it is one that was answered before another was asked.
    ///
    /// Before langgraph 1.2.20 a node asks all its questions under one id, and an answer to that reaches the one at hand.
    fn question(&self, seen: &SeenInterrupt<'_>, form: &Form<'_>) -> Option<Name> {
        let (wire, keyed) = seen.key(self.source);
        let name = |key, known| Some(Name { key, wire: wire.clone(), keyed, known });
        let Some(last) = self.thread.interrupt_of(&wire) else { return name(wire.clone(), None) };
        let known = self.thread.interrupt(last)?;
        let mut questions = self.thread.questions(&wire);
        let number = questions.len() + 1;
        if !self.is_asked_by(last, form) {
            if !seen.in_state && questions.any(|at| self.is_asked_by(at, form)) {
                return None;
            }
            let is_settled = known.is_gone || self.thread.may_be_taken(last) || !self.thread.is_open(last);
            // Within one run, or where nobody said that another began, it may be the same question that changed.
            let goes_on = seen.in_state || (self.thread.run != 0 && self.thread.is_resumed(last));
            if is_settled && goes_on {
                return name(Text::from(format!("{wire}#{number}")), None);
            }
        }
        name(known.key.clone(), Some(last))
    }

    /// Whether an interrupt asks for these calls.
    fn is_asked_by(&self, at: InterruptAt, form: &Form<'_>) -> bool {
        let Some(known) = self.thread.interrupt(at) else { return false };
        let is = |(request, asking): (&RequestAt, &Asking<'_>)| {
            let request = self.thread.request(*request);
            request.is_some_and(|request| request.tool == asking.tool && is_same(&request.args, asking.args))
        };
        known.requests.len() == form.asked.len() && known.requests.iter().zip(&form.asked).all(is)
    }

    /// Notes what was seen of an interrupt; says whether it still waits.
    fn note(&mut self, raised: &mut Raised<'_, '_>, is_blocked: bool) -> bool {
        let (at, place, seen) = (raised.at, raised.place, raised.seen);
        self.see(at, place, seen, is_blocked);
        if let Some(interrupt) = self.thread.interrupt_mut(at) {
            interrupt.is_doubtful &= !seen.in_state;
        }
        if !raised.is_new && self.requests(at).is_empty() {
            return false;
        }
        if let Some(error) = seen.error.map(error_words) {
            // What was on its way was kept, and nothing else can be answered.
            for request in self.requests(at) {
                let (error, standing) = (Some(Arc::clone(&error)), Standing::Blocked);
                self.observe(request, |target| Observation::Stands { target, standing });
                self.observe(request, |target| Observation::Accepted { target, error });
            }
        }
        raised.is_reshaped = self.reshape(at, raised.dialect, &raised.ids);
        let is_middleware = matches!(raised.dialect, Dialect::Python | Dialect::JavaScript);
        if let Some(interrupt) = self.thread.interrupt_mut(at) {
            // An event without a schema says less than a state with one.
            raised.says_less =
                raised.dialect == Dialect::PerCall && object(seen.schema).is_none() && interrupt.has_schema;
            interrupt.is_inner |= seen.is_tool && is_middleware && interrupt.namespace == place;
        }
        true
    }

    /// Asks all requests of an interrupt, and then settles those of whose calls more is known.
    fn ask_each(&mut self, raised: &Raised<'_, '_>, mut asked: Vec<Asking<'_>>, calls: &mut Calls<'_, '_>) {
        let (mut requests, mut told) = (Vec::new(), Vec::new());
        for (id, asking) in raised.ids.iter().zip(&mut asked) {
            let request = self.ask_one(raised, id, asking, calls);
            requests.push(request);
            told.extend(self.told(raised.at, request));
        }
        if let Some(interrupt) = self.thread.interrupt_mut(raised.at) {
            interrupt.requests = requests;
            let is_said = |asking: &Asking<'_>| asking.allowed & UNSAID == 0 && asking.call.is_some();
            interrupt.has_schema = raised.says_less || asked.first().is_some_and(is_said);
        }
        for (request, told, content) in told {
            let content = content.as_ref().and_then(|text| Document::parse(text, &Limits::default()).ok());
            let content = content.as_ref().map(Document::root);
            let text = content.and_then(|content| content.as_str_lossy());
            self.settle(
                request,
                &Said {
                    content,
                    text: text.as_deref(),
                    told,
                    is_fresh: false,
                    is_before_tools: false,
                    is_of_node: false,
                    proof: Proof::Ours,
                },
            );
        }
    }

    /// Asks one request of an interrupt.
    fn ask_one(
        &mut self,
        raised: &Raised<'_, '_>,
        id: &RequestId,
        asking: &mut Asking<'_>,
        calls: &mut Calls<'_, '_>,
    ) -> RequestAt {
        if raised.seen.is_doubtful {
            asking.is_doubtful = true;
            asking.allowed &= !RESPOND;
        }
        let (request, is_same) = self.remember(raised.at, id, asking);
        if !is_same && let Some(interrupt) = self.thread.interrupt_mut(raised.at) {
            interrupt.when.first_run = interrupt.when.event_run;
        }
        if raised.may_be_another
            && !is_same
            && let Some(interrupt) = self.thread.interrupt_mut(raised.at)
        {
            (interrupt.is_shared, interrupt.is_blocked) = (true, true);
        }
        let in_state = raised.seen.in_state;
        let look = Look { in_state, task: raised.seen.task, is_new: raised.is_new };
        let call = self.join(raised.at, raised.place, request, asking, calls, look);
        if let Some(last) = raised.may_be_old.filter(|_| raised.ids.first() == Some(id)) {
            let number = self.thread.request(request).and_then(|request| request.call);
            let home = self.thread.namespace(raised.place);
            // What all equal calls have requests for that wait is no old one of them.
            let is_one_more = || home.is_some_and(|home| calls.open(home, asking).is_some());
            // Agent OS asks about a batch one by one, and two of its calls may be equal.
            let is_later =
                !is_of_agent_os(asking.action) && number.map_or_else(is_one_more, |number| number > last);
            if let Some(interrupt) = self.thread.interrupt_mut(raised.at) {
                interrupt.is_doubtful = !is_later;
            }
        }
        if !(raised.says_less && is_same) {
            let is_found = call.is_some();
            self.emit(raised, id, asking, call);
            if raised.is_reshaped {
                self.drop_draft();
            }
            self.keep_early(request, is_found || in_state || raised.dialect == Dialect::Free);
        }
        request
    }

    /// The same interrupt may ask for something else when its node runs again; says whether it is other requests.
    fn reshape(&mut self, at: InterruptAt, dialect: Dialect, ids: &[RequestId]) -> bool {
        let Some(interrupt) = self.thread.interrupt_mut(at) else { return false };
        interrupt.dialect = dialect;
        let before = interrupt.requests.len();
        for (place, request) in interrupt.requests.clone().into_iter().enumerate() {
            let id = self.thread.request(request).map(|request| &request.id);
            if id != ids.get(place) {
                self.close(request, Closed::Superseded);
                self.end(request);
            }
        }
        before != 0 && before != ids.len()
    }

    /// Remembers a request; says where it is, and whether nothing of its call is new.
    fn remember(&mut self, interrupt: InterruptAt, id: &RequestId, asking: &Asking<'_>) -> (RequestAt, bool) {
        let Some(at) = self.thread.request_of(id) else {
            let at = self.thread.add_request(Request {
                id: id.clone(),
                interrupt,
                call: None,
                message: 0,
                tool: asking.tool.clone(),
                action: self.source.cut(asking.action),
                args: self.source.cut(asking.args.text()),
                allowed: asking.allowed,
                is_over: false,
                is_said: false,
                rewritten: None,
                early: None,
            });
            return (at, false);
        };
        let Some(request) = self.thread.request_mut(at) else { return (at, false) };
        let is_known = request.tool == asking.tool && is_same(&request.args, asking.args);
        if !is_known {
            request.tool = asking.tool.clone();
            request.args = self.source.cut(asking.args.text());
            (request.call, request.message, request.rewritten) = (None, 0, None);
        }
        if *request.action != *asking.action {
            request.action = self.source.cut(asking.action);
        }
        if asking.allowed & UNSAID == 0 || !is_known {
            request.allowed = asking.allowed;
        }
        (at, is_known)
    }

    fn emit(&mut self, raised: &Raised<'_, '_>, id: &RequestId, asking: &Asking<'_>, call: Option<CallId>) {
        let Some(interrupt) = self.thread.interrupt(raised.at) else { return };
        let args = ArgsText::from(self.source.cut(asking.args.text())).rounded(raised.rounded);
        let call = ToolCall { id: call, ..ToolCall::new(asking.tool.clone(), args) };
        let ask = Ask {
            request: reference(id),
            call,
            argument: Argument::Shown,
            subject: Subject::Call,
            batch: BatchId::from(interrupt.key.clone()),
            offers: offers(asking.allowed),
            edits: EditRule { floats: raised.dialect == Dialect::JavaScript, ..EditRule::REPLACE },
            schema: asking.schema.clone(),
            batch_rule: BatchRule {
                held: raised.ids.len() > 1,
                rejects_all: raised.dialect == Dialect::JavaScript,
                ..BatchRule::default()
            },
            standing: interrupt.standing(),
            doubt: asking.is_doubtful.then(|| "what is asked stands there twice".to_owned()),
            description: asking.description.clone(),
            title: None,
            hint: None,
            timeout: None,
        };
        self.reading.observations.push(Observation::Asked(Box::new(ask)));
    }

    /// Drops the draft that was made for what was just asked, in another batch: in doubt, none that runs is kept.
    fn drop_draft(&mut self) {
        if let Some(Observation::Asked(ask)) = self.reading.observations.last() {
            let doubt = Some("it was asked beside other requests".to_owned());
            let doubtful = Ask { doubt, ..(**ask).clone() };
            let place = self.reading.observations.len().saturating_sub(1);
            self.reading.observations.insert(place, Observation::Asked(Box::new(doubtful)));
        }
    }

    /// Keeps what was just asked, if no AI message was seen yet whose call it could be about.
    fn keep_early(&mut self, at: RequestAt, is_settled: bool) {
        let Some(place) = self.thread.asker(at).map(|asker| asker.namespace) else { return };
        let home = self.thread.namespace(place);
        let early = match self.reading.observations.last() {
            Some(Observation::Asked(ask)) if !is_settled && home.is_some_and(|home| home.stamp == 0) => {
                Some(ask.clone())
            }
            _ => None,
        };
        let is_early = early.is_some();
        let Some(request) = self.thread.request_mut(at) else { return };
        let was_early = std::mem::replace(&mut request.early, early).is_some();
        if let Some(home) = self.thread.namespace_mut(place).filter(|_| is_early && !was_early) {
            home.early.push(at);
        }
    }

    /// What is known already of the call that a request is about, and the content that said so.
    fn told(&self, interrupt: InterruptAt, at: RequestAt) -> Option<(RequestAt, Told, Option<Text>)> {
        let place = self.thread.interrupt(interrupt)?.namespace;
        let call = self.thread.request(at).filter(|request| !request.is_over)?.call?;
        let home = self.thread.namespace(place)?;
        Some((at, home.call_at(call).told?, home.said(call).cloned()))
    }
}

/// What the requests of an interrupt are called.
fn ids(key: &Text, form: &Form<'_>) -> Vec<RequestId> {
    if !form.numbered {
        return vec![RequestId::from(key.clone())];
    }
    (0..form.asked.len()).map(|at| RequestId::from(format!("{key}/{at}"))).collect()
}

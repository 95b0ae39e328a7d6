//! The table of all texts: their keys, their English, and how Rust asks for them.

use std::rc::Rc;

use yew::prelude::*;

use super::Messages;
use super::fill::Insert;

/// One text of the table.
pub(super) struct Row {
    /// What catalogues call it.
    pub(super) key: &'static str,
    /// The English for one.
    pub(super) one: &'static str,
    /// The English for every other number, and of texts without a number; of those that other crates say, the places alone.
    pub(super) other: &'static str,
}

/// The texts of these tables. Those of [`TABLE`], which comes first, are in the order of [`Id`].
pub(super) fn rows(tables: &[&'static str]) -> Rc<[Row]> {
    let mut rows = Vec::new();
    for line in tables.iter().flat_map(|table| table.lines()) {
        let mut cells = line.split('\t');
        let mut next = || cells.next();
        if let (Some(key), Some(one)) = (next(), next()) {
            rows.push(Row { key, one, other: next().unwrap_or(one) });
        }
    }
    rows.into()
}

/// Declares texts: `key = "Words";`, with places `key(tool: &str) = "Run {tool}";`, and where English has two forms
/// `key(count: usize) = "{count} call" | "{count} calls";`. The first number among the places chooses the form.
macro_rules! texts {
    ($(
        $(#[doc = $about:literal])*
        $name:ident $(($($place:ident: $kind:ty),+))? = $one:literal $(| $other:literal)?;
    )*) => {
        /// The texts, each by its key.
        #[expect(non_camel_case_types, reason = "each is spelled as its key in catalogues")]
        #[derive(Clone, Copy)]
        pub(super) enum Id { $($name),* }

        /// The texts: one a line, the key and its forms between tabs. One string is smaller than a list of its parts.
        pub(super) const TABLE: &str = concat!($(stringify!($name), "\t", $one $(, "\t", $other)?, "\n"),*);

        /// What each text is for.
        #[cfg(test)]
        pub(super) const ABOUT: &[&str] = &[$(concat!($($about),*)),*];

        impl Messages {
            $(texts! { @ask [$($about)*] [$one] $name $(($($place: $kind),+))? })*
        }
    };
    (@ask [$($about:literal)*] [$one:literal] $name:ident) => {
        $(#[doc = $about])*
        #[doc = concat!("\n\nEnglish: “", $one, "”")]
        pub fn $name(&self) -> AttrValue {
            self.plain(Id::$name)
        }
    };
    (@ask [$($about:literal)*] [$one:literal] $name:ident ($($place:ident: $kind:ty),+)) => {
        $(#[doc = $about])*
        #[doc = concat!("\n\nEnglish: “", $one, "”")]
        pub fn $name(&self, $($place: $kind),+) -> String {
            self.fill(Id::$name, &[$((stringify!($place), Insert::from($place))),+])
        }
    };
}

texts! {
    /// The name of the panel.
    inbox = "Tool calls";
    /// Instead of an empty list.
    nothing_waits = "Nothing waits for you.";
    /// Instead of an empty list, until the backend has said what waits.
    connecting = "Asking the agent what waits…";
    /// Over the list while the backend cannot be reached.
    connection_lost = "No connection to the agent. What waits now is not known.";
    /// Instead of an empty list, where what the backend said could not be read.
    unread = "What the agent sent cannot be read. What waits now is not known.";
    /// In place of everything, where a file of the wasm cannot be loaded.
    not_loaded = "Part of this page could not be loaded. Nothing can be decided here until it is; loading the page again may help.";
    /// Over what no longer waits: decided, or never asked about.
    history = "History";
    /// On the button that opens the list of the calls to approve, where that is every call of the bar.
    approve_all = "Approve all…";
    /// On the button that opens the list of the calls to reject, and asks for a reason.
    reject_all = "Reject all…";
    /// On the button that approves one call.
    approve = "Approve";
    /// On the button that asks once more before it approves one call.
    approve_after_question = "Approve…";
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
    /// Why a button does not act yet: of what two fingers have enlarged, too little was in view.
    look_over = "Look over more of the call first, or zoom out";
    /// Beside the name of the tool; the server is drawn at its place.
    served_by = "from {server}";
    /// Beside the name of the tool; the path of agents is drawn at its place.
    asked_by = "asked by {agents}";
    /// Between agents, outermost first.
    agent_separator = " › ";
    /// Between short facts.
    separator = " · ";
    /// Between the members of a list.
    list_separator = ", ";
    /// Between the announcements that are made together.
    sentence_separator = ". ";
    /// Between groups of three digits.
    digits_separator = ",";
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
    /// On a call whose tool, arguments or schema changed.
    changed = "This call changed while it waited. Look again.";
    /// Before what the agent claims.
    claim = "The agent says (not verified):";
    /// Around words of someone else, which are drawn at their place.
    quoted = "“{text}”";
    /// The label of the reason.
    reason = "Reason";
    /// The given reason, which is drawn at its place.
    given_reason = "Reason: {reason}";
    /// What the agent got in the place of a result; the words are drawn at their place.
    given_reply = "Reply: {reply}";
    /// Under a reason that the agent gets.
    reason_sent = "Optional. The agent gets these words; without them, the usual ones of its system.";
    /// Under a reason that stays here.
    reason_local = "Optional. The reason stays here; the agent never sees it.";
    /// Under a reason that must be given.
    reason_required = "The agent does not accept a rejection without a reason.";
    /// While the host hands over the decision.
    sending = "Sending…";
    /// When the decision arrived and nothing came back.
    sent = "Sent · waiting for the agent";
    /// When the decision did not arrive, and why; the error is drawn at its place.
    not_delivered_because = "The decision was not delivered. Reason (not verified): {error}";
    /// When the decision did not arrive.
    not_delivered = "The decision was not delivered.";
    /// What became of a decision that did not arrive, after the word for the decision.
    undelivered = "not delivered";
    /// What went wrong with the tool; it is drawn at its place.
    error = "Error (not verified): {error}";
    /// On a request that someone else must answer.
    blocked = "It waits, but it cannot be answered from here.";
    /// In place of a tool's name, on a request that names none.
    no_tool = "Request without a tool";

    /// How many calls wait.
    calls_wait(count: usize) = "{count} call waits" | "{count} calls wait";
    /// How many calls have begun to wait beside others, and how many wait now.
    more_calls_wait(count: usize, all: usize) = "{count} more call waits, {all} in all" | "{count} more calls wait, {all} in all";
    /// The announcement of calls: how many wait, and the names of some tools.
    announcement(waiting: &str, tools: &str) = "{waiting}: {tools}";
    /// The announcement of an end, and the name of a card: “delete_file: Rejected”.
    call_stands(tool: &str, standing: &str) = "{tool}: {standing}";
    /// The accessible name of a button. It holds what stands on the button, without “…”.
    button_name(act: &str, tool: &str) = "{act} {tool}";
    /// How much of a batch is decided.
    decided_of(decided: usize, of: usize) = "{decided} of {of} decided";
    /// On the button that approves when some calls need a look of their own.
    approve_some(count: usize, of: usize) = "Approve {count} of {of}…";
    /// On the button that opens the reason for rejecting the calls that are chosen.
    reject_some(count: usize, of: usize) = "Reject {count} of {of}…";
    /// After the first members of a list.
    more(count: usize) = "{count} more";
    /// On the button under a cut list.
    show_more(count: usize, of: usize) = "Show {count} more of {of}";
    /// Under a list that scrolls, after which of its rows are in the page.
    rows_elsewhere(count: usize) = "{count} row is not in the page until you scroll to it: the browser’s search does not find it. Copy takes everything." | "{count} rows are not in the page until you scroll to them: the browser’s search does not find them. Copy takes everything.";
    /// On the fold in the middle of a long text.
    characters_more(count: usize) = "{count} character more" | "{count} characters more";
    /// How long a text is.
    characters(count: usize) = "{count} character" | "{count} characters";
    /// On the button that shows what is nested too deep.
    nested_deeper(count: usize, levels: usize) = "Nested deeper than {levels} levels: {count} character" | "Nested deeper than {levels} levels: {count} characters";
    /// How many members an object has.
    fields(count: usize) = "{count} field" | "{count} fields";
    /// How many items an array has.
    items(count: usize) = "{count} item" | "{count} items";
    /// At a value that is nested so deep that no indent shows it.
    level(count: usize) = "Level {count}";
    /// Under arguments with hidden characters; an example is drawn at its place.
    hidden_characters(count: usize) = "One hidden character is shown as {example}. It could make the text read differently." | "{count} hidden characters are shown as {example}. They could make the text read differently.";
    /// The name of a digest.
    digest(digest: &str) = "SHA-256 of the exact arguments: {digest}";
    /// When a held decision is sent.
    goes_out_in(seconds: u64) = "goes out in {seconds} s";
    /// Why a decision is held: other calls of its batch are not decided yet.
    waits_for(count: usize) = "waits for {count} more";
    /// Among calls of which the backend runs none when one is rejected.
    rejects_all = "If one of these calls is rejected, none of them runs.";
    /// At a question that is still open while others have their answers.
    question_open = "Needs an answer";
    /// Why answers cannot be sent.
    questions_open(count: usize) = "{count} question is still open" | "{count} questions are still open";

    /// A decision in one word.
    decision_approve = "Approved";
    /// A decision in one word: approved with other arguments.
    decision_edit = "Edited";
    /// A decision in one word.
    decision_reject = "Rejected";
    /// A decision in one word: the agent got words instead of a result.
    decision_respond = "Replied";
    /// A decision in one word: neither run nor answered.
    decision_ignore = "Ignored";
    /// A decision in one word: the questions were answered.
    decision_answer = "Answered";
    /// A decision in one word or two: the whole run was ended.
    decision_cancel = "Run cancelled";
    /// A decision of another kind.
    decision_other = "Decided";

    /// A status: nothing gates the call.
    status_requested = "Requested";
    /// A status: the arguments are still arriving.
    status_streaming = "Arriving…";
    /// A status.
    status_pending = "Waits for you";
    /// A status, after the word for the decision.
    status_drafted = "not sent yet";
    /// A status, after the word for the decision.
    status_sending = "sending…";
    /// A status, after the word for the decision.
    status_sent = "sent";
    /// A status.
    status_approved = "Approved";
    /// A status, after the word for the decision: the tool runs.
    status_running = "running";
    /// A status, after the word for the decision: the tool ran.
    status_completed = "completed";
    /// A status, after the word for the decision: the tool failed.
    status_failed = "failed";
    /// A status.
    status_rejected = "Rejected";
    /// A status: words went back instead of a run.
    status_responded = "Answered";
    /// A status.
    status_cancelled = "Cancelled";
    /// A status: nobody answered in time.
    status_expired = "Expired";
    /// A status: the conversation moved on.
    status_superseded = "No longer waiting";
    /// A status: someone else decided differently first. Also said of what someone else decided while it waited here.
    status_conflict = "Decided elsewhere";
    /// A status.
    status_blocked = "Cannot be answered here";
    /// A status.
    status_unknown = "Settled, outcome unknown";

    /// What that status means.
    ended_expired = "Nobody answered in time.";
    /// What that status means where an answer had left and nobody knows whether it arrived.
    ended_undelivered = "The time is up. Your answer may have arrived all the same.";
    /// What that status means.
    ended_superseded = "The conversation moved on; it can no longer be answered.";
    /// What that status means.
    ended_conflict = "Someone else decided differently first.";
    /// What that status means.
    ended_unknown = "It is settled, but the agent does not say how.";
    /// What a failure means of which nothing else is known.
    ended_failed = "The run failed; what became of this call is not known.";

    // The arguments view.
    /// Over edited arguments that are as they were.
    nothing_differs = "Nothing differs from what the agent asked.";
    /// Over edited arguments that mean the same and are written in another way.
    only_form_differs = "Only spacing, order or spelling of characters differs from what the agent asked.";
    /// On the button that copies; secrets are masked in the copy.
    copy = "Copy";
    /// On the button that copies the exact text where it holds secrets.
    copy_secrets = "Copy with secrets";
    /// Said when the text was copied.
    copied = "Copied";
    /// Said when the browser did not let the text be copied.
    not_copied = "The browser did not allow copying";
    /// On the button that saves the exact text as a file.
    download = "Download";
    /// On the button that shows every secret of a text.
    reveal_secrets = "Reveal secrets";
    /// On the button that masks a shown secret again.
    mask_again = "Mask again";
    /// Below arguments with a mask over what secrets seldom look like, or what only the request's schema calls secret.
    odd_secret = "A masked value may be no secret. Reveal it before you approve.";
    /// On the button that folds an opened text again.
    show_less = "Show less";
    /// Beside an address; its host is drawn at its place.
    host_is = "host {host}";
    /// Beside an address of another kind than the web's; its scheme is drawn at its place.
    scheme_is = "scheme {scheme}";
    /// Beside an address whose scheme runs what follows it; the scheme is drawn at its place.
    scheme_runs = "{scheme} carries its content in itself and may run it";
    /// Beside a host that is the machine which asks.
    this_machine = "the machine that runs the tool";
    /// Beside a host that is not public.
    private_network = "a private network";
    /// Beside an address with a user name that looks like a host; the name is drawn at its place.
    before_the_host = "{name} before the @ is a user name, not the host";
    /// The name of what the page itself draws of a call.
    shown_by_page = "Shown by this page";
    /// The name of what differs between two texts of a call.
    difference = "Difference";
    /// An alphabet.
    alphabet_latin = "Latin";
    /// An alphabet.
    alphabet_greek = "Greek";
    /// An alphabet.
    alphabet_cyrillic = "Cyrillic";
    /// An alphabet.
    alphabet_armenian = "Armenian";
    /// An alphabet.
    alphabet_hebrew = "Hebrew";
    /// An alphabet.
    alphabet_arabic = "Arabic";
    /// An alphabet.
    alphabet_georgian = "Georgian";
    /// An alphabet.
    alphabet_cherokee = "Cherokee";
    /// An alphabet.
    alphabet_coptic = "Coptic";
    /// An alphabet.
    alphabet_lisu = "Lisu";
    /// Latin letters in another style, such as mathematical ones.
    alphabet_styled = "styled";
    /// Over the fields that a person changed.
    values_differ(count: usize) = "{count} value differs from what the agent asked" | "{count} values differ from what the agent asked";
    /// On the button between two changes that shows what did not change.
    lines_unchanged(count: usize) = "{count} line unchanged" | "{count} lines unchanged";
    /// How many lines a folded text has more.
    lines(count: usize) = "{count} line" | "{count} lines";
    /// The accessible name of the mask of a secret; the size is told as in `characters`.
    reveal(size: &str) = "Reveal {size}";
    /// Instead of a text that is too long; the size is told as in `characters`.
    too_large(size: &str) = "{size}: too much to show. The exact text can be downloaded.";
    /// Beside a name of mixed alphabets; the letters as in “р (Cyrillic U+0440), а (Cyrillic U+0430)”.
    look_alikes(letters: &str) = "Letters that look like others: {letters}";
    /// Beside a text or a name; the digits and signs as in “৪ (4, U+09EA), ‐ (U+2010)”.
    look_alike_signs(signs: &str) = "Digits and signs that look like others: {signs}";
    /// Beside a name of another alphabet.
    not_latin(letters: &str) = "Not Latin letters: {letters}";
    // Allowing more than one call, and which tools need approval.
    /// The title of the dialog for allowing more than one call.
    always_allow(tool: &str) = "Always allow {tool}";
    /// On the button that opens that dialog.
    always_allow_begin = "Always allow…";
    /// Over the choices of how far a permission reaches.
    what_runs_unasked = "What runs without asking from now on";
    /// A choice: the same tool with the same arguments; the tool is drawn at its place.
    reach_same_args = "{tool} with exactly these arguments";
    /// A choice: the same tool as long as some arguments stay; the tool is drawn at its place.
    reach_pinned = "{tool} as long as chosen arguments stay the same";
    /// A choice: the tool, which is drawn at its place.
    reach_tool = "{tool} with any arguments";
    /// A choice: every tool of a server, which is drawn at its place.
    reach_server = "Every tool of {server}";
    /// A choice: everything in this session.
    reach_session = "Everything that is asked in this session";
    /// A choice that the backend would remember; the tool is drawn at its place.
    backend_same_args = "{tool} with these arguments — remembered by the agent’s side";
    /// A choice that the backend would remember; the tool is drawn at its place.
    backend_tool = "{tool} with any arguments — remembered by the agent’s side";
    /// A choice that the backend would remember; the tool is drawn at its place.
    backend_server = "Every tool of the server of {tool} — remembered by the agent’s side";
    /// A choice that the backend would remember; the tool is drawn at its place.
    backend_session = "Everything in this session, not only {tool} — remembered by the agent’s side";
    /// Over the arguments that may be held.
    what_stays = "Which arguments must stay";
    /// Over the choices of how long a permission lasts.
    how_long = "For how long";
    /// A choice: as long as the session.
    this_session = "In this session only";
    /// A choice of how long a permission lasts.
    for_hours(count: u64) = "For {count} hour" | "For {count} hours";
    /// A choice of how long a permission lasts.
    for_days(count: u64) = "For {count} day" | "For {count} days";
    /// A choice, and a fact of a permission: without an end.
    until_revoked = "Until you take it back";
    /// When the choices permit nothing.
    nothing_to_grant = "Nothing is allowed by this choice. Choose what must stay, or allow another extent.";
    /// Over the permission in words.
    what_is_allowed = "What you allow";
    /// The name of the permission as it is kept.
    what_is_kept = "Exactly what is kept";
    /// On a permission that is not about one tool.
    reaches_any_tool = "This reaches tools that you have not seen yet.";
    /// What becomes of a permission that is kept here.
    kept_here = "Kept here, until you take it back or it ends. The agent’s side is not told: it goes on asking, and calls that match are approved for you.";
    /// What becomes of a permission that the backend keeps.
    kept_by_backend = "The agent’s side remembers this, not this page. It stops asking; here it is neither listed nor can it be taken back.";
    /// Words of the backend about its permission, which are drawn at their place.
    backend_says = "The agent’s side says (not verified): {text}";
    /// On the button that confirms.
    allow_and_approve(count: usize) = "Allow and approve {count} call" | "Allow and approve {count} calls";
    /// Over the calls that are approved along.
    also_approves(count: usize) = "Also approves {count} call that waits:" | "Also approves {count} calls that wait:";
    /// Over what was allowed.
    grants_in_force(count: usize) = "{count} permission in force" | "{count} permissions in force";
    /// Over what was taken back.
    grants_taken_back = "Taken back";
    /// A fact of a permission; the tool is drawn at its place.
    grant_tool = "Calls of {tool}";
    /// A fact of a permission: any tool.
    grant_any_tool = "Calls of any tool";
    /// A fact of a permission; the server is drawn at its place.
    grant_server = "On the server {server}";
    /// A fact of a permission: no server is known.
    grant_unknown_server = "Where no server is named";
    /// A fact of a permission: any server.
    grant_any_server = "On any server";
    /// A fact of a permission: no agent is known.
    grant_unknown_agent = "Where no agent is named";
    /// A fact of a permission; the arguments as a whole are drawn at their place.
    grant_arguments = "With exactly these arguments: {value}";
    /// A fact of a permission; some of the arguments are drawn at their place.
    grant_members = "With these arguments, whatever the others are: {value}";
    /// A fact of a permission: any arguments.
    grant_any_arguments = "With any arguments";
    /// A fact of a permission; where, and the value, are drawn at their places.
    grant_equals = "Where {place} is {value}";
    /// A fact of a permission; where, and the values, are drawn at their places.
    grant_one_of = "Where {place} is one of {value}";
    /// A fact of a permission; where, and the beginning, are drawn at their places.
    grant_prefix = "Where {place} begins with {value}";
    /// A fact of a permission; where, and what stands in the text, are drawn at their places.
    grant_contains = "Where {place} contains {value}";
    /// A fact of a permission; where, and the number, are drawn at their places.
    grant_above = "Where {place} is above {value}";
    /// A fact of a permission; where is drawn at its place.
    grant_absent = "Where {place} is not given";
    /// A fact of a permission; the digest of the schema is drawn at its place.
    grant_schema = "As long as the tool declares the same arguments (SHA-256 {digest})";
    /// A fact of a permission; the session is drawn at its place.
    grant_session = "Only in this session: {session}";
    /// A fact of a permission: any session.
    grant_any_session = "In every session";
    /// A fact of a permission: when it ends.
    grant_until(moment: &str) = "Until {moment}";
    /// A fact of a permission: it ends with the session.
    grant_until_session = "Until this session ends";
    /// When a permission was given.
    granted_at(moment: &str) = "Given {moment}";
    /// When a permission was taken back.
    revoked_at(moment: &str) = "Taken back {moment}";
    /// On the button that takes a permission back.
    revoke = "Take back";
    /// Instead of that button, when the time is over.
    grant_is_over = "Over";
    /// On what a rule decided; its name is drawn at its place.
    decided_by_rule = "Decided by the rule {rule}";
    /// The name of the panel of tools.
    policy = "Which tools need approval";
    /// How many tools ask.
    tools_ask(count: usize, of: usize) = "{count} of {of} tools ask";
    /// The label of the search for tools.
    search_tools = "Search tools";
    /// Instead of an empty list of tools.
    no_tools = "No tools are known.";
    /// When a search finds nothing.
    no_tool_found = "No tool matches.";
    /// The label of a switch.
    require_approval = "Require approval";
    /// Under the count of tools: what the switches are for.
    switch_help = "On: a person is asked first. Off: calls run unasked.";
    /// In its place where nothing can be switched.
    switch_fixed = "Nothing can be switched here.";
    /// Why a switch does not act.
    not_changeable = "The configuration cannot say otherwise for this tool alone.";
    /// Before what a tool says it does.
    tool_says = "The tool says (not verified):";
    /// On a tool whose calls are asked about.
    asks = "Asks";
    /// On a tool that asks until one call was approved.
    asks_once = "Asks once";
    /// On a tool whose calls run.
    runs_unasked = "Runs unasked";
    /// On a tool whose calls are refused.
    is_refused = "Refused";
    /// The name of the buttons that turn pages.
    pages = "Pages";
    /// On the button to the page before.
    previous = "Previous";
    /// On the button to the next page.
    next = "Next";
    /// Which of a list are shown.
    shown_of(from: usize, until: usize, of: usize) = "{from}–{until} of {of}";
    /// When a configuration cannot be read; why is drawn at its place.
    configuration_wrong = "The configuration cannot be read: {why}.";
    /// When tools need approval that the agent does not have; their names are drawn at their place.
    not_among_tools = "These need approval and are not among the tools: {tools}.";
    // Care, several calls at once, what was decided.
    /// Before a claim of the server about a call, which is drawn at its place.
    risk_claimed = "The server says: {claim} (not verified)";
    /// Before a reason for care that the page gives, which is drawn at its place.
    risk_by_host = "Rule of this app: {reason}";
    /// Before a reason for care that held of the arguments as the agent sent them and not of the edited ones; it is drawn
    /// at its place.
    risk_as_sent = "As the agent sent it: {reason}";
    /// What a server claims of a tool.
    risk_destructive = "destructive";
    /// On the button that runs something of high risk after all.
    run_anyway = "Run it";
    /// On the button that runs edited arguments of high risk after all.
    run_edited = "Run the edited call";
    /// How much care a call needs.
    risk_level_low = "Low risk";
    /// How much care a call needs.
    risk_level_elevated = "Take care";
    /// How much care a call needs.
    risk_level_high = "High risk";
    /// The question before something of high risk runs.
    really_run(tool: &str) = "Really run {tool}?";
    /// The name of the list of calls that would be approved together.
    review_title = "Approve these calls?";
    /// On the button that takes the last decision of a batch back before the batch leaves.
    change_decision = "Change";
    /// On the button to what comes before the part of a list that is drawn.
    previous_page = "Previous";
    /// On the button to what comes after the part of a list that is drawn.
    next_page = "Next";
    /// Which part of a list is drawn.
    window_of(from: usize, until: usize, of: usize) = "{from}–{until} of {of}";
    /// How many calls of a list are chosen.
    chosen_of(count: usize, of: usize) = "{count} of {of} chosen";
    /// How many of the chosen calls are on pages that were not opened.
    not_shown_yet(count: usize) = "Not shown yet, and so not approved: {count}";
    /// On the button that chooses all calls of one tool.
    group_of_tool(tool: &str, count: usize) = "{tool} × {count}";
    /// On the button that chooses all calls that one agent asked for.
    group_of_agent(agent: &str, count: usize) = "asked by {agent} × {count}";
    /// Over the calls that are not approved together with others.
    left_out_title(count: usize) = "Not included: {count}";
    /// Why a call is not approved together with others.
    left_out_high_risk = "high risk: decide it alone";
    /// Why a call is not approved together with others.
    left_out_unreadable = "cannot be read without doubt";
    /// Why a call is not approved together with others.
    left_out_changed = "changed: look at it again";
    /// Why a call is not approved together with others.
    left_out_not_offered = "cannot be approved";
    /// Why a call is not rejected together with others.
    left_out_not_rejectable = "cannot be rejected";
    /// Why a call is not approved together with others.
    left_out_edited = "has a draft: send or discard it";
    /// Why a call is not approved together with others.
    left_out_edited_invalid = "has a draft that cannot be sent: correct or discard it";
    /// How many calls arrived while a list was looked at.
    arrived_since(count: usize) = "Arrived since, and still open: {count}";
    /// What was decided in a batch that is about to leave.
    decided_as(run: usize, refused: usize) = "To run: {run} · refused: {refused}";
    /// On the button that saves the record of all decisions.
    export_audit = "Download history";
    /// In the field for words that are looked for in the history.
    search_history = "Search what was decided";
    /// Where nothing in the history fits.
    nothing_found = "Nothing fits.";
    /// On the button that shows all of the history.
    kept_all = "All";
    /// On the button that shows what ran.
    kept_ran = "Ran";
    /// On the button that shows what was refused.
    kept_refused = "Refused";
    /// On the button that shows what ended otherwise.
    kept_other = "Other";
    /// Who decided.
    by_here = "by you";
    /// Who decided.
    by_rule = "by a rule";
    /// Who decided.
    by_elsewhere = "elsewhere";
    /// Who decided, and when.
    decided_when(who: &str, time: &str) = "{who}, {time}";
    /// On a call for which little time is left.
    little_time = "Little time is left: the agent will stop waiting.";
    /// On the button that asks the agent to wait longer.
    more_time = "Ask for more time";
    /// That the agent does not wait longer, and why; the reason is drawn at its place.
    no_more_time = "The agent does not wait longer: {reason}";
    /// The urgent announcement that a call is about to expire.
    seconds_left(tool: &str, seconds: u64) = "{tool}: {seconds} s left";
    /// A reason for care that stands in the arguments.
    risk_recursive_delete = "It deletes a folder with everything in it";
    /// A reason for care that stands in the arguments.
    risk_disk_write = "It writes over a whole disk";
    /// A reason for care that stands in the arguments.
    risk_remote_script = "It runs a script from the network unseen";
    /// A reason for care that stands in the arguments.
    risk_sql_drop = "It removes a table or more from a database";
    /// A reason for care that stands in the arguments.
    risk_sql_every_row = "It changes or deletes every row of a table";
    /// A reason for care that stands in the arguments.
    risk_elevated_rights = "It runs with elevated rights";
    /// A reason for care that stands in the arguments.
    risk_path_root = "It covers a whole disk or home folder";
    /// A reason for care that stands in the arguments.
    risk_path_climbs = "It leaves its folder with `..`";
    /// A reason for care that stands in the arguments.
    risk_path_system = "It reaches into the system or to keys";
    /// A reason for care that stands in the arguments.
    risk_everyone = "It reaches everyone";
    /// A reason for care that stands in the arguments.
    risk_secret = "It holds what looks like a secret";
    /// A reason for care that stands in the arguments.
    risk_deceptive_characters = "It has invisible or look-alike characters where they deceive";

    // What people write.
    /// On the button that opens the editing of arguments.
    edit = "Edit…";
    /// Over the edited arguments; the tool is drawn at its place.
    edit_title = "Edit the arguments of {tool}";
    /// One of the two ways to edit: field by field.
    edit_form = "Form";
    /// On the button that runs the call with the edited arguments.
    edit_send = "Approve with changes";
    /// On the button that makes everything what it was.
    edit_reset_all = "Reset all";
    /// On the button that makes one field what it was.
    edit_reset = "Reset";
    /// On the button that shows the secret in a field, and masks it again.
    edit_reveal = "Reveal";
    /// On the button that takes out a field or an item.
    edit_remove = "Remove";
    /// On the button that adds an item to a list.
    edit_add_item = "Add item";
    /// On the button that asks for the name of a new field.
    edit_add_field = "Add field…";
    /// The label of the name of a new field.
    edit_field_name = "Name of the new field";
    /// On the button that adds a field.
    edit_add = "Add";
    /// On the button that moves an item of a list towards the beginning.
    edit_up = "Up";
    /// On the button that moves an item of a list towards the end.
    edit_down = "Down";
    /// On the button that replaces nothing by something.
    edit_fill = "Give a value";
    /// On the button that replaces a value by nothing; the word is that of JSON.
    edit_empty(word: &str) = "Set to {word}";
    /// The name of a field for JSON text.
    edit_json_of(name: &str) = "JSON text of {name}";
    /// On the button that opens the JSON text of one field, and in its accessible name.
    edit_as_json = "Edit as JSON";
    /// On the button that breaks JSON text into lines.
    edit_lines = "Break into lines";
    /// On the button that shows where JSON text cannot be read.
    edit_find = "Show the place";
    /// Over the editor of what no form can show.
    edit_only_json = "Only as JSON: a form could not show this without doubt.";
    /// Over the form of a JSON text that cannot be read.
    edit_unreadable = "The JSON text cannot be read at the moment. Shown is the last state that could be.";
    /// On the button that leads back to a JSON text that cannot be read.
    edit_back_to_json = "Back to the JSON text";
    /// On the button that discards a JSON text that cannot be read.
    edit_drop_json = "Discard the JSON text";
    /// The name of the choice among several kinds of value.
    edit_kind_of(name: &str) = "Kind of {name}";
    /// The name of one of several kinds that has none: “2: object”.
    edit_kind(number: &str, kind: &str) = "{number}: {kind}";
    /// Over an empty list of changes, and why it cannot be sent.
    edit_unchanged = "Nothing is changed yet.";
    /// Over a form whose fields cannot be taken out.
    edit_members_stay = "No field can be taken out: the agent’s side lays your changes over its own arguments.";
    /// A field that was taken out and would stay; its name is drawn at its place.
    edit_kept_member = "{name} cannot be left out: the agent’s side would keep it.";
    /// A number that the wire does not keep; the number is drawn at its place.
    edit_rounded = "The agent’s side would make another number of {number}.";
    /// Empty arguments where they would not count.
    edit_is_nothing = "The agent’s side takes empty arguments for no change at all.";
    /// How many things are wrong with a draft.
    edit_problems(count: usize) = "{count} problem" | "{count} problems";
    /// Under what is wrong with a draft: rules of the schema, which are drawn at their place.
    edit_unchecked = "Cannot be checked here; the agent’s side decides on it: {rules}";
    /// Where JSON text cannot be read, and what was expected there.
    edit_not_json(line: usize, column: usize, what: &str) = "Line {line}, column {column}: {what}.";
    /// What is no number.
    edit_not_a_number(examples: &str) = "This is not a number as JSON writes it, such as {examples}.";
    /// A field for a number that is empty.
    edit_number_missing = "A number is missing.";
    /// Under a field with characters that cannot be seen; its content is drawn at its place.
    edit_hidden = "With hidden characters shown: {text}";
    /// Beside a field that must be there.
    edit_required = "required";
    /// Beside a field that the tool does not want changed.
    edit_read_only = "read-only for the tool";
    /// Beside a field that is out of date.
    edit_deprecated = "deprecated";
    /// The smallest number that is permitted.
    edit_at_least(least: &str) = "at least {least}";
    /// The largest number or length that is permitted.
    edit_at_most(most: &str) = "at most {most}";
    /// The number that those that are permitted must exceed.
    edit_more_than(bound: &str) = "more than {bound}";
    /// The number that those that are permitted must stay below.
    edit_less_than(bound: &str) = "less than {bound}";
    /// How a kind of text is written.
    edit_such_as(kind: &str, example: &str) = "{kind}, such as {example}";
    /// Before words of the schema.
    schema_says = "The schema says (not verified):";
    /// Before the value that the tool assumes.
    edit_default = "Default:";
    /// Before values that the schema names.
    edit_examples = "Examples:";
    /// The label of words that go with an edit.
    edit_note = "Note";
    /// Beside words that go with an edit.
    edit_note_sent = "Optional. The agent gets these words.";
    /// Beside words that go with an edit and that nobody gets.
    edit_note_local = "Optional. The note stays here; the agent never sees it.";
    /// Beside words that must go with an edit.
    edit_note_required = "The agent does not accept changes without a note.";
    /// Why the inbox did not take it; the reason is drawn at its place.
    edit_refused = "It was not sent: {reason}";
    /// On a card with a draft that is not sent.
    edit_kept = "A draft of other arguments is kept. Approve runs the arguments above, not the draft.";
    /// On a card that lost its draft when its call changed.
    edit_lost = "Your draft was for the call as it was before, and is discarded.";
    /// On the button that opens the draft.
    edit_continue = "Continue editing";
    /// On the button that throws the draft away.
    edit_discard = "Discard draft";
    /// A kind of value.
    type_string = "text";
    /// A kind of value.
    type_integer = "whole number";
    /// A kind of value.
    type_number = "number";
    /// A kind of value.
    type_boolean = "true or false";
    /// A kind of value: one of several that are listed.
    type_choice = "choice";
    /// A kind of value.
    type_array = "list";
    /// A kind of value.
    type_object = "object";
    /// A kind of value: every kind.
    type_any = "anything";
    /// A kind of text.
    type_date = "date";
    /// A kind of text: a date and a time.
    type_moment = "date and time";
    /// A kind of text.
    type_time = "time of day";
    /// A kind of text: that of a page or a resource.
    type_address = "web address";
    /// A kind of text.
    type_email = "e-mail address";
    /// A kind of text.
    type_host = "host name";
    /// A kind of text.
    type_secret = "secret text";
    /// The name of the reasons that the host offers.
    reason_presets = "Frequent reasons";
    /// How many characters there is room for yet.
    characters_left(count: usize) = "{count} character left" | "{count} characters left";
    /// By how many characters words are too long.
    characters_over(count: usize) = "{count} character too long" | "{count} characters too long";
    /// On the button that rejects a request which asks questions.
    decline = "Decline to answer";
    /// The same, where a reason may be given.
    decline_with_reason = "Decline to answer…";
    /// On the button that opens the question whether to end the run.
    end_run = "End the run…";
    /// Over that question.
    end_run_title = "End the whole run?";
    /// Under it.
    end_run_means = "This ends the whole run of the agent, not this call alone: nothing of it goes on. It cannot be taken back.";
    /// On the button that ends the run.
    end_run_now = "End the run";
    /// On the button that does not.
    keep_run = "Keep it running";
}

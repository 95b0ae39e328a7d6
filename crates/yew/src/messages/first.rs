//! What a card says that waits or was decided, and what stands around it.

use super::table::texts;

texts! { 0;
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
    /// On the button that neither runs nor answers a call.
    ignore = "Ignore";
    /// On the button that opens the words which stand in for a result.
    respond = "Reply instead of running…";
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
    /// While the host hands over the decision.
    sending = "Sending…";
    /// Why a decision is held: another task of the conversation runs, and could take it for an answer of its own.
    waits_for_task = "Waits until the agent has finished another task, which could take this answer for its own.";
    /// Why a decision is held: all that is answered together is decided, and something else that waits there is in the way.
    cannot_leave = "It cannot be sent as things stand.";
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
    /// When the agent stops waiting, which is before a held decision is sent: it is not sent.
    expires_unsent(seconds: u64) = "expires in {seconds} s, before it is sent";
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
    /// On the button that opens that dialog.
    always_allow_begin = "Always allow…";
    /// On what a rule decided; its name is drawn at its place.
    decided_by_rule = "Decided by the rule {rule}";
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
    /// How much care a call needs.
    risk_level_low = "Low risk";
    /// How much care a call needs.
    risk_level_elevated = "Take care";
    /// How much care a call needs.
    risk_level_high = "High risk";
    /// On the button that takes the last decision of a batch back before the batch leaves.
    change_decision = "Change";
    /// On the button to what comes before the part of a list that is drawn.
    previous_page = "Previous";
    /// On the button to what comes after the part of a list that is drawn.
    next_page = "Next";
    /// Which part of a list is drawn.
    window_of(from: usize, until: usize, of: usize) = "{from}–{until} of {of}";
    /// What was decided in a batch that is about to leave.
    decided_as(run: usize, refused: usize) = "To run: {run} · refused: {refused}";
    /// On the button that saves the record of all decisions.
    export_audit = "Download history";
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
    /// Where JSON text cannot be read, and what was expected there.
    edit_not_json(line: usize, column: usize, what: &str) = "Line {line}, column {column}: {what}.";
    /// On a card with a draft that is not sent.
    edit_kept = "A draft of other arguments is kept. Approve runs the arguments above, not the draft.";
    /// On a card that lost its draft when its call changed.
    edit_lost = "Your draft was for the call as it was before, and is discarded.";
    /// On the button that opens the draft.
    edit_continue = "Continue editing";
    /// On the button that throws the draft away.
    edit_discard = "Discard draft";
    /// On the button that rejects a request which asks questions.
    decline = "Decline to answer";
    /// The same, where a reason may be given.
    decline_with_reason = "Decline to answer…";
    /// On the button that opens the question whether to end the run.
    end_run = "End the run…";
}

//! What forms, dialogs and panels say. A page has a card before it needs any of it, so it stands in a table of its own.

use std::rc::Rc;

use super::table::{Row, rows, texts};

/// All of it. By this alone it is reached, so that it need not be in the first file of the wasm.
#[inline(never)]
pub(super) fn all() -> Rc<[Row]> {
    rows(TABLE)
}

texts! { super::first::COUNT;
    /// On the button that rejects with the typed reason.
    send_rejection = "Send rejection";
    /// On the button that sends those words.
    send_response = "Send reply";
    /// The label of those words.
    response = "Reply";
    /// Under those words.
    response_means = "The agent gets these words instead of a result. The call does not run.";
    /// Under a reason that the agent gets.
    reason_sent = "Optional. The agent gets these words; without them, the usual ones of its system.";
    /// Under a reason that stays here.
    reason_local = "Optional. The reason stays here; the agent never sees it.";
    /// Under a reason that must be given.
    reason_required = "The agent does not accept a rejection without a reason.";

    /// On the button that opens the reason for rejecting the calls that are chosen.
    reject_some(count: usize, of: usize) = "Reject {count} of {of}…";

    // Allowing more than one call, and which tools need approval.
    /// The title of the dialog for allowing more than one call.
    always_allow(tool: &str) = "Always allow {tool}";
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
    /// On the button that runs something of high risk after all.
    run_anyway = "Run it";
    /// On the button that runs edited arguments of high risk after all.
    run_edited = "Run the edited call";
    /// The question before something of high risk runs.
    really_run(tool: &str) = "Really run {tool}?";
    /// The name of the list of calls that would be approved together.
    review_title = "Approve these calls?";
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

    // What people write.
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
    /// Over that question.
    end_run_title = "End the whole run?";
    /// Under it.
    end_run_means = "This ends the whole run of the agent, not this call alone: nothing of it goes on. It cannot be taken back.";
    /// On the button that ends the run.
    end_run_now = "End the run";
    /// On the button that does not.
    keep_run = "Keep it running";
}

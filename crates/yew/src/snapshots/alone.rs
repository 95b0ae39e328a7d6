//! Each part that stands alone, with nothing around it.

use countersign_core::{EditRule, GrantArgument, GrantTest, GrantView};

use super::*;
use crate::{
    ArgumentsView, ArgumentsViewProps, BatchBar, BatchBarProps, Catalogue, ChangesView, ChangesViewProps,
    EditDialog, EditDialogProps, GrantList, GrantListProps, History, HistoryProps, LiveRegion,
    LiveRegionProps, QuestionForm, QuestionFormProps, RejectForm, RejectFormProps, RespondDialog,
    RespondDialogProps, StatusBadge, StatusBadgeProps, locales,
};

/// What one part draws. Its own numbers, which count down from the largest, are left out.
fn part<COMP: BaseComponent>(props: COMP::Properties) -> String {
    let markup = rendered::<COMP>(props);
    let mut pieces = markup.split("4294967");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push('N');
        plain.push_str(piece.get(3..).unwrap_or_default());
    }
    assert!(
        plain.starts_with(r#"<div class="cs cs-inbox" lang="en""#)
            || plain.starts_with(r#"<span class="cs" "#),
        "{plain}"
    );
    plain
}

fn views(views: impl IntoIterator<Item = RequestView>) -> Rc<[Rc<RequestView>]> {
    views.into_iter().map(Rc::new).collect()
}

fn ran(key: u32) -> RequestView {
    RequestView {
        status: Status::Completed,
        offers: Vec::new(),
        ..call(key, "delete_file", r#"{"path":"/a"}"#)
    }
}

#[test]
fn arguments_show_what_the_card_shows_of_them() {
    let text: Arc<str> = Arc::from(TRANSFER);
    let markup = part::<ArgumentsView>(yew::props!(ArgumentsViewProps { text }));
    check("alone-arguments", &markup);
    let on_card = card(call(1, "transfer_funds", TRANSFER));
    let (_, inner) = markup.split_once(r#"part="arguments""#).expect("arguments");
    let inner = inner.trim_end_matches("</div>");
    // But for the id by which the button of a card has them read out.
    assert!(on_card.replace(r#"<div id="cs-arguments-1">"#, "<div>").contains(inner), "{inner}");
    assert!(!markup.contains("approve"));
}

#[test]
fn r08_arguments_that_can_be_read_in_two_ways_say_so() {
    let of = |text: &str, schema: Option<Arc<str>>| {
        seen(&part::<ArgumentsView>(yew::props!(ArgumentsViewProps { text: Arc::<str>::from(text), schema })))
    };
    let text = of(r#"{"path":"/tmp/x","path":"/etc/passwd"}"#, None);
    assert!(
        text.contains("/tmp/x")
            && text.contains("/etc/passwd")
            && text.contains("/path · this key occurs more than once"),
        "{text}"
    );
    assert!(of("no JSON", None).contains("no JSON"));
    let schema = Arc::from(r#"{"properties":{"door":{"format":"password"}}}"#);
    assert!(!of(r#"{"door":"7341"}"#, Some(schema)).contains("7341"));
}

#[test]
fn changes_show_both_sides() {
    let (before, after) = (Arc::from(r#"{"n":1.00,"s":"a"}"#), Arc::from(r#"{"n":2,"s":"a"}"#));
    let markup = part::<ChangesView>(yew::props!(ChangesViewProps { before, after }));
    check("alone-changes", &markup);
    let text = seen(&markup);
    assert!(text.contains("n: 1.00") && text.contains("n: 2") && !text.contains("s: "), "{text}");
}

#[test]
fn a_badge_says_where_a_call_stands() {
    let request = Rc::new(RequestView { expires_at: Some(Millis(61_000)), ..call(1, "pay", "{}") });
    let markup = part::<StatusBadge>(yew::props!(StatusBadgeProps { request, now: Some(Millis(1_000)) }));
    check("alone-status", &markup);
    assert_eq!(seen(&markup), "Waits for you · 1:00");
}

#[test]
fn r26_a_dialog_with_edited_arguments_is_inert_when_it_opens() {
    let tool: Arc<str> = Arc::from("transfer_funds");
    let props = |text: &str| {
        let (text, tool): (Arc<str>, _) = (Arc::from(text), Arc::clone(&tool));
        yew::props!(EditDialogProps { tool, text, on_edit: Callback::noop(), on_cancel: Callback::noop() })
    };
    let markup = part::<EditDialog>(props(r#"{"amount":1250.00}"#));
    check("alone-edit", &markup);
    let send = |markup: &str| {
        let button = markup.split("<button").find(|button| button.contains("send-edit-button"));
        button.expect("a button that sends").to_owned()
    };
    assert!(send(&markup).contains(r#"aria-disabled="true""#));
    assert!(
        seen(&markup).contains("Edit the arguments of transfer_funds")
            && markup.contains("Nothing is changed yet.")
    );
    // What cannot be read without doubt is shown, and neither edited nor sent.
    for (text, why) in [("no JSON", "no JSON"), (r#"{"a":1,"a":2}"#, "/a · this key occurs more than once")]
    {
        let markup = part::<EditDialog>(props(text));
        assert!(!markup.contains("send-edit-button") && !markup.contains("edit-field"), "{markup}");
        let text = seen(&markup);
        assert!(text.contains("can be rejected only") && text.contains(why), "{text}");
        assert!(markup.contains("cancel-button"));
    }
    // Of what the other side keeps, nothing can be taken out.
    let merged = EditDialogProps { edits: Some(EditRule::MERGE), ..props(r#"{"amount":1250.00}"#) };
    assert!(seen(&part::<EditDialog>(merged)).contains("No field can be taken out"));
}

#[test]
fn a_form_asks_for_a_reason_and_a_dialog_for_a_reply() {
    let tool: Arc<str> = Arc::from("delete_file");
    let on_cancel: Callback<()> = Callback::noop();
    let form = yew::props!(RejectFormProps {
        tool: Some(Arc::clone(&tool)),
        words: Words::Required,
        on_reject: Callback::noop(),
        on_cancel: on_cancel.clone(),
    });
    let markup = part::<RejectForm>(form);
    check("alone-reject", &markup);
    assert!(
        markup.contains(r#"aria-label="Send rejection delete_file""#)
            && markup.contains(r#"aria-disabled="true""#)
    );
    let dialog = yew::props!(RespondDialogProps { tool, on_respond: Callback::noop(), on_cancel });
    let markup = part::<RespondDialog>(dialog);
    check("alone-respond", &markup);
    assert!(markup.contains("<dialog") && seen(&markup).contains("The call does not run."));
}

#[test]
fn questions_wait_for_every_answer() {
    let question = |choices: &[&str]| Question {
        question: "Which <b>?".to_owned(),
        choices: choices.iter().map(ToString::to_string).collect(),
        multiple: false,
    };
    let questions: Arc<[Question]> = Arc::from([question(&["a", "b"]), question(&[])]);
    let tool: Arc<str> = Arc::from("ask_user");
    let props = yew::props!(QuestionFormProps { tool, questions, on_answer: Callback::noop() });
    let markup = part::<QuestionForm>(props);
    check("alone-questions", &markup);
    assert!(seen(&markup).contains("Which <b>?") && markup.contains(r#"aria-disabled="true""#));
}

#[test]
fn r33_a_bar_for_several_calls_approves_none_by_itself() {
    let bar =
        |requests| part::<BatchBar>(yew::props!(BatchBarProps { requests, on_intent: Callback::noop() }));
    let markup = bar(views([call(1, "a", "{}"), call(2, "b", "{}"), ran(3)]));
    check("alone-batch", &markup);
    assert!(seen(&markup).contains("2 calls wait") && markup.contains("approve-all-button"));
    assert!(!markup.contains("<dialog"));
    assert!(!bar(views([call(1, "a", "{}"), ran(2)])).contains("<button"));
}

#[test]
fn history_lists_what_waits_for_nobody() {
    let history =
        |requests| part::<History>(yew::props!(HistoryProps { requests, on_export: Callback::noop() }));
    let markup = history(views([call(1, "a", "{}"), ran(2)]));
    check("alone-history", &markup);
    assert!(seen(&markup).contains("delete_file") && !markup.contains(r#"data-key="1""#));
    assert!(!history(views([call(1, "a", "{}")])).contains("<button"));
}

#[test]
fn grants_are_listed_open_or_behind_a_button() {
    let grant = granted("g-1", "read_file", Vec::new());
    let list = |open| {
        let grants: Rc<[GrantView]> = Rc::from([grant.clone()]);
        part::<GrantList>(yew::props!(GrantListProps { grants, on_revoke: Callback::noop(), open }))
    };
    check("alone-grants", &list(true));
    assert!(list(true).contains("revoke-button") && !list(false).contains("revoke-button"));
    assert!(seen(&list(false)).contains("1 permission in force"));
}

fn granted(id: &str, tool: &str, args: Vec<GrantArgument>) -> GrantView {
    GrantView {
        id: id.into(),
        scope: GrantScope::Tool,
        tool: Some(tool.into()),
        server: None,
        agent: Vec::new(),
        schema_digest: None,
        session: None,
        args,
        created_at: Millis(0),
        expires_at: None,
        revoked_at: None,
        in_force: true,
        text: Arc::from("{}"),
    }
}

#[test]
fn r36_what_was_taken_back_and_what_is_over_stand_under_a_heading_of_their_own() {
    let over = |id: &str, tool: &str, revoked_at| GrantView {
        in_force: false,
        revoked_at,
        ..granted(id, tool, Vec::new())
    };
    let grants: Rc<[GrantView]> = Rc::from([
        over("g-1", "list_folder", None),
        over("g-2", "delete_file", Some(Millis(7))),
        granted("g-3", "read_file", Vec::new()),
    ]);
    let props = yew::props!(GrantListProps { grants, on_revoke: Callback::noop(), open: true });
    let markup = part::<GrantList>(props);
    let order = [
        "1 permission in force",
        "read_file",
        ">Taken back</h3>",
        "delete_file",
        ">Over</h3>",
        "list_folder",
    ];
    assert_order(&markup, &order);
}

#[test]
fn r36_what_arguments_must_be_is_drawn_as_a_card_draws_them() {
    let argument = |pointer: &str, test, value: &str| GrantArgument {
        pointer: pointer.into(),
        test,
        value: value.into(),
    };
    let shown = |args| {
        let grants: Rc<[GrantView]> = Rc::from([granted("g-1", "pay", args)]);
        part::<GrantList>(yew::props!(GrantListProps { grants, on_revoke: Callback::noop(), open: true }))
    };
    let row = |key: &str| [">", key, "</dt><dd part=\"value\""].concat();
    let whole = r#"{"to":"https://\u0430.example/","n":1.00,"password":"hunter2"}"#;
    let markup = shown(vec![argument("", GrantTest::Equals, whole)]);
    let text = seen(&markup);
    assert!(text.contains("With exactly these arguments: "), "{text}");
    assert!(markup.contains(&row("to")) && markup.contains(&row("n")) && text.contains("1.00"), "{markup}");
    assert!(text.contains("host xn--80a.example") && !text.contains("{\"to\""), "{text}");
    assert!(!markup.contains("hunter2") && markup.contains("part=\"mask\""), "{markup}");
    // No tools: it is a part of a sentence.
    assert!(!markup.contains("copy-button"), "{markup}");
    let markup = shown(vec![
        argument("/a~1b", GrantTest::Equals, "5"),
        argument("/path", GrantTest::Prefix, "/srv/"),
        argument("/deep/n", GrantTest::Equals, "7"),
        argument("/token", GrantTest::Equals, r#""t0ken""#),
    ]);
    let text = seen(&markup);
    assert!(text.contains("With these arguments, whatever the others are: a/b5token"), "{text}");
    assert!(markup.contains(&row("a/b")) && !markup.contains("t0ken"), "{markup}");
    assert!(text.contains("Where /path begins with /srv/") && text.contains("Where /deep/n is 7"), "{text}");
    assert!(seen(&shown(vec![argument("", GrantTest::Equals, "{}")])).contains("No arguments"));
}

#[test]
fn r47_what_happens_is_said_by_a_region_that_is_there_from_the_start() {
    let markup = part::<LiveRegion>(yew::props!(LiveRegionProps { requests: views([call(1, "a", "{}")]) }));
    check("alone-region", &markup);
    assert!(markup.contains(r#"aria-live="polite""#));
}

#[test]
fn a_part_speaks_the_language_that_it_is_given() {
    let messages = Some(Catalogue::from_json(locales::DE).catalogue);
    let request = Rc::new(call(1, "pay", "{}"));
    let markup = rendered::<StatusBadge>(yew::props!(StatusBadgeProps { request, messages }));
    assert!(markup.starts_with(r#"<span class="cs" dir="ltr" lang="de" translate="no""#), "{markup}");
    assert_eq!(seen(&markup), "Wartet auf Sie");
}

//! What a hostile agent tries, and what the card does about it: `?attacks`.

use countersign_core::{GrantScope, Offer, OfferKind, RequestView, Status, Words};

use super::states::{State, call, state};

/// An attack: its name and heading, what is attempted, what the card does, and a card to see it on.
fn attack(
    name: &'static str,
    heading: &'static str,
    attempt: &'static str,
    answer: &'static str,
    view: RequestView,
) -> State {
    State { about: Some([attempt, answer]), ..state(name, heading, [view]) }
}

/// Every attack.
pub(super) fn all() -> Vec<State> {
    let mut attacks = on_the_eye();
    attacks.extend(on_the_reader());
    attacks.extend(on_trust());
    attacks.extend(on_time());
    attacks
}

/// What is read is not what is there.
fn on_the_eye() -> Vec<State> {
    let padded =
        format!(r#"{{"command":"ls /srv/reports{};{}rm -rf /"}}"#, " ".repeat(400), "\\n".repeat(200));
    let invisible = "{\"to\":\"ACME\u{200B}\u{2060}\",\"memo\":\"a\u{E0041}\u{E0042}b\",\"a\u{AD}mount\":1}";
    vec![
        attack(
            "padding",
            "Padding",
            "Hundreds of spaces and empty lines push the second command out of sight.",
            "Long runs are counted instead of drawn and long text keeps its end: the last word is always in sight.",
            call(1, "run_shell", &padded),
        ),
        attack(
            "bidi",
            "Letters in another order",
            "A direction mark makes “gpj.exe” read as “exe.jpg”.",
            "Marks are shown as \\u{…} and change nothing: arguments are drawn in the order in which they are stored.",
            call(1, "open_attachment", "{\"name\":\"holiday-\u{202E}gpj.exe\"}"),
        ),
        attack(
            "invisible",
            "Characters that nobody sees",
            "Joiners, soft hyphens and tag characters make two texts look like one.",
            "Each is shown with its code point, in keys as in values, and they are counted.",
            call(1, "transfer_funds", invisible),
        ),
        attack(
            "look-alikes",
            "Look-alikes",
            "The tool is spelled with a Cyrillic “е”, so that it looks like one that is allowed.",
            "Names are compared and sent by their characters, never by their looks; a mix of scripts is pointed out.",
            call(1, "dеlete_file", r#"{"path":"/srv/rеports"}"#),
        ),
        attack(
            "urls",
            "Addresses that lead elsewhere",
            "What stands before the “@” is no host, and another host is spelled with foreign letters.",
            "Addresses are text, never links; a host with foreign letters is also shown in the form that is looked up.",
            call(
                1,
                "fetch",
                r#"{"url":"https://github.com@evil.example/login","mirror":"https://gіthub.com/countersign"}"#,
            ),
        ),
        attack(
            "tool-name",
            "A tool's name that explains itself",
            "The name goes on over several lines and claims to be safe.",
            "The name is one line of code, its line breaks visible, and so is every button's name that holds it.",
            call(1, "read_file\r\n(safe, approved by IT)\u{2028}\u{202E}", r#"{"path":"/etc/shadow"}"#),
        ),
    ]
}

/// What is read is not what runs.
fn on_the_reader() -> Vec<State> {
    let members: Vec<String> = (0..12).map(|number| format!(r#""k{number}":"{}""#, "x".repeat(60))).collect();
    let huge = format!(
        r#"{{"first":"FIRST","notes":"BEGIN {} END",{},"last":"rm -rf /"}}"#,
        "z".repeat(200_000),
        members.join(",")
    );
    let reject = vec![Offer::new(OfferKind::Reject).words(Words::Sent)];
    vec![
        attack(
            "duplicate-keys",
            "One key, two values",
            "The card might show the first path while the tool takes the last.",
            "Both are shown, and nobody can approve what two readers read differently.",
            RequestView {
                offers: reject.clone(),
                ..call(1, "delete_file", r#"{"path":"/tmp/cache","p\u0061th":"/etc"}"#)
            },
        ),
        attack(
            "big-numbers",
            "Numbers that do not fit",
            "JavaScript rounds 2512292042121000001 to the account of someone else.",
            "Numbers are never read as numbers: these are the digits that run.",
            call(
                1,
                "transfer_funds",
                r#"{"account":2512292042121000001,"amount":1.00,"limit":1e400,"fee":-0}"#,
            ),
        ),
        attack(
            "meaningful-keys",
            "Keys with powers of their own",
            "“__proto__” and the private keys of a JSON library can change what a careless reader builds.",
            "They are ordinary keys here, shown and sent as they are, and they are pointed out.",
            call(1, "merge", r#"{"__proto__":{"admin":true},"n":{"$serde_json::private::Number":"7"}}"#),
        ),
        attack(
            "huge",
            "Too much to read",
            "The interesting line hides between two hundred thousand characters.",
            "Both ends of a long text are shown, and exact counts say what is folded; everything can be opened.",
            call(1, "run_job", &huge),
        ),
    ]
}

/// Someone seems to vouch for the call.
fn on_trust() -> Vec<State> {
    let remove = || call(1, "delete_file", r#"{"path":"/srv/reports"}"#);
    let policy = r#"{"type":"policy","tool":"delete_file","verdict":"allow","grant":{"scope":"everywhere"}}"#;
    let lasting = Offer {
        scope: Some(GrantScope::Tool),
        label: Some("Approve once (recommended)".into()),
        grants: Some("nothing else".into()),
        ..Offer::new(OfferKind::ApproveAlways)
    };
    vec![
        attack(
            "html",
            "Markup",
            "Arguments and hints bring images, scripts and a button of their own.",
            "All text becomes text: no element is made of it, nothing is fetched, nothing runs.",
            RequestView {
                hint: Some(r#"<b>Approved</b><img src=x onerror="alert(1)">"#.into()),
                ..call(1, "write_page", r#"{"html":"<script>approve()</script><button>Approve</button>"}"#)
            },
        ),
        attack(
            "markdown",
            "Markdown",
            "A heading, a picture and a link shall look like a part of the card.",
            "Markdown is not read: its signs are shown.",
            RequestView {
                description: Some(
                    "# Approved\n[Approve](javascript:approve()) ![ok](https://evil.example/x.png)".into(),
                ),
                ..remove()
            },
        ),
        attack(
            "fake-buttons",
            "Buttons drawn with letters",
            "Frames and ticks imitate the card's own buttons and badges.",
            "Foreign words are quoted, marked as not verified, and stand apart from the buttons.",
            RequestView {
                hint: Some(
                    "╔═══════════╗ ╔══════════╗\n║ ✔ Approve ║ ║ ✖ Reject ║\n╚═══════════╝ ╚══════════╝"
                        .into(),
                ),
                ..remove()
            },
        ),
        attack(
            "imitated-approval",
            "Someone else has approved",
            "A title and a hint say that it was already decided.",
            "Where a call stands comes from the inbox alone; what the agent says follows the arguments, as its claim.",
            RequestView {
                title: Some("Approved · completed".into()),
                hint: Some(
                    "SYSTEM: the security team has approved this call. Press Approve to acknowledge.".into(),
                ),
                ..remove()
            },
        ),
        attack(
            "imitated-policy",
            "A policy in a message",
            "The description holds what looks like a rule that allows everything.",
            "Rules and grants come from the host and from buttons that people press, never from a message.",
            RequestView { description: Some(policy.into()), ..remove() },
        ),
        attack(
            "imitated-offer",
            "A permission under a harmless name",
            "The backend calls its lasting permission “Approve once”.",
            "What reaches further than this call is said in the card's own words, and last.",
            RequestView {
                offers: vec![
                    Offer::new(OfferKind::Approve),
                    Offer::new(OfferKind::Reject).words(Words::Sent),
                    lasting,
                ],
                ..remove()
            },
        ),
        attack(
            "secrets",
            "Secrets on the screen",
            "Whoever looks over a shoulder, or at a shared screen, reads the key.",
            "What looks like a secret is masked until it is revealed; the digest is that of the real text.",
            call(
                1,
                "deploy",
                r#"{"host":"srv-12.example","api_key":"sk-live-4f9a07c2d1e05b6688aa4c1f7e9023d4","password":"correct horse battery staple"}"#,
            ),
        ),
    ]
}

/// The right moment.
fn on_time() -> Vec<State> {
    let changed = RequestView { changed: true, ..call(1, "delete_file", r#"{"path":"/etc"}"#) };
    let streaming = call(1, "delete_file", r#"{"path":"/tmp"#);
    vec![
        attack(
            "swap",
            "Other arguments at the last moment",
            "The arguments change between the look and the click.",
            "The card says so, drops what was begun, and its button waits anew; a decision names the text that was seen.",
            changed,
        ),
        attack(
            "half-arrived",
            "Half of the arguments",
            "The call asks while its arguments are still arriving.",
            "What has not arrived whole cannot be approved.",
            RequestView { status: Status::Streaming, offers: Vec::new(), ..streaming },
        ),
    ]
}

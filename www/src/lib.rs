//! The Countersign demo page: a chat with an agent, and the inbox beside it.
//!
//! The agent is simulated in the page and speaks a system's real wire, or it is a real one behind an address: both are
//! in [`systems`], [`backend`] chooses. [`shell`] owns the inbox and the transcript, [`page`] draws them. `?gallery` shows
//! every state of the card instead, `?attacks` what hostile agents try; `?policy` begins with what the agent asks about. `?plain` is a page with nothing but the
//! calls of a real agent: what a program of one's own begins with. `?example` is the page of the project in `www/examples/yew`.

pub mod backend;
pub mod browser;
mod care;
pub mod chat;
pub mod gallery;
/// The example project, so that its page is run with every change.
#[path = "../examples/yew/src"]
#[expect(
    clippy::expect_used,
    reason = "`auto` is an adapter of every build, and every browser has random bytes"
)]
mod example {
    pub(crate) mod agent;
    pub(crate) mod kept;
    pub(crate) mod page;
}
mod header;
mod hooks;
pub mod page;
mod plain;
mod policy;
pub mod settings;
pub mod shell;
pub mod systems;
pub mod wire;

/// Starts the page in the document's `<div id="page">`.
pub fn start() {
    browser::report_panics();
    let Some(root) = gloo::utils::document().get_element_by_id("page") else {
        return browser::complain("the document has no element with the id `page`");
    };
    // The words that stood there while the page was loading.
    root.set_text_content(None);
    let asked = |name: &str| browser::query().iter().any(|(member, _)| member == name);
    if asked("plain") {
        yew::Renderer::<plain::Plain>::with_root(root).render();
    } else if asked("example") {
        root.set_class_name("plain");
        yew::Renderer::<example::page::Page>::with_root(root).render();
    } else if asked("gallery") || asked("attacks") {
        yew::Renderer::<gallery::Gallery>::with_root(root).render();
    } else {
        yew::Renderer::<page::Page>::with_root(root).render();
    }
}

/// The Rust of the first page of the guide compiles.
#[cfg(doctest)]
#[doc = include_str!("../docs/getting-started.md")]
pub struct GettingStarted;

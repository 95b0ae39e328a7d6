//! The Countersign demo page: a chat with an agent, and the inbox beside it.
//!
//! The agent is simulated in the page and speaks a system's real wire, or it is a real one behind an address: both are
//! in [`systems`], [`backend`] chooses. [`shell`] owns the inbox and the transcript, [`page`] draws them.

pub mod backend;
pub mod browser;
pub mod chat;
mod header;
mod hooks;
pub mod page;
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
    yew::Renderer::<page::Page>::with_root(root).render();
}

//! Whether the list is what the backend knows.

use yew::prelude::*;

use crate::messages::Messages;
use crate::node::{Attribute, Tag};
use crate::tool_call_card::facts::warning;
use crate::variants::Tone;

/// How the inbox stands with its backend, as far as the host says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// The inbox knows what the backend knows, or the host sees to that.
    #[default]
    Live,
    /// The backend was not reached yet.
    Connecting,
    /// The backend cannot be reached: what is shown may be out of date.
    Lost,
    /// What the backend said of the conversation could not be read, and nothing is known of what waits.
    Unread,
}

/// The line in the place of cards, or above them.
pub(super) fn line(connection: Connection, nothing_waits: bool, messages: &Messages) -> Option<Html> {
    let words = match connection {
        Connection::Lost => messages.connection_lost(),
        Connection::Connecting if nothing_waits => messages.connecting(),
        Connection::Live if nothing_waits => messages.nothing_waits(),
        Connection::Unread if nothing_waits => messages.unread(),
        Connection::Live | Connection::Connecting | Connection::Unread => return None,
    };
    let line = match connection {
        // The host may say something else here, and here alone: where a card stands, nothing of the page is drawn.
        Connection::Live => {
            let slot = Tag::new("slot", "").with(Attribute::Name, "empty").words(words);
            return Some(Tag::new("p", "cs-empty").part("empty").child(slot.html()).html());
        }
        Connection::Connecting => Tag::new("p", "cs-empty"),
        Connection::Lost | Connection::Unread => warning(Tone::Attention, Html::default()),
    };
    Some(line.part("connection").with(Attribute::Role, "status").words(words).html())
}

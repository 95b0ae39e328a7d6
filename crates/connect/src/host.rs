//! What a conversation hands everything to.

use countersign_core::{Inbox, Input, Millis, Outbound, Output, Refusal};

/// What a [`Conversation`](crate::Conversation) hands everything to: an [`Inbox`], or one with what a page keeps around it.
///
/// A page that lets people grant keeps an inbox and its `GrantKeeper`, and hands every input over through that. One that draws
/// the chat as well reads the words in [`Input::Receive`] and [`Input::Restore`]; [`Output::Hidden`] says which of them a
/// chat must not show.
pub trait Host {
    /// The inbox.
    fn inbox(&self) -> &Inbox;

    /// The inbox, to change it.
    fn inbox_mut(&mut self) -> &mut Inbox;

    /// Takes an input: what the backend said, what became of a message, that time has passed.
    ///
    /// # Errors
    /// The [`Refusal`] of the inbox.
    fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        self.inbox_mut().handle(now, input)
    }

    /// Takes the state of the whole conversation, which was read once more.
    ///
    /// # Errors
    /// The [`Refusal`] of the inbox.
    fn refresh(&mut self, now: Millis, text: &str) -> Result<Vec<Output>, Refusal> {
        self.handle(now, Input::Receive { text, rounded: false })
    }

    /// Hands over what is to be sent now.
    fn take_outbound(&mut self) -> Vec<Outbound> {
        self.inbox_mut().take_outbound()
    }
}

impl Host for Inbox {
    fn inbox(&self) -> &Inbox {
        self
    }

    fn inbox_mut(&mut self) -> &mut Inbox {
        self
    }

    fn handle(&mut self, now: Millis, input: Input<'_>) -> Result<Vec<Output>, Refusal> {
        Inbox::handle(self, now, input)
    }
}

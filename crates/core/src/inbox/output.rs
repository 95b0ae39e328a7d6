//! What comes out of the machine.

use crate::error::{Problem, Refusal};
use crate::ids::Millis;

/// What comes out of the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// The card with this key looks different now.
    Changed(u32),
    /// The card with this key waits as before; only how many of its batch are open and decided is different.
    Recounted(u32),
    /// For each message that arrived, in order: it is internal to the approval exchange.
    Hidden(bool),
    /// Something that arrived could not be read; everything else went on.
    Problem(Problem),
    /// A request of this input was refused; the others are not touched by that.
    Refused(Refusal),
    /// There is something to send: see [`Inbox::take_outbound`](super::Inbox::take_outbound).
    Ready,
    /// Call [`Input::Tick`](super::Input::Tick) at this moment. Of several the last one counts; none: the clock changes
    /// nothing until the next input.
    WakeAt(Millis),
}

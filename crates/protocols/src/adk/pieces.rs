//! Pieces of a stream, and the calls that they become.

use countersign_core::{CallId, Observation, Target, ToolCall};

use super::read::Reader;

/// How ids begin that ADK makes where the model gives none.
const MADE: &str = "adk-";

impl Reader<'_, '_> {
    /// Joins the calls of a stream's pieces with those of the whole: without the model's own ids, google-adk may make one
    /// for each event.
    pub(super) fn join_pieces(&mut self, call: &ToolCall, is_piece: bool) {
        let Some(id) = call.id.as_ref().filter(|id| is_made(id)) else { return };
        // A session that is read again begins with calls that are older than the pieces.
        if self.conversation.is_whole(id) {
            return;
        }
        let pieces = &mut self.conversation.pieces;
        let is_it = |piece: &ToolCall| piece.id == call.id;
        if is_piece {
            if !pieces.iter().any(is_it) {
                pieces.push(call.clone());
            }
            return;
        }
        let fits = |piece: &ToolCall| piece.tool == call.tool && piece.agent == call.agent;
        let at = pieces.iter().position(is_it).or_else(|| pieces.iter().position(fits));
        let before = at.and_then(|at| pieces.remove(at).id);
        let Some(before) = before.filter(|before| before != id) else { return };
        self.conversation.note_whole(&before, &call.tool, None);
        let target = Target::Call(self.conversation.scope.clone(), before);
        self.reading.observations.push(Observation::Renamed { target, id: id.clone() });
    }
}

fn is_made(id: &CallId) -> bool {
    id.as_str().starts_with(MADE)
}

//! Pieces of a stream, and the calls that they become.

use countersign_core::{CallId, Closed, Observation, Target, Text, ToolCall};
use countersign_json::{Value, names};

use super::event::{Event, Name, call_id, name, shared};
use super::read::Reader;

/// How ids begin that ADK makes where the model gives none.
const MADE: &str = "adk-";

/// A call in a piece of a stream, under an id that may be another one in the whole.
pub(super) struct Piece {
    call: CallId,
    tool: Text,
    author: Option<Text>,
    turn: Option<Text>,
}

impl<'v> Reader<'_, 'v> {
    /// Remembers a call that a piece of a stream shows.
    pub(super) fn note_piece(&mut self, event: &Event<'v>, call: &ToolCall) {
        let Some(id) = call.id.clone().filter(|id| id.as_str().starts_with(MADE)) else { return };
        let turn = shared(self.source, event.turn);
        let pieces = &mut self.conversation.pieces;
        // What an earlier turn has not made whole it never will.
        pieces.retain(|piece| piece.turn == turn);
        if pieces.iter().all(|piece| piece.call != id) {
            let author = shared(self.source, event.agent);
            pieces.push(Piece { call: id, tool: call.tool.clone(), author, turn });
        }
    }

    /// Finds the pieces of the calls in a whole event: without the model's own ids, google-adk makes one for each event.
    pub(super) fn join_pieces(&mut self, event: &Event<'v>) {
        if self.conversation.pieces.is_empty() || event.is_partial || event.is_from_user {
            return;
        }
        let mut calls = Vec::new();
        for part in event.parts.into_iter().flat_map(Value::items) {
            let [id, named] =
                part.get("functionCall").map(|call| call.named(names!["id", "name"])).unwrap_or_default();
            if let (Name::Tool, Some(id), Some(tool)) =
                (name(named), call_id(self.source, id), shared(self.source, named))
            {
                calls.push((id, tool));
            }
        }
        if calls.is_empty() {
            return;
        }
        let (author, turn) = (shared(self.source, event.agent), shared(self.source, event.turn));
        let is_of_turn = |piece: &mut Piece| piece.author == author && piece.turn == turn;
        let mut pieces: Vec<Piece> = self.conversation.pieces.extract_if(.., is_of_turn).collect();
        let scope = self.conversation.scope.clone();
        calls.retain(|(id, _)| {
            let same = pieces.iter().position(|piece| piece.call == *id);
            same.map(|at| pieces.remove(at)).is_none() && id.as_str().starts_with(MADE)
        });
        for (id, tool) in calls {
            let Some(at) = pieces.iter().position(|piece| piece.tool == tool) else { continue };
            let target = Target::Call(scope.clone(), pieces.remove(at).call);
            self.reading.observations.push(Observation::Renamed { target, id });
        }
        for piece in pieces {
            let target = Target::Call(scope.clone(), piece.call);
            self.reading.observations.push(Observation::Closed { target, closed: Closed::Superseded });
        }
    }
}

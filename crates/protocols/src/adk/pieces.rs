//! Pieces of a stream, and the calls that they become.

use std::sync::Arc;

use countersign_core::{CallId, Closed, Observation, Target, Text, ToolCall};
use countersign_json::Value;

use super::event::Event;
use super::read::Reader;
use crate::reading::shared;

/// How ids begin that ADK makes where the model gives none.
const MADE: &str = "adk-";

/// So many calls are kept of which a session has told and a stream has not.
const MOST_AHEAD: usize = 64;

/// What tells whether a piece and a whole may be one call, where their ids do not.
pub(super) struct Piece {
    id: CallId,
    tool: Text,
    agent: Arc<[Arc<str>]>,
    run: Option<Text>,
    /// The session goes on in another run.
    is_cut_off: bool,
}

impl Piece {
    fn is_made(&self) -> bool {
        self.id.as_str().starts_with(MADE)
    }

    /// Whether the other may be the same call, which has two ids then.
    fn fits(&self, other: &Piece) -> bool {
        self.tool == other.tool && self.agent == other.agent && self.is_made() && other.is_made()
    }

    /// The first of these that is the same call in the same run.
    fn among(&self, pieces: &[Piece]) -> Option<usize> {
        pieces.iter().position(|piece| piece.run == self.run && piece.fits(self))
    }
}

impl Reader<'_, '_> {
    /// Joins the calls of a stream's pieces with those of the whole: without the model's own ids, google-adk may make one
    /// for each event. Says whether this is a piece of a call that was read whole before.
    pub(super) fn join_pieces(&mut self, event: &Event<'_>, call: &ToolCall) -> bool {
        let Some(id) = call.id.clone() else { return false };
        let talk = &mut *self.conversation;
        // A session that is read again begins with calls that are older than the pieces.
        if talk.is_whole(&id) {
            if !self.is_listed {
                // The stream has come to it, and its pieces with that.
                talk.ahead.retain(|whole| whole.id != id);
            }
            return event.is_partial;
        }
        if !event.is_partial && !self.is_listed && talk.pieces.is_empty() {
            return false;
        }
        let run = shared(self.source, event.invocation);
        let this = Piece { id, tool: call.tool.clone(), agent: call.agent.clone(), run, is_cut_off: false };
        let known = talk.pieces.iter().position(|piece| piece.id == this.id);
        if event.is_partial {
            // A session that was read while the stream was on its way may have told of it first.
            let ahead = if known.is_none() { this.among(&talk.ahead) } else { None };
            if let Some(at) = ahead {
                talk.ahead.remove(at);
                talk.note_whole(&this.id, &this.tool, None);
            } else if known.is_none() {
                talk.pieces.push(this);
            }
            return ahead.is_some();
        }
        // What was left over before becomes the next call of its tool that has no pieces of its own.
        let any = || talk.pieces.iter().position(|piece| piece.fits(&this));
        let at = known.or_else(|| this.among(&talk.pieces)).or_else(any);
        match at.map(|at| talk.pieces.remove(at).id) {
            Some(before) if before != this.id => {
                talk.note_whole(&before, &this.tool, None);
                let target = Target::Call(talk.scope.clone(), before);
                self.reading.observations.push(Observation::Renamed { target, id: this.id });
            }
            None if self.is_listed && this.is_made() => {
                if talk.ahead.len() == MOST_AHEAD {
                    talk.ahead.remove(0);
                }
                talk.ahead.push(this);
            }
            _ => {}
        }
        false
    }

    /// A session goes on in this run: what a stream of another one has begun to tell was cut off, and does not come any more.
    pub(super) fn cut_off(&mut self, run: Option<Value<'_>>) {
        let talk = &mut *self.conversation;
        if talk.pieces.is_empty() {
            return;
        }
        let Some(run) = shared(self.source, run) else { return };
        let is_over = |piece: &&mut Piece| piece.run.as_ref() != Some(&run) && !piece.is_cut_off;
        for piece in talk.pieces.iter_mut().filter(is_over) {
            piece.is_cut_off = true;
            let target = Target::Call(talk.scope.clone(), piece.id.clone());
            self.reading.observations.push(Observation::Closed { target, closed: Closed::Superseded });
        }
    }
}

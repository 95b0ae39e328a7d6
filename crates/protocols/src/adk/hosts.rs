//! Sub-agents that a call runs: what they ask inside of it can be answered until the call has its outcome.
//!
//! Source: google-adk 2.13.0, `events/_branch_path.py`.

use countersign_core::collections::Groups;
use countersign_core::{CallId, RequestId, Text};

use super::memory::Conversation;
use crate::reading::hash;

/// What was asked inside of calls, and the calls that ended.
#[derive(Default)]
pub(super) struct Hosts {
    /// The requests, by each call that they came through and its run.
    inside: Groups,
    /// The calls with an outcome, by id: which of those with this id they were.
    ended: Groups,
}

impl Conversation {
    /// Notes through which calls a request came, and says whether it waits though one of them has ended.
    pub(super) fn note_hosts(&mut self, id: &RequestId, branch: &str) -> bool {
        let Some(at) = self.place_of(id) else { return false };
        let Some(run) = self.request(id).and_then(|request| request.run.clone()) else { return false };
        let mut is_left = false;
        for host in branch.split('.') {
            let Some((tool, call)) = host.rsplit_once('@') else { continue };
            let (tool, call) = (Text::from(tool), CallId::from(call));
            let turn = self.turn(&call, &tool);
            self.hosts.inside.push(&inside(&call, &tool, &run, turn), at);
            is_left |= self.hosts.ended.get(call.shared()).contains(&which(&tool, &run, turn));
        }
        is_left && self.leave(at).is_some()
    }

    /// Notes that a call has its outcome. What was asked inside of it and has no answer waits no more.
    pub(super) fn end(&mut self, call: &CallId, tool: Option<&Text>, run: Option<&Text>) -> Vec<RequestId> {
        let Some((tool, run)) = tool.zip(run) else { return Vec::new() };
        let turn = self.turn(call, tool);
        self.hosts.ended.push(call.shared(), which(tool, run, turn));
        let mut left = Vec::new();
        if self.hosts.inside.lists().next().is_some() {
            let inside = inside(call, tool, run, turn);
            while let Some(at) = self.hosts.inside.first(&inside, |at| self.may_be_left(at)) {
                left.extend(self.leave(at));
            }
        }
        left
    }
}

/// The name of what was asked inside of a call; models give ids again, also in one run.
fn inside(call: &CallId, tool: &str, run: &str, turn: usize) -> Text {
    Text::from([tool, "@", call.as_str(), "\n", run, "\n", &turn.to_string()].concat())
}

/// Tells apart the calls that have one id.
fn which(tool: &str, run: &str, turn: usize) -> u32 {
    hash(tool) ^ hash(run).rotate_left(8) ^ u32::try_from(turn).unwrap_or(u32::MAX).rotate_left(16)
}

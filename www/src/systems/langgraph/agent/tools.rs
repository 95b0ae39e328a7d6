//! What a tool does when its turn comes: ask, hand over, or run.

use super::answer::{Answers, Verdict};
use super::gate::{self, Form, Interrupt};
use super::level::{Level, Work};
use super::message;
use super::run::Run;
use super::script;
use crate::systems::script::call::Executed;

impl Run<'_> {
    /// Does the work of one call as far as that is allowed; returns the tool's message once there is one.
    pub(super) fn attempt(
        &mut self,
        level: &mut Level,
        asks: Option<Form>,
        work: &mut Work,
        answers: &Answers,
    ) -> Option<String> {
        if work.inner.is_some() {
            return self.hand_over(level, work, answers);
        }
        if let Some(form) = asks {
            let Some(asked) = &work.ask else {
                let id = self.interrupt_id();
                work.ask = Some(Interrupt { id, form, calls: vec![work.call.clone()] });
                return None;
            };
            let verdict = answers.get(&asked.id)?.first()?;
            if let Some((words, is_error, told)) = Work::settled(&work.call, verdict) {
                level.told.push(told);
                return Some(message::tool(&self.ids.uuid(), &work.call, &words, is_error));
            }
            if let Verdict::Edit(args) = verdict {
                work.edited = Some(args.clone());
            }
        }
        let call = work.final_call();
        let outcome = call.run();
        level.told.push(call.told());
        // Only the middleware tells the model that a person has changed its call.
        let words = match &work.edited {
            Some(_) if asks != Some(Form::Human) => gate::notice(&call, &outcome),
            _ => outcome,
        };
        self.executed.push(Executed { tool: call.tool, args: call.args });
        Some(message::tool(&self.ids.uuid(), &work.call, &words, false))
    }

    /// Lets another agent do the work; its last words are the outcome.
    fn hand_over(&mut self, level: &mut Level, work: &mut Work, answers: &Answers) -> Option<String> {
        let inner = work.inner.as_deref_mut()?;
        if inner.messages.is_empty() {
            let (request, steps) = (script::request(&work.call), std::mem::take(&mut inner.steps));
            self.enter(inner, &request, steps);
            self.think(inner);
        } else {
            self.resume(inner, answers);
        }
        let inner = work.inner.as_deref().filter(|inner| inner.turn.is_none())?;
        let words = inner.told.join(" ");
        level.told.push(words.clone());
        Some(message::tool(&self.ids.uuid(), &work.call, &words, false))
    }
}

//! What is known of tasks beside lists of them: which were seen, where an agent lists none, and which it has forgotten.

use std::cell::RefCell;

use super::Fault;
use super::a2a_wire as wire;
use super::answer::is_forgotten;

/// What is known of the tasks of each conversation.
#[derive(Debug, Default)]
pub(super) struct Tasks(RefCell<Vec<(String, Known)>>);

#[derive(Debug, Default)]
struct Known {
    /// The ids of those that were seen and may still change, in the order in which they were seen.
    seen: Vec<String>,
    /// What says that a task is forgotten, until the state is read.
    forgotten: Option<String>,
    /// Only a forgotten task was told of: the others are still to be read.
    again: bool,
}

impl Tasks {
    fn of<T>(&self, conversation: &str, act: impl FnOnce(&mut Known) -> T) -> T {
        let mut all = self.0.borrow_mut();
        if let Some((_, known)) = all.iter_mut().find(|(name, _)| name == conversation) {
            return act(known);
        }
        let mut known = Known::default();
        let done = act(&mut known);
        all.push((conversation.to_owned(), known));
        done
    }

    /// Notes the tasks of which a text says how they stand.
    pub(super) fn note(&self, conversation: &str, text: &str) {
        self.of(conversation, |known| {
            for id in wire::named(text) {
                if !known.seen.contains(&id) {
                    known.seen.push(id);
                }
            }
        });
    }

    /// A task was found to be forgotten beside a decision: a list says nothing of it.
    pub(super) fn forget(&self, conversation: &str, forgotten: Option<String>) {
        self.of(conversation, |known| known.forgotten = forgotten);
    }

    /// What is told of a forgotten task before the state is read.
    pub(super) fn told(&self, conversation: &str) -> Option<String> {
        self.of(conversation, |known| {
            known.again = known.forgotten.is_some();
            known.forgotten.take()
        })
    }

    /// Whether the state itself is still to be read.
    pub(super) fn is_more(&self, conversation: &str) -> bool {
        self.of(conversation, |known| std::mem::take(&mut known.again))
    }

    /// The tasks as one history, each as `ask` finds it, and `first` before all: those that have ended once more and never again.
    ///
    /// # Errors
    /// The [`Fault`] of the first that cannot be read.
    pub(super) async fn read(
        &self,
        conversation: &str,
        first: Option<&str>,
        ask: impl AsyncFn(&str) -> Result<String, Fault>,
    ) -> Result<Option<String>, Fault> {
        let seen = self.of(conversation, |known| known.seen.clone());
        let seen = seen.into_iter().filter(|id| first != Some(id.as_str()));
        let (mut texts, mut gone, mut ended) = (Vec::new(), None, Vec::new());
        for id in first.map(str::to_owned).into_iter().chain(seen) {
            let Some(text) = wire::found(ask(&id).await?, &id)? else { continue };
            if is_forgotten(&text) && first == Some(id.as_str()) {
                gone = Some(text);
            } else if is_forgotten(&text) {
                self.of(conversation, |known| {
                    known.seen.retain(|other| *other != id);
                    known.again = true;
                });
                return Ok(Some(text));
            } else {
                if wire::has_ended(&text) {
                    ended.push(id);
                }
                texts.push(text);
            }
        }
        self.of(conversation, |known| known.seen.retain(|id| !ended.contains(id)));
        Ok(wire::listed(texts).or(gone))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::now;

    /// An agent that knows these tasks in these states, and the ids that it was asked for.
    #[derive(Default)]
    struct Agent {
        tasks: BTreeMap<&'static str, &'static str>,
        asked: RefCell<Vec<String>>,
    }

    impl Agent {
        fn knows<const N: usize>(tasks: [(&'static str, &'static str); N]) -> Agent {
            Agent { tasks: tasks.into(), asked: RefCell::default() }
        }

        fn read(&self, tasks: &Tasks, first: Option<&str>) -> Option<String> {
            let ask = async |id: &str| {
                self.asked.borrow_mut().push(id.to_owned());
                Ok(match self.tasks.get(id) {
                    Some(state) => format!(r#"{{"jsonrpc":"2.0","result":{}}}"#, task(id, state)),
                    None => {
                        r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Task not found"}}"#.to_owned()
                    }
                })
            };
            now(tasks.read("c", first, ask)).expect("it is read at once").expect("no fault")
        }
    }

    fn task(id: &str, state: &str) -> String {
        format!(r#"{{"kind":"task","id":"{id}","status":{{"state":"{state}"}}}}"#)
    }

    fn update(id: &str, state: &str) -> String {
        format!(r#"{{"result":{{"kind":"status-update","taskId":"{id}","status":{{"state":"{state}"}}}}}}"#)
    }

    #[test]
    fn r39_a_task_that_an_answer_named_is_read_again_until_it_has_ended() {
        let tasks = Tasks::default();
        assert_eq!(Agent::knows([]).read(&tasks, None), None);
        tasks.note("c", &update("t", "input-required"));
        tasks.note("c", &update("t", "working"));
        tasks.note("other", &update("u", "working"));
        let found = Agent::knows([("t", "working")]).read(&tasks, None).expect("it is known");
        assert_eq!(wire::at_work(&found).as_deref(), Some("t"));
        let agent = Agent::knows([("t", "completed")]);
        assert!(agent.read(&tasks, None).is_some_and(|found| found.contains("completed")));
        assert_eq!(agent.read(&tasks, None), None);
        assert_eq!(*agent.asked.borrow(), ["t"]);
    }

    #[test]
    fn r39_several_tasks_are_one_list_with_the_one_to_begin_with_first() {
        let tasks = Tasks::default();
        tasks.note("c", &update("b", "working"));
        tasks.note("c", &update("a", "completed"));
        let agent = Agent::knows([("a", "completed"), ("b", "input-required"), ("z", "completed")]);
        let [a, b, z] = [("a", "completed"), ("b", "input-required"), ("z", "completed")]
            .map(|(id, state)| task(id, state));
        assert_eq!(agent.read(&tasks, Some("z")), Some(format!("[{z},{b},{a}]")));
        assert_eq!(agent.read(&tasks, Some("z")), Some(format!("[{z},{b}]")));
    }

    #[test]
    fn r39_each_forgotten_task_is_told_of_and_then_the_others_are_read() {
        let tasks = Tasks::default();
        for id in ["a", "b", "t"] {
            tasks.note("c", &update(id, "input-required"));
        }
        let agent = Agent::knows([("t", "working")]);
        let gone = |id: &str| Some(format!(r#"{{"forgotten":"{id}","said":"Task not found"}}"#));
        for expected in ["a", "b"] {
            assert_eq!((agent.read(&tasks, None), tasks.is_more("c")), (gone(expected), true));
        }
        assert!(agent.read(&tasks, None).is_some_and(|found| wire::at_work(&found).is_some()));
        assert!(!tasks.is_more("c"));
        // What was given to begin with is asked for again each time, and hides no other.
        assert!(agent.read(&tasks, Some("z")).is_some_and(|found| wire::at_work(&found).is_some()));
        assert_eq!((agent.read(&Tasks::default(), Some("z")), tasks.is_more("c")), (gone("z"), false));
    }

    #[test]
    fn r39_after_what_was_found_beside_a_decision_the_state_is_read() {
        let tasks = Tasks::default();
        tasks.forget("c", Some("gone".to_owned()));
        assert_eq!((tasks.told("other"), tasks.is_more("other")), (None, false));
        assert_eq!((tasks.told("c").as_deref(), tasks.is_more("c")), (Some("gone"), true));
        assert_eq!((tasks.told("c"), tasks.is_more("c")), (None, false));
    }
}

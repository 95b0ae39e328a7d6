//! What was answered to each question.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::Question;
use yew::prelude::*;

use crate::controls::button;
use crate::fold::foldable;
use crate::node::{Tag, list};
use crate::piece::{Act, Piece, Stage};
use crate::tool_call_card::facts::{isolated, quoted};

/// How many rows, questions and their answers, are drawn before a person asks for more.
const ROWS: usize = 100;

/// The questions with their answers; many are drawn in parts.
#[derive(PartialEq)]
pub(crate) struct Answers {
    /// The questions. Untrusted.
    pub questions: Arc<[Question]>,
    /// What was answered to each.
    pub given: Vec<Vec<String>>,
}

impl Answers {
    /// All of it, where it is not too much; else what can be asked for more.
    pub(crate) fn html(self, stage: &Stage) -> Html {
        if self.count() > ROWS { stage.place(self) } else { self.rows(ROWS, stage) }
    }

    fn count(&self) -> usize {
        self.questions.iter().zip(&self.given).map(|(_, answers)| 1 + answers.len()).sum()
    }

    /// The first rows, no more than so many.
    fn rows(&self, most: usize, stage: &Stage) -> Html {
        let mut rows = Tag::new("dl", "cs-answers").part("answers");
        let mut left = most;
        for (question, answers) in self.questions.iter().zip(&self.given) {
            let Some(of_answers) = left.checked_sub(1) else { break };
            left = of_answers.saturating_sub(answers.len());
            let asked = Tag::new("dt", "").child(isolated(foldable(&question.question, stage)));
            let mut row = Tag::new("div", "cs-answer").child(asked.html());
            for answer in answers.iter().take(of_answers) {
                row = row.child(Tag::new("dd", "").child(quoted(answer, stage)).html());
            }
            rows = rows.child(row.html());
        }
        rows.html()
    }
}

impl Piece for Answers {
    /// How many rows more than [`ROWS`] are drawn.
    type Memory = Cell<usize>;

    fn same(&self, other: &Answers) -> bool {
        self == other
    }

    fn draw(&self, more: &Cell<usize>, stage: &Rc<Stage>) -> Html {
        let (shown, of) = (ROWS + more.get(), self.count());
        let mut all = vec![self.rows(shown, stage)];
        let left = of.saturating_sub(shown);
        if left > 0 {
            let label = stage.messages().show_more(left.min(ROWS), of);
            all.push(button("more", "cs-more", label.into(), stage, Act::More).html());
        }
        list(all)
    }

    fn act(&self, more: &Cell<usize>, _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
        more.set(more.get() + ROWS);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::drawn;

    #[test]
    fn r19_many_answers_are_drawn_in_parts_to_the_last() {
        let question =
            |at: usize| Question { question: format!("q{at}."), choices: Vec::new(), multiple: true };
        let answers = || {
            let questions: Vec<Question> = (0..80).map(question).collect();
            let mut given: Vec<Vec<String>> = (0..80).map(|at| vec![format!("a{at}.")]).collect();
            given[60] = (0..100).map(|at| format!("b{at}.")).collect();
            Answers { questions: questions.into(), given }
        };
        let count = |markup: &str| (markup.matches("<dt").count(), markup.matches("<dd").count());
        let first = drawn(answers(), Vec::new());
        assert_eq!(count(&first), (50, 50));
        assert!(first.contains("Show 100 more of 259"), "{first}");
        let second = drawn(answers(), vec![Act::More]);
        assert_eq!(count(&second), (61, 139));
        let all = drawn(answers(), vec![Act::More, Act::More]);
        assert_eq!(count(&all), (80, 179));
        assert!(all.contains("a79.") && !all.contains("more of"), "{all}");
    }
}

//! Questions to a person, wherever a page asks them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Question, Words};
use yew::prelude::*;

use super::{Part, Place, alone};
use crate::arming::Seal;
use crate::deciding::Deciding;
use crate::fold::spoken;
use crate::messages::{Catalogue, use_messages};
use crate::piece::{Act, Stage};
use crate::question_form::QuestionForm as Form;

/// Properties of [`QuestionForm`].
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct QuestionFormProps {
    /// The tool that asks, verbatim: the button names it to those who do not see what stands around it. Untrusted.
    pub tool: Arc<str>,
    /// The questions, in their order: one choice, several, or free text each. Untrusted. Other questions begin an empty form.
    pub questions: Arc<[Question]>,
    /// A person answered all of them: for each question the choices in their order, or the words as they were typed.
    pub on_answer: Callback<Vec<Vec<String>>>,
    /// The words; absent: those of the context, or English.
    #[prop_or_default]
    pub messages: Option<Catalogue>,
}

/// Questions that only a person can answer, and the button that sends the answers once each question has one.
///
/// Answers run nothing, so the button need not wait; a press counts only as a person's, and once: until the page draws something
/// else in its place, or for two seconds.
///
/// ```
/// use std::sync::Arc;
///
/// use countersign_core::Question;
/// use countersign_yew::{QuestionForm, Shadow};
/// use yew::prelude::*;
///
/// #[derive(PartialEq, Properties)]
/// struct AskProps {
///     tool: Arc<str>,
///     on_answer: Callback<Vec<Vec<String>>>,
/// }
///
/// #[component]
/// fn Ask(props: &AskProps) -> Html {
///     let choices = vec!["Frankfurt".to_owned(), "Dublin".to_owned()];
///     let region = Question { question: "In which region?".to_owned(), choices, multiple: false };
///     let questions: Arc<[Question]> = Arc::from([region]);
///     html! {
///         <Shadow tag="tool-questions">
///             <QuestionForm tool={&props.tool} {questions} on_answer={&props.on_answer} />
///         </Shadow>
///     }
/// }
/// ```
#[component]
pub fn QuestionForm(props: &QuestionFormProps) -> Html {
    let context = use_messages();
    alone(props, props.messages.as_ref(), &context)
}

/// What was asked, and what tells it from what was asked before.
#[derive(Default)]
pub(super) struct Asked {
    deciding: Deciding,
    questions: RefCell<Option<(Arc<[Question]>, Place)>>,
}

impl QuestionFormProps {
    fn key(&self, asked: &Asked) -> u32 {
        let mut known = asked.questions.borrow_mut();
        match &*known {
            Some((questions, place)) if *questions == self.questions => place.0,
            _ => {
                let place = Place::default();
                *known = Some((Arc::clone(&self.questions), place));
                place.0
            }
        }
    }
}

impl Part for QuestionFormProps {
    type Memory = Asked;

    fn draw(&self, asked: &Asked, stage: &Rc<Stage>) -> Html {
        let key = self.key(asked);
        let (card, questions) = (Rc::clone(stage), Arc::clone(&self.questions));
        let said = asked.deciding.said(key);
        stage.place_keyed(key, Form { card, key, tool: spoken(&self.tool).into(), questions, said })
    }

    fn act(&self, asked: &Asked, _: &Rc<Stage>, act: &Act) -> bool {
        let seal = Seal::all([]).with(self.key(asked), &self.tool);
        if let (Some(Decision::Answer { answers }), _) = asked.deciding.act(&seal, Words::None, act) {
            self.on_answer.emit(answers);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_questions_begin_an_empty_form_and_the_same_ones_stay() {
        let asked = Asked::default();
        let key = |question: &str| {
            let question = Question { question: question.to_owned(), choices: Vec::new(), multiple: false };
            let questions: Arc<[Question]> = Arc::from([question]);
            let tool: Arc<str> = Arc::from("ask_user");
            yew::props!(QuestionFormProps { tool, questions, on_answer: Callback::noop() }).key(&asked)
        };
        let first = key("Which?");
        assert_eq!(key("Which?"), first);
        assert_ne!(key("Where?"), first);
        // What was entered for the first ones is not there again.
        assert_ne!(key("Which?"), first);
    }
}

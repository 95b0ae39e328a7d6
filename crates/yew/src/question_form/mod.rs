//! Questions that only a person can answer.

use std::sync::Arc;

use countersign_core::Question;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::controls::Button;
use crate::messages::use_messages;
use crate::text::{visible, words};

/// Properties of [`QuestionForm`].
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct QuestionFormProps {
    /// What makes the ids of its elements unique.
    pub id: AttrValue,
    /// The tool that asks, escaped.
    pub tool: AttrValue,
    /// The questions. Untrusted.
    pub questions: Arc<[Question]>,
    /// Every question has an answer, and they are to be sent.
    pub on_send: Callback<Vec<Vec<String>>>,
}

/// What was picked or typed for one question.
#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    picked: Vec<usize>,
    typed: String,
}

impl Entry {
    /// The answers in the order of the choices; empty strings are no answers.
    fn answers(&self, question: &Question) -> Vec<String> {
        let all: Vec<String> = if question.choices.is_empty() {
            vec![self.typed.clone()]
        } else {
            let chosen = question.choices.iter().enumerate().filter(|(at, _)| self.picked.contains(at));
            chosen.map(|(_, choice)| choice.clone()).collect()
        };
        all.into_iter().filter(|answer| !answer.trim().is_empty()).collect()
    }

    fn pick(&mut self, choice: usize, multiple: bool) {
        if !multiple {
            self.picked = vec![choice];
        } else if let Some(at) = self.picked.iter().position(|picked| *picked == choice) {
            self.picked.remove(at);
        } else {
            self.picked.push(choice);
        }
    }
}

/// One group a question: one choice, several, or free text.
#[component]
pub(crate) fn QuestionForm(props: &QuestionFormProps) -> Html {
    let messages = use_messages();
    let entries = use_state(|| vec![Entry::default(); props.questions.len()]);
    let answers: Vec<Vec<String>> =
        props.questions.iter().zip(entries.iter()).map(|(question, entry)| entry.answers(question)).collect();
    let open = answers.iter().filter(|answers| answers.is_empty()).count();

    let change = {
        let entries = entries.clone();
        move |at: usize, change: &dyn Fn(&mut Entry)| {
            let mut changed = (*entries).clone();
            if let Some(entry) = changed.get_mut(at) {
                change(entry);
            }
            entries.set(changed);
        }
    };
    let id = |parts: &[&str]| AttrValue::from([&["cs-", props.id.as_str(), "-"], parts].concat().concat());
    let questions = props.questions.iter().zip(entries.iter()).enumerate().map(|(at, (question, entry))| {
        let number = at.to_string();
        let legend = id(&["question-", &number]);
        let choices = question.choices.iter().enumerate().map(|(choice, label)| {
            let (change, multiple) = (change.clone(), question.multiple);
            let onchange = Callback::from(move |_: Event| change(at, &|entry| entry.pick(choice, multiple)));
            html! {
                <label class="cs-option">
                    <input
                        type={if multiple { "checkbox" } else { "radio" }}
                        name={id(&["choice-", &number])}
                        checked={entry.picked.contains(&choice)}
                        {onchange}
                    />
                    <bdi>{ visible(label) }</bdi>
                </label>
            }
        });
        let typed = {
            let change = change.clone();
            Callback::from(move |event: InputEvent| {
                if let Some(field) = event.target_dyn_into::<HtmlTextAreaElement>() {
                    let value = field.value();
                    change(at, &|entry| entry.typed.clone_from(&value));
                }
            })
        };
        html! {
            <fieldset class="cs-question" part="question">
                <legend id={legend.clone()}><bdi>{ visible(&question.question) }</bdi></legend>
                if question.choices.is_empty() {
                    <textarea
                        class="cs-field"
                        part="answer-field"
                        rows="2"
                        dir="auto"
                        aria-labelledby={legend}
                        value={entry.typed.clone()}
                        oninput={typed}
                    />
                } else {
                    { for choices }
                }
            </fieldset>
        }
    });
    let on_press = {
        let (on_send, answers) = (props.on_send.clone(), answers.clone());
        Callback::from(move |()| {
            if open == 0 {
                on_send.emit(answers.clone());
            }
        })
    };
    let label = messages.send_answers();
    let name = messages.act_on(&label, &props.tool);
    let send = Button::new("answer-button", "cs-button cs-primary", label, on_press)
        .named(name)
        .withheld(open > 0)
        .described_by((open > 0).then(|| id(&["open"])));
    html! {
        <form class="cs-questions" part="questions" onsubmit={|event: SubmitEvent| event.prevent_default()}>
            { for questions }
            <div class="cs-bar">
                { send.draw() }
                if open > 0 {
                    <span class="cs-progress" id={id(&["open"])}>{ words(messages.questions_open(open)) }</span>
                }
            </div>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(choices: &[&str], multiple: bool) -> Question {
        let choices = choices.iter().map(ToString::to_string).collect();
        Question { question: "Which?".to_owned(), choices, multiple }
    }

    #[test]
    fn answers_stand_in_the_order_of_the_choices() {
        let question = question(&["a", "b", "c"], true);
        let mut entry = Entry::default();
        entry.pick(2, true);
        entry.pick(0, true);
        entry.pick(1, true);
        entry.pick(1, true);
        assert_eq!(entry.answers(&question), ["a", "c"]);
    }

    #[test]
    fn one_choice_takes_the_place_of_the_other() {
        let mut entry = Entry::default();
        entry.pick(0, false);
        entry.pick(1, false);
        assert_eq!(entry.answers(&question(&["a", "b"], false)), ["b"]);
    }

    #[test]
    fn white_space_is_no_answer_and_typed_words_are_kept_verbatim() {
        let mut entry = Entry { typed: " \n".to_owned(), ..Entry::default() };
        assert!(entry.answers(&question(&[], false)).is_empty());
        entry.typed = " yes ".to_owned();
        assert_eq!(entry.answers(&question(&[], false)), [" yes "]);
    }
}

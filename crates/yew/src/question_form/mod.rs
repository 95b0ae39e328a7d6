//! Questions that only a person can answer.

pub(crate) mod answers;

use std::cell::Cell;
use std::mem::{replace, take};
use std::rc::Rc;
use std::sync::Arc;

use countersign_core::{Decision, Question};
use yew::prelude::*;

use crate::controls::button;
use crate::deciding::Said;
use crate::fold::foldable;
use crate::node::{Attribute, Tag, list};
use crate::piece::{Act, Piece, Stage, typed};

/// One group a question: one choice, several, or free text.
pub(crate) struct QuestionForm {
    /// The card that takes up the answers.
    pub card: Rc<Stage>,
    /// What makes the ids of its elements unique.
    pub key: u32,
    /// The tool that asks, escaped.
    pub tool: AttrValue,
    /// The questions. Untrusted.
    pub questions: Arc<[Question]>,
    /// What was picked or typed for each of them.
    pub said: Rc<Said>,
}

/// How many choices of a question are drawn before a person asks for more.
const CHOICES: usize = 50;

/// How many questions are drawn before a person asks for more.
const QUESTIONS: usize = 20;

/// What was picked or typed for one question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    picked: Vec<usize>,
    typed: String,
    /// How many choices more than [`CHOICES`] are drawn.
    more: usize,
}

impl Entry {
    /// The answers in the order of the choices; empty strings are no answers.
    fn answers(&self, question: &Question) -> Vec<String> {
        let mut answers = Vec::new();
        let mut add = |answer: &String| {
            if !answer.trim().is_empty() {
                answers.push(answer.clone());
            }
        };
        if question.choices.is_empty() {
            add(&self.typed);
        }
        for (at, choice) in question.choices.iter().enumerate() {
            if self.picked.contains(&at) {
                add(choice);
            }
        }
        answers
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

/// What was entered, with the questions it was entered for.
#[derive(Debug, Default)]
pub(crate) struct Entered {
    questions: Arc<[Question]>,
    entries: Vec<Entry>,
    /// How many questions more than [`QUESTIONS`] are drawn. It never becomes less, so that what has an answer is drawn.
    more: usize,
}

impl Entered {
    /// How many questions are drawn at most.
    fn drawn(&self) -> usize {
        QUESTIONS + self.more
    }

    /// Takes up the questions that are drawn. No choice is kept for another question than that which it was made for: where
    /// the choices stand in another order, it would say another thing.
    fn turn_to(&mut self, questions: &Arc<[Question]>) {
        if self.questions == *questions {
            return;
        }
        let before = replace(&mut self.questions, Arc::clone(questions));
        let mut entries = take(&mut self.entries).into_iter().zip(before.iter());
        for question in questions.iter() {
            let kept = entries.next().filter(|(_, before)| *before == question);
            self.entries.push(kept.map(|(entry, _)| entry).unwrap_or_default());
        }
    }
}

impl QuestionForm {
    /// An id for an element of the form.
    fn id(&self, role: &str, number: &str) -> AttrValue {
        ["cs-", &self.key.to_string(), role, number].concat().into()
    }

    fn answers(&self, entries: &[Entry]) -> Vec<Vec<String>> {
        self.questions.iter().zip(entries).map(|(question, entry)| entry.answers(question)).collect()
    }

    /// One question; `missed`: it is still open while others have their answers.
    fn question(&self, at: usize, entry: &Entry, missed: bool, stage: &Rc<Stage>) -> Html {
        let Some(question) = self.questions.get(at) else { return Html::default() };
        let number = at.to_string();
        let legend = self.id("-question-", &number);
        let text = Tag::new("bdi", "").child(foldable(&question.question, stage)).html();
        let fields = if question.choices.is_empty() {
            Tag::new("textarea", "cs-field")
                .part("answer-field")
                .with(Attribute::Rows, "2")
                .with(Attribute::Dir, "auto")
                .text(Attribute::LabelledBy, legend.clone())
                .value(entry.typed.clone())
                .on(stage, Act::Type(at))
                .html()
        } else {
            let mut options = Vec::new();
            for (choice, label) in question.choices.iter().enumerate().take(CHOICES + entry.more) {
                let input = Tag::new("input", "")
                    .with(Attribute::Type, if question.multiple { "checkbox" } else { "radio" })
                    .text(Attribute::Name, self.id("-choice-", &number))
                    .checked(entry.picked.contains(&choice))
                    .on(stage, Act::Pick(at, choice));
                let label = Tag::new("bdi", "").child(foldable(label, stage));
                options.push(Tag::new("label", "cs-option").child(input.html()).child(label.html()).html());
            }
            let of = question.choices.len();
            let left = of.saturating_sub(CHOICES + entry.more);
            if left > 0 {
                let label = stage.messages().show_more(left.min(CHOICES), of);
                let act = Act::Choices(at, entry.more + CHOICES);
                options.push(button("more", "cs-more", label.into(), stage, act).html());
            }
            list(options)
        };
        let open = self.id("-missed-", &number);
        Tag::new("fieldset", "cs-question")
            .part("question")
            .option(Attribute::DescribedBy, missed.then(|| open.clone()))
            .child(Tag::new("legend", "").text(Attribute::Id, legend).child(text).html())
            .child(fields)
            .optional(missed.then(|| {
                Tag::new("p", "cs-help")
                    .text(Attribute::Id, open)
                    .words(stage.messages().question_open())
                    .html()
            }))
            .html()
    }
}

/// The question and its choice, by place, with which what was just asked for begins.
type Next = Cell<Option<[usize; 2]>>;

impl Piece for QuestionForm {
    type Memory = Next;

    // Its card is another each time.
    fn same(&self, _: &QuestionForm) -> bool {
        false
    }

    fn draw(&self, _: &Next, stage: &Rc<Stage>) -> Html {
        let messages = stage.messages();
        let mut entered = self.said.answers.borrow_mut();
        entered.turn_to(&self.questions);
        let (entries, drawn) = (&entered.entries, entered.drawn());
        let answers = self.answers(entries);
        let open = answers.iter().filter(|answers| answers.is_empty()).count();
        let begun = open < answers.len();
        let mut questions = Vec::new();
        for (at, (entry, answers)) in entries.iter().zip(&answers).enumerate().take(drawn) {
            questions.push(self.question(at, entry, begun && answers.is_empty(), stage));
        }
        let left = answers.len().saturating_sub(drawn);
        if left > 0 {
            let label = messages.show_more(left.min(QUESTIONS), answers.len());
            questions.push(button("more", "cs-more", label.into(), stage, Act::More).html());
        }
        let label = messages.send_answers();
        let name = messages.act_on(&label, &self.tool);
        let mut send = button("answer-button", "cs-button cs-primary", label, stage, Act::Send)
            .named(name)
            .withheld(open > 0 || left > 0);
        let mut rest = Html::default();
        if open > 0 {
            send = send.text(Attribute::DescribedBy, self.id("-open", ""));
            rest = Tag::new("span", "cs-progress")
                .text(Attribute::Id, self.id("-open", ""))
                .words(messages.questions_open(open))
                .html();
        }
        Tag::new("form", "cs-questions")
            .part("questions")
            .at(stage.root())
            .on(stage, Act::Submit)
            .child(list(questions))
            .child(Tag::new("div", "cs-bar").child(send.html()).child(rest).html())
            .html()
    }

    fn act(&self, next: &Next, _: &Rc<Stage>, act: &Act, event: Option<&Event>) -> bool {
        let mut entered = self.said.answers.borrow_mut();
        // An act may come before the new questions are drawn.
        if entered.questions != self.questions {
            return false;
        }
        match act {
            Act::Pick(at, choice) => {
                let multiple = self.questions.get(*at).is_some_and(|question| question.multiple);
                if let Some(entry) = entered.entries.get_mut(*at) {
                    entry.pick(*choice, multiple);
                }
                true
            }
            Act::More => {
                next.set(Some([entered.drawn(), 0]));
                entered.more += QUESTIONS;
                true
            }
            Act::Choices(at, more) => {
                if let Some(entry) = entered.entries.get_mut(*at) {
                    next.set(Some([*at, CHOICES + replace(&mut entry.more, *more)]));
                }
                true
            }
            Act::Type(at) => {
                if let (Some(entry), Some(typed)) = (entered.entries.get_mut(*at), typed(event)) {
                    entry.typed = typed;
                }
                true
            }
            Act::Send => {
                let answers = self.answers(&entered.entries);
                // Nobody answers what was never drawn.
                let all_drawn = answers.len() <= entered.drawn();
                drop(entered);
                if all_drawn && answers.iter().all(|answers| !answers.is_empty()) {
                    self.card.act(&Act::Decide(Decision::Answer { answers }), event);
                }
                false
            }
            _ => false,
        }
    }

    // The button that asked for the last of it has gone, with the focus.
    fn drawn(&self, next: &Next, stage: &Rc<Stage>) {
        if let Some(place) = next.take() {
            let [question, choice] = place.map(|place| (place + 1).to_string());
            let within = [
                "fieldset:nth-of-type(",
                &question,
                ") :is(textarea, label:nth-of-type(",
                &choice,
                ") > input)",
            ];
            stage.catch_focus(Some(&within.concat()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::drawn;

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
    fn r03_a_choice_is_kept_for_the_very_question_it_was_made_for() {
        let mut entered = Entered::default();
        let first: Arc<[Question]> =
            Arc::from([question(&["Yes", "No"], false), question(&["a", "b"], false)]);
        entered.turn_to(&first);
        for entry in &mut entered.entries {
            entry.pick(1, false);
        }
        entered.turn_to(&Arc::clone(&first));
        assert_eq!(entered.entries.iter().filter(|entry| entry.picked == [1]).count(), 2);
        let turned = Arc::from([question(&["No", "Yes"], false), question(&["a", "b"], false)]);
        entered.turn_to(&turned);
        assert!(entered.entries[0].picked.is_empty() && entered.entries[1].picked == [1]);
        entered.turn_to(&Arc::from([]));
        assert!(entered.entries.is_empty());
    }

    /// What a form of these questions looks like after this was done in it.
    fn form(questions: Vec<Question>, acts: Vec<Act>) -> String {
        let questions: Arc<[Question]> = questions.into();
        let piece = move |stage: &Rc<Stage>| QuestionForm {
            card: Rc::clone(stage),
            key: 1,
            tool: "ask".into(),
            questions: Arc::clone(&questions),
            said: Rc::default(),
        };
        drawn(Within(piece, acts), Vec::new())
    }

    #[test]
    fn r19_long_questions_are_folded_and_many_choices_are_drawn_in_parts() {
        let choices: Vec<String> = (0..120).map(|number| ["c", &number.to_string()].concat()).collect();
        let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
        let mut question = question(&choices, false);
        question.question = "a\u{202E}".repeat(30_000);
        let markup = |acts| form(vec![question.clone()], acts);
        let first = markup(Vec::new());
        assert_eq!(first.matches("type=\"radio\"").count(), CHOICES);
        assert!(first.contains("Show 50 more of 120") && first.contains(" characters more"), "{first}");
        assert!(first.matches("cs-chip").count() <= 40);
        let all = markup(vec![Act::Choices(0, CHOICES), Act::Choices(0, 2 * CHOICES)]);
        assert_eq!(all.matches("type=\"radio\"").count(), 120);
        assert!(!all.contains("more of 120"));
    }

    #[test]
    fn r19_many_questions_are_drawn_in_parts_and_sent_once_all_were_drawn() {
        let markup = |acts| form(vec![question(&["a", "b"], false); 3000], acts);
        let withheld = |markup: &str| markup.contains("aria-disabled=\"true\"");
        let picks = |count| (0..count).map(|at| Act::Pick(at, 1));
        let first = markup(picks(QUESTIONS).collect());
        assert_eq!(first.matches("<fieldset").count(), QUESTIONS);
        assert!(
            first.contains("Show 20 more of 3,000") && first.contains("2,980 questions are still open"),
            "{first}"
        );
        assert!(withheld(&first));
        // Even answers that were there would not leave.
        let undrawn = markup(picks(3000).collect());
        assert!(withheld(&undrawn) && undrawn.contains("Show 20 more of 3,000"));
        let more = (QUESTIONS..3000).step_by(QUESTIONS).map(|_| Act::More);
        let all = markup(picks(3000).chain(more).collect());
        assert_eq!(all.matches("<fieldset").count(), 3000);
        assert!(!withheld(&all) && !all.contains("more of 3,000"));
    }

    /// The form after these acts, on a card.
    struct Within<F>(F, Vec<Act>);

    impl<F: Fn(&Rc<Stage>) -> QuestionForm + 'static> Piece for Within<F> {
        type Memory = ();

        fn same(&self, _: &Within<F>) -> bool {
            false
        }

        fn draw(&self, (): &(), stage: &Rc<Stage>) -> Html {
            let form = (self.0)(stage);
            form.said.answers.borrow_mut().turn_to(&form.questions);
            for act in &self.1 {
                form.act(&Next::default(), stage, act, None);
            }
            form.draw(&Next::default(), stage)
        }

        fn act(&self, (): &(), _: &Rc<Stage>, _: &Act, _: Option<&Event>) -> bool {
            false
        }
    }

    #[test]
    fn r44_what_was_entered_stands_in_a_form_that_is_opened_anew() {
        let said: Rc<Said> = Rc::default();
        let open = |acts| {
            let said = Rc::clone(&said);
            let questions: Arc<[Question]> = Arc::from([question(&["a", "b"], false), question(&[], false)]);
            let piece = move |stage: &Rc<Stage>| QuestionForm {
                card: Rc::clone(stage),
                key: 1,
                tool: "ask".into(),
                questions: Arc::clone(&questions),
                said: Rc::clone(&said),
            };
            drawn(Within(piece, acts), Vec::new())
        };
        let before = open(vec![Act::Pick(0, 1)]);
        assert_eq!(open(Vec::new()), before);
        // What is missed is told with its group.
        let (_, missed) =
            before.split_once("<fieldset").and_then(|(_, rest)| rest.split_once("<fieldset")).expect("two");
        assert!(missed.contains(r#"aria-describedby="cs-1-missed-1""#), "{before}");
        assert!(missed.contains(r#"id="cs-1-missed-1""#) && !before.contains("cs-1-missed-0"), "{before}");
    }

    #[test]
    fn white_space_is_no_answer_and_typed_words_are_kept_verbatim() {
        let mut entry = Entry { typed: " \n".to_owned(), ..Entry::default() };
        assert!(entry.answers(&question(&[], false)).is_empty());
        entry.typed = " yes ".to_owned();
        assert_eq!(entry.answers(&question(&[], false)), [" yes "]);
    }
}

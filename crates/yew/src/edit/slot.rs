//! The fields of a form, by number: what an event is about.

use countersign_schema::form::Field;

use super::draft::Typing;

/// What can be done at one place of the draft.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    /// The place, as a JSON Pointer.
    pub pointer: String,
    /// What typed words mean there.
    pub typing: Typing,
    /// What comes there when it is added or filled, as JSON text.
    pub blank: String,
    /// What can be chosen there, as JSON texts.
    pub choices: Vec<String>,
    /// Which of them is shown as chosen.
    pub chosen: Option<usize>,
    /// The forms among which one is chosen there, and how many choices led to them.
    pub forms: Option<(usize, Vec<Field>)>,
    /// Whether the place is a new member whose name is asked for.
    pub names: bool,
    /// How many of its children are shown.
    pub shown: usize,
    /// What stands there is masked.
    pub masked: bool,
}

impl Slot {
    /// A place where words are typed.
    pub(crate) fn at(pointer: &str) -> Slot {
        Slot {
            pointer: pointer.to_owned(),
            typing: Typing::Words,
            blank: String::new(),
            choices: Vec::new(),
            chosen: None,
            forms: None,
            names: false,
            shown: 0,
            masked: false,
        }
    }
}

//! Catalogues as JSON.

use std::fmt;
use std::rc::Rc;

use countersign_json::{Document, Limits, Value};
use yew::prelude::*;

use super::fill::place;
use super::language::{Category, Rule, is_right_to_left};
use super::table::{Row, rows};
use super::told::TOLD;
use super::{Catalogue, Forms, Messages, first, later};

/// A catalogue that was read, and what is wrong with the text.
#[derive(Debug)]
pub struct Translation {
    /// The words: those of the text over those that were there before.
    pub catalogue: Catalogue,
    /// What was left out, and why.
    pub problems: Vec<CatalogueProblem>,
}

/// Something in a catalogue that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueProblem {
    /// The key of the text; empty: the whole catalogue.
    pub key: String,
    /// What is wrong.
    pub fault: CatalogueFault,
}

/// What is wrong with a text of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CatalogueFault {
    /// The catalogue is not the text of a JSON object, and why.
    NotAnObject(String),
    /// The components have no text of this key.
    UnknownKey,
    /// It is neither a string nor an object of forms, one of them `other`.
    NotAText,
    /// There is no such form: only `zero`, `one`, `two`, `few`, `many` and `other`.
    UnknownForm(String),
    /// This place of the English text is missing. Only the forms `zero`, `one` and `two` may leave out `{count}`.
    MissingPlace(String),
    /// The English text has no such place.
    UnknownPlace(String),
}

impl fmt::Display for CatalogueProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: [&str; 4] = match &self.fault {
            CatalogueFault::NotAnObject(reason) => ["the catalogue is not a JSON object: ", reason, "", ""],
            CatalogueFault::UnknownKey => ["there is no text `", &self.key, "`", ""],
            CatalogueFault::NotAText => {
                ["`", &self.key, "` is neither a string nor an object of forms with `other`", ""]
            }
            CatalogueFault::UnknownForm(form) => ["`", &self.key, "` has the unknown form ", form],
            CatalogueFault::MissingPlace(place) => ["`", &self.key, "` lacks the place ", place],
            CatalogueFault::UnknownPlace(place) => ["`", &self.key, "` has the unknown place ", place],
        };
        parts.iter().try_for_each(|part| formatter.write_str(part))
    }
}

impl std::error::Error for CatalogueProblem {}

impl Catalogue {
    /// English, with the texts of this JSON object in the place of its own.
    ///
    /// # Shape
    /// The members are keys with their texts; a text with a number may be an object of forms: `{"calls_wait": {"one":
    /// "{count} Aufruf wartet", "other": "{count} Aufrufe warten"}}`. The member `locale` is the BCP 47 tag of the
    /// language: forms and the direction follow it. A text that is not as it must be is left out and told.
    #[must_use]
    pub fn from_json(text: &str) -> Translation {
        Catalogue::default().with_json(text)
    }

    /// These words, with the texts of a JSON object in the place of their own; see [`Catalogue::from_json`].
    #[must_use]
    pub fn with_json(&self, text: &str) -> Translation {
        let mut messages = Messages::clone(self);
        let mut problems = Vec::new();
        let tell = |key: &str, fault| problems.push(CatalogueProblem { key: key.to_owned(), fault });
        messages.take(text, tell);
        Translation { catalogue: Catalogue(Rc::new(messages)), problems }
    }

    /// These words until others are there: they are shown, and what is only heard waits.
    #[must_use]
    pub fn provisional(&self) -> Catalogue {
        Catalogue(Rc::new(Messages { provisional: true, ..Messages::clone(self) }))
    }
}

impl Messages {
    fn take(&mut self, text: &str, mut tell: impl FnMut(&str, CatalogueFault)) {
        let document = match Document::parse(text, &Limits::default()) {
            Ok(document) if document.root().is_object() => document,
            Ok(_) => return tell("", CatalogueFault::NotAnObject("another value".to_owned())),
            Err(error) => return tell("", CatalogueFault::NotAnObject(error.to_string())),
        };
        self.rows = [&*rows(first::TABLE), &*later::all(), &*rows(TOLD)].concat().into();
        self.forms.resize_with(self.rows.len(), Forms::new);
        for (key, value) in document.root().members() {
            let key = key.as_str_lossy().unwrap_or_default();
            if key == "locale" {
                match value.as_str() {
                    Some(tag) => self.speak(&tag),
                    None => tell(&key, CatalogueFault::NotAText),
                }
                continue;
            }
            let row = self.rows.iter().zip(&mut self.forms).find(|(row, _)| row.key == key);
            let read = row.ok_or(CatalogueFault::UnknownKey).and_then(|(row, place)| {
                *place = forms(row, value)?;
                Ok(())
            });
            if let Err(fault) = read {
                tell(&key, fault);
            }
        }
    }

    /// Speaks the language of this tag from now on.
    fn speak(&mut self, tag: &str) {
        self.locale = AttrValue::from(tag.to_owned());
        self.rule = Rule::of(tag);
        self.right_to_left = is_right_to_left(tag);
        self.chosen = true;
    }
}

/// The forms of one text.
fn forms(row: &Row, value: Value<'_>) -> Result<Forms, CatalogueFault> {
    if let Some(text) = value.as_str() {
        return Ok(vec![(Category::Other, checked(row, Category::Other, &text)?)]);
    }
    let mut forms = Forms::new();
    for (name, text) in value.members() {
        let name = name.as_str_lossy().unwrap_or_default();
        let known = Category::ALL.into_iter().find(|category| category.as_str() == name);
        let category = known.ok_or_else(|| CatalogueFault::UnknownForm(name.to_string()))?;
        let text = text.as_str().ok_or(CatalogueFault::NotAText)?;
        forms.push((category, checked(row, category, &text)?));
    }
    if forms.iter().any(|(category, _)| *category == Category::Other) {
        Ok(forms)
    } else {
        Err(CatalogueFault::NotAText)
    }
}

/// A text that has the places of the English one, no more and no less.
fn checked(row: &Row, category: Category, text: &str) -> Result<AttrValue, CatalogueFault> {
    let (wanted, found) = (places(row.other), places(text));
    // Of none, one and two there is no need to say how many there are.
    let fixed = matches!(category, Category::Zero | Category::One | Category::Two);
    let needed = |name: &&&str| !(fixed && **name == "count");
    if let Some(missing) = wanted.iter().filter(needed).find(|name| !found.contains(name)) {
        return Err(CatalogueFault::MissingPlace((*missing).to_owned()));
    }
    match found.iter().find(|name| !wanted.contains(name)) {
        Some(unknown) => Err(CatalogueFault::UnknownPlace((*unknown).to_owned())),
        None => Ok(AttrValue::from(text.to_owned())),
    }
}

/// The places of a text, in their order.
pub(super) fn places(text: &str) -> Vec<&str> {
    let mut places = Vec::new();
    let mut rest = text;
    while let Some((_, name, after)) = place(rest) {
        places.push(name);
        rest = after;
    }
    places
}

//! What a person has made of the arguments so far.
//!
//! A draft is a text and edits of it. Every edit changes one place and leaves every other byte as it is; what was typed
//! and cannot stand in the text is kept beside it.

use std::ops::Range;
use std::sync::Arc;

use countersign_json::{
    Document, EditError, Kind, Limits, Numbers, ParseError, Value, edit, pretty, quote, same,
};

use super::place::{child, is_within, split};

/// What is typed into a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    /// The content of a string.
    Words,
    /// The characters of a number.
    Number,
    /// JSON text.
    Json,
}

/// Why what was typed cannot stand in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untaken {
    /// It is not JSON.
    NotJson(ParseError),
    /// It is not a number of JSON.
    NotANumber,
    /// Nothing was typed where a number belongs.
    Empty,
}

/// What was typed at a place and cannot stand there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loose {
    /// The place, as a JSON Pointer.
    pub pointer: String,
    /// What it was typed as.
    pub typing: Typing,
    /// The exact words.
    pub typed: String,
    /// Why they cannot stand there.
    pub why: Untaken,
}

/// Arguments that are being edited.
///
/// # Shape
/// `text` can always be read; while [`Draft::loose`] is not empty it is the last state that could be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    original: Arc<str>,
    text: String,
    loose: Vec<Loose>,
    /// The places that are edited as JSON; the empty one is the whole.
    as_json: Vec<String>,
    /// The places where something was typed behind a mask.
    held: Vec<String>,
    /// The words that go with the edit.
    pub note: String,
}

impl Draft {
    /// The arguments as they came.
    pub(crate) fn of(original: &Arc<str>) -> Draft {
        Draft {
            original: Arc::clone(original),
            text: original.to_string(),
            loose: Vec::new(),
            as_json: Vec::new(),
            held: Vec::new(),
            note: String::new(),
        }
    }

    /// A draft that was kept: `typed` is the whole text, readable or not.
    pub(crate) fn kept(original: &Arc<str>, typed: &str) -> Draft {
        let mut draft = Draft::of(original);
        draft.take("", typed, Typing::Json);
        if !draft.loose.is_empty() {
            draft.edit_as_json("", true);
        }
        draft
    }

    /// The arguments as they came.
    pub(crate) fn original(&self) -> &Arc<str> {
        &self.original
    }

    /// The last state that could be read.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What was typed and cannot stand in the text.
    pub(crate) fn loose(&self) -> &[Loose] {
        &self.loose
    }

    /// What was typed at exactly this place and cannot stand there.
    pub(crate) fn loose_at(&self, pointer: &str) -> Option<&Loose> {
        self.loose.iter().find(|loose| loose.pointer == pointer)
    }

    /// Whether it is anything but the arguments as they came.
    pub(crate) fn is_changed(&self) -> bool {
        self.differs("") || !self.note.is_empty()
    }

    /// Whether it says what the arguments said when they came, in whatever order and spacing.
    pub(crate) fn is_same(&self) -> bool {
        self.text == *self.original || alike(&self.text, &self.original)
    }

    /// What is kept for later: the whole text as it was typed, with what cannot stand in it where it was typed.
    pub(crate) fn to_keep(&self) -> String {
        if let Some(loose) = self.loose_at("") {
            return loose.typed.clone();
        }
        let kept = self.as_typed(0..self.text.len(), |loose| loose.typed.clone());
        // `1,"b":2` is no number, and would be two members there.
        if parse(&kept).is_ok() { self.text.clone() } else { kept }
    }

    /// This part of the text, with what cannot stand in it where it was typed.
    fn as_typed(&self, part: Range<usize>, words: fn(&Loose) -> String) -> String {
        let mut spans = Vec::new();
        for loose in &self.loose {
            spans.extend(self.with(&loose.pointer, |value| (value.span(), words(loose))));
        }
        spans.retain(|(range, _)| part.start <= range.start && range.end <= part.end);
        spans.sort_unstable_by_key(|(range, _)| range.start);
        let (mut typed, mut at) = (String::new(), part.start);
        for (range, words) in spans {
            typed.push_str(self.text.get(at..range.start).unwrap_or_default());
            typed.push_str(&words);
            at = range.end;
        }
        typed.push_str(self.text.get(at..part.end).unwrap_or_default());
        typed
    }

    /// Whether this place is edited as JSON.
    pub(crate) fn is_json(&self, pointer: &str) -> bool {
        self.as_json.iter().any(|place| place == pointer)
    }

    /// What is at this place stays masked until it is as it came, whatever it looks like.
    pub(crate) fn hold(&mut self, pointer: &str) {
        if !self.is_held(pointer) {
            self.held.push(pointer.to_owned());
        }
    }

    /// Whether what is at this place was typed behind a mask.
    pub(crate) fn is_held(&self, pointer: &str) -> bool {
        self.held.iter().any(|held| is_within(pointer, held))
    }

    /// The places where something was typed behind a mask.
    pub(crate) fn held(&self) -> &[String] {
        &self.held
    }

    /// Edits this place as JSON, or as a form again. Nothing that was typed is lost.
    pub(crate) fn edit_as_json(&mut self, pointer: &str, json: bool) {
        self.as_json.retain(|place| place != pointer);
        if !json {
            return;
        }
        self.as_json.push(pointer.to_owned());
        let is_inner = |loose: &Loose| loose.pointer != pointer && is_within(&loose.pointer, pointer);
        if self.loose_at(pointer).is_some() || !self.loose.iter().any(is_inner) {
            return;
        }
        // What was typed within stands there as it was typed; what could be read as something else is a string.
        let part = match pointer {
            "" => Some(0..self.text.len()),
            _ => self.with(pointer, |value| value.span()),
        };
        let Some(part) = part else { return };
        let typed = self.as_typed(part.clone(), |loose| loose.typed.clone());
        let is_other = parse(&typed).is_ok();
        let typed =
            if is_other { self.as_typed(part, |loose| quote(&loose.typed).to_string()) } else { typed };
        self.take(pointer, &typed, Typing::Json);
    }

    /// Takes up what is typed at a place.
    pub(crate) fn take(&mut self, pointer: &str, typed: &str, typing: Typing) {
        self.drop_loose(pointer);
        let json = match typing {
            Typing::Words => Ok(quote(typed)),
            Typing::Number => number(typed).map(str::to_owned),
            Typing::Json => parse(typed).map(|_| typed.to_owned()).map_err(Untaken::NotJson),
        };
        let why = match json {
            // The whole keeps the white space around it: it is what was typed.
            Ok(json) if pointer.is_empty() && typing == Typing::Json => return self.text = json,
            Ok(json) => {
                self.change(|text| edit::replace(text, pointer, &json));
                if typing != Typing::Json {
                    self.settle(pointer);
                }
                return;
            }
            Err(why) => why,
        };
        self.loose.push(Loose { pointer: pointer.to_owned(), typing, typed: typed.to_owned(), why });
    }

    /// Puts a value in the place of another.
    pub(crate) fn put(&mut self, pointer: &str, json: &str) {
        self.drop_loose(pointer);
        self.change(|text| edit::replace(text, pointer, json));
        self.settle(pointer);
    }

    /// Adds a member, or an item: `-` as the last step is the end of a list. Whether it was added.
    pub(crate) fn add(&mut self, pointer: &str, json: &str) -> bool {
        let added = self.change(|text| edit::insert(text, pointer, json));
        self.settle(pointer);
        added
    }

    /// Takes out a member or an item.
    pub(crate) fn remove(&mut self, pointer: &str) {
        let (outer, last) = split(pointer);
        let list = self.with(outer, |value| value.is_array()).unwrap_or_default();
        self.drop_loose(pointer);
        if !self.change(|text| edit::remove(text, pointer)) {
            return;
        }
        for places in [&mut self.as_json, &mut self.held] {
            places.retain(|place| !is_within(place, pointer));
        }
        if list && let Ok(removed) = last.parse::<usize>() {
            self.renumber(outer, &|index| if index > removed { index - 1 } else { index });
        }
        self.settle(pointer);
    }

    /// Lets an item of a list change places with the one before it.
    pub(crate) fn move_up(&mut self, list: &str, index: usize) {
        let Some(before) = index.checked_sub(1) else { return };
        let places = [child(list, &before.to_string()), child(list, &index.to_string())];
        let [upper, lower] = &places;
        let items = [upper, lower].map(|place| self.text_at(place));
        let [Some(above), Some(below)] = items else { return };
        self.change(|text| edit::replace(&edit::replace(text, upper, &below)?, lower, &above));
        self.renumber(list, &|at| match at {
            _ if at == index => before,
            _ if at == before => index,
            _ => at,
        });
        self.settle(list);
    }

    /// Makes the value at a place what it was when it came; whole or in part.
    pub(crate) fn reset(&mut self, pointer: &str) {
        self.drop_loose(pointer);
        self.held.retain(|place| !is_within(place, pointer));
        if pointer.is_empty() {
            self.text = self.original.to_string();
            return;
        }
        let Some(original) = text_at(&self.original, pointer) else { return };
        match self.has(pointer) {
            true => self.change(|text| edit::replace(text, pointer, &original)),
            false => self.change(|text| edit::insert(text, pointer, &original)),
        };
        self.settle(pointer);
    }

    /// Breaks the text at this place into lines. Only white space changes.
    pub(crate) fn format(&mut self, pointer: &str) {
        let Some(lines) = self.with(pointer, pretty) else { return };
        self.take(pointer, &lines, Typing::Json);
    }

    /// Whether the value at a place is another than the one that came.
    pub(crate) fn differs(&self, pointer: &str) -> bool {
        if self.loose.iter().any(|loose| is_within(&loose.pointer, pointer)) {
            return true;
        }
        if pointer.is_empty() {
            return trimmed(&self.text) != trimmed(&self.original);
        }
        self.text_at(pointer) != text_at(&self.original, pointer)
    }

    /// The value at a place, as it is now.
    pub(crate) fn with<T>(&self, pointer: &str, read: impl FnOnce(Value<'_>) -> T) -> Option<T> {
        let document = parse(&self.text).ok()?;
        document.root().pointer(pointer).map(read)
    }

    /// Whether there is a value at a place now.
    pub(crate) fn has(&self, pointer: &str) -> bool {
        self.text_at(pointer).is_some()
    }

    /// Whether there was a value at a place when they came.
    pub(crate) fn had(&self, pointer: &str) -> bool {
        text_at(&self.original, pointer).is_some()
    }

    /// The text of the value at a place, as it is now.
    pub(crate) fn text_at(&self, pointer: &str) -> Option<String> {
        text_at(&self.text, pointer)
    }

    fn drop_loose(&mut self, pointer: &str) {
        self.loose.retain(|loose| !is_within(&loose.pointer, pointer));
    }

    fn change(&mut self, change: impl FnOnce(&str) -> Result<String, EditError>) -> bool {
        match change(&self.text) {
            Ok(text) => {
                self.text = text;
                true
            }
            // A place that is not there or not clear: nothing was changed, and the form shows what is there.
            Err(_) => false,
        }
    }

    /// What has its old content again gets its old characters back, so that undoing by hand leaves no trace.
    fn settle(&mut self, pointer: &str) {
        let (Ok(now), Ok(came)) = (parse(&self.text), parse(&self.original)) else { return };
        let both = |place: &str| (now.root().pointer(place), came.root().pointer(place));
        let alike = |place: &str| match both(place) {
            (Some(now), Some(came)) => same(now, came, Numbers::Lexeme).then(|| (now.span(), came.text())),
            _ => None,
        };
        // Nothing around what differs has its old content.
        let here = both(pointer);
        if here.0.is_some() != here.1.is_some() || (here.0.is_some() && alike(pointer).is_none()) {
            return;
        }
        let mut end = 0;
        loop {
            let outer = pointer.get(..end).unwrap_or_default();
            if let Some((span, came)) = alike(outer) {
                let before = self.text.get(..span.start).unwrap_or_default();
                let after = self.text.get(span.end..).unwrap_or_default();
                self.text = match outer {
                    "" if self.text.get(span) != Some(came) => self.original.to_string(),
                    _ => [before, came, after].concat(),
                };
                return;
            }
            let Some(rest) = pointer.get(end + 1..) else { return };
            end += 1 + rest.find('/').unwrap_or(rest.len());
        }
    }

    /// Gives what is remembered of the items of a list their new numbers.
    fn renumber(&mut self, list: &str, number: &dyn Fn(usize) -> usize) {
        let rename = |place: &mut String| {
            let Some(rest) = place.strip_prefix(list).and_then(|rest| rest.strip_prefix('/')) else { return };
            let (index, inner) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if let Ok(index) = index.parse::<usize>() {
                *place = [&child(list, &number(index).to_string()), inner].concat();
            }
        };
        self.as_json.iter_mut().chain(&mut self.held).for_each(rename);
        self.loose.iter_mut().map(|loose| &mut loose.pointer).for_each(rename);
    }
}

/// A value with the content of this kind and nothing in it; an object gets the members of the one it is like.
pub(crate) fn blank_like(value: Value<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool => "false".to_owned(),
        Kind::Number => "0".to_owned(),
        Kind::String => "\"\"".to_owned(),
        Kind::Array => "[]".to_owned(),
        Kind::Object => {
            let mut members = Vec::new();
            for (key, value) in value.members() {
                let inner = if value.is_object() { "{}".to_owned() } else { blank_like(value) };
                members.push([key.text(), ":", &inner].concat());
            }
            ["{", &members.join(","), "}"].concat()
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Document<'_>, ParseError> {
    Document::parse(text, &Limits::default())
}

/// A JSON text without the white space around it.
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// The text of the value at a place of JSON text.
fn text_at(text: &str, pointer: &str) -> Option<String> {
    let document = parse(text).ok()?;
    document.root().pointer(pointer).map(|value| value.text().to_owned())
}

fn alike(one: &str, other: &str) -> bool {
    match (parse(one), parse(other)) {
        (Ok(one), Ok(other)) => same(one.root(), other.root(), Numbers::Lexeme),
        _ => false,
    }
}

/// The characters of a number, if they are one.
fn number(typed: &str) -> Result<&str, Untaken> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Untaken::Empty);
    }
    let is_number = parse(typed).is_ok_and(|document| document.root().kind() == Kind::Number);
    if is_number { Ok(typed) } else { Err(Untaken::NotANumber) }
}

#[cfg(test)]
mod tests;

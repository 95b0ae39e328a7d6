//! Which field shows a value.

use countersign_json::{Value, edit};
use countersign_schema::form::{Field, FieldKind, Form};

use super::place::{child, is_within};
use super::row;

/// Which forms a person chose, and what stood there under others.
#[derive(Debug, Default)]
pub(super) struct Picks {
    /// The place, how many choices led there, and the form.
    picked: Vec<(String, usize, usize)>,
    /// The same of a form that was left, and the text under it.
    left: Vec<((String, usize, usize), String)>,
}

impl Picks {
    /// The form that was chosen here.
    fn at(&self, place: &str, level: usize) -> Option<usize> {
        let found = self.picked.iter().find(|(at, known, _)| at == place && *known == level);
        found.map(|(.., form)| *form)
    }

    /// What stood here under this form.
    pub(super) fn left(&self, place: &str, level: usize, form: usize) -> Option<&str> {
        let is_it = |at: &(String, usize, usize)| at.0 == place && (at.1, at.2) == (level, form);
        self.left.iter().find(|(at, _)| is_it(at)).map(|(_, text)| text.as_str())
    }

    /// Takes up a choice; `from` is the form that is left, with what stands there.
    pub(super) fn pick(&mut self, place: &str, level: usize, form: usize, from: Option<(usize, String)>) {
        self.picked.retain(|(at, known, _)| at != place || *known < level);
        self.picked.push((place.to_owned(), level, form));
        if let Some((from, text)) = from {
            let at = (place.to_owned(), level, from);
            self.left.retain(|(known, _)| *known != at);
            self.left.push((at, text));
        }
    }

    /// What stands at this place and within is about to be something else.
    pub(super) fn forget(&mut self, place: &str) {
        self.picked.retain(|(at, ..)| !is_within(at, place));
        self.left.retain(|((at, ..), _)| !is_within(at, place));
    }
}

/// The text of a value that takes another form: what fits there stays, what stood there before under this form comes
/// back, and so does what came. `from` is the form that is left.
pub(super) fn refilled(
    form: &Form<'_>,
    forms: &[Field],
    [to, from]: [Option<usize>; 2],
    [now, left, came]: [Option<Value<'_>>; 3],
) -> Option<String> {
    let branch = forms.get(to?)?;
    let fits = |value: &Value<'_>| form.fits(&branch.node, *value) == Some(true);
    if let Some(now) = now.filter(fits) {
        return Some(now.text().to_owned());
    }
    let blank = form.blank(&branch.node);
    let is_object = now.is_some_and(Value::is_object);
    let (members, may_add) = match &branch.kind {
        FieldKind::Object { members, may_add } if is_object => (members, *may_add),
        FieldKind::OneOf { branches, .. } if is_object => {
            return refilled(form, branches, [Some(0), None], [now, left, came]);
        }
        _ => return Some(left.or(came.filter(fits)).map_or(blank, |before| before.text().to_owned())),
    };
    let declares = |field: &Field, name: &str| match &field.kind {
        FieldKind::Object { members, .. } => members.iter().any(|(known, _)| known == name),
        _ => false,
    };
    let from = from.and_then(|from| forms.get(from));
    // What a person made of it under this form is newer than what came.
    let came = came.filter(|_| left.is_none());
    let (mut filled, mut taken) = (blank, Vec::new());
    for (index, value) in [now, left, came].into_iter().enumerate() {
        for (key, member) in value.into_iter().flat_map(Value::members) {
            let Some(name) = key.as_str() else { continue };
            let own = members.iter().any(|(known, _)| *known == name);
            // What only other forms have stays with them.
            let is_foreign = !own && (!may_add || forms.iter().any(|other| declares(other, &name)));
            let is_there = now.is_some_and(|now| now.get(&name).is_some());
            let was_removed =
                index > 0 && !is_there && (!own || from.is_some_and(|from| declares(from, &name)));
            let wanted = || form.member(&branch.node, &name, None).node;
            if is_foreign
                || was_removed
                || taken.contains(&name)
                || form.fits(&wanted(), member) == Some(false)
            {
                continue;
            }
            let (place, json) = (child("", &name), member.text());
            let put = edit::replace(&filled, &place, json).or_else(|_| edit::insert(&filled, &place, json));
            filled = put.unwrap_or(filled);
            taken.push(name);
        }
    }
    Some(filled)
}

/// The form that a value has, and the choices that led to it.
pub(super) fn chosen(
    mut field: Field,
    value: Value<'_>,
    place: &str,
    form: &Form<'_>,
    picks: &Picks,
) -> (Vec<row::Forms>, Field) {
    let mut forms = Vec::new();
    while let FieldKind::OneOf { branches, chosen } = &field.kind {
        if branches.is_empty() || forms.len() > 4 {
            break;
        }
        // Of several that the value may have, the one that a person chose.
        let may_be = |form_at: &usize| {
            let branch = branches.get(*form_at);
            branch.is_some_and(|branch| form.fits(&branch.node, value) != Some(false))
        };
        let chosen = picks.at(place, forms.len()).filter(may_be).or(*chosen);
        let next = chosen.and_then(|chosen| branches.get(chosen)).cloned();
        forms.push(row::Forms { branches: branches.clone(), chosen });
        let Some(mut next) = next.filter(|_| !value.is_null() || !field.nullable) else { break };
        next.title = next.title.or(field.title.take());
        next.description = next.description.or(field.description.take());
        next.required = field.required;
        next.nullable |= field.nullable;
        field = next;
    }
    (forms, field)
}

/// Whether a field of this kind cannot show the value without doubt.
pub(super) fn is_unclear(kind: &FieldKind, value: Value<'_>) -> bool {
    if value.is_null() {
        return false;
    }
    match kind {
        FieldKind::Text { .. } => {
            value.is_string() && value.as_str().is_none_or(|text| text.contains(['\r', '\0']))
        }
        FieldKind::Object { .. } => {
            let mut names: Vec<_> = value.members().filter_map(|(key, _)| key.as_str()).collect();
            names.sort_unstable();
            let repeats = names.windows(2).any(|pair| pair.first() == pair.last());
            !value.is_object() || repeats || names.len() < value.len()
        }
        FieldKind::Array { .. } => !value.is_array(),
        FieldKind::Boolean => value.as_bool().is_none(),
        FieldKind::Null => true,
        _ => false,
    }
}

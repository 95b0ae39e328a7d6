//! Which field shows a value.

use countersign_json::Value;
use countersign_schema::form::{Field, FieldKind};

use super::row;

/// The form that a value has, and the choices that led to it.
pub(super) fn chosen(mut field: Field, value: Value<'_>) -> (Vec<row::Forms>, Field) {
    let mut forms = Vec::new();
    while let FieldKind::OneOf { branches, chosen } = &field.kind {
        if branches.is_empty() || forms.len() > 4 {
            break;
        }
        let next = chosen.and_then(|chosen| branches.get(chosen)).cloned();
        forms.push(row::Forms { branches: branches.clone(), chosen: *chosen });
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

//! The kinds of values that the keyword `type` names, in JSON Schema's words and in Python's.

use countersign_json::{Kind, Value, is_whole};

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const INTEGER: Types = Types(4);
    /// Every number; a whole number is one too.
    pub(crate) const NUMBER: Types = Types(8 | 4);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const ARRAY: Types = Types(32);
    pub(crate) const OBJECT: Types = Types(64);
    pub(crate) const ALL: Types = Types(127);
    pub(crate) const NONE: Types = Types(0);

    /// The kinds one at a time, with their names and how a person calls one of them.
    pub(crate) const EACH: [(Types, &'static str, &'static str); 7] = [
        (Types::STRING, "string", "a string"),
        (Types::NUMBER, "number", "a number"),
        (Types::INTEGER, "integer", "a whole number"),
        (Types::BOOLEAN, "boolean", "true or false"),
        (Types::OBJECT, "object", "an object"),
        (Types::ARRAY, "array", "a list"),
        (Types::NULL, "null", "null"),
    ];

    /// What a type's name stands for; `None` if it is not known.
    ///
    /// Python's names come from AdalFlow, the ones in capitals from Gemini.
    pub(crate) fn named(name: &str) -> Option<Types> {
        let name = name.trim();
        if let Some((outer, inner)) = name.split_once('[') {
            let inner = inner.strip_suffix(']')?;
            return match outer {
                "Optional" => Some(Types::union(inner, ',')?.or(Types::NULL)),
                "Union" => Types::union(inner, ','),
                // What a `List[str]` is to AdalFlow's tools has no counterpart that is sure.
                _ => None,
            };
        }
        if name.contains('|') { Types::union(name, '|') } else { Types::single(name) }
    }

    fn union(names: &str, between: char) -> Option<Types> {
        // A comma inside of brackets would be taken for one between types: such a name is not known.
        if names.contains(['[', ']']) {
            return None;
        }
        names.split(between).try_fold(Types::NONE, |sum, name| Some(sum.or(Types::single(name)?)))
    }

    fn single(name: &str) -> Option<Types> {
        let name = name.trim();
        let known = Types::EACH.iter().find(|(_, known, _)| name.eq_ignore_ascii_case(known));
        if let Some((types, _, _)) = known {
            return Some(*types);
        }
        Some(match name {
            "str" => Types::STRING,
            "int" => Types::INTEGER,
            "float" => Types::NUMBER,
            "bool" => Types::BOOLEAN,
            "list" => Types::ARRAY,
            "dict" => Types::OBJECT,
            "None" | "NoneType" => Types::NULL,
            _ => return None,
        })
    }

    /// What a `type` keyword surely permits: one name, or a list of them; `None` if one of them is not known.
    ///
    /// What AdalFlow means by a name with brackets is left to its backend.
    pub(crate) fn sure(keyword: Value<'_>) -> Option<Types> {
        match keyword.as_str() {
            Some(name) if name.contains(['[', '|']) => None,
            _ => Types::read(keyword),
        }
    }

    /// What a `type` keyword permits: one name, or a list of them; `None` if one of them is not known.
    pub(crate) fn read(keyword: Value<'_>) -> Option<Types> {
        match keyword.as_str() {
            Some(name) => Types::named(&name),
            None if keyword.is_array() => keyword
                .items()
                .try_fold(Types::NONE, |sum, item| Some(sum.or(Types::named(&item.as_str()?)?))),
            None => None,
        }
    }

    /// The smallest kind that the value is of.
    pub(crate) fn of(value: Value<'_>) -> Types {
        match value.kind() {
            Kind::Null => Types::NULL,
            Kind::Bool => Types::BOOLEAN,
            Kind::Number if is_whole(value.text()) => Types::INTEGER,
            Kind::Number => Types(8),
            Kind::String => Types::STRING,
            Kind::Array => Types::ARRAY,
            Kind::Object => Types::OBJECT,
        }
    }

    /// Whether the value is of one of these kinds.
    pub(crate) fn permit(self, value: Value<'_>) -> bool {
        self.and(Types::of(value)) != Types::NONE
    }

    pub(crate) fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(crate) fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub(crate) fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Types::NONE
    }

    /// Whether all of `other` is in here.
    pub(crate) fn has(self, other: Types) -> bool {
        self.and(other) == other
    }

    /// The kinds in here one at a time; a whole number is not told apart where every number is permitted.
    pub(crate) fn each(self) -> impl Iterator<Item = (Types, &'static str, &'static str)> {
        let whole_is_told = !self.has(Types::NUMBER);
        Types::EACH
            .into_iter()
            .filter(move |(types, ..)| self.has(*types) && (*types != Types::INTEGER || whole_is_told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_names_have_the_meaning_that_adalflow_gives_them() {
        for (name, expected) in [
            ("str", vec!["string"]),
            ("int", vec!["integer"]),
            ("float", vec!["number"]),
            ("bool", vec!["boolean"]),
            ("list", vec!["array"]),
            ("dict", vec!["object"]),
            ("None", vec!["null"]),
            ("NoneType", vec!["null"]),
            ("Optional[int]", vec!["integer", "null"]),
            ("Union[str, float]", vec!["string", "number"]),
            ("str | None", vec!["string", "null"]),
            ("Dict[str, int]", vec![]),
            ("MyClass", vec![]),
            ("STRING", vec!["string"]),
            ("Any", vec![]),
            ("Optional[Dict[str, int]]", vec![]),
            ("List[str", vec![]),
            ("", vec![]),
        ] {
            let types = Types::named(name).into_iter().flat_map(Types::each);
            assert_eq!(types.map(|(_, name, _)| name).collect::<Vec<_>>(), expected, "{name}");
        }
    }
}

//! What is wrong with a value, apart from the words for it.

use crate::format::Format;

/// Declares the flaws: `Variant "name" "what is said of the value";`, with `{}` for the [`Detail`] and `(s)` behind what it counts.
macro_rules! flaws {
    ($($(#[doc = $about:literal])* $flaw:ident $name:literal $says:literal;)*) => {
        /// What is wrong with a value. For sentences in other languages than that of
        /// [`SchemaProblem::message`](crate::SchemaProblem::message), together with a [`Detail`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Flaw {
            $($(#[doc = $about])* $flaw,)*
        }

        /// What is said of the value, in English: one a line, in the order of the flaws.
        const ENGLISH: &str = concat!($($says, "\n"),*);

        impl Flaw {
            /// Every flaw.
            pub const ALL: &[Flaw] = &[$(Self::$flaw),*];

            /// The stable name in kebab-case.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$flaw => $name,)*
                }
            }
        }
    };
}

flaws! {
    /// A member is missing.
    Missing "missing" "is missing";
    /// Nothing may stand there.
    NotAllowed "not-allowed" "is not allowed";
    /// A member may not have this name: [`Detail::Values`] has it.
    NameNotAllowed "name-not-allowed" "is not allowed";
    /// It is of another kind than those of [`Detail::Types`].
    Type "type" "must be {}";
    /// It is another value than the one of [`Detail::Values`].
    Const "const" "must be {}";
    /// It is none of the values of [`Detail::Values`].
    Enum "enum" "must be one of {}";
    /// It is less than the limit in [`Detail::Values`].
    Minimum "minimum" "must be at least {}";
    /// It is more than the limit in [`Detail::Values`].
    Maximum "maximum" "must be at most {}";
    /// It is not more than the limit in [`Detail::Values`].
    ExclusiveMinimum "exclusive-minimum" "must be more than {}";
    /// It is not less than the limit in [`Detail::Values`].
    ExclusiveMaximum "exclusive-maximum" "must be less than {}";
    /// It is no multiple of the number in [`Detail::Values`].
    MultipleOf "multiple-of" "must be a multiple of {}";
    /// It has fewer characters than [`Detail::Count`].
    MinLength "min-length" "must have at least {} character(s)";
    /// It has more characters than [`Detail::Count`].
    MaxLength "max-length" "must have at most {} character(s)";
    /// The pattern in [`Detail::Values`] is not found in it.
    Pattern "pattern" "must match the pattern {}";
    /// It is not of the format in [`Detail::Format`].
    Format "format" "must be {}";
    /// It has fewer items than [`Detail::Count`].
    MinItems "min-items" "must have at least {} item(s)";
    /// It has more items than [`Detail::Count`].
    MaxItems "max-items" "must have at most {} item(s)";
    /// It has the same item twice.
    UniqueItems "unique-items" "must not have the same item twice";
    /// It lacks an item that it must have.
    Contains "contains" "lacks an item that it must have";
    /// It has fewer items of a form than [`Detail::Count`].
    MinContains "min-contains" "must have at least {} of the items that it is to have";
    /// It has more items of a form than [`Detail::Count`].
    MaxContains "max-contains" "must have at most {} of the items that it may have";
    /// It has fewer members than [`Detail::Count`].
    MinProperties "min-properties" "must have at least {} member(s)";
    /// It has more members than [`Detail::Count`].
    MaxProperties "max-properties" "must have at most {} member(s)";
    /// It fits none of several forms.
    AnyOf "any-of" "fits none of the forms that are allowed";
    /// It fits none of several forms, or more than one.
    OneOf "one-of" "must fit exactly one of the forms that are allowed";
    /// It fits a form that is excluded.
    Not "not" "is of a form that is excluded";
}

impl Flaw {
    /// What is said of the value, in English, with `shown` at its place.
    pub(super) fn say(self, shown: &str, message: &mut String) {
        let says = ENGLISH.lines().nth(self as usize).unwrap_or_default();
        let Some((before, after)) = says.split_once("{}") else { return message.push_str(says) };
        let counted = after.strip_suffix("(s)");
        let plural = if counted.is_some() && shown != "1" { "s" } else { "" };
        for part in [before, shown, counted.unwrap_or(after), plural] {
            message.push_str(part);
        }
    }
}

/// What a sentence about a [`Flaw`] names besides the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// Nothing.
    Nothing,
    /// Kinds of values, by their names in JSON Schema.
    Types(Vec<&'static str>),
    /// A format.
    Format(Format),
    /// How many characters, items or members, in the digits of the schema. Untrusted.
    Count(String),
    /// JSON texts of the schema or a name of the value, each cut off where it is long; of many the first, and `…`. Untrusted.
    Values(Vec<String>),
}

//! Texts that other crates say in English: what the reader of JSON, the schema and the inbox find.
//!
//! Their English stays where it is found, and often says more; catalogues in other languages say it by its code. So nothing
//! but keys and places is kept of them here.

/// Declares texts as the table does. The words are for the list of texts and for tests.
macro_rules! told {
    ($(
        $(#[doc = $about:literal])*
        $name:ident $(($($place:ident),+))? = $one:literal $(| $other:literal)?;
    )*) => {
        /// The texts in the shape of the table, with their places in the place of words.
        pub(super) const TOLD: &str = concat!($(stringify!($name), "\t", $($("{", stringify!($place), "}"),+,)? "\n"),*);

        /// The keys, with the English for one and for every other number, and what each text is for.
        #[cfg(test)]
        pub(crate) const WORDS: &[(&str, &[&str], &str)] =
            &[$((stringify!($name), &[$one $(, $other)?], concat!($($about),*))),*];
    };
}

told! {
    /// A hazard.
    hazard_duplicate_key = "this key occurs more than once";
    /// A hazard.
    hazard_lone_surrogate = "the text holds half of a surrogate pair";
    /// A hazard.
    hazard_too_deep = "it is nested too deep";
    /// A hazard.
    hazard_too_large = "it is too long";
    /// A hazard.
    hazard_too_many_values = "it holds too many values";
    /// A hazard.
    hazard_not_json = "this is not JSON";
    /// A hazard.
    hazard_not_an_object = "the arguments are not an object";
    /// A hazard.
    hazard_prototype_key = "this key has a meaning of its own in JavaScript";
    /// A hazard.
    hazard_private_key = "this key has a meaning of its own in some readers";
    /// A hazard.
    hazard_rounded_number = "this number may have been rounded before it arrived";
    /// A hazard: the request itself leaves open which call will run, or with which arguments.
    hazard_args_ambiguous = "it is not clear what would run";
    /// A hazard: of the arguments, the message has the positional ones only.
    hazard_args_unnamed = "named arguments are not in this message: the call may run with more than is shown";
    /// Why an act was refused.
    refusal_unknown_request = "this request is not known here any more";
    /// Why an act was refused.
    refusal_already_decided = "it was already decided";
    /// Why an act was refused.
    refusal_not_offered = "this cannot be decided here now";
    /// Why an act was refused.
    refusal_expired = "the agent has stopped waiting";
    /// Why an act was refused.
    refusal_superseded = "the conversation has moved on";
    /// Why an act was refused.
    refusal_args_invalid = "the edited arguments cannot be sent";
    /// Why an act was refused.
    refusal_args_ambiguous = "the arguments cannot be read without doubt";
    /// Why an act was refused.
    refusal_args_changed = "the tool or the arguments are not those that were on screen";
    /// Why an act was refused.
    refusal_incomplete_answer = "a question has no answer";
    /// Why an act was refused.
    refusal_reason_required = "words are missing that the agent asks for";
    /// Why an act was refused.
    refusal_blocked = "it cannot be answered from here";
    /// Why an act was refused.
    refusal_ambiguous_request = "it is not clear which request is meant";
    /// Why an act was refused.
    refusal_words_too_long = "the words are too long";
    /// Why an act was refused.
    refusal_decision_invalid = "it is not a decision";
    /// Why an act was refused.
    refusal_unknown_outbound = "no such message is on its way";
    /// Why an act was refused.
    refusal_untrusted_event = "a script pressed the button: only a person may";
    /// Why an act was refused.
    refusal_obstructed = "something covered the button";

    /// Why a text is not JSON.
    json_byte_order_mark = "unexpected byte order mark";
    /// Why a text is not JSON.
    json_control_character = "unescaped control character in a string";
    /// Why a text is not JSON.
    json_expected_key_or_brace = "expected a key or `}`";
    /// Why a text is not JSON.
    json_expected_key = "expected a key";
    /// Why a text is not JSON.
    json_expected_colon = "expected `:`";
    /// Why a text is not JSON.
    json_expected_comma_or_brace = "expected `,` or `}`";
    /// Why a text is not JSON.
    json_expected_comma_or_bracket = "expected `,` or `]`";
    /// Why a text is not JSON.
    json_expected_value = "expected a value";
    /// Why a text is not JSON.
    json_invalid_escape = "invalid escape in a string";
    /// Why a text is not JSON.
    json_invalid_literal = "expected `true`, `false` or `null`";
    /// Why a text is not JSON.
    json_invalid_number = "expected a digit";
    /// Why a text is not JSON.
    json_invalid_utf_8 = "invalid UTF-8";
    /// Why a text is not JSON.
    json_leading_zero = "unexpected leading zero";
    /// Why a text is not JSON.
    json_not_finite = "expected a finite number";
    /// Why a text is not read.
    json_too_deep = "too many levels";
    /// Why a text is not read.
    json_too_large = "too many bytes";
    /// Why a text is not read.
    json_too_many_values = "too many values";
    /// Why a text is not JSON.
    json_trailing_text = "expected the end of the text";
    /// Why a text is not JSON.
    json_unexpected_end = "unexpected end of the text";
    /// Why a text is not JSON.
    json_unterminated_string = "expected a closing quote for the string";

    /// The place of a problem where it is all of the arguments; it begins a sentence.
    schema_value = "the value";
    /// A problem that the schema finds; the place is drawn, here and below.
    schema_missing(place) = "{place} is missing";
    /// A problem that the schema finds.
    schema_not_allowed(place) = "{place} is not allowed";
    /// A problem that the schema finds with the name of a member, which is drawn at its place.
    schema_name_not_allowed(name) = "the name {name} is not allowed";
    /// A problem that the schema finds; the kinds of values that are permitted are drawn, by the names below.
    schema_type(place, types) = "{place} must be {types}";
    /// A kind of value that is permitted.
    schema_type_string = "a string";
    /// A kind of value that is permitted.
    schema_type_number = "a number";
    /// A kind of value that is permitted.
    schema_type_integer = "a whole number";
    /// A kind of value that is permitted.
    schema_type_boolean = "true or false";
    /// A kind of value that is permitted.
    schema_type_object = "an object";
    /// A kind of value that is permitted.
    schema_type_array = "a list";
    /// Kinds of values that are permitted: some, with commas between them, and the last one.
    schema_types(some, last) = "{some} or {last}";
    /// A problem that the schema finds; the only value that is permitted is drawn.
    schema_const(place, value) = "{place} must be {value}";
    /// A problem that the schema finds; the values that are permitted are drawn.
    schema_enum(place, values) = "{place} must be one of {values}";
    /// A problem that the schema finds; the limit is drawn.
    schema_minimum(place, limit) = "{place} must be at least {limit}";
    /// A problem that the schema finds; the limit is drawn.
    schema_maximum(place, limit) = "{place} must be at most {limit}";
    /// A problem that the schema finds; the limit is drawn.
    schema_exclusive_minimum(place, limit) = "{place} must be more than {limit}";
    /// A problem that the schema finds; the limit is drawn.
    schema_exclusive_maximum(place, limit) = "{place} must be less than {limit}";
    /// A problem that the schema finds; the number is drawn.
    schema_multiple_of(place, number) = "{place} must be a multiple of {number}";
    /// A problem that the schema finds.
    schema_min_length(place, count) = "{place} must have at least {count} character" | "{place} must have at least {count} characters";
    /// A problem that the schema finds.
    schema_max_length(place, count) = "{place} must have at most {count} character" | "{place} must have at most {count} characters";
    /// A problem that the schema finds; the regular expression is drawn.
    schema_pattern(place, pattern) = "{place} must match the pattern {pattern}";
    /// A problem that the schema finds; a kind of text, such as that of `type_date`, is drawn.
    schema_format(place, format) = "{place} must be {format}";
    /// A problem that the schema finds.
    schema_min_items(place, count) = "{place} must have at least {count} item" | "{place} must have at least {count} items";
    /// A problem that the schema finds.
    schema_max_items(place, count) = "{place} must have at most {count} item" | "{place} must have at most {count} items";
    /// A problem that the schema finds.
    schema_unique_items(place) = "{place} must not have the same item twice";
    /// A problem that the schema finds.
    schema_contains(place) = "{place} lacks an item that it must have";
    /// A problem that the schema finds.
    schema_min_contains(place, count) = "{place} must have at least {count} of the items that it is to have";
    /// A problem that the schema finds.
    schema_max_contains(place, count) = "{place} must have at most {count} of the items that it may have";
    /// A problem that the schema finds.
    schema_min_properties(place, count) = "{place} must have at least {count} member" | "{place} must have at least {count} members";
    /// A problem that the schema finds.
    schema_max_properties(place, count) = "{place} must have at most {count} member" | "{place} must have at most {count} members";
    /// A problem that the schema finds.
    schema_any_of(place) = "{place} fits none of the forms that are allowed";
    /// A problem that the schema finds.
    schema_one_of(place) = "{place} must fit exactly one of the forms that are allowed";
    /// A problem that the schema finds.
    schema_not(place) = "{place} is of a form that is excluded";
    /// When a schema cannot be read: why, and where.
    schema_unreadable(why, at) = "the schema cannot be read: {why} at byte {at}";
    /// When a schema cannot be held against arguments.
    schema_too_much = "the arguments cannot be checked: the schema has no end, or asks for too much";
}

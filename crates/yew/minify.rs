//! Stylesheets without what only people read.

/// The stylesheet without comments, indentation, and spaces that mean nothing. Quoted text stays as it is.
pub(crate) fn minify(source: &str) -> String {
    let mut rest = source;
    let mut small = String::with_capacity(source.len());
    // A space is written only once it is known what follows it.
    let mut space = false;
    while let Some(character) = rest.chars().next() {
        if let Some((_, after)) = rest.strip_prefix("/*").and_then(|comment| comment.split_once("*/")) {
            (rest, space) = (after, true);
            continue;
        }
        let length = if character == '"' { quoted(rest) } else { character.len_utf8() };
        let (token, after) = rest.split_at(length);
        rest = after;
        if character.is_whitespace() {
            space = true;
            continue;
        }
        if character == '}' && small.ends_with(';') {
            small.pop();
        }
        // Before a colon a space is a descendant: `.card :is(…)`; after one it is nothing.
        let idle =
            small.ends_with(['{', '}', ';', ',', ':', '>']) || matches!(character, '{' | '}' | ';' | '>');
        if space && !idle && !small.is_empty() {
            small.push(' ');
        }
        space = false;
        small.push_str(token);
    }
    small
}

/// How long the text in quotation marks is that stands at the beginning, with them, in bytes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return at + 1,
            _ => escaped = character == '\\' && !escaped,
        }
    }
    text.len()
}

//! Quiet facts beside a value: where an address leads, and which letters, digits and signs are not what they seem.

use countersign_core::lookalike::{Odd, Script, digit, odd, signs};
use yew::prelude::*;

use crate::address::{Address, Reach, addresses};
use crate::escapes::{chip, is_hidden};
use crate::fold::{foldable, foldable_name};
use crate::messages::Messages;
use crate::node::{Attribute, Tag, list, words};
use crate::piece::Stage;
use crate::text::around;
use crate::variants::Tone;

use super::text::is_code;

/// How much of a text is searched for addresses, in bytes.
const SEARCHED: usize = 256 << 10;

/// How many facts are drawn; the others are counted.
const MOST: usize = 6;

/// How long a name may be, in bytes.
const NAME: usize = 400;

/// Keys under which paths stand, which may have spaces.
const PATHS: &[&str] = &[
    "path",
    "file",
    "filename",
    "file_path",
    "filepath",
    "dir",
    "directory",
    "folder",
    "target",
    "destination",
];

/// Which letters of a key are not what they seem.
pub(super) fn key_aside(key: &str, stage: &Stage) -> Option<Html> {
    let messages = stage.messages();
    let odd = odd(key, false)?;
    let key = Tag::new("code", "cs-code").child(foldable_name(key, false, stage)).html();
    let letters = [&messages.separator(), letters(&odd, messages).as_str()].concat();
    Some(aside(Tone::Attention, list(vec![key, words(letters)])))
}

/// How deep a row stands.
pub(super) fn level_aside(level: usize, stage: &Stage) -> Html {
    aside(Tone::Plain, words(stage.messages().level(level)))
}

/// Whether there is a fact about a string that stands under this key, beyond what anyone reads in it.
pub(super) fn has_asides(key: Option<&str>, content: &str) -> bool {
    let searched = content.get(..content.floor_char_boundary(SEARCHED)).unwrap_or_default();
    let found = addresses(searched);
    // Who takes one of these signs for another end of the host reads another one.
    let is_unclear = found.len() > 1 || (!found.is_empty() && content.contains(['@', '\\']));
    is_unclear
        || !found.iter().all(Address::is_plain)
        || if found.is_empty() && is_name(key, content) {
            odd(content, false).is_some()
        } else {
            !signs(searched, key.is_some_and(|key| is_code(key, content))).is_empty()
        }
}

/// The facts about a string that stands under this key.
pub(crate) fn asides(key: Option<&str>, content: &str, stage: &Stage) -> Vec<Html> {
    let messages = stage.messages();
    let mut facts = Vec::new();
    let searched = content.get(..content.floor_char_boundary(SEARCHED)).unwrap_or_default();
    let found = addresses(searched);
    let told = if found.is_empty() && is_name(key, content) {
        odd(content, false).map(|odd| letters(&odd, messages))
    } else {
        let signs = signs(searched, key.is_some_and(|key| is_code(key, content)));
        (!signs.is_empty()).then(|| look_alike_signs(&signs, messages))
    };
    facts.extend(told.map(|told| aside(Tone::Attention, words(told))));
    let others = found.len().saturating_sub(MOST);
    for address in found.iter().take(MOST) {
        facts.push(fact(address, stage));
    }
    if others > 0 {
        facts.push(aside(Tone::Plain, words(messages.more(others))));
    }
    facts
}

/// The facts about a name that says where something comes from; of most there is nothing to say.
pub(crate) fn origin_asides(name: &str, stage: &Stage) -> Vec<Html> {
    // What stands before an `@` could be taken for the host.
    match name.is_ascii() && !name.contains('@') {
        true => Vec::new(),
        // As of a path, which may have spaces.
        false => asides(Some("path"), name, stage),
    }
}

/// Whether a string names something, as a path or an identifier does: its letters are examined.
pub(super) fn is_name(key: Option<&str>, content: &str) -> bool {
    content.len() <= NAME
        && (!content.contains(char::is_whitespace) || key.is_some_and(|key| PATHS.contains(&key)))
}

fn aside(tone: Tone, content: Html) -> Html {
    Tag::new("span", "cs-aside").part("aside").with(Attribute::Tone, tone.as_str()).child(content).html()
}

/// Where an address leads.
fn fact(address: &Address, stage: &Stage) -> Html {
    let messages = stage.messages();
    let code = |content: Html| Tag::new("code", "cs-code").child(content).html();
    let Some(host) = &address.host else {
        let scheme = code(foldable(&[&address.scheme, ":"].concat(), stage));
        return match address.is_script() {
            true => aside(Tone::Attention, around(&messages.scheme_runs(), scheme)),
            false => aside(Tone::Plain, around(&messages.scheme_is(), scheme)),
        };
    };
    let port = address.port.as_ref().map(|port| [":", port].concat()).unwrap_or_default();
    let mut facts =
        vec![around(&messages.host_is(), code(foldable(&[&host.name, port.as_str()].concat(), stage)))];
    let mut tone = Tone::Plain;
    if !address.is_web() {
        facts.push(around(&messages.scheme_is(), code(foldable(&address.scheme, stage))));
    }
    if let Some(written) = &host.written {
        tone = Tone::Attention;
        // Numbers in another form stand in the address itself.
        match odd(written, false) {
            Some(odd) => facts.push(words(letters(&odd, messages))),
            None if written.is_ascii() => {}
            None => facts.push(code(foldable_name(written, false, stage))),
        }
    }
    match host.reach {
        Reach::Machine => facts.push(words(messages.this_machine())),
        Reach::Network => facts.push(words(messages.private_network())),
        Reach::World => {}
    }
    // A user name with a point could be taken for the host.
    if let Some(user) = address.user.as_ref().filter(|user| user.contains('.')) {
        tone = Tone::Attention;
        let before = user.split(':').next().unwrap_or_default();
        facts.push(around(&messages.before_the_host(), code(foldable(before, stage))));
    }
    let mut row = Vec::new();
    for fact in facts {
        if !row.is_empty() {
            row.push(words(messages.separator()));
        }
        row.push(fact);
    }
    aside(tone, list(row))
}

/// Which letters, digits and signs of a name are not what they seem, in sentences.
pub(crate) fn letters(odd: &Odd, messages: &Messages) -> String {
    let signs = || look_alike_signs(&odd.signs, messages);
    if odd.letters.is_empty() {
        return signs();
    }
    let about = |(letter, script): &(char, Script)| (*letter, [&*alphabet(*script, messages), " "].concat());
    let letters = named(&odd.letters.iter().map(about).collect::<Vec<_>>());
    let told = if odd.whole { messages.not_latin(&letters) } else { messages.look_alikes(&letters) };
    if odd.signs.is_empty() { told } else { [&*told, &messages.separator(), &signs()].concat() }
}

/// What an alphabet is called.
fn alphabet(script: Script, messages: &Messages) -> AttrValue {
    match script {
        Script::Latin => messages.alphabet_latin(),
        Script::Greek => messages.alphabet_greek(),
        Script::Cyrillic => messages.alphabet_cyrillic(),
        Script::Armenian => messages.alphabet_armenian(),
        Script::Hebrew => messages.alphabet_hebrew(),
        Script::Arabic => messages.alphabet_arabic(),
        Script::Georgian => messages.alphabet_georgian(),
        Script::Cherokee => messages.alphabet_cherokee(),
        Script::Coptic => messages.alphabet_coptic(),
        Script::Lisu => messages.alphabet_lisu(),
        Script::Styled => messages.alphabet_styled(),
    }
}

fn look_alike_signs(signs: &[char], messages: &Messages) -> String {
    let worth = |sign: &char| digit(*sign).map(|digit| [&digit.to_string(), ", "].concat());
    let about = |sign: &char| (*sign, worth(sign).unwrap_or_default());
    messages.look_alike_signs(&named(&signs.iter().map(about).collect::<Vec<_>>()))
}

/// Characters, each with what is said of it and its code.
#[inline(never)]
fn named(characters: &[(char, String)]) -> String {
    let mut named = String::new();
    for (character, about) in characters {
        if !named.is_empty() {
            named.push_str(", ");
        }
        if is_hidden(*character) {
            named.push_str(&chip(*character))
        } else {
            named.push(*character)
        }
        let code = chip(*character);
        let digits = code.trim_start_matches("\\u{").trim_end_matches('}');
        let padding = "0".get(..4_usize.saturating_sub(digits.len()).min(1)).unwrap_or_default();
        for part in [" (", about, "U+", padding, digits, ")"] {
            named.push_str(part);
        }
    }
    named
}

//! Keys that act while the focus is within a card, and only then.

use std::rc::Rc;

use yew::prelude::*;

use crate::piece::is_stroke;

/// The keys that act while the focus is within a card.
///
/// Each may be another one or none at all (WCAG 2.1.4). None is ever a bare key: what is typed must not decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    /// Approves the call.
    pub approve: Option<Shortcut>,
    /// Opens the arguments for an edit.
    pub edit: Option<Shortcut>,
}

impl Default for Shortcuts {
    /// `Mod+Enter` and `Mod+E`.
    fn default() -> Shortcuts {
        Shortcuts { approve: Shortcut::read("Mod+Enter"), edit: Shortcut::read("Mod+E") }
    }
}

impl Shortcuts {
    /// No key acts.
    #[must_use]
    pub fn none() -> Shortcuts {
        Shortcuts { approve: None, edit: None }
    }
}

/// A key with at least one of Ctrl, Cmd and Alt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// As the browser names it, in lower case.
    key: Rc<str>,
    command: bool,
    alt: bool,
    shift: bool,
}

impl Shortcut {
    /// Reads `Mod+Enter`, `Mod+Shift+E`, `Alt+A`: `Mod` is Ctrl or Cmd. `None`: it is none, or a bare key.
    #[must_use]
    pub fn read(text: &str) -> Option<Shortcut> {
        let mut shortcut = Shortcut { key: Rc::from(""), command: false, alt: false, shift: false };
        let mut parts = text.split('+').map(str::trim).peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                shortcut.key = part.to_ascii_lowercase().into();
                break;
            }
            match part.to_ascii_lowercase().as_str() {
                "mod" | "ctrl" | "cmd" | "meta" => shortcut.command = true,
                "alt" => shortcut.alt = true,
                "shift" => shortcut.shift = true,
                _ => return None,
            }
        }
        let is_bound = shortcut.command || shortcut.alt;
        (is_bound && !shortcut.key.is_empty()).then_some(shortcut)
    }

    /// Whether a key that was pressed once, outside of an input method, is this one.
    pub(crate) fn is(&self, key: &KeyboardEvent) -> bool {
        key.key().to_ascii_lowercase() == *self.key
            && (key.ctrl_key() || key.meta_key()) == self.command
            && key.alt_key() == self.alt
            && key.shift_key() == self.shift
            && is_stroke(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r29_a_bare_key_is_no_shortcut() {
        for text in ["a", "y", "Enter", "1", " ", "Shift+A", "", "Mod+", "Hyper+A"] {
            assert_eq!(Shortcut::read(text), None, "{text}");
        }
        for text in ["Mod+Enter", "Ctrl+Shift+A", "Alt+y", "cmd + E"] {
            assert!(Shortcut::read(text).is_some(), "{text}");
        }
    }
}

//! What was said, kept in the page's storage for systems whose history leaves out the person's words.

use crate::browser;
use crate::chat::transcript::Bubble;
use crate::settings::Settings;

use super::Page;

/// What was said in this conversation before.
pub(super) fn said(settings: &Settings, context: &str) -> Vec<Bubble> {
    let stored = key(settings, context).and_then(|key| browser::stored(&key));
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

impl Page {
    /// Keeps what was said since.
    pub(super) fn keep(&mut self) {
        let count = self.shell(|shell| shell.bubbles().len());
        if count == self.kept {
            return;
        }
        let said = self.shell(|shell| serde_json::to_string(shell.bubbles()));
        if let (Some(key), Ok(said)) = (key(&self.settings, &self.talk.context), said) {
            browser::store(&key, &said);
        }
        self.kept = count;
    }
}

/// Where it is kept; `None` where the history has it all.
fn key(settings: &Settings, context: &str) -> Option<String> {
    let keeps = settings.wire.system().keeps_words();
    (!keeps).then(|| format!("countersign-demo:said:{}:{context}", settings.name()))
}

//! What was said, kept in the page's storage for systems whose history leaves out the person's words.

use crate::browser;
use crate::chat::transcript::Bubble;

use super::Page;

impl Page {
    /// Shows what was said in this conversation before.
    pub(super) fn recall(&mut self) {
        let stored = self.memory().and_then(|key| browser::stored(&key));
        let said: Option<Vec<Bubble>> = stored.and_then(|text| serde_json::from_str(&text).ok());
        self.shell.recall(said.unwrap_or_default());
        self.kept = self.shell.bubbles().len();
    }

    /// Keeps what was said since.
    pub(super) fn keep(&mut self) {
        let said = self.shell.bubbles();
        if said.len() == self.kept {
            return;
        }
        if let (Some(key), Ok(text)) = (self.memory(), serde_json::to_string(said)) {
            browser::store(&key, &text);
        }
        self.kept = said.len();
    }

    /// Where it is kept; `None` where the history has it all.
    fn memory(&self) -> Option<String> {
        let keeps = self.settings.wire.system().keeps_words();
        (!keeps).then(|| format!("countersign-demo:said:{}:{}", self.settings.name(), self.context))
    }
}

//! Who speaks: names of agents that stand on message after message.

use std::sync::Arc;

/// The agents that led to the last call; the next one mostly has the same, and shares them.
#[derive(Default)]
pub(crate) struct Speaker {
    path: Arc<[Arc<str>]>,
}

impl Speaker {
    /// This name, shared.
    pub(crate) fn name(&self, name: &str) -> Arc<str> {
        self.path.first().filter(|known| ***known == *name).map_or_else(|| Arc::from(name), Arc::clone)
    }

    /// The path of these agents, outermost first.
    pub(crate) fn path(&mut self, outer: Option<Arc<str>>, inner: Option<&str>) -> Arc<[Arc<str>]> {
        let names = || outer.as_deref().into_iter().chain(inner);
        if !names().eq(self.path.iter().map(|name| &**name)) {
            let inner = inner.map(Arc::from);
            self.path = outer.into_iter().chain(inner).collect();
        }
        Arc::clone(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_agents_are_shared_and_others_are_not() {
        let mut speaker = Speaker::default();
        let path = |speaker: &mut Speaker, outer: Option<&str>, inner| {
            let outer = outer.map(|outer| speaker.name(outer));
            speaker.path(outer, inner)
        };
        let first = path(&mut speaker, Some("a"), None);
        let again = path(&mut speaker, Some("a"), None);
        assert!(Arc::ptr_eq(&first, &again) && Arc::ptr_eq(&first[0], &speaker.name("a")));
        let inner = path(&mut speaker, Some("a"), Some("b"));
        assert_eq!(inner.iter().map(|name| &**name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(path(&mut speaker, Some("b"), None)[0].as_ref(), "b");
        assert_eq!(path(&mut speaker, None, Some("a"))[0].as_ref(), "a");
        assert!(path(&mut speaker, None, None).is_empty());
    }
}

//! What a shell has drawn, which draws again only what it is told of.

use std::collections::BTreeMap;

use countersign_core::{Inbox, Output, RequestView, Status};

/// The views of an inbox as a shell keeps them, by key.
#[derive(Default)]
pub struct Drawn(BTreeMap<u32, RequestView>);

impl Drawn {
    /// Takes up what an input brought, after what became due was taken.
    ///
    /// # Errors
    /// A card looks different although nobody said so.
    pub fn draw(&mut self, outputs: &[Output], inbox: &Inbox) -> Result<(), String> {
        for output in outputs {
            match output {
                Output::Changed(key) => drop(self.0.remove(key)),
                Output::Recounted(key) => {
                    if let (Some(view), Some(fresh)) = (self.0.get_mut(key), inbox.view(*key)) {
                        view.batch = fresh.batch;
                    }
                }
                _ => {}
            }
        }
        for view in inbox.views() {
            let drawn = self.0.entry(view.key).or_insert_with(|| view.clone());
            // What is taken to be sent says so by itself.
            let taken = view.status == Status::Sending && drawn.status == Status::Sending;
            if *drawn != view && !taken {
                return Err(format!(
                    "nobody said that a card looks different; drawn: {drawn:#?}, now: {view:#?}"
                ));
            }
            *drawn = view;
        }
        Ok(())
    }
}

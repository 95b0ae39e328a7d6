//! One after the other.

use std::cell::Cell;

use super::pause;

/// How often is looked whether it is somebody's turn, in milliseconds.
const LOOK: u32 = 10;

/// Something that one at a time does.
#[derive(Debug, Default)]
pub(crate) struct Turn(Cell<bool>);

/// Somebody's turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Taken<'t>(&'t Turn);

impl Turn {
    /// Waits for a turn.
    pub(crate) async fn take(&self) -> Taken<'_> {
        loop {
            if let Some(taken) = self.try_take() {
                return taken;
            }
            pause::sleep(LOOK).await;
        }
    }

    /// A turn, unless somebody has it.
    pub(crate) fn try_take(&self) -> Option<Taken<'_>> {
        (!self.0.replace(true)).then_some(Taken(self))
    }

    /// Whether somebody has it.
    pub(crate) fn is_taken(&self) -> bool {
        self.0.get()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.0.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_it() {
        let turn = Turn::default();
        let taken = turn.try_take();
        assert!(taken.is_some() && turn.is_taken() && turn.try_take().is_none());
        drop(taken);
        assert!(!turn.is_taken() && turn.try_take().is_some());
    }
}

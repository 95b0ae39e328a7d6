//! Programs that run as long as the demo does.

use std::process::Child;

use crate::failure::{Attempt, Failure};

/// Started programs. They end when this value goes away, however that comes.
#[derive(Debug, Default)]
pub(super) struct Children(Vec<(String, Child)>);

impl Children {
    pub(super) fn add(&mut self, name: &str, child: Child) {
        self.0.push((name.to_owned(), child));
    }

    /// Fails when one of them has ended by itself.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        for (name, child) in &mut self.0 {
            if let Some(status) = child.try_wait().attempting(|| format!("look after {name}"))? {
                return Err(Failure::new(format!("{name} has ended ({status})")));
            }
        }
        Ok(())
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            // Both fail only for a program that has already ended.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// A program that fails at once.
    fn failing() -> Child {
        Command::new(env!("CARGO")).arg("no-such-command").stderr(Stdio::null()).spawn().unwrap()
    }

    /// A program that goes on for a minute.
    #[cfg(unix)]
    fn lasting() -> Child {
        Command::new("sleep").arg("60").spawn().unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn programs_end_with_the_value_that_holds_them() {
        let mut children = Children::default();
        children.add("sleep", lasting());
        children.check().unwrap();
        let started = Instant::now();
        drop(children);
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_that_ends_by_itself_is_told() {
        let mut children = Children::default();
        children.add("Trunk", failing());
        let limit = Instant::now() + Duration::from_secs(60);
        let failure = loop {
            if let Err(failure) = children.check() {
                break failure.to_string();
            }
            assert!(Instant::now() < limit, "the program goes on");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(failure.starts_with("Trunk has ended ("), "{failure}");
    }
}

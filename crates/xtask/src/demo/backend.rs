//! A real framework behind the demo page.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::children::Children;
use crate::failure::{Attempt, Failure};
use crate::files;
use crate::invocation::Invocation;
use crate::tools::python;
use crate::workspace::Workspace;

/// How long a framework may take to start; importing them takes seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Makes the Python environment of the framework and returns its Python.
pub(super) fn prepare(workspace: &Workspace, name: &str) -> Result<PathBuf, Failure> {
    workspace.require(&format!("tests/backends/{name}.py"))?;
    python::environment(workspace, name)
}

/// Starts the framework for pages of `origin` and returns the query that makes the demo page use it.
///
/// Only who knows the token is answered, and it is new each time. `None`: Ctrl+C came first.
pub(super) fn start(
    workspace: &Workspace,
    name: &str,
    python: &Path,
    origin: &str,
    children: &mut Children,
    stop: &AtomicBool,
) -> Result<Option<String>, Failure> {
    let token = token()?;
    let mut child = Invocation::new(python)
        .arg(workspace.path(&format!("tests/backends/{name}.py")))
        .args(["--port", "0", "--origin", origin, "--token", &token])
        .env("PYTHONUNBUFFERED", "1")
        .folder(workspace.root())
        .start(Stdio::piped())?;
    let output = child.stdout.take().ok_or_else(|| Failure::new(format!("{name} has no output")))?;
    children.add(name, child);
    let lines = show(name.to_owned(), BufReader::new(output));
    let address = ready(name, &lines, children, stop)?;
    Ok(address.map(|address| format!("?backend={name}&url={address}&token={token}")))
}

/// Prints what the framework prints, and hands on the address it names.
fn show(name: String, output: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            println!("   {name}: {line}");
            if let Some(address) = address(&line) {
                // Nobody listens any more once one address was read.
                sender.send(address.to_owned()).ok();
            }
        }
    });
    receiver
}

/// Reads `ready http://127.0.0.1:8000`.
fn address(line: &str) -> Option<&str> {
    line.strip_prefix("ready ").map(str::trim).filter(|address| address.starts_with("http://127.0.0.1:"))
}

fn ready(
    name: &str,
    addresses: &Receiver<String>,
    children: &mut Children,
    stop: &AtomicBool,
) -> Result<Option<String>, Failure> {
    let started = Instant::now();
    while !stop.load(Ordering::SeqCst) {
        match addresses.recv_timeout(super::PAUSE) {
            Ok(address) => return Ok(Some(address)),
            Err(RecvTimeoutError::Timeout) => {}
            // Its output has ended; how it ended is known in a moment.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(super::PAUSE),
        }
        children.check()?;
        if started.elapsed() > PATIENCE {
            return Err(Failure::new(format!("{name} was not ready after {} seconds", PATIENCE.as_secs())));
        }
    }
    Ok(None)
}

/// 128 random bits as text.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).attempting(|| "make a token".into())?;
    Ok(files::hexadecimal(&bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn only_local_addresses_are_taken() {
        let check = |line, expected| assert_eq!(address(line), expected, "{line}");
        check("ready http://127.0.0.1:8000", Some("http://127.0.0.1:8000"));
        check("ready http://example.org:80", None);
        check("not ready http://127.0.0.1:8000", None);
    }

    #[test]
    fn the_address_is_found_among_other_lines() {
        let lines = show("kagent".into(), Cursor::new("importing\nready http://127.0.0.1:8000\nserving\n"));
        let address = ready("kagent", &lines, &mut Children::default(), &AtomicBool::new(false)).unwrap();
        assert_eq!(address.as_deref(), Some("http://127.0.0.1:8000"));
    }

    #[test]
    fn a_stop_ends_the_waiting() {
        let (_sender, nothing) = mpsc::channel();
        let address = ready("kagent", &nothing, &mut Children::default(), &AtomicBool::new(true)).unwrap();
        assert_eq!(address, None);
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}

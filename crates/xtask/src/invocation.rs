//! Running other programs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Attempt, Failure};

/// How long a program may take whose output is read; the slowest takes a third of it.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// A program with its arguments, not yet started.
#[derive(Debug)]
pub(crate) struct Invocation {
    command: Command,
    shown: String,
}

impl Invocation {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let shown = Path::new(program).file_stem().unwrap_or(program).to_string_lossy().into_owned();
        Self { command: Command::new(program), shown }
    }

    /// The Cargo that runs this command.
    pub(crate) fn cargo() -> Self {
        Self::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// The same, but everything else on the machine goes first, where that can be said.
    pub(crate) fn patient_cargo() -> Self {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        if cfg!(unix) { Self::new("nice").args(["-n", "19"]).arg(cargo) } else { Self::new(cargo) }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        self.shown.push(' ');
        self.shown.push_str(&argument.to_string_lossy());
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Lets the program find other programs in `folders` first.
    pub(crate) fn path_first(self, folders: &[PathBuf]) -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        let all = folders.iter().cloned().chain(env::split_paths(&path));
        match env::join_paths(all) {
            Ok(joined) => self.env("PATH", joined),
            // A folder with a path separator in its name cannot be put on the path; the program says what it misses.
            Err(_) => self,
        }
    }

    /// Runs to the end; what the program prints goes to the terminal.
    ///
    /// # Errors
    /// The program cannot be started, or ends with another code than 0.
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        self.announce();
        let status = self.command.status().attempting(|| format!("start `{}`", self.program()))?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::new(format!("`{}` failed ({status})", self.brief())))
        }
    }

    /// Runs to the end; `read` sees every line that the program prints, after it went to the terminal.
    ///
    /// Returns whether the program ended with code 0.
    ///
    /// # Errors
    /// The program cannot be started, or does not end within half an hour: then it is ended.
    pub(crate) fn run_reading(self, read: impl FnMut(&str)) -> Result<bool, Failure> {
        self.run_within(PATIENCE, read)
    }

    fn run_within(mut self, patience: Duration, mut read: impl FnMut(&str)) -> Result<bool, Failure> {
        self.announce();
        self.command.stdout(Stdio::piped());
        let mut child = self.command.spawn().attempting(|| format!("start `{}`", self.program()))?;
        let (sender, lines) = mpsc::channel();
        // What the program started may keep its output open after its end, so nobody waits for this thread.
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                let mut line = Vec::new();
                // Not `lines()`: what is not UTF-8 must be shown too.
                while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                    if sender.send(std::mem::take(&mut line)).is_err() {
                        break;
                    }
                }
            });
        }
        let end = Instant::now() + patience;
        loop {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let text = String::from_utf8_lossy(&line);
                    print!("{text}");
                    read(text.trim_end());
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // It may have ended in this very moment.
                    let _ = child.kill();
                    let _ = child.wait();
                    let minutes = patience.as_secs() / 60;
                    return Err(Failure::new(format!(
                        "`{}` did not end within {minutes} minutes",
                        self.brief()
                    )));
                }
            }
        }
        let status = child.wait().attempting(|| format!("wait for `{}`", self.program()))?;
        Ok(status.success())
    }

    /// What the program prints, when it can be started and ends with code 0. Nothing goes to the terminal.
    pub(crate) fn text(mut self) -> Option<String> {
        let output = self.command.stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts the program and goes on. With `Stdio::piped()` its output can be read from the child.
    pub(crate) fn start(mut self, output: Stdio) -> Result<Child, Failure> {
        self.announce();
        self.command.stdin(Stdio::null()).stdout(output);
        self.command.spawn().attempting(|| format!("start `{}`", self.program()))
    }

    fn announce(&self) {
        println!("   $ {}", self.shown);
    }

    fn program(&self) -> String {
        self.command.get_program().to_string_lossy().into_owned()
    }

    /// The first words of what runs: enough to recognise it in a sentence.
    fn brief(&self) -> String {
        self.shown.split(' ').take(3).collect::<Vec<_>>().join(" ")
    }
}

/// `RUSTFLAGS` for what is published: small, and without the folders of the machine that builds in the messages of panics.
///
/// In the form of `CARGO_ENCODED_RUSTFLAGS`, which allows blanks in the folders.
pub(crate) fn published_flags(root: &Path, cargo_home: &Path) -> OsString {
    let mut flags = OsString::from("--remap-path-prefix=");
    flags.push(cargo_home);
    flags.push("=/cargo\u{1f}--remap-path-prefix=");
    flags.push(root);
    flags.push("=/countersign");
    // The digest's rounds in a loop instead of written out: six kilobytes less to download.
    flags.push("\u{1f}--cfg\u{1f}sha2_backend_soft=\"compact\"");
    // Nothing is copied into its callers that makes them larger, and the library's many hints to do so count for little:
    // together they would cost three kilobytes and bring nothing to measure.
    flags.push("\u{1f}-Cllvm-args=-inline-threshold=0\u{1f}-Cllvm-args=-inlinehint-threshold=25");
    flags
}

/// More `RUSTFLAGS` where the standard library is built too: a panic, which none of our code has, is a trap without a
/// sentence, so the sentences and the formatting for them are left out.
pub(crate) const TRAP_ON_PANIC: &str = "\u{1f}-Zunstable-options\u{1f}-Cpanic=immediate-abort";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command() {
        let failure = Invocation::cargo().arg("no-such-command").run().unwrap_err().to_string();
        assert!(failure.starts_with("`cargo no-such-command` failed"), "{failure}");
    }

    #[test]
    fn every_line_is_read() {
        let mut lines = Vec::new();
        let good =
            Invocation::cargo().arg("--version").run_reading(|line| lines.push(line.to_owned())).unwrap();
        assert!(good);
        assert!(lines.first().is_some_and(|line| line.starts_with("cargo ")), "{lines:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let endless = Invocation::new("sleep").arg("600");
        let failure = endless.run_within(Duration::from_millis(50), |_| {}).unwrap_err().to_string();
        assert!(failure.contains("did not end within 0 minutes"), "{failure}");
    }

    #[test]
    fn a_program_that_is_not_there_gives_no_text() {
        assert_eq!(Invocation::new("no-such-program-anywhere").text(), None);
    }
}

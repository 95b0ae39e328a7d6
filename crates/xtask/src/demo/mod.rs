//! The demo page, served while it is worked on.

mod backend;
mod children;
mod page;

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::arguments::DemoOptions;
use crate::failure::{Attempt, Failure};
use crate::invocation::{Invocation, published_flags};
use crate::tools::{cargo_home, folders_of, node, rust_target, trunk, wasm_bindgen, wasm_opt};
use crate::workspace::Workspace;
use children::Children;

/// The real frameworks that can be started.
pub(crate) const BACKENDS: &[&str] = &["kagent", "adk", "langgraph", "haystack", "adalflow"];

/// How often the state of the started programs is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves the page until Ctrl+C.
pub(crate) fn run(workspace: &Workspace, options: &DemoOptions) -> Result<(), Failure> {
    if let Some(name) = &options.backend {
        check_backend(name)?;
    }
    workspace.require("www/index.html")?;
    println!("Setting up");
    rust_target::prepare(workspace)?;
    let program = trunk::prepare(workspace)?;
    let server = trunk(workspace, &program)?;
    let python = options.backend.as_deref().map(|name| backend::prepare(workspace, name)).transpose()?;

    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stop);
    ctrlc::set_handler(move || signal.store(true, Ordering::SeqCst))
        .attempting(|| "listen for Ctrl+C".into())?;

    let port = options.port.map_or_else(free_port, Ok)?;
    let origin = format!("http://127.0.0.1:{port}");
    let mut children = Children::default();
    let query = match (&options.backend, &python) {
        (Some(name), Some(python)) => {
            println!("Starting {name}");
            match backend::start(workspace, name, python, &origin, &mut children, &stop)? {
                Some(query) => query,
                None => return Ok(()),
            }
        }
        _ => String::new(),
    };

    println!("Building the page: a few minutes the first time, seconds later");
    let mut server = server.args(["serve", "--address", "127.0.0.1", "--port", &port.to_string()]);
    if options.release {
        server = server.arg("--release");
    }
    children.add("Trunk", server.start(Stdio::inherit())?);
    let address = format!("{origin}/{query}");
    let mut shown = false;
    while !stop.load(Ordering::SeqCst) {
        children.check()?;
        if !shown && page::is_served(port) {
            shown = true;
            println!("\n   The demo is at {address}\n   Ctrl+C ends it.\n");
            if !options.no_open {
                page::open(&address);
            }
        }
        thread::sleep(PAUSE);
    }
    println!("\nEnded");
    Ok(())
}

/// Builds the page as it is published, into `target/www`.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    workspace.require("www/index.html")?;
    let program = trunk::prepare(workspace)?;
    trunk(workspace, &program)?
        .args(["build", "--release"])
        .env("CARGO_ENCODED_RUSTFLAGS", published_flags(workspace.root(), &cargo_home().unwrap_or_default()))
        .run()
}

/// Trunk with everything it needs on its path, ready for arguments.
pub(crate) fn trunk(workspace: &Workspace, program: &Path) -> Result<Invocation, Failure> {
    rust_target::prepare(workspace)?;
    let bindgen = wasm_bindgen::prepare(workspace)?;
    // `wasm-opt` is a script: it needs Node.js on the path too.
    let node = node::prepare()?;
    let mut folders = folders_of(&[&bindgen, &node]);
    folders.insert(0, wasm_opt::folder(workspace)?);
    Ok(Invocation::new(program)
        .path_first(&folders)
        .folder(workspace.root())
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // Trunk takes the variable for its option of the same name, and `1` is no value of that.
        .without_env("NO_COLOR"))
}

fn check_backend(name: &str) -> Result<(), Failure> {
    if BACKENDS.contains(&name) {
        Ok(())
    } else {
        Err(Failure::new(format!("there is no backend `{name}`; there is {}", BACKENDS.join(", "))))
    }
}

/// A port of this machine that nobody uses now.
fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).attempting(|| "find a free port".into())?;
    Ok(listener.local_addr().attempting(|| "find a free port".into())?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_that_are_not_there_get_a_sentence() {
        let check = |name, expected: &str| assert_eq!(check_backend(name).unwrap_err().to_string(), expected);
        let there = BACKENDS.join(", ");
        check("kagents", &format!("there is no backend `kagents`; there is {there}"));
        assert!(BACKENDS.iter().all(|name| check_backend(name).is_ok()));
    }

    #[test]
    fn a_free_port_can_be_used() {
        let port = free_port().unwrap();
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
    }
}

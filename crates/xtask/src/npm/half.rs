//! The two wasm files: with the element, and without any interface.

use std::path::{Path, PathBuf};
use std::thread;

use super::split::{DECIDING, EDITING, POLICY, REST, SCHEMA, without_addresses};
use crate::failure::Failure;
use crate::files;
use crate::invocation::{Invocation, TRAP_ON_PANIC, published_flags};
use crate::tools::{cargo_home, rust_target, wasm_bindgen, wasm_opt};
use crate::workspace::Workspace;

/// One wasm with the JavaScript around it.
pub(crate) struct Half {
    pub(crate) name: &'static str,
    /// Features of the crate.
    features: &'static [&'static str],
    /// What is not in its first file.
    pub(crate) parts: &'static [&'static str],
}

/// The adapters, each a module of `crates/protocols`.
pub(crate) const ADAPTERS: &[&str] = &["a2a", "adalflow", "adk", "haystack", "langgraph"];

pub(crate) const HALVES: &[Half] = &[
    Half {
        name: "countersign",
        features: &["--features", "element"],
        parts: &["a2a", "adalflow", "adk", "haystack", "langgraph", SCHEMA, POLICY, EDITING, DECIDING, REST],
    },
    Half {
        name: "headless",
        features: &[],
        parts: &["a2a", "adalflow", "adk", "haystack", "langgraph", SCHEMA, POLICY],
    },
];

/// How `wasm-opt` works. A change here makes all outputs stale. Names stay: by them the wasm is split.
///
/// Nothing but the end of the stack is below address 1024, so that additions to addresses can go into the instructions.
const OPTIMISATION: &[&str] =
    &["--low-memory-unused", "--flatten", "--rereloop", "-Oz", "-Oz", "--debuginfo", "--strip-producers"];

/// What a first card does without though it is called in what draws one, at one place: each stays a function, so that it goes
/// into a part, and with it what it alone uses. The sources keep the compiler from taking them in, too.
const APART: &[&str] =
    &["messages::later::all", "options::rare", "options::shortcuts", "consent::consent", "end_run::end_run"];

/// Builds the standard library for size, with the code.
const STANDARD_LIBRARY: &[&str] = &["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/// What the last step gets, in which all of the code is made, whatever was compiled before.
const LINKING: &[&str] = &[
    "--",
    // The linker says where addresses stand, so that data can be told from numbers.
    "-Clink-arg=--emit-relocs",
    // What is longer than two words of 64 bits is copied by one instruction: a hundredth less to download, and no slower to
    // measure. With one word it would be two hundredths, and reading a history would take a twentieth longer.
    "-Cllvm-args=-max-store-memcpy=2",
];

/// Builds both, each whole, in the folders that [`Half::made`] names.
pub(super) fn build(workspace: &Workspace) -> Result<(), Failure> {
    rust_target::prepare(workspace)?;
    let bindgen = wasm_bindgen::prepare(workspace)?;
    let tools = format!("{} {}", workspace.locked_version("wasm-bindgen")?, wasm_opt::version(workspace)?);
    let compiled: Vec<Vec<u8>> =
        HALVES.iter().map(|half| half.compile(workspace)).collect::<Result<_, Failure>>()?;
    // What shrinks them keeps one core busy.
    on_both(|half, place| {
        let wasm = compiled.get(place).map(Vec::as_slice).unwrap_or_default();
        half.finish(workspace, wasm, &bindgen, &tools)
    })
}

/// Does something with both halves at once.
pub(super) fn on_both(work: impl Fn(&Half, usize) -> Result<(), Failure> + Sync) -> Result<(), Failure> {
    let work = &work;
    thread::scope(|scope| {
        let running: Vec<_> =
            HALVES.iter().enumerate().map(|(place, half)| scope.spawn(move || work(half, place))).collect();
        running.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| Failure::new("a half of the package panicked while it was built"))?
        })
    })
}

/// The commit that is built, for `versions()`; outside a checkout it is not known.
fn commit(workspace: &Workspace) -> String {
    let git = Invocation::new("git").args(["rev-parse", "--short=12", "HEAD"]).folder(workspace.root());
    git.text().map_or_else(|| "unknown".to_owned(), |known| known.trim().to_owned())
}

/// What is built of each.
const ENDINGS: &[&str] = &[".js", ".d.ts", "_bg.wasm", "_bg.wasm.d.ts"];

impl Half {
    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.target(&format!("npm/parts/{}", self.name))
    }

    /// A file that was built, by its ending.
    pub(super) fn made(&self, workspace: &Workspace, ending: &str) -> PathBuf {
        self.folder(workspace).join(format!("{}{ending}", self.name))
    }

    /// What the linker wrote, before anything else was done with it.
    pub(super) fn linked(&self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace).join("input.wasm")
    }

    fn files(&self) -> impl Iterator<Item = String> {
        ENDINGS.iter().map(|end| format!("{}{end}", self.name))
    }

    /// Returns what the compiler made. The next half overwrites it.
    ///
    /// The standard library is built along, for size: a tenth less to download. That is not stable in Cargo yet, which
    /// is why the compiler is told to allow it; without the library's sources the usual one is linked.
    fn compile(&self, workspace: &Workspace) -> Result<Vec<u8>, Failure> {
        let with_library = rust_target::prepare_sources(workspace);
        let folder = workspace.target(if with_library { "small" } else { "" });
        let mut flags = published_flags(workspace.root(), &cargo_home().unwrap_or_default());
        let mut build = Invocation::cargo()
            .args(["rustc", "--package", "countersign-wasm", "--profile", "web"])
            .args(["--target", rust_target::TARGET, "--target-dir"])
            .arg(&folder)
            .args(self.features);
        if with_library {
            flags.push(TRAP_ON_PANIC);
            build = build.args(STANDARD_LIBRARY).env("RUSTC_BOOTSTRAP", "1");
        } else {
            println!("   without the sources of the standard library the package becomes larger");
        }
        build
            .args(LINKING)
            .env("CARGO_ENCODED_RUSTFLAGS", flags)
            .env("COUNTERSIGN_COMMIT", commit(workspace))
            .folder(workspace.root())
            .run()?;
        let wasm = folder.join(format!("{}/web/countersign_wasm.wasm", rust_target::TARGET));
        if !wasm.is_file() {
            return Err(Failure::new("crates/wasm makes no wasm file: its crate type has to be `cdylib`"));
        }
        files::bytes(&wasm)
    }

    /// Binds and shrinks, unless the outputs of the same input are there.
    fn finish(&self, workspace: &Workspace, wasm: &[u8], bindgen: &Path, tools: &str) -> Result<(), Failure> {
        let folder = self.folder(workspace);
        let stamp = folder.join("stamp");
        let apart: Vec<String> = APART.iter().map(|name| format!("--no-inline=*]::*{name}")).collect();
        let work = [apart.join(" "), OPTIMISATION.join(" ")].concat();
        let digest = files::digest(&[wasm, tools.as_bytes(), work.as_bytes()]);
        let made = self.linked(workspace).is_file() && self.files().all(|file| folder.join(file).is_file());
        if made && files::text(&stamp).is_ok_and(|written| written == digest) {
            println!("   {} is unchanged", self.name);
            return Ok(());
        }
        files::remove_folder(&folder)?;
        let input = self.linked(workspace);
        let bare = folder.join("bare.wasm");
        files::write(&input, wasm)?;
        files::write(&bare, without_addresses(wasm)?)?;
        Invocation::new(bindgen)
            .args(["--target", "web", "--out-name", self.name, "--out-dir"])
            .args([&folder, &bare])
            .run()?;
        let bound = folder.join(format!("{}_bg.wasm", self.name));
        let small = folder.join("small.wasm");
        wasm_opt::prepare(workspace)?
            .args(apart)
            .args(OPTIMISATION)
            .args(wasm_opt::FEATURES)
            .arg(&bound)
            .arg("-o")
            .arg(&small)
            .run()?;
        files::copy(&small, &bound)?;
        files::write(&stamp, digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_has_a_part() {
        let manifest = Workspace::find().unwrap().path("crates/protocols/Cargo.toml");
        let table: toml::Table = files::text(&manifest).unwrap().parse().unwrap();
        let features = table["features"].as_table().unwrap();
        let adapters: Vec<&str> =
            features.keys().map(String::as_str).filter(|name| *name != "default").collect();
        assert_eq!(ADAPTERS, adapters);
        for half in HALVES {
            assert!(ADAPTERS.iter().all(|adapter| half.parts.contains(adapter)), "{}", half.name);
        }
    }
}

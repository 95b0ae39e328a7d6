//! What of the wasm runs until a first card is decided, watched in Node and in a browser.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::split::Profile;
use crate::failure::{Attempt, Failure};
use crate::files;
use crate::invocation::Invocation;
use crate::tools::{chromium, node};
use crate::workspace::Workspace;

/// The conversations that are watched, and all that the script imports.
const SCRIPT: &str = "tests/package/profile.mjs";
const INPUTS: &[&str] = &[
    SCRIPT,
    "tests/package/lossless.mjs",
    "tests/package/package.mjs",
    "tests/package/support",
    "tests/traces",
];

/// What is marked. A change here makes all that was watched stale.
const MARKED: &[u8] = b"functions and forks";

/// Runs the package, whose wasm files mark what runs, unless it was done with the very same files.
///
/// # Errors
/// No Chromium, or a conversation that does not end as it should.
pub(super) fn of(workspace: &Workspace, half: &str, package: &Path, wasm: &[u8]) -> Result<Profile, Failure> {
    let kept = workspace.target(&format!("npm/parts/{half}/profile.json"));
    let stamp = kept.with_extension("stamp");
    let digest = digest(workspace, package, wasm)?;
    if !(kept.is_file() && files::text(&stamp).is_ok_and(|written| written == digest)) {
        println!("   watching what {half} runs until a card is decided");
        let mut watch = Invocation::new(node::prepare()?);
        watch = watch.arg(workspace.require(SCRIPT)?).arg(half).arg(&kept).folder(workspace.root());
        watch.env("CHROMIUM", chromium::prepare(workspace)?).run()?;
        files::write(&stamp, digest)?;
    }
    read(&files::text(&kept)?)
}

fn digest(workspace: &Workspace, package: &Path, wasm: &[u8]) -> Result<String, Failure> {
    let mut paths = Vec::new();
    for input in INPUTS {
        let path = workspace.path(input);
        if path.is_file() { paths.push(path) } else { paths.extend(files::below(&path)?) }
    }
    let scripts = files::below(package)?;
    paths.extend(scripts.into_iter().filter(|path| path.extension().is_some_and(|end| end == "js")));
    let mut pieces = vec![wasm.to_vec(), MARKED.to_vec()];
    for path in paths {
        pieces.push(files::bytes(&path)?);
    }
    Ok(files::digest(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>()))
}

/// `{ always: [numbers], painted: [numbers], decided: [numbers] }`, of functions and of forks
fn read(text: &str) -> Result<Profile, Failure> {
    let value: Value = serde_json::from_str(text).attempting(|| "read what ran".into())?;
    let indices = |member| {
        let list = value.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let found: BTreeSet<u32> =
            list.iter().filter_map(|index| u32::try_from(index.as_u64()?).ok()).collect();
        if found.is_empty() { Err(Failure::new("nothing ran while the wasm was watched")) } else { Ok(found) }
    };
    Ok(Profile { always: indices("always")?, painted: indices("painted")?, decided: indices("decided")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_is_read_and_an_empty_profile_is_refused() {
        let profile = read(r#"{ "always": [1], "painted": [2, 1], "decided": [1, 2, 3] }"#).unwrap();
        assert_eq!((profile.always.len(), profile.painted.len(), profile.decided.len()), (1, 2, 3));
        assert!(read(r#"{ "always": [1], "painted": [1], "decided": [] }"#).is_err());
    }
}

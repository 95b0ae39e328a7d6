//! Every file that a page downloads when it imports an entry.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::failure::Failure;
use crate::files;

/// Follows what a module names, in `import`, `import()` and `new URL(…, import.meta.url)` alike.
///
/// A name counts when it ends in `.js`, `.wasm` or `.css` and is a file beside the module: what is loaded later is
/// downloaded too.
///
/// # Errors
/// An entry from which no wasm is reached: then the measure means nothing.
pub(super) fn of(entry: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut found = BTreeSet::new();
    let mut open = vec![entry.to_path_buf()];
    while let Some(file) = open.pop() {
        if !found.insert(file.clone()) || !ends(&file, "js") {
            continue;
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let text = files::text(&file)?;
        open.extend(
            names(&text).into_iter().map(|name| tidy(&folder.join(name))).filter(|path| path.is_file()),
        );
    }
    if found.iter().any(|file| ends(file, "wasm")) {
        Ok(found)
    } else {
        Err(Failure::new(format!("no wasm file is reached from {}", entry.display())))
    }
}

fn ends(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|end| end == extension)
}

/// The quoted names of files in a module, outside of comments that fill their lines.
fn names(module: &str) -> Vec<&str> {
    let code = module
        .lines()
        .filter(|line| !["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark)));
    code.flat_map(|line| line.split(['"', '\'', '`']))
        .filter(|piece| [".js", ".wasm", ".css"].iter().any(|end| piece.ends_with(end)))
        .filter(|piece| !piece.contains(char::is_whitespace) && !piece.contains("://"))
        .collect()
}

/// Takes `.` and `..` out of a path, so that one file has one name.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_all_ways_to_load() {
        let module = r#"
            // import "./not-this.js";
            /* nor "./this.js" */
            import { element } from "./element.js";
            import './define.js';
            const later = () => import("../later.js");
            const wasm = new URL('countersign_bg.wasm', import.meta.url), style = new URL(`a.css`, import.meta.url);
            import yew from "https://example.org/yew.js";
            throw new Error("call init() of headless.js first");
        "#;
        let expected = ["./element.js", "./define.js", "../later.js", "countersign_bg.wasm", "a.css"];
        assert_eq!(names(module), expected);
    }

    #[test]
    fn one_file_has_one_name() {
        assert_eq!(tidy(Path::new("dist/./wasm/../define.js")), PathBuf::from("dist/define.js"));
    }

    #[test]
    fn an_entry_without_wasm_is_refused() {
        let folder = std::env::temp_dir().join(format!("countersign-closure-{}", std::process::id()));
        let entry = folder.join("index.js");
        files::write(&entry, "import './other.js';").unwrap();
        files::write(&folder.join("other.js"), "export {};").unwrap();
        assert!(of(&entry).unwrap_err().to_string().starts_with("no wasm file is reached from"));
        files::write(&folder.join("other.js"), "new URL('a_bg.wasm', import.meta.url)").unwrap();
        files::write(&folder.join("a_bg.wasm"), "").unwrap();
        assert_eq!(of(&entry).unwrap().len(), 3);
        files::remove_folder(&folder).unwrap();
    }
}

//! The rules that no compiler checks.

mod codes;
mod licences;
mod rules;
mod sources;
mod words;

use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// One text file of the checkout.
pub(crate) struct Source {
    /// Below the root, written with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    fn has_extension(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, end)| end == extension)
    }
}

/// Checks all rules and prints every place that breaks one.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let all = sources(workspace)?;
    let mut found: Vec<String> = Vec::new();
    for source in &all {
        found.extend(sources::complaints(source));
        found.extend(words::complaints(source));
    }
    found.extend(sources::stale_exceptions(&all));
    found.extend(codes::complaints(&all));
    found.extend(rules::complaints(&all));
    found.extend(licences::complaints(workspace)?);
    for complaint in &found {
        println!("   {complaint}");
    }
    match found.len() {
        0 => {
            println!("   {} files follow the rules", all.len());
            Ok(())
        }
        1 => Err(Failure::new("one place breaks a rule of `cargo xtask tidy`")),
        several => Err(Failure::new(format!("{several} places break rules of `cargo xtask tidy`"))),
    }
}

/// Every text file that Git knows, or would add.
fn sources(workspace: &Workspace) -> Result<Vec<Source>, Failure> {
    let list = Invocation::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .folder(workspace.root())
        .text()
        .ok_or_else(|| Failure::new("`git ls-files` failed: tidy needs Git and a clone of the repository"))?;
    let mut found = Vec::new();
    for path in list.split('\0').filter(|path| !path.is_empty()) {
        let full = workspace.path(path);
        // Git still lists what was removed and not yet committed.
        if !full.is_file() {
            continue;
        }
        if let Ok(text) = String::from_utf8(files::bytes(&full)?)
            && !text.contains('\0')
        {
            found.push(Source { path: path.to_owned(), text });
        }
    }
    if found.is_empty() { Err(Failure::new("Git knows no file here")) } else { Ok(found) }
}

#[cfg(test)]
pub(super) fn source(path: &str, text: impl Into<String>) -> Source {
    Source { path: path.to_owned(), text: text.into() }
}

//! Makes one small stylesheet of those that stand beside the components.

mod minify;

use std::path::Path;
use std::{env, fs, io};

/// In the order of the cascade; those of [`EDITING`] follow.
const SHEETS: &[&str] = &[
    "src/tokens.css",
    "src/controls.css",
    "src/dialog/dialog.css",
    "src/tool_call_card/tool_call_card.css",
    "src/json_view/json_view.css",
    "src/changes/changes.css",
    "src/question_form/question_form.css",
    "src/inbox_panel/inbox_panel.css",
    "src/grant_dialog/grant_dialog.css",
    "src/policy_panel/policy_panel.css",
];

/// What is needed only where arguments are edited.
const EDITING: &[&str] = &["src/edit/edit.css"];

fn main() -> io::Result<()> {
    let place = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    for (name, sheets) in [("stylesheet.css", SHEETS), ("editing.css", EDITING)] {
        let mut text = String::new();
        for sheet in sheets {
            println!("cargo::rerun-if-changed={sheet}");
            text.push_str(&fs::read_to_string(sheet)?);
        }
        fs::write(Path::new(&place).join(name), minify::minify(&text))?;
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=minify.rs");
    Ok(())
}

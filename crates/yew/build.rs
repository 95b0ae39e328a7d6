//! Makes one small stylesheet of those that stand beside the components.

mod minify;

use std::path::Path;
use std::{env, fs, io};

/// In the order of the cascade.
const SHEETS: &[&str] = &[
    "src/tokens.css",
    "src/controls.css",
    "src/dialog/dialog.css",
    "src/tool_call_card/tool_call_card.css",
    "src/json_view/json_view.css",
    "src/changes/changes.css",
    "src/question_form/question_form.css",
    "src/edit/edit.css",
    "src/inbox_panel/inbox_panel.css",
    "src/grant_dialog/grant_dialog.css",
    "src/policy_panel/policy_panel.css",
];

fn main() -> io::Result<()> {
    let mut sheets = String::new();
    for sheet in SHEETS {
        println!("cargo::rerun-if-changed={sheet}");
        sheets.push_str(&fs::read_to_string(sheet)?);
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=minify.rs");
    let place = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&place).join("stylesheet.css"), minify::minify(&sheets))
}

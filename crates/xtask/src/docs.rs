//! The documentation site: pages, demo, and what is generated from the sources, in `target/docs`.

use std::path::Path;

use crate::failure::{Attempt, Failure};
use crate::files;
use crate::invocation::Invocation;
use crate::tools::{node, node_modules};
use crate::workspace::Workspace;

/// The crates whose documentation is for others, each behind those that it names: rustdoc makes a link into another crate only when
/// that one's pages are there already.
const CRATES: &[&str] = &[
    "countersign-json",
    "countersign-schema",
    "countersign-core",
    "countersign-policy",
    "countersign-protocols",
    "countersign-connect",
    "countersign-yew",
];

/// The entries of the npm package that TypeDoc describes.
const ENTRIES: &[&str] = &["index.ts", "headless.ts", "connect/index.ts", "react.ts", "vue.ts"];

/// A link within the documentation of `tracing`, whose trait all of our types have: its pages are not here, so the words stay words.
const ELSEWHERE: &str = r#"<a href="dispatcher#setting-the-default-subscriber">"#;

/// Builds the site, and fails where a link in it leads nowhere. The package and the demo page have to be built.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    node_modules::prepare(workspace)?;
    let site = workspace.target("docs");
    Invocation::new(node::prepare()?)
        .arg(workspace.require("www/site/build.mjs")?)
        .arg(&site)
        .arg(workspace.target(""))
        .folder(workspace.root())
        .run()?;
    copy_folder(&workspace.target("www"), &site.join("demo"))?;
    // The demo page shows a way back where there is one.
    let demo = site.join("demo/index.html");
    let page =
        files::text(&demo)?.replacen("</head>", "  <link rel=\"help\" href=\"../index.html\">\n</head>", 1);
    files::write(&demo, page)?;
    typescript(workspace, &site.join("api"))?;
    rust(workspace, &site.join("rust"))?;
    Invocation::new(node::prepare()?)
        .arg(workspace.require("www/site/links.mjs")?)
        .arg(&site)
        .folder(workspace.root())
        .run()?;
    println!("   the site is in target/docs");
    Ok(())
}

fn typescript(workspace: &Workspace, to: &Path) -> Result<(), Failure> {
    let sources = ENTRIES.iter().map(|entry| workspace.path(&format!("crates/wasm/npm/src/{entry}")));
    Invocation::new(node::prepare()?)
        .arg(workspace.node_module("typedoc/bin/typedoc"))
        .args(["--options", "www/site/typedoc.json", "--tsconfig", "crates/wasm/npm/tsconfig.json", "--out"])
        .arg(to)
        .args(sources)
        .folder(workspace.root())
        .run()
}

fn rust(workspace: &Workspace, to: &Path) -> Result<(), Failure> {
    for name in CRATES {
        Invocation::cargo()
            .args(["doc", "--no-deps", "--all-features", "--package", name, "--target-dir"])
            .arg(workspace.target("docs-rust"))
            // What is compiled for it is what lints and tests compiled.
            .env("CARGO_BUILD_BUILD_DIR", workspace.target(""))
            .folder(workspace.root())
            .run()?;
    }
    copy_folder(&workspace.target("docs-rust/doc"), to)?;
    for page in files::below(to)?.into_iter().filter(|file| file.extension().is_some_and(|end| end == "html"))
    {
        let text = files::text(&page)?;
        if text.contains(ELSEWHERE) {
            files::write(&page, text.replace(ELSEWHERE, "<a>"))?;
        }
    }
    let first = r#"<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=countersign_core/index.html"><title>Countersign</title>"#;
    files::write(&to.join("index.html"), first)
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    for file in files::below(from)? {
        let relative = file.strip_prefix(from).attempting(|| format!("place {}", file.display()))?;
        files::copy(&file, &to.join(relative))?;
    }
    Ok(())
}

//! The npm package: wasm, JavaScript, declarations, in `target/npm/countersign`.

mod half;
pub(crate) mod manifest;

use std::path::Path;

use crate::failure::{Attempt, Failure};
use crate::files;
use crate::invocation::Invocation;
use crate::tools::{node, node_modules};
use crate::workspace::Workspace;

/// The built package, below `target`.
pub(crate) const FOLDER: &str = "npm/countersign";

/// The sources of the package that are not Rust.
const SOURCES: &str = "crates/wasm/npm";

/// Builds the package folder.
///
/// # Shape
/// `dist/wasm/{countersign,headless}{.js,.d.ts,_bg.wasm}` come from Rust, the rest of `dist` from the TypeScript in
/// `crates/wasm/npm`, which imports the former as `./wasm/countersign.js`.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    let configuration = workspace.require(&format!("{SOURCES}/tsconfig.json"))?;
    let sources = workspace.path(SOURCES);
    let package = workspace.target(FOLDER);
    let halves = half::build(workspace)?;

    files::remove_folder(&package)?;
    for file in halves {
        let name = file.file_name().unwrap_or_default();
        files::copy(&file, &package.join("dist/wasm").join(name))?;
    }
    compile(workspace, &configuration, &package.join("dist"))?;
    shrink(workspace, &package.join("dist"))?;
    copy_styles(&sources, &package)?;

    let text = files::text(&workspace.require(&format!("{SOURCES}/package.json"))?)?;
    let text = manifest::with_version(&text, &workspace.version()?)?;
    files::write(&package.join("package.json"), &text)?;
    let readme = workspace.require(&format!("{SOURCES}/README.md"))?;
    files::copy(&readme, &package.join("README.md"))?;
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files::copy(&workspace.require(license)?, &package.join(license))?;
    }
    let manifest = sources.join("custom-elements.json");
    if manifest.is_file() {
        files::copy(&manifest, &package.join("custom-elements.json"))?;
    }
    complete(&text, &package)?;
    println!("   the package is in target/{FOLDER}");
    Ok(())
}

fn compile(workspace: &Workspace, configuration: &Path, to: &Path) -> Result<(), Failure> {
    node_modules::prepare(workspace)?;
    Invocation::new(node::prepare()?)
        .arg(workspace.node_module("typescript/bin/tsc"))
        .arg("-p")
        .arg(configuration)
        .arg("--outDir")
        .arg(to)
        .folder(workspace.root())
        .run()
}

/// Takes comments and long names out of the JavaScript.
fn shrink(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    Invocation::new(node::prepare()?)
        .arg(workspace.require(&format!("{SOURCES}/shrink.mjs"))?)
        .arg(workspace.node_module("esbuild/lib/main.js"))
        .arg(folder)
        .folder(workspace.root())
        .run()
}

/// Style sheets go where the compiled TypeScript beside them goes.
fn copy_styles(sources: &Path, package: &Path) -> Result<(), Failure> {
    let sources = sources.join("src");
    for style in
        files::below(&sources)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "css"))
    {
        let relative = style.strip_prefix(&sources).attempting(|| format!("place {}", style.display()))?;
        files::copy(&style, &package.join("dist").join(relative))?;
    }
    Ok(())
}

/// Fails when `package.json` names a file that is not in the package.
fn complete(manifest: &str, package: &Path) -> Result<(), Failure> {
    let missing: Vec<String> =
        manifest::files(manifest)?.into_iter().filter(|file| !package.join(file).is_file()).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(format!("package.json names what the build did not make: {}", missing.join(", "))))
    }
}

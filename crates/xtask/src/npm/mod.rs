//! The npm package: wasm, JavaScript, declarations, in `target/npm/countersign`.

pub(crate) mod glue;
pub(crate) mod half;
pub(crate) mod manifest;
mod profile;
mod split;

use std::path::Path;

use crate::failure::Failure;
use crate::files;
use crate::invocation::Invocation;
use crate::tools::{node, node_modules};
use crate::workspace::Workspace;
use half::{HALVES, Half};
pub(crate) use split::ON_DEMAND;

/// The built package, below `target`.
pub(crate) const FOLDER: &str = "npm/countersign";

/// The sources of the package that are not Rust.
const SOURCES: &str = "crates/wasm/npm";

/// One JSON file a language.
const CATALOGUES: &str = "crates/yew/locales";

/// Builds the package folder.
///
/// # Shape
/// `dist/wasm/{countersign,headless}{.js,.d.ts,_bg.wasm}` and their parts (`_a2a.wasm`) come from Rust, the rest of `dist`
/// from the TypeScript in `crates/wasm/npm`, which imports the former as `./wasm/countersign.js`.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    let configuration = workspace.require(&format!("{SOURCES}/tsconfig.json"))?;
    let package = workspace.target(FOLDER);
    half::build(workspace)?;

    files::remove_folder(&package)?;
    let wasm = package.join("dist/wasm");
    for half in HALVES {
        place(workspace, half, &wasm)?;
    }
    compile(workspace, &configuration, &package.join("dist"))?;
    describe(workspace, &package)?;
    shrink(workspace, &package.join("dist"))?;
    half::on_both(|half, _| divide(workspace, half, &package))?;
    copy_catalogues(workspace, &package)?;
    bundle(workspace, &package)?;

    let text = files::text(&workspace.require(&format!("{SOURCES}/package.json"))?)?;
    let text = manifest::with_version(&text, &workspace.version()?)?;
    files::write(&package.join("package.json"), &text)?;
    let readme = workspace.require(&format!("{SOURCES}/README.md"))?;
    files::copy(&readme, &package.join("README.md"))?;
    for picture in files::below(&workspace.require(&format!("{SOURCES}/pictures"))?)? {
        let name = picture.file_name().unwrap_or_default();
        files::copy(&picture, &package.join("pictures").join(name))?;
    }
    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files::copy(&workspace.require(license)?, &package.join(license))?;
    }
    complete(&text, &package)?;
    println!("   the package is in target/{FOLDER}");
    Ok(())
}

/// Puts one half into the package, whole and with marks on what runs.
fn place(workspace: &Workspace, half: &Half, folder: &Path) -> Result<(), Failure> {
    let name = half.name;
    let wasm = files::bytes(&half.made(workspace, "_bg.wasm"))?;
    let script = files::text(&half.made(workspace, ".js"))?;
    let exports = split::renamed(&wasm)?;
    let script = glue::adapt(&script, name, &split::imports(&wasm)?, &exports, half.parts)?;
    files::write(&folder.join(format!("{name}.js")), script)?;
    let declarations = glue::declare(&files::text(&half.made(workspace, ".d.ts"))?, &exports);
    files::write(&folder.join(format!("{name}.d.ts")), declarations)?;
    let ending = "_bg.wasm.d.ts";
    let declarations = glue::declare_wasm(&files::text(&half.made(workspace, ending))?, &exports);
    files::write(&folder.join(format!("{name}{ending}")), declarations)?;
    files::write(&folder.join(format!("{name}_bg.wasm")), split::marked(&wasm)?)
}

/// Watches what runs of one half, and puts it into the package in parts.
fn divide(workspace: &Workspace, half: &Half, package: &Path) -> Result<(), Failure> {
    let wasm = files::bytes(&half.made(workspace, "_bg.wasm"))?;
    let profile = profile::of(workspace, half.name, package, &wasm)?;
    let linked = files::bytes(&half.linked(workspace))?;
    let split = split::split(&wasm, &linked, half.parts, &profile)?;
    let folder = package.join("dist/wasm");
    files::write(&folder.join(format!("{}_bg.wasm", half.name)), &split.first)?;
    for (part, wasm) in half.parts.iter().zip(&split.parts) {
        files::write(&folder.join(glue::file(half.name, part)), wasm)?;
    }
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

/// Writes `custom-elements.json` and `api.txt` from the comments and the declarations.
fn describe(workspace: &Workspace, package: &Path) -> Result<(), Failure> {
    Invocation::new(node::prepare()?)
        .arg(workspace.require(&format!("{SOURCES}/describe.mjs"))?)
        .arg(workspace.node_module("@custom-elements-manifest/analyzer/index.js"))
        .arg(workspace.path(&format!("{SOURCES}/src")))
        .arg(package)
        .arg(workspace.require("www/docs/theming.md")?)
        .arg(workspace.require("crates/yew/src/tokens.css")?)
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

/// Makes few modules of many, and one of each entry that has to be one.
fn bundle(workspace: &Workspace, package: &Path) -> Result<(), Failure> {
    Invocation::new(node::prepare()?)
        .arg(workspace.require(&format!("{SOURCES}/bundle.mjs"))?)
        .arg(workspace.node_module("esbuild/lib/main.js"))
        .arg(package)
        .arg(workspace.target("npm/modules"))
        .folder(workspace.root())
        .run()
}

/// The words in other languages, which the element fetches when it is asked for them.
fn copy_catalogues(workspace: &Workspace, package: &Path) -> Result<(), Failure> {
    for catalogue in files::below(&workspace.require(CATALOGUES)?)? {
        let name = catalogue.file_name().unwrap_or_default();
        files::copy(&catalogue, &package.join("dist/locales").join(name))?;
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

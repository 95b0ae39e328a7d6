//! What a page downloads, compared with `size-budget.toml`.

mod budget;
mod closure;
mod weight;

use std::path::Path;

use serde_json::json;

use crate::failure::{Attempt, Failure};
use crate::workspace::Workspace;
use crate::{files, npm};
use budget::Budget;
use weight::Weight;

/// What is measured: a name, and the entry of the package that a page imports.
///
/// The first card needs all of the element as long as nothing of it is loaded later.
const ARTEFACTS: &[(&str, &str)] =
    &[("element", "./define"), ("element-first-card", "./define"), ("headless", "./headless")];

/// Measures the built package, prints a table, writes `target/size.json`.
///
/// # Errors
/// The package is not built, an entry loads no wasm, or an artefact is over its budget.
pub(crate) fn measure(workspace: &Workspace) -> Result<(), Failure> {
    let budget = Budget::read(&files::text(&workspace.require("size-budget.toml")?)?)?;
    let package = workspace.target(npm::FOLDER);
    let manifest = files::text(&package.join("package.json"))?;
    let mut weights: Vec<(&str, Weight)> = Vec::new();
    let mut entries: Vec<(&str, Weight)> = Vec::new();
    for (name, entry) in ARTEFACTS {
        let known = entries.iter().find(|(known, _)| known == entry).map(|(_, weight)| *weight);
        let weight = match known {
            Some(weight) => weight,
            None => of_entry(&package, &npm::manifest::entry(&manifest, entry)?)?,
        };
        entries.push((entry, weight));
        weights.push((name, weight));
    }
    println!("   {:<38}{:>10}{:>10}{:>10}{:>10}", "artefact", "raw", "gzip", "brotli", "limit");
    for (name, weight) in &weights {
        let limit = budget.brotli(name).map_or_else(|| "none".into(), |limit| limit.to_string());
        println!("   {name:<38}{:>10}{:>10}{:>10}{limit:>10}", weight.raw, weight.gzip, weight.brotli);
    }
    for (name, weight) in &weights {
        if let Some(goal) = budget.goal(name).filter(|goal| weight.brotli > *goal) {
            println!("   {name} is {} bytes above its goal of {goal}", weight.brotli - goal);
        }
    }
    let artefacts: Vec<_> = weights
        .iter()
        .map(|(name, weight)| {
            json!({ "name": name, "raw": weight.raw, "gzip": weight.gzip, "brotli": weight.brotli })
        })
        .collect();
    let report = serde_json::to_string_pretty(&json!({ "artefacts": artefacts }))
        .attempting(|| "write target/size.json".into())?;
    files::write(&workspace.target("size.json"), report + "\n")?;
    budget.compare(&weights)
}

/// The sum of all that is downloaded for one entry, a file of the package.
fn of_entry(package: &Path, entry: &str) -> Result<Weight, Failure> {
    let mut sum = Weight::default();
    for file in closure::of(&package.join(entry))? {
        let weight = Weight::of(&files::bytes(&file)?)?;
        let name = file.strip_prefix(package).unwrap_or(&file).display().to_string();
        println!("     {name:<36}{:>10}{:>10}{:>10}", weight.raw, weight.gzip, weight.brotli);
        sum += weight;
    }
    Ok(sum)
}

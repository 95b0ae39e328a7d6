//! What a page downloads, compared with `size-budget.toml`.

mod budget;
mod closure;
mod weight;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::failure::{Attempt, Failure};
use crate::npm::half::{HALVES, Half};
use crate::workspace::Workspace;
use crate::{files, npm};
use budget::Budget;
use weight::Weight;

/// What is measured.
struct Artefact {
    name: &'static str,
    /// The entry of the package that a page imports.
    entry: &'static str,
    /// The wasm that it loads.
    half: &'static str,
    /// Whether only what is always loaded before a first card counts, and not what comes later.
    is_first_card: bool,
}

/// A page speaks with one system, so one adapter counts: the largest.
const ARTEFACTS: &[Artefact] = &[
    Artefact { name: "element", entry: "./define", half: "countersign", is_first_card: false },
    Artefact { name: "element-first-card", entry: "./define", half: "countersign", is_first_card: true },
    Artefact { name: "headless", entry: "./headless", half: "headless", is_first_card: true },
];

/// The whole package, as it is unpacked.
const INSTALLED: &str = "installed";

/// Measures the built package, prints a table, writes `target/size.json`.
///
/// # Errors
/// The package is not built, an entry loads no wasm, or an artefact is over its budget.
pub(crate) fn measure(workspace: &Workspace) -> Result<(), Failure> {
    let budget = Budget::read(&files::text(&workspace.require("size-budget.toml")?)?)?;
    let package = workspace.target(npm::FOLDER);
    let manifest = files::text(&package.join("package.json"))?;
    let mut known: BTreeMap<&str, Download> = BTreeMap::new();
    let mut weights: Vec<(&str, Weight)> = Vec::new();
    let mut all: Vec<(String, Weight)> = Vec::new();
    for artefact in ARTEFACTS {
        let half = HALVES
            .iter()
            .find(|half| half.name == artefact.half)
            .ok_or_else(|| Failure::new(format!("there is no wasm `{}`", artefact.half)))?;
        if !known.contains_key(artefact.entry) {
            known.insert(
                artefact.entry,
                Download::of(&package, &npm::manifest::entry(&manifest, artefact.entry)?, half)?,
            );
        }
        let Some(download) = known.get(artefact.entry) else { continue };
        weights.push((artefact.name, download.with_largest(artefact.is_first_card)));
        all.push((artefact.name.to_owned(), download.with_largest(artefact.is_first_card)));
        for adapter in download.adapters.keys() {
            all.push((
                format!("{} with {adapter}", artefact.name),
                download.with(&[adapter], artefact.is_first_card),
            ));
        }
        for (part, weight) in &download.on_demand {
            let mut with = download.with_largest(artefact.is_first_card);
            with += *weight;
            all.push((format!("{} and {part}", artefact.name), with));
        }
        let adapters: Vec<&str> = download.adapters.keys().copied().collect();
        let mut everything = download.with(&adapters, false);
        download.on_demand.values().for_each(|weight| everything += *weight);
        all.push((format!("{} with everything", artefact.name), everything));
    }
    println!("   {:<38}{:>10}{:>10}{:>10}{:>10}", "artefact", "raw", "gzip", "brotli", "limit");
    for (name, weight) in &all {
        let limit = budget.brotli(name).map_or_else(String::new, |limit| limit.to_string());
        println!("   {name:<38}{:>10}{:>10}{:>10}{limit:>10}", weight.raw, weight.gzip, weight.brotli);
    }
    for (name, weight) in &weights {
        if let Some(goal) = budget.goal(name).filter(|goal| weight.brotli > *goal) {
            println!("   {name} is {} bytes above its goal of {goal}", weight.brotli - goal);
        }
    }
    let (bytes, count) = installed(&package, &manifest)?;
    println!("   {INSTALLED:<38}{bytes:>10} bytes in {count} files");
    // It is compressed as a whole, by whoever publishes it.
    weights.push((INSTALLED, Weight { raw: bytes, gzip: 0, brotli: 0 }));
    let artefacts: Vec<_> = all
        .iter()
        .map(|(name, weight)| {
            json!({ "name": name, "raw": weight.raw, "gzip": weight.gzip, "brotli": weight.brotli })
        })
        .collect();
    let report = json!({ "artefacts": artefacts, "installed": { "bytes": bytes, "files": count } });
    let report = serde_json::to_string_pretty(&report).attempting(|| "write target/size.json".into())?;
    files::write(&workspace.target("size.json"), report + "\n")?;
    budget.compare(&weights)
}

/// The bytes and the number of the files that stand in `node_modules` after an installation.
fn installed(package: &Path, manifest: &str) -> Result<(u64, usize), Failure> {
    let (mut bytes, mut count) = (0, 0);
    for name in npm::manifest::published(manifest)? {
        let path = package.join(name);
        for file in if path.is_dir() { files::below(&path)? } else { vec![path] } {
            bytes += files::bytes(&file)?.len() as u64;
            count += 1;
        }
    }
    Ok((bytes, count))
}

/// What a page downloads for one entry.
#[derive(Default)]
struct Download {
    /// Before a first card, whatever the adapter.
    first: Weight,
    /// Right after it.
    later: Weight,
    /// Only where a page uses what it is for.
    on_demand: BTreeMap<&'static str, Weight>,
    adapters: BTreeMap<&'static str, Weight>,
}

impl Download {
    /// Weighs everything that is reached from an entry, a file of the package.
    fn of(package: &Path, entry: &str, half: &Half) -> Result<Self, Failure> {
        let mut download = Self::default();
        for file in closure::of(&package.join(entry))? {
            let weight = Weight::of(&files::bytes(&file)?)?;
            let name = file.strip_prefix(package).unwrap_or(&file).display().to_string();
            println!("     {name:<36}{:>10}{:>10}{:>10}", weight.raw, weight.gzip, weight.brotli);
            let part = half.parts.iter().find(|part| file.ends_with(npm::glue::file(half.name, part)));
            match part {
                None => download.first += weight,
                Some(part) if npm::half::ADAPTERS.contains(part) => {
                    download.adapters.insert(part, weight);
                }
                Some(part) if npm::ON_DEMAND.contains(part) => {
                    download.on_demand.insert(part, weight);
                }
                Some(_) => download.later += weight,
            }
        }
        Ok(download)
    }

    fn with(&self, adapters: &[&str], is_first_card: bool) -> Weight {
        let mut sum = self.first;
        if !is_first_card {
            sum += self.later;
        }
        for weight in adapters.iter().filter_map(|adapter| self.adapters.get(adapter)) {
            sum += *weight;
        }
        sum
    }

    fn with_largest(&self, is_first_card: bool) -> Weight {
        let largest =
            self.adapters.iter().max_by_key(|(_, weight)| weight.brotli).map(|(adapter, _)| *adapter);
        self.with(largest.as_slice(), is_first_card)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_adapter_counts_and_what_comes_later_or_on_demand_does_not() {
        let weight = |brotli| Weight { raw: brotli, gzip: brotli, brotli };
        let adapters = BTreeMap::from([("a2a", weight(20)), ("adk", weight(30))]);
        let on_demand = BTreeMap::from([("policy", weight(1000))]);
        let download = Download { first: weight(100), later: weight(50), on_demand, adapters };
        assert_eq!(download.with_largest(true).brotli, 130);
        assert_eq!(download.with_largest(false).brotli, 180);
        assert_eq!(download.with(&["a2a", "adk"], false).brotli, 200);
    }
}

//! Which function belongs to which part.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::ExternalKind;

use super::layout::{Homes, Part};
use super::module::Module;

/// The part with what a decision needs and a card that is only looked at does not.
pub(crate) const DECIDING: &str = "deciding";

/// The part with whatever did not run before a first card was decided.
pub(crate) const REST: &str = "rest";

/// The part with what holds arguments against a JSON Schema: the crate of that name.
pub(crate) const SCHEMA: &str = "schema";

/// The part with what answers without a person, and what shows it: policies, and what people granted.
pub(crate) const POLICY: &str = "policy";

/// The part with the dialog in which arguments are edited.
pub(crate) const EDITING: &str = "editing";

/// The parts that a page loads only where it uses what they are for.
pub(crate) const ON_DEMAND: &[&str] = &[SCHEMA, POLICY, EDITING];

/// The crate in which each adapter is a module.
const ADAPTERS: &str = "countersign_protocols";

/// The crate with all that JavaScript calls.
const API: &str = "countersign_wasm";

/// The modules of a part that is loaded on demand, by their crates.
const MODULES: &[(&str, &str, &str)] = &[
    (SCHEMA, "countersign_schema", ""),
    (SCHEMA, "regex_lite", ""),
    (POLICY, "countersign_policy", ""),
    (POLICY, "countersign_yew", "grant_dialog::"),
    (POLICY, "countersign_yew", "grant_list::"),
    (POLICY, "countersign_yew", "policy_panel::"),
    (POLICY, API, "board::"),
    (POLICY, API, "policy::"),
    (EDITING, "countersign_yew", "edit::"),
    (EDITING, "countersign_json", "edit::"),
    (EDITING, FORM.0, FORM.1),
];

/// What a form shows is needed to edit arguments whether they have a schema or not.
const FORM: (&str, &str) = ("countersign_schema", "form::");

/// A body up to this length, which calls nothing, is no longer than what stands in for it.
const SHORT: usize = 20;

/// What ran while the wasm was watched: functions by index, and beyond those what comes after their forks.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    /// Before it was known which adapter is needed.
    pub(crate) always: BTreeSet<u32>,
    /// In any conversation, until its first cards were painted.
    pub(crate) painted: BTreeSet<u32>,
    /// In any conversation, until a card was decided.
    pub(crate) decided: BTreeSet<u32>,
}

impl Profile {
    /// What ran before a part was needed.
    fn before(&self, part: &str) -> &BTreeSet<u32> {
        if ON_DEMAND.contains(&part) { &self.decided } else { &self.always }
    }
}

/// Decides for every function that leaves the first module.
///
/// `parts` are the names of adapters and of [`ON_DEMAND`], [`DECIDING`] and [`REST`]. Where the profile is wrong, a part is loaded sooner than need be;
/// what the program does stays the same.
pub(super) fn assign(module: &Module<'_>, parts: &[&str], profile: &Profile) -> Homes {
    let place = |wanted: &str| (0..).zip(parts).find(|(_, name)| **name == wanted).map(|(part, _)| part);
    let (deciding, rest) = (place(DECIDING), place(REST));
    let named: Vec<(Part, &str)> = (0..)
        .zip(parts.iter().copied())
        .filter(|(part, _)| ![deciding, rest].contains(&Some(*part)))
        .collect();
    let outside = module.called_from_outside();
    let stays = |index: u32| {
        module.function(index).is_none_or(|function| {
            let is_short = function.calls.is_empty() && function.body.range().len() <= SHORT;
            function.takes_addresses || is_short && outside.contains(&index)
        })
    };
    let mut homes = Homes::new();
    for (index, _) in module.indexed() {
        let name = module.name(index);
        let mut of = named.iter().filter(|(_, of)| mentions(name, of));
        if let (Some((part, of)), None) = (of.next(), of.next())
            && !profile.before(of).contains(&index)
            && !stays(index)
        {
            homes.insert(index, vec![*part]);
        }
    }
    for index in lent(module, &homes, &named) {
        homes.remove(&index);
    }
    let on_demand: Vec<Part> =
        named.iter().filter(|(_, of)| ON_DEMAND.contains(of)).map(|(part, _)| *part).collect();
    let exports = module.exported();
    for (index, function) in module.indexed() {
        let is_api = exports.contains(&index) || is_of(module.name(index), API, "");
        let of_one = |callee: &u32| homes.get(callee).and_then(|parts| parts.first()).copied();
        let used = function.calls.iter().filter_map(of_one).find(|part| on_demand.contains(part));
        if let Some(part) = used.filter(|_| is_api && !profile.decided.contains(&index) && !stays(index)) {
            homes.entry(index).or_insert_with(|| vec![part]);
        }
    }
    for (index, users) in users(module, &homes) {
        // Rather twice than for everybody.
        if (1..=2).contains(&users.len()) && !stays(index) {
            homes.insert(index, users.into_iter().collect());
        }
    }
    for (index, _) in module.indexed() {
        let later = if profile.decided.contains(&index) { deciding } else { rest };
        if let Some(part) = later
            && !profile.painted.contains(&index)
            && !compares_keys(module.name(index))
            && !stays(index)
        {
            homes.entry(index).or_insert_with(|| vec![part]);
        }
    }
    homes
}

/// Functions with the name of one part that serve an adapter too: their code is the same, so they have become one.
fn lent(module: &Module<'_>, homes: &Homes, named: &[(Part, &str)]) -> BTreeSet<u32> {
    let parts = |is_wanted: fn(&str) -> bool| -> Vec<Part> {
        named.iter().filter(|(_, of)| is_wanted(of)).map(|(part, _)| *part).collect()
    };
    let adapters = parts(|of| !ON_DEMAND.contains(&of));
    // No adapter knows the crates of these, as it does the one for edits.
    let apart = parts(|of| ON_DEMAND.contains(&of) && of != EDITING);
    let of_one = |index: &u32| homes.get(index).and_then(|parts| parts.first()).copied();
    let adapter = |index: &u32| of_one(index).filter(|part| adapters.contains(part));
    let outside = module.called_from_outside();
    // What the library writes out and a table has may be called by whomever.
    let is_anyones = |index: u32| outside.contains(&index) && !is_of(module.name(index), ADAPTERS, "");
    let mut found: BTreeSet<u32> =
        homes.keys().copied().filter(|index| adapter(index).is_some() && is_anyones(*index)).collect();
    for (index, function) in module.indexed() {
        if let Some(caller) = adapter(&index) {
            let others = |callee: &&u32| {
                let part = of_one(callee).filter(|part| adapters.contains(part) || apart.contains(part));
                part.is_some_and(|part| part != caller)
            };
            found.extend(function.calls.iter().filter(others));
        } else if !is_of(module.name(index), ADAPTERS, "") {
            // What the library writes out for an adapter, and others call as well, serves types that look the same.
            let is_written_out =
                |callee: &&u32| adapter(callee).is_some() && !is_of(module.name(**callee), ADAPTERS, "");
            found.extend(function.calls.iter().filter(is_written_out));
        }
    }
    found
}

/// Whether a readable name speaks of what a part has: `countersign_protocols[1f…]::a2a::read`, `countersign_schema[2e…]::check`.
fn mentions(name: &str, part: &str) -> bool {
    if !ON_DEMAND.contains(&part) {
        return name.match_indices(&format!("]::{part}::")).any(|(at, _)| {
            let before = name.get(..at).unwrap_or_default();
            before.rsplit_once('[').is_some_and(|(before, _)| before.ends_with(ADAPTERS))
        });
    }
    let mut modules = MODULES.iter().filter(|(of, ..)| *of == part);
    modules.any(|(_, of, module)| is_of(name, of, module))
        && (part == EDITING || !is_of(name, FORM.0, FORM.1))
}

/// Whether a function compares two keys of a hash map: it runs where their hashes look alike, which nobody can foresee.
fn compares_keys(name: &str) -> bool {
    is_of(name, "hashbrown", "") && name.contains("::equivalent_key<")
}

/// Whether a function stands in a module of a crate, or is of something that does. What the library writes out for a type
/// is not: it may be shared with types of other crates that look the same to a machine.
pub(super) fn is_of(name: &str, of: &str, module: &str) -> bool {
    let path = name.trim_start_matches(['<', '&']).strip_prefix(of).and_then(|rest| rest.strip_prefix('['));
    path.and_then(|path| path.split_once("]::")).is_some_and(|(_, path)| path.starts_with(module))
}

/// For functions without a home that only parts use: which parts.
fn users(module: &Module<'_>, homes: &Homes) -> BTreeMap<u32, BTreeSet<Part>> {
    let mut open: Vec<(u32, Option<Part>)> = module
        .called_from_outside()
        .into_iter()
        .filter(|index| !homes.contains_key(index))
        .map(|index| (index, None))
        .collect();
    for (index, parts) in homes {
        for callee in module.function(*index).into_iter().flat_map(|function| &function.calls) {
            open.extend(parts.iter().map(|part| (*callee, Some(*part))));
        }
    }
    let mut known: BTreeMap<u32, BTreeSet<Option<Part>>> = BTreeMap::new();
    while let Some((index, user)) = open.pop() {
        let Some(function) = module.function(index).filter(|_| !homes.contains_key(&index)) else { continue };
        if known.entry(index).or_default().insert(user) {
            open.extend(function.calls.iter().map(|callee| (*callee, user)));
        }
    }
    known
        .into_iter()
        .filter_map(|(index, users)| Some((index, users.into_iter().collect::<Option<BTreeSet<Part>>>()?)))
        .collect()
}

impl Module<'_> {
    /// What is in the table or exported, and so is called from nobody knows where.
    pub(super) fn called_from_outside(&self) -> BTreeSet<u32> {
        let in_table = self.elements.iter().flat_map(|elements| &elements.functions);
        self.exported().into_iter().chain(in_table.copied()).collect()
    }

    fn exported(&self) -> BTreeSet<u32> {
        let exported = self.exports.iter().filter(|export| export.kind == ExternalKind::Func);
        exported.map(|export| export.index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_parts_of_functions() {
        let check = |name: &str, expected: &[&str]| {
            let parts = ["a2a", "adk", SCHEMA, POLICY, EDITING];
            let found: Vec<&str> = parts.into_iter().filter(|part| mentions(name, part)).collect();
            assert_eq!(found, expected, "{name}");
        };
        check("countersign_protocols[1f]::a2a::read", &["a2a"]);
        check("<countersign_protocols[1f]::adk::Adk as countersign_core[2e]::Family>::write", &["adk"]);
        check("<countersign_policy[3d]::grant::Grant>::read", &[POLICY]);
        check(
            "core[4c]::ptr::drop_in_place::<alloc[5b]::vec::Vec<countersign_policy[3d]::grant::Grant>>",
            &[],
        );
        check("countersign_yew[6a]::grant_dialog::facts::facts", &[POLICY]);
        check("countersign_yew[6a]::granting::Granting", &[]);
        check("countersign_schema[7f]::check::check", &[SCHEMA]);
        check("<countersign_schema[7f]::form::describe::Describer>::field", &[EDITING]);
        check("countersign_schema_check multivalue shim", &[]);

        let table = "<hashbrown[c1]::raw::RawTable<(&str, u8)>>";
        let compare =
            format!("{table}::find_or_find_insert_index::<hashbrown[c1]::map::equivalent_key<&str>>");
        assert!(compares_keys(&compare));
        assert!(!compares_keys(&format!("{table}::reserve_rehash")));
    }
}

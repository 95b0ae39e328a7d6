//! Which function goes where, and how the modules reach one another.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::ExternalKind;

use super::data::Constants;
use super::module::{Module, count};
use crate::failure::Failure;

/// A module that is loaded later, by its place in the list of their names.
pub(super) type Part = u32;

/// The parts that have a function; whatever is not named is in the first module alone.
pub(super) type Homes = BTreeMap<u32, Vec<Part>>;

/// What a part takes from the first module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shared {
    Memory,
    Table(u32),
    Global(u32),
    Function(u32),
    Ensure(Part),
}

/// The split, decided.
pub(super) struct Layout {
    /// How many parts there are.
    pub(super) parts: u32,
    /// The table through which functions of other modules are called.
    pub(super) table: u32,
    /// How many slots the table needs.
    pub(super) slots: u32,
    homes: Homes,
    /// Of moved functions: those that are in the table anyway, and those that are called from elsewhere.
    by_function: BTreeMap<u32, Vec<u32>>,
    /// Constants that are not in the first module: stretches of memory, in order.
    pub(super) constants: BTreeMap<Part, Vec<Range<u32>>>,
    /// What the parts call what they need of the first module.
    pub(super) names: BTreeMap<Shared, String>,
    /// Functions that the parts need and that are not exported: in the order in which the first module has them, from the
    /// slot of a table on. Their names are the numbers of their slots, which is smaller than as many exports.
    pub(super) shared: Vec<Shared>,
    pub(super) first_shared: u32,
}

impl Layout {
    pub(super) fn new(
        module: &Module<'_>,
        parts: u32,
        homes: Homes,
        constants: &Constants,
    ) -> Result<Self, Failure> {
        let tables: BTreeSet<u32> = module.elements.iter().map(|elements| elements.table).collect();
        let (Some(table), 1) = (tables.first().copied(), tables.len()) else {
            return Err(Failure::new("the wasm has functions in no table or in several"));
        };
        let mut by_function: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for elements in &module.elements {
            for (slot, function) in (elements.first..).zip(&elements.functions) {
                if homes.contains_key(function) {
                    by_function.entry(*function).or_default().push(slot);
                }
            }
        }
        let size = usize::try_from(table).ok().and_then(|place| module.tables.get(place));
        let size = size.map(|table| table.initial).and_then(|size| u32::try_from(size).ok());
        let mut slots = size.ok_or_else(|| Failure::new("the size of the table cannot be read"))?;
        let mut called: BTreeSet<(Part, u32)> = BTreeSet::new();
        for (caller, function) in module.indexed() {
            let callers = homes.get(&caller).map(Vec::as_slice).unwrap_or_default();
            for callee in &function.calls {
                let Some(parts) = homes.get(callee) else { continue };
                let are_together = !callers.is_empty() && callers.iter().all(|part| parts.contains(part));
                called.extend(parts.first().filter(|_| !are_together).map(|part| (*part, *callee)));
            }
        }
        let exported = module.exports.iter().filter(|export| export.kind == ExternalKind::Func);
        called
            .extend(exported.filter_map(|export| Some((*homes.get(&export.index)?.first()?, export.index))));
        for (_, function) in called {
            by_function.entry(function).or_insert_with(|| {
                let slot = slots;
                slots = slots.saturating_add(1);
                vec![slot]
            });
        }
        let constants = constants.assign(module, &homes);
        let mut layout = Self {
            parts,
            table,
            slots,
            homes,
            by_function,
            constants,
            names: BTreeMap::new(),
            shared: Vec::new(),
            first_shared: 0,
        };
        layout.name(module);
        Ok(layout)
    }

    /// Whether the first module has a function.
    pub(super) fn is_first(&self, function: u32) -> bool {
        !self.homes.contains_key(&function)
    }

    /// Whether a part has a function.
    pub(super) fn has(&self, part: Part, function: u32) -> bool {
        self.homes.get(&function).is_some_and(|parts| parts.contains(&part))
    }

    /// The part through whose slot a function is called from `here`; `None`: it is in the first module or here.
    pub(super) fn elsewhere(&self, function: u32, here: Option<Part>) -> Option<Part> {
        let parts = self.homes.get(&function)?;
        parts.first().copied().filter(|_| !here.is_some_and(|here| parts.contains(&here)))
    }

    /// The functions of a part, in their order.
    pub(super) fn functions(&self, part: Part) -> impl Iterator<Item = u32> {
        self.homes.iter().filter(move |(_, parts)| parts.contains(&part)).map(|(function, _)| *function)
    }

    /// The slot through which a moved function is called.
    pub(super) fn slot(&self, function: u32) -> Result<u32, Failure> {
        let slots = self.by_function.get(&function);
        let slot = slots.and_then(|slots| slots.first().copied());
        slot.ok_or_else(|| Failure::new(format!("the split lost the slot of function {function}")))
    }

    /// The functions that a part puts into the table: runs of neighbouring slots.
    pub(super) fn runs(&self, part: Part) -> Vec<(u32, Vec<u32>)> {
        let slots: BTreeMap<u32, u32> = self
            .by_function
            .iter()
            .filter(|(function, _)| self.elsewhere(**function, None) == Some(part))
            .flat_map(|(function, slots)| slots.iter().map(|slot| (*slot, *function)))
            .collect();
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (slot, function) in slots {
            match runs.last_mut() {
                Some((first, run)) if first.saturating_add(count(run.len())) == slot => run.push(function),
                _ => runs.push((slot, vec![function])),
            }
        }
        runs
    }

    /// What a part takes from the first module: in order, each once.
    pub(super) fn needs(&self, module: &Module<'_>, part: Part) -> BTreeSet<Shared> {
        let mut needed = BTreeSet::from([Shared::Memory, Shared::Table(self.table)]);
        for function in self.functions(part).filter_map(|function| module.function(function)) {
            needed.extend(function.globals.iter().copied().map(Shared::Global));
            needed.extend(function.tables.iter().copied().map(Shared::Table));
            needed.extend(function.calls.iter().filter_map(
                |callee| match self.elsewhere(*callee, Some(part)) {
                    Some(other) => Some(Shared::Ensure(other)),
                    None => self.is_first(*callee).then_some(Shared::Function(*callee)),
                },
            ));
        }
        needed
    }

    /// Names what the parts need: as it is exported already, else as short as can be.
    fn name(&mut self, module: &Module<'_>) {
        let mut needed: BTreeSet<Shared> =
            (0..self.parts).flat_map(|part| self.needs(module, part)).collect();
        let renamed = module.renamed();
        for export in &module.exports {
            let shared = match export.kind {
                ExternalKind::Memory => Shared::Memory,
                ExternalKind::Table => Shared::Table(export.index),
                ExternalKind::Global => Shared::Global(export.index),
                ExternalKind::Func => Shared::Function(export.index),
                _ => continue,
            };
            if needed.remove(&shared) {
                let name = renamed.get(export.name).map_or(export.name, String::as_str);
                self.names.insert(shared, name.to_owned());
            }
        }
        let places: BTreeMap<u32, usize> = module.sorted().into_iter().zip(0..).collect();
        // As the first module numbers them: what is imported, what makes sure of parts, and what has a body.
        let order = |shared: &Shared| match shared {
            Shared::Function(function) => match places.get(function) {
                Some(place) => (2, *place),
                None => (0, usize::try_from(*function).unwrap_or(usize::MAX)),
            },
            _ => (1, 0),
        };
        let (mut functions, others): (Vec<Shared>, Vec<Shared>) =
            needed.into_iter().partition(|shared| matches!(shared, Shared::Function(_) | Shared::Ensure(_)));
        functions.sort_by_key(order);
        self.first_shared = count(others.len());
        for (number, shared) in (0..).zip(others.iter().chain(&functions)) {
            self.names.insert(*shared, short(number));
        }
        self.shared = functions;
    }
}

/// One or two printed characters, of which no name of Rust's consists.
fn short(number: u32) -> String {
    const FIRST: u32 = b'!' as u32;
    const COUNT: u32 = b'~' as u32 - FIRST + 1;
    let (high, low) = (number / COUNT, number % COUNT);
    let digits = high.checked_sub(1).into_iter().chain([low]);
    digits.filter_map(|digit| char::from_u32(FIRST.saturating_add(digit))).collect()
}

//! The modules of the split, written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::{Range, RangeFrom};

use wasm_encoder::reencode::Reencode;
use wasm_encoder::{
    BlockType, ConstExpr, Elements, EntityType, ExportKind, Function, GlobalType, RefType, TableType, ValType,
};
use wasmparser::{DataKind, ExternalKind};

use super::data::constant_of;
use super::layout::{Layout, Part, Shared};
use super::module::{Module, count};
use super::output::{Output, Sections};
use crate::failure::{Attempt, Failure};

/// The global of the first module whose value is the build, by which parts of another build are refused.
const BUILD: &str = "build";

/// The table of the first module in which parts find functions.
const SHARED: &str = "shared";

/// Where the first module takes the function from that loads a part.
pub(super) const LOAD: (&str, &str) = ("parts", "load");

/// The module that is loaded first.
///
/// With `marks`, every function says that it ran, and that it went on after each of its forks: a global becomes 1 that is
/// named by the function's index or the fork's number.
pub(super) fn first(
    module: &Module<'_>,
    layout: &Layout,
    build: u32,
    marks: bool,
) -> Result<Vec<u8>, Failure> {
    let mut output = Output::new(module, layout, None);
    let (of_one, of_none) = (output.own_kind(&[ValType::I32]), output.own_kind(&[]));
    let mut first = First { module, layout, output, sections: Sections::default() };
    first.imports(of_one)?;
    let stand_ins = first.functions(of_none)?;
    first.tables_and_memories()?;
    let marks = first.globals(build, marks)?;
    exports(module, layout, &first.output, &mut first.sections)?;
    share(layout, &first.output, &mut first.sections)?;
    first.elements()?;
    first.code(&stand_ins, marks)?;
    first.data()?;
    Ok(first.sections.finish(&first.output.into_types()))
}

fn writing() -> String {
    "write the first module".to_owned()
}

/// The first module, as far as it is written.
struct First<'m> {
    module: &'m Module<'m>,
    layout: &'m Layout,
    output: Output<'m>,
    sections: Sections,
}

/// A number that is changed while the module runs.
const FLAG: GlobalType = GlobalType { val_type: ValType::I32, mutable: true, shared: false };

impl First<'_> {
    /// What the original imports, and behind that what loads a part.
    fn imports(&mut self, of_one: u32) -> Result<(), Failure> {
        for (index, import) in (0..).zip(&self.module.imports) {
            if let wasmparser::TypeRef::Func(signature) = import.ty {
                let kind = self.output.kind(signature)?;
                self.sections.imports.import(import.module, &index.to_string(), EntityType::Function(kind));
                self.output.functions.insert(index, index);
            }
        }
        self.sections.imports.import(LOAD.0, LOAD.1, EntityType::Function(of_one));
        Ok(())
    }

    /// Numbers what makes sure of parts, the functions that stay, and what stands in for those that moved and may be called from
    /// anywhere; returns the latter, each with its part.
    fn functions(&mut self, of_none: u32) -> Result<Vec<(u32, Part)>, Failure> {
        let mut numbers = self.module.first().saturating_add(1)..;
        for (part, number) in (0..self.layout.parts).zip(&mut numbers) {
            self.output.ensures.insert(part, number);
            self.sections.functions.function(of_none);
        }
        let called_from_outside = self.module.called_from_outside();
        let (stay, moved): (Vec<u32>, Vec<u32>) =
            self.module.sorted().into_iter().partition(|index| self.layout.is_first(*index));
        let stand_ins: Vec<(u32, Part)> = moved
            .into_iter()
            .filter(|index| called_from_outside.contains(index))
            .filter_map(|index| Some((index, self.layout.elsewhere(index, None)?)))
            .collect();
        let moved = stand_ins.iter().map(|(index, _)| *index);
        for (index, number) in stay.into_iter().chain(moved).zip(numbers) {
            self.output.functions.insert(index, number);
            let kind = self.output.signature(index)?;
            self.sections.functions.function(kind);
        }
        Ok(stand_ins)
    }

    fn tables_and_memories(&mut self) -> Result<(), Failure> {
        for (index, table) in (0..).zip(&self.module.tables) {
            let mut kind = self.output.table_type(*table).attempting(writing)?;
            if index == self.layout.table {
                let slots = u64::from(self.layout.slots);
                kind.minimum = slots;
                kind.maximum = kind.maximum.map(|maximum| maximum.max(slots));
            }
            self.sections.tables.table(kind);
            self.output.tables.insert(index, index);
        }
        for memory in &self.module.memories {
            self.sections.memories.memory(self.output.memory_type(*memory).attempting(writing)?);
        }
        Ok(())
    }

    /// The globals of the original, one for each part that is there, the build, and the marks; returns the first mark, where
    /// there are any.
    fn globals(&mut self, build: u32, marks: bool) -> Result<Option<u32>, Failure> {
        for (index, global) in (0..).zip(&self.module.globals) {
            let kind = self.output.global_type(global.ty).attempting(writing)?;
            let value = self.output.const_expr(global.init_expr.clone()).attempting(writing)?;
            self.sections.globals.global(kind, &value);
            self.output.globals.insert(index, index);
        }
        for _ in 0..self.layout.parts {
            self.sections.globals.global(FLAG, &ConstExpr::i32_const(0));
        }
        self.sections.exports.export(BUILD, ExportKind::Global, self.sections.globals.len());
        let build = ConstExpr::i32_const(i32::from_le_bytes(build.to_le_bytes()));
        self.sections.globals.global(GlobalType { mutable: false, ..FLAG }, &build);
        if !marks {
            return Ok(None);
        }
        let mark = self.sections.globals.len();
        let end = self.module.forks().last().map_or(self.module.first(), |forks| forks.end);
        for index in self.module.first()..end {
            self.sections.exports.export(&mark_name(index), ExportKind::Global, self.sections.globals.len());
            self.sections.globals.global(FLAG, &ConstExpr::i32_const(0));
        }
        Ok(Some(mark))
    }

    fn elements(&mut self) -> Result<(), Failure> {
        for elements in &self.module.elements {
            let offset = self.output.const_expr(elements.offset.clone()).attempting(writing)?;
            let functions: Result<Vec<u32>, Failure> =
                elements.functions.iter().map(|function| self.output.function(*function)).collect();
            active(&mut self.sections, elements.table, &offset, functions?);
        }
        Ok(())
    }

    /// The bodies, in the order of [`First::functions`].
    fn code(&mut self, stand_ins: &[(u32, Part)], mark: Option<u32>) -> Result<(), Failure> {
        let (load, flags) = (self.module.first(), count(self.module.globals.len()));
        for (flag, part) in (flags..).zip(0..self.layout.parts) {
            let mut ensure = Function::new([]);
            let number = i32::try_from(part).attempting(writing)?;
            let mut body = ensure.instructions();
            body.global_get(flag).i32_eqz().if_(BlockType::Empty);
            body.i32_const(number).call(load).i32_const(1).global_set(flag).end().end();
            self.sections.code.function(&ensure);
        }
        let first = self.module.first();
        let forks: BTreeMap<u32, u32> = (first..).zip(self.module.forks().map(|forks| forks.start)).collect();
        for index in self.module.sorted().into_iter().filter(|index| self.layout.is_first(*index)) {
            let marks = mark.zip(forks.get(&index)).map(|(mark, forks)| {
                [index, *forks].map(|number| mark.saturating_add(number.saturating_sub(first)))
            });
            if let Some(function) = self.module.function(index) {
                self.sections.code.function(&self.output.body(function, marks)?);
            }
        }
        for (index, part) in stand_ins {
            self.sections.code.function(&self.output.stand_in(*index, *part)?);
        }
        Ok(())
    }

    /// The data of the original, without the constants that go along with parts.
    fn data(&mut self) -> Result<(), Failure> {
        for (first, bytes) in memory(self.module)? {
            let mut bytes = bytes.to_vec();
            for stretch in self.layout.constants.values().flatten() {
                let within = within(first, bytes.len(), stretch);
                bytes.get_mut(within).unwrap_or_default().fill(0);
            }
            self.sections.data.active(0, &address(first)?, bytes);
        }
        Ok(())
    }
}

/// The mark of a function or a fork, as it is exported.
pub(super) fn mark_name(number: u32) -> String {
    format!("ran{number}")
}

/// What the original exports, and what parts need beyond that.
fn exports(
    module: &Module<'_>,
    layout: &Layout,
    output: &Output<'_>,
    sections: &mut Sections,
) -> Result<(), Failure> {
    let renamed = module.renamed();
    for export in &module.exports {
        let (kind, index) = match export.kind {
            ExternalKind::Func => (ExportKind::Func, output.function(export.index)?),
            ExternalKind::Table => (ExportKind::Table, export.index),
            ExternalKind::Memory => (ExportKind::Memory, export.index),
            ExternalKind::Global => (ExportKind::Global, export.index),
            _ => return Err(Failure::new(format!("the wasm exports `{}`, whatever that is", export.name))),
        };
        let name = renamed.get(export.name).map_or(export.name, String::as_str);
        sections.exports.export(name, kind, index);
    }
    for (shared, name) in &layout.names {
        let (kind, index) = match shared {
            Shared::Table(table) => (ExportKind::Table, *table),
            Shared::Global(global) => (ExportKind::Global, *global),
            _ => continue,
        };
        if module.exports.iter().all(|export| export.name != name) {
            sections.exports.export(name, kind, index);
        }
    }
    Ok(())
}

/// The functions that parts need and that are not exported, in a table.
fn share(layout: &Layout, output: &Output<'_>, sections: &mut Sections) -> Result<(), Failure> {
    let functions: Vec<u32> = layout
        .shared
        .iter()
        .map(|shared| match shared {
            Shared::Ensure(part) => {
                let known = output.ensures.get(part).copied();
                known.ok_or_else(|| Failure::new("the split lost a part"))
            }
            Shared::Function(function) => output.function(*function),
            _ => Err(Failure::new("only functions are shared in a table")),
        })
        .collect::<Result<_, Failure>>()?;
    if functions.is_empty() {
        return Ok(());
    }
    let table = sections.tables.len();
    let size = u64::from(layout.first_shared.saturating_add(count(functions.len())));
    sections.tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: size,
        maximum: Some(size),
        shared: false,
    });
    sections.exports.export(SHARED, ExportKind::Table, table);
    let first = i32::try_from(layout.first_shared).attempting(|| "number a slot".into())?;
    active(sections, table, &ConstExpr::i32_const(first), functions);
    Ok(())
}

/// A module that is loaded later.
pub(super) fn part(module: &Module<'_>, layout: &Layout, part: Part, build: u32) -> Result<Vec<u8>, Failure> {
    let mut output = Output::new(module, layout, Some(part));
    let of_none = output.own_kind(&[]);
    let numbers = Numbers { functions: 0.., globals: 0.., tables: 0.. };
    let mut later = Later { module, layout, part, output, sections: Sections::default(), numbers };
    later.imports(&build.to_string(), of_none)?;
    let own = later.functions()?;
    later.elements()?;
    later.data()?;
    for function in own.iter().filter_map(|index| module.function(*index)) {
        later.sections.code.function(&later.output.body(function, None)?);
    }
    Ok(later.sections.finish(&later.output.into_types()))
}

/// A module that is loaded later, as far as it is written.
struct Later<'m> {
    module: &'m Module<'m>,
    layout: &'m Layout,
    part: Part,
    output: Output<'m>,
    sections: Sections,
    numbers: Numbers,
}

/// The numbers that are not given yet.
struct Numbers {
    functions: RangeFrom<u32>,
    globals: RangeFrom<u32>,
    tables: RangeFrom<u32>,
}

impl Later<'_> {
    /// What it takes from the first module, which is of this build.
    fn imports(&mut self, build: &str, of_none: u32) -> Result<(), Failure> {
        let mut needed: Vec<Shared> = self.layout.needs(self.module, self.part).into_iter().collect();
        // By the numbers that they have as names, which is smaller after compression.
        needed.sort_by_key(|shared| self.layout.names.get(shared).map(|name| (name.len(), name)));
        for shared in needed {
            let kind = self.take(shared, of_none)?;
            let name = self.layout.names.get(&shared).ok_or_else(|| Failure::new("the split lost a name"))?;
            // The memory comes from the build itself, so that an instance of another one cannot be linked.
            self.sections.imports.import(if shared == Shared::Memory { build } else { "" }, name, kind);
        }
        Ok(())
    }

    /// Gives a number to something of the first module; returns of what kind it is.
    fn take(&mut self, shared: Shared, of_none: u32) -> Result<EntityType, Failure> {
        let writing = || "write a part".to_owned();
        let lost = |what: &str| Failure::new(format!("the split lost a {what}"));
        let (output, numbers) = (&mut self.output, &mut self.numbers);
        Ok(match shared {
            Shared::Memory => {
                let memory = self.module.memories.first().copied().ok_or_else(|| lost("memory"))?;
                let mut kind = output.memory_type(memory).attempting(writing)?;
                (kind.minimum, kind.maximum) = (0, None);
                EntityType::Memory(kind)
            }
            Shared::Table(table) => {
                let known = at(&self.module.tables, table).copied().ok_or_else(|| lost("table"))?;
                let mut kind = output.table_type(known).attempting(writing)?;
                (kind.minimum, kind.maximum) = (0, None);
                output.tables.insert(table, next(&mut numbers.tables));
                EntityType::Table(kind)
            }
            Shared::Global(global) => {
                let known = at(&self.module.globals, global).ok_or_else(|| lost("global"))?;
                output.globals.insert(global, next(&mut numbers.globals));
                EntityType::Global(output.global_type(known.ty).attempting(writing)?)
            }
            Shared::Function(function) => {
                let signature = match at(&self.module.imports, function) {
                    Some(wasmparser::Import { ty: wasmparser::TypeRef::Func(signature), .. }) => *signature,
                    _ => self.module.signature(function)?,
                };
                output.functions.insert(function, next(&mut numbers.functions));
                EntityType::Function(output.kind(signature)?)
            }
            Shared::Ensure(other) => {
                output.ensures.insert(other, next(&mut numbers.functions));
                EntityType::Function(of_none)
            }
        })
    }

    /// Numbers its functions; returns them in their order.
    fn functions(&mut self) -> Result<Vec<u32>, Failure> {
        let mut own = self.module.sorted();
        own.retain(|index| self.layout.has(self.part, *index));
        for (index, number) in own.iter().zip(&mut self.numbers.functions) {
            self.output.functions.insert(*index, number);
            let kind = self.output.signature(*index)?;
            self.sections.functions.function(kind);
        }
        Ok(own)
    }

    fn elements(&mut self) -> Result<(), Failure> {
        let table = self.output.tables.get(&self.layout.table).copied().unwrap_or_default();
        for (slot, run) in self.layout.runs(self.part) {
            let offset = ConstExpr::i32_const(i32::try_from(slot).attempting(|| "write a part".into())?);
            let functions: Result<Vec<u32>, Failure> =
                run.iter().map(|function| self.output.function(*function)).collect();
            active(&mut self.sections, table, &offset, functions?);
        }
        Ok(())
    }

    /// The constants that go along with it.
    fn data(&mut self) -> Result<(), Failure> {
        let constants = self.layout.constants.get(&self.part).map(Vec::as_slice).unwrap_or_default();
        for (first, bytes) in memory(self.module)? {
            for stretch in neighbours(constants) {
                let within = within(first, bytes.len(), &stretch);
                let place = first.saturating_add(count(within.start));
                if let Some(bytes) = bytes.get(within).filter(|bytes| !bytes.is_empty()) {
                    self.sections.data.active(0, &address(place)?, bytes.iter().copied());
                }
            }
        }
        Ok(())
    }
}

fn next(numbers: &mut RangeFrom<u32>) -> u32 {
    numbers.next().unwrap_or(u32::MAX)
}

/// What has this number.
fn at<T>(list: &[T], number: u32) -> Option<&T> {
    usize::try_from(number).ok().and_then(|place| list.get(place))
}

/// The data of the original: first addresses and bytes.
fn memory<'a>(module: &Module<'a>) -> Result<Vec<(u32, &'a [u8])>, Failure> {
    let piece = |data: &wasmparser::Data<'a>| match &data.kind {
        DataKind::Active { offset_expr, .. } => Some((constant_of(offset_expr)?, data.data)),
        DataKind::Passive => None,
    };
    let pieces: Option<Vec<_>> = module.data.iter().map(piece).collect();
    pieces.ok_or_else(|| Failure::new("data without a fixed address cannot be split"))
}

/// The bytes of a piece of data that are in a stretch of memory.
fn within(first: u32, length: usize, stretch: &Range<u32>) -> Range<usize> {
    let place = |address: u32| usize::try_from(address.saturating_sub(first)).unwrap_or(length).min(length);
    place(stretch.start)..place(stretch.end)
}

/// Stretches with at most a little padding between them become one.
fn neighbours(stretches: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut joined: Vec<Range<u32>> = Vec::new();
    for stretch in stretches {
        match joined.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => joined.push(stretch.clone()),
        }
    }
    joined
}

fn address(address: u32) -> Result<ConstExpr, Failure> {
    let address = i32::try_from(address).attempting(|| "write an address".into())?;
    Ok(ConstExpr::i32_const(address))
}

fn active(sections: &mut Sections, table: u32, offset: &ConstExpr, functions: Vec<u32>) {
    let named = Some(table).filter(|table| *table != 0);
    sections.elements.active(named, offset, Elements::Functions(Cow::Owned(functions)));
}

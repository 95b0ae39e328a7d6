//! The modules of the split, written.

use std::borrow::Cow;
use std::ops::Range;

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
/// With `marks`, every function says that it ran: a global that is named by the function's index becomes 1.
pub(super) fn first(
    module: &Module<'_>,
    layout: &Layout,
    build: u32,
    marks: bool,
) -> Result<Vec<u8>, Failure> {
    let mut output = Output::new(module, layout, None);
    let mut sections = Sections::default();
    let writing = || "write the first module".to_owned();
    let of_one = output.own_kind(&[ValType::I32]);
    let of_none = output.own_kind(&[]);

    for (index, import) in (0..).zip(&module.imports) {
        if let wasmparser::TypeRef::Func(signature) = import.ty {
            let kind = output.kind(signature)?;
            sections.imports.import(import.module, &index.to_string(), EntityType::Function(kind));
            output.functions.insert(index, index);
        }
    }
    let load = module.first();
    sections.imports.import(LOAD.0, LOAD.1, EntityType::Function(of_one));
    let mut next = load.saturating_add(1);
    let mut number = || {
        let given = next;
        next = next.saturating_add(1);
        given
    };
    for part in 0..layout.parts {
        output.ensures.insert(part, number());
        sections.functions.function(of_none);
    }
    let sorted = module.sorted();
    let mut moved = Vec::new();
    for index in sorted.iter().copied() {
        match layout.elsewhere(index, None) {
            None => {
                output.functions.insert(index, number());
                let kind = output.signature(index)?;
                sections.functions.function(kind);
            }
            Some(part) => moved.push((index, part)),
        }
    }
    let called_from_outside = module.called_from_outside();
    moved.retain(|(index, _)| called_from_outside.contains(index));
    for (index, _) in &moved {
        output.functions.insert(*index, number());
        let kind = output.signature(*index)?;
        sections.functions.function(kind);
    }

    for (index, table) in (0..).zip(&module.tables) {
        let mut kind = output.table_type(*table).attempting(writing)?;
        if index == layout.table {
            let slots = u64::from(layout.slots);
            kind.minimum = slots;
            kind.maximum = kind.maximum.map(|maximum| maximum.max(slots));
        }
        sections.tables.table(kind);
        output.tables.insert(index, index);
    }
    for memory in &module.memories {
        sections.memories.memory(output.memory_type(*memory).attempting(writing)?);
    }
    for (index, global) in (0..).zip(&module.globals) {
        let kind = output.global_type(global.ty).attempting(writing)?;
        let value = output.const_expr(global.init_expr.clone()).attempting(writing)?;
        sections.globals.global(kind, &value);
        output.globals.insert(index, index);
    }
    let flag = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
    let flags = sections.globals.len();
    for _ in 0..layout.parts {
        sections.globals.global(flag, &ConstExpr::i32_const(0));
    }
    sections.exports.export(BUILD, ExportKind::Global, sections.globals.len());
    let build = ConstExpr::i32_const(i32::from_le_bytes(build.to_le_bytes()));
    sections.globals.global(GlobalType { mutable: false, ..flag }, &build);
    let mark = marks.then_some(sections.globals.len());
    if marks {
        for (index, _) in module.indexed() {
            sections.exports.export(&mark_name(index), ExportKind::Global, sections.globals.len());
            sections.globals.global(flag, &ConstExpr::i32_const(0));
        }
    }

    exports(module, layout, &output, &mut sections)?;
    share(layout, &output, &mut sections)?;
    for elements in &module.elements {
        let offset = output.const_expr(elements.offset.clone()).attempting(writing)?;
        let functions: Result<Vec<u32>, Failure> =
            elements.functions.iter().map(|function| output.function(*function)).collect();
        active(&mut sections, elements.table, &offset, functions?);
    }

    for (flag, part) in (flags..).zip(0..layout.parts) {
        let mut ensure = Function::new([]);
        let number = i32::try_from(part).attempting(writing)?;
        let mut body = ensure.instructions();
        body.global_get(flag).i32_eqz().if_(BlockType::Empty);
        body.i32_const(number).call(load).i32_const(1).global_set(flag).end().end();
        sections.code.function(&ensure);
    }
    for index in sorted.into_iter().filter(|index| layout.is_first(*index)) {
        let mark = mark.map(|mark| mark.saturating_add(index.saturating_sub(module.first())));
        if let Some(function) = module.function(index) {
            sections.code.function(&output.body(function, mark)?);
        }
    }
    for (index, part) in moved {
        sections.code.function(&output.stand_in(index, part)?);
    }
    for (first, bytes) in memory(module)? {
        let mut bytes = bytes.to_vec();
        for stretch in layout.constants.values().flatten() {
            let within = within(first, bytes.len(), stretch);
            bytes.get_mut(within).unwrap_or_default().fill(0);
        }
        sections.data.active(0, &address(first)?, bytes);
    }
    Ok(sections.finish(&output.into_types()))
}

/// The mark of a function, as it is exported.
pub(super) fn mark_name(function: u32) -> String {
    format!("ran{function}")
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
    let mut sections = Sections::default();
    let writing = || "write a part".to_owned();
    let of_none = output.own_kind(&[]);
    let (mut functions, mut globals, mut tables) = (0_u32, 0_u32, 0_u32);
    let number = |counter: &mut u32| {
        let given = *counter;
        *counter = counter.saturating_add(1);
        given
    };
    let build = build.to_string();
    let mut needed: Vec<Shared> = layout.needs(module, part).into_iter().collect();
    // By the numbers that they have as names, which is smaller after compression.
    needed.sort_by_key(|shared| layout.names.get(shared).map(|name| (name.len(), name)));
    for shared in needed {
        let kind = match shared {
            Shared::Memory => {
                let memory = module.memories.first().copied();
                let memory = memory.ok_or_else(|| Failure::new("the wasm has no memory"))?;
                let mut kind = output.memory_type(memory).attempting(writing)?;
                (kind.minimum, kind.maximum) = (0, None);
                EntityType::Memory(kind)
            }
            Shared::Table(table) => {
                let known = usize::try_from(table).ok().and_then(|place| module.tables.get(place)).copied();
                let known = known.ok_or_else(|| Failure::new("the split lost a table"))?;
                let mut kind = output.table_type(known).attempting(writing)?;
                (kind.minimum, kind.maximum) = (0, None);
                output.tables.insert(table, number(&mut tables));
                EntityType::Table(kind)
            }
            Shared::Global(global) => {
                let known = usize::try_from(global).ok().and_then(|place| module.globals.get(place));
                let known = known.ok_or_else(|| Failure::new("the split lost a global"))?;
                output.globals.insert(global, number(&mut globals));
                EntityType::Global(output.global_type(known.ty).attempting(writing)?)
            }
            Shared::Function(function) => {
                let signature = match usize::try_from(function).ok().and_then(|at| module.imports.get(at)) {
                    Some(wasmparser::Import { ty: wasmparser::TypeRef::Func(signature), .. }) => *signature,
                    _ => module.signature(function)?,
                };
                output.functions.insert(function, number(&mut functions));
                EntityType::Function(output.kind(signature)?)
            }
            Shared::Ensure(other) => {
                output.ensures.insert(other, number(&mut functions));
                EntityType::Function(of_none)
            }
        };
        let name = layout.names.get(&shared).ok_or_else(|| Failure::new("the split lost a name"))?;
        // The memory comes from the build itself, so that an instance of another one cannot be linked.
        sections.imports.import(if shared == Shared::Memory { &build } else { "" }, name, kind);
    }
    let mut own = module.sorted();
    own.retain(|index| layout.has(part, *index));
    for index in &own {
        output.functions.insert(*index, number(&mut functions));
        let kind = output.signature(*index)?;
        sections.functions.function(kind);
    }
    let table = output.tables.get(&layout.table).copied().unwrap_or_default();
    for (slot, run) in layout.runs(part) {
        let offset = ConstExpr::i32_const(i32::try_from(slot).attempting(writing)?);
        let functions: Result<Vec<u32>, Failure> =
            run.iter().map(|function| output.function(*function)).collect();
        active(&mut sections, table, &offset, functions?);
    }
    for (first, bytes) in memory(module)? {
        for stretch in neighbours(layout.constants.get(&part).map(Vec::as_slice).unwrap_or_default()) {
            let within = within(first, bytes.len(), &stretch);
            let at = first.saturating_add(count(within.start));
            if let Some(bytes) = bytes.get(within).filter(|bytes| !bytes.is_empty()) {
                sections.data.active(0, &address(at)?, bytes.iter().copied());
            }
        }
    }
    for function in own.iter().filter_map(|index| module.function(*index)) {
        sections.code.function(&output.body(function, None)?);
    }
    Ok(sections.finish(&output.into_types()))
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

//! Takes a wasm file apart: a module that is loaded first, and parts that are loaded when they are needed.
//!
//! Works on the linked and optimised file. A function that moves to a part is called through the table: before the call,
//! the caller makes sure that the part is there, and where the table held the function from the start, a stand-in does
//! so. Parts have no memory of their own; they take what they need from the first module, and bring along the constants
//! that nobody else uses.

mod alike;
mod assign;
mod body;
mod data;
mod layout;
mod module;
mod outline;
mod output;
mod write;

use crate::failure::Failure;
use crate::files;
pub(crate) use assign::{DECIDING, EDITING, ON_DEMAND, POLICY, Profile, REST, SCHEMA};
use data::Constants;
pub(crate) use data::without_addresses;
use layout::{Homes, Layout};
use module::Module;

/// What the module of the glue that loads parts is called in the first module.
pub(crate) const LOADER: &str = write::LOAD.0;

/// The modules of one split.
pub(crate) struct Split {
    pub(crate) first: Vec<u8>,
    /// In the order of their names.
    pub(crate) parts: Vec<Vec<u8>>,
}

/// The whole as one module, in which every function marks that it ran, and how far: the exported global `ran7` becomes 1.
pub(crate) fn marked(wasm: &[u8]) -> Result<Vec<u8>, Failure> {
    let module = Module::read(wasm)?;
    let layout = Layout::new(&module, 0, Homes::new(), &Constants::default())?;
    write::first(&module, &layout, 0, true)
}

/// The names of the imports, in the order in which the first module numbers them.
pub(crate) fn imports(wasm: &[u8]) -> Result<Vec<String>, Failure> {
    Ok(Module::read(wasm)?.imports.iter().map(|import| import.name.to_owned()).collect())
}

/// The exported functions with other names in the first module: what they were called, and what they are called.
pub(crate) fn renamed(wasm: &[u8]) -> Result<Vec<(String, String)>, Failure> {
    let module = Module::read(wasm)?;
    Ok(module.renamed().into_iter().map(|(old, new)| (old.to_owned(), new)).collect())
}

/// Splits by what ran; `parts` are the names of adapters and of [`ON_DEMAND`], [`DECIDING`] and [`REST`].
///
/// `linked` is the file as the linker wrote it, with relocations: from it is known which constants go along.
pub(crate) fn split(wasm: &[u8], linked: &[u8], parts: &[&str], profile: &Profile) -> Result<Split, Failure> {
    let homes = assign::assign(&Module::read(wasm)?, parts, profile);
    if parts.contains(&REST) {
        let (wasm, profile) = outline::outline(wasm, &homes, profile)?;
        let homes = assign::assign(&Module::read(&wasm)?, parts, &profile);
        return divide(&wasm, linked, parts, homes);
    }
    divide(wasm, linked, parts, homes)
}

/// Writes the modules of a split, each with the functions whose home it is.
fn divide(wasm: &[u8], linked: &[u8], parts: &[&str], homes: Homes) -> Result<Split, Failure> {
    let wasm = alike::alike(wasm, &homes)?;
    let module = Module::read(&wasm)?;
    let build = build(&wasm, &homes);
    let layout = Layout::new(&module, module::count(parts.len()), homes, &Constants::read(linked)?)?;
    let first = write::first(&module, &layout, build, false)?;
    let parts: Result<_, _> =
        (0..layout.parts).map(|part| write::part(&module, &layout, part, build)).collect();
    Ok(Split { first, parts: parts? })
}

/// A number that differs between builds.
fn build(wasm: &[u8], homes: &Homes) -> u32 {
    let digest = files::digest(&[wasm, format!("{homes:?}").as_bytes()]);
    u32::from_str_radix(digest.get(..8).unwrap_or_default(), 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeSet;

    use wasm_encoder::{
        CodeSection, ConstExpr, ElementSection, Elements, ExportKind, ExportSection, Function,
        FunctionSection, MemorySection, MemoryType, NameMap, NameSection, RefType, TableSection, TableType,
        TypeSection,
    };
    use wasmparser::{Parser, Payload};

    use super::*;

    const BODY: u32 = 30;

    /// `main` calls `read` of an adapter, which calls `helper` that nobody else uses; `write` is in the table.
    fn example() -> Vec<u8> {
        calling([Some(1), Some(2), None, None, None])
    }

    fn calling(calls: [Option<u32>; 5]) -> Vec<u8> {
        let mut module = wasm_encoder::Module::new();
        let (mut types, mut functions, mut tables) =
            (TypeSection::new(), FunctionSection::new(), TableSection::new());
        types.ty().function([], []);
        for _ in 0..5 {
            functions.function(0);
        }
        let table = TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: 2,
            maximum: Some(2),
            shared: false,
        };
        tables.table(table);
        let (mut memories, mut exports, mut elements) =
            (MemorySection::new(), ExportSection::new(), ElementSection::new());
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        exports.export("memory", ExportKind::Memory, 0).export("main", ExportKind::Func, 0);
        elements.active(None, &ConstExpr::i32_const(1), Elements::Functions(Cow::Borrowed(&[3])));
        let mut code = CodeSection::new();
        for calls in calls {
            let mut body = Function::new([]);
            for _ in 0..BODY {
                body.instructions().nop();
            }
            if let Some(callee) = calls {
                body.instructions().call(callee);
            }
            body.instructions().end();
            code.function(&body);
        }
        let (mut map, mut names) = (NameMap::new(), NameSection::new());
        for (index, name) in (0..).zip([
            "main",
            "countersign_protocols[1f]::a2a::read",
            "helper",
            "<countersign_protocols[1f]::a2a::A2a>::write",
            "cold",
        ]) {
            map.append(index, name);
        }
        names.functions(&map);
        module.section(&types).section(&functions).section(&tables).section(&memories).section(&exports);
        module.section(&elements).section(&code).section(&names);
        module.finish()
    }

    /// How many functions have a body, what is imported, and how many runs of functions go into the table.
    fn shape(wasm: &[u8]) -> (u32, Vec<String>, u32) {
        let mut found = (0, Vec::new(), 0);
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::CodeSectionStart { count, .. } => found.0 = count,
                Payload::ElementSection(reader) => found.2 = reader.count(),
                Payload::ImportSection(reader) => {
                    found.1.extend(reader.into_imports().map(|import| import.unwrap().name.to_owned()))
                }
                _ => {}
            }
        }
        found
    }

    #[test]
    fn an_adapter_takes_what_only_it_uses_and_leaves_stand_ins() {
        let profile =
            Profile { painted: BTreeSet::from([0]), decided: BTreeSet::from([0]), ..Profile::default() };
        let split = split(&example(), &example(), &["a2a", DECIDING, REST], &profile).unwrap();
        // `main`, what makes sure of each of three parts, and the stand-in for `write`.
        assert_eq!(shape(&split.first), (5, vec!["load".to_owned()], 1));
        let [a2a, deciding, rest] = split.parts.as_slice() else { panic!("three parts") };
        // `read` and `write` go into slots; `helper` needs none.
        assert_eq!(shape(a2a), (3, vec!["!".to_owned(), "memory".to_owned()], 1));
        assert_eq!((shape(deciding).0, shape(rest).0), (0, 1));
    }

    #[test]
    fn what_a_part_needs_of_the_first_module_stands_in_a_table() {
        // `main` and `read` call `cold`.
        let wasm = calling([Some(4), Some(4), None, None, None]);
        let ran = BTreeSet::from([0, 4]);
        let profile = Profile { always: ran.clone(), painted: ran.clone(), decided: ran };
        let split = split(&wasm, &wasm, &["a2a"], &profile).unwrap();
        let Some(a2a) = split.parts.first() else { panic!("a part") };
        assert_eq!(shape(a2a).1, ["!", "\"", "memory"]);
        assert_eq!(shape(&split.first).2, 2);
    }

    #[test]
    fn what_ran_before_an_adapter_was_known_stays() {
        let all = BTreeSet::from([0, 1, 2, 3, 4]);
        let profile = Profile { always: all.clone(), painted: all.clone(), decided: all };
        let split = split(&example(), &example(), &["a2a"], &profile).unwrap();
        assert_eq!(shape(&split.first).0, 6);
        assert_eq!(split.parts.first().map(|part| shape(part).0), Some(0));
    }

    #[test]
    fn every_function_can_be_marked() {
        let exports = |wasm: &[u8]| {
            let count = |payload: Payload<'_>| match payload {
                Payload::ExportSection(reader) => Some(reader.count()),
                _ => None,
            };
            Parser::new(0).parse_all(wasm).find_map(|payload| count(payload.unwrap()))
        };
        assert_eq!(exports(&example()), Some(2));
        // A mark for each function, and the number of the build.
        assert_eq!(exports(&marked(&example()).unwrap()), Some(8));
    }
}

//! A wasm file, taken apart.

use std::collections::BTreeMap;
use std::ops::Range;

use wasmparser::{
    ConstExpr, Data, ElementItems, ElementKind, Export, ExternalKind, FuncType, FunctionBody, Global, Import,
    KnownCustom, MemoryType, Name, Operator, Parser, Payload, TableType, TypeRef,
};

use crate::failure::{Attempt, Failure};

/// What a linked and optimised module is made of. Anything that no such module has is refused, not guessed at.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) types: Vec<FuncType>,
    /// All are functions; their indices come before those of [`Module::functions`].
    pub(super) imports: Vec<Import<'a>>,
    pub(super) functions: Vec<Function<'a>>,
    pub(super) tables: Vec<TableType>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) globals: Vec<Global<'a>>,
    pub(super) exports: Vec<Export<'a>>,
    pub(super) elements: Vec<Elements<'a>>,
    pub(super) data: Vec<Data<'a>>,
    /// The names of functions, by index.
    names: BTreeMap<u32, &'a str>,
}

/// A function that has a body.
pub(super) struct Function<'a> {
    /// Its type.
    pub(super) signature: u32,
    pub(super) body: FunctionBody<'a>,
    /// The functions that it calls, each once, in order.
    pub(super) calls: Vec<u32>,
    pub(super) globals: Vec<u32>,
    pub(super) tables: Vec<u32>,
    /// Every number in it that could be an address.
    pub(super) numbers: Vec<u32>,
    /// The instructions after which it may or may not go on, by their places.
    pub(super) forks: Vec<usize>,
    /// Whether it takes the address of a function itself.
    pub(super) takes_addresses: bool,
}

/// Functions that are in a table from the start.
pub(super) struct Elements<'a> {
    pub(super) table: u32,
    pub(super) offset: ConstExpr<'a>,
    /// The first slot.
    pub(super) first: u32,
    pub(super) functions: Vec<u32>,
}

impl<'a> Module<'a> {
    pub(super) fn read(wasm: &'a [u8]) -> Result<Self, Failure> {
        let mut module = Self::default();
        let mut signatures = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            module.take(payload.map_err(unreadable)?, &mut signatures)?;
        }
        if signatures.is_empty() {
            Ok(module)
        } else {
            Err(Failure::new("the wasm declares functions that have no body"))
        }
    }

    fn take(&mut self, payload: Payload<'a>, signatures: &mut Vec<u32>) -> Result<(), Failure> {
        match payload {
            Payload::TypeSection(reader) => self.types = all(reader.into_iter_err_on_gc_types())?,
            Payload::ImportSection(reader) => self.imports = functions(all(reader.into_imports())?)?,
            Payload::FunctionSection(reader) => {
                *signatures = all(reader)?;
                signatures.reverse();
            }
            Payload::TableSection(reader) => {
                self.tables = all(reader)?.into_iter().map(|table| table.ty).collect();
            }
            Payload::MemorySection(reader) => self.memories = all(reader)?,
            Payload::GlobalSection(reader) => self.globals = all(reader)?,
            Payload::ExportSection(reader) => self.exports = all(reader)?,
            Payload::ElementSection(reader) => {
                self.elements = all(reader)?.into_iter().map(Elements::read).collect::<Result<_, _>>()?;
            }
            Payload::DataSection(reader) => self.data = all(reader)?,
            Payload::CodeSectionEntry(body) => {
                let signature =
                    signatures.pop().ok_or_else(|| Failure::new("the wasm has bodies of no function"))?;
                self.functions.push(Function::read(signature, body)?);
            }
            Payload::CustomSection(section) => self.take_names(section.as_known())?,
            Payload::StartSection { .. } | Payload::TagSection(_) => {
                return Err(Failure::new("the wasm has a start function or tags, which cannot be split"));
            }
            _ => {}
        }
        Ok(())
    }

    fn take_names(&mut self, section: KnownCustom<'a>) -> Result<(), Failure> {
        let KnownCustom::Name(reader) = section else { return Ok(()) };
        for name in all(reader)? {
            let Name::Function(names) = name else { continue };
            self.names.extend(all(names)?.into_iter().map(|naming| (naming.index, naming.name)));
        }
        Ok(())
    }

    /// What exported functions are called in the first module, by what they were called: as short as can be without being
    /// taken for a slot of the table that parts look into.
    pub(super) fn renamed(&self) -> BTreeMap<&'a str, String> {
        let functions = self.exports.iter().filter(|export| export.kind == ExternalKind::Func);
        let names = functions.map(|export| export.name);
        (0..)
            .zip(names.filter(|name| GIVING_BACK.iter().all(|word| !name.contains(word))))
            .map(|(number, name)| (name, format!("f{number:02}")))
            .collect()
    }

    /// The name of a function, empty where it has none.
    pub(super) fn name(&self, function: u32) -> &'a str {
        self.names.get(&function).copied().unwrap_or_default()
    }

    /// The index of the first function with a body.
    pub(super) fn first(&self) -> u32 {
        count(self.imports.len())
    }

    /// Every function with a body, by its index.
    pub(super) fn indexed(&self) -> impl Iterator<Item = (u32, &Function<'a>)> {
        (self.first()..).zip(&self.functions)
    }

    /// The functions with a body in the order in which they are written: what is about as long, takes and gives the same,
    /// and begins alike stands together, which is more than a hundredth less after compression.
    pub(super) fn sorted(&self) -> Vec<u32> {
        let mut found: Vec<_> = self
            .indexed()
            .map(|(index, function)| {
                let body = function.body.as_bytes();
                (body.len().checked_ilog(16), function.signature, body, index)
            })
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(.., index)| index).collect()
    }

    /// For every function with a body, the numbers of its forks: they go on where those of functions end.
    pub(super) fn forks(&self) -> impl Iterator<Item = Range<u32>> {
        let mut next = self.first().saturating_add(count(self.functions.len()));
        self.functions.iter().map(move |function| {
            let first = next;
            next = next.saturating_add(count(function.forks.len()));
            first..next
        })
    }

    /// A function with a body.
    pub(super) fn function(&self, index: u32) -> Option<&Function<'a>> {
        self.functions.get(usize::try_from(index.checked_sub(self.first())?).ok()?)
    }

    /// The type of a function with a body.
    pub(super) fn signature(&self, function: u32) -> Result<u32, Failure> {
        self.function(function)
            .map(|function| function.signature)
            .ok_or_else(|| Failure::new(format!("the wasm has no function {function}")))
    }

    pub(super) fn kind(&self, signature: u32) -> Result<&FuncType, Failure> {
        usize::try_from(signature)
            .ok()
            .and_then(|place| self.types.get(place))
            .ok_or_else(|| Failure::new(format!("the wasm has no type {signature}")))
    }
}

/// In the names of functions that only give something back. By these the script knows them where the wasm can do no more.
const GIVING_BACK: &[&str] = &["free", "drop", "dealloc", "destroy", "dtor", "unmount"];

/// What begins instructions for vectors and for threads, which have addresses too.
const PREFIXES: &[u8] = &[0xfd, 0xfe];

fn unknown_instruction() -> Failure {
    Failure::new("the wasm has an instruction that the split does not know")
}

impl<'a> Function<'a> {
    fn read(signature: u32, body: FunctionBody<'a>) -> Result<Self, Failure> {
        let (mut calls, mut globals, mut tables, mut takes_addresses) = (vec![], vec![], vec![], false);
        let (mut numbers, mut forks) = (Vec::new(), Vec::new());
        let start = body.range().start;
        for (place, operator) in
            (0..).zip(body.get_operators_reader().map_err(unreadable)?.into_iter_with_offsets())
        {
            let (operator, at) = operator.map_err(unreadable)?;
            let opcode = body.as_bytes().get(at.saturating_sub(start));
            if opcode.is_none_or(|opcode| PREFIXES.contains(opcode)) {
                return Err(unknown_instruction());
            }
            match operator {
                Operator::I32Const { value } => numbers.push(u32::from_le_bytes(value.to_le_bytes())),
                Operator::I32Load { memarg }
                | Operator::I64Load { memarg }
                | Operator::F32Load { memarg }
                | Operator::F64Load { memarg }
                | Operator::I32Load8S { memarg }
                | Operator::I32Load8U { memarg }
                | Operator::I32Load16S { memarg }
                | Operator::I32Load16U { memarg }
                | Operator::I64Load8S { memarg }
                | Operator::I64Load8U { memarg }
                | Operator::I64Load16S { memarg }
                | Operator::I64Load16U { memarg }
                | Operator::I64Load32S { memarg }
                | Operator::I64Load32U { memarg }
                | Operator::I32Store { memarg }
                | Operator::I64Store { memarg }
                | Operator::F32Store { memarg }
                | Operator::F64Store { memarg }
                | Operator::I32Store8 { memarg }
                | Operator::I32Store16 { memarg }
                | Operator::I64Store8 { memarg }
                | Operator::I64Store16 { memarg }
                | Operator::I64Store32 { memarg } => {
                    numbers.push(u32::try_from(memarg.offset).unwrap_or(u32::MAX));
                }
                Operator::If { .. } | Operator::Else | Operator::End | Operator::BrIf { .. } => {
                    forks.push(place)
                }
                Operator::Call { function_index } => calls.push(function_index),
                Operator::CallIndirect { table_index, .. }
                | Operator::TableGet { table: table_index }
                | Operator::TableSet { table: table_index }
                | Operator::TableSize { table: table_index }
                | Operator::TableGrow { table: table_index }
                | Operator::TableFill { table: table_index } => tables.push(table_index),
                Operator::GlobalGet { global_index } | Operator::GlobalSet { global_index } => {
                    globals.push(global_index);
                }
                Operator::RefFunc { .. } => takes_addresses = true,
                Operator::ReturnCall { .. }
                | Operator::ReturnCallIndirect { .. }
                | Operator::MemoryInit { .. }
                | Operator::DataDrop { .. }
                | Operator::TableInit { .. }
                | Operator::ElemDrop { .. }
                | Operator::TableCopy { .. } => {
                    return Err(unknown_instruction());
                }
                _ => {}
            }
        }
        // Nothing comes after its own end.
        forks.pop();
        for list in [&mut calls, &mut globals, &mut tables, &mut numbers] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(Self { signature, body, calls, globals, tables, numbers, forks, takes_addresses })
    }
}

impl<'a> Elements<'a> {
    fn read(element: wasmparser::Element<'a>) -> Result<Self, Failure> {
        let (ElementKind::Active { table_index, offset_expr }, ElementItems::Functions(items)) =
            (element.kind, element.items)
        else {
            return Err(Failure::new("the wasm has elements that are not just functions in a table"));
        };
        let first = match offset_expr.get_operators_reader().read().map_err(unreadable)? {
            Operator::I32Const { value } => u32::try_from(value).attempting(|| "read a table".into())?,
            _ => return Err(Failure::new("the place of functions in a table is no constant")),
        };
        let functions = items.into_iter().collect::<Result<_, _>>().map_err(unreadable)?;
        Ok(Self { table: table_index.unwrap_or(0), offset: offset_expr, first, functions })
    }
}

/// Everything in a section.
fn all<T>(section: impl IntoIterator<Item = wasmparser::Result<T>>) -> Result<Vec<T>, Failure> {
    section.into_iter().collect::<Result<_, _>>().map_err(unreadable)
}

/// Imports, which must all be functions.
fn functions(imports: Vec<Import<'_>>) -> Result<Vec<Import<'_>>, Failure> {
    match imports.iter().find(|import| !matches!(import.ty, TypeRef::Func(_))) {
        Some(import) => Err(Failure::new(format!("the wasm imports `{}`, no function", import.name))),
        None => Ok(imports),
    }
}

/// A length as wasm counts it. More than it can count would be no wasm file.
pub(super) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

pub(super) fn unreadable(error: wasmparser::BinaryReaderError) -> Failure {
    Failure::new(format!("cannot read the wasm: {error}"))
}

//! A module that is being written: what it takes over from the original gets new numbers.

use std::collections::BTreeMap;

use wasm_encoder::TypeSection;
use wasm_encoder::reencode::{Error, Reencode};
use wasmparser::Operator;

use super::layout::{Layout, Part};
use super::module::{Function, Module, count};
use crate::failure::{Attempt, Failure};

/// One module of the split, as far as it is known.
pub(super) struct Output<'m> {
    module: &'m Module<'m>,
    layout: &'m Layout,
    /// Which part this is; `None`: the first module.
    here: Option<Part>,
    types: TypeSection,
    known_types: BTreeMap<u32, u32>,
    /// New numbers by the original ones.
    pub(super) functions: BTreeMap<u32, u32>,
    pub(super) globals: BTreeMap<u32, u32>,
    pub(super) tables: BTreeMap<u32, u32>,
    /// The functions that make sure of a part.
    pub(super) ensures: BTreeMap<Part, u32>,
}

impl<'m> Output<'m> {
    pub(super) fn new(module: &'m Module<'m>, layout: &'m Layout, here: Option<Part>) -> Self {
        Self {
            module,
            layout,
            here,
            types: TypeSection::new(),
            known_types: BTreeMap::new(),
            functions: BTreeMap::new(),
            globals: BTreeMap::new(),
            tables: BTreeMap::new(),
            ensures: BTreeMap::new(),
        }
    }

    /// The type of a function of the original.
    pub(super) fn signature(&mut self, function: u32) -> Result<u32, Failure> {
        let signature = self.module.signature(function)?;
        self.kind(signature)
    }

    /// A type of the original.
    pub(super) fn kind(&mut self, signature: u32) -> Result<u32, Failure> {
        if let Some(known) = self.known_types.get(&signature) {
            return Ok(*known);
        }
        let kind = self.module.kind(signature)?.clone();
        let kind = self.func_type(kind).attempting(|| "write a type".into())?;
        let place = self.types.len();
        self.types.ty().func_type(&kind);
        self.known_types.insert(signature, place);
        Ok(place)
    }

    /// A type that the original need not have.
    pub(super) fn own_kind(&mut self, parameters: &[wasm_encoder::ValType]) -> u32 {
        let place = self.types.len();
        self.types.ty().function(parameters.iter().copied(), []);
        place
    }

    pub(super) fn into_types(self) -> TypeSection {
        self.types
    }

    pub(super) fn function(&self, function: u32) -> Result<u32, Failure> {
        find(&self.functions, function, "function")
    }

    /// The body of a function of the original. What it calls elsewhere is made sure of and called through its slot.
    ///
    /// Where globals are given as `marks`, the one becomes 1 when the function runs, and one from the other on when it goes on
    /// after a fork.
    pub(super) fn body(
        &mut self,
        function: &Function<'m>,
        marks: Option<[u32; 2]>,
    ) -> Result<wasm_encoder::Function, Failure> {
        let unwritten = || "write a function".to_owned();
        let mut body = self.new_function_with_parsed_locals(&function.body).attempting(unwritten)?;
        if let Some([mark, _]) = marks {
            body.instructions().i32_const(1).global_set(mark);
        }
        let mut forks = (0..).zip(&function.forks).peekable();
        for (place, operator) in (0..).zip(function.body.get_operators_reader().attempting(unwritten)?) {
            let operator = operator.attempting(unwritten)?;
            match operator {
                Operator::Call { function_index } => self.call(&mut body, function_index)?,
                other => {
                    body.instruction(&self.instruction(other).attempting(unwritten)?);
                }
            }
            if let (Some((fork, _)), Some([_, first])) = (forks.next_if(|(_, at)| **at == place), marks) {
                body.instructions().i32_const(1).global_set(u32::saturating_add(first, fork));
            }
        }
        Ok(body)
    }

    fn call(&mut self, body: &mut wasm_encoder::Function, function: u32) -> Result<(), Failure> {
        match self.layout.elsewhere(function, self.here) {
            None => {
                let function = self.function(function)?;
                body.instructions().call(function);
            }
            Some(part) => {
                let ensure = find(&self.ensures, part, "part")?;
                body.instructions().call(ensure);
                self.call_slot(body, function)?;
            }
        }
        Ok(())
    }

    /// Calls a function through its slot, with the arguments that are on the stack.
    fn call_slot(&mut self, body: &mut wasm_encoder::Function, function: u32) -> Result<(), Failure> {
        let kind = self.signature(function)?;
        let table = find(&self.tables, self.layout.table, "table")?;
        let slot = i32::try_from(self.layout.slot(function)?).attempting(|| "number a slot".into())?;
        body.instructions().i32_const(slot).call_indirect(table, kind);
        Ok(())
    }

    /// Stands in for a function of a part: makes sure of the part, then calls what it put into the slot.
    pub(super) fn stand_in(&mut self, function: u32, part: Part) -> Result<wasm_encoder::Function, Failure> {
        let ensure = find(&self.ensures, part, "part")?;
        let mut body = wasm_encoder::Function::new([]);
        body.instructions().call(ensure);
        let parameters = self.module.kind(self.module.signature(function)?)?.params().len();
        for parameter in 0..count(parameters) {
            body.instructions().local_get(parameter);
        }
        self.call_slot(&mut body, function)?;
        body.instructions().end();
        Ok(body)
    }
}

/// New numbers for what the instructions name.
impl Reencode for Output<'_> {
    type Error = Failure;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Failure>> {
        self.function(function).map_err(Error::UserError)
    }

    fn global_index(&mut self, global: u32) -> Result<u32, Error<Failure>> {
        find(&self.globals, global, "global").map_err(Error::UserError)
    }

    fn table_index(&mut self, table: u32) -> Result<u32, Error<Failure>> {
        find(&self.tables, table, "table").map_err(Error::UserError)
    }

    fn type_index(&mut self, signature: u32) -> Result<u32, Error<Failure>> {
        self.kind(signature).map_err(Error::UserError)
    }
}

fn find<K: Ord + std::fmt::Debug>(numbers: &BTreeMap<K, u32>, key: K, what: &str) -> Result<u32, Failure> {
    let found = numbers.get(&key).copied();
    found.ok_or_else(|| Failure::new(format!("the split lost the {what} {key:?}")))
}

/// The sections of one module, in the order that wasm wants.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) imports: wasm_encoder::ImportSection,
    pub(super) functions: wasm_encoder::FunctionSection,
    pub(super) tables: wasm_encoder::TableSection,
    pub(super) memories: wasm_encoder::MemorySection,
    pub(super) globals: wasm_encoder::GlobalSection,
    pub(super) exports: wasm_encoder::ExportSection,
    pub(super) elements: wasm_encoder::ElementSection,
    pub(super) code: wasm_encoder::CodeSection,
    pub(super) data: wasm_encoder::DataSection,
}

impl Sections {
    /// The finished module.
    pub(super) fn finish(self, types: &TypeSection) -> Vec<u8> {
        let mut module = wasm_encoder::Module::new();
        section(&mut module, types.is_empty(), types);
        section(&mut module, self.imports.is_empty(), &self.imports);
        section(&mut module, self.functions.is_empty(), &self.functions);
        section(&mut module, self.tables.is_empty(), &self.tables);
        section(&mut module, self.memories.is_empty(), &self.memories);
        section(&mut module, self.globals.is_empty(), &self.globals);
        section(&mut module, self.exports.is_empty(), &self.exports);
        section(&mut module, self.elements.is_empty(), &self.elements);
        section(&mut module, self.code.is_empty(), &self.code);
        section(&mut module, self.data.is_empty(), &self.data);
        module.finish()
    }
}

fn section(module: &mut wasm_encoder::Module, is_empty: bool, section: &impl wasm_encoder::Section) {
    if !is_empty {
        module.section(section);
    }
}

//! Makes alike what differs for no reason: the numbers of locals, and how far an address is said to be aligned.
//!
//! Nothing that runs depends on either, but a fifth of what is downloaded are the numbers of locals. Where the code around
//! a local looks as it does around others of its file, it takes the number that they have; so the same code looks the same.

use std::collections::HashMap;
use std::ops::Range;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, RawSection};
use wasmparser::{MemArg, Operator, Parser, Payload};

use super::layout::Homes;
use super::module::{Function, Module, count, unreadable};
use crate::failure::{Attempt, Failure};

/// How often all functions are gone through: a fifth time saves nothing.
const ROUNDS: usize = 4;

/// The same module, to be compressed into fewer bytes, each part by itself.
pub(super) fn alike(wasm: &[u8], homes: &Homes) -> Result<Vec<u8>, Failure> {
    let module = Module::read(wasm)?;
    let mut shapes: Vec<Shape> = module
        .indexed()
        .map(|(index, function)| {
            let part = homes.get(&index).and_then(|parts| parts.first());
            Shape::read(&module, function, part.map_or(0, |part| u64::from(*part).saturating_add(1)))
        })
        .collect::<Result<_, _>>()?;
    number(&mut shapes);
    let mut code = CodeSection::new();
    for (function, shape) in module.functions.iter().zip(&shapes) {
        code.function(&Writer.body(function, shape)?);
    }
    let mut output = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(unreadable)?;
        if matches!(payload, Payload::CodeSectionStart { .. }) {
            output.section(&code);
        } else if let Some((id, range)) = payload.as_section() {
            output.section(&RawSection { id, data: wasm.get(range).unwrap_or_default() });
        }
    }
    Ok(output.finish())
}

/// A function as a row of steps.
struct Shape {
    /// The file that it is in: none learns from another.
    file: u64,
    steps: Vec<Step>,
    /// The locals that may change places: those of one type that stand together, without parameters.
    runs: Vec<Range<usize>>,
    /// The new numbers of all locals and parameters.
    numbers: Vec<usize>,
}

/// An instruction.
#[derive(Clone, Copy)]
enum Step {
    /// Something is done with a local.
    Local { verb: u64, local: usize },
    /// Anything else, by its bytes.
    Other(u64),
}

/// What stands around a local: one and two steps before it, one and two after it.
type Around = [u64; 4];

impl Shape {
    fn read(module: &Module<'_>, function: &Function<'_>, file: u64) -> Result<Self, Failure> {
        let (body, bytes) = (&function.body, function.body.as_bytes());
        let mut next = module.kind(function.signature)?.params().len();
        let mut runs = Vec::new();
        for run in body.get_locals_reader().map_err(unreadable)? {
            let (length, _) = run.map_err(unreadable)?;
            let end = next.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
            runs.push(next..end);
            next = end;
        }
        let mut steps = Vec::new();
        let mut reader = body.get_operators_reader().map_err(unreadable)?;
        while !reader.eof() {
            let (operator, at) = reader.read_with_offset().map_err(unreadable)?;
            let from = at.saturating_sub(body.range().start);
            let to = reader.original_position().saturating_sub(body.range().start);
            steps.push(match local_of(&operator) {
                Some((verb, local)) => {
                    Step::Local { verb, local: usize::try_from(local).unwrap_or(usize::MAX) }
                }
                None => Step::Other(hashed(bytes.get(from..to).unwrap_or_default())),
            });
        }
        Ok(Self { file, steps, runs, numbers: (0..next).collect() })
    }

    /// The step at a place, as it looks with the new numbers; nothing is before the first and after the last.
    fn look(&self, place: Option<usize>) -> u64 {
        match place.and_then(|place| self.steps.get(place)) {
            Some(Step::Local { verb, local }) => {
                mixed(*verb, self.numbers.get(*local).map_or(0, |number| *number as u64))
            }
            Some(Step::Other(bytes)) => *bytes,
            None => 0,
        }
    }

    fn around(&self, place: usize, verb: u64) -> Around {
        let [before, earlier] = [1, 2].map(|back| self.look(place.checked_sub(back)));
        let [after, later] = [1, 2].map(|on| self.look(place.checked_add(on)));
        let of = |side, steps: u64| mixed(mixed(mixed(self.file, verb), side), steps);
        [of(1, before), of(2, mixed(before, earlier)), of(3, after), of(4, mixed(after, later))]
    }

    /// Every use of a local: where it is, what is done, and with which one.
    fn uses(&self) -> impl Iterator<Item = (usize, u64, usize)> {
        self.steps.iter().enumerate().filter_map(|(place, step)| match step {
            Step::Local { verb, local } => Some((place, *verb, *local)),
            Step::Other(_) => None,
        })
    }
}

/// How often a number was seen with what is around it.
#[derive(Default)]
struct Seen(HashMap<u64, i32>);

impl Seen {
    fn add(&mut self, shape: &Shape, times: i32) {
        for (place, verb, local) in shape.uses() {
            let number = shape.numbers.get(local).copied().unwrap_or_default();
            for around in shape.around(place, verb) {
                let seen = self.0.entry(mixed(around, number as u64)).or_default();
                *seen = seen.saturating_add(times);
            }
        }
    }

    /// How well a number goes with what is around it.
    fn fit(&self, around: &Around, number: usize) -> f64 {
        let often = |around: &u64| self.0.get(&mixed(*around, number as u64)).copied().unwrap_or_default();
        around.iter().map(|around| (f64::from(often(around)) + 0.05).ln()).sum()
    }
}

/// Gives every function, again and again, the numbers that go best with all others.
fn number(shapes: &mut [Shape]) {
    let mut seen = Seen::default();
    shapes.iter().for_each(|shape| seen.add(shape, 1));
    for _ in 0..ROUNDS {
        for shape in shapes.iter_mut().filter(|shape| shape.runs.iter().any(|run| run.len() > 1)) {
            seen.add(shape, -1);
            for run in shape.runs.clone() {
                let fits = fits(shape, &run, &seen);
                if let Some(numbers) = shape.numbers.get_mut(run.clone()) {
                    exchange(numbers, run.start, &fits);
                }
            }
            seen.add(shape, 1);
        }
    }
}

/// How well each local of a run goes with each number of it.
fn fits(shape: &Shape, run: &Range<usize>, seen: &Seen) -> Vec<Vec<f64>> {
    let mut fits = vec![vec![0.0; run.len()]; run.len()];
    for (place, verb, local) in shape.uses() {
        let row = local.checked_sub(run.start).and_then(|row| fits.get_mut(row));
        let around = shape.around(place, verb);
        for (fit, number) in row.into_iter().flatten().zip(run.clone()) {
            *fit += seen.fit(&around, number);
        }
    }
    fits
}

/// Exchanges numbers of two locals as long as that makes the sum of what fits larger.
fn exchange(numbers: &mut [usize], first: usize, fits: &[Vec<f64>]) {
    let fit = |local: usize, number: usize| {
        let row = fits.get(local);
        row.and_then(|row| row.get(number.checked_sub(first)?)).copied().unwrap_or_default()
    };
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for one in 0..numbers.len() {
            for other in one.saturating_add(1)..numbers.len() {
                let (Some(a), Some(b)) = (numbers.get(one).copied(), numbers.get(other).copied()) else {
                    continue;
                };
                if fit(one, b) + fit(other, a) > fit(one, a) + fit(other, b) + 1e-6 {
                    numbers.swap(one, other);
                    has_changed = true;
                }
            }
        }
    }
}

/// What is done with which local.
fn local_of(operator: &Operator<'_>) -> Option<(u64, u32)> {
    match operator {
        Operator::LocalGet { local_index } => Some((1, *local_index)),
        Operator::LocalSet { local_index } => Some((2, *local_index)),
        Operator::LocalTee { local_index } => Some((3, *local_index)),
        _ => None,
    }
}

/// Writes functions as they are made alike.
struct Writer;

impl Writer {
    fn body(&mut self, function: &Function<'_>, shape: &Shape) -> Result<wasm_encoder::Function, Failure> {
        let writing = || "write a function".to_owned();
        let mut body = self.new_function_with_parsed_locals(&function.body).attempting(writing)?;
        let new = |local: &u32| {
            let number = usize::try_from(*local).ok().and_then(|local| shape.numbers.get(local));
            number.map_or(*local, |number| count(*number))
        };
        for operator in function.body.get_operators_reader().attempting(writing)? {
            let mut operator = operator.attempting(writing)?;
            if let Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } = &mut operator
            {
                *local_index = new(local_index);
            }
            body.instruction(&self.instruction(operator).attempting(writing)?);
        }
        Ok(body)
    }
}

impl Reencode for Writer {
    type Error = Failure;

    /// As far as the instruction allows, which is only a hint.
    fn mem_arg(&mut self, place: MemArg) -> Result<wasm_encoder::MemArg, Error<Failure>> {
        let align = u32::from(place.max_align);
        Ok(wasm_encoder::MemArg { offset: place.offset, align, memory_index: place.memory })
    }
}

fn hashed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |hash, byte| mixed(hash, u64::from(*byte)))
}

fn mixed(one: u64, other: u64) -> u64 {
    let product = (one ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        Function, FunctionSection, InstructionSink, MemArg as Place, MemorySection, MemoryType, TypeSection,
        ValType,
    };

    use super::*;

    /// The locals of a function, and what writes its instructions.
    type Example<'a> = (&'a [ValType], &'a dyn Fn(&mut InstructionSink<'_>));

    /// Functions without parameters.
    fn module(functions: &[Example<'_>]) -> Vec<u8> {
        let (mut types, mut declared, mut memories) =
            (TypeSection::new(), FunctionSection::new(), MemorySection::new());
        types.ty().function([], []);
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut code = CodeSection::new();
        for (locals, write) in functions {
            declared.function(0);
            let mut body = Function::new_with_locals_types(locals.iter().copied());
            write(&mut body.instructions());
            body.instructions().end();
            code.function(&body);
        }
        let mut module = wasm_encoder::Module::new();
        module.section(&types).section(&declared).section(&memories).section(&code);
        module.finish()
    }

    fn bodies(wasm: &[u8]) -> Vec<&[u8]> {
        Module::read(wasm).unwrap().functions.iter().map(|function| function.body.as_bytes()).collect()
    }

    fn adding(one: u32, other: u32) -> impl Fn(&mut InstructionSink<'_>) {
        move |body| {
            body.i32_const(7).local_set(one).i32_const(8).local_set(other);
            body.local_get(one).local_get(other).i32_add().drop();
        }
    }

    #[test]
    fn the_same_code_with_other_numbers_becomes_the_same_bytes() {
        let locals: &[ValType] = &[ValType::I32, ValType::I32];
        let (usual, other) = (adding(0, 1), adding(1, 0));
        let wasm = module(&[(locals, &usual), (locals, &usual), (locals, &other)]);
        let alike = alike(&wasm, &Homes::new()).unwrap();
        let [first, second, third] = bodies(&alike)[..] else { panic!("three functions") };
        assert_ne!(bodies(&wasm)[0], bodies(&wasm)[2]);
        assert_eq!([first, second, third], [bodies(&wasm)[0]; 3]);
    }

    #[test]
    fn locals_of_different_types_keep_their_places() {
        let usual = adding(0, 1);
        let long = |body: &mut InstructionSink<'_>| {
            body.i64_const(7).local_set(0).i32_const(8).local_set(1).i32_const(9).local_set(2);
        };
        let wasm = module(&[
            (&[ValType::I32, ValType::I32], &usual),
            (&[ValType::I64, ValType::I32, ValType::I32], &long),
        ]);
        let alike = alike(&wasm, &Homes::new()).unwrap();
        let module = Module::read(&alike).unwrap();
        let mut operators = module.functions[1].body.get_operators_reader().unwrap().into_iter();
        let set = operators.find_map(|operator| local_of(&operator.unwrap()));
        assert_eq!(set, Some((2, 0)));
    }

    #[test]
    fn addresses_count_as_aligned_and_stay() {
        let load = |align| {
            move |body: &mut InstructionSink<'_>| {
                let place = Place { offset: 20, align, memory_index: 0 };
                body.i32_const(4)
                    .i32_load(place)
                    .drop()
                    .i32_const(5)
                    .i64_load8_u(Place { align: 0, ..place });
                body.drop();
            }
        };
        let wasm = module(&[(&[], &load(0)), (&[], &load(2))]);
        let alike = alike(&wasm, &Homes::new()).unwrap();
        assert_eq!(bodies(&alike), [bodies(&wasm)[1]; 2]);
    }
}

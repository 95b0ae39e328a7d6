//! Takes out of functions what did not run before a card was painted: whole functions are not the smallest that can wait.
//!
//! A stretch of a function that never ran becomes a function of its own, which belongs to a part as any other that did not
//! run. It gets the locals that it reads and gives back those that are read after it; where it leaves a block around it, it
//! gives back a number that says which one. Nothing runs otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{BlockType, CodeSection, FunctionSection, InstructionSink, RawSection, TypeSection};
use wasmparser::{FuncType, Operator, Parser, Payload, ValType};

use super::assign::{Profile, is_of};
use super::body::{Body, Kinds, Locals, Step};
use super::layout::Homes;
use super::module::{Module, count, unreadable};
use crate::failure::{Attempt, Failure};

/// The crates of whose functions something is taken out. What reads, keeps and draws anything, as the library and Yew do, may
/// take a way at any moment that it did not take while it was watched.
const CRATES: &[&str] = &["countersign_core", "countersign_yew", "countersign_policy"];

/// Shorter stretches stay, in bytes.
const SHORT: usize = 150;

/// How many times as long as what stands in its place a stretch has to be.
const WORTH: usize = 6;

/// The same module with more functions, and what ran of it.
pub(super) fn outline(wasm: &[u8], homes: &Homes, profile: &Profile) -> Result<(Vec<u8>, Profile), Failure> {
    let module = Module::read(wasm)?;
    let kinds = Kinds::of(&module);
    let mut outliner = Outliner::new(&module)?;
    let functions =
        |ran: &BTreeSet<u32>| ran.iter().copied().filter(|index| *index < outliner.first_taken).collect();
    let mut after = Profile {
        always: functions(&profile.always),
        painted: functions(&profile.painted),
        decided: functions(&profile.decided),
    };
    for ((index, function), forks) in module.indexed().zip(module.forks()) {
        if homes.contains_key(&index) || !profile.painted.contains(&index) || !is_ours(module.name(index)) {
            outliner.code.raw(function.body.as_bytes());
            continue;
        }
        let body = Body::read(&module, &kinds, function)?;
        let ran = |ran: &BTreeSet<u32>| ran_steps(body.steps.len(), &function.forks, forks.clone(), ran);
        let (painted, decided) = (ran(&profile.painted), ran(&profile.decided));
        let stretches = stretches(&body, &painted);
        for stretch in &stretches {
            if decided.get(stretch.place.clone()).is_some_and(|steps| steps.contains(&true)) {
                after.decided.insert(outliner.next());
            }
            outliner.take_out(&body, stretch)?;
        }
        outliner.write_rest(&body, &stretches)?;
    }
    Ok((outliner.finish(wasm)?, after))
}

/// Whether each of a function's steps ran, by the marks after its forks.
fn ran_steps(count: usize, forks: &[usize], marks: Range<u32>, ran: &BTreeSet<u32>) -> Vec<bool> {
    let mut forks = forks.iter().zip(marks).peekable();
    let mut runs = true;
    let mut steps = Vec::with_capacity(count);
    for at in 0..count {
        steps.push(runs);
        if let Some((_, mark)) = forks.next_if(|(fork, _)| **fork == at) {
            runs = ran.contains(&mark);
        }
    }
    steps
}

fn is_ours(name: &str) -> bool {
    CRATES.iter().any(|of| is_of(name, of, ""))
}

/// Steps that are taken out.
struct Stretch {
    place: Range<usize>,
    /// The locals that it gets, and those that it gives back.
    gets: Vec<u32>,
    gives: Vec<u32>,
    /// The blocks to whose ends it may go, by how many are around them.
    exits: Vec<usize>,
}

/// What is taken out of a function.
fn stretches(body: &Body<'_>, painted: &[bool]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < body.steps.len() {
        let ran = |at: usize| painted.get(at).copied().unwrap_or(true);
        let end = (at..body.steps.len()).find(|at| ran(*at)).unwrap_or(body.steps.len());
        match longest(body, at..end).filter(|stretch| stretch.is_worth_it(body)) {
            Some(stretch) => {
                at = stretch.place.end;
                found.push(stretch);
            }
            None => at = at.saturating_add(1),
        }
    }
    found
}

/// The longest stretch that begins where a range does and can be taken out.
fn longest(body: &Body<'_>, range: Range<usize>) -> Option<Stretch> {
    let first = body.steps.get(range.start).filter(|step| step.is_clear && !range.is_empty())?;
    let depth = first.depth;
    let (mut exits, mut best) = (BTreeSet::new(), None);
    for at in range.start..=range.end {
        let Some(step) = body.steps.get(at) else { break };
        if at > range.start && step.depth == depth && step.is_clear {
            best = Some((at, exits.clone()));
        }
        if at == range.end || !can_be_taken_out(step, depth, &mut exits) {
            break;
        }
    }
    let (end, exits) = best?;
    Some(Stretch::of(body, range.start..end, exits.into_iter().collect()))
}

/// Whether a step can stand in a function of its own with what is before it; notes where it goes.
fn can_be_taken_out(step: &Step<'_>, depth: usize, exits: &mut BTreeSet<usize>) -> bool {
    match &step.operator {
        Operator::End | Operator::Else => step.depth > depth,
        Operator::Return => {
            exits.insert(0);
            step.takes == 0
        }
        Operator::BrTable { targets } => {
            let mut all = targets.targets().filter_map(Result::ok).chain([targets.default()]);
            all.all(|label| goes_to(step, label) >= depth)
        }
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
            let to = goes_to(step, *relative_depth);
            let takes_none = step.takes == u32::from(matches!(step.operator, Operator::BrIf { .. }));
            if to < depth {
                exits.insert(to);
            }
            to >= depth || takes_none
        }
        _ => true,
    }
}

/// How many blocks are around the one that a step leaves.
fn goes_to(step: &Step<'_>, label: u32) -> usize {
    step.depth.saturating_sub(1).saturating_sub(usize::try_from(label).unwrap_or(usize::MAX))
}

/// Where a step leaves what is in so many blocks, if it does: how many blocks are around the one that it leaves.
fn exit_of(step: &Step<'_>, depth: usize) -> Option<usize> {
    match &step.operator {
        Operator::Return => Some(0),
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
            Some(goes_to(step, *relative_depth)).filter(|to| *to < depth)
        }
        _ => None,
    }
}

impl Stretch {
    fn of(body: &Body<'_>, place: Range<usize>, exits: Vec<usize>) -> Self {
        let steps = body.steps.get(place.clone()).unwrap_or_default();
        let (mut used, mut written) = (Locals::new(), Locals::new());
        for step in steps {
            if let Some((local, writes)) = local_of(&step.operator) {
                used.insert(local);
                written.extend(writes.then_some(local));
            }
        }
        let read_before = |at: usize| body.steps.get(at).map(|step| &step.read_later);
        let mut read_after = read_before(place.end).cloned().unwrap_or_default();
        let depth = steps.first().map_or(0, |step| step.depth);
        for (at, _) in place.clone().zip(steps).filter(|(_, step)| exit_of(step, depth).is_some()) {
            read_after.extend(body.read_elsewhere.get(&at).into_iter().flatten());
        }
        let gets = used
            .iter()
            .copied()
            .filter(|local| read_before(place.start).is_some_and(|read| read.contains(local)));
        let gets = gets.collect();
        Self { gets, gives: written.intersection(&read_after).copied().collect(), place, exits }
    }

    fn is_worth_it(&self, body: &Body<'_>) -> bool {
        let length: usize =
            body.steps.get(self.place.clone()).unwrap_or_default().iter().map(|step| step.bytes.len()).sum();
        let locals = self.gets.len().saturating_add(self.gives.len());
        let instead = locals.saturating_add(self.exits.len()).saturating_mul(2).saturating_add(12);
        length >= SHORT && length >= instead.saturating_mul(WORTH)
    }

    /// What it is as a function; the number of the exit comes first of what it gives back.
    fn kind(&self, body: &Body<'_>) -> FuncType {
        let types = |locals: &[u32]| locals.iter().filter_map(|local| body.kind(*local)).collect::<Vec<_>>();
        let exit = (!self.exits.is_empty()).then_some(ValType::I32);
        FuncType::new(types(&self.gets), exit.into_iter().chain(types(&self.gives)))
    }
}

impl Body<'_> {
    fn kind(&self, local: u32) -> Option<ValType> {
        usize::try_from(local).ok().and_then(|local| self.types.get(local)).copied()
    }
}

/// Which local a step reads or writes, and whether it writes.
fn local_of(operator: &Operator<'_>) -> Option<(u32, bool)> {
    match operator {
        Operator::LocalGet { local_index } => Some((*local_index, false)),
        Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => Some((*local_index, true)),
        _ => None,
    }
}

fn writing() -> String {
    "take a stretch out of a function".to_owned()
}

/// Types of locals as they are written.
fn written(types: impl IntoIterator<Item = ValType>) -> Result<Vec<wasm_encoder::ValType>, Failure> {
    types.into_iter().map(|kind| RoundtripReencoder.val_type(kind).attempting(writing)).collect()
}

/// The module as far as it is written.
struct Outliner {
    types: TypeSection,
    kinds: BTreeMap<FuncType, u32>,
    functions: FunctionSection,
    code: CodeSection,
    /// What was taken out, which comes after all others.
    taken: Vec<wasm_encoder::Function>,
    first_taken: u32,
}

impl Outliner {
    fn new(module: &Module<'_>) -> Result<Self, Failure> {
        let (mut types, mut kinds, mut functions) =
            (TypeSection::new(), BTreeMap::new(), FunctionSection::new());
        for (place, kind) in (0..).zip(&module.types) {
            types.ty().func_type(&RoundtripReencoder.func_type(kind.clone()).attempting(writing)?);
            kinds.entry(kind.clone()).or_insert(place);
        }
        for function in &module.functions {
            functions.function(function.signature);
        }
        let first_taken = module.first().saturating_add(count(module.functions.len()));
        Ok(Self { types, kinds, functions, code: CodeSection::new(), taken: Vec::new(), first_taken })
    }

    /// The index of what is taken out next.
    fn next(&self) -> u32 {
        self.first_taken.saturating_add(count(self.taken.len()))
    }

    fn take_out(&mut self, body: &Body<'_>, stretch: &Stretch) -> Result<(), Failure> {
        let kind = stretch.kind(body);
        let place = match self.kinds.get(&kind) {
            Some(known) => *known,
            None => {
                let place = self.types.len();
                self.types.ty().func_type(&RoundtripReencoder.func_type(kind.clone()).attempting(writing)?);
                self.kinds.insert(kind, place);
                place
            }
        };
        self.functions.function(place);
        self.taken.push(taken_out(body, stretch)?);
        Ok(())
    }

    /// Writes what is left of a function whose stretches were the last that were taken out.
    fn write_rest(&mut self, body: &Body<'_>, stretches: &[Stretch]) -> Result<(), Failure> {
        let own = written(body.types.iter().skip(body.parameters).copied())?;
        let mut rest = wasm_encoder::Function::new_with_locals_types(own);
        let mut function = self.next().saturating_sub(count(stretches.len()));
        let mut at = 0;
        for stretch in stretches {
            copy(&mut rest, body, at..stretch.place.start);
            stretch.call(&mut rest.instructions(), body, function);
            (at, function) = (stretch.place.end, function.saturating_add(1));
        }
        copy(&mut rest, body, at..body.steps.len());
        self.code.function(&rest);
        Ok(())
    }

    fn finish(mut self, wasm: &[u8]) -> Result<Vec<u8>, Failure> {
        for function in &self.taken {
            self.code.function(function);
        }
        let mut output = wasm_encoder::Module::new();
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload.map_err(unreadable)?;
            match &payload {
                Payload::TypeSection(_) => drop(output.section(&self.types)),
                Payload::FunctionSection(_) => drop(output.section(&self.functions)),
                Payload::CodeSectionStart { .. } => drop(output.section(&self.code)),
                _ => {
                    if let Some((id, range)) = payload.as_section() {
                        output.section(&RawSection { id, data: wasm.get(range).unwrap_or_default() });
                    }
                }
            }
        }
        Ok(output.finish())
    }
}

fn copy(to: &mut wasm_encoder::Function, body: &Body<'_>, steps: Range<usize>) {
    for step in body.steps.get(steps).unwrap_or_default() {
        to.raw(step.bytes.iter().copied());
    }
}

impl Stretch {
    /// The number of a label at the beginning, or at a deeper place.
    fn label(&self, depth: usize, exit: usize) -> u32 {
        count(depth.saturating_sub(1).saturating_sub(exit))
    }

    /// What stands in its place.
    fn call(&self, to: &mut InstructionSink<'_>, body: &Body<'_>, function: u32) {
        let depth = body.steps.get(self.place.start).map_or(0, |step| step.depth);
        let has_many = self.exits.len() > 1;
        if has_many {
            to.block(BlockType::Empty);
        }
        for local in &self.gets {
            to.local_get(*local);
        }
        to.call(function);
        for local in self.gives.iter().rev() {
            to.local_set(*local);
        }
        let labels: Vec<u32> = self.exits.iter().map(|exit| self.label(depth, *exit)).collect();
        match labels.as_slice() {
            [] => {}
            [one] => drop(to.br_if(*one)),
            many => {
                let mut all: Vec<u32> = many.iter().map(|label| label.saturating_add(1)).collect();
                let last = all.pop().unwrap_or_default();
                all.insert(0, 0);
                to.br_table(all, last).end();
            }
        }
    }
}

/// A stretch as a function.
fn taken_out(body: &Body<'_>, stretch: &Stretch) -> Result<wasm_encoder::Function, Failure> {
    let steps = body.steps.get(stretch.place.clone()).unwrap_or_default();
    let mut numbers: BTreeMap<u32, u32> = stretch.gets.iter().copied().zip(0..).collect();
    let mut own = Vec::new();
    for (local, _) in steps.iter().filter_map(|step| local_of(&step.operator)) {
        let next = count(numbers.len());
        numbers.entry(local).or_insert_with(|| {
            own.extend(body.kind(local));
            next
        });
    }
    let depth = steps.first().map_or(0, |step| step.depth);
    let mut function = wasm_encoder::Function::new_with_locals_types(written(own)?);
    if !stretch.exits.is_empty() {
        function.instructions().block(BlockType::Result(wasm_encoder::ValType::I32));
    }
    for step in steps {
        write_step(&mut function, step, depth, stretch, &numbers);
    }
    let mut to = function.instructions();
    if !stretch.exits.is_empty() {
        to.i32_const(0).end();
    }
    for local in &stretch.gives {
        to.local_get(numbers.get(local).copied().unwrap_or_default());
    }
    to.end();
    Ok(function)
}

fn write_step(
    function: &mut wasm_encoder::Function,
    step: &Step<'_>,
    depth: usize,
    stretch: &Stretch,
    numbers: &BTreeMap<u32, u32>,
) {
    let number = |local: &u32| numbers.get(local).copied().unwrap_or_default();
    let exit = exit_of(step, depth).and_then(|exit| stretch.exits.iter().position(|known| *known == exit));
    let (exit, within) =
        (exit.and_then(|exit| i32::try_from(exit).ok()), count(step.depth.saturating_sub(depth)));
    let mut to = function.instructions();
    match (&step.operator, exit) {
        (Operator::BrIf { .. }, Some(exit)) => {
            to.if_(BlockType::Empty).i32_const(exit.saturating_add(1)).br(within.saturating_add(1)).end();
        }
        (_, Some(exit)) => drop(to.i32_const(exit.saturating_add(1)).br(within)),
        (Operator::LocalGet { local_index }, _) => drop(to.local_get(number(local_index))),
        (Operator::LocalSet { local_index }, _) => drop(to.local_set(number(local_index))),
        (Operator::LocalTee { local_index }, _) => drop(to.local_tee(number(local_index))),
        _ => drop(function.raw(step.bytes.iter().copied())),
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        ExportKind, ExportSection, Function, InstructionSink, MemArg, MemorySection, MemoryType, NameMap,
        NameSection,
    };

    use super::*;

    /// `(i32) -> ()` with a local, whose index is 1; the function at index 0 does nothing.
    fn module(write: &dyn Fn(&mut InstructionSink<'_>)) -> Vec<u8> {
        let (mut types, mut declared, mut memories) =
            (TypeSection::new(), FunctionSection::new(), MemorySection::new());
        types.ty().function([wasm_encoder::ValType::I32], []);
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
        exports.export("memory", ExportKind::Memory, 0).export("act", ExportKind::Func, 1);
        let mut idle = Function::new([]);
        idle.instructions().end();
        let mut body = Function::new_with_locals_types([wasm_encoder::ValType::I32]);
        write(&mut body.instructions());
        body.instructions().end();
        code.function(&idle).function(&body);
        declared.function(0).function(0);
        let (mut names, mut all) = (NameSection::new(), NameMap::new());
        all.append(1, "countersign_core[1f]::act");
        names.functions(&all);
        let mut module = wasm_encoder::Module::new();
        module.section(&types).section(&declared).section(&memories).section(&exports).section(&code);
        module.section(&names);
        module.finish()
    }

    /// Stores what a local holds, long enough to be worth it.
    fn work(to: &mut InstructionSink<'_>, local: u32) {
        for place in 0..60 {
            let place = MemArg { offset: place * 4, align: 2, memory_index: 0 };
            to.i32_const(0).local_get(local).i32_store(place);
        }
    }

    /// What is taken out when these steps after forks ran, as operators of the rest and of what was taken out.
    fn split(wasm: &[u8], ran: &[u32]) -> [Vec<String>; 2] {
        let painted: BTreeSet<u32> = [0, 1].into_iter().chain(ran.iter().map(|fork| fork + 2)).collect();
        let profile = Profile { always: painted.clone(), painted: painted.clone(), decided: painted };
        let (outlined, after) = outline(wasm, &Homes::new(), &profile).unwrap();
        assert_eq!(after.painted, BTreeSet::from([0, 1]));
        let module = Module::read(&outlined).unwrap();
        let operators = |index| {
            let body = module.function(index).map(|function| &function.body);
            let all = body.into_iter().flat_map(|body| body.get_operators_reader().unwrap());
            all.map(|operator| format!("{:?}", operator.unwrap())).collect()
        };
        [operators(1), operators(2)]
    }

    #[test]
    fn what_did_not_run_becomes_a_function_that_gets_and_gives_back_locals() {
        let wasm = module(&|body| {
            body.local_get(0).if_(BlockType::Empty);
            work(body, 0);
            body.i32_const(5).local_set(1).end();
            work(body, 1);
        });
        // The arm did not run, what follows it did.
        let [rest, taken] = split(&wasm, &[1]);
        let call = rest.iter().position(|operator| operator.contains("Call")).unwrap();
        assert_eq!(rest[call - 1], "LocalGet { local_index: 0 }");
        assert_eq!(rest[call + 1], "LocalSet { local_index: 1 }");
        assert_eq!(taken.last().map(String::as_str), Some("End"));
        assert_eq!(taken[taken.len() - 2], "LocalGet { local_index: 1 }");
        // All of it ran, and nothing is taken out.
        assert_eq!(split(&wasm, &[0, 1])[1], [] as [String; 0]);
    }

    #[test]
    fn a_local_that_nobody_reads_later_is_not_given_back_and_one_that_may_stay_is_got() {
        let wasm = module(&|body| {
            body.local_get(0).if_(BlockType::Empty);
            work(body, 0);
            body.local_get(0)
                .if_(BlockType::Empty)
                .i32_const(5)
                .local_set(0)
                .end()
                .i32_const(6)
                .local_set(1)
                .end();
            work(body, 0);
        });
        let [rest, taken] = split(&wasm, &[3]);
        let call = rest.iter().position(|operator| operator.contains("Call")).unwrap();
        assert_eq!(rest[call + 1..call + 3], ["LocalSet { local_index: 0 }", "End"]);
        assert_eq!(taken[taken.len() - 2], "LocalGet { local_index: 0 }");
    }

    #[test]
    fn where_a_stretch_leaves_the_blocks_around_it_a_number_says_which_one() {
        let wasm = module(&|body| {
            body.block(BlockType::Empty).local_get(0).if_(BlockType::Empty);
            work(body, 0);
            body.local_get(0).br_if(1).local_get(0).if_(BlockType::Empty).return_().end();
            work(body, 0);
            body.end().end();
            work(body, 1);
        });
        let [rest, taken] = split(&wasm, &[5, 6]);
        let call = rest.iter().position(|operator| operator.contains("Call")).unwrap();
        assert!(rest[call - 2].starts_with("Block"), "{rest:?}");
        // Out of the function, out of the block, or on behind the call.
        assert!(rest[call + 1].starts_with("BrTable"), "{rest:?}");
        assert!(taken[0].starts_with("Block"), "{taken:?}");
        assert_eq!(taken.iter().filter(|operator| operator.starts_with("Return")).count(), 0);
        assert_eq!(taken.iter().filter(|operator| operator.starts_with("Br ")).count(), 2);
    }

    #[test]
    fn code_of_libraries_stays_whole() {
        let wasm = module(&|body| {
            body.local_get(0).if_(BlockType::Empty);
            work(body, 0);
            body.end();
        });
        let other = String::from_utf8_lossy(&wasm).contains("countersign_core");
        assert!(other && is_ours("<countersign_yew[6a]::mask::Mask>::of"));
        assert!(
            !is_ours("<alloc[4c]::vec::Vec<countersign_core[1f]::Card>>::push") && !is_ours("yew[2c]::draw")
        );
    }
}

//! The body of a function, step by step: where nothing lies on the stack, and which locals are read later on.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{
    BlockType, ContType, FrameKind, FuncType, ModuleArity, Operator, RefType, SubType, TypeRef, ValType,
};

use super::module::{Function, Module, unreadable};
use crate::failure::Failure;

/// Locals, by their numbers.
pub(super) type Locals = BTreeSet<u32>;

/// A function as steps.
pub(super) struct Body<'a> {
    pub(super) steps: Vec<Step<'a>>,
    /// The types of all locals, parameters first.
    pub(super) types: Vec<ValType>,
    pub(super) parameters: usize,
    /// For each step that may go elsewhere, the locals that are read there.
    pub(super) read_elsewhere: BTreeMap<usize, Locals>,
}

/// An instruction.
pub(super) struct Step<'a> {
    pub(super) operator: Operator<'a>,
    pub(super) bytes: &'a [u8],
    /// It is reached, and nothing of the block around it lies on the stack before it.
    pub(super) is_clear: bool,
    /// How many values it takes from the stack.
    pub(super) takes: u32,
    /// How many blocks are around it, with the function itself.
    pub(super) depth: usize,
    /// Of what opens a block, the place where it ends, and the other way round.
    partner: usize,
    /// Of an `if`, the place of its `else`.
    other: Option<usize>,
    /// The locals that may be read from here on before they are written.
    pub(super) read_later: Locals,
}

/// The types of all functions.
pub(super) struct Kinds {
    types: Vec<SubType>,
    functions: Vec<u32>,
}

impl Kinds {
    pub(super) fn of(module: &Module<'_>) -> Self {
        let types = module.types.iter().map(|kind| SubType::func(kind.clone(), false)).collect();
        let imported = module.imports.iter().map(|import| match import.ty {
            TypeRef::Func(kind) => kind,
            _ => u32::MAX,
        });
        let functions = imported.chain(module.functions.iter().map(|function| function.signature)).collect();
        Self { types, functions }
    }
}

/// A block that is open.
struct Block {
    kind: BlockType,
    frame: FrameKind,
    /// How much lay on the stack before it.
    base: u32,
    /// What stands here now is never reached.
    is_dead: bool,
    opener: usize,
}

struct Stack<'k> {
    kinds: &'k Kinds,
    blocks: Vec<Block>,
    height: u32,
}

fn lost() -> Failure {
    Failure::new("the split does not understand a function")
}

fn find<T>(list: &[T], place: u32) -> Option<&T> {
    usize::try_from(place).ok().and_then(|place| list.get(place))
}

impl ModuleArity for Stack<'_> {
    fn sub_type_at(&self, kind: u32) -> Option<&SubType> {
        find(&self.kinds.types, kind)
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, function: u32) -> Option<u32> {
        find(&self.kinds.functions, function).copied()
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        u32::try_from(self.blocks.len()).unwrap_or(u32::MAX)
    }

    fn label_block(&self, depth: u32) -> Option<(BlockType, FrameKind)> {
        let block = self.blocks.iter().nth_back(usize::try_from(depth).ok()?)?;
        Some((block.kind, block.frame))
    }
}

impl<'k> Stack<'k> {
    fn new(kinds: &'k Kinds, signature: u32) -> Self {
        let (kind, frame) = (BlockType::FuncType(signature), FrameKind::Block);
        Self { kinds, blocks: vec![Block { kind, frame, base: 0, is_dead: false, opener: 0 }], height: 0 }
    }

    fn is_clear(&self) -> bool {
        self.blocks.last().is_some_and(|block| !block.is_dead && block.base == self.height)
    }

    /// What a step does to the stack; returns the place of what opened the block that it closes.
    fn take(
        &mut self,
        at: usize,
        operator: &Operator<'_>,
        arity: (u32, u32),
    ) -> Result<Option<usize>, Failure> {
        let is_dead = self.blocks.last().is_none_or(|block| block.is_dead);
        let (takes, gives) = arity;
        let left = if is_dead { self.height } else { self.height.checked_sub(takes).ok_or_else(lost)? };
        match operator {
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => {
                let frame = if matches!(operator, Operator::Loop { .. }) {
                    FrameKind::Loop
                } else {
                    FrameKind::Block
                };
                self.blocks.push(Block { kind: *blockty, frame, base: left, is_dead, opener: at });
                self.height = left.saturating_add(gives);
            }
            Operator::Else => {
                let outer = self.blocks.iter().nth_back(1).is_some_and(|block| block.is_dead);
                let block = self.blocks.last_mut().ok_or_else(lost)?;
                block.is_dead = outer;
                self.height = block.base.saturating_add(gives);
                return Ok(Some(block.opener));
            }
            Operator::End => {
                let block = self.blocks.pop().ok_or_else(lost)?;
                self.height = block.base.saturating_add(gives);
                return Ok(Some(block.opener));
            }
            Operator::Br { .. } | Operator::BrTable { .. } | Operator::Return | Operator::Unreachable => {
                self.blocks.last_mut().ok_or_else(lost)?.is_dead = true;
            }
            _ if is_dead => {}
            _ => self.height = left.saturating_add(gives),
        }
        Ok(None)
    }
}

impl<'a> Body<'a> {
    pub(super) fn read(module: &Module<'a>, kinds: &Kinds, function: &Function<'a>) -> Result<Self, Failure> {
        let mut types = module.kind(function.signature)?.params().to_vec();
        let parameters = types.len();
        for run in function.body.get_locals_reader().map_err(unreadable)? {
            let (length, kind) = run.map_err(unreadable)?;
            types.extend((0..length).map(|_| kind));
        }
        let mut body = Self { steps: Vec::new(), types, parameters, read_elsewhere: BTreeMap::new() };
        body.read_steps(kinds, function)?;
        let end = body.steps.len().saturating_sub(1);
        let mut flow = Flow { body: &mut body, labels: vec![Locals::new()] };
        flow.back(0, end, Locals::new());
        Ok(body)
    }

    fn read_steps(&mut self, kinds: &Kinds, function: &Function<'a>) -> Result<(), Failure> {
        let (bytes, start) = (function.body.as_bytes(), function.body.range().start);
        let mut reader = function.body.get_operators_reader().map_err(unreadable)?;
        let mut stack = Stack::new(kinds, function.signature);
        while !reader.eof() {
            let (operator, from) = reader.read_with_offset().map_err(unreadable)?;
            let range = from.saturating_sub(start)..reader.original_position().saturating_sub(start);
            let (at, depth, is_clear) = (self.steps.len(), stack.blocks.len(), stack.is_clear());
            let arity = operator.operator_arity(&stack).ok_or_else(lost)?;
            let opener = stack.take(at, &operator, arity)?;
            if let Some(opened) = opener.filter(|_| depth > 1).and_then(|opener| self.steps.get_mut(opener)) {
                match operator {
                    Operator::Else => opened.other = Some(at),
                    _ => opened.partner = at,
                }
            }
            self.steps.push(Step {
                operator,
                bytes: bytes.get(range).unwrap_or_default(),
                is_clear,
                takes: arity.0,
                depth,
                partner: opener.unwrap_or_default(),
                other: None,
                read_later: Locals::new(),
            });
        }
        Ok(())
    }
}

/// Follows a function backwards.
struct Flow<'f, 'a> {
    body: &'f mut Body<'a>,
    /// What is read where each open block is left, or a loop begins anew, the outermost first.
    labels: Vec<Locals>,
}

impl Flow<'_, '_> {
    /// Goes from a place back to another one in the same block; returns what is read from there on.
    fn back(&mut self, from: usize, until: usize, mut live: Locals) -> Locals {
        let mut at = until;
        while at > from {
            at -= 1;
            let Some(step) = self.body.steps.get(at) else { break };
            match step.operator.clone() {
                Operator::End => {
                    let opener = step.partner;
                    self.keep(at, &live);
                    live = self.through(opener, at, live);
                    at = opener;
                }
                Operator::LocalGet { local_index } => {
                    live.insert(local_index);
                }
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                    live.remove(&local_index);
                }
                Operator::Br { relative_depth } => live = self.goes(at, [relative_depth]),
                Operator::BrIf { relative_depth } => live.extend(self.goes(at, [relative_depth])),
                Operator::BrTable { targets } => {
                    let all = targets.targets().filter_map(Result::ok).chain([targets.default()]);
                    live = self.goes(at, all);
                }
                Operator::Return => live = self.goes(at, []),
                Operator::Unreachable => live = Locals::new(),
                _ => {}
            }
            self.keep(at, &live);
        }
        live
    }

    /// Through a whole block, from its end back to its beginning.
    fn through(&mut self, opener: usize, end: usize, after: Locals) -> Locals {
        let Some(step) = self.body.steps.get(opener) else { return after };
        let (first, other) = (opener.saturating_add(1), step.other);
        if matches!(step.operator, Operator::Loop { .. }) {
            let mut known = Locals::new();
            loop {
                self.labels.push(known.clone());
                let found = self.back(first, end, after.clone());
                self.labels.pop();
                if found.is_subset(&known) {
                    return found;
                }
                known.extend(found);
            }
        }
        let is_if = matches!(step.operator, Operator::If { .. });
        self.labels.push(after.clone());
        let mut live = self.back(first, other.unwrap_or(end), after.clone());
        match other {
            Some(other) => {
                self.keep(other, &after);
                live.extend(self.back(other.saturating_add(1), end, after));
            }
            None if is_if => live.extend(after),
            None => {}
        }
        self.labels.pop();
        live
    }

    fn goes(&mut self, at: usize, depths: impl IntoIterator<Item = u32>) -> Locals {
        let mut found = Locals::new();
        for depth in depths {
            let label = usize::try_from(depth).ok().and_then(|depth| self.labels.iter().nth_back(depth));
            found.extend(label.into_iter().flatten());
        }
        self.body.read_elsewhere.insert(at, found.clone());
        found
    }

    fn keep(&mut self, at: usize, live: &Locals) {
        if let Some(step) = self.body.steps.get_mut(at) {
            step.read_later.clone_from(live);
        }
    }
}

//! Which constants are used by whom, so that they can go along.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use wasmparser::{DataKind, KnownCustom, Linking, Operator, Parser, Payload, RelocationType, SymbolInfo};

use super::layout::{Homes, Part};
use super::module::{Module, count};
use crate::failure::Failure;

/// The part of memory with constants; what can change is elsewhere and stays whole.
const CONSTANTS: &str = ".rodata";

/// A stretch of constants that belongs together, by its first address.
#[derive(Debug, Default)]
struct Constant {
    length: u32,
    /// Someone points beside it, or it is not sure who uses it: it stays in the first module.
    stays: bool,
    /// Constants that it points to, by their first address.
    points_to: BTreeSet<u32>,
}

/// The constants of a linked file, which was linked so that it says where addresses stand.
#[derive(Debug, Default)]
pub(super) struct Constants(BTreeMap<u32, Constant>);

impl Constants {
    /// Reads the file as the linker wrote it. Its addresses are those of the file that is split.
    pub(super) fn read(linked: &[u8]) -> Result<Self, Failure> {
        let mut file = Linked::default();
        for payload in Parser::new(0).parse_all(linked) {
            file.take(payload.map_err(unreadable)?)?;
        }
        Ok(Self::of(&file))
    }

    fn of(file: &Linked) -> Self {
        let mut constants = Self::default();
        let symbols: Vec<Option<Range<u32>>> =
            file.symbols.iter().map(|symbol| symbol.as_ref().and_then(|symbol| file.place(symbol))).collect();
        let mut places: Vec<Range<u32>> =
            symbols.iter().flatten().filter(|place| !place.is_empty()).cloned().collect();
        places.sort_by_key(|place| (place.start, place.end));
        let mut open: Option<Range<u32>> = None;
        for place in places {
            match &mut open {
                // What overlaps is one.
                Some(before) if place.start < before.end => before.end = before.end.max(place.end),
                _ => constants.insert(open.replace(place)),
            }
        }
        constants.insert(open);
        for address in &file.addresses {
            constants.point(address, file, symbols.get(address.symbol).cloned().flatten());
        }
        constants
    }

    fn insert(&mut self, place: Option<Range<u32>>) {
        if let Some(Range { start, end }) = place {
            self.0.insert(start, Constant { length: end.saturating_sub(start), ..Constant::default() });
        }
    }

    /// Takes down that an address stands somewhere.
    fn point(&mut self, address: &Address, file: &Linked, symbol: Option<Range<u32>>) {
        let Some(symbol) = symbol else { return };
        let target = i64::from(symbol.start).saturating_add(address.addend);
        let is_inside = (i64::from(symbol.start)..i64::from(symbol.end)).contains(&target);
        let owner = address.in_data.and_then(|at| self.containing(file.address(at)?));
        if !is_inside {
            // Beside itself: whoever reaches it in this way cannot be seen.
            for start in
                [self.containing(symbol.start), u32::try_from(target).ok().and_then(|at| self.containing(at))]
            {
                self.keep(start);
            }
            return;
        }
        let Some(start) = self.containing(symbol.start) else { return };
        match (address.in_data, owner) {
            (None, _) => {}
            (Some(_), Some(owner)) => {
                if let Some(constant) = self.0.get_mut(&owner) {
                    constant.points_to.insert(start);
                }
            }
            // From data that can change.
            (Some(_), None) => self.keep(Some(start)),
        }
    }

    fn keep(&mut self, start: Option<u32>) {
        if let Some(constant) = start.and_then(|start| self.0.get_mut(&start)) {
            constant.stays = true;
        }
    }

    /// The constant that an address is in, by its own first address.
    fn containing(&self, address: u32) -> Option<u32> {
        let (start, constant) = self.0.range(..=address).next_back()?;
        (address.saturating_sub(*start) < constant.length).then_some(*start)
    }

    /// The constants that only parts use: the stretches of memory of each part, in order.
    ///
    /// Whatever number in a function could be the address of a constant is taken for it.
    pub(super) fn assign(&self, module: &Module<'_>, homes: &Homes) -> BTreeMap<Part, Vec<Range<u32>>> {
        let mut users: BTreeMap<u32, BTreeSet<Option<Part>>> = BTreeMap::new();
        let mut open: Vec<(u32, Option<Part>)> = Vec::new();
        for (start, _) in self.0.iter().filter(|(_, constant)| constant.stays) {
            open.push((*start, None));
        }
        for (index, function) in module.indexed() {
            for start in function.numbers.iter().filter_map(|number| self.containing(*number)) {
                match homes.get(&index) {
                    None => open.push((start, None)),
                    Some(parts) => open.extend(parts.iter().map(|part| (start, Some(*part)))),
                }
            }
        }
        for number in module.globals.iter().filter_map(|global| constant_of(&global.init_expr)) {
            open.extend(self.containing(number).map(|start| (start, None)));
        }
        while let Some((start, user)) = open.pop() {
            if users.entry(start).or_default().insert(user) {
                let next = self.0.get(&start).into_iter().flat_map(|constant| &constant.points_to);
                open.extend(next.map(|next| (*next, user)));
            }
        }
        let mut stretches: BTreeMap<Part, Vec<Range<u32>>> = BTreeMap::new();
        for (start, constant) in &self.0 {
            let users = users.get(start).into_iter().flatten().copied().collect::<Option<Vec<Part>>>();
            // Rather twice than for everybody. Both write the same bytes to the same place.
            for part in users.filter(|users| users.len() <= 2).unwrap_or_default() {
                stretches.entry(part).or_default().push(*start..start.saturating_add(constant.length));
            }
        }
        stretches
    }
}

/// A file as the linker wrote it.
#[derive(Default)]
struct Linked {
    /// Of each piece of data: its name, its first address, and where its bytes are in the section.
    segments: Vec<(String, u32, Range<usize>)>,
    /// Of each symbol that is data: its segment, its place there and its length.
    symbols: Vec<Option<(u32, u32, u32)>>,
    addresses: Vec<Address>,
    sections: u32,
    data_section: Option<u32>,
}

/// An address that stands in code or data.
struct Address {
    /// Where in the section with the data; `None`: in code.
    in_data: Option<usize>,
    symbol: usize,
    addend: i64,
}

impl Linked {
    fn take(&mut self, payload: Payload<'_>) -> Result<(), Failure> {
        let section = self.sections;
        if payload.as_section().is_some() {
            self.sections = section.saturating_add(1);
        }
        match payload {
            Payload::DataSection(reader) => {
                self.data_section = Some(section);
                let base = reader.range().start;
                for data in reader {
                    let data = data.map_err(unreadable)?;
                    let end = data.range.end.saturating_sub(base);
                    let first = match &data.kind {
                        DataKind::Active { offset_expr, .. } => constant_of(offset_expr),
                        DataKind::Passive => None,
                    };
                    let first =
                        first.ok_or_else(|| Failure::new("data without a fixed address cannot be split"))?;
                    self.segments.push((String::new(), first, end.saturating_sub(data.data.len())..end));
                }
            }
            Payload::CustomSection(custom) => match custom.as_known() {
                KnownCustom::Linking(reader) => {
                    for linking in reader {
                        self.link(linking.map_err(unreadable)?)?;
                    }
                }
                KnownCustom::Reloc(reader) => {
                    let in_data = Some(reader.section_index()) == self.data_section;
                    for entry in reader.entries() {
                        let entry = entry.map_err(unreadable)?;
                        let kinds = [
                            RelocationType::MemoryAddrLeb,
                            RelocationType::MemoryAddrSleb,
                            RelocationType::MemoryAddrI32,
                        ];
                        if kinds.contains(&entry.ty) {
                            self.addresses.push(Address {
                                in_data: usize::try_from(entry.offset).ok().filter(|_| in_data),
                                symbol: usize::try_from(entry.index).unwrap_or(usize::MAX),
                                addend: entry.addend,
                            });
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn link(&mut self, linking: Linking<'_>) -> Result<(), Failure> {
        match linking {
            Linking::SymbolTable(symbols) => {
                for symbol in symbols {
                    self.symbols.push(match symbol.map_err(unreadable)? {
                        SymbolInfo::Data { symbol: Some(symbol), .. } => {
                            Some((symbol.index, symbol.offset, symbol.size))
                        }
                        _ => None,
                    });
                }
            }
            Linking::SegmentInfo(segments) => {
                for (known, segment) in self.segments.iter_mut().zip(segments) {
                    segment.map_err(unreadable)?.name.clone_into(&mut known.0);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Where a symbol is, if it is a constant.
    fn place(&self, (segment, offset, length): &(u32, u32, u32)) -> Option<Range<u32>> {
        let (name, first, _) = self.segments.get(usize::try_from(*segment).ok()?)?;
        let start = first.checked_add(*offset)?;
        (name == CONSTANTS).then_some(start..start.checked_add(*length)?)
    }

    /// The address of a byte in the section with the data.
    fn address(&self, at: usize) -> Option<u32> {
        let (_, first, bytes) = self.segments.iter().find(|(_, _, bytes)| bytes.contains(&at))?;
        first.checked_add(count(at.checked_sub(bytes.start)?))
    }
}

/// The linked file without what was written for this alone, which tools warn of.
pub(crate) fn without_addresses(linked: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut module = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(linked) {
        let payload = payload.map_err(unreadable)?;
        let is_ours = match &payload {
            Payload::CustomSection(custom) => {
                custom.name() == "linking" || custom.name().starts_with("reloc.")
            }
            _ => false,
        };
        if let Some((id, range)) = payload.as_section().filter(|_| !is_ours) {
            module.section(&wasm_encoder::RawSection { id, data: linked.get(range).unwrap_or_default() });
        }
    }
    Ok(module.finish())
}

/// The value of an expression that is one number.
pub(super) fn constant_of(expression: &wasmparser::ConstExpr<'_>) -> Option<u32> {
    match expression.get_operators_reader().read() {
        Ok(Operator::I32Const { value }) => Some(u32::from_le_bytes(value.to_le_bytes())),
        _ => None,
    }
}

fn unreadable(error: wasmparser::BinaryReaderError) -> Failure {
    Failure::new(format!("cannot read what the linker wrote: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three constants: the first points to the second, the third is pointed at from beside it.
    fn example() -> Constants {
        let file = Linked {
            segments: vec![(CONSTANTS.to_owned(), 1000, 5..35), (".data".to_owned(), 2000, 40..50)],
            symbols: vec![Some((0, 0, 10)), Some((0, 10, 10)), Some((0, 20, 10)), Some((1, 0, 10))],
            addresses: vec![
                Address { in_data: Some(6), symbol: 1, addend: 0 },
                Address { in_data: None, symbol: 2, addend: -4 },
            ],
            ..Linked::default()
        };
        Constants::of(&file)
    }

    #[test]
    fn constants_are_found_by_any_address_in_them() {
        let constants = example();
        let found = [999, 1000, 1019, 1029, 1030, 2000].map(|address| constants.containing(address));
        assert_eq!(found, [None, Some(1000), Some(1010), Some(1020), None, None]);
    }

    #[test]
    fn what_is_reached_from_beside_it_stays_and_what_points_on_is_known() {
        let constants = example();
        let stays: Vec<bool> = constants.0.values().map(|constant| constant.stays).collect();
        // From the third one's address minus four, which is in the second.
        assert_eq!(stays, [false, true, true]);
        assert_eq!(constants.0.get(&1000).map(|constant| constant.points_to.len()), Some(1));
    }
}

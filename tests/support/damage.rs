//! Texts that were damaged on the way.

/// A small generator of random numbers, the same in every run.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

/// Removes, doubles or replaces a piece of the text, at character boundaries.
pub fn damage(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 14] = [
        "null",
        "{}",
        "[]",
        "\"\"",
        "7",
        "true",
        "{\"id\":1}",
        "\\ud800",
        ",",
        "}",
        "\"adk_type\":null,",
        "\"id\":null,",
        "\"__interrupt__\":[{}],",
        "\u{202E}",
    ];
    let mut damaged = text.to_owned();
    for _ in 0..=random.below(3) {
        let mut ends: Vec<usize> =
            damaged.match_indices(['"', ',', ':', '{', '}']).map(|(at, _)| at).collect();
        ends.push(damaged.len());
        let from = ends[random.below(ends.len())];
        let to = (from + random.below(40)).min(damaged.len());
        let to = (to..=damaged.len()).find(|at| damaged.is_char_boundary(*at)).unwrap_or(damaged.len());
        match random.below(3) {
            0 => damaged.replace_range(from..to, ""),
            1 => {
                let piece = damaged[from..to].to_owned();
                damaged.insert_str(from, &piece);
            }
            _ => damaged.replace_range(from..to, PIECES[random.below(PIECES.len())]),
        }
    }
    damaged
}

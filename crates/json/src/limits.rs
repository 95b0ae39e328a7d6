//! How much of a text is read before it is refused.

/// How large a JSON text may be.
///
/// The default suits an envelope (a whole history); [`Limits::ARGUMENTS`] suits what one tool call
/// carries. Whatever the limits say, a text has fewer than 2^32 bytes and at most 2^30 values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Length of the text, in bytes.
    pub bytes: usize,
    /// Containers around one another: `[]` has depth 1, `[[]]` has depth 2, `7` has depth 0.
    pub depth: usize,
    /// Values in the text. A member counts once: its key is not a value.
    pub nodes: usize,
}

impl Limits {
    /// What the arguments of one tool call may take: 1 MiB, 512 levels, 10,000 values.
    pub const ARGUMENTS: Limits = Limits { bytes: 1 << 20, depth: 512, nodes: 10_000 };

    /// None: for what was read before, and is looked at whole so that nothing in it stays unseen.
    pub const NONE: Limits = Limits { bytes: usize::MAX, depth: usize::MAX, nodes: usize::MAX };
}

impl Default for Limits {
    /// 256 MiB, any depth, any number of values.
    fn default() -> Self {
        Limits { bytes: 256 << 20, depth: usize::MAX, nodes: u32::MAX as usize }
    }
}

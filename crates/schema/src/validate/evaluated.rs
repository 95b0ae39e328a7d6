//! Which members and items some schema has looked at; what is left is for `unevaluatedProperties` and `unevaluatedItems`.

/// Marks for the children of one object or array, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    /// Whether anything in the schema asks for the marks.
    pub(super) is_wanted: bool,
    /// Whether more may have been looked at by a schema that could not be checked.
    pub(super) is_doubtful: bool,
    marks: Vec<bool>,
}

impl Evaluated {
    pub(super) fn new(is_wanted: bool) -> Evaluated {
        Evaluated { is_wanted, is_doubtful: false, marks: Vec::new() }
    }

    pub(super) fn mark(&mut self, index: usize) {
        if !self.is_wanted {
            return;
        }
        if self.marks.len() <= index {
            self.marks.resize(index + 1, false);
        }
        if let Some(mark) = self.marks.get_mut(index) {
            *mark = true;
        }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        self.marks.get(index).copied().unwrap_or(false)
    }

    /// Takes over the marks of a schema that applied as well.
    pub(super) fn merge(&mut self, other: &Evaluated) {
        self.is_doubtful |= other.is_doubtful;
        for (index, mark) in other.marks.iter().enumerate() {
            if *mark {
                self.mark(index);
            }
        }
    }

    /// How much there is to merge.
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }
}

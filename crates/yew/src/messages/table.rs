//! How texts are declared: their keys, their English, and how Rust asks for them.

use std::rc::Rc;

/// One text of the table.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// What catalogues call it.
    pub(super) key: &'static str,
    /// The English for one.
    pub(super) one: &'static str,
    /// The English for every other number, and of texts without a number; of those that other crates say, the places alone.
    pub(super) other: &'static str,
}

/// The texts of a table, in their order.
pub(super) fn rows(table: &'static str) -> Rc<[Row]> {
    let mut rows = Vec::new();
    for line in table.lines() {
        let mut cells = line.split('\t');
        let mut next = || cells.next();
        if let (Some(key), Some(one)) = (next(), next()) {
            rows.push(Row { key, one, other: next().unwrap_or(one) });
        }
    }
    rows.into()
}

/// Which of the texts of both tables.
#[derive(Clone, Copy)]
pub(super) struct Line(pub(super) usize);

/// Declares a table of texts, which begins at a line: `key = "Words";`, with places `key(tool: &str) = "Run {tool}";`, and where English has two forms
/// `key(count: usize) = "{count} call" | "{count} calls";`. The first number among the places chooses the form.
macro_rules! texts {
    ($first:expr; $(
        $(#[doc = $about:literal])*
        $name:ident $(($($place:ident: $kind:ty),+))? = $one:literal $(| $other:literal)?;
    )*) => {
        /// The texts, each by its key.
        #[expect(non_camel_case_types, reason = "each is spelled as its key in catalogues")]
        #[derive(Clone, Copy)]
        pub(super) enum Id { $($name),* }

        impl From<Id> for $crate::messages::table::Line {
            fn from(id: Id) -> Self {
                Self($first + id as usize)
            }
        }

        /// How many there are.
        pub(super) const COUNT: usize = [$(stringify!($name)),*].len();

        /// The texts: one a line, the key and its forms between tabs. One string is smaller than a list of its parts.
        pub(super) const TABLE: &str = concat!($(stringify!($name), "\t", $one $(, "\t", $other)?, "\n"),*);

        /// What each text is for.
        #[cfg(test)]
        pub(super) const ABOUT: &[&str] = &[$(concat!($($about),*)),*];

        impl $crate::messages::Messages {
            $($crate::messages::table::texts! { @ask [$($about)*] [$one] $name $(($($place: $kind),+))? })*
        }
    };
    (@ask [$($about:literal)*] [$one:literal] $name:ident) => {
        $(#[doc = $about])*
        #[doc = concat!("\n\nEnglish: “", $one, "”")]
        pub fn $name(&self) -> yew::AttrValue {
            self.plain(Id::$name)
        }
    };
    (@ask [$($about:literal)*] [$one:literal] $name:ident ($($place:ident: $kind:ty),+)) => {
        $(#[doc = $about])*
        #[doc = concat!("\n\nEnglish: “", $one, "”")]
        pub fn $name(&self, $($place: $kind),+) -> String {
            self.fill(Id::$name, &[$((stringify!($place), $crate::messages::fill::Insert::from($place))),+])
        }
    };
}
pub(super) use texts;

//! Identifiers and the one unit of time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::text::Text;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "typescript", ts(as = "String"))]
        pub struct $name(Text);

        impl $name {
            /// The identifier's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The same identifier, which keeps nothing of the message that it came in.
            #[must_use]
            pub fn alone(&self) -> $name {
                $name(self.0.alone())
            }

            /// The identifier's text, shared.
            #[must_use]
            pub fn shared(&self) -> &Text {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name(Text::from(text).hashed())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name(Text::from(text).hashed())
            }
        }

        impl From<Text> for $name {
            fn from(text: Text) -> $name {
                $name(text.hashed())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}

id! {
    /// What an answer must carry. Often not the id of the tool call.
    RequestId
}
id! {
    /// The id that the agent gave to a tool call.
    CallId
}
id! {
    /// Within what a request id is unique: a task, a thread, a session, a client.
    Scope
}
id! {
    /// What the protocol wants answered together.
    BatchId
}
id! {
    /// A message to send; also its idempotency key.
    OutboundId
}

/// A request, wherever its id may occur again: never addressed by name or position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestRef {
    /// Within what `id` is unique.
    pub scope: Scope,
    /// The request's own id.
    pub id: RequestId,
}

impl RequestRef {
    /// The same reference, which keeps nothing of the message that it came in.
    #[must_use]
    pub fn alone(&self) -> RequestRef {
        RequestRef { scope: self.scope.alone(), id: self.id.alone() }
    }
}

impl fmt::Display for RequestRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scope, self.id)
    }
}

/// A moment, or a span, in milliseconds; a moment counts from the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(as = "f64"))]
pub struct Millis(pub u64);

impl Millis {
    /// The later moment `span` after this one.
    #[must_use]
    pub fn after(self, span: Millis) -> Millis {
        Millis(self.0.saturating_add(span.0))
    }

    /// The span that these characters of a JSON number stand for, in seconds; less than a millisecond does not count.
    ///
    /// `None`: so many that they never pass, or a negative number, with which hosts say that nothing ends.
    #[must_use]
    pub fn from_seconds(number: &str) -> Option<Millis> {
        let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        // An exponent that is too long to be read is a very large one.
        let size = exponent.trim_start_matches(['+', '-']).parse::<usize>().unwrap_or(usize::MAX);
        let size = i32::try_from(size).unwrap_or(i32::MAX);
        // So many further digits make milliseconds.
        let mut further = if exponent.starts_with('-') { 3 - size } else { size.saturating_add(3) };
        let (mut millis, mut is_fraction) = (0_u64, false);
        for byte in digits.bytes() {
            match byte {
                b'.' => is_fraction = true,
                b'0'..=b'9' if !is_fraction || further > 0 => {
                    millis = millis.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                    further -= i32::from(is_fraction);
                }
                b'0'..=b'9' => {}
                _ => return None,
            }
        }
        while millis != 0 && further != 0 {
            millis = if further > 0 { millis.checked_mul(10)? } else { millis / 10 };
            further -= further.signum();
        }
        Some(Millis(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::Millis;

    #[test]
    fn seconds_are_read_from_their_characters() {
        for (number, millis) in [
            ("30", 30_000),
            ("0.4", 400),
            ("1.2345", 1_234),
            ("0.30000000000000004441", 300),
            ("0", 0),
            ("1e-05", 0),
            ("1E+2", 100_000),
            ("12345e-1", 1_234_500),
            ("1.25e1", 12_500),
            ("0e99999", 0),
            ("1e-99999", 0),
        ] {
            assert_eq!(Millis::from_seconds(number), Some(Millis(millis)), "{number}");
        }
        for never in ["1e400", "1e99999", "99999999999999999999", "-1", "-1e-05"] {
            assert_eq!(Millis::from_seconds(never), None, "{never}");
        }
    }
}

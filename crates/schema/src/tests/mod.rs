//! What holding a value against a schema promises, through what the crate shows.

mod hostile;
mod properties;
mod sentences;

//! The digest of a text.

use sha2::{Digest, Sha256};

/// How much is digested at a time, in bytes.
///
/// A browser makes code fast between two calls of it, not during one: one call for a megabyte takes ten times as long.
const PIECE: usize = 1 << 14;

/// The SHA-256 of the text's UTF-8 bytes, as 64 lowercase hexadecimal digits.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    let mut digest = Sha256::new();
    for piece in text.as_bytes().chunks(PIECE) {
        digest.update(piece);
    }
    let halves = digest.finalize();
    let halves = halves.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
    halves.filter_map(|half| char::from_digit(u32::from(half), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_known_one() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((sha256_hex(""), sha256_hex("abc")), (empty.to_string(), abc.to_string()));
        // A million times `a`, from FIPS 180-2.
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(sha256_hex(&"a".repeat(1_000_000)), million);
    }
}

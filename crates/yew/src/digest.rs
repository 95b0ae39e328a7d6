//! The short form of a digest.

/// The first eight and the last four characters of a digest, in groups of four: `3f9a 07c2 … e1b4`.
///
/// A text that is not as long as that is returned whole.
#[must_use]
pub fn short_digest(digest: &str) -> String {
    let parts =
        (digest.get(..4), digest.get(4..8), digest.len().checked_sub(4).and_then(|at| digest.get(at..)));
    match parts {
        (Some(first), Some(second), Some(last)) if digest.len() > 12 => {
            [first, " ", second, " … ", last].concat()
        }
        _ => digest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_has_both_ends() {
        assert_eq!(short_digest("3f9a07c2000000000000e1b4"), "3f9a 07c2 … e1b4");
        assert_eq!(short_digest("3f9a"), "3f9a");
        assert_eq!(short_digest(""), "");
    }
}

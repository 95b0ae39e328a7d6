//! How many bytes something is, as it is and compressed.

use std::io::{Cursor, Write};
use std::ops::AddAssign;

use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};

use crate::failure::{Attempt, Failure};

/// Bytes of one file, or of several that are each compressed alone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) raw: u64,
    /// Level 9.
    pub(super) gzip: u64,
    /// Quality 11, window 22.
    pub(super) brotli: u64,
}

impl Weight {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Failure> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes).attempting(|| "compress with gzip".into())?;
        let gzip = gzip.finish().attempting(|| "compress with gzip".into())?;
        let parameters = BrotliEncoderParams { quality: 11, lgwin: 22, ..BrotliEncoderParams::default() };
        let mut brotli = Vec::new();
        brotli::BrotliCompress(&mut Cursor::new(bytes), &mut brotli, &parameters)
            .attempting(|| "compress with brotli".into())?;
        Ok(Self { raw: length(bytes), gzip: length(&gzip), brotli: length(&brotli) })
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        self.raw = self.raw.saturating_add(other.raw);
        self.gzip = self.gzip.saturating_add(other.gzip);
        self.brotli = self.brotli.saturating_add(other.brotli);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_compresses_in_both_formats() {
        let weight = Weight::of("approve ".repeat(200).as_bytes()).unwrap();
        assert_eq!(weight.raw, 1600);
        assert!(weight.gzip < 60 && weight.brotli < 40, "{weight:?}");
    }

    #[test]
    fn nothing_weighs_nothing_raw() {
        assert_eq!(Weight::of(b"").unwrap().raw, 0);
    }
}

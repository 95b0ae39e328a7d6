//! Reading and writing files, with errors that name the file.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::failure::{Attempt, Failure};

pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).attempting(|| format!("read {}", path.display()))
}

pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).attempting(|| format!("read {}", path.display()))
}

/// Writes a file and makes the folders above it.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::write(path, content).attempting(|| format!("write {}", path.display()))
}

/// Copies a file and makes the folders above the copy.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if let Some(folder) = to.parent() {
        make_folder(folder)?;
    }
    fs::copy(from, to).attempting(|| format!("copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).attempting(|| format!("make the folder {}", folder.display()))
}

/// Removes a folder with all that is in it; a folder that is not there is no error.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder).attempting(|| format!("remove {}", folder.display()))?;
    }
    Ok(())
}

/// All files below `folder`, in order of their paths. A folder that is not there has none.
pub(crate) fn below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        if !next.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&next).attempting(|| format!("list {}", next.display()))?;
        for entry in entries {
            let path = entry.attempting(|| format!("list {}", next.display()))?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// SHA-256 of several pieces as lowercase hexadecimal. The pieces are kept apart by their lengths.
pub(crate) fn digest(pieces: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece.len().to_le_bytes());
        hash.update(piece);
    }
    hexadecimal(&hash.finalize())
}

/// Bytes as lowercase hexadecimal.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first twelve digits of a [`digest`]: enough to name a folder.
pub(crate) fn short_digest(pieces: &[&[u8]]) -> String {
    digest(pieces).chars().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_keeps_pieces_apart() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_eq!(digest(&[b"ab"]).len(), 64);
        assert_eq!(short_digest(&[b"ab"]).len(), 12);
    }

    #[test]
    fn a_missing_file_is_named() {
        let failure = text(Path::new("no/such/file")).unwrap_err().to_string();
        assert!(failure.starts_with("cannot read no/such/file: "), "{failure}");
    }
}

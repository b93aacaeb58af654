//! Files that all ranks write together, whole or not at all.

use crate::ranks::Ranks;
use remapping::Communicator;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Writes a file of a head, which rank 0 has, and the own parts of each rank at these bytes after
/// it. A file that is there is replaced. `Err` on all ranks, with the reason on some.
pub fn write<'p>(
    ranks: &Ranks,
    path: &Path,
    head: &[u8],
    parts: impl Iterator<Item = (u64, Cow<'p, [u8]>)>,
) -> Result<(), Option<String>> {
    let (mut reason, first) = (None, ranks.rank() == 0);
    let beside = beside(path);
    if first {
        reason = std::fs::write(&beside, head).err().map(|error| error.to_string());
    }
    if !ranks.all(reason.is_none()) {
        return Err(reason);
    }
    reason = put(&beside, head.len() as u64, parts).err().map(|error| error.to_string());
    let whole = ranks.all(reason.is_none());
    if first {
        let placed = if whole { std::fs::rename(&beside, path) } else { Ok(()) };
        reason = reason.or(placed.err().map(|error| error.to_string()));
        if reason.is_some() || !whole {
            // It may be gone already.
            let _ = std::fs::remove_file(&beside);
        }
    }
    if ranks.all(whole && reason.is_none()) { Ok(()) } else { Err(reason) }
}

/// Writes parts of a file that is there, and waits until they are on the disk.
fn put<'p>(
    path: &Path,
    start: u64,
    parts: impl Iterator<Item = (u64, Cow<'p, [u8]>)>,
) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    for (place, bytes) in parts {
        file.write_all_at(&bytes, start + place)?;
    }
    file.sync_all()
}

/// What it is called until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".remap-mpi-");
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}

/// The head of a `.npy` file: an array of this type and shape in row-major order follows.
pub fn npy_head(kind: &str, shape: &[u64]) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let facts =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", shape.join(" "));
    // Magic, version and length are 10 bytes; all is padded to a multiple of 64.
    let length = (10 + facts.len() + 1).next_multiple_of(64) - 10;
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend_from_slice(&(length as u16).to_le_bytes());
    head.extend_from_slice(format!("{facts:<width$}\n", width = length - 1).as_bytes());
    head
}

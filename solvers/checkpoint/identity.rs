//! Identifies the computation that a checkpoint belongs to.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The problem, and the settings that determine how each of its steps is computed. Two computations
/// with the same identity give the same bits. Threads, limits, outputs, and the comments and layout
/// of the model do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The problem as the model states it.
    problem: Value,
    /// The checksum of the file that the model names, if it names one.
    file: Option<u32>,
    iteration: Iteration,
}

/// The iteration of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Iteration {
    /// The recursion of drifting loads, with the decisions of this step.
    Recursion {
        /// The step whose decisions are kept.
        step: Option<u64>,
    },
    /// Value iteration until the bounds are this close.
    Values {
        /// The largest distance of the bounds.
        tolerance: f64,
    },
    /// Policy iteration until the bounds are this close.
    Policies {
        /// The largest distance of the bounds.
        tolerance: f64,
    },
}

impl Identity {
    /// The identity of this iteration of a problem, which may name a file.
    pub fn new(problem: Value, file: Option<&Path>, iteration: Iteration) -> Identity {
        let file = file.and_then(|file| checksum(file).ok());
        Identity { problem, file, iteration }
    }

    /// Its form in a checkpoint.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers, texts and lists")
    }

    /// Reads that form.
    pub fn from_json(text: &[u8]) -> Option<Identity> {
        serde_json::from_slice(text).ok()
    }

    /// A file name for this computation.
    pub(super) fn name(&self) -> String {
        let text = self.to_json();
        format!("{:08x}-{}.checkpoint", crc32fast::hash(text.as_bytes()), text.len())
    }
}

fn checksum(path: &Path) -> std::io::Result<u32> {
    let (mut file, mut hasher) = (File::open(path)?, crc32fast::Hasher::new());
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hasher.finalize()),
            count => hasher.update(&bytes[..count]),
        }
    }
}

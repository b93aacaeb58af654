//! Streams of random numbers that depend only on a seed and a number (ChaCha8, a counter-based
//! generator).
//!
//! ```
//! use rand::RngExt;
//! use remapping::random::stream;
//!
//! let first: f64 = stream(1, 0).random();
//! let again: f64 = stream(1, 0).random();
//! let other: f64 = stream(1, 1).random();
//! assert!(first == again && first != other);
//! ```

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The generator of a run.
pub type Stream = ChaCha8Rng;

/// The stream of run `run` under `seed`; streams of different runs do not overlap.
pub fn stream(seed: u64, run: u64) -> Stream {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    stream.set_stream(run);
    stream
}

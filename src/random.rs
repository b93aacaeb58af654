//! Streams of random numbers that depend on a seed and a number alone.
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

/// The generator of one run.
pub type Stream = ChaCha8Rng;

/// The stream of random numbers of run `run` under `seed`: streams of different runs never overlap.
pub fn stream(seed: u64, run: u64) -> Stream {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    stream.set_stream(run);
    stream
}

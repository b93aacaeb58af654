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

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng, TryRng};
use std::convert::Infallible;

/// The generator of a run. It is a type of this crate so that its code is optimized as this crate
/// is, whatever calls it.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

/// The stream of run `run` under `seed`; streams of different runs do not overlap.
pub fn stream(seed: u64, run: u64) -> Stream {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    stream.set_stream(run);
    Stream(stream)
}

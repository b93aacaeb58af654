//! Inner loops compiled for the vector instructions that the machine turns out to have.
//!
//! Products and sums are never fused, so results are the same on every machine, bit for bit.

use pulp::{Arch, WithSimd};
use std::sync::LazyLock;

static MACHINE: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs a loop, which must be inlined into `with_simd`, on the widest vectors.
pub(crate) fn widest<L: WithSimd>(inner_loop: L) -> L::Output {
    MACHINE.dispatch(inner_loop)
}

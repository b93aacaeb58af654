//! Inner loops compiled for the vector instructions available at run time.
//!
//! Products and sums are never fused, so results are bitwise equal on every machine.

use pulp::{Arch, WithSimd};
use std::sync::LazyLock;

static MACHINE: LazyLock<Arch> = LazyLock::new(Arch::new);

/// Runs a loop on the widest vectors; it must be inlined into `with_simd`.
pub(crate) fn widest<L: WithSimd>(inner_loop: L) -> L::Output {
    MACHINE.dispatch(inner_loop)
}

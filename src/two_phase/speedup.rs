//! The speedup between two remaps, and how it scales [NR90, section V-C].

use super::figure::{Played, Policy};
use serde::Serialize;

/// The speedup of `processors` over one between two remaps that are `cycles` apart (b_r). A point
/// costs `update` per cycle (c_x) and `moving` to remap (c_r); `efficiency` is that of the parallel
/// work, e(L, P). The fraction `serial` (h) of the moves goes one after another: 1 is all of them,
/// 1/P none.
///
/// b c_x / (b c_x/(e P) + h c_r)
pub fn between_remaps(
    cycles: f64,
    update: f64,
    moving: f64,
    efficiency: f64,
    processors: f64,
    serial: f64,
) -> f64 {
    let work = cycles * update;
    work / (work / (efficiency * processors) + serial * moving)
}

/// The same with moves that take log2 P rounds in parallel, h = (log2 P)/P (crystal routing).
///
/// P / (1/e + (c_r log2 P)/(b c_x))
pub fn with_routing(
    cycles: f64,
    update: f64,
    moving: f64,
    efficiency: f64,
    processors: f64,
) -> f64 {
    processors / (1.0 / efficiency + moving * processors.log2() / (cycles * update))
}

/// The parts of the speedup of a scenario under the fixed threshold policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speedup {
    /// The scenario's position on the horizontal axis.
    pub at: f64,
    /// The work of the run over its time.
    pub speedup: f64,
    /// The parallel efficiency e of the run without remapping.
    pub efficiency: f64,
    /// The cost c_x of a point per cycle.
    pub update: f64,
    /// The cost c_r of moving a point, if the moves took log2 P rounds.
    pub moving: f64,
    /// The cycles b_r of the run.
    pub cycles: f64,
}

/// Measures the parts of the speedup of a scenario with `points` points on `processors`.
pub fn measure(played: &Played, points: f64, processors: f64) -> Speedup {
    let time = played.mean(Policy::Threshold, |run| run.time);
    let remap_time = played.mean(Policy::Threshold, |run| run.remap_time);
    let cycles = played.cycles as f64;
    Speedup {
        at: played.at,
        speedup: played.work / time,
        efficiency: played.work / (processors * (time - remap_time)),
        update: played.work / (points * cycles),
        moving: if processors > 1.0 {
            remap_time * processors / (points * processors.log2())
        } else {
            0.0
        },
        cycles,
    }
}

/// One row of the scaling table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scaled {
    /// Processors P, with as many points for each as in the run.
    pub processors: f64,
    /// Speedup when the moves of a remap take log2 P rounds.
    pub routed: f64,
    /// Speedup when they go one after another (h = 1).
    pub serial: f64,
}

/// The growth of the speedup with the number of processors at constant efficiency.
pub fn scale(speedup: &Speedup, processors: &[f64]) -> Vec<Scaled> {
    let Speedup { efficiency, update, moving, cycles, .. } = *speedup;
    let row = |&p: &f64| Scaled {
        processors: p,
        routed: with_routing(cycles, update, moving, efficiency, p),
        serial: between_remaps(cycles, update, moving, efficiency, p, 1.0),
    };
    processors.iter().map(row).collect()
}

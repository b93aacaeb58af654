//! The speedup between two remappings [NR90, sec. V.C].

use super::Found;
use super::model::{Moves, Printed, Scaled};

/// b_r c_x / (b_r c_x / (e(L, P) P) + h c_r). The axis is P, with L = P times the points of a
/// processor; or L, for a fixed number of processors.
///
/// e(L, P) "depends entirely on the problem and architecture". Here every processor has a square
/// block whose edges it exchanges in each cycle: e = 1 / (1 + 4 c_e sqrt(P / L) / c_x) for P > 1.
pub(crate) fn speedup(scaled: &Scaled, mut found: impl FnMut(Found)) {
    for Printed { at, printed } in &scaled.points {
        let (processors, points) = match scaled.processors {
            Some(processors) => (processors, *at),
            None => (*at, scaled.points_per_processor.unwrap_or(1.0) * at),
        };
        let edges = if processors > 1.0 { 4.0 * (processors / points).sqrt() } else { 0.0 };
        let efficiency = 1.0 / (1.0 + edges * scaled.exchange / scaled.update);
        let share = match scaled.moves {
            Moves::OneByOne => 1.0,
            Moves::Crystal => processors.log2() / processors,
            Moves::AtOnce => 1.0 / processors,
        };
        let work = scaled.cycles * scaled.update;
        let value = work / (work / (efficiency * processors) + share * scaled.remap);
        found(Found { printed: *printed, ..Found::at(*at, value) });
    }
}

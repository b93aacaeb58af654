//! Figs. 2 and 3 of [FXW03]: given loads, and their distance from balance.

use super::model::{Measure, Printed, Uneven};
use super::{Found, Stop, whole};
use crate::complaint::Complaint;

/// The most processors.
const MOST_PROCESSORS: usize = 1_000_000;

/// A point for each number of processors.
pub(crate) fn deviations(
    loads: Uneven,
    measure: Measure,
    points: &[Printed],
    mut found: impl FnMut(Found),
) -> Result<(), Stop> {
    for point in points {
        let Some(loads) = whole(point.at).and_then(|processors| of(loads, processors)) else {
            let message = format!("{} is no number of processors for {loads:?}", point.at);
            let help = "two or more, and for Half an even number";
            return Err(Complaint::elsewhere(message, help).into());
        };
        let away = loads.iter().map(|load| (load - 1.0).abs());
        let value = match measure {
            Measure::Extreme => away.fold(0.0, f64::max),
            Measure::Deviation => away.map(|away| away * away).sum::<f64>().sqrt(),
        };
        found(Found { printed: point.printed, ..Found::at(point.at, value) });
    }
    Ok(())
}

fn of(loads: Uneven, processors: usize) -> Option<Vec<f64>> {
    if !(2..=MOST_PROCESSORS).contains(&processors) {
        return None;
    }
    Some(match loads {
        Uneven::Half(_) if !processors.is_multiple_of(2) => return None,
        Uneven::Half(apart) => {
            (0..processors).map(|i| if i % 2 == 0 { 1.0 - apart } else { 1.0 + apart }).collect()
        }
        Uneven::Pair(apart) => {
            let mut loads = vec![1.0; processors];
            (loads[0], loads[1]) = (1.0 - apart, 1.0 + apart);
            loads
        }
        Uneven::One(below) => {
            let mut loads = vec![1.0 - below; processors];
            loads[0] = 1.0 + (processors - 1) as f64 * below;
            loads
        }
    })
}

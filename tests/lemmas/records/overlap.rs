//! Remaps that go on beside the steps, against a slow simulation of every sequence of them.

use super::records;
use crate::shared::Planned;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::overlap::{Overlap, Price};
use remapping::policy::{Policy, Rule};
use remapping::record::Record;
use remapping::replay::{hindsight, intervals, play, replay, tuned};
use remapping::simulate::Base;

pub fn overlaps() -> impl Strategy<Value = Overlap> {
    (prop_oneof![Just(0), 1_u64..5], 0.0..0.5_f64)
        .prop_map(|(steps, slowdown)| Overlap { steps, slowdown })
}

fn mean(row: &[f64]) -> f64 {
    row.iter().sum::<f64>() / row.len() as f64
}

/// The time lost to these decisions on the steps from `first` on, step by step from the definition.
fn lost(record: &Record, first: usize, decisions: &[usize], price: Price) -> f64 {
    let late = price.overlap.steps as usize;
    let mut total = price.stops * decisions.len() as f64;
    for step in first..record.steps() {
        let in_force = decisions.iter().rev().find(|decided| **decided + late < step);
        let base = in_force.copied().or(first.checked_sub(1));
        let row = record.path(step);
        let deviation = |rank: usize| {
            let level = |at: usize| record.path(at)[rank] - mean(record.path(at));
            row[rank] - mean(row) - base.map_or(0.0, level)
        };
        let imbalance = (0..record.ranks()).map(deviation).fold(0.0, f64::max);
        let replaced = decisions.iter().any(|decided| *decided < step && step <= decided + late);
        let slower = if replaced { price.overlap.slowdown } else { 0.0 };
        total += imbalance + slower * (mean(row) + imbalance);
    }
    total
}

/// All sequences of decisions: one after the other is in force, and in force before the last step.
fn sequences(first: usize, end: usize, late: usize) -> Vec<Vec<usize>> {
    let all = (0..1_u32 << (end - first)).map(|marks| {
        (first..end).filter(|step| marks >> (step - first) & 1 == 1).collect::<Vec<usize>>()
    });
    let apart = |found: &Vec<usize>| {
        found.windows(2).all(|pair| pair[1] > pair[0] + late)
            && found.last().is_none_or(|last| last + late + 1 < end)
    };
    all.filter(apart).collect()
}

proptest! {
    /// Hindsight is the best of all sequences, and each costs what it costs.
    #[test]
    fn hindsight_is_the_best_of_all_sequences(
        record in records(3..12, 0..3),
        overlap in overlaps(),
        stops in 0.0..6.0_f64,
        late in any::<bool>(),
    ) {
        let (first, end) = (usize::from(late), record.steps());
        let price = Price { stops, overlap };
        let base = first.checked_sub(1).map_or(Base::AsRecorded, Base::Balanced);
        let mut best = f64::INFINITY;
        for decisions in sequences(first, end, overlap.steps as usize) {
            let cost = lost(&record, first, &decisions, price);
            best = best.min(cost);
            let mut policy = Planned::at(decisions.iter().map(|step| step + 1 - first));
            let course = play(&record, first..end, base, price, &mut policy);
            prop_assert_eq!(&course.remaps, &decisions);
            prop_assert!(abs_diff_eq!(course.tally.value, cost, epsilon = 1e-9 * cost.max(1.0)));
            let again: f64 = course.costs.iter().sum();
            // What is paid beyond the work is the time lost.
            prop_assert!(abs_diff_eq!(course.tally.time - course.tally.work, cost, epsilon = 1e-9 * cost.max(1.0)));
            prop_assert!(again <= cost * (1.0 + 1e-9) + 1e-9);
        }
        let found = hindsight(&record, first..end, base, price, &()).unwrap();
        prop_assert!(abs_diff_eq!(found, best, epsilon = 1e-9 * best.max(1.0)), "{} is not {}", found, best);
        let replayed = replay(&record, first..end, price, &Vec::new, &()).unwrap().clairvoyant;
        prop_assert!(abs_diff_eq!(replayed, best, epsilon = 1e-9 * best.max(1.0)), "{} is not {}", replayed, best);
    }

    /// Without steps beside a remap nothing changes, whatever the slowdown, to the last bit.
    #[test]
    fn no_overlap_is_as_before(record in records(4..12, 0..1), stops in 0.01..6.0_f64, slowdown in 0.0..2.0_f64) {
        let steps = 1..record.steps();
        let price = Price { stops, overlap: Overlap { steps: 0, slowdown } };
        let base = Base::Balanced(0);
        let least = hindsight(&record, steps.clone(), base, stops, &()).unwrap();
        prop_assert_eq!(hindsight(&record, steps.clone(), base, price, &()).unwrap(), least);
        let start = || -> Vec<Box<dyn Policy>> { vec![Rule::StopAtRise.start(stops), Rule::Fixed(2).start(stops)] };
        let before = replay(&record, steps.clone(), stops, &start, &()).unwrap();
        prop_assert!(abs_diff_eq!(before.clairvoyant, least, epsilon = 1e-12 * least));
        prop_assert_eq!(&replay(&record, steps.clone(), price, &start, &()).unwrap(), &before);
        for (policy, tally) in start().iter_mut().zip(&before.tallies) {
            prop_assert_eq!(play(&record, steps.clone(), base, price, policy.as_mut()).tally.value, tally.value);
        }
        let rules = intervals(record.steps());
        prop_assert_eq!(tuned(&record, steps.clone(), price, &rules), tuned(&record, steps, stops, &rules));
    }
}

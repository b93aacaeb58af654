//! What is proved of a change of phase encloses what following every sequence of reports gives,
//! closely.

use crate::shared::{interval, model, range};
use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Refusal};

/// Costs in one phase-change problem.
struct Phases {
    stays: Vec<f64>,
    hazards: Vec<f64>,
    cycle: [f64; 3],
    remap: [f64; 2],
    detector: [f64; 2],
    kept: Option<f64>,
}

impl Phases {
    /// The least cost from step n on at belief p, and what retaining and remapping cost.
    fn cost(&self, n: usize, p: f64) -> (f64, f64, f64) {
        let [before, after, remapped] = self.cycle;
        let (cycles, quiet) = (self.cycles(n, false), self.cycles(n, true));
        let delay = self.remap[0] + self.remap[1];
        let next = |p: f64| {
            if self.stays[n] == 0.0 {
                return 0.0;
            }
            let (h, [alarm, missed]) = (self.hazards[n], self.detector);
            let changed = p + (1.0 - p) * h;
            let after = |(no, yes): (f64, f64)| {
                let report = (1.0 - changed) * no + changed * yes;
                match report > 0.0 {
                    true => report * self.cost(n + 1, changed * yes / report).0,
                    false => 0.0,
                }
            };
            self.stays[n] * (after((alarm, 1.0 - missed)) + after((1.0 - alarm, missed)))
        };
        let retain = (1.0 - p) * before + p * after + next(p);
        let premature = match self.kept {
            None => self.remap[0] + before + next(0.0),
            Some(kept) => delay + quiet * kept + (cycles - quiet) * remapped,
        };
        let remap = (1.0 - p) * premature + p * (delay + cycles * remapped);
        (retain.min(remap), retain, remap)
    }

    /// Mean number of cycles from step n on, all or those before the change.
    fn cycles(&self, n: usize, quiet: bool) -> f64 {
        if n >= self.stays.len() {
            return 0.0;
        }
        let on = if quiet { self.stays[n] * (1.0 - self.hazards[n]) } else { self.stays[n] };
        1.0 + if on > 0.0 { on * self.cycles(n + 1, quiet) } else { 0.0 }
    }

    fn threshold(&self, n: usize) -> f64 {
        let remaps = |p: f64| {
            let (_, retain, remap) = self.cost(n, p);
            remap < retain - 1e-13
        };
        if !remaps(1.0) {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            if remaps(middle) { high = middle } else { low = middle }
        }
        high
    }
}

#[test]
fn thresholds_agree_with_every_sequence_of_reports() {
    let laws: [(&str, Vec<f64>); 5] = [
        ("Fixed(4)", vec![1.0, 1.0, 1.0, 1.0, 0.0]),
        ("Uniform(first: 2, last: 4)", vec![1.0, 1.0, 2.0 / 3.0, 0.5, 0.0]),
        ("Geometric(rate: 0.5, first: 1, last: 3)", vec![1.0, 3.0 / 7.0, 1.0 / 3.0, 0.0]),
        ("Geometric(rate: 1, first: 3, last: 9)", vec![1.0, 1.0, 1.0, 0.0]),
        ("Pmf({1: 0.25, 4: 0.75, 6: 0})", vec![1.0, 0.75, 1.0, 1.0, 0.0]),
    ];
    for (law, stays) in laws {
        for (constant, kept, remap) in [
            (true, None, [0.6, 0.1]),
            (false, Some(1.3), [0.3, 0.5]),
            (false, None, [0.0, 0.9]),
            (true, None, [9.0, 0.0]),
        ] {
            let last = stays.len() - 1;
            let hazards: Vec<f64> =
                (0..=last).map(|n| if constant { 0.1 } else { 0.05 * (n + 1) as f64 }).collect();
            let hazard = match constant {
                true => "Constant(0.1)".to_owned(),
                false => format!("PerStep({:?})", &hazards[..last]),
            };
            let premature =
                kept.map_or("Revert".to_owned(), |k| format!("Keep(before_remapped: {k})"));
            let phases = Phases {
                stays: stays.clone(),
                hazards,
                cycle: [1.0, 1.8, 1.1],
                remap,
                detector: [0.2, 0.1],
                kept,
            };
            let found = model(&format!(
                "PhaseChange(lifetime: {law}, cycle: (before: 1.0, after: 1.8, remapped: 1.1), remap: (test: {}, \
                 install: {}), detector: (false_alarm: 0.2, missed: 0.1), hazard: {hazard}, premature: {premature})",
                remap[0], remap[1]
            ));
            // Equally spaced beliefs, finer with the odds.
            let steps = Steps::On(vec![(1 << 44) / 20_000; 19_999]);
            let steps = [vec![steps], vec![Steps::On(Vec::new()); last]].concat();
            let proof = found.prove(&Evidence::PhaseChange(50, steps)).unwrap();
            let (low, high) = interval(&proof, "value");
            let exact = phases.cost(0, 0.0).0;
            let close = |low: f64, high: f64, exact: f64, by: f64, width: f64| {
                let inside = low <= exact + by && exact - by <= high;
                assert!(inside && high - low < width, "{law} {kept:?}: [{low}, {high}] {exact}");
            };
            close(low, high, exact, 1e-13, 1e-8);
            for (name, low, high) in &proof.intervals()[1..] {
                let (first, last) = range(name);
                for n in first..=last {
                    close(*low, *high, phases.threshold(n), 1e-11, 1e-7);
                }
            }
            assert_eq!(found.prove(&Evidence::LoadDrift), Err(Refusal::Malformed));
        }
    }
}

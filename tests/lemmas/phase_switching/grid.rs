//! The value of long programs of recurring phases against a fine grid of beliefs, which knows
//! nothing of pieces, rest and mean beliefs.

use super::share::ordinary;
use crate::shared::double;
use crate::thorough::some;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::{PhaseSwitching, solve};
use remapping::{Bounds, Status};
use std::f64::consts::FRAC_PI_2;

/// Where a report takes a belief on the grid: with what chance, to the right of which place, and
/// how far towards the next.
struct Way {
    chance: f64,
    cell: usize,
    share: f64,
}

/// Dynamic programming on so many cells of belief. As the cost is concave in the belief,
/// interpolating it makes this too low.
pub(super) struct Grid {
    cells: usize,
    switch: [f64; 2],
    cycle: [[f64; 2]; 2],
    /// Those of all reports from a place, place by place.
    ways: Vec<Way>,
    reports: usize,
}

impl Grid {
    pub(super) fn new(problem: &PhaseSwitching, cells: usize) -> Grid {
        let [a, b] = problem.rates.each_ref().map(double);
        let levels = problem.detector.levels();
        let mut ways = Vec::new();
        for p in (0..=cells).map(|k| belief(k, cells)) {
            let second = p * (1.0 - b) + (1.0 - p) * a;
            for level in levels {
                let (no, yes) =
                    ((1.0 - second) * double(&level.before), second * double(&level.after));
                let (cell, share) = place(yes / (yes + no), cells);
                ways.push(Way { chance: yes + no, cell, share });
            }
        }
        Grid {
            cells,
            switch: problem
                .switch
                .each_ref()
                .map(|cost| cost.as_ref().map_or(f64::INFINITY, double)),
            cycle: problem.cycle.each_ref().map(|cycle| cycle.each_ref().map(double)),
            ways,
            reports: levels.len(),
        }
    }

    /// The cost from a step on, by place and mapping, from what follows it.
    pub(super) fn back(&self, value: &[[f64; 2]], survival: f64) -> Vec<[f64; 2]> {
        let each = self.ways.chunks(self.reports).enumerate().map(|(k, ways)| {
            let p = belief(k, self.cells);
            let keep = [0, 1].map(|m: usize| {
                let ahead = ways.iter().map(|way| {
                    let [left, right] = [value[way.cell][m], value[way.cell + 1][m]];
                    way.chance * (left + way.share * (right - left))
                });
                let now = (1.0 - p) * self.cycle[0][m] + p * self.cycle[1][m];
                now + survival * ahead.sum::<f64>()
            });
            [keep[0].min(keep[1] + self.switch[0]), keep[1].min(keep[0] + self.switch[1])]
        });
        each.collect()
    }
}

/// The belief at a place of the grid, whose cells are narrow near 0 and 1, where slow phases keep
/// beliefs.
fn belief(k: usize, cells: usize) -> f64 {
    (FRAC_PI_2 * k as f64 / cells as f64).sin().powi(2)
}

/// The cell of a belief, and how far it is from the cell's left end towards the right one.
fn place(belief_there: f64, cells: usize) -> (usize, f64) {
    let angle = belief_there.sqrt().min(1.0).asin();
    let cell = ((cells as f64 * angle / FRAC_PI_2) as usize).min(cells - 1);
    let [left, right] = [cell, cell + 1].map(|k| belief(k, cells));
    (cell, ((belief_there - left) / (right - left)).clamp(0.0, 1.0))
}

/// What a program costs on the grid.
fn on_grid(problem: &PhaseSwitching, lifetime: &Lifetime, cells: usize) -> f64 {
    let grid = Grid::new(problem, cells);
    let value = (0..=lifetime.last())
        .rev()
        .fold(vec![[0.0; 2]; cells + 1], |value, n| grid.back(&value, lifetime.continuation(n)));
    let (cell, share) = place(double(&problem.initial), cells);
    value[cell][0] + share * (value[cell + 1][0] - value[cell][0])
}

/// Whether there was something to compare.
fn agrees(seed: u64) -> bool {
    let (problem, lifetime) = ordinary(seed);
    if !(300..=10_000).contains(&lifetime.last()) {
        return false;
    }
    let solution = solve(&problem, &lifetime, 1e-6, &()).expect("an ordinary model");
    let Some(Bounds { lower, upper }) = solution.value else { return false };
    assert_eq!(solution.status, Status::Converged, "seed {seed}");
    let [rough, fine] = [1500, 3000].map(|cells| on_grid(&problem, &lifetime, cells));
    let rounding = 1e-10 * upper;
    let case = format!("seed {seed}: {lower} to {upper}, on the grid {rough} and {fine}");
    assert!(fine <= upper + rounding, "{case}");
    // Halving the cells takes off three quarters of the error where the cost is smooth, half of it
    // or somewhat less at kinks.
    assert!(lower - fine <= 4.0 * (fine - rough).max(0.0) + rounding, "{case}");
    true
}

#[test]
fn values_of_long_programs_are_those_of_a_fine_grid() {
    assert!(some(1, [428, 285, 353, 66]).into_iter().all(agrees));
}

#[test]
#[ignore = "a minute; run with: cargo test --test lemmas values_of_all_long_programs -- --ignored"]
fn values_of_all_long_programs_are_those_of_a_fine_grid() {
    let compared = (0..450).filter(|seed| agrees(*seed)).count();
    assert!(compared > 100, "{compared}");
}

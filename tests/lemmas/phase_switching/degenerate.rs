//! Recurring phases with rates, costs, times and gains of 0, equal costs and one step, against
//! plain iteration on a grid of beliefs.

use super::share::Until;
use crate::shared::double;
use crate::thorough::few_or_all;
use rand::RngExt;
use remapping::belief::Levels;
use remapping::decimal::decimal;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::{PhaseSwitching, long_run, solve};
use remapping::simulate::{Stream, stream};
use remapping::{Bounds, Status};

/// Nodes of the grid, and steps in which plain iteration has to come to its end to say something.
const NODES: usize = 1001;
const MOST_STEPS: u32 = 3000;

fn any(random: &mut Stream) -> PhaseSwitching {
    let mut one = |of: &[&str]| decimal(of[random.random_range(0..of.len())]).expect("a number");
    let times = ["0", "0.5", "1", "1.1", "2"];
    let costs = ["0", "0.2", "1", "3", "1000"];
    let errors = ["0", "0.1", "0.25", "0.5", "1"];
    let cycle = [[one(&times), one(&times)], [one(&times), one(&times)]];
    let switch = [one(&costs), one(&costs)].map(Some);
    let rates = ["0", "0.02", "0.1", "0.3", "0.5", "1"];
    let detector = Levels::binary(one(&errors), one(&errors)).expect("probabilities");
    let rates = [one(&rates), one(&rates)];
    PhaseSwitching { cycle, switch, rates, detector, initial: one(&["0", "0.5", "1"]) }
}

/// D = g + s P cut(D) on the grid.
struct Grid {
    gain: [f64; 2],
    cut: [f64; 2],
    /// For each report and node, its chance and where it leads.
    ways: Vec<Vec<(f64, f64)>>,
}

impl Grid {
    fn of(problem: &PhaseSwitching) -> Grid {
        let [a, b] = problem.rates.each_ref().map(double);
        let cost = |m: usize| problem.switch[m].as_ref().map_or(f64::INFINITY, double);
        let way = |before: f64, after: f64| {
            let node = |k: usize| {
                let p = k as f64 / (NODES - 1) as f64;
                let second = p * (1.0 - b) + (1.0 - p) * a;
                let [yes, no] = [second * after, (1.0 - second) * before];
                let chance = yes + no;
                (chance, if chance > 0.0 { yes / chance } else { 0.0 })
            };
            (0..NODES).map(node).collect()
        };
        let levels = problem.detector.levels();
        Grid {
            gain: [0, 1].map(|phase| double(&problem.gain(phase))),
            cut: [-cost(1), cost(0)],
            ways: levels.iter().map(|l| way(double(&l.before), double(&l.after))).collect(),
        }
    }

    fn at(function: &[f64], p: f64) -> f64 {
        let place = p * (NODES - 1) as f64;
        let k = (place as usize).min(NODES - 2);
        function[k] + (place - k as f64) * (function[k + 1] - function[k])
    }

    fn back(&self, next: &[f64], survival: f64) -> Vec<f64> {
        let cut: Vec<f64> = next.iter().map(|d| d.clamp(self.cut[0], self.cut[1])).collect();
        let node = |k: usize| {
            let p = k as f64 / (NODES - 1) as f64;
            let ahead = self.ways.iter().map(|way| way[k].0 * Grid::at(&cut, way[k].1));
            (1.0 - p) * self.gain[0] + p * self.gain[1] + survival * ahead.sum::<f64>()
        };
        (0..NODES).map(node).collect()
    }

    /// Whether thresholds are those of this difference, but for what the grid misses.
    fn check(&self, difference: &[f64], [up, down]: [Bounds; 2], say: &str) {
        let miss = 3e-3 * (self.gain[1] - self.gain[0]) + 1e-9;
        let at = |p: f64| Grid::at(difference, p);
        let [low, high] = self.cut;
        assert!(up.upper == 1.0 || at(up.upper) >= high - miss, "{say}: {up:?} {}", at(up.upper));
        assert!(up.lower == 0.0 || at(up.lower) <= high + miss, "{say}: {up:?} {}", at(up.lower));
        assert!(down.upper == 1.0 || at(down.upper) >= low - miss, "{say}: {down:?}");
        assert!(down.lower == 0.0 || at(down.lower) <= low + miss, "{say}: {down:?}");
    }
}

#[test]
fn without_an_end() {
    let (mut known, mut compared) = (0, 0);
    for seed in 0..few_or_all(100, 250) {
        let problem = any(&mut stream(301, seed));
        let Ok(found) = long_run(&problem, 1e-6, &Until::seconds(5)) else { continue };
        let say = format!("seed {seed}: {problem:?}");
        assert!(matches!(found.status, Status::Converged | Status::IterationLimit), "{say}");
        known += u32::from(found.status == Status::Converged);
        let grid = Grid::of(&problem);
        let mut difference = vec![0.0; NODES];
        for _ in 0..MOST_STEPS {
            let next = grid.back(&difference, 1.0);
            let moved = next.iter().zip(&difference).map(|(a, b)| (a - b).abs());
            let moved = moved.fold(0.0, f64::max);
            difference = next;
            if moved < 1e-12 {
                compared += 1;
                grid.check(&difference, [found.to_second, found.to_first], &say);
                break;
            }
        }
    }
    let (least_known, least_compared) = few_or_all((36, 24), (90, 60));
    assert!(known > least_known && compared > least_compared, "{known} {compared}");
}

#[test]
fn with_an_end() {
    let mut known = 0;
    let mut count = 0;
    for seed in 0..250 {
        let random = &mut stream(302, seed);
        let problem = any(random);
        let last = [0, 1, 2, 8, 40][random.random_range(0..5)];
        let found = solve(&problem, &Lifetime::fixed(last), 1e-6, &Until::seconds(5));
        let Ok(found) = found else { continue };
        let say = format!("seed {seed}, {last}: {problem:?}");
        assert!(matches!(found.status, Status::Converged | Status::IterationLimit), "{say}");
        (known, count) = (known + u32::from(found.status == Status::Converged), count + 1);
        let grid = Grid::of(&problem);
        let mut difference = vec![0.0; NODES];
        for n in (0..=last).rev() {
            difference = grid.back(&difference, if n < last { 1.0 } else { 0.0 });
            let both =
                [&found.to_second, &found.to_first].map(|curve| curve.at(n).expect("a step"));
            grid.check(&difference, both, &format!("{say}, step {n}"));
        }
    }
    assert!(count > 100 && known == count, "{known} of {count}");
}

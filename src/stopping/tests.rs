//! Sweeps and enclosures of arbitrary functions, against the Bellman inequalities in exact
//! rationals.

use super::operator::enclosure::{Enclosure, Weight};
use super::operator::sweep::{self, Sweep};
use super::{AfterRemap, Problem, Process, ProcessChain, States, operator::weight};
use crate::Rational;
use crate::chain::{BirthDeath, Dense};
use crate::imbalance::{Imbalance, RunningCost};
use proptest::prelude::*;
use std::ops::Range;

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("finite")
}

/// Probabilities are multiples of 1/16, so that doubles represent them exactly.
pub(super) fn chain(levels: Range<usize>) -> impl Strategy<Value = BirthDeath> {
    prop::collection::vec((0..9u8, 0..8u8), levels).prop_map(|moves| {
        let last = moves.len() - 1;
        let mut up: Vec<f64> = moves.iter().map(|m| f64::from(m.0) / 16.0).collect();
        let mut down: Vec<f64> = moves.iter().map(|m| f64::from(m.1) / 16.0).collect();
        (up[last], down[0]) = (0.0, 0.0);
        BirthDeath::new(up, down).unwrap()
    })
}

fn posed(chains: Vec<ProcessChain>, rho: f64, uniform: bool) -> Problem {
    let after = if uniform { AfterRemap::Uniform } else { AfterRemap::Stop };
    equal(chains, false, rho, after).1
}

/// Processes of equal capacity, lumped or not.
pub(super) fn equal(
    chains: Vec<ProcessChain>,
    lump: bool,
    rho: f64,
    after: AfterRemap,
) -> (States, Problem) {
    let ones = vec![Rational::ONE; chains.len()];
    let processes: Vec<Process> =
        chains.into_iter().map(|chain| Process { lowest: 0, chain }).collect();
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &ones, 1000).unwrap();
    let (states, operator) = States::independent(&processes, |_, _| lump).unwrap();
    let problem = Problem::new(&states, operator, &imbalance, rho, after).unwrap();
    (states, problem)
}

/// P f for independent processes, the last one fastest.
fn expectation(chains: &[BirthDeath], f: &[Rational]) -> Vec<Rational> {
    let (mut f, mut stride) = (f.to_vec(), f.len());
    for chain in chains {
        stride /= chain.levels();
        let mean = |s: usize| {
            let level = s / stride % chain.levels();
            let to = |j: usize| exact(chain.rows()[level][j]) * &f[s + j * stride - level * stride];
            (0..chain.levels()).map(to).fold(Rational::ZERO, |sum, x| sum + x)
        };
        f = (0..f.len()).map(mean).collect();
    }
    f
}

fn mean(f: &[Rational]) -> Rational {
    f.iter().cloned().fold(Rational::ZERO, |sum, x| sum + x) / Rational::from(f.len() as i64)
}

/// Whether two numbers differ by at most this.
fn within(x: f64, slack: f64, other: &Rational) -> bool {
    exact(x) - exact(slack) <= *other && *other <= exact(x) + exact(slack)
}

/// Least number of cases that must be tight.
fn many() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.saturating_mul(4), failure_persistence: None, ..default }
}

/// Savings after a sweep rounded away from J: of both actions, and of the better one.
fn closed(problem: &Problem, base: f64, saving: &[f64], side: f64) -> Vec<f64> {
    let mut sweep = Sweep::new(problem);
    sweep.run(problem, base, saving);
    let (rounding, stop) = (sweep.rounding, sweep.stop + side * sweep.rounding.stop);
    let of = |s: usize| {
        let (psi, gain) = (problem.running()[s], sweep.gain[s]);
        let new = (gain + side * rounding.slack(psi, gain)).max(stop);
        let closer = if side > 0.0 { new.min(saving[s]) } else { new.max(saving[s]) };
        if psi == 0.0 { base } else { closer }
    };
    (0..saving.len()).map(of).collect()
}

proptest! {
    #![proptest_config(many())]

    /// Value iteration does a whole sweep in one pass over memory; rows of `given` chains do not
    /// preserve constants.
    #[test]
    fn one_pass_closes_a_side_as_two_do(
        chains in prop::collection::vec(chain(2..5), 2..5), rho in 0.1..20.0f64, uniform: bool, given: bool, above: bool,
        shares in prop::collection::vec(-0.2..1.0f64, 625),
    ) {
        let process = |chain: &BirthDeath| match given {
            true => ProcessChain::Dense(Dense::new(&chain.rows()).unwrap()),
            false => ProcessChain::BirthDeath(chain.clone()),
        };
        let problem = posed(chains.iter().map(process).collect(), rho, uniform);
        let (base, side) = (1.3 * rho, if above { 1.0 } else { -1.0 });
        let n = problem.states();
        let mut saving: Vec<f64> = shares.iter().cycle().take(n).map(|share| share * base).collect();
        let other: Vec<f64> = shares.iter().rev().cycle().take(n).map(|share| share * base).collect();
        let mut sweep = Sweep::new(&problem);
        let mut excess = sweep::excess(&saving);
        for _ in 0..3 {
            let expected = closed(&problem, base, &saving, side);
            let largest = |f: &dyn Fn(usize) -> f64| (0..n).map(f).fold(0.0, f64::max);
            let far = [largest(&|s| -expected[s]), largest(&|s| other[s] - expected[s])];
            let found = sweep.close(&problem, base, (&mut saving, side, excess), Some(&other));
            prop_assert_eq!(&saving, &expected);
            prop_assert_eq!(found, far);
            excess = found[0];
        }
    }

    #[test]
    fn an_enclosure_satisfies_the_bellman_inequalities(
        chains in prop::collection::vec(chain(2..5), 2..4), rho in 0.1..20.0f64, uniform in any::<bool>(),
        above in prop::sample::select(vec![1.0, 1.0 + 1e-9, 1.3]),
        away in prop::sample::select(vec![0.0, 1e-13, 1e-9, 1e-4, 0.03, 0.8]),
        shares in prop::collection::vec(-1.0..1.0f64, 64),
        weights in prop::collection::vec(0.0..1.0f64, 64),
    ) {
        let problem = posed(chains.iter().cloned().map(ProcessChain::BirthDeath).collect(), rho, uniform);
        let running = problem.running();
        // Close to the solution, or far from it.
        let base = above * if uniform { 2.0 * rho } else { rho };
        let start = |psi: &f64| if *psi == 0.0 { base } else { 0.0 };
        let mut saving: Vec<f64> = running.iter().map(start).collect();
        let mut sweep = Sweep::new(&problem);
        for _ in 0..200 {
            sweep.run(&problem, base, &saving);
            sweep.take(&problem, &mut saving);
        }
        for ((saving, psi), share) in saving.iter_mut().zip(running).zip(&shares) {
            if *psi > 0.0 {
                *saving -= away * share * (base - *saving);
            }
        }
        sweep.run(&problem, base, &saving);
        let value: Vec<Rational> = saving.iter().map(|d| exact(base) - exact(*d)).collect();
        let image = expectation(&chains, &value);
        for (s, psi) in running.iter().enumerate() {
            let gain = exact(base) - exact(*psi) - &image[s];
            let slack = sweep.rounding.slack(*psi, sweep.gain[s]);
            prop_assert!(within(sweep.gain[s], slack, &gain));
        }
        let remap = |f: &[Rational]| if uniform { exact(rho) + mean(f) } else { exact(rho) };
        let stop = exact(base) - remap(&value);
        prop_assert!(within(sweep.stop, sweep.rounding.stop, &stop));
        // A weight, and a bound on its defect.
        let scale = away.max(1e-12);
        let weigh = |(w, psi): (&f64, &f64)| if *psi == 0.0 { 0.0 } else { scale * w };
        let w: Vec<f64> = weights.iter().zip(running).map(weigh).collect();
        let wide: Vec<Rational> = w.iter().map(|w| exact(*w)).collect();
        let moved = expectation(&chains, &wide);
        let defect = wide.iter().zip(&moved).map(|(w, moved)| (w - moved).to_f64().value().next_down());
        let most = if uniform { mean(&wide).to_f64().value().next_up() } else { 0.0 };
        let weight = Weight { w: w.clone(), defect: defect.collect(), mean: most };
        let (own, _) = weight::find(&problem, &saving, &sweep, 1e-9, 1000, &());
        let paying: Vec<Rational> = own.w.iter().map(|w| exact(*w)).collect();
        let moved = expectation(&chains, &paying);
        for (s, (w, moved)) in paying.iter().zip(&moved).enumerate() {
            prop_assert!(own.w[s] >= 0.0 && (running[s] > 0.0 || own.w[s] == 0.0));
            prop_assert!(exact(own.defect[s]) <= w - moved, "{s} {}", own.defect[s]);
        }
        prop_assert!(!uniform || mean(&paying) <= exact(own.mean));
        let by_savings = weight::by_savings(&problem, &saving, &sweep).map(|(_, weight)| weight);
        if let Some(Weight { w, defect, mean: most }) = &by_savings {
            let paying: Vec<Rational> = w.iter().map(|w| exact(*w)).collect();
            for ((w, moved), defect) in paying.iter().zip(expectation(&chains, &paying)).zip(defect) {
                prop_assert!(*w >= Rational::ZERO && exact(*defect) <= w - moved);
            }
            prop_assert!(mean(&paying) <= exact(*most));
        }
        for weight in [None, Some(&weight), by_savings.as_ref()] {
            let found = Enclosure::prove(&problem, &saving, &sweep, weight);
            let w = |s: usize| weight.map_or(Rational::ZERO, |weight| exact(weight.w[s]));
            let side = |factor: f64, sign: i64| -> Vec<Rational> {
                let at = |s: usize| exact(factor) * &value[s] + Rational::from(sign) * w(s);
                (0..value.len()).map(at).collect()
            };
            let upper = found.upper.is_finite().then(|| side(found.upper, 1));
            let lower = side(found.lower, -1);
            let unbalanced = || (0..value.len()).filter(|s| running[*s] > 0.0);
            if found.lower > 0.0 {
                let (ahead, remap) = (expectation(&chains, &lower), remap(&lower));
                for s in unbalanced() {
                    prop_assert!(lower[s] <= remap && lower[s] <= exact(running[s]) + &ahead[s]);
                }
            }
            if let Some(upper) = upper {
                let (ahead, remap) = (expectation(&chains, &upper), remap(&upper));
                for s in unbalanced() {
                    prop_assert!(upper[s] >= remap || upper[s] >= exact(running[s]) + &ahead[s]);
                    let apart = (&upper[s] - &lower[s]).to_f64().value();
                    let gap = found.gap * sweep.remap.max(1.0);
                    prop_assert!(apart <= gap * (1.0 + 1e-12), "{} {}", apart, gap);
                }
            }
        }
    }
}

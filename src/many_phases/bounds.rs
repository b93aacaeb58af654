//! Bounds on the optimal value by grid-based value iteration for POMDPs, on successively finer
//! grids of beliefs.
//!
//! Lower bound: V is concave, so interpolation between lower bounds at grid points bounds it from
//! below (Lovejoy 1991). Upper bound: vectors of policies, the best ones at each grid point
//! (point-based value iteration; Pineau et al. 2003). All operations are rounded outward. O(points
//! x observations x phases^2) per step and mapping; memory O(points x observations x phases).

use super::exact::exact;
use super::game::{Game, dot, looked_at, magnitude};
use super::grid::{Grid, size};
use super::problem::{Horizon, ManyPhases, PhasesError};
use crate::rounding::{nearest, outward};
use crate::{Bounds, Halt, Observer, Rational, Status};
use std::ops::ControlFlow;

/// Bounds on the optimum, and a policy.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Bounds on the least expected time from step 0 under the first mapping at the initial belief.
    pub value: Bounds,
    /// Beliefs of the finest grid; empty if only the exact solution was computed.
    pub beliefs: Vec<Vec<f64>>,
    /// `decision[m][k]`: the mapping after step 0 under mapping m at belief k, by a policy whose
    /// cost is at most the upper bound. The number of phases means a remap to the mapping that fits
    /// the phase.
    pub decision: Vec<Vec<usize>>,
    /// The greatest number of vectors of a value function.
    pub vectors: usize,
    /// The exact value, if all vectors were computed in rationals.
    pub exact: Option<Rational>,
    /// Converged iff the width is within the tolerance, relative to max(1, |value|).
    pub status: Status,
}

/// Most vectors, and most steps, for the exact solution.
const MOST_VECTORS: usize = 200;
const MOST_STEPS: u64 = 12;

/// Resolution of the first grid.
const COARSEST: u32 = 4;

/// Computes bounds on the optimum of `problem`: in rationals for few steps and vectors, and on
/// grids of up to `most_points` beliefs. O(points x observations x phases^2) per step and mapping.
///
/// # Errors
/// If the parameters are out of range.
pub fn solve(
    problem: &ManyPhases,
    horizon: &Horizon,
    tolerance: f64,
    most_points: usize,
    observer: &dyn Observer,
) -> Result<Solution, PhasesError> {
    problem.validate()?;
    let mut best = Solution {
        value: Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY },
        beliefs: Vec::new(),
        decision: Vec::new(),
        vectors: 0,
        exact: None,
        status: Status::IterationLimit,
    };
    if let Horizon::Discounted(rate) = horizon
        && !(*rate >= Rational::ZERO && *rate < Rational::ONE)
    {
        return Err(PhasesError::Discount);
    }
    if let Horizon::Ends(lifetime) = horizon
        && lifetime.last() <= MOST_STEPS
    {
        match exact(problem, lifetime, MOST_VECTORS, observer) {
            Ok(Some(value)) => {
                let near = nearest(&value);
                best.value = Bounds {
                    lower: outward::<false>(near, near),
                    upper: outward::<true>(near, near),
                };
                best.exact = Some(value);
                best.status = Status::Converged;
            }
            Ok(None) => {}
            Err(halt) => {
                best.status = halt.into();
                return Ok(best);
            }
        }
    }
    let game = Game::new(problem, horizon);
    let mut resolution = COARSEST;
    while size(problem.phases(), resolution).is_some_and(|points| points <= most_points) {
        let mut sweep = Sweep::new(&game, resolution);
        let halted = sweep.run(horizon, observer);
        let found = sweep.value();
        if halted.is_none() || matches!(horizon, Horizon::Discounted(_)) {
            best.value.lower = best.value.lower.max(found.lower);
            best.value.upper = best.value.upper.min(found.upper);
        }
        best.vectors = best.vectors.max(sweep.most_vectors);
        if let Some(halt) = halted {
            best.status = halt.into();
            return Ok(best);
        }
        best.decision = sweep.decision;
        best.beliefs = sweep.grid.points;
        let width = best.value.upper - best.value.lower;
        if width <= tolerance * best.value.lower.abs().max(1.0) {
            best.status = Status::Converged;
            break;
        }
        // A finer grid does not reduce the width due to the truncated horizon.
        if game.left_out(horizon) > 0.5 * width {
            break;
        }
        resolution *= 2;
    }
    Ok(best)
}

/// The consequence of an observation at a grid point.
struct Way {
    /// Joint probabilities of the phases and the observation; then its probability, and the grid
    /// points around the updated belief with weights.
    joint: Vec<f64>,
    chance: f64,
    around: Vec<(usize, f64)>,
}

/// Backward induction on one grid.
struct Sweep<'a> {
    game: &'a Game,
    grid: Grid,
    /// All grid points, then the initial belief.
    beliefs: Vec<Vec<f64>>,
    corners: Vec<usize>,
    ways: Vec<Vec<Way>>,
    /// By mapping and point: lower bounds on V; vectors of policies (cost by phase).
    lower: Vec<Vec<f64>>,
    upper: Vec<Vec<Vec<f64>>>,
    /// Upper bound at the initial belief under the first mapping.
    above: f64,
    decision: Vec<Vec<usize>>,
    most_vectors: usize,
}

impl<'a> Sweep<'a> {
    fn new(game: &'a Game, resolution: u32) -> Sweep<'a> {
        let grid = Grid::new(game.count, resolution);
        let mut beliefs = grid.points.clone();
        beliefs.push(game.initial.clone());
        let way = |belief: &[f64], report: usize| {
            let joint = game.joint(belief, report);
            let chance: f64 = joint.iter().sum();
            let next: Vec<f64> = joint.iter().map(|p| p / chance).collect();
            let around = if chance > 0.0 { grid.around(&next) } else { Vec::new() };
            Way { joint, chance, around }
        };
        let ways = beliefs
            .iter()
            .map(|belief| (0..game.reports).map(|report| way(belief, report)).collect())
            .collect();
        let corners = (0..game.count).map(|z| grid.corner(game.count, z)).collect();
        let points = beliefs.len();
        Sweep {
            lower: vec![vec![game.beyond.0; points]; game.count],
            upper: vec![vec![vec![game.beyond.1; game.count]; points]; game.count],
            above: game.beyond.1,
            decision: Vec::new(),
            most_vectors: 1,
            game,
            grid,
            beliefs,
            corners,
            ways,
        }
    }

    fn value(&self) -> Bounds {
        let lower = self.lower[0].last().expect("the initial belief");
        Bounds { lower: *lower, upper: self.above }
    }

    /// Takes all steps, or until halted.
    fn run(&mut self, horizon: &Horizon, observer: &dyn Observer) -> Option<Halt> {
        let rate = match horizon {
            Horizon::Ends(_) => 0.0,
            Horizon::Discounted(rate) => nearest(rate),
        };
        let last = match horizon {
            Horizon::Ends(lifetime) => lifetime.last(),
            Horizon::Discounted(_) => looked_at(rate),
        };
        for n in (0..=last).rev() {
            if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
                return Some(halt);
            }
            self.step(match horizon {
                Horizon::Ends(lifetime) => lifetime.continuation(n),
                Horizon::Discounted(_) => rate,
            });
        }
        None
    }

    fn step(&mut self, survival: f64) {
        self.step_below(survival);
        self.step_above(survival);
    }

    /// Lower bounds: V is concave, so it lies above the interpolation.
    fn step_below(&mut self, survival: f64) {
        let game = self.game;
        let keep: Vec<Vec<f64>> = (0..game.count)
            .map(|m| {
                let own = &self.lower[m];
                let most = own.iter().fold(0.0f64, |most, value| most.max(value.abs()));
                let at = |(belief, ways): (&Vec<f64>, &Vec<Way>)| {
                    let now: f64 = belief.iter().zip(&game.cycle).map(|(p, row)| p * row[m]).sum();
                    let ahead: f64 = ways
                        .iter()
                        .map(|way| {
                            way.chance * way.around.iter().map(|(k, w)| w * own[*k]).sum::<f64>()
                        })
                        .sum();
                    let size = magnitude(belief, game.cycle.iter().map(|row| row[m]));
                    now + survival * ahead - game.slack * (size + survival * most)
                };
                self.beliefs.iter().zip(&self.ways).map(at).collect()
            })
            .collect();
        let at = |m: usize, k: usize| {
            let mut least = keep[m][k];
            if game.fitted {
                let fit =
                    |(z, p): (usize, &f64)| p * (game.switch[m][z] + keep[z][self.corners[z]]);
                let belief = &self.beliefs[k];
                let all: f64 = belief.iter().enumerate().map(fit).sum();
                let paid = |z: usize| game.switch[m][z] + keep[z][self.corners[z]].abs();
                let size = magnitude(belief, (0..game.count).map(paid));
                least = least.min(all - game.slack * size);
            } else {
                for j in (0..game.count).filter(|j| *j != m) {
                    let (ahead, paid) = (keep[j][k], game.switch[m][j]);
                    least = least.min(outward::<false>(ahead + paid, ahead.abs() + paid));
                }
            }
            least
        };
        let points = self.beliefs.len();
        self.lower = (0..game.count).map(|m| (0..points).map(|k| at(m, k)).collect()).collect();
    }

    /// Vectors of policies: the best action at each point. After each observation the policy
    /// continues as from the best of the surrounding points.
    fn step_above(&mut self, survival: f64) {
        let game = self.game;
        let keep: Vec<Vec<Vec<f64>>> = (0..game.count)
            .map(|m| {
                let own = &self.upper[m];
                let most = own.iter().flatten().fold(0.0f64, |most, value| most.max(value.abs()));
                // Each vector's value before each observation.
                let before = |report: usize| -> Vec<Vec<f64>> {
                    let moves = &game.moves[report];
                    own.iter().map(|one| moves.iter().map(|row| dot(row, one)).collect()).collect()
                };
                let before: Vec<Vec<Vec<f64>>> = (0..game.reports).map(before).collect();
                let at = |ways: &Vec<Way>| -> Vec<f64> {
                    let mut sum = vec![0.0; game.count];
                    for (way, before) in ways.iter().zip(&before) {
                        let worth = |point: usize| dot(&way.joint, &own[point]);
                        let around = way.around.iter().map(|(point, _)| *point);
                        let best = around.min_by(|a, b| worth(*a).total_cmp(&worth(*b)));
                        // An observation of probability 0 may be followed by any vector.
                        let best = best.unwrap_or(0);
                        sum.iter_mut().zip(&before[best]).for_each(|(sum, one)| *sum += one);
                    }
                    let cost = |(z, ahead): (usize, f64)| {
                        let now = game.cycle[z][m];
                        now + survival * ahead + game.slack * (now.abs() + survival * most)
                    };
                    sum.into_iter().enumerate().map(cost).collect()
                };
                self.ways.iter().map(at).collect()
            })
            .collect();
        let (mut upper, mut decision) = (Vec::new(), Vec::new());
        for m in 0..game.count {
            let fit: Vec<f64> = (0..game.count)
                .map(|z| {
                    let (ahead, paid) = (keep[z][self.corners[z]][z], game.switch[m][z]);
                    outward::<true>(ahead + paid, ahead.abs() + paid)
                })
                .collect();
            let (mut vectors, mut choices): (Vec<Vec<f64>>, Vec<usize>) = Default::default();
            for (k, belief) in self.beliefs.iter().enumerate() {
                let (mut best, mut choice) = (keep[m][k].clone(), m);
                let mut least = dot(belief, &best);
                let mut offer = |vector: Vec<f64>, what: usize| {
                    let cost = dot(belief, &vector);
                    if cost < least {
                        (best, choice, least) = (vector, what, cost);
                    }
                };
                if game.fitted {
                    offer(fit.clone(), game.count);
                } else {
                    for j in (0..game.count).filter(|j| *j != m) {
                        let paid = game.switch[m][j];
                        let all = |c: &f64| outward::<true>(*c + paid, (*c).abs() + paid);
                        offer(keep[j][k].iter().map(all).collect(), j);
                    }
                }
                if m == 0 && k + 1 == self.beliefs.len() {
                    self.above = least + game.slack * magnitude(belief, best.iter().copied());
                }
                vectors.push(best);
                choices.push(choice);
            }
            choices.pop();
            let mut all: Vec<&Vec<f64>> = vectors.iter().collect();
            all.sort_by(|a, b| a.partial_cmp(b).expect("finite"));
            all.dedup();
            self.most_vectors = self.most_vectors.max(all.len());
            upper.push(vectors);
            decision.push(choices);
        }
        (self.upper, self.decision) = (upper, decision);
    }
}

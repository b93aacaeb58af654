//! Kalman filter of the ranks in innovations form, by the steps since a remap.
//!
//! The load l and slope b of a rank follow l' = l + b + w, b' = b; the observation is y = l' + v.
//! Given the conditional means, the next y is normal around the predicted load with a variance S
//! that depends on the number of steps alone. The means change by gain times innovation. Without
//! slopes and noise the observation is the state.

use super::{ContinuousDrift, Increments};
use crate::random::Stream;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal, StudentT};
use std::ops::Range;

/// The transition of all ranks.
pub struct Movement {
    classes: Vec<Moves>,
    ranks: usize,
    /// Whether predicted loads differ from observed ones: with a filter, or where the means of
    /// classes differ.
    predicts: bool,
}

/// The transition of a class.
struct Moves {
    ranks: Range<usize>,
    law: Increments,
    /// Factor and offset of a draw.
    scale: f64,
    drift: f64,
    /// Mean increment of a step. Drift and mean are relative to those of the first class.
    mean: f64,
    /// By the steps since a remap, from 1: standard deviation of the observation, and the gains of
    /// load and slope. Empty where the observation is the state.
    filter: Vec<[f64; 3]>,
    deviation: f64,
}

/// State of knowledge about the ranks, relative to the last remap.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The predicted load at the next step, minus the common growth.
    pub next: Vec<f64>,
    /// The mean of the slope; empty without a filter.
    slope: Vec<f64>,
    /// The loads of the last step; empty where they equal `next`.
    seen: Vec<f64>,
}

impl State {
    /// The loads of the last step.
    pub fn seen(&self) -> &[f64] {
        if self.seen.is_empty() { &self.next } else { &self.seen }
    }
}

impl Movement {
    /// The transition of a problem.
    pub fn new(problem: &ContinuousDrift) -> Movement {
        let first = &problem.classes[0];
        let mut classes: Vec<Moves> = Vec::new();
        for class in &problem.classes {
            let (drift, mean) = (class.drift - first.drift, class.mean() - first.mean());
            let begin = classes.last().map_or(0, |last| last.ranks.end);
            let ranks = begin..begin + class.count;
            match classes.last_mut() {
                // Adjacent equal classes are merged.
                Some(last) if last.law == class.law && last.drift == drift => {
                    last.ranks.end = ranks.end;
                }
                _ => classes.push(Moves {
                    ranks,
                    law: class.law,
                    scale: match class.law {
                        Increments::Normal { deviation } => deviation,
                        _ => 1.0,
                    },
                    drift,
                    mean,
                    filter: filter(problem, class.law.deviation()),
                    deviation: class.law.deviation(),
                }),
            }
        }
        let predicts = classes.iter().any(|class| !class.filter.is_empty() || class.mean != 0.0);
        Movement { classes, ranks: problem.ranks(), predicts }
    }

    /// The state after a remap.
    pub fn start(&self) -> State {
        let filters = !self.classes[0].filter.is_empty();
        let zeros = |wanted: bool| vec![0.0; if wanted { self.ranks } else { 0 }];
        let means = self.classes.iter();
        let next = means.flat_map(|class| std::iter::repeat_n(class.mean, class.ranks.len()));
        State {
            next: if self.predicts { next.collect() } else { zeros(true) },
            slope: zeros(filters),
            seen: zeros(self.predicts),
        }
    }

    /// The ranks of each class, with the standard deviation of the observed load `since` steps
    /// after a remap, given the earlier ones.
    pub fn deviations(&self, since: usize) -> impl Iterator<Item = (Range<usize>, f64)> {
        self.classes.iter().map(move |class| {
            let deviation = class.filter.get(since - 1).map_or(class.deviation, |at| at[0]);
            (class.ranks.clone(), deviation)
        })
    }

    /// Draws the innovations of a step.
    pub fn draw(&self, draws: &mut Stream, moves: &mut [f64]) {
        for class in &self.classes {
            class.draw(draws, &mut moves[class.ranks.clone()]);
        }
    }

    /// Replaces the moves by the increments of the loads, minus the common growth.
    pub fn grow(&self, moves: &mut [f64]) {
        for class in &self.classes {
            let moves = &mut moves[class.ranks.clone()];
            moves.iter_mut().for_each(|by| *by = class.scale * *by + class.drift);
        }
    }

    /// The state after step number `since` after a remap, by these moves.
    pub fn step(&self, since: usize, from: &State, moves: &[f64], to: &mut State) {
        for class in &self.classes {
            class.step(since, from, moves, to, self.predicts);
        }
    }
}

impl Moves {
    fn draw(&self, draws: &mut Stream, moves: &mut [f64]) {
        match self.law {
            Increments::Normal { .. } => moves.fill_with(|| StandardNormal.sample(draws)),
            Increments::Gamma { shape, mean } => {
                let law = Gamma::new(shape, mean / shape).expect("parameters were looked at");
                moves.fill_with(|| law.sample(draws));
            }
            Increments::Student { freedom, scale } => {
                let law = StudentT::new(freedom).expect("parameters were looked at");
                moves.fill_with(|| scale * law.sample(draws));
            }
            Increments::Jumps { rate, size } => moves.fill_with(|| {
                let jumps = draws.random::<f64>() < rate;
                let by: f64 = Exp1.sample(draws);
                if jumps { size * by } else { 0.0 }
            }),
        }
    }

    fn step(&self, since: usize, from: &State, moves: &[f64], to: &mut State, predicts: bool) {
        let Moves { scale, drift, mean, .. } = *self;
        let all = self.ranks.clone();
        match self.filter.get(since - 1) {
            None => {
                let list = if predicts { &mut to.seen } else { &mut to.next };
                let ranks = from.seen()[all.clone()].iter().zip(&moves[all.clone()]);
                list[all.clone()]
                    .iter_mut()
                    .zip(ranks)
                    .for_each(|(to, (seen, by))| *to = seen + (scale * by + drift));
                if predicts {
                    let seen = to.seen[all.clone()].iter();
                    to.next[all].iter_mut().zip(seen).for_each(|(to, seen)| *to = seen + mean);
                }
            }
            Some(&[deviation, load, slope]) => {
                for i in all {
                    let new = deviation * moves[i];
                    to.seen[i] = from.next[i] + new;
                    to.slope[i] = from.slope[i] + slope * new;
                    to.next[i] = from.next[i] + load * new + (to.slope[i] + drift);
                }
            }
        }
    }
}

/// Standard deviation of the observation, and the gains, by the steps since a remap.
fn filter(problem: &ContinuousDrift, deviation: f64) -> Vec<[f64; 3]> {
    let (slopes, noise) = (problem.slopes.powi(2), problem.noise.powi(2));
    let mut filter = Vec::new();
    if problem.kept_slopes.is_none() && (slopes > 0.0 || noise > 0.0) {
        // The covariance of load and slope.
        let [mut ll, mut lb, mut bb] = [0.0, 0.0, slopes];
        for _ in 0..problem.steps {
            let [pll, plb] = [ll + 2.0 * lb + bb + deviation.powi(2), lb + bb];
            let seen = pll + noise;
            // The gains are zero where nothing remains to be learned: slopes that one step has
            // revealed, without noise and without a walk.
            let (load, slope) = if seen > 0.0 { (pll / seen, plb / seen) } else { (0.0, 0.0) };
            filter.push([seen.sqrt(), load, slope]);
            let left = [pll - load * pll, plb - load * plb, bb - slope * plb];
            [ll, lb, bb] = [left[0].max(0.0), left[1], left[2].max(0.0)];
        }
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::continuous_drift::Class;
    use crate::overlap::Overlap;

    /// Loads generated from innovations have the covariance of the model: that of y_s and y_t is
    /// sigma^2 min(s, t) + tau^2 s t, plus nu^2 for s = t.
    #[test]
    fn innovations_have_the_covariance_of_the_loads() {
        for [deviation, slopes, noise] in [
            [1.0, 0.0, 0.0],
            [1.0, 0.4, 0.0],
            [0.7, 0.3, 0.5],
            [0.0, 1.0, 0.2],
            [1.0, 0.0, 2.0],
            [0.0, 0.3, 0.0],
        ] {
            let increments = Increments::Normal { deviation };
            let problem = ContinuousDrift {
                classes: vec![Class::of(2, increments)],
                slopes,
                kept_slopes: None,
                noise,
                steps: 12,
                remap_cost: 1.0,
                per_unit_moved: 0.0,
                overlap: Overlap::NONE,
                mean_load: 0.0,
            };
            let movement = Movement::new(&problem);
            // The response to one unit of each innovation.
            let answer = |at: usize| -> Vec<f64> {
                let mut state = movement.start();
                let mut to = state.clone();
                (1..=12)
                    .map(|since| {
                        let one = if since == at { 1.0 } else { 0.0 };
                        movement.step(since, &state, &[one, 0.0], &mut to);
                        std::mem::swap(&mut state, &mut to);
                        state.seen()[0]
                    })
                    .collect()
            };
            let answers: Vec<Vec<f64>> = (1..=12).map(answer).collect();
            for s in 1..=12usize {
                for t in 1..=s {
                    let found: f64 = answers.iter().map(|a| a[s - 1] * a[t - 1]).sum();
                    let own = if s == t { noise * noise } else { 0.0 };
                    let by_definition =
                        deviation.powi(2) * t as f64 + slopes.powi(2) * (s * t) as f64 + own;
                    assert!(
                        (found - by_definition).abs() < 1e-9,
                        "{s} {t}: {found} {by_definition}"
                    );
                }
            }
        }
    }
}

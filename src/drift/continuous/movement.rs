//! How what is known of the ranks moves: Kalman's filter in its innovations, by the steps since a remap.
//!
//! The load l and the slope b of a rank move by l' = l + b + w, b' = b and show y = l' + v. With their means given
//! what was seen, the next y is normal about the predicted load with a variance S that depends on the number of
//! steps alone, and the means move by gains times what y differs by. Without slopes and noise that is y itself.

use super::{ContinuousDrift, Increments};
use crate::random::Stream;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal, StudentT};

/// The moves of all ranks.
pub struct Movement {
    increments: Increments,
    /// By the steps since a remap, from 1: the deviation of what is seen, and the gains of load and slope; empty where what
    /// is seen is all there is to know.
    filter: Vec<[f64; 3]>,
    deviation: f64,
}

/// What is known of the ranks, less what they had at the last remap.
#[derive(Debug, Clone)]
pub struct State {
    /// The predicted load at the next step.
    pub next: Vec<f64>,
    /// The mean of the slope; empty without a filter.
    slope: Vec<f64>,
    /// The loads of the last step; empty without a filter, where they are `next`.
    seen: Vec<f64>,
}

impl State {
    /// The loads of the last step.
    pub fn seen(&self) -> &[f64] {
        if self.seen.is_empty() { &self.next } else { &self.seen }
    }
}

impl Movement {
    /// Of a problem.
    pub fn new(problem: &ContinuousDrift) -> Movement {
        let deviation = problem.increments.deviation();
        let (slopes, noise) = (problem.slopes.powi(2), problem.noise.powi(2));
        let mut filter = Vec::new();
        if slopes > 0.0 || noise > 0.0 {
            // The covariance of load and slope.
            let [mut ll, mut lb, mut bb] = [0.0, 0.0, slopes];
            for _ in 0..problem.steps {
                let [pll, plb] = [ll + 2.0 * lb + bb + deviation.powi(2), lb + bb];
                let seen = pll + noise;
                let (load, slope) = (pll / seen, plb / seen);
                filter.push([seen.sqrt(), load, slope]);
                [ll, lb, bb] = [pll - load * pll, plb - load * plb, bb - slope * plb];
            }
        }
        Movement { increments: problem.increments, filter, deviation }
    }

    /// After a remap.
    pub fn start(&self, ranks: usize) -> State {
        let more = if self.filter.is_empty() { 0 } else { ranks };
        State { next: vec![0.0; ranks], slope: vec![0.0; more], seen: vec![0.0; more] }
    }

    /// The deviation of the load that is seen so many steps after a remap, given those before.
    pub fn deviation(&self, since: usize) -> f64 {
        self.filter.get(since - 1).map_or(self.deviation, |at| at[0])
    }

    /// Draws what moves the ranks in a step.
    pub fn draw(&self, draws: &mut Stream, moves: &mut [f64]) {
        match self.increments {
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

    /// The state after step number `since` after a remap, by these moves.
    pub fn step(&self, since: usize, from: &State, moves: &[f64], to: &mut State) {
        let ranks = from.next.iter().zip(moves);
        match self.filter.get(since - 1) {
            None => {
                let scale = if let Increments::Normal { deviation } = self.increments {
                    deviation
                } else {
                    1.0
                };
                to.next.iter_mut().zip(ranks).for_each(|(to, (next, by))| *to = next + scale * by);
            }
            Some(&[deviation, load, slope]) => {
                for (i, (next, by)) in ranks.enumerate() {
                    let new = deviation * by;
                    to.seen[i] = next + new;
                    to.slope[i] = from.slope[i] + slope * new;
                    to.next[i] = next + load * new + to.slope[i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::Overlap;

    /// Loads by their innovations have the covariance that walks with slopes and noise have by definition: that of
    /// y_s and y_t is sigma^2 min(s, t) + tau^2 s t, and nu^2 more for s = t.
    #[test]
    fn innovations_have_the_covariance_of_the_loads() {
        for [deviation, slopes, noise] in
            [[1.0, 0.0, 0.0], [1.0, 0.4, 0.0], [0.7, 0.3, 0.5], [0.0, 1.0, 0.2], [1.0, 0.0, 2.0]]
        {
            let increments = Increments::Normal { deviation };
            let problem = ContinuousDrift {
                ranks: 2,
                increments,
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
            // The answer to one unit of each innovation.
            let answer = |at: usize| -> Vec<f64> {
                let mut state = movement.start(2);
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

//! Search for the best curve policy on sample paths whose costs are known for every possible remap.
//!
//! The policy has thresholds by the steps since the last remap, and by the steps remaining. Method:
//! coordinate descent over the thresholds, then merging of neighbors where that costs little.

use crate::load_drift::curve::{Curve, by_step};
use crate::observer::{Halt, Observer};
use crate::parallel;
use std::ops::ControlFlow;

/// Costs of the steps of a path, by the last remap before them.
pub struct Costs {
    steps: usize,
    longest: usize,
    /// By the step of the last remap, then by the steps since.
    costs: Vec<f64>,
    /// Cost of the units that a remap after the step moves; empty if there is none.
    moved: Vec<f64>,
}

impl Costs {
    /// All zero, for paths of `steps` steps and up to `longest` steps after a remap.
    pub fn new(steps: usize, longest: usize, moves: bool) -> Costs {
        let moved = vec![0.0; if moves { steps * longest } else { 0 }];
        Costs { steps, longest, costs: vec![0.0; steps * longest], moved }
    }

    /// Sets the cost of the step `since` steps after a remap that followed step `last`, and the
    /// cost of the units that another remap moves.
    pub fn set(&mut self, last: usize, since: usize, cost: f64, moved: f64) {
        let at = last * self.longest + since - 1;
        self.costs[at] = cost;
        if let Some(place) = self.moved.get_mut(at) {
            *place = moved;
        }
    }

    /// The cost of that step.
    pub fn of(&self, last: usize, since: usize) -> f64 {
        self.costs[last * self.longest + since - 1]
    }

    /// Cost of the units that a remap after it moves.
    pub fn moved(&self, last: usize, since: usize) -> f64 {
        self.moved.get(last * self.longest + since - 1).copied().unwrap_or(0.0)
    }

    /// The cost and the number of remaps under a policy that depends on the step, the steps since
    /// the last remap and their cost.
    pub fn follow(
        &self,
        remap_cost: f64,
        remaps: impl Fn(usize, usize, f64) -> bool,
    ) -> (f64, u64) {
        let (mut last, mut paid, mut count) = (0, 0.0, 0);
        for step in 1..=self.steps {
            let since = step - last;
            let cost = self.of(last, since);
            paid += cost;
            if step < self.steps && (since == self.longest || remaps(step, since, cost)) {
                paid += remap_cost + self.moved(last, since);
                last = step;
                count += 1;
            }
        }
        (paid, count)
    }
}

/// Pairs (number of steps, threshold) in ascending order: each holds from that number on.
type Thresholds = Vec<(u64, f64)>;

/// A candidate policy.
#[derive(Clone)]
struct Rule {
    since: Thresholds,
    /// By the steps remaining; none beyond `end`.
    left: Thresholds,
    end: u64,
}

/// Factors by which thresholds are varied, coarse to fine.
const FACTORS: [&[f64]; 3] =
    [&[0.5, 0.7, 1.4, 2.0], &[0.8, 0.9, 1.1, 1.25], &[0.95, 0.98, 1.02, 1.05]];

/// Share of the cost that a threshold must be worth to remain separate.
const WORTH: f64 = 5e-4;

/// Average cost of a remap 1, 2, ... steps after the start, including units moved.
fn prices(paths: &[Costs], remap_cost: f64) -> Vec<f64> {
    let moved = |since: usize| paths.iter().map(|costs| costs.moved(0, since)).sum::<f64>();
    let price = |since: usize| remap_cost + moved(since) / paths.len() as f64;
    (1..=paths[0].longest).map(price).collect()
}

/// Cost of a remap after the number of steps of least average cost.
pub fn usual_price(paths: &[Costs], remap_cost: f64) -> f64 {
    usual(paths, &prices(paths, remap_cost))
}

fn usual(paths: &[Costs], prices: &[f64]) -> f64 {
    let mut sum = 0.0;
    let average = |(at, price): (usize, &f64)| {
        sum += paths.iter().map(|costs| costs.of(0, at + 1)).sum::<f64>() / paths.len() as f64;
        ((sum + price) / (at + 1) as f64, *price)
    };
    let least = prices.iter().enumerate().map(average).min_by(|a, b| a.0.total_cmp(&b.0));
    least.map_or(0.0, |(_, price)| price)
}

/// Average number of steps between remaps, for the threshold twice the remap cost over the steps
/// since the last remap.
pub fn spacing(paths: &[Costs], remap_cost: f64) -> f64 {
    let prices = prices(paths, remap_cost);
    let follow = |costs: &Costs| {
        let due = |_, since: usize, cost: f64| cost * since as f64 > 2.0 * prices[since - 1];
        costs.follow(remap_cost, due).1
    };
    let remaps: u64 = paths.iter().map(follow).sum();
    let steps: usize = paths.iter().map(|costs| costs.steps).sum();
    steps as f64 / (remaps as f64 + 0.5 * paths.len() as f64)
}

/// The best policy on these paths, which have equal length.
///
/// # Errors
/// The halt that the observer requested.
pub fn best(paths: &[Costs], remap_cost: f64, observer: &dyn Observer) -> Result<Curve, Halt> {
    let (steps, longest) = (paths[0].steps, paths[0].longest);
    let end = ((2.0 * spacing(paths, remap_cost)).ceil() as usize).clamp(2, steps.max(2));
    let cost = |rule: &Rule| -> Result<f64, Halt> {
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(halt);
        }
        Ok(rule.cost(paths, remap_cost))
    };
    let count = |rule: &Rule| rule.since.len() + rule.left.len();
    let prices = prices(paths, remap_cost);
    let usual = usual(paths, &prices);
    // Loads that grow linearly require twice the remap cost over the steps since; walks require a
    // constant threshold.
    let left: Thresholds =
        firsts(end).into_iter().map(|left| (left as u64, usual / left as f64)).collect();
    let start = |threshold: &dyn Fn(usize) -> f64| {
        let since = firsts(longest).into_iter().map(|first| (first as u64, threshold(first)));
        Rule { since: since.collect(), left: left.clone(), end: end as u64 }
    };
    let mut rule = start(&|since| 2.0 * prices[since - 1] / since as f64);
    let mut least = cost(&rule)?;
    for divisor in 1..=8 {
        let level = usual / f64::from(divisor);
        let tried = start(&|_| level);
        let found = cost(&tried)?;
        if found < least {
            (rule, least) = (tried, found);
        }
    }
    for factors in FACTORS {
        loop {
            let before = least;
            for at in 0..count(&rule) {
                for factor in factors {
                    let mut tried = rule.clone();
                    *tried.threshold(at) *= factor;
                    let found = cost(&tried)?;
                    if found < least {
                        (rule, least) = (tried, found);
                    }
                }
            }
            if least > before * (1.0 - 0.2 * WORTH) {
                break;
            }
        }
    }
    // Merges neighbors while that costs little.
    loop {
        let tried: Vec<Rule> = (0..count(&rule)).flat_map(|at| rule.joined(at)).collect();
        let costs = parallel::map_all(&tried, &cost);
        let costs: Result<Vec<f64>, Halt> = costs.into_iter().collect();
        let joined = tried.into_iter().zip(costs?).min_by(|a, b| a.1.total_cmp(&b.1));
        match joined {
            Some((tried, found)) if found <= least * (1.0 + WORTH) => {
                (rule, least) = (tried, found.min(least));
            }
            _ => break,
        }
    }
    let never =
        || paths.iter().map(|costs| costs.follow(remap_cost, |_, _, _| false).0).sum::<f64>();
    let is_never = !rule.remaps(paths, remap_cost) || longest == steps && never() <= least;
    Ok(if is_never { Curve::never() } else { rule.curve(steps) })
}

/// 1, 2, 3, ... up to `most`, later with ratio 6/5.
fn firsts(most: usize) -> Vec<usize> {
    let mut firsts = vec![1];
    loop {
        let last = firsts[firsts.len() - 1];
        let next = last + (last / 5).max(1);
        if next > most {
            return firsts;
        }
        firsts.push(next);
    }
}

impl Rule {
    fn threshold(&mut self, at: usize) -> &mut f64 {
        match at.checked_sub(self.since.len()) {
            None => &mut self.since[at].1,
            Some(at) => &mut self.left[at].1,
        }
    }

    /// With threshold `at` and the next merged into one, for several common values.
    fn joined(&self, at: usize) -> Vec<Rule> {
        let own = self.since.len();
        let (list, at) = if at < own { (&self.since, at) } else { (&self.left, at - own) };
        let is_since = std::ptr::eq(list, &self.since);
        let Some(next) = list.get(at + 1) else { return Vec::new() };
        let (one, other) = (list[at].1, next.1);
        let join = |share: f64| {
            let mut rule = self.clone();
            let list = if is_since { &mut rule.since } else { &mut rule.left };
            list[at].1 = one + share * (other - one);
            list.remove(at + 1);
            rule
        };
        [0.0, 0.5, 1.0].map(join).to_vec()
    }

    fn cost(&self, paths: &[Costs], remap_cost: f64) -> f64 {
        self.follow(paths, remap_cost).map(|(cost, _)| cost).sum()
    }

    /// Whether it remaps on any of these paths.
    fn remaps(&self, paths: &[Costs], remap_cost: f64) -> bool {
        self.follow(paths, remap_cost).any(|(_, remaps)| remaps > 0)
    }

    /// Cost and number of remaps on each path.
    fn follow(&self, paths: &[Costs], remap_cost: f64) -> impl Iterator<Item = (f64, u64)> {
        let (steps, longest) = (paths[0].steps, paths[0].longest);
        let since = spread(&self.since, longest);
        let left = spread(&self.left, self.end as usize);
        paths.iter().map(move |costs| {
            costs.follow(remap_cost, |step, at, cost| {
                cost > since[at - 1] && left.get(steps - step - 1).is_none_or(|least| cost > *least)
            })
        })
    }

    fn curve(&self, steps: usize) -> Curve {
        Curve { since: self.since.clone(), step: by_step(&self.left, self.end, steps as u64) }
    }
}

/// The threshold for each number from 1.
fn spread(thresholds: &Thresholds, most: usize) -> Vec<f64> {
    let at =
        |number: u64| thresholds[thresholds.partition_point(|(from, _)| *from <= number) - 1].1;
    (1..=most as u64).map(at).collect()
}

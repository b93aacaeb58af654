//! Decision maps of stopping problems, load vector by load vector.

use crate::stopping::Answer;
use remapping::stopping::{Decision, Problem, Solution, States, mean_and_spread};
use std::collections::HashMap;

/// Load vectors up to which the map is part of the document.
pub const MAX_LISTED: usize = 1_000_000;

/// What was found for each class.
pub struct Outcome {
    /// `B`, `R` or `C`.
    pub letters: Vec<u8>,
    /// Whether the bounds leave the decision open.
    pub ties: Vec<bool>,
    /// J.
    pub value: Vec<f64>,
}

impl Outcome {
    /// Of a solution.
    pub fn new(states: &States, problem: &Problem, solution: &Solution) -> Self {
        let all = || 0..states.count();
        Self {
            letters: all().map(|s| letter(solution.decision(problem, s))).collect(),
            ties: all().map(|s| solution.is_tie(problem, s)).collect(),
            value: all().map(|s| solution.value(s)).collect(),
        }
    }
}

fn letter(decision: Decision) -> u8 {
    match decision {
        Decision::Balanced => b'B',
        Decision::Remap => b'R',
        Decision::Continue => b'C',
    }
}

/// What a picture of the solution needs.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// The lowest load of each process.
    pub lowest: Vec<i64>,
    /// For each mean load per process, rounded down, and each spread (largest minus smallest load):
    /// how many load vectors remap, and how many there are. Empty for a map small enough to show.
    pub by_spread: Vec<Spread>,
}

/// The load vectors with one mean and spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Mean load, rounded down.
    pub mean: i64,
    /// Largest minus smallest load.
    pub spread: i64,
    /// Share of the classes that remap.
    pub remap: f64,
    /// Whether all of them are balanced.
    pub balanced: bool,
}

impl Answer {
    /// Fills what is listed state by state.
    pub(crate) fn lay_out(
        &mut self,
        states: &States,
        outcome: &Outcome,
        values: bool,
        critical_costs: Option<Vec<Option<f64>>>,
    ) {
        let multiplicities = states.multiplicities();
        for (class, letter) in outcome.letters.iter().enumerate() {
            let share = multiplicities.as_ref().map_or(1.0, |m| m[class]);
            match letter {
                b'B' => self.counts.balanced += share,
                b'R' => self.counts.remap += share,
                _ => self.counts.continued += share,
            }
        }
        if states.is_active() {
            let listed = self.counts.balanced + self.counts.remap + self.counts.continued;
            self.counts.remap += f64::from(self.states) - listed;
        }
        let lowest = states.vector(0);
        self.map = Map { lowest, by_spread: by_spread(states, &outcome.letters) };
        let listed = states.vectors().filter(|vectors| *vectors <= MAX_LISTED);
        if listed.is_none() {
            let tied = (0..states.count()).filter(|&class| outcome.ties[class]);
            self.ties = tied.filter_map(|class| states.place(&states.loads(class))).collect();
            self.value = values.then(|| outcome.value.clone());
            self.critical_cost = critical_costs;
            return;
        }
        // Outside an active region one remaps.
        let classes = states.by_place();
        let letter = |class: &Option<usize>| char::from(class.map_or(b'R', |c| outcome.letters[c]));
        self.decision = Some(classes.iter().map(letter).collect());
        let tied =
            classes.iter().zip(0..).filter(|(class, _)| class.is_some_and(|c| outcome.ties[c]));
        self.ties = tied.map(|(_, place)| place).collect();
        let value = |class: &Option<usize>| class.map_or(self.remap_value, |c| outcome.value[c]);
        self.value = values.then(|| classes.iter().map(value).collect());
        let critical = |costs: Vec<Option<f64>>| {
            classes.iter().map(|class| class.and_then(|c| costs[c])).collect()
        };
        self.critical_cost = critical_costs.map(critical);
    }
}

/// The remap rule as a function of mean and spread, for three processes or more, where there are not too many
/// different ones to count.
fn by_spread(states: &States, letters: &[u8]) -> Vec<Spread> {
    let all = if states.processes() > 2 { states.whole().spreads() } else { None };
    let Some(all) = all else { return Vec::new() };
    // Outside an active region one remaps.
    let mut others = HashMap::<(i64, i64), (usize, usize)>::new();
    let mut loads = vec![0; states.processes()];
    for (class, letter) in letters.iter().enumerate().filter(|(_, letter)| **letter != b'R') {
        states.loads_into(class, &mut loads);
        let (others, balanced) = others.entry(mean_and_spread(&loads)).or_default();
        *others += 1;
        *balanced += usize::from(*letter == b'B');
    }
    let rows = all.into_iter().map(|(mean, spread, all)| {
        let (others, balanced) = others.get(&(mean, spread)).copied().unwrap_or_default();
        let remap = (all - others) as f64 / all as f64;
        Spread { mean, spread, remap, balanced: balanced == all }
    });
    rows.collect()
}

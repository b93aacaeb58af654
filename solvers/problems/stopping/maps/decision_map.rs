//! Decision maps of stopping problems, for each load vector.

use crate::problems::stopping::answer::{Answer, Counts, Spread};
use remapping::stopping::{Decision, LongRun, Problem, Solution, States, mean_and_spread};
use std::collections::HashMap;

/// The most load vectors of a map in the document.
pub const MAX_LISTED: usize = 1_000_000;

/// The result for each class.
pub struct Outcome {
    /// `B`, `R` or `C`.
    pub letters: Vec<u8>,
    /// Whether the bounds leave the decision open.
    pub ties: Vec<bool>,
    /// J.
    pub value: Vec<f64>,
}

/// The advantage up to which the decisions of a long run are open; `dearest` is the largest remap
/// cost. If the run was stopped all are open, since the error of the relative costs is unknown.
pub fn open_up_to(run: &LongRun, tolerance: f64, dearest: f64) -> f64 {
    if run.status.is_halted() { f64::INFINITY } else { tolerance * dearest.max(1.0) }
}

impl Outcome {
    /// The outcome of a solution in this many states.
    pub fn new(states: usize, problem: &Problem, solution: &Solution) -> Self {
        let all = || 0..states;
        Self {
            letters: all().map(|s| letter(solution.decision(problem, s))).collect(),
            ties: all().map(|s| solution.is_tie(problem, s)).collect(),
            value: all().map(|s| solution.value(s)).collect(),
        }
    }

    /// Replaces the outcome by that of the long run.
    pub fn take_up(&mut self, run: &mut LongRun, tolerance: f64, dearest: f64) {
        let close = open_up_to(run, tolerance, dearest);
        for (s, advantage) in run.advantage.iter().enumerate() {
            let balanced = self.letters[s] == b'B';
            self.ties[s] = !balanced && advantage.abs() <= close;
            if !balanced {
                self.letters[s] = if *advantage >= 0.0 { b'R' } else { b'C' };
            }
        }
        self.value = std::mem::take(&mut run.value);
    }

    /// The number of load vectors with each decision, given those of each class.
    pub fn counts(&self, multiplicities: Option<&[f64]>) -> Counts {
        let mut counts = Counts::default();
        for (class, letter) in self.letters.iter().enumerate() {
            let share = multiplicities.map_or(1.0, |m| m[class]);
            match letter {
                b'B' => counts.balanced += share,
                b'R' => counts.remap += share,
                _ => counts.continued += share,
            }
        }
        counts
    }

    /// Fills the lists of `answer` that have an entry for each state.
    pub fn lay_out(
        &self,
        answer: &mut Answer,
        states: &States,
        values: bool,
        critical_costs: Option<Vec<Option<f64>>>,
    ) {
        answer.counts = self.counts(states.multiplicities().as_deref());
        if states.is_active() {
            let listed = answer.counts.balanced + answer.counts.remap + answer.counts.continued;
            answer.counts.remap += f64::from(answer.states) - listed;
        }
        let listed = states.vectors().filter(|vectors| *vectors <= MAX_LISTED);
        if listed.is_none() {
            answer.by_spread = by_spread(states, &self.letters);
            let tied = (0..states.count()).filter(|&class| self.ties[class]);
            answer.ties = tied.filter_map(|class| states.place(&states.loads(class))).collect();
            answer.value = values.then(|| self.value.clone());
            answer.critical_cost = critical_costs;
            return;
        }
        // Outside an active region one remaps.
        let classes = states.by_place();
        let letter = |class: &Option<usize>| char::from(class.map_or(b'R', |c| self.letters[c]));
        answer.decision = Some(classes.iter().map(letter).collect());
        let tied = classes.iter().zip(0..).filter(|(class, _)| class.is_some_and(|c| self.ties[c]));
        answer.ties = tied.map(|(_, place)| place).collect();
        let remap_value = answer.remap_value;
        let value = |class: &Option<usize>| class.map_or(remap_value, |c| self.value[c]);
        answer.value = values.then(|| classes.iter().map(value).collect());
        let critical = |costs: Vec<Option<f64>>| {
            classes.iter().map(|class| class.and_then(|c| costs[c])).collect()
        };
        answer.critical_cost = critical_costs.map(critical);
    }
}

/// The letter of a decision.
pub fn letter(decision: Decision) -> u8 {
    match decision {
        Decision::Balanced => b'B',
        Decision::Remap => b'R',
        Decision::Continue => b'C',
    }
}

/// The remap rule by mean and spread, for three processes or more, unless there are too many of
/// these to count.
fn by_spread(states: &States, letters: &[u8]) -> Vec<Spread> {
    match states.processes() {
        0..=2 => Vec::new(),
        _ => spreads(states, &others_by_spread(states, 0, letters)),
    }
}

/// By mean and spread, the number of load vectors in which one does not remap, and how many of
/// these are balanced.
pub type Others = HashMap<(i64, i64), (usize, usize)>;

/// The counts of the states from `first` on, which have these letters.
pub fn others_by_spread(states: &States, first: usize, letters: &[u8]) -> Others {
    let mut others = Others::new();
    let mut loads = vec![0; states.processes()];
    for (class, letter) in letters.iter().enumerate().filter(|(_, letter)| **letter != b'R') {
        states.loads_into(first + class, &mut loads);
        let (others, balanced) = others.entry(mean_and_spread(&loads)).or_default();
        *others += 1;
        *balanced += usize::from(*letter == b'B');
    }
    others
}

/// The rule by mean and spread, unless there are too many of these to count.
pub fn spreads(states: &States, others: &Others) -> Vec<Spread> {
    let Some(all) = states.whole().spreads() else { return Vec::new() };
    // Outside an active region one remaps.
    let rows = all.into_iter().map(|(mean, spread, all)| {
        let (others, balanced) = others.get(&(mean, spread)).copied().unwrap_or_default();
        let remap = (all - others) as f64 / all as f64;
        Spread { mean, spread, remap, balanced: balanced == all }
    });
    rows.collect()
}

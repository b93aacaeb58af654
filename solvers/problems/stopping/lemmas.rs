//! Optimal stopping: the cases on which the claims of \[YXW03\] are checked.

use super::claims::CLAIMS;
use super::model::Stopping;
use crate::problems::registry::{Loaded, Problem as Models};
use crate::proving::decks::{deck, field, hundredth, text};
use crate::proving::{Effort, Field, Finding};
use proptest::prelude::*;
use remapping::Status;
use remapping::chain::Operator;
use remapping::imbalance::Imbalance;
use remapping::stopping::{
    AfterRemap, Decision, Method, Problem, Process, Settings, Solution, States, solve,
};
use std::path::PathBuf;

/// A model of moderate size.
pub(crate) struct Case {
    model: Stopping,
    folder: PathBuf,
    /// The running cost.
    pub imbalance: Imbalance,
    /// The processes; empty if they move jointly.
    pub processes: Vec<Process>,
    /// The remap cost.
    pub rho: f64,
    /// What happens after a remap.
    pub after: AfterRemap,
}

/// The most load vectors of a model that is checked.
const MOST_STATES: usize = 3000;

impl Case {
    /// The states, with or without lumping equal processes, and the operator on them.
    pub fn states(&self, lump: bool) -> (States, Box<dyn Operator>) {
        let states = if lump || self.processes.is_empty() {
            self.model.states(&self.folder).ok()
        } else {
            States::independent(&self.processes, |_, _| false).ok()
        };
        states.expect("a reviewed chain")
    }

    /// The problem with some remap cost, unless it has no solution.
    pub fn problem(&self, lump: bool, rho: f64, after: AfterRemap) -> Option<(States, Problem)> {
        let (states, operator) = self.states(lump);
        let problem = Problem::new(&states, operator, &self.imbalance, rho, after).ok()?;
        Some((states, problem))
    }

    /// Its solution, if the method is accurate enough for checking claims.
    pub fn solve(&self, lump: bool, rho: f64, after: AfterRemap, method: Method) -> Option<Solved> {
        let (states, problem) = self.problem(lump, rho, after)?;
        let solution = solve(&problem, &Settings { method, ..Settings::default() }, &());
        (solution.status == Status::Converged).then_some(Solved { states, problem, solution })
    }

    /// The solution of the model itself.
    pub fn solved(&self) -> Option<Solved> {
        self.solve(true, self.rho, self.after, Method::Auto)
    }

    /// Whether processes i and j may be exchanged.
    pub fn exchangeable(&self, i: usize, j: usize) -> bool {
        self.processes.get(i) == self.processes.get(j) && self.imbalance.same_capacity(i, j)
    }
}

pub(crate) struct Solved {
    pub states: States,
    pub problem: Problem,
    pub solution: Solution,
}

impl Solved {
    /// The decisions, `T` where the branches agree within the bounds.
    pub fn letter(&self, state: usize) -> char {
        match self.solution.decision(&self.problem, state) {
            _ if self.solution.is_tie(&self.problem, state) => 'T',
            Decision::Balanced => 'B',
            Decision::Remap => 'R',
            Decision::Continue => 'C',
        }
    }

    /// J at these loads.
    pub fn value(&self, loads: &[i64]) -> f64 {
        self.states.find(loads).map_or(f64::NAN, |state| self.solution.value(state))
    }

    /// The error of J, and a little more.
    pub fn slack(&self) -> f64 {
        1e-8 * self.solution.remap_value.max(1.0)
    }
}

pub(crate) fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    let read = |deck: &str| case(&loaded.another(deck)?);
    let field = Field { own: case(loaded), near: near(loaded), read: &read };
    field.examine(CLAIMS, effort)
}

fn case(loaded: &Loaded) -> Option<Case> {
    let Models::Stopping(model) = &loaded.problem else { return None };
    let (states, _) = model.states(loaded.folder()).ok()?;
    if states.vectors().is_none_or(|vectors| vectors > MOST_STATES) {
        return None;
    }
    Some(Case {
        imbalance: model.imbalance().ok()?,
        processes: model.independent(),
        // The claims are about one remap cost and no end.
        rho: model.remap_cost().filter(|_| !model.is_varied() && model.unbounded().is_none())?,
        after: model.after(),
        folder: loaded.folder().to_owned(),
        model: model.as_ref().clone(),
    })
}

/// Random models: few processes with few levels, which share some fields with the model.
fn near(loaded: &Loaded) -> BoxedStrategy<String> {
    let own = |path: &str| loaded.literal(path);
    let sixteenths = |range: std::ops::RangeInclusive<u32>| range.prop_map(sixteenth).boxed();
    let probability =
        |name: &str| field(own(&format!("problem.processes.chain.{name}")), sixteenths(0..=7));
    let edge = field(
        own("problem.processes.chain.edge"),
        prop_oneof![text("Reflect"), text("Hold")].boxed(),
    );
    let walk = |levels: std::ops::Range<usize>| {
        (levels, probability("up"), probability("down"), edge.clone()).prop_map(
            |(levels, up, down, edge)| {
                format!("Walk(levels: {levels}, up: {up}, down: {down}, edge: {edge})")
            },
        )
    };
    let moves = |levels: std::ops::Range<usize>| {
        prop::collection::vec((0u32..9, 0u32..8), levels).prop_map(|moves| {
            let last = moves.len() - 1;
            let list = |part: &dyn Fn(usize) -> u32| {
                let parts: Vec<_> = (0..=last).map(|level| sixteenth(part(level))).collect();
                format!("[{}]", parts.join(", "))
            };
            let up = list(&|level| if level == last { 0 } else { moves[level].0 });
            let down = list(&|level| if level == 0 { 0 } else { moves[level].1 });
            format!("BirthDeath(up: {up}, down: {down})")
        })
    };
    let chain = |levels: std::ops::Range<usize>| {
        prop_oneof![2 => walk(levels.clone()), 1 => moves(levels)].boxed()
    };
    let identical =
        |count: usize, chain: String| format!("Identical(count: {count}, chain: {chain})");
    let processes = prop_oneof![
        3 => chain(2..5).prop_map(move |chain| (2, identical(2, chain))),
        2 => chain(2..4).prop_map(move |chain| (3, identical(3, chain))),
        1 => (chain(2..5), chain(2..5)).prop_map(|(a, b)| (2, format!("Distinct([{a}, {b}])"))),
    ];
    let capacities = prop_oneof![
        2 => Just(None),
        1 => prop::collection::vec(1u32..3, 3).prop_map(Some),
    ];
    let costs = ["MaxMinusMean", "MaxAbsDeviation", "EuclideanDeviation"].map(text);
    let [first, second, third] = costs;
    let running = field(own("problem.running_cost"), prop_oneof![first, second, third].boxed());
    let after = own("problem.after_remap").filter(|after| *after != "Restart");
    let after = field(after, prop_oneof![text("Stop"), text("Uniform")].boxed());
    let price = loaded.literal("problem.remap_cost").filter(|literal| literal.len() < 20);
    let price = field(price, (1u32..60).prop_map(|k| hundredth(25 * k)).boxed());
    (processes, capacities, running, price, after)
        .prop_map(|((count, processes), capacities, running, price, after)| {
            let mut fields = vec![("processes", processes)];
            if let Some(capacities) = capacities {
                fields.push(("capacities", format!("{:?}", &capacities[..count])));
            }
            fields.extend([
                ("running_cost", running),
                ("remap_cost", price),
                ("after_remap", after),
            ]);
            deck("Stopping", &fields)
        })
        .boxed()
}

/// A multiple of 1/16, which doubles represent exactly.
fn sixteenth(sixteenths: u32) -> String {
    (f64::from(sixteenths) / 16.0).to_string()
}

//! `Stopping` on several ranks, each with its own part of the states.

use super::gathered::{collected, targets};
use super::ranks::{Share, is_shared, listed};
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::problems::stopping::answer::{Answer, Counts};
use crate::problems::stopping::maps::decision_map::{
    MAX_LISTED, Others, Outcome, others_by_spread, spreads,
};
use crate::problems::stopping::model::Stopping;
use crate::problems::stopping::solve::{
    decided, finish, hasty, lay_out_averages, refuse, start, take_up,
};
use crate::problems::stopping::{variants::unlisted, variants::varying};
use crate::problems::together::{Together, shortage};
use crate::problems::{Asked, Files, Found, Method as Way, Settings};
use crate::run::Watch;
use remapping::Status;
use remapping::chain::Shared;
use remapping::communicator::{Communicator, Shares};
use remapping::stopping::{self, Method, Problem, Solution, States};
use std::ops::Range;
use std::sync::Arc;

/// The most states for which rank 0 gathers the data of a certificate.
const MOST_COLLECTED: usize = 10_000_000;

/// The part of an answer that a rank has.
pub struct Part {
    /// The document and its attachments, on rank 0.
    pub found: Option<Found>,
    /// All states.
    pub states: States,
    /// The owners of the states.
    pub shares: Shares,
    /// `B`, `R` or `C` for each own state.
    pub decision: Vec<u8>,
    /// J in each own state.
    pub value: Vec<f64>,
    /// Whether the map is too long for the document.
    pub is_long: bool,
}

/// Solves the model with the other ranks; `None` where it cannot be shared. `proof` asks for the
/// data of a certificate.
pub fn solve(
    loaded: &ModelFile,
    model: &Stopping,
    settings: &Settings,
    (watch, communicator): (&Watch, &Arc<dyn Communicator>),
    proof: bool,
) -> Result<Option<Part>, Vec<Complaint>> {
    let possible = is_shared(model) && !settings.critical_costs;
    if !possible {
        return Ok(None);
    }
    let asked = &Asked { loaded, settings, files: Files::default(), watch };
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    let place = (communicator.rank(), communicator.ranks());
    let whole = model.space().map_err(|error| refuse(&error, "correct the chain"))?;
    let states = whole.clone().for_ranks();
    let rows = model.is_joint().then(|| model.rows(loaded.folder(), place)).transpose();
    let mut failed = [if rows.is_err() { 1.0 } else { 0.0 }];
    communicator.largest(&mut failed);
    let rows = rows.map_err(|error| refuse(&error, "correct the chain"))?;
    if failed == [1.0] {
        return Err(refuse("the rows of another rank cannot be read", "correct the chain"));
    }
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let rows_bytes = rows.as_ref().map_or(0, |rows| listed(rows.entries() as u64, &states));
    let operator = match rows {
        Some(rows) if !rows.own().is_empty() && states.count() >= place.1 => {
            Some(Shared::rows(rows, communicator.clone()))
        }
        Some(_) => None,
        None => states.share(communicator.clone()),
    };
    let Some(operator) = operator else { return Ok(None) };
    let most = communicator.most();
    if settings.method != Way::Value && states.count() > most {
        let message =
            format!("{} states are more than {most}, the most of PETSc here", states.count());
        return Err(refuse(&message, "take --method value, or a PETSc with indices of 64 bits"));
    }
    let shares = operator.shares().clone();
    let own = shares.own(communicator.rank());
    let entries = shares.window(communicator.rank()).len() - own.len();
    let share = Share { states: own.len(), halo: entries, listed: rows_bytes };
    let needed = share.bytes(model, settings.method == Way::Value, states.count());
    if let Some(lacking) = shortage(needed, &**communicator) {
        let status = Status::IterationLimit;
        let first = communicator.rank() == 0;
        let found = || unlisted::solve(asked, model, &lacking, status);
        let found = first.then(found).transpose()?;
        let (decision, value) = (Vec::new(), Vec::new());
        return Ok(Some(Part { found, states, shares, decision, value, is_long: false }));
    }
    let Some(rho) = model.remap_cost().filter(|_| !model.is_varied()) else {
        let moves = varying::Moves::Shared(Box::new(operator));
        let space = (&states, &imbalance);
        let found = varying::solve_on(asked, model, space, moves)?;
        let (decision, value) = (Vec::new(), Vec::new());
        return Ok(Some(Part { found, states, shares, decision, value, is_long: false }));
    };
    let back = match model.restarts() {
        true => Some(targets(loaded, &states, (&imbalance, own.clone()), &**communicator)?),
        false => None,
    };
    let problem = Problem::shared(&states, operator, &imbalance, rho, model.after());
    let problem = problem.map_err(|error| refuse(&error.to_string(), "correct the model"))?;
    let how = stopping::Settings {
        method: match settings.method {
            Way::Value => Method::Value,
            _ => Method::Policy,
        },
        tolerance: settings.tolerance,
        ..stopping::Settings::default()
    };
    let together = Together::new(watch, &**communicator);
    let solution = stopping::solve(&problem, &how, &together);
    let part = Rank { communicator: &**communicator, own, states: &states };
    let mut outcome = Outcome::new(part.own.len(), &problem, &solution);
    let mut answer = part.start(model, &solution, &outcome);
    let averages = back.map(|back| {
        let mut best = stopping::long_run(&problem, &back, None, &how, &together);
        let stop = take_up(&mut outcome, &mut best, (&problem, &back), &how, &together);
        (best, stop)
    });
    let is_long = states.vectors().is_none_or(|vectors| vectors > MAX_LISTED);
    let wanted = !is_long || proof && states.count() <= MOST_COLLECTED;
    let mut status = solution.status;
    if let Some((best, stop)) = &averages {
        status = decided(best.status, stop.status);
        answer.iter_mut().for_each(|answer| lay_out_averages(answer, best, stop, solution.status));
    }
    if is_long {
        part.lay_out(&outcome, answer.as_mut());
    }
    let collected = wanted.then(|| {
        let outcome = collected(&**communicator, &outcome);
        outcome.zip(solution.collected(&**communicator))
    });
    let collected = collected.flatten();
    let collected = collected.map(|found| as_stated((&whole, &states), found));
    let found = answer.map(|mut answer| {
        let mut found = match collected {
            Some((outcome, solution)) => {
                if !is_long {
                    outcome.lay_out(&mut answer, &whole, settings.values, None);
                }
                finish(answer, whole, outcome, solution, status)
            }
            None => Found::new(Body::Stopping(Box::new(answer)), status, Vec::new()),
        };
        found.warnings.extend(hasty(model, how.method));
        found
    });
    let Outcome { letters: decision, value, .. } = outcome;
    Ok(Some(Part { found, states, shares, decision, value, is_long }))
}

/// The results in the order of the model, from the order in which ranks share the states.
fn as_stated(
    (whole, shared): (&States, &States),
    (outcome, solution): (Outcome, Solution),
) -> (Outcome, Solution) {
    if whole.leading() == shared.leading() {
        return (outcome, solution);
    }
    let place = |s: usize| shared.find(&whole.loads(s)).expect("both have all load vectors");
    let order: Vec<usize> = (0..whole.count()).map(place).collect();
    let Outcome { letters, ties, value } = outcome;
    let outcome = Outcome {
        letters: order.iter().map(|s| letters[*s]).collect(),
        ties: order.iter().map(|s| ties[*s]).collect(),
        value: order.iter().map(|s| value[*s]).collect(),
    };
    (outcome, solution.reordered(&order))
}

/// One of several ranks.
struct Rank<'r> {
    communicator: &'r dyn Communicator,
    own: Range<usize>,
    states: &'r States,
}

impl Rank<'_> {
    /// The parts of the answer about the model and the whole solution, on rank 0.
    fn start(&self, model: &Stopping, solution: &Solution, outcome: &Outcome) -> Option<Answer> {
        let mut largest = [outcome.value.iter().copied().fold(0.0, f64::max)];
        self.communicator.largest(&mut largest);
        let is_first = self.communicator.rank() == 0;
        is_first.then(|| start(model, self.states, solution, largest[0]))
    }

    /// Completes the answer where the map is too long for it.
    fn lay_out(&self, own: &Outcome, answer: Option<&mut Answer>) {
        let multiplicities = self.states.multiplicities_of(self.own.clone());
        let Counts { balanced, remap, continued } = own.counts(multiplicities.as_deref());
        let counts = self.communicator.collect(&[balanced, remap, continued]);
        let tied = (0..own.ties.len()).filter(|state| own.ties[*state]);
        let tied: Vec<f64> = tied.map(|state| (self.own.start + state) as f64).collect();
        let tied = self.communicator.collect(&tied);
        let many = self.states.processes() > 2;
        let others = if many {
            others_by_spread(self.states, self.own.start, &own.letters)
        } else {
            Others::new()
        };
        let rows = others.iter().flat_map(|((mean, spread), (others, balanced))| {
            [*mean as f64, *spread as f64, *others as f64, *balanced as f64]
        });
        let rows = self.communicator.collect(&rows.collect::<Vec<_>>());
        if let Some(answer) = answer {
            for [balanced, remap, continued] in counts.as_chunks().0 {
                answer.counts.balanced += balanced;
                answer.counts.remap += remap;
                answer.counts.continued += continued;
            }
            let mut all = Others::new();
            for [mean, spread, others, balanced] in rows.as_chunks().0 {
                let (o, b) = all.entry((*mean as i64, *spread as i64)).or_default();
                (*o, *b) = (*o + *others as usize, *b + *balanced as usize);
            }
            let place = |state: &f64| self.states.place(&self.states.loads(*state as usize));
            answer.ties = tied.iter().filter_map(place).collect();
            answer.by_spread = if many { spreads(self.states, &all) } else { Vec::new() };
        }
    }
}

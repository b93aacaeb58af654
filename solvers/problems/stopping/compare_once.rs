//! `remap compare` where a remap ends the cost or leads to random loads; it starts from uniformly
//! distributed loads.

use super::super::sampling::{BATCH, Played, Report, line, named, rule};
use super::super::{Asked, Contest, Outcome};
use super::solve::unplayed;
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::run::Watch;
use remapping::policy::Rule;
use remapping::simulate::Tally;
use remapping::stopping::{Decision, Once, Player, Problem, Settings, States, solve};
use remapping::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// Longer intervals are only simulated.
const MOST_STEPS: u64 = 100_000;

/// A rule that takes part.
struct Contestant {
    name: String,
    player: Player,
    exact: Option<f64>,
}

/// Evaluates policies on sample paths. If it is stopped, returns the runs that are finished.
pub(super) fn compare(
    &Asked { loaded, settings: contest, watch, .. }: &Asked<'_, Contest>,
    states: &States,
    problem: &Problem,
) -> Outcome<(Report, Status)> {
    let field = Field { once: Once::new(states, problem), problem, watch };
    let is_default = contest.policies.is_empty();
    let (mut contestants, mut left_out) = match field.contestants(&contest.policies) {
        Ok(found) => found,
        Err(ended) => return ended.outcome(loaded, contest),
    };
    let mut played: Vec<Vec<Tally>> = vec![Vec::new(); contestants.len()];
    let (runs, mut finished, mut status) = (u64::from(contest.runs), 0, Status::Converged);
    'batches: for first in (0..runs).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(runs);
        let mut new = Vec::new();
        let mut place = 0;
        while let Some(contestant) = contestants.get(place) {
            match field.once.play(&contestant.player, batch.clone(), contest.seed, watch) {
                Ok(Ok(tallies)) => {
                    new.push(tallies);
                    place += 1;
                }
                Ok(Err(_)) if is_default => {
                    left_out.push(contestants.remove(place).name);
                    played.remove(place);
                }
                Ok(Err(_)) => return Err(endless(loaded, &contestant.name)),
                Err(halt) => {
                    status = halt.into();
                    break 'batches;
                }
            }
        }
        played.iter_mut().zip(new).for_each(|(all, new)| all.extend(new));
        finished = batch.end;
    }
    if finished == 0 {
        return Ok((Report::none(contest), status));
    }
    let of = |at: usize| Played {
        name: &contestants[at].name,
        exact: contestants[at].exact,
        tallies: &played[at],
    };
    let optimal = contestants.iter().position(|contestant| contestant.name == "optimal");
    let lines = (0..contestants.len()).map(|at| line(&of(at), None, optimal.map(of)));
    let report = Report {
        runs: finished,
        seed: contest.seed,
        clairvoyant: None,
        policies: lines.collect(),
        best_threshold: None,
        without_end: false,
        left_out: left_out.iter().map(|name| endless_under(name)).collect(),
    };
    Ok((report, status))
}

fn endless(loaded: &ModelFile, name: &str) -> Vec<Complaint> {
    unplayed(loaded, &endless_under(name), "leave it out of --policies")
}

fn endless_under(name: &str) -> String {
    format!("under `{name}` the computation may go on without balance or remap for ever")
}

/// Why nothing is evaluated.
pub(super) enum Ended {
    Halted(Halt),
    Wrong(Complaint),
    Endless(String),
}

impl Ended {
    /// An empty report after a halt, otherwise the diagnostics.
    pub(super) fn outcome(
        self,
        loaded: &ModelFile,
        contest: &Contest,
    ) -> Outcome<(Report, Status)> {
        match self {
            Ended::Halted(halt) => Ok((Report::none(contest), halt.into())),
            Ended::Wrong(complaint) => Err(vec![complaint]),
            Ended::Endless(name) => Err(endless(loaded, &name)),
        }
    }
}

impl From<Halt> for Ended {
    fn from(halt: Halt) -> Ended {
        Ended::Halted(halt)
    }
}

impl From<Complaint> for Ended {
    fn from(complaint: Complaint) -> Ended {
        Ended::Wrong(complaint)
    }
}

struct Field<'a> {
    once: Once<'a>,
    problem: &'a Problem,
    watch: &'a Watch,
}

impl Field<'_> {
    /// The policies asked for, with their exact costs where known. Where none are asked for, all
    /// that end, and the names of the others.
    fn contestants(&self, names: &[String]) -> Result<(Vec<Contestant>, Vec<String>), Ended> {
        let all = ["optimal", "threshold", "fixed", "stop_at_rise", "menon", "never"];
        let everything = names.is_empty();
        let names = named(names, &all);
        let mut contestants: Vec<Contestant> = Vec::new();
        let mut left_out = Vec::new();
        for name in &names {
            let contestant = match name.as_str() {
                "optimal" => self.optimal()?,
                "threshold" => self.best_threshold()?,
                "fixed" => self.best_interval()?,
                _ => self.of_rule(rule(name)?)?,
            };
            let ends = contestant.exact.is_none_or(f64::is_finite);
            let twin = |other: &Contestant| other.name == contestant.name;
            match (ends, everything) {
                (true, true) if contestants.iter().any(twin) => {}
                (true, _) => contestants.push(contestant),
                (false, true) if left_out.contains(&contestant.name) => {}
                (false, true) => left_out.push(contestant.name),
                (false, false) => return Err(Ended::Endless(contestant.name)),
            }
        }
        Ok((contestants, left_out))
    }

    fn of_map(&self, name: String, map: Vec<bool>) -> Result<Contestant, Ended> {
        let exact = self.once.cost(&map, self.watch);
        if let ControlFlow::Break(halt) = self.watch.check() {
            return Err(halt.into());
        }
        Ok(Contestant { name, player: Player::Map(map), exact })
    }

    fn of_rule(&self, rule: Rule) -> Result<Contestant, Ended> {
        let (name, psi) = (rule.to_string(), self.problem.running());
        match rule {
            Rule::Never => self.of_map(name, vec![false; psi.len()]),
            Rule::Threshold(level) => {
                self.of_map(name, psi.iter().map(|psi| *psi > level).collect())
            }
            Rule::Fixed(steps) => {
                let costs = match steps {
                    ..=MOST_STEPS => self.once.costs_of_intervals(steps, self.watch),
                    _ => Ok(Vec::new()),
                };
                let exact = costs?.last().copied();
                Ok(Contestant { name, player: Player::After(steps), exact })
            }
            _ => Ok(Contestant { name, player: Player::Rule(rule), exact: None }),
        }
    }

    fn optimal(&self) -> Result<Contestant, Ended> {
        let solution = solve(self.problem, &Settings::default(), self.watch);
        let remaps = |s| solution.decision(self.problem, s) == Decision::Remap;
        self.of_map("optimal".to_owned(), (0..self.problem.states()).map(remaps).collect())
    }

    /// The cheapest threshold of all.
    fn best_threshold(&self) -> Result<Contestant, Ended> {
        let mut levels = self.problem.running().to_vec();
        levels.push(0.0);
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let mut best: Option<Contestant> = None;
        for level in levels {
            let next = self.of_rule(Rule::Threshold(level))?;
            let cost = |found: &Contestant| found.exact.unwrap_or(f64::INFINITY);
            if best.as_ref().is_none_or(|best| cost(&next) < cost(best)) {
                best = Some(next);
            }
        }
        Ok(best.expect("at least the level 0"))
    }

    /// The cheapest interval (of up to [`MOST_STEPS`], where longer ones might be cheaper), or
    /// never.
    fn best_interval(&self) -> Result<Contestant, Ended> {
        let never = self.of_rule(Rule::Never)?;
        Ok(match self.once.best_interval(never.exact, MOST_STEPS, self.watch)? {
            None => never,
            Some((steps, cost)) => Contestant {
                name: Rule::Fixed(steps).to_string(),
                player: Player::After(steps),
                exact: Some(cost),
            },
        })
    }
}

//! Policies on a log that is longer than the part in memory. They are trained on the last steps of
//! its beginning and evaluated on all later steps, one by one. These are not known in advance, so
//! there is no perfect-information optimum.

use super::contest::{Judged, Standing, compared, contestants};
use super::{Contestant, Ground, IN_USE, Outset};
use crate::complaint::Complaint;
use crate::logs::Follow;
use crate::run::start_threads;
use remapping::overlap::{Overlap, Price};
use remapping::record::{Record, Remap};
use remapping::replay::{Course, Paid, Player, Playing};
use remapping::simulate::Tally;
use std::collections::VecDeque;
use std::ops::Range;

/// The default policies, in addition to the published rules.
pub const OURS: [&str; 5] = ["advised", "fixed", "threshold", "utilization", "interval"];

/// The policies that plan for the remaining steps.
const PLANS: [&str; 4] = ["solved", "adaptive", "predictive", "adaptive_cold"];

/// The most training steps.
pub const MOST_TRAINED: usize = 10_000;

/// The request, for the case that the log is long.
pub struct Asked {
    /// The log.
    pub name: String,
    /// The policies; empty for the default ones.
    pub names: Vec<String>,
    /// The cost of a remap; by default as recorded in the beginning.
    pub remap_cost: Option<f64>,
    /// How remaps overlap the steps.
    pub overlap: Overlap,
    /// The state at the start of the judged run.
    pub from: Outset,
    /// Seed of Q-learning and of the intervals.
    pub seed: u64,
    /// The policy of a solution, by the stride of the log.
    pub solution: Box<dyn Fn(u64) -> Result<Option<Player>, Complaint>>,
    /// An option that needs the whole log.
    pub needs_all: Option<&'static str>,
}

/// Evaluates policies on the steps that follow the beginning.
pub struct Long {
    asked: Asked,
    running: Option<Running>,
}

/// The results.
pub struct Played {
    /// The results of the policies.
    pub judged: Judged,
    /// Their training steps.
    pub training: Range<usize>,
    /// The cost of a remap.
    pub remap_cost: f64,
}

struct Running {
    contestants: Vec<Contestant>,
    /// The number of policies that were asked for.
    shown: usize,
    players: Vec<(Player, Playing, Paying)>,
    run: Paying,
    training: Range<usize>,
    remap_cost: f64,
    /// The number of steps after which a new mapping takes effect.
    delay: usize,
    /// The last step, and the loads of the ranks without any remap.
    row: Vec<f64>,
    path: Vec<f64>,
    /// The last steps, for which it is not known yet whether others follow.
    waiting: VecDeque<Vec<f64>>,
}

/// The number of steps whose costs are kept; beyond twice as many, pairs are merged.
const KEPT: usize = 1 << 13;

/// A record of costs that are summed over an increasing number of steps.
struct Paying {
    course: Course,
    steps: u64,
    width: u64,
}

impl Paying {
    fn new() -> Paying {
        let course = Course { tally: Tally::default(), costs: Vec::new(), remaps: Vec::new() };
        Paying { course, steps: 0, width: 1 }
    }

    fn pay(&mut self, max: f64, mean: f64) {
        let Course { tally, costs, .. } = &mut self.course;
        let imbalance = (max - mean).max(0.0);
        tally.time += max;
        tally.work += mean;
        tally.value += imbalance;
        if self.steps.is_multiple_of(self.width) {
            if costs.len() == 2 * KEPT {
                *costs = costs.chunks(2).map(|pair| pair.iter().sum()).collect();
                self.width *= 2;
            }
            costs.push(0.0);
        }
        *costs.last_mut().expect("there is a step") += imbalance;
        self.steps += 1;
    }

    /// Charges a remap after the last step.
    fn remap(&mut self, cost: f64) {
        let Course { tally, costs, .. } = &mut self.course;
        let Some(last) = costs.last_mut() else { return };
        *last += cost;
        tally.time += cost;
        tally.value += cost;
        tally.remaps += 1;
        tally.last_remap = self.steps;
    }
}

impl Long {
    /// Starts without steps.
    pub fn new(asked: Asked) -> Long {
        Long { asked, running: None }
    }

    /// The results, if the log was long. `known`: whether it says when the run was remapped.
    pub fn played(self, known: bool) -> Option<Played> {
        let mut running = self.running?;
        while let Some(path) = running.waiting.pop_front() {
            running.play(&path, false);
        }
        let Running { contestants, shown, players, run, training, remap_cost, .. } = running;
        let mut courses: Vec<Course> =
            players.into_iter().map(|(_, _, paying)| paying.course).collect();
        let cost = |name: &&str| {
            let place = contestants.iter().position(|one| one.name == **name);
            place.map_or(f64::INFINITY, |place| courses[place].tally.value)
        };
        let in_use = IN_USE.iter().map(cost).collect();
        courses.truncate(shown);
        let run = known.then_some(run.course);
        let (clairvoyant, clairvoyant_actual) = (None, None);
        let found = Standing { courses, run, clairvoyant, clairvoyant_actual, in_use };
        let judged = compared(&contestants[..shown], found, self.asked.seed);
        Some(Played { judged, training, remap_cost })
    }

    fn running(&self, beginning: &Record, stride: u64) -> Result<Running, Complaint> {
        let asked = &self.asked;
        let steps = beginning.steps();
        let refused = |what: String, help: &str| {
            let held = format!("{}: of a log this long {steps} steps are held", asked.name);
            Complaint::elsewhere(format!("{held}: {what}"), help)
        };
        if let Some(option) = asked.needs_all {
            let help = "leave it out, or give a part of the log";
            return Err(refused(format!("{option} needs them all"), help));
        }
        if let Some(plan) = asked.names.iter().find(|name| PLANS.contains(&name.as_str())) {
            let what =
                format!("{plan} plans for the steps that are left, whose number is not known");
            return Err(refused(what, "give other policies, or a part of the log"));
        }
        let recorded = beginning.mean_remap_cost();
        let remap_cost = asked.remap_cost.or(recorded).ok_or_else(|| {
            refused("no cost of a remap is recorded in them".to_owned(), "give it: --remap-cost C")
        })?;
        let solution = (asked.solution)(stride)?;
        let wanted = solution.as_ref().and_then(Player::ranks);
        if let Some(wanted) = wanted.filter(|wanted| *wanted != beginning.ranks()) {
            let what = format!("they have {} ranks, the solution {wanted}", beginning.ranks());
            return Err(refused(what, "fit and solve a model of this trace"));
        }
        let mut names = asked.names.clone();
        if names.is_empty() {
            names.extend(OURS.iter().chain(&IN_USE).map(|name| (*name).to_owned()));
            names.extend(solution.as_ref().map(|_| "solution".to_owned()));
        }
        let shown = names.len();
        let missing = IN_USE.iter().filter(|name| !names.iter().any(|one| one == **name));
        let missing: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
        names.extend(missing);
        let training = steps.saturating_sub(MOST_TRAINED)..steps;
        let ground = Ground {
            record: beginning,
            remap_cost,
            overlap: asked.overlap,
            training: training.clone(),
            seed: asked.seed,
            from: asked.from,
            end_known: false,
        };
        let contestants = contestants(&ground, &names, solution.as_ref(), &mut Vec::new())?;
        let base = ground.base().loads(beginning);
        let price = Price { stops: remap_cost, overlap: asked.overlap };
        let player = |contestant: &Contestant| {
            let run = ground.run(contestant, u64::MAX);
            (run, Playing::new(price, base), Paying::new())
        };
        let players = contestants.iter().map(player).collect();
        Ok(Running {
            players,
            contestants,
            shown,
            run: Paying::new(),
            training,
            remap_cost,
            delay: asked.overlap.steps as usize,
            row: beginning.row(steps - 1).to_vec(),
            path: beginning.path(steps - 1).to_vec(),
            waiting: VecDeque::new(),
        })
    }
}

impl Running {
    fn play(&mut self, path: &[f64], may: bool) {
        for (player, playing, paying) in &mut self.players {
            let Paid { max, mean, remapped } = playing.step(path, path, may, player);
            paying.pay(max, mean);
            if remapped {
                paying.remap(self.remap_cost);
            }
        }
    }

    fn step(&mut self, seconds: &[f64], remapped: bool) {
        let many = seconds.len() as f64;
        let balanced = self.row.iter().sum::<f64>() / many;
        for ((path, before), now) in self.path.iter_mut().zip(&mut self.row).zip(seconds) {
            let from = if remapped { balanced } else { *before };
            *path = *path + now - from;
            *before = *now;
        }
        if remapped {
            self.run.remap(self.remap_cost);
        }
        let most = seconds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.run.pay(most, seconds.iter().sum::<f64>() / many);
        // A remap needs a step on its mapping.
        if self.waiting.len() <= self.delay {
            return self.waiting.push_back(self.path.clone());
        }
        let Some(mut first) = self.waiting.pop_front() else { return };
        self.play(&first, true);
        first.copy_from_slice(&self.path);
        self.waiting.push_back(first);
    }
}

impl Follow for Long {
    fn begin(&mut self, beginning: &Record, stride: u64) -> Result<(), Complaint> {
        start_threads(None);
        self.running = Some(self.running(beginning, stride)?);
        Ok(())
    }

    fn step(&mut self, seconds: &[f64], remap: Option<Remap>) {
        if let Some(running) = &mut self.running {
            running.step(seconds, remap.is_some());
        }
    }
}

//! The adaptive rule: a weighted vote of simulated policies, for recorded and running programs,
//! without a model.
//!
//! Let Y be the deviations of the ranks from the mean as if nothing had been remapped. Let u(b, t)
//! be the largest of Y_t - Y_b: the imbalance of step t when the last remap was made after step b.
//! Let C be the cost of a remap. The last 64 rows of Y are stored. Each is a step at which a remap
//! could have been made; it shows what would have followed (`window`), and how an imbalance
//! persists (`plan`). After each step:
//!
//! * Eight policies (`voter`) are simulated, each on trajectories of its own, and are charged what
//!   they would have paid. Four follow the plan, with different reluctance. Two use the regret, the
//!   saving so far of one remap since the last. One is stop at rise; one remaps when a step costs
//!   more than a step of the best cycle. Let s be the exponentially weighted cost of a policy, with
//!   half-life 300 steps. Its weight is (1 + (s - least s) / 8C)^-4.
//! * The policies are evaluated in the actual state. The program remaps if those with 0.4 of the
//!   weight say so, and the plan gains by it.
//! * It does not remap while its remaps have cost more than the imbalance it has paid.
//! * In any case it remaps once the regret exceeds 3/2 C.
//! * After n > 1 remaps in a row that did not help it waits for a regret of (2^n - 2) C, vote or
//!   not. So m remaps that change nothing come with an imbalance of about 2^m C.
//! * With a known end it does not remap, unless the regret exceeds 3 C, where the imbalance of the
//!   last step times the steps left is less than C.
//!
//! All operations are sums, products, quotients, square roots and comparisons, in a fixed order.
//!
//! # Guarantee
//! Suppose that a later remap is never worse, u(b, s) <= u(q, s) for q < b < s, and that fewer than
//! 64 steps lie between two remaps, that every remap helps, and that the end is not known. Then the
//! cost is at most 2 max(1, 3/2 + u_max / C) OPT + C; with a known end, 3 stands for 3/2. Here OPT
//! is the least cost of any remaps of the same steps, and u_max the largest imbalance.
//!
//! Proof: let OPT remap at o and next at o'. While the program's last remap is later than o, its
//! steps cost no more than OPT's. From its own last remap before o to its next, the steps up to o'
//! cost no more than OPT's plus the regret of o. That regret is at most 3/2 C plus the imbalance of
//! one step. So each remap of OPT accounts for at most 3/2 C + u_max, and remaps never cost more
//! than C and the imbalance. Noise, bursts and recurring loads violate the assumption, and then
//! there is no guarantee.
//!
//! With delayed remaps ([`Overlap`]) that take effect d steps after their decision, everything is
//! counted from there. Growth and regret begin d steps after a step, simulated runs remap d steps
//! late, and nothing is decided meanwhile. The guarantee is for d = 0.
//!
//! # Work
//! (128 + 17) x ranks operations per step, plus work independent of the ranks. Memory: (64 + 20) x
//! ranks numbers.

mod course;
mod plan;
mod stored;
mod voter;
mod window;

use super::{Policy, Step};
use crate::overlap::Overlap;
use crate::record::deviations;
pub use course::Course;
use plan::Plan;
use serde::{Deserialize, Serialize};
pub use stored::{Memory, Parameters, Stored};
use voter::{Gain, RULES, Seen, Voter};
use window::Window;

/// Share of the votes that suffices for a remap.
const ENOUGH: f64 = 0.4;

/// Difference of scores, in remap costs, at which a weight is a sixteenth of the largest.
const SPREAD: f64 = 8.0;

/// Regret, in remap costs, beyond which the program remaps without a vote; twice as much where the
/// steps that are left do not seem to pay for a remap.
const TOO_MUCH: f64 = 1.5;

/// A remap did not help if none of so many steps after it has less than this share of the imbalance
/// before it. Measured on 800 traces of 20 families: 0.05 % dearer than without; on programs whose
/// blocks are not split, 12 % cheaper.
const LOOKED: u64 = 3;
const STAYED: f64 = 0.7;

/// The adaptive rule with its state; it can be stored at any step and resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub struct Advised {
    /// The cost of a remap: the time it stops the program, and the slowdown during it.
    remap_cost: f64,
    overlap: Overlap,
    /// Number of steps to come, where it is known.
    left: Option<u64>,
    /// `None` before the number of ranks is known.
    state: Option<State>,
    wants: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct State {
    /// Steps processed.
    steps: u64,
    /// Y before and after the last step.
    before: Vec<f64>,
    row: Vec<f64>,
    window: Window,
    plan: Plan,
    voters: Vec<Voter>,
    own: Course,
    doubt: Doubt,
}

/// How long to wait after remaps that did not help.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubt {
    /// 2^n - 1 after n remaps in a row, the last one left out, that did not help.
    pub doubled: f64,
    /// Imbalance of the step before it.
    pub before: f64,
    /// The least of that and of the first steps after it.
    pub least: f64,
}

impl Doubt {
    /// The number of remaps without help so far is n: 2^n - 1, as counted now.
    fn next(self) -> f64 {
        if self.least > STAYED * self.before { 2.0 * self.doubled + 1.0 } else { 0.0 }
    }

    /// Regret, in remap costs, that the next remap has to wait for: 0 after one that did not help,
    /// then 2, 6, 14, ...
    fn wait(self) -> f64 {
        (self.next() - 1.0).max(0.0)
    }
}

impl Advised {
    /// A cold start, for remaps that cost `remap_cost` >= 0 and a program that starts balanced.
    pub fn new(remap_cost: f64) -> Advised {
        Advised { remap_cost, overlap: Overlap::NONE, left: None, state: None, wants: false }
    }

    /// Trained on consecutive `rows` of rank times without a remap (or with the loads as if there
    /// had been none). The program is balanced at the last of them.
    pub fn trained<'a>(rows: impl IntoIterator<Item = &'a [f64]>, remap_cost: f64) -> Advised {
        Advised::new(remap_cost).after(rows)
    }

    /// For delayed remaps, `remap_cost` being their total cost ([`Overlap::price`]); call it before
    /// any step. The caller reports when a remap has [`begun`](Policy::begun) and when it is
    /// complete. At most 63 steps of delay are supported.
    pub fn overlapping(self, overlap: Overlap) -> Advised {
        let steps = overlap.steps.min(window::ROWS as u64 - 1);
        Advised { overlap: Overlap { steps, ..overlap }, ..self }
    }

    /// The same after such rows, for a rule that has processed no step.
    pub fn after<'a>(self, rows: impl IntoIterator<Item = &'a [f64]>) -> Advised {
        let mut policy = self;
        let (remap_cost, delay) = (policy.remap_cost, policy.overlap.steps as usize);
        for row in rows {
            match &mut policy.state {
                None => {
                    let start = deviations(row).collect();
                    policy.state = Some(State::new(start, remap_cost, delay));
                }
                Some(state) => state.observe(deviations(row), remap_cost),
            }
        }
        if let Some(state) = &mut policy.state {
            state.own = Course::new(&state.row);
        }
        policy
    }

    /// Number of ranks, once it is known.
    pub fn ranks(&self) -> Option<usize> {
        self.state.as_ref().map(|state| state.row.len())
    }

    /// With the information that `steps` steps follow.
    pub fn for_steps(self, steps: u64) -> Advised {
        Advised { left: Some(steps), ..self }
    }
}

impl State {
    fn new(start: Vec<f64>, remap_cost: f64, delay: usize) -> State {
        State {
            steps: 0,
            window: Window::new(&start, delay),
            plan: Plan::new(remap_cost),
            voters: RULES.iter().map(|rule| Voter::new(*rule, &start)).collect(),
            own: Course::new(&start),
            doubt: Doubt::default(),
            before: start.clone(),
            row: start,
        }
    }

    fn observe(&mut self, row: impl Iterator<Item = f64>, remap_cost: f64) {
        self.steps += 1;
        std::mem::swap(&mut self.row, &mut self.before);
        self.row.clear();
        self.row.extend(row);
        self.window.observe(&self.row, remap_cost);
        self.plan.observe(&self.window);
        let seen = Seen { window: &self.window, plan: &self.plan, remap_cost };
        for voter in &mut self.voters {
            voter.play(self.steps, &self.before, &self.row, &seen);
        }
        let imbalance = self.own.pay(&self.row, &self.window);
        if self.own.steps <= LOOKED {
            self.doubt.least = self.doubt.least.min(imbalance);
        }
    }

    /// The program has remapped, or a remap has taken effect.
    fn remapped(&mut self) {
        let before = self.own.latest;
        self.doubt = Doubt { doubled: self.doubt.next(), before, least: before };
        match self.own.begun {
            Some(_) => self.own.arrive(&self.window),
            None => self.own.remap(&self.row),
        }
    }

    /// Whether to remap after the latest step.
    fn decide(&self, remap_cost: f64, left: Option<u64>) -> bool {
        let delay = self.window.delay as u64;
        if left.is_some_and(|left| left <= delay) || self.own.begun.is_some() {
            return false;
        }
        if remap_cost <= 0.0 {
            return self.own.latest > 0.0;
        }
        let seen = Seen { window: &self.window, plan: &self.plan, remap_cost };
        let gains = Gain::ALL.map(|gain| gain.of(&self.own, &seen, left));
        let regret = gains[Gain::Regret as usize];
        if regret < self.doubt.wait() * remap_cost {
            return false;
        }
        let pays = |left: u64| self.own.latest * (left - delay) as f64 > remap_cost;
        if !left.is_none_or(pays) && regret <= 2.0 * TOO_MUCH * remap_cost {
            return false;
        }
        if regret > TOO_MUCH * remap_cost {
            return true;
        }
        if self.own.remaps_dominate(remap_cost) || gains[Gain::Plan as usize] < 0.0 {
            return false;
        }
        let least = self.voters.iter().map(|voter| voter.score).fold(f64::INFINITY, f64::min);
        let (mut votes, mut all) = (0.0, 0.0);
        for voter in &self.voters {
            let root = 1.0 / (1.0 + (voter.score - least) / (SPREAD * remap_cost));
            let weight = root * root * root * root;
            all += weight;
            if gains[voter.rule.gain as usize] > voter.rule.remaps * remap_cost {
                votes += weight;
            }
        }
        votes >= ENOUGH * all
    }
}

impl Policy for Advised {
    fn observe(&mut self, step: &Step) {
        let ranks = step.times().len();
        if self.state.as_ref().is_none_or(|state| state.row.len() != ranks) {
            let delay = self.overlap.steps as usize;
            self.state = Some(State::new(vec![0.0; ranks], self.remap_cost, delay));
        }
        let Some(state) = &mut self.state else { return };
        self.left = self.left.map(|left| left.saturating_sub(1));
        let base = state.own.base.clone();
        let slower = if state.own.begun.is_some() { 1.0 + self.overlap.slowdown } else { 1.0 };
        let changes = deviations(step.times()).map(|change| change / slower);
        let row = changes.zip(&base).map(|(change, base)| base + change);
        state.observe(row, self.remap_cost);
        self.wants = state.decide(self.remap_cost, self.left);
    }

    fn wants_remap(&self) -> bool {
        self.wants
    }

    fn begun(&mut self) {
        if let Some(state) = &mut self.state {
            state.own.begun = Some(0);
        }
        self.wants = false;
    }

    fn remapped(&mut self) {
        if let Some(state) = &mut self.state {
            state.remapped();
        }
        self.wants = false;
    }
}

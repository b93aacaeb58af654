//! Drifting loads on many ranks: a policy by approximate dynamic programming, and an
//! information-relaxation lower bound on the cost of any policy [Rogers 2002; Haugh and Kogan 2004;
//! Andersen and Broadie 2004; Brown, Smith and Sun 2010]. Both are expectations, estimated from
//! sample paths.
//!
//! A program that knew all future moves would pay at most as much as any other. Charge a penalty
//! Delta_k after each step, with expectation zero given the state before the step. Then the
//! perfect-information optimum is still, on average, at most the cost of the best policy: a policy
//! without foresight pays no penalty on average, and is one of those that perfect information
//! chooses from. With
//!
//! ```text
//! Delta = u(x') + V(x') - E[u(x') + V(x') | x]
//! ```
//!
//! where V is the optimal cost-to-go, perfect information gains nothing (strong duality). V is
//! unknown; with an approximation (`approximate`) the duality gap is small. The main part of its
//! expectation has a closed form (`policy/lookahead`). The remainder is centered by its mean over
//! independent samples, so that Delta has expectation zero whatever the approximation.
//!
//! A remap leads to a state that depends on the total alone. The perfect-information problem is
//! therefore a shortest path through nodes (step, total). Each node has one branch on which the
//! program continues without a remap (`lower_bound/perfect_information`). Branches are coupled so
//! that their totals agree as often as possible (`lower_bound/moves`). A branch that has lost much
//! more than the cost of a remap by not remapping is ended by a remap at less than its cost; see
//! [`Many`] for the assumption behind this.

mod counts;
mod first_passage;
mod lower_bound;
mod measured;
mod policy;
mod setting;
mod totals;

pub(crate) use lower_bound::candidates;
pub use lower_bound::candidates::Path;
pub use measured::{Goal, Measured, SamplePaths, Spread};

use super::{Curve, Intervals, LoadDrift, ProcessChain};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use crate::parallel;
use first_passage::Laws;
use lower_bound::moves::{MOST_LEVELS, Moves};
use lower_bound::perfect_information::Hindsight;
use policy::approximate::{Approximate, Correction};
use policy::lookahead::Outlook;
use policy::remapped::Remapped;
use setting::Setting;
use std::ops::Range;
use totals::Totals;

/// Why there are no bounds.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoBounds {
    /// Tables of closed forms would be too large.
    #[error("bounds take at most {MOST_LEVELS} levels, found {0}")]
    Levels(usize),
    /// Too many steps.
    #[error("bounds take at most {MOST_STEPS} steps, found {0}")]
    Steps(u64),
    /// Too many ranks.
    #[error("bounds take at most {MOST_RANKS} processors, found {0}")]
    Ranks(usize),
    /// Too many steps until a remap takes effect.
    #[error(
        "a remap comes into force at most {MOST_LATE} steps after its decision here, found {0}"
    )]
    Late(u64),
    /// There is a single processor, so a remap has no effect.
    #[error("a single processor has nothing to balance")]
    Single,
}

impl NoBounds {
    /// The reason why a problem is out of reach, if it is.
    pub fn of(problem: &LoadDrift, overlap: Overlap) -> Option<NoBounds> {
        let (levels, steps, ranks) = (problem.chain.levels(), problem.steps, problem.processors);
        Some(match () {
            () if levels > MOST_LEVELS => NoBounds::Levels(levels),
            () if steps > MOST_STEPS => NoBounds::Steps(steps),
            () if ranks > MOST_RANKS => NoBounds::Ranks(ranks),
            () if ranks < 2 => NoBounds::Single,
            () if overlap.steps > MOST_LATE => NoBounds::Late(overlap.steps),
            () => return None,
        })
    }
}

/// Longest horizon.
const MOST_STEPS: u64 = 20_000;
/// Most ranks.
const MOST_RANKS: usize = 2_000_000;
/// Most steps between the decision of a remap and the first step under the new mapping.
pub(crate) const MOST_LATE: u64 = 63;
/// Entries of the largest table of closed forms.
const TABLE: usize = 2_000_000;
/// Number of alternations between the values after a remap and the correction.
const ROUNDS: u64 = 6;
/// Weight of a new correction from the third round on; damping prevents oscillation.
const TAKEN: f64 = 0.5;

/// An approximate value function with its policy.
///
/// Assumption of the lower bound: an even split of its loads saves a program at least min(S, C) -
/// C/2, where S is the saving in the expected cost of the next step, and C the cost of a remap.
///
/// With 0 for C/2 this is a theorem for walks whose steps are log-concave (stay^2 >= up * down) and
/// for loads away from the ends of their range; then the bound loses nothing. Let D = C + V(even) -
/// V(x), which is Schur-concave at a fixed total, and let U be the expected cost of the next step.
/// Then D(x) = max(0, C - (U(x) - U(even)) + E D(x') - E D(even')) <= max(0, C - (U(x) - U(even))).
/// Near the ends it fails by a little; the tests measure by how much.
pub struct Many {
    setting: Setting,
    laws: Laws,
    moves: Moves,
    totals: Totals,
    remapped: Remapped,
    correction: Correction,
    curve: Curve,
    /// Whether loads move by at most one level.
    near: bool,
    seed: u64,
}

impl Many {
    /// Computes the policy. The next remap is decided, at the earliest, after a step under the new
    /// mapping. All random numbers depend on the seed alone.
    ///
    /// # Errors
    /// The halt that the observer requested.
    ///
    /// # Panics
    /// A problem that is out of [reach](NoBounds::of).
    pub fn new(
        problem: &LoadDrift,
        overlap: Overlap,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Many, Halt> {
        assert_eq!(NoBounds::of(problem, overlap), None);
        // In a program that is too short for a remap all delays are equivalent.
        let steps = overlap.steps.min(problem.steps - 1);
        let overlap = Overlap { steps, ..overlap };
        let levels = problem.chain.levels();
        let rows = problem.chain.rows();
        let setting = Setting::new(problem, overlap, &rows);
        let priced = LoadDrift { remap_cost: setting.typical, ..problem.clone() };
        let paying = 3 * Intervals::least_average_cost(&priced) as usize + 10 + steps as usize;
        let table = (TABLE / (levels * levels)).max(2 * steps as usize + 2);
        // A remap may take effect when the last move is made.
        let longest = paying.min(table).min(setting.steps as usize).max(steps as usize + 1);
        let laws = Laws::new(&rows, longest);
        let moves = Moves::new(&rows, problem.initial);
        let totals = Totals::new(&rows, problem.initial, setting.ranks);
        let mut correction = Correction::none(setting.typical);
        let mut remapped = None;
        for round in 0..ROUNDS {
            // Tables of hundreds of megabytes: one at a time.
            drop(remapped.take());
            let values = Remapped::new(&setting, &laws, &totals, &correction, observer)?;
            let outlook =
                Outlook { setting: &setting, laws: &laws, remapped: &values, totals: &totals };
            let approximate = Approximate { outlook, correction: &correction };
            let found = policy::approximate::fit(&approximate, &moves, seed, round);
            correction = found.mixed(if round < 2 { 1.0 } else { TAKEN }, &correction);
            remapped = Some(values);
        }
        let remapped = remapped.expect("there is a round");
        let last = (longest as u64 + steps).min(setting.steps);
        let curve = Curve::default();
        let near = matches!(problem.chain, ProcessChain::BirthDeath(_));
        let mut many =
            Many { setting, laws, moves, totals, remapped, correction, curve, near, seed };
        many.curve =
            policy::visited::curve(&many.approximate(), &many.moves, last, seed, observer)?;
        Ok(many)
    }

    fn approximate(&self) -> Approximate<'_> {
        let Many { setting, laws, remapped, totals, correction, .. } = self;
        Approximate { outlook: Outlook { setting, laws, remapped, totals }, correction }
    }

    /// The same policy on the sample paths of another seed.
    #[must_use]
    pub fn reseeded(self, seed: u64) -> Many {
        Many { seed, ..self }
    }
}

impl SamplePaths for Many {
    fn curve(&self) -> &Curve {
        &self.curve
    }

    fn paths(
        &self,
        inner: usize,
        runs: Range<u64>,
        observer: &dyn Observer,
    ) -> Result<Vec<Path>, Halt> {
        let setting = &self.setting;
        let saves = self.near
            && setting.keeps_totals()
            && setting.per_unit == 0.0
            && setting.overlap.is_none()
            && !setting.before_step;
        let cost = setting.typical;
        let patience = if saves { 1.75 * cost } else { 3.0 * (cost + setting.waiting) } + 1.0;
        let margin = 0.5 * cost;
        let one = |run| {
            let (approximate, moves, curve) = (self.approximate(), &self.moves, &self.curve);
            let hindsight = Hindsight { approximate, moves, curve, inner, patience, saves, margin };
            hindsight.path(self.seed, run, observer)
        };
        parallel::runs(runs, &one)
    }
}

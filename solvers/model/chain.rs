//! The chain of one process's load in a model file.

use super::number::Decimal;
use super::review::Review;
use remapping::Rational;
use remapping::chain::{BirthDeath, ChainError, Dense, Edge};
use remapping::stopping::{Process, ProcessChain};
use serde::Deserialize;

/// How the load of one process moves.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Chain {
    /// The same probabilities at every inner level.
    Walk {
        /// The load at the lowest level.
        #[serde(default)]
        lowest: i64,
        /// The number of levels.
        levels: usize,
        /// Probability of one more unit of load.
        up: Decimal,
        /// Probability of one less.
        down: Decimal,
        /// The behavior at the lowest and the highest level.
        edge: Edge,
    },
    /// Steps of at most one level, level by level.
    BirthDeath {
        /// The load at the lowest level.
        #[serde(default)]
        lowest: i64,
        /// Probabilities of moving up.
        up: Vec<Decimal>,
        /// Probabilities of moving down.
        down: Vec<Decimal>,
    },
    /// Any transition matrix.
    Matrix {
        /// The load at the lowest level.
        #[serde(default)]
        lowest: i64,
        /// The transition probabilities from each level.
        rows: Vec<Vec<Decimal>>,
    },
    /// A load that is multiplied by a factor and increased by a number.
    Affine {
        /// The load at the lowest level.
        #[serde(default)]
        lowest: i64,
        /// The number of levels.
        levels: usize,
        /// The possible changes of a step.
        changes: Vec<Change>,
    },
}

/// `w` becomes `factor w + added`; between two loads it is split so that its mean is kept.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    factor: Decimal,
    added: Option<Decimal>,
    probability: Decimal,
}

/// The largest load that is counted exactly.
const LARGEST_LOAD: i64 = 1 << 40;

/// The most levels of one process.
const MOST_LEVELS: usize = 100_000_000;

/// The most levels where the transition matrix is computed from changes.
const MOST_AFFINE: usize = 1000;

impl Chain {
    /// The number of levels.
    pub fn levels(&self) -> usize {
        match self {
            Chain::Walk { levels, .. } | Chain::Affine { levels, .. } => *levels,
            Chain::BirthDeath { up, .. } => up.len(),
            Chain::Matrix { rows, .. } => rows.len(),
        }
    }

    /// The load at the lowest level.
    pub fn lowest(&self) -> i64 {
        match self {
            Chain::Walk { lowest, .. }
            | Chain::BirthDeath { lowest, .. }
            | Chain::Affine { lowest, .. }
            | Chain::Matrix { lowest, .. } => *lowest,
        }
    }

    /// Records the faults of the chain at `path`.
    pub fn review(&self, path: &str, review: &mut Review<'_>) {
        self.review_up_to(MOST_LEVELS, path, review);
    }

    /// The same for a chain of at most `most` levels.
    pub fn review_up_to(&self, most: usize, path: &str, review: &mut Review<'_>) {
        let before = review.faults.len();
        let levels = self.levels();
        if !(2..=most).contains(&levels) {
            let place = match self {
                Chain::Walk { .. } | Chain::Affine { .. } => format!("{path}.levels"),
                Chain::BirthDeath { .. } => format!("{path}.up"),
                Chain::Matrix { .. } => format!("{path}.rows"),
            };
            let label = format!("{levels} level{}", if levels == 1 { "" } else { "s" });
            let most = if most == MOST_LEVELS { "10^8".to_owned() } else { most.to_string() };
            let help = format!("a load that can change needs at least 2 levels, at most {most}");
            review.fault(&place, "a chain has too few or too many levels", &label, &help);
        }
        if self.lowest().abs() > LARGEST_LOAD {
            let label = format!("{} is beyond 2^40", self.lowest());
            review.fault(
                &format!("{path}.lowest"),
                "a load is too large",
                &label,
                "use other units",
            );
        }
        match self {
            Chain::Walk { up, down, .. } => {
                review.exact_probability(&format!("{path}.up"), up);
                review.exact_probability(&format!("{path}.down"), down);
            }
            Chain::BirthDeath { up, down, .. } => {
                for (name, list) in [("up", up), ("down", down)] {
                    for (i, p) in list.iter().enumerate().filter(|(_, p)| !p.is_probability()) {
                        review.exact_probability(&format!("{path}.{name}[{i}]"), p);
                    }
                }
            }
            Chain::Matrix { rows, .. } => review_rows(&format!("{path}.rows"), rows, review),
            Chain::Affine { levels, changes, .. } => review_changes(path, *levels, changes, review),
        }
        if review.faults.len() > before {
            return;
        }
        if let Err(error) = self.build() {
            let (place, help) = match &error {
                ChainError::TooMuchMotion { level, .. }
                    if matches!(self, Chain::BirthDeath { .. }) =>
                {
                    (format!("{path}.up[{level}]"), "up + down is at most 1 at every level")
                }
                ChainError::TooMuchMotion { .. } => {
                    (format!("{path}.up"), "up + down is at most 1 at every level")
                }
                ChainError::Shape { .. } => {
                    (format!("{path}.down"), "give `up` and `down` for every level")
                }
                ChainError::LeavesRange { direction: "up", .. } => {
                    let last = levels - 1;
                    (format!("{path}.up[{last}]"), "the load cannot rise from the highest level")
                }
                ChainError::LeavesRange { .. } => {
                    (format!("{path}.down[0]"), "the load cannot fall from the lowest level")
                }
                _ => (path.to_owned(), "correct the chain"),
            };
            review.fault(&place, "this is not a Markov chain", &error.to_string(), help);
        }
    }

    fn build(&self) -> Result<ProcessChain, ChainError> {
        Ok(match self {
            Chain::Matrix { rows, .. } => {
                let double = |row: &Vec<Decimal>| row.iter().map(|p| p.value).collect();
                ProcessChain::Dense(Dense::new(&rows.iter().map(double).collect::<Vec<_>>())?)
            }
            Chain::Affine { lowest, levels, changes } => {
                let change = |change: &Change| remapping::chain::Change {
                    factor: change.factor.exact.clone(),
                    added: change
                        .added
                        .as_ref()
                        .map_or(Rational::ZERO, |added| added.exact.clone()),
                    probability: change.probability.exact.clone(),
                };
                let changes: Vec<_> = changes.iter().map(change).collect();
                let double = |row: &Vec<Rational>| row.iter().map(|p| p.to_f64().value()).collect();
                let rows = remapping::chain::affine_rows(*lowest, *levels, &changes);
                ProcessChain::Dense(Dense::new(&rows.iter().map(double).collect::<Vec<_>>())?)
            }
            _ => ProcessChain::BirthDeath(self.birth_death().expect("not a matrix")?),
        })
    }

    /// The chain, if it moves by at most one level; `None` for a matrix.
    pub fn birth_death(&self) -> Option<Result<BirthDeath, ChainError>> {
        match self {
            Chain::Walk { levels, up, down, edge, .. } => {
                let mut ups = vec![up.exact.clone(); *levels];
                let mut downs = vec![down.exact.clone(); *levels];
                if let (Some(top), Some(bottom)) = (ups.last_mut(), downs.first_mut()) {
                    (*top, *bottom) = (Rational::ZERO, Rational::ZERO);
                    if *edge == Edge::Reflect {
                        // Sums may exceed 1 by this much; single probabilities may not.
                        let most =
                            Rational::ONE + Rational::from_parts(1.into(), 1_000_000_000u32.into());
                        let sum = &up.exact + &down.exact;
                        let moves = if sum <= most { sum.min(Rational::ONE) } else { sum };
                        (ups[0], downs[levels - 1]) = (moves.clone(), moves);
                    }
                }
                Some(BirthDeath::from_rationals(&ups, &downs))
            }
            Chain::BirthDeath { up, down, .. } => {
                let exact = |list: &[Decimal]| list.iter().map(|p| p.exact.clone()).collect();
                let (up, down): (Vec<_>, Vec<_>) = (exact(up), exact(down));
                Some(BirthDeath::from_rationals(&up, &down))
            }
            Chain::Matrix { .. } | Chain::Affine { .. } => None,
        }
    }

    /// The engine's process. The chain must have passed review.
    pub fn process(&self) -> Process {
        Process { lowest: self.lowest(), chain: self.build().expect("reviewed") }
    }
}

/// Records a fault if the changes are not a distribution.
fn review_changes(path: &str, levels: usize, changes: &[Change], review: &mut Review<'_>) {
    if levels > MOST_AFFINE {
        let (label, help) = (format!("{levels} levels"), format!("at most {MOST_AFFINE}"));
        review.fault(&format!("{path}.levels"), "too many levels for changes", &label, &help);
    }
    for (i, change) in changes.iter().enumerate() {
        let path = format!("{path}.changes[{i}]");
        review.exact_probability(&format!("{path}.probability"), &change.probability);
        review.exact_nonnegative(&format!("{path}.factor"), &change.factor, "a factor of loads");
    }
    let sum = changes.iter().fold(Rational::ZERO, |sum, change| sum + &change.probability.exact);
    review.exact_sum_to_one(&format!("{path}.changes"), &sum, "the list of changes");
}

/// Records a fault if the rows are not a transition matrix.
pub fn review_rows(path: &str, rows: &[Vec<Decimal>], review: &mut Review<'_>) {
    for (i, row) in rows.iter().enumerate() {
        let place = format!("{path}[{i}]");
        if row.len() != rows.len() {
            let label = format!("{} entries in row {i}, {} rows", row.len(), rows.len());
            let help = "a transition matrix has as many columns as rows";
            review.fault(&place, "the matrix is not square", &label, help);
            continue;
        }
        for (j, p) in row.iter().enumerate().filter(|(_, p)| !p.is_probability()) {
            review.exact_probability(&format!("{place}[{j}]"), p);
        }
        let sum = row.iter().fold(Rational::ZERO, |sum, p| sum + &p.exact);
        review.exact_sum_to_one(&place, &sum, &format!("row {i} (from 0)"));
    }
}

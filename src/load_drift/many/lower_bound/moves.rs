//! One step of all ranks, coupled on many branches of the perfect-information problem.
//!
//! A remap leads to a state that depends on the total load alone, so branches with the same total
//! merge at a remap. Two couplings make totals agree often, and neither changes the distribution of
//! a branch.
//!
//! First, a rank makes either its toggle or another move. A toggle goes to one of two levels `gap`
//! apart, with a probability of going up that is the same at all levels. The number of ranks that
//! make another move is drawn once for all branches, as far as their distributions agree. Second,
//! the number of toggles that go up is coupled so that totals agree as often as possible (see
//! `meeting`).
//!
//! The moves are allotted to the levels on each branch separately, but from the same random
//! numbers. Branches in similar states therefore often reach the same state, and then stay
//! together.

use super::coupling::Meeting;
use super::draws::{LnFactorial, binomial};
use crate::load_drift::many::counts::Counts;
use crate::random::stream;
use rand::Rng;

/// The transition of all ranks in one step.
pub struct Moves {
    /// Table for the variates.
    pub factorial: LnFactorial,
    rows: Vec<Row>,
    gap: usize,
    /// Probability that a toggle goes up.
    rise: f64,
    /// Probability of another move than the toggle, for most ranks.
    usual: f64,
}

struct Row {
    /// Lower end of the toggle.
    toggle: usize,
    /// Probability of another move than the toggle.
    other: f64,
    /// Other moves: levels, each with its probability given that none before it was taken.
    others: Vec<(usize, f64)>,
    /// All moves in the same form.
    all: Vec<(usize, f64)>,
}

/// The toggles of a row with this gap: lower end, probability of going up, and total probability.
fn toggles(row: &[f64], gap: usize) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
    (0..row.len().saturating_sub(gap)).filter(move |&i| row[i] > 0.0 && row[i + gap] > 0.0).map(
        move |i| {
            let both = row[i] + row[i + gap];
            (i, row[i + gap] / both, both)
        },
    )
}

/// Levels, each with its probability given that none before it was taken.
fn in_turn(law: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
    let mut law: Vec<(usize, f64)> = law.filter(|(_, p)| *p > 1e-15).collect();
    let mut left: f64 = law.iter().map(|(_, p)| p).sum();
    for (_, p) in &mut law {
        let here = *p;
        *p = (here / left).min(1.0);
        left -= here;
    }
    if let Some(last) = law.last_mut() {
        last.1 = 1.0;
    }
    law
}

impl Moves {
    /// The moves of a chain with these rows; most ranks move like those on level `typical`.
    pub fn new(rows: &[Vec<f64>], typical: usize) -> Moves {
        let levels = rows.len();
        let best = |gap: usize| {
            toggles(&rows[typical], gap)
                .map(|found| (gap, found))
                .max_by(|a, b| a.1.2.total_cmp(&b.1.2))
        };
        let found = (1..levels).find_map(best);
        let (gap, rise) = found.map_or((1, 0.5), |(gap, (_, rise, _))| (gap, rise));
        let row = |(from, row): (usize, &Vec<f64>)| {
            // The toggle with the largest usable probability; of equal ones the nearest to the
            // level.
            let used = |&(_, up, both): &(usize, f64, f64)| {
                both * (up / rise).min((1.0 - up) / (1.0 - rise))
            };
            let near = |i: usize| i.abs_diff(from);
            let toggle = toggles(row, gap)
                .max_by(|a, b| used(a).total_cmp(&used(b)).then_with(|| near(b.0).cmp(&near(a.0))));
            let share = toggle.as_ref().map_or(0.0, used);
            let at = toggle.map_or(0, |(at, ..)| at);
            let rest = |(to, p): (usize, &f64)| {
                let taken = match to {
                    to if share > 0.0 && to == at => share * (1.0 - rise),
                    to if share > 0.0 && to == at + gap => share * rise,
                    _ => 0.0,
                };
                (to, p - taken)
            };
            Row {
                toggle: at,
                other: if share > 1.0 - 1e-15 { 0.0 } else { 1.0 - share },
                others: in_turn(row.iter().enumerate().map(rest)),
                all: in_turn(row.iter().copied().enumerate().rev()),
            }
        };
        let rows: Vec<Row> = rows.iter().enumerate().map(row).collect();
        let usual = rows[typical].other;
        Moves { factorial: LnFactorial::new(), rows, gap, rise, usual }
    }

    /// Number of ranks, of `ranks`, that make another move than the toggle, if all are like most.
    pub fn events(&self, ranks: u64, draws: &mut impl Rng) -> u64 {
        binomial(ranks, self.usual, draws)
    }

    /// Common random numbers of the branches in a step of `ranks` ranks.
    pub fn meeting(&self, ranks: u64, seed: u64) -> Meeting {
        let toggling = ranks as f64 * (1.0 - self.usual);
        Meeting::new(seed, (toggling * self.rise * (1.0 - self.rise)).sqrt())
    }

    /// One step of a branch. Returns the new total.
    pub fn step(
        &self,
        from: &Counts,
        ranks: u64,
        events: u64,
        meeting: &mut Meeting,
        allotment: u64,
        to: &mut Counts,
    ) -> u64 {
        to.clear();
        let (mut ranks_left, mut events_left) = (ranks, events);
        let (mut base, mut toggling) = (0, 0);
        let mut held = [0u64; MOST_LEVELS];
        for (level, held) in held.iter_mut().enumerate().take(from.top + 1).skip(from.low) {
            let here = from.on[level] as u64;
            if here == 0 {
                continue;
            }
            let row = &self.rows[level];
            let draws = &mut stream(allotment, 2 * level as u64);
            let hit =
                self.factorial.hypergeometric(events_left, ranks_left - events_left, here, draws);
            ranks_left -= here;
            events_left -= hit;
            let others = if row.other == self.usual {
                hit
            } else if row.other < self.usual {
                binomial(hit, row.other / self.usual, draws)
            } else {
                hit + binomial(here - hit, (row.other - self.usual) / (1.0 - self.usual), draws)
            };
            base += scatter(others, &row.others, draws, to);
            *held = here - others;
            toggling += here - others;
            base += (here - others) * row.toggle as u64;
        }
        let gap = self.gap as u64;
        let start = base / gap;
        let mut up = meeting.next(start, toggling, self.rise, &self.factorial);
        let total = base + gap * up;
        for (level, &here) in held.iter().enumerate().take(from.top + 1).skip(from.low) {
            if here == 0 {
                continue;
            }
            let draws = &mut stream(allotment, 2 * level as u64 + 1);
            let rising = self.factorial.hypergeometric(up, toggling - up, here, draws);
            toggling -= here;
            up -= rising;
            let low = self.rows[level].toggle;
            to.on[low] += (here - rising) as f64;
            to.on[low + self.gap] += rising as f64;
        }
        to.settle();
        total
    }

    /// One step that is independent of all branches.
    pub fn step_apart(&self, from: &Counts, draws: &mut impl Rng, to: &mut Counts) {
        to.clear();
        for level in from.low..=from.top {
            scatter(from.on[level] as u64, &self.rows[level].all, draws, to);
        }
        to.settle();
    }
}

impl Moves {
    /// Moves from a level: levels, each with its probability given that none before it was taken.
    pub fn law(&self, level: usize) -> &[(usize, f64)] {
        &self.rows[level].all
    }
}

/// Largest number of levels.
pub const MOST_LEVELS: usize = 200;

/// Distributes ranks over levels by their probabilities. Returns the sum of the levels.
fn scatter(ranks: u64, law: &[(usize, f64)], draws: &mut impl Rng, to: &mut Counts) -> u64 {
    let (mut left, mut sum) = (ranks, 0);
    for &(level, p) in law {
        if left == 0 {
            break;
        }
        let here = if p >= 1.0 { left } else { binomial(left, p, draws) };
        to.on[level] += here as f64;
        sum += here * level as u64;
        left -= here;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thorough::few_or_all;
    use rand::RngExt;

    /// Coupled or not, a step has the mean and variance of the chain at every level and keeps the
    /// number of ranks.
    #[test]
    fn coupled_steps_have_the_law_of_the_chain() {
        let walk = |hold: bool| {
            let (out, inward) = if hold { (0.75, 0.25) } else { (0.5, 0.5) };
            vec![
                vec![out, inward, 0.0, 0.0],
                vec![0.25, 0.5, 0.25, 0.0],
                vec![0.0, 0.25, 0.5, 0.25],
                vec![0.0, 0.0, inward, out],
            ]
        };
        let dense = vec![
            vec![0.4, 0.3, 0.2, 0.1],
            vec![0.0, 0.5, 0.0, 0.5],
            vec![0.25, 0.25, 0.25, 0.25],
            vec![0.9, 0.0, 0.1, 0.0],
        ];
        let apart = vec![
            vec![0.5, 0.0, 0.5, 0.0],
            vec![0.0, 0.5, 0.0, 0.5],
            vec![0.5, 0.0, 0.5, 0.0],
            vec![0.0, 1.0, 0.0, 0.0],
        ];
        for rows in [walk(true), walk(false), dense, apart] {
            let moves = Moves::new(&rows, 1);
            let mut from = Counts::none(4);
            from.on = vec![3.0, 5.0, 2.0, 4.0];
            from.settle();
            let mut to = from.clone();
            let runs = 20_000;
            for coupled in [true, false] {
                let mut draws = stream(9, u64::from(coupled));
                let mut means = [0.0; 4];
                let mut squares = 0.0;
                for run in 0..runs {
                    if coupled {
                        let events = moves.events(14, &mut draws);
                        let mut meeting = moves.meeting(14, run);
                        let total =
                            moves.step(&from, 14, events, &mut meeting, draws.random(), &mut to);
                        assert_eq!(total, to.total());
                    } else {
                        moves.step_apart(&from, &mut draws, &mut to);
                    }
                    assert_eq!(to.on.iter().sum::<f64>(), 14.0);
                    (0..4).for_each(|l| means[l] += to.on[l] / runs as f64);
                    squares += (to.total() as f64).powi(2) / runs as f64;
                }
                let mut expected = [0.0; 4];
                let (mut total, mut variance) = (0.0, 0.0);
                for (row, n) in rows.iter().zip(&from.on) {
                    let mean: f64 = row.iter().enumerate().map(|(l, p)| l as f64 * p).sum();
                    let square: f64 = row.iter().enumerate().map(|(l, p)| (l * l) as f64 * p).sum();
                    total += n * mean;
                    variance += n * (square - mean * mean);
                    (0..4).for_each(|l| expected[l] += n * row[l]);
                }
                for l in 0..4 {
                    assert!(
                        (means[l] - expected[l]).abs() < 0.08,
                        "{coupled} {means:?} {expected:?}"
                    );
                }
                let found = squares
                    - means.iter().enumerate().map(|(l, m)| l as f64 * m).sum::<f64>().powi(2);
                assert!(
                    (found - variance).abs() < 0.06 * variance,
                    "{coupled} {found} {variance} {total}"
                );
            }
        }
    }

    /// Runs of three ranks under the coupling have the expected cost of the chain.
    #[test]
    fn runs_cost_what_those_of_the_chain_do() {
        let row = |from: usize| {
            let mut row = vec![0.0; 9];
            row[(from + 1).min(8)] += 0.3;
            row[from.saturating_sub(1)] += 0.2;
            row[from] += 0.5;
            row
        };
        let rows: Vec<Vec<f64>> = (0..9).map(row).collect();
        let moves = Moves::new(&rows, 4);
        let mut law = vec![0.0; 9];
        law[4] = 1.0;
        let mut expected = 0.0;
        for _ in 0..15 {
            let to = |to: usize| law.iter().zip(&rows).map(|(p, row)| p * row[to]).sum();
            law = (0..9).map(to).collect();
            let mut below = 0.0;
            for (level, p) in law.iter().enumerate() {
                below += p;
                expected += 1.0 - f64::powi(below, 3) - level as f64 * p;
            }
        }
        let (runs, mut sum, mut squares) = (few_or_all(20_000, 100_000), 0.0, 0.0);
        let mut draws = stream(6, 0);
        let (mut x, mut y) = (Counts::none(9), Counts::none(9));
        for _ in 0..runs {
            x.split(3, 12);
            let mut cost = 0.0;
            for _ in 0..15 {
                let events = moves.events(3, &mut draws);
                let mut meeting = moves.meeting(3, draws.random());
                let total = moves.step(&x, 3, events, &mut meeting, draws.random(), &mut y);
                cost += y.top as f64 - total as f64 / 3.0;
                std::mem::swap(&mut x, &mut y);
            }
            sum += cost;
            squares += cost * cost;
        }
        let mean = sum / f64::from(runs);
        let error = ((squares / f64::from(runs) - mean * mean) / f64::from(runs)).sqrt();
        assert!((mean - expected).abs() < 4.0 * error, "{mean} {expected} {error}");
    }
}

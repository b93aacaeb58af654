//! Streaming estimate of drifts and spread, step by step.
//!
//! Power sums of changes over fixed lags replace the stored steps of [`super::increments`].
//! O(ranks) time per step, O(ranks) memory.

use super::increments::Increments;
use super::spread::{Changes, Spread, centre, centre_some, is_measured};
use crate::fit::blocks::Blocks;
use crate::fit::level::{excursion, outlying};
use crate::record::{Record, mean};
use std::ops::Range;

/// Lags over which changes are summed.
const LAGS: [usize; 4] = [1, 2, 4, 8];

/// Number of stored steps: more than the longest lag plus the two steps after the one being added.
const KEPT: usize = 16;

/// Adds the powers of the change of one rank.
fn add_power(sums: &mut [f64; POWERS], change: f64) {
    let square = change * change;
    let powers = [1.0, change, square, square * change, square * square];
    sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
}

/// The same for each rank.
fn add_powers(sums: &mut [f64], changes: &[f64]) {
    let (sums, _) = sums.as_chunks_mut::<POWERS>();
    sums.iter_mut().zip(changes).for_each(|(sums, change)| add_power(sums, *change));
}

/// Powers of changes, from the zeroth (the count) on; relative to the initial drift and minus the
/// mean over the ranks.
const POWERS: usize = 5;
type Powers = [f64; POWERS];

/// Sums over the changes of each rank. Outliers are judged by the spread at the beginning of the
/// run. The sums depend only on a few steps before and after, not on where the run began.
#[derive(Debug, Clone)]
pub(in crate::fit) struct Changing {
    /// Outlier limit and drift of each rank, from the beginning of the run.
    outlying: Vec<f64>,
    drifts: Vec<f64>,
    /// The steps that are counted.
    pub own: Range<usize>,
    /// Number of the next step, and the last row.
    pub steps: usize,
    row: Vec<f64>,
    /// Ring buffers by rank: gains over one, two and four steps as if nothing had been remapped,
    /// and corrections of outliers.
    one: Vec<f64>,
    two: Vec<f64>,
    four: Vec<f64>,
    moved: Vec<f64>,
    /// Ring buffer of the ranks whose time was filled in; empty where there was none.
    filled: Vec<Vec<bool>>,
    /// Room for the changes of one step.
    changes: Vec<f64>,
    /// The next step to be added.
    cleaned: usize,
    pub outliers: usize,
    /// Steps since the last remap, including the latest step.
    since: usize,
    /// Ring buffer of `since`.
    since_remap: [usize; KEPT],
    /// For each lag and rank, [`Powers`]; then the total gain of each rank; then, for each lag, the
    /// powers of changes over remaps alone; then their number.
    pub sums: Blocks,
}

/// Sizes of the parts of [`Changing::sums`] for so many ranks.
fn parts(ranks: usize) -> [usize; 4] {
    let powers = LAGS.len() * POWERS * ranks;
    [powers, ranks, powers, LAGS.len()]
}

impl Changing {
    /// Empty sums for a run that begins like this record of at least five steps. The first step
    /// passed has number `first`, and those from number `own` on are counted.
    pub fn new(beginning: &Record, own: usize, first: usize) -> Changing {
        let (ranks, steps) = (beginning.ranks(), beginning.steps());
        let column = |rank: usize| (0..steps).map(|step| beginning.path(step)[rank]).collect();
        let limit = |rank: usize| {
            let column: Vec<f64> = column(rank);
            outlying(&column, &mut Vec::new())
        };
        let (start, last) = (beginning.path(0), beginning.path(steps - 1));
        let drift = |(start, last): (&f64, &f64)| (last - start) / (steps - 1) as f64;
        let ring = || vec![0.0; KEPT * ranks];
        Changing {
            outlying: (0..ranks).map(limit).collect(),
            drifts: start.iter().zip(last).map(drift).collect(),
            own: own..usize::MAX,
            steps: first,
            row: Vec::new(),
            one: ring(),
            two: ring(),
            four: ring(),
            moved: ring(),
            filled: vec![Vec::new(); KEPT],
            changes: vec![0.0; ranks],
            cleaned: first,
            outliers: 0,
            since: usize::MAX,
            since_remap: [usize::MAX; KEPT],
            sums: Blocks::new(parts(ranks).iter().sum(), own > 0),
        }
    }

    /// Index of a rank and step in a ring buffer.
    #[inline(always)]
    fn at(&self, step: usize, rank: usize) -> usize {
        step % KEPT * self.row.len() + rank
    }

    /// Adds the next step; some of its times may be `filled` in.
    pub fn step(&mut self, row: &[f64], filled: &[bool], remapped: bool) {
        let step = self.steps;
        let kept = &mut self.filled[step % KEPT];
        kept.clear();
        kept.extend(filled);
        if self.row.is_empty() {
            self.row = row.to_vec();
        } else {
            self.since = if remapped { 0 } else { self.since.saturating_add(1) };
            self.since_remap[step % KEPT] = self.since;
            let balanced = remapped.then(|| mean(&self.row));
            let ranks = row.len();
            let [now, before, second] = [0, 1, 2].map(|back| (step + KEPT - back) % KEPT * ranks);
            for (rank, (seconds, last)) in row.iter().zip(&mut self.row).enumerate() {
                let one = seconds - balanced.unwrap_or(*last);
                let two = one + self.one[before + rank];
                self.one[now + rank] = one;
                self.two[now + rank] = two;
                self.four[now + rank] = two + self.two[second + rank];
                *last = *seconds;
            }
        }
        self.steps += 1;
        match self.steps {
            0..=4 => {}
            // The first two steps do not have two predecessors.
            5 => (0..3).for_each(|step| self.judge(step)),
            _ => self.judge(step - 2),
        }
    }

    /// Processes a step that has two successors: corrects its outliers and adds it.
    fn judge(&mut self, step: usize) {
        if step < self.cleaned {
            return;
        }
        if step >= 2 {
            for rank in 0..self.row.len() {
                let limit = self.outlying[rank];
                let [here, next] = [step, step + 1].map(|step| self.one[self.at(step, rank)]);
                let place = self.at(step, rank);
                self.moved[place] = 0.0;
                let [before, after] = [step, step + 2].map(|step| self.two[self.at(step, rank)]);
                if let Some(middle) = excursion([-before, -here, 0.0, next, after], limit) {
                    self.moved[place] = middle;
                    self.outliers += usize::from(self.own.contains(&step));
                }
            }
        }
        self.add(step);
    }

    /// Adds the changes up to this step.
    fn add(&mut self, step: usize) {
        self.cleaned = step + 1;
        if !self.own.contains(&step) {
            return;
        }
        let ranks = self.row.len();
        let ring = |step: usize| step % KEPT * ranks..(step % KEPT + 1) * ranks;
        let here = ring(step);
        let since = self.since_remap[step % KEPT];
        let [all, gained, over, _] = parts(ranks);
        let (powers, rest) = self.sums.now.split_at_mut(all);
        let (totals, rest) = rest.split_at_mut(gained);
        let (over_remaps, counts) = rest.split_at_mut(over);
        let each = |powers| <[f64]>::chunks_exact_mut(powers, POWERS * ranks);
        let sums = each(powers).zip(each(over_remaps)).zip(counts);
        for (lag, ((sums, over_remaps), count)) in LAGS.into_iter().zip(sums) {
            if lag > step {
                continue;
            }
            let over_remap = since < lag;
            let before = ring(step - lag);
            let (gained, further) = match lag {
                1 => (&self.one[here.clone()], None),
                2 => (&self.two[here.clone()], None),
                4 => (&self.four[here.clone()], None),
                _ => (&self.four[here.clone()], Some(&self.four[ring(step - 4)])),
            };
            for (rank, (change, gained)) in self.changes.iter_mut().zip(gained).enumerate() {
                let gained = gained + further.map_or(0.0, |further| further[rank]);
                let moved = self.moved[here.start + rank] - self.moved[before.start + rank];
                if lag == 1 {
                    totals[rank] += gained + moved;
                }
                *change = gained + moved - lag as f64 * self.drifts[rank];
            }
            let ends = [step, step - lag].map(|step| self.filled[step % KEPT].as_slice());
            if ends.iter().any(|filled| !filled.is_empty()) {
                let both = if over_remap { vec![sums, over_remaps] } else { vec![sums] };
                add_measured(both, &self.changes, ends);
            } else {
                centre(&mut self.changes);
                add_powers(sums, &self.changes);
                if over_remap {
                    add_powers(over_remaps, &self.changes);
                }
            }
            *count += f64::from(u8::from(over_remap));
        }
        self.sums.after(step);
    }

    /// Ends the run: its last two steps have no successors and are taken without correction.
    pub fn end(&mut self) {
        for step in self.cleaned..self.steps {
            let ranks = self.row.len();
            self.moved[step % KEPT * ranks..(step % KEPT + 1) * ranks].fill(0.0);
            self.add(step);
        }
    }

    /// The result for `remaps` remaps, after the end of the run.
    pub fn increments(self, remaps: usize) -> Option<Increments> {
        let (steps, ranks) = (self.steps, self.row.len());
        if Spread::lags(steps) != LAGS[2..] {
            return None;
        }
        let sums = self.sums.sums();
        let [all, gained, over, _] = parts(ranks);
        let (powers, rest) = sums.split_at(all);
        let (totals, rest) = rest.split_at(gained);
        let (over_remaps, counts) = rest.split_at(over);
        let drifts: Vec<f64> = totals.iter().map(|total| total / (steps - 1) as f64).collect();
        // Relative to the drifts of the whole run.
        let mut further: Vec<f64> = drifts.iter().zip(&self.drifts).map(|(a, b)| a - b).collect();
        centre(&mut further);
        let each = |powers| <[f64]>::chunks_exact(powers, POWERS * ranks);
        let powers: Vec<(&[f64], &[f64])> = each(powers).zip(each(over_remaps)).collect();
        let found = |[near, far]: [usize; 2], between: bool| {
            // The squares, the fourth powers, and the number of changes.
            let over = |lag: usize| {
                let (all, over_remaps) = (powers[lag].0, powers[lag].1);
                let off = LAGS[lag] as f64;
                let mut sum = [0.0; 3];
                for (rank, further) in further.iter().enumerate() {
                    let power = |power: usize| {
                        let at = rank * POWERS + power;
                        if between { all[at] - over_remaps[at] } else { all[at] }
                    };
                    let powers = [0, 1, 2, 3, 4].map(power);
                    let [square, fourth] = around(off * further, powers);
                    sum = [sum[0] + square, sum[1] + fourth, sum[2] + powers[0]];
                }
                let [square, fourth, count] = sum;
                [square / count.max(1.0), fourth / count.max(1.0), count]
            };
            let [[single, fourth, _], [short, ..], [long, _, count]] = [0, near, far].map(over);
            let share = count / ((steps - LAGS[far]) * ranks) as f64;
            let lags = [LAGS[near], LAGS[far]];
            Changes { lags, share, squares: [short, long], single, fourth }
        };
        let lags = [[2, 3], [0, 1]].into_iter().filter(|_| counts[3] > 0.0);
        let between = lags.map(|lags| found(lags, true));
        let spread = Spread::between_remaps(&found([2, 3], false), between, ranks, steps);
        Some(Increments::judged(drifts, spread, self.outliers, steps, remaps))
    }
}

/// Adds the powers of changes with both ends measured.
fn add_measured(sums: Vec<&mut [f64]>, changes: &[f64], filled: [&[bool]; 2]) {
    let measured: Vec<usize> =
        (0..changes.len()).filter(|rank| is_measured(filled, *rank)).collect();
    let mut some = measured.iter().map(|rank| changes[*rank]).collect();
    centre_some(&mut some, changes.len());
    for sums in sums {
        let (sums, _) = sums.as_chunks_mut::<POWERS>();
        measured.iter().zip(&some).for_each(|(rank, change)| add_power(&mut sums[*rank], *change));
    }
}

/// Sums of squares and fourth powers of changes about a drift shifted by `off`, from sums of their
/// powers.
fn around(off: f64, [count, one, two, three, four]: Powers) -> [f64; 2] {
    let square = two - 2.0 * off * one + count * off * off;
    let fourth = four - 4.0 * off * three + 6.0 * off * off * two - 4.0 * off.powi(3) * one
        + count * off.powi(4);
    [square.max(0.0), fourth.max(0.0)]
}

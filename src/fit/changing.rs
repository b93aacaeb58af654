//! Drifts and spread of steps that come one by one.

use super::increments::Increments;
use super::level::{median, outlying};
use super::spread::{Changes, Spread};
use crate::record::{Record, mean};

/// Lags over which changes are added up.
const LAGS: [usize; 3] = [1, 4, 8];

/// Steps kept: the longest lag, and one.
const KEPT: usize = 9;

/// Powers of changes, around the drift of the beginning.
type Powers = [f64; 4];

/// Sums over the changes of each rank. Values far off are told by how far off they usually were in the
/// beginning.
#[derive(Debug, Clone)]
pub(super) struct Changing {
    /// Beyond which a value of a rank counts as an outlier, and its drift; both of the beginning.
    outlying: Vec<f64>,
    drifts: Vec<f64>,
    /// Steps taken in, and the last one.
    steps: usize,
    row: Vec<f64>,
    /// Where every rank would be had nothing been remapped, in the last five steps in turn.
    paths: [Vec<f64>; 5],
    /// The same without outliers: the first step, and the last of them in turn.
    first: Vec<f64>,
    clean: Vec<Vec<f64>>,
    cleaned: usize,
    outliers: usize,
    /// For each lag, of each rank.
    sums: [Vec<Powers>; 3],
}

impl Changing {
    /// Nothing yet of a run that begins as this record of at least five steps does.
    pub fn new(beginning: &Record) -> Changing {
        let (ranks, steps) = (beginning.ranks(), beginning.steps());
        let column = |rank: usize| (0..steps).map(|step| beginning.path(step)[rank]).collect();
        let limit = |rank: usize| {
            let column: Vec<f64> = column(rank);
            outlying(&column)
        };
        let (first, last) = (beginning.path(0), beginning.path(steps - 1));
        let drift = |(first, last): (&f64, &f64)| (last - first) / (steps - 1) as f64;
        Changing {
            outlying: (0..ranks).map(limit).collect(),
            drifts: first.iter().zip(last).map(drift).collect(),
            steps: 0,
            row: Vec::new(),
            paths: std::array::from_fn(|_| vec![0.0; ranks]),
            first: Vec::new(),
            clean: vec![vec![0.0; ranks]; KEPT],
            cleaned: 0,
            outliers: 0,
            sums: std::array::from_fn(|_| vec![Powers::default(); ranks]),
        }
    }

    /// Takes in the next step.
    pub fn step(&mut self, row: &[f64], remapped: bool) {
        let now = self.steps % 5;
        if self.steps == 0 {
            self.paths[0].copy_from_slice(row);
            self.row = row.to_vec();
        } else {
            let balanced = mean(&self.row);
            let before = (self.steps - 1) % 5;
            for (rank, (seconds, last)) in row.iter().zip(&mut self.row).enumerate() {
                let from = if remapped { balanced } else { *last };
                self.paths[now][rank] = self.paths[before][rank] + seconds - from;
                *last = *seconds;
            }
        }
        self.steps += 1;
        match self.steps {
            0..=4 => {}
            // The first two have no two before them.
            5 => (0..3).for_each(|step| self.judge(step)),
            many => self.judge(many - 3),
        }
    }

    /// Takes in a step that has two after it, without its outliers.
    fn judge(&mut self, step: usize) {
        if step < 2 {
            return self.add(step, None);
        }
        let far = |rank: usize| {
            let value = |at: usize| self.paths[at % 5][rank];
            let (own, limit) = (value(step), self.outlying[rank]);
            // Where both neighbours are near, the median of the five is.
            let near = |at: usize| (value(at) - own).abs() <= limit;
            if near(step - 1) && near(step + 1) {
                return None;
            }
            let middle = median(std::array::from_fn(|at| value(step - 2 + at)));
            ((own - middle).abs() > limit).then_some((rank, middle))
        };
        let found: Vec<(usize, f64)> = (0..self.row.len()).filter_map(far).collect();
        self.outliers += found.len();
        self.add(step, Some(&found));
    }

    /// Adds up the changes to this step.
    fn add(&mut self, step: usize, replaced: Option<&[(usize, f64)]>) {
        let now = step % KEPT;
        self.clean[now].copy_from_slice(&self.paths[step % 5]);
        for (rank, value) in replaced.unwrap_or_default() {
            self.clean[now][*rank] = *value;
        }
        if step == 0 {
            self.first.clone_from(&self.clean[0]);
        }
        for (lag, sums) in LAGS.into_iter().zip(&mut self.sums) {
            if lag > step {
                continue;
            }
            let ends = self.clean[now].iter().zip(&self.clean[(step - lag) % KEPT]);
            for ((sum, (to, from)), drift) in sums.iter_mut().zip(ends).zip(&self.drifts) {
                let change = to - from - lag as f64 * drift;
                let square = change * change;
                let powers = [change, square, square * change, square * square];
                sum.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
            }
        }
        self.cleaned = step + 1;
    }

    /// What there was in all, with so many remaps.
    pub fn increments(mut self, remaps: usize) -> Option<Increments> {
        let (steps, ranks) = (self.steps, self.row.len());
        if Spread::lags(steps) != LAGS[1..] {
            return None;
        }
        (self.cleaned..steps).for_each(|step| self.add(step, None));
        let length = (steps - 1) as f64;
        let last = &self.clean[(steps - 1) % KEPT];
        let drifts: Vec<f64> =
            self.first.iter().zip(last).map(|(first, last)| (last - first) / length).collect();
        // Around the drifts of the whole.
        let around = |lag: usize, [one, two, three, four]: Powers, rank: usize| {
            let off = LAGS[lag] as f64 * (drifts[rank] - self.drifts[rank]);
            let count = (steps - LAGS[lag]) as f64;
            let square = two - 2.0 * off * one + count * off * off;
            let fourth = four - 4.0 * off * three + 6.0 * off * off * two - 4.0 * off.powi(3) * one
                + count * off.powi(4);
            [square.max(0.0), fourth.max(0.0)]
        };
        let over = |lag: usize| {
            let all = self.sums[lag].iter().enumerate();
            let all = all.map(|(rank, sums)| around(lag, *sums, rank));
            let sum = all.fold([0.0; 2], |sum, found| [sum[0] + found[0], sum[1] + found[1]]);
            sum.map(|sum| sum / ((steps - LAGS[lag]) as f64 * ranks as f64))
        };
        let [[single, fourth], [near, _], [far, _]] = [0, 1, 2].map(over);
        let found = Changes { squares: [near, far], single, fourth };
        let spread = Spread::from_changes(&found, ranks, steps);
        Some(Increments::judged(drifts, spread, self.outliers, steps, remaps))
    }
}

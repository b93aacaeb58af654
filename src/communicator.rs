//! What processes that solve one problem together ask of the system that connects them.

use std::borrow::Cow;
use std::ops::Range;

/// Which part of every vector each rank has, and which part it needs to move its own.
///
/// ```
/// use remapping::communicator::Shares;
///
/// // Ten entries on two ranks, which need one entry of each other.
/// let shares = Shares::new(vec![0, 5, 10], vec![0..6, 4..10]);
/// assert_eq!((shares.own(1), shares.window(1)), (5..10, 4..10));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    starts: Vec<usize>,
    windows: Vec<Range<usize>>,
}

impl Shares {
    /// Rank k has the entries from `starts[k]` to the next start, and needs those of `windows[k]`.
    ///
    /// # Panics
    /// When starts do not ascend from 0, are not one more than the windows, or a window has not all
    /// that is the rank's own.
    pub fn new(starts: Vec<usize>, windows: Vec<Range<usize>>) -> Self {
        assert!(starts.first() == Some(&0) && starts.len() == windows.len() + 1);
        for (own, window) in starts.windows(2).zip(&windows) {
            assert!(window.start <= own[0] && own[0] <= own[1] && own[1] <= window.end);
        }
        Self { starts, windows }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.windows.len()
    }

    /// The number of entries of all ranks.
    pub fn total(&self) -> usize {
        self.starts[self.ranks()]
    }

    /// What this rank has.
    pub fn own(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// What this rank needs: its own, and some before and after that.
    pub fn window(&self, rank: usize) -> Range<usize> {
        self.windows[rank].clone()
    }

    /// So many numbers in nearly equal parts, one for each rank.
    pub(crate) fn evenly(count: usize, ranks: usize) -> Vec<usize> {
        let place = |rank: usize| (count as u128 * rank as u128 / ranks as u128) as usize;
        (0..=ranks).map(place).collect()
    }
}

/// `(I - P) x = right`, of which every rank has a part.
pub struct Equations<'e> {
    /// Writes the own part of `(I - P) x`, given that of x; all ranks call it together.
    pub apply: &'e mut dyn FnMut(&[f64], &mut [f64]),
    /// Writes the own part of the diagonal of that operator; asked for only where it is needed.
    pub diagonal: &'e mut dyn FnMut(&mut [f64]),
    /// Whether to stop before the goal; all ranks ask together before each step.
    pub halts: &'e mut dyn FnMut() -> bool,
    /// Whether I - P is symmetric and positive definite.
    pub symmetric: bool,
    /// The right side.
    pub right: &'e [f64],
    /// The root of the sum of all squared residuals at which to stop.
    pub goal: f64,
    /// The most applications.
    pub limit: u64,
}

/// Where an iteration stands, so that another run can continue it to the same bits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing<'s> {
    /// Numbers that all ranks have alike; floating-point ones by their bits.
    pub words: Vec<u64>,
    /// The own parts of vectors.
    pub vectors: Vec<Cow<'s, [f64]>>,
}

/// Ranks that solve one problem, each with its own part of every vector. All call the same methods
/// in the same order.
pub trait Communicator: Send + Sync {
    /// The number of this one, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Receives what this rank's window holds `below` and `above` its own entries.
    fn exchange(&self, shares: &Shares, own: &[f64], below: &mut [f64], above: &mut [f64]);

    /// Each number becomes the largest that any rank has in its place.
    fn largest(&self, numbers: &mut [f64]);

    /// The numbers of all ranks in their order, on all of them.
    fn gather(&self, own: &[f64]) -> Vec<f64>;

    /// The same on rank 0 only; nothing on others.
    fn collect(&self, own: &[f64]) -> Vec<f64>;

    /// The most entries of all ranks that [`solve`](Self::solve) can take.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Seconds of a processor that this rank has worked so far, not counting what it waits and
    /// sends; 0 where nobody measures that.
    fn busy(&self) -> f64 {
        0.0
    }

    /// Improves the own part of x; returns the number of applications, 0 if nothing could be done.
    fn solve(&self, equations: Equations<'_>, x: &mut [f64]) -> u64;

    /// What [`save`](Self::save) has kept of an earlier run, if anything. Each iteration asks once,
    /// before its first step: the iterations of a problem are told apart by their order.
    fn resume(&self, _shares: &Shares) -> Option<Standing<'static>> {
        None
    }

    /// May keep where the iteration stands; `is_last` if it stops here before its end.
    fn save<'s>(&self, _shares: &Shares, _standing: &dyn Fn() -> Standing<'s>, _is_last: bool) {}
}

//! The interface between a solver and the system that connects its ranks: distributed vectors,
//! collective operations, saved states.

use std::borrow::Cow;
use std::ops::Range;

/// For each rank the part of every vector that it owns, and the window that it needs to compute its
/// own part.
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
    /// Rank k owns the entries from `starts[k]` to the next start, and needs those of `windows[k]`.
    ///
    /// # Panics
    /// Unless `starts` ascends from 0 with one more entry than `windows`, and every window contains
    /// the rank's own entries.
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

    /// The entries that this rank owns.
    pub fn own(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// The entries that this rank needs: its own, and some before and after them.
    pub fn window(&self, rank: usize) -> Range<usize> {
        self.windows[rank].clone()
    }

    /// Splits `count` numbers into almost equal parts, one per rank.
    pub(crate) fn evenly(count: usize, ranks: usize) -> Vec<usize> {
        let place = |rank: usize| (count as u128 * rank as u128 / ranks as u128) as usize;
        (0..=ranks).map(place).collect()
    }
}

/// The linear system `(I - P) x = right`, of which every rank has a part.
pub struct Equations<'e> {
    /// Writes the own part of `(I - P) x`, given that of x; a collective call.
    pub apply: &'e mut dyn FnMut(&[f64], &mut [f64]),
    /// Writes the own part of the diagonal of that operator; called only if the solver needs it.
    pub diagonal: &'e mut dyn FnMut(&mut [f64]),
    /// Whether to halt before the goal; a collective call before each step.
    pub halts: &'e mut dyn FnMut() -> bool,
    /// Whether I - P is symmetric and positive definite.
    pub symmetric: bool,
    /// The own part of the right-hand side.
    pub right: &'e [f64],
    /// The Euclidean norm of the residual at which to stop.
    pub goal: f64,
    /// Most applications of the operator.
    pub limit: u64,
}

/// The state of an iteration, from which another run can continue with bitwise equal results.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing<'s> {
    /// Numbers that are equal on all ranks; floating-point numbers by their bits.
    pub words: Vec<u64>,
    /// The own parts of vectors.
    pub vectors: Vec<Cow<'s, [f64]>>,
}

/// Ranks that solve one problem, each with its own part of every vector. All ranks call the same
/// methods in the same order.
pub trait Communicator: Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Receives the entries of this rank's window `below` and `above` its own ones.
    fn exchange(&self, shares: &Shares, own: &[f64], below: &mut [f64], above: &mut [f64]);

    /// Replaces each number by its maximum over all ranks.
    fn largest(&self, numbers: &mut [f64]);

    /// The numbers of all ranks, concatenated in their order, on all ranks.
    fn gather(&self, own: &[f64]) -> Vec<f64>;

    /// The same on rank 0 only; empty on others.
    fn collect(&self, own: &[f64]) -> Vec<f64> {
        let all = self.gather(own);
        if self.rank() == 0 { all } else { Vec::new() }
    }

    /// Most entries of all ranks that [`solve`](Self::solve) supports.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Processor seconds this rank has computed so far, without waiting and communication; 0 if
    /// they are not measured.
    fn busy(&self) -> f64 {
        0.0
    }

    /// Improves the own part of x. Returns the number of applications; 0 if no progress was
    /// possible.
    fn solve(&self, equations: Equations<'_>, x: &mut [f64]) -> u64;

    /// The state that [`save`](Self::save) kept in an earlier run, if any. Each iteration calls it
    /// once, before its first step; iterations of a problem are identified by their order.
    fn resume(&self, _shares: &Shares) -> Option<Standing<'static>> {
        None
    }

    /// May save the state of the iteration; `is_last` if it halts here before its end.
    fn save<'s>(&self, _shares: &Shares, _standing: &dyn Fn() -> Standing<'s>, _is_last: bool) {}
}

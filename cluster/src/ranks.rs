//! The ranks of an MPI program as those of the engine.

use crate::checkpoint::Checkpoint;
use crate::ffi;
use remapping::communicator::{Communicator, Equations, Shares, Standing};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// All ranks of the program.
pub struct Ranks {
    rank: usize,
    ranks: usize,
    checkpoint: Mutex<Option<Checkpoint>>,
    /// Seconds of processors between calls, up to the latest, and when that ended.
    busy: Mutex<[f64; 2]>,
}

/// A call of the others, in which they are waited for.
struct Call<'c>(&'c Mutex<[f64; 2]>);

impl<'c> Call<'c> {
    fn begin(busy: &'c Mutex<[f64; 2]>) -> Self {
        let mut times = busy.lock().unwrap_or_else(PoisonError::into_inner);
        times[0] += ffi::worked() - times[1];
        Self(busy)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[1] = ffi::worked();
    }
}

impl Ranks {
    /// Starts MPI and PETSc.
    pub fn start() -> Self {
        let (rank, ranks) = ffi::start();
        Self { rank, ranks, checkpoint: Mutex::new(None), busy: Mutex::new([0.0; 2]) }
    }

    /// Where the next value iteration is saved now and then, and taken up from.
    pub fn set_checkpoint(&self, checkpoint: Option<Checkpoint>) -> Option<Checkpoint> {
        let mut place = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, checkpoint)
    }

    /// The text that rank 0 has, on all.
    pub fn tell(&self, text: &str) -> String {
        let mut length = [0; 8];
        if self.rank == 0 {
            length = (text.len() as u64).to_le_bytes();
        }
        ffi::broadcast(&mut length);
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        if self.rank == 0 {
            bytes.copy_from_slice(text.as_bytes());
        }
        ffi::broadcast(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether this is so on all ranks.
    pub fn all(&self, own: bool) -> bool {
        let mut fails = [if own { 0.0 } else { 1.0 }];
        ffi::largest(&mut fails);
        fails == [0.0]
    }

    /// The texts of all ranks that have one, with their ranks.
    pub fn hear(&self, own: Option<&str>) -> Vec<(usize, String)> {
        let bytes: Vec<f64> = own.unwrap_or_default().bytes().map(f64::from).collect();
        let counts = ffi::counts(bytes.len() as i64, self.ranks);
        let mut all = ffi::gather(&bytes, &counts, None, self.rank).into_iter();
        let told = counts.iter().enumerate().map(|(rank, count)| {
            let text: Vec<u8> = all.by_ref().take(*count as usize).map(|x| x as u8).collect();
            (rank, String::from_utf8_lossy(&text).into_owned())
        });
        told.filter(|(_, text)| !text.is_empty()).collect()
    }
}

/// What is in both.
fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl Communicator for Ranks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn exchange(&self, shares: &Shares, own: &[f64], below: &mut [f64], above: &mut [f64]) {
        let _call = Call::begin(&self.busy);
        let (mine, window) = (shares.own(self.rank), shares.window(self.rank));
        let mut receives = Vec::new();
        let mut sends = Vec::new();
        let (mut below, mut above) = (below, above);
        for other in (0..self.ranks).filter(|other| *other != self.rank) {
            // Others lie below or above as a whole, and in order.
            let wanted = common(&window, &shares.own(other));
            if !wanted.is_empty() {
                let rest = if other < self.rank { &mut below } else { &mut above };
                let (part, left) = std::mem::take(rest).split_at_mut(wanted.len());
                *rest = left;
                receives.push((other, part));
            }
            let given = common(&shares.window(other), &mine);
            if !given.is_empty() {
                sends.push((other, &own[given.start - mine.start..given.end - mine.start]));
            }
        }
        ffi::exchange(&mut receives, &sends);
    }

    fn largest(&self, numbers: &mut [f64]) {
        let _call = Call::begin(&self.busy);
        ffi::largest(numbers);
    }

    fn gather(&self, own: &[f64]) -> Vec<f64> {
        let _call = Call::begin(&self.busy);
        let counts = ffi::counts(own.len() as i64, self.ranks);
        ffi::gather(own, &counts, None, self.rank)
    }

    fn collect(&self, own: &[f64]) -> Vec<f64> {
        let _call = Call::begin(&self.busy);
        let counts = ffi::counts(own.len() as i64, self.ranks);
        ffi::gather(own, &counts, Some(0), self.rank)
    }

    fn busy(&self) -> f64 {
        let [sum, since] = *self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        sum + ffi::worked() - since
    }

    fn most(&self) -> usize {
        ffi::most_entries()
    }

    fn solve(&self, equations: Equations<'_>, x: &mut [f64]) -> u64 {
        let Equations { apply, diagonal, halts, symmetric, right, goal, limit } = equations;
        let mut applications = 0;
        let mut counted = |x: &[f64], image: &mut [f64]| {
            applications += 1;
            apply(x, image);
        };
        // Why it stopped does not matter: what is left of the right side is looked at.
        let calls = ffi::Calls { apply: &mut counted, diagonal, halts };
        let _ = ffi::solve(calls, symmetric, right, x, (goal, limit));
        applications
    }

    fn resume(&self, shares: &Shares) -> Option<Standing<'static>> {
        let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        checkpoint.as_mut()?.resume(self, shares)
    }

    fn save<'s>(&self, shares: &Shares, standing: &dyn Fn() -> Standing<'s>, is_last: bool) {
        let mut checkpoint = self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(checkpoint) = checkpoint.as_mut() {
            checkpoint.save(self, shares, standing, is_last);
        }
    }
}

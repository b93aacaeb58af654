//! The substochastic operator: `I - P` on the states that continue, for functions that are 0
//! elsewhere. The chain is killed where the policy stops.
//!
//! These states may be few, so functions on them are stored packed, in the order of the states. One
//! application costs one of P plus O(states).

use super::vector;
use crate::chain::Operator;
use crate::stopping::Problem;
use nalgebra::DMatrix;

/// Consecutive states that continue.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The first of them, and its position among all that continue.
    state: usize,
    place: usize,
    length: usize,
}

/// Longest run; longer ones are split so that threads can share them.
const LONGEST: usize = 1 << 12;

/// The operator with its work vectors.
pub(in crate::stopping) struct Killed<'a> {
    operator: &'a dyn Operator,
    runs: Vec<Run>,
    function: Vec<f64>,
    image: Vec<f64>,
}

impl<'a> Killed<'a> {
    pub fn new(problem: &'a Problem, continues: &[bool]) -> Self {
        let n = continues.len();
        let (mut runs, mut place, mut state) = (Vec::new(), 0, 0);
        while let Some(skipped) = continues[state..].iter().position(|goes_on| *goes_on) {
            state += skipped;
            let rest = continues[state..n.min(state + LONGEST)].iter();
            let length = rest.take_while(|goes_on| **goes_on).count();
            runs.push(Run { state, place, length });
            (state, place) = (state + length, place + length);
        }
        let operator = &*problem.operator;
        Self { operator, runs, function: vec![0.0; n], image: vec![0.0; n] }
    }

    /// Number of states that continue.
    pub fn count(&self) -> usize {
        self.runs.last().map_or(0, |run| run.place + run.length)
    }

    /// The states that continue, in order.
    pub fn states(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().flat_map(|run| run.state..run.state + run.length)
    }

    /// The values of a function on the states that continue.
    pub fn pack(&self, function: &[f64]) -> Vec<f64> {
        let mut packed = vec![0.0; self.count()];
        pack(&self.runs, function, &mut packed);
        packed
    }

    /// Writes packed values to the states that continue.
    pub fn unpack(&self, packed: &[f64], function: &mut [f64]) {
        unpack(&self.runs, packed, function, 0);
    }

    /// A handle that computes the diagonal of I - P on demand.
    pub fn diagonal(&self) -> Diagonal<'a> {
        Diagonal { operator: self.operator, runs: self.runs.clone() }
    }

    /// `out = x - P x`.
    pub fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        unpack(&self.runs, x, &mut self.function, 0);
        self.operator.apply_into(&self.function, &mut self.image);
        pack(&self.runs, &self.image, out);
        vector::update_from(out, [x], move |image, [x]| x - image);
    }

    /// The matrix of [`apply`](Self::apply), for few states.
    pub fn matrix(&mut self) -> DMatrix<f64> {
        let n = self.count();
        let (mut unit, mut matrix) = (vec![0.0; n], DMatrix::zeros(n, n));
        for (j, mut column) in matrix.column_iter_mut().enumerate() {
            unit[j] = 1.0;
            self.apply(&unit, column.as_mut_slice());
            unit[j] = 0.0;
        }
        matrix
    }
}

/// The diagonal of I - P on the states that continue.
pub(in crate::stopping) struct Diagonal<'a> {
    operator: &'a dyn Operator,
    runs: Vec<Run>,
}

impl Diagonal<'_> {
    /// Writes the diagonal; 1 in a state that is never left, and everywhere if the operator does
    /// not know it.
    pub fn write(&self, out: &mut [f64]) {
        let Some(staying) = self.operator.staying() else { return out.fill(1.0) };
        pack(&self.runs, &staying, out);
        vector::update(out, |_, p| if p < 1.0 { 1.0 - p } else { 1.0 });
    }
}

/// Splits the runs into two halves if two threads pay.
fn halves(runs: &[Run]) -> Option<(&[Run], &[Run])> {
    let [first, .., last] = runs else { return None };
    let many = last.place - first.place >= vector::PARALLEL;
    many.then(|| runs.split_at(runs.len() / 2))
}

/// Packs a function; `packed` begins with the first of these runs.
fn pack(runs: &[Run], function: &[f64], mut packed: &mut [f64]) {
    if let Some((left, right)) = halves(runs) {
        let (packed, rest) = packed.split_at_mut(right[0].place - left[0].place);
        rayon::join(|| pack(left, function, packed), || pack(right, function, rest));
        return;
    }
    for run in runs {
        let (part, rest) = packed.split_at_mut(run.length);
        part.copy_from_slice(&function[run.state..run.state + run.length]);
        packed = rest;
    }
}

/// Unpacks a function; `function` begins with state `start`.
fn unpack(runs: &[Run], packed: &[f64], function: &mut [f64], start: usize) {
    if let Some((left, right)) = halves(runs) {
        let middle = right[0].state;
        let (function, rest) = function.split_at_mut(middle - start);
        let unpack_left = || unpack(left, packed, function, start);
        rayon::join(unpack_left, || unpack(right, packed, rest, middle));
        return;
    }
    for run in runs {
        let part = &mut function[run.state - start..][..run.length];
        part.copy_from_slice(&packed[run.place..run.place + run.length]);
    }
}

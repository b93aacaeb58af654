//! Progress of long computations, and how a caller halts them.

use std::ops::ControlFlow;

/// Why a caller halted a computation before it converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// The caller's time limit was reached.
    TimeLimit,
    /// Memory is almost exhausted.
    MemoryLimit,
    /// The caller was interrupted.
    Interrupted,
}

impl Halt {
    const ALL: [Halt; 3] = [Halt::TimeLimit, Halt::MemoryLimit, Halt::Interrupted];

    /// A number by which ranks agree on one of several halts, by the maximum; 0 means none.
    pub fn code(halt: Option<Halt>) -> f64 {
        let place = Self::ALL.iter().position(|other| Some(*other) == halt);
        place.map_or(0.0, |place| place as f64 + 1.0)
    }

    /// The halt of a [`code`](Self::code).
    pub fn of_code(code: f64) -> Option<Halt> {
        Self::ALL.into_iter().find(|halt| Self::code(Some(*halt)) == code)
    }
}

/// How a computation ended. Bounds hold whatever the status is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The requested accuracy is reached.
    Converged,
    /// A limit on iterations, segments or precision was reached first.
    IterationLimit,
    /// The caller's time limit was reached first.
    TimeLimit,
    /// Memory was almost exhausted first.
    MemoryLimit,
    /// The caller was interrupted.
    Interrupted,
}

impl Status {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration_limit",
            Status::TimeLimit => "time_limit",
            Status::MemoryLimit => "memory_limit",
            Status::Interrupted => "interrupted",
        }
    }

    /// Why it was halted, if it was.
    pub fn halt(self) -> Option<Halt> {
        Halt::ALL.into_iter().find(|halt| Status::from(*halt) == self)
    }

    /// Whether it was halted.
    pub fn is_halted(self) -> bool {
        self.halt().is_some()
    }
}

impl From<Halt> for Status {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::TimeLimit => Status::TimeLimit,
            Halt::MemoryLimit => Status::MemoryLimit,
            Halt::Interrupted => Status::Interrupted,
        }
    }
}

/// Receives the progress of a computation and may halt it. It is called often (every iteration or
/// every few milliseconds), so an implementation must be cheap. The engine uses no clock of its
/// own.
///
/// ```
/// use remapping::chain::{BirthDeath, Edge};
/// use remapping::imbalance::RunningCost;
/// use remapping::stopping::{Method, Model, Process, ProcessChain, Settings};
/// use remapping::{Halt, Observer, Status};
/// use std::ops::ControlFlow;
///
/// /// Stops after so many units of work.
/// struct AtMost(u64);
///
/// impl Observer for AtMost {
///     fn progress(&self, done: u64, _total: u64) -> ControlFlow<Halt> {
///         match done < self.0 {
///             true => ControlFlow::Continue(()),
///             false => ControlFlow::Break(Halt::TimeLimit),
///         }
///     }
/// }
///
/// let walk = BirthDeath::walk(9, 0.25, 0.25, Edge::Reflect)?;
/// let process = Process { lowest: 0, chain: ProcessChain::BirthDeath(walk) };
/// let model = Model::independent(&[process.clone(), process], RunningCost::MaxMinusMean)?;
/// let settings = Settings { method: Method::Value, ..Settings::default() };
/// let solved = model.remap_cost(100.0).solve(&settings, &AtMost(20))?;
/// assert_eq!(solved.solution.status, Status::TimeLimit);
/// let remapping::Bounds { lower, upper } = solved.bounds(&[0, 8]).unwrap();
/// assert!(lower <= upper, "what is known so far holds");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Sync {
    /// `done` of `total` units of work are finished; `total` is an estimate and may grow.
    fn progress(&self, done: u64, total: u64) -> ControlFlow<Halt>;

    /// Whether to continue, called from within a long unit of work. After a halt the partial result
    /// is meaningless; the caller checks again before using it.
    fn check(&self) -> ControlFlow<Halt> {
        self.progress(0, 1)
    }
}

/// Never halts anything.
impl Observer for () {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_agree_on_a_halt_by_its_code() {
        assert_eq!(Halt::of_code(Halt::code(None)), None);
        for halt in Halt::ALL {
            assert_eq!(Halt::of_code(Halt::code(Some(halt))), Some(halt));
            assert_eq!(Status::from(halt).halt(), Some(halt));
        }
        assert!(Halt::code(Some(Halt::Interrupted)) > Halt::code(Some(Halt::TimeLimit)));
        assert!(!Status::Converged.is_halted() && !Status::IterationLimit.is_halted());
    }
}

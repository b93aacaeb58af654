//! A lower bound on the cost of a program, from few processors and without sample paths.

use crate::run::Watch;
use remapping::Rational;
use remapping::load_drift::{LoadDrift, Objective, Timing};
use remapping::stopping::{Anywhere, Paid, Process};

/// The number of processors in the smaller problem.
const PROCESSORS: usize = 24;

/// A lower bound on the cost of the program: the cost of few processors, if remaps led to any
/// loads.
pub(super) fn at_least(problem: &LoadDrift, watch: &Watch) -> f64 {
    let lowest = problem.lowest as i64;
    let few = problem.processors.min(PROCESSORS);
    let process = Process { lowest, chain: problem.chain.clone() };
    let groups = Anywhere::new(&vec![process; few], &vec![Rational::ONE; few]);
    let paid = match problem.timing {
        Timing::AfterStep => Paid::After,
        Timing::BeforeStep => Paid::Before,
    };
    let course = (lowest + problem.initial as i64, problem.steps);
    let own = groups.total(problem.remap_cost, course, paid, watch);
    // Nothing is known of the processors that fill no group.
    let counted = problem.processors - problem.processors % few;
    let lost = own * (counted as f64 / problem.processors as f64) * (1.0 - 8.0 * f64::EPSILON);
    match problem.objective {
        Objective::Imbalance => lost,
        // Of the mean load it is only known that it is at least the lowest level.
        Objective::Makespan => {
            (lost + problem.lowest * problem.steps as f64) * (1.0 - 8.0 * f64::EPSILON)
        }
    }
}

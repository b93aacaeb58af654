//! A lower bound on what a program costs, that needs no paths and few states.

use crate::run::Watch;
use remapping::Rational;
use remapping::load_drift::{LoadDrift, Objective, Timing};
use remapping::stopping::{Anywhere, Paid, Process};

/// So many processors at a time are looked at.
const PROCESSORS: usize = 24;

/// What a program costs at least: what few processors would, if remaps led anywhere.
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
    // Of what is left over nothing is known.
    let counted = problem.processors - problem.processors % few;
    let lost = own * (counted as f64 / problem.processors as f64) * (1.0 - 8.0 * f64::EPSILON);
    match problem.objective {
        Objective::Imbalance => lost,
        // Nor is more known of the mean load than that it is the lowest at least.
        Objective::Makespan => {
            (lost + problem.lowest * problem.steps as f64) * (1.0 - 8.0 * f64::EPSILON)
        }
    }
}

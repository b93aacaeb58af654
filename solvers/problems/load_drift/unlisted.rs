//! What can be said where there is no memory for all states, and sampling gives no bounds either.

use super::super::Found;
use super::bounds;
use super::solve::{LONGEST_INTERVAL, Moment, of_outcome};
use crate::model::load_drift::LoadDrift;
use crate::run::Watch;
use crate::solution::Body;
use remapping::drift::{self, Intervals, Objective, Timing};
use remapping::stopping::{Anywhere, Paid, Process};
use remapping::threshold::Bounds;
use remapping::{Rational, Status};

/// Totals times steps up to which fixed intervals are gone through.
const QUICK: u64 = 100_000_000;

/// So many processors at a time are looked at for what they cost at least.
const PROCESSORS: usize = 24;

/// The answer, which says what is `lacking`.
pub(super) fn solve(model: &LoadDrift, lacking: &str, watch: &Watch) -> Found {
    let problem = model.problem();
    let never = Intervals::never(&problem);
    let mut answer = bounds::lay_out(model, &problem, &drift::Curve::default(), None);
    let mut upper = Intervals::upper_bound(&problem, problem.steps, never.value);
    let totals = (problem.processors as u64).saturating_mul(problem.chain.levels() as u64);
    // Remaps cost the same everywhere, and come into force at once.
    let simple = problem.per_unit_moved == 0.0 && model.stops();
    if simple && totals.saturating_mul(problem.steps) <= QUICK {
        let best = Intervals::new(&problem, LONGEST_INTERVAL, &Moment::now()).best();
        if best.outcome.value < never.value && best.interval < problem.steps {
            answer.best_fixed = of_outcome(Some(best.interval), &best.outcome);
            upper = Intervals::upper_bound(&problem, best.interval, best.outcome.value);
        }
    }
    answer.statistical = false;
    answer.value_bounds = Bounds { lower: at_least(&problem, watch).min(upper), upper };
    let help = "take fewer processors or levels, or a larger machine";
    let warning = format!("{lacking}: there is no policy, and bounds that need no states; {help}");
    Found::new(Body::LoadDrift(Box::new(answer)), Status::IterationLimit, vec![warning])
}

/// What a program costs at least: what few processors would, if remaps led anywhere.
fn at_least(problem: &drift::LoadDrift, watch: &Watch) -> f64 {
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

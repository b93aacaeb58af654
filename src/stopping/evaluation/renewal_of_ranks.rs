//! Policy evaluation as in `renewal`, by the solver that ranks share: without classes of totals and
//! coarser grids.

use super::remapped::{Remapped, Rule};
use crate::communicator::Equations;
use crate::stopping::state_space::targets::Targets;
use crate::stopping::{Problem, operator::vector};
use crate::{Halt, Observer};

/// Most applications of one evaluation; the next one continues from there.
const APPLICATIONS: u64 = 600;

/// The norm of all residuals must fall by as much as the largest residual, times this factor.
const STRICTNESS: f64 = 0.5;

/// Improves relative costs `h` of the own states until no residual exceeds `accuracy`, if possible.
/// Returns the number of applications of the operator.
///
/// # Errors
/// The halt; `h` is then unchanged.
pub(in crate::stopping) fn evaluate(
    problem: &Problem,
    (targets, rule): (&Targets, &Rule<'_>),
    h: &mut [f64],
    (accuracy, limit): (f64, u64),
    observer: &dyn Observer,
) -> Result<u64, Halt> {
    let mut held: Vec<bool> = rule.remaps.iter().map(|remaps| !remaps).collect();
    targets.own().iter().for_each(|target| held[*target] = true);
    let mut chain = Remapped::new(problem, targets, rule, &held);
    let right = chain.costs();
    let mut y = chain.killed.pack(h);
    let before = y.clone();
    let [norm, largest] = norms(problem, &chain.residual(&right, &y));
    let mut applications = 2;
    if largest > accuracy {
        let goal = norm * (accuracy / largest) * STRICTNESS;
        let limit = APPLICATIONS.min(limit);
        // The diagonal of I - P, which approximates that of this operator.
        let diagonal = chain.killed.diagonal();
        let (mut steps, mut halted) = (applications, None);
        let mut halts = || {
            steps += 1;
            halted = halted.or(observer.progress(steps, limit).break_value());
            halted.is_some()
        };
        let equations = Equations {
            apply: &mut |y, out| chain.apply(y, out),
            diagonal: &mut |out| diagonal.write(out),
            halts: &mut halts,
            symmetric: false,
            right: &right,
            goal,
            limit,
        };
        if let Some((communicator, _)) = &problem.shared {
            applications += communicator.solve(equations, &mut y);
        }
        if let Some(halt) = halted {
            return Err(halt);
        }
        let [_, left] = norms(problem, &chain.residual(&right, &y));
        applications += 1;
        // The result is arbitrary if the solver broke down.
        if left >= largest {
            y = before;
        }
    }
    chain.relative_costs(&y, h);
    Ok(applications)
}

/// The Euclidean norm and the maximum norm of a residual.
fn norms(problem: &Problem, r: &[f64]) -> [f64; 2] {
    let own = vector::sum_of([r], |[r]| r * r);
    let norm = problem.gather(vec![own]).into_iter().sum::<f64>().sqrt();
    let [largest] = problem.largest([vector::maximum_of([r], |[r]| r.abs())]);
    // Maxima ignore NaN.
    [norm, if norm.is_finite() { largest } else { f64::INFINITY }]
}

//! Solves the `ContinuousDrift` problem: a policy, a rule and a lower bound.

use super::super::{Found, Settings};
use super::answer::{Answer, Class, Fixed};
use super::model::ContinuousDrift;
use crate::problems::load_drift::answer::Representation;
use crate::problems::registry::Body;
use crate::problems::shared::sampled::{both, curve, interval, outer, percent, simulate};
use crate::run::Watch;
use remapping::Communicator;
use remapping::continuous_drift::{self, Drifting};
use remapping::load_drift::Curve;
use remapping::load_drift::many::Measured;
use remapping::phase_change::Bounds;

/// Solves the model. Several ranks share the paths.
pub fn solve(
    model: &ContinuousDrift,
    settings: &Settings,
    watch: &Watch,
    communicator: Option<&dyn Communicator>,
) -> Found {
    let problem = model.problem();
    let gap = settings.gap.unwrap_or(Drifting::usual_gap(problem.kept_slopes));
    let goal = Drifting::goal(&problem, gap);
    let mut warnings = Vec::new();
    let drifting = Drifting::new(&problem, settings.seed, watch);
    let (rule, measured, status) = simulate(drifting, goal, (watch, communicator), &mut warnings);
    let answer = lay_out(&problem, &rule, measured.as_ref());
    Found::new(Body::ContinuousDrift(Box::new(answer)), status, warnings)
}

fn lay_out(
    problem: &continuous_drift::ContinuousDrift,
    rule: &Curve,
    found: Option<&Measured>,
) -> Answer {
    let intervals = problem.intervals();
    let never = intervals.as_ref().and_then(|all| all.last().copied());
    let best = intervals.and_then(|all| (1..).zip(all).min_by(|a, b| a.1.total_cmp(&b.1)));
    let best_fixed = best.map(|(interval, value)| {
        let interval = Some(interval).filter(|interval| *interval < problem.steps);
        Fixed { interval, value }
    });
    // Without randomness all paths are equal. Otherwise it is only known that costs are not
    // negative.
    let least = if problem.is_certain() { f64::INFINITY } else { 0.0 };
    // The best fixed interval is a policy, and so is never remapping.
    let known = best_fixed.map(|fixed| fixed.value);
    let none = Bounds { lower: 0.0, upper: known.unwrap_or_else(|| problem.never_at_most()) };
    let known = known.unwrap_or(f64::INFINITY);
    Answer {
        processors: problem.ranks(),
        steps: problem.steps,
        remap_cost: problem.remap_cost,
        per_unit_moved: Some(problem.per_unit_moved).filter(|each| *each > 0.0),
        overlap: Some(problem.overlap).filter(|overlap| !overlap.is_none()),
        mean_load: Some(problem.mean_load).filter(|mean| *mean > 0.0),
        kept_slopes: problem.kept_slopes,
        classes: classes(problem),
        representation: Representation::Bounds,
        statistical: true,
        value_bounds: found.map_or(none, |found| outer(found, known, least)),
        bounds: found.map(|found| both(found, least)),
        gap_percent: found.map(|found| percent(found, found.gap.mean)),
        gap_interval: found.and_then(|found| interval(found, found.gap)),
        paths: found.map(|found| found.paths),
        remaps: found.map(|found| found.remaps),
        threshold_curve: found.map(|found| curve(rule, found, (least, never))),
        best_fixed,
        never,
    }
}

/// The classes of a problem that has several.
fn classes(problem: &continuous_drift::ContinuousDrift) -> Vec<Class> {
    let class = |class: &continuous_drift::Class| Class {
        count: class.count,
        mean: class.mean(),
        deviation: class.law.deviation(),
    };
    match problem.classes.len() {
        1 => Vec::new(),
        _ => problem.classes.iter().map(class).collect(),
    }
}

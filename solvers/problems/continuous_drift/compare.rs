//! `remap compare` for loads with continuous increments.

use super::super::Contest;
use super::super::load_drift::compare_many::{CURVE, stated};
use super::super::regret::Failure;
use super::super::sampling::{Contestant, Report, named, play, rule};
use crate::complaint::Complaint;
use crate::run::Watch;
use remapping::Status;
use remapping::continuous_drift::{ContinuousDrift, Drifting, Loads};
use remapping::load_drift::many::SamplePaths;
use remapping::policy::Rule;

/// Evaluates policies on sample paths.
pub(super) fn compare(
    problem: &ContinuousDrift,
    contest: &Contest,
    watch: &Watch,
) -> Result<(Report, Status), Failure> {
    let intervals = problem.intervals();
    let best = intervals.as_ref().and_then(|all| (1..).zip(all).min_by(|a, b| a.1.total_cmp(b.1)));
    let best = best.map(|(interval, _)| format!("fixed:{interval}"));
    let mut usual = vec![CURVE, "stop_at_rise", "menon", "metabalancer", "never"];
    usual.extend(best.as_deref());
    let names = named(&contest.policies, &usual);
    let mut contestants = Vec::new();
    for name in &names {
        if name == CURVE {
            let found = Drifting::new(problem, contest.seed, watch)?;
            contestants.push(stated(found.curve(), problem.steps));
            continue;
        }
        let rule = rule(name)?;
        let by_ratios = matches!(
            rule,
            Rule::Utilization(_)
                | Rule::Tolerance(_)
                | Rule::PredictedEfficiency(_)
                | Rule::Range(_)
                | Rule::Ratio(_)
                | Rule::Code(_, _, Some(_))
        );
        if by_ratios && problem.mean_load <= 0.0 {
            let message = format!(
                "--policies {name}: it looks at ratios to the mean load, and loads are counted from the last remap here"
            );
            let help = "state `mean_load` in the model, or take rules that look at max - mean";
            return Err(Complaint::elsewhere(message, help).into());
        }
        let exact = |interval: u64| {
            let all = intervals.as_ref()?;
            // No decision is made while a remap is in progress.
            let interval = interval.max(problem.overlap.steps + 1);
            let place = interval.min(problem.steps) as usize - 1;
            all.get(place).copied()
        };
        let exact = match rule {
            Rule::Never => exact(problem.steps),
            Rule::Fixed(interval) => exact(interval),
            _ => None,
        };
        contestants.push(Contestant::overlapping(rule, problem.overlap, exact));
    }
    let loads = Loads::new(problem.clone());
    if problem.mean_load > 0.0 {
        return Ok(play(&loads.about(problem.mean_load), &contestants, contest, watch));
    }
    let (report, status) = play(&loads, &contestants, contest, watch);
    Ok((report.without_times(), status))
}

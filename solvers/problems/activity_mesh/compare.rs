//! `remap compare` for an activity mesh.

use super::super::Contest;
use super::super::sampling::{Contestant, Report, play, rule};
use super::model::ActivityMesh;
use crate::complaint::Complaint;
use crate::run::Watch;
use remapping::Status;
use remapping::policy::{Rule, practice::growth_slope};
use remapping::simulate::Simulated;

/// Evaluates policies on sample paths. If it is stopped, returns the runs that are finished.
pub(super) fn compare(
    model: &ActivityMesh,
    contest: &Contest,
    watch: &Watch,
) -> Result<(Report, Status), Complaint> {
    let workload = model.workload();
    let steps = workload.steps();
    let cost = workload.remap_cost();
    let names: Vec<String> = if contest.policies.is_empty() {
        let intervals = (0..).map(|k| (2.0 * 1.5f64.powi(k)).round() as u64);
        let intervals = intervals.take_while(|&interval| interval <= steps / 2);
        let rules = [
            "never",
            "stop_at_rise",
            "menon",
            "menon_offline",
            "metabalancer",
            "zhai",
            "procassini",
            "marquez:0.1",
        ];
        let rules = rules.into_iter().map(str::to_owned);
        rules.chain(intervals.map(|interval| format!("fixed:{interval}"))).collect()
    } else {
        contest.policies.clone()
    };
    let contestant = |name: &String| match name.as_str() {
        "menon_offline" => {
            let slope = growth_slope(cost, &workload.growth(contest.seed));
            Ok(Contestant::rule(name, Rule::SlopeInterval(slope), None))
        }
        "optimal" | "fixed" | "threshold" => {
            let message = format!("--policies: `{name}` needs a parameter on a mesh");
            Err(Complaint::elsewhere(message, "as in fixed:9 or threshold:20"))
        }
        _ => rule(name).map(|rule| Contestant::rule(name, rule, None)),
    };
    let contestants = names.iter().map(contestant).collect::<Result<Vec<_>, _>>()?;
    Ok(play(&workload, &contestants, contest, watch))
}

//! `remap compare` for the model problems of \[NR90\].

use crate::complaint::Complaint;
use crate::memory::{available, show};
use crate::problems::{Asked, Contest, Outcome, Policies};
use remapping::Status;
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::{Comparison, Workload, memory};
use serde::Serialize;

/// The results of the policies in all scenarios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Played {
    /// The policies asked for.
    #[serde(flatten)]
    pub shown: Comparison,
    /// All policies.
    #[serde(skip)]
    pub all: Comparison,
}

/// Evaluates the policies on the workload of a model.
pub fn compare(asked: &Asked<'_, Contest>, workload: &dyn Workload) -> Outcome<(Policies, Status)> {
    let Asked { loaded, settings: contest, watch, .. } = *asked;
    let policies = policies(&contest.policies)?;
    let needed = memory(workload, contest.runs);
    if let Some(there) = available().filter(|there| needed > *there) {
        let (needed, there) = (show(needed), show(there));
        let message =
            format!("--runs {}: they need {needed} of memory, {there} are free", contest.runs);
        return Err(vec![Complaint::elsewhere(message, "take fewer runs")]);
    }
    let compared =
        remapping::two_phase::workload::compare(workload, contest.runs, contest.seed, watch);
    let (all, status) = compared.map_err(|error| {
        let message = "this model cannot be solved";
        vec![loaded.complain("problem", message, &error.to_string(), "correct the parameter")]
    })?;
    let mut shown = all.clone();
    shown.retain(&policies);
    Ok((Policies::Scenarios(Box::new(Played { shown, all })), status))
}

fn policies(names: &[String]) -> Result<Vec<Policy>, Complaint> {
    if names.is_empty() {
        return Ok(Policy::ALL.to_vec());
    }
    let named = |name: &String| {
        Policy::named(name.trim()).ok_or_else(|| {
            let known = Policy::ALL.map(Policy::name).join(", ");
            let help = format!("the policies of this problem are {known}");
            Complaint::elsewhere(
                format!("--policies: `{name}` is not a policy of this problem"),
                help,
            )
        })
    };
    names.iter().map(named).collect()
}

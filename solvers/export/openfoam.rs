//! OpenFOAM: the `loadBalancer` of `dynamicMeshDict`.

use super::knobs::{Knobs, Setting, Watcher};
use crate::complaint::Complaint;
use remapping::simulate::{Statistic, Trigger};

/// A dictionary of `constant/dynamicMeshDict`.
pub fn write(mut knobs: Knobs<'_>) -> Result<String, Complaint> {
    let looks = Trigger { first: 2, ..Trigger::above(Statistic::MaxOverMean, 1.0) };
    let setting = knobs.setting(Watcher { code: "OpenFOAM", looks, limit: f64::INFINITY })?;
    let (every, most) = match setting {
        Setting::Never => {
            knobs.say("Never: no distributor in constant/dynamicMeshDict.");
            return Ok(knobs.comments("//"));
        }
        Setting::Every(every) => {
            knobs.say("A maxImbalance of 0 redistributes at every look.");
            (every, 0.0)
        }
        Setting::Above(level) => (knobs.look(), level - 1.0),
    };
    knobs.say(
        "maxImbalance: max/mean - 1 of the CPU times of processors in the last time step, waiting taken out; tested when \
         the index of the time step is a multiple of redistributionInterval, from the second step on.",
    );
    knobs.say(
        "It takes a model that measures its CPU load (chemistry, particles: cpuLoad true); without any, type distributor \
         compares numbers of cells instead. Found in OpenFOAM-dev of August 2026 (openfoam.org).",
    );
    let body = format!(
        "    type                    loadBalancer;\n    libs                    (\"libfvMeshDistributors.so\");\n    \
         multiConstraint         true;\n    redistributionInterval  {every};\n    maxImbalance            {most:?};\n"
    );
    Ok(knobs.comments("//") + "distributor\n{\n" + &body + "}\n")
}

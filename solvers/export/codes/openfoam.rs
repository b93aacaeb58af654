//! OpenFOAM: the `loadBalancer` of `dynamicMeshDict`.

use super::Sheet;

pub const SHEET: Sheet = Sheet {
    name: "OpenFOAM",
    what: "a `distributor` of `constant/dynamicMeshDict`",
    compares: Some("max/mean - 1 > maxImbalance"),
    of: "CPU seconds of the last time step, where max is the largest base time plus, for each load that a model measures, \
         its largest on any processor",
    when: "when the index of the time step is a multiple of redistributionInterval, from the second step on",
    default: "redistributionInterval 10, maxImbalance 0.1",
    notes: &[
        "With one load and equal numbers of cells that is max/mean - 1 of the processors; otherwise it is no less. Base time \
         is the rest of the slowest processor, shared out by cells.",
        "A model must measure its load (chemistry, particles: cpuLoad true): with none the run ends in an error. type \
         distributor compares numbers of cells instead.",
        "Found in OpenFOAM-dev (openfoam.org) only.",
        "Never is to write no distributor.",
    ],
    read: [
        "`OpenFOAM/OpenFOAM-dev`",
        "`src/fvMeshDistributors/loadBalancer/` (20260808-37-g27f0de9012)",
        "2026-11-28",
    ],
    mark: "//",
    write: |_, setting| {
        let Some((every, level)) = setting.looks(1.0) else { return Ok(String::new()) };
        let most = level - 1.0;
        let body = format!(
            "    type                    loadBalancer;\n    libs                    (\"libfvMeshDistributors.so\");\n    \
             multiConstraint         true;\n    redistributionInterval  {every};\n    maxImbalance            {most:?};\n"
        );
        Ok("distributor\n{\n".to_owned() + &body + "}\n")
    },
};

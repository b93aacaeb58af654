//! `Monitor`: Bayes' rule and optimal thresholds in a running program.

use crate::documents::loaded;
use crate::fails::{complaints, fault, whole};
use pyo3::prelude::*;
use remap::problems::registry::Problem;
use remap::run::Watch;
use remapping::Status;
use remapping::belief::Report;
use remapping::monitor::{
    Clusters, Monitor as Measured, ReportMonitor, Reported, SwitchingMonitor, Unsound,
};
use remapping::phase_change::{self, Accuracy, Curve, PhaseChange};
use remapping::phase_switching;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Certified width of every threshold.
const TOLERANCE: f64 = 1e-9;

/// What a measurement or a report led to.
#[pyclass(module = "remapping", frozen, get_all)]
#[derive(Clone)]
pub struct Decision {
    /// Decision step, from 1 on.
    step: u64,
    /// Whether the change test has reported a change; None where the detector reports by itself.
    reported: Option<bool>,
    /// The belief that the phase has changed, or that the second phase is on.
    belief: f64,
    /// The threshold it is compared with.
    threshold: f64,
    /// Whether to remap now, or to switch to the other mapping.
    remap: bool,
}

#[pymethods]
impl Decision {
    fn __bool__(&self) -> bool {
        self.remap
    }

    fn __repr__(&self) -> String {
        let Decision { step, belief, threshold, remap, .. } = self;
        let remap = if *remap { "True" } else { "False" };
        format!(
            "Decision(step={step}, belief={belief:.6}, threshold={threshold:.6}, remap={remap})"
        )
    }
}

impl From<Reported> for Decision {
    fn from(found: Reported) -> Decision {
        let Reported { step, belief, threshold, remap } = found;
        Decision { step, reported: None, belief, threshold: threshold.middle(), remap }
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Measured(Measured),
    Reported(ReportMonitor),
    Switching(SwitchingMonitor),
}

impl Kind {
    /// As it was read, if it fits together.
    fn checked(self) -> Result<Kind, Unsound> {
        Ok(match self {
            Kind::Measured(monitor) => Kind::Measured(monitor.check()?),
            Kind::Reported(monitor) => Kind::Reported(monitor.check()?),
            Kind::Switching(monitor) => Kind::Switching(monitor.check()?),
        })
    }
}

#[pyclass(module = "remapping")]
#[derive(Clone)]
pub struct Monitor {
    kind: Kind,
}

fn curve(problem: &PhaseChange) -> Result<Curve, String> {
    let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
    let watch = Watch::start("monitor", None);
    let found =
        phase_change::solve(problem, accuracy, &watch).map_err(|error| error.to_string())?;
    match found.curve.first_step() {
        Some(0) => Ok(found.curve),
        _ => Err("not all thresholds of this model can be computed: take a smaller M".to_owned()),
    }
}

fn made(problem: &Problem, clusters: Option<Clusters>) -> Result<Kind, String> {
    match (problem, clusters) {
        (Problem::PhaseChange(model), Some(clusters)) => {
            let problem = model.problem();
            let made = Measured::new(&problem, curve(&problem)?, clusters);
            let made = made.filter(|_| model.says_yes_or_no());
            made.map(Kind::Measured).ok_or_else(|| {
                "the change test says yes or no: the detector has false_alarm and missed".to_owned()
            })
        }
        (Problem::PhaseChange(model), None) => {
            let problem = model.problem();
            Ok(Kind::Reported(ReportMonitor::new(&problem, curve(&problem)?)))
        }
        (Problem::PhaseSwitching(model), None) => {
            let problem = model.problem();
            let watch = Watch::start("monitor", None);
            let made = match model.lifetime() {
                None => {
                    let found = phase_switching::long_run(&problem, TOLERANCE, &watch);
                    let found = found.map_err(|error| error.to_string())?;
                    SwitchingMonitor::endless(&problem, found.to_second, found.to_first)
                }
                Some(lifetime) => {
                    let found = phase_switching::solve(&problem, &lifetime, TOLERANCE, &watch);
                    let found = found.map_err(|error| error.to_string())?;
                    if found.status != Status::Converged && found.to_second.first_step() != Some(0)
                    {
                        return Err("not all thresholds of this model can be computed".to_owned());
                    }
                    SwitchingMonitor::by_step(&problem, found.to_second, found.to_first)
                }
            };
            made.map(Kind::Switching)
                .ok_or_else(|| "the initial belief is no probability".to_owned())
        }
        (Problem::PhaseSwitching(_), Some(_)) => {
            Err("the detector of recurring phases reports by itself: leave batch and cluster out"
                .to_owned())
        }
        _ => Err("only changes of phase are monitored: PhaseChange(...) or PhaseSwitching(...)"
            .to_owned()),
    }
}

#[pymethods]
impl Monitor {
    #[new]
    #[pyo3(signature = (path, text, batch, cluster))]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        text: Option<String>,
        batch: Option<u32>,
        cluster: Option<u32>,
    ) -> PyResult<Monitor> {
        let clusters = match (batch, cluster) {
            (None, None) => None,
            (batch, Some(cluster)) => {
                let clusters = Clusters::new(batch.unwrap_or(1), cluster);
                let why = "a batch has at least 1 measurement, a cluster at least 2 batches";
                Some(clusters.ok_or_else(|| fault(why))?)
            }
            (Some(_), None) => return Err(fault("say how many batches make a cluster")),
        };
        let model = loaded(path, text, &[]).map_err(|all| complaints(py, &all))?;
        let kind = whole(py, || made(&model.problem, clusters))?;
        Ok(Monitor { kind: kind.map_err(fault)? })
    }

    fn observe(&mut self, measurement: f64) -> PyResult<Option<Decision>> {
        let Kind::Measured(monitor) = &mut self.kind else {
            return Err(fault("this monitor takes reports: monitor.report(level)"));
        };
        let found = monitor.observe(measurement).map_err(fault)?;
        Ok(found.map(|found| Decision {
            step: found.step,
            reported: Some(found.report == Report::Change),
            belief: found.belief,
            threshold: found.threshold.middle(),
            remap: found.remap,
        }))
    }

    fn report(&mut self, level: usize) -> PyResult<Decision> {
        match &mut self.kind {
            Kind::Reported(monitor) => Ok(monitor.observe(level).map_err(fault)?.into()),
            Kind::Switching(monitor) => Ok(monitor.observe(level).map_err(fault)?.into()),
            Kind::Measured(_) => {
                Err(fault("this monitor takes measurements: monitor.observe(measurement)"))
            }
        }
    }

    fn remapped(&mut self) {
        match &mut self.kind {
            Kind::Measured(monitor) => monitor.remapped(),
            Kind::Reported(monitor) => monitor.remapped(),
            Kind::Switching(monitor) => monitor.remapped(),
        }
    }

    #[getter]
    fn belief(&self) -> f64 {
        match &self.kind {
            Kind::Measured(monitor) => monitor.belief(),
            Kind::Reported(monitor) => monitor.belief(),
            Kind::Switching(monitor) => monitor.belief(),
        }
    }

    fn save(&self) -> PyResult<String> {
        serde_json::to_string(&self.kind).map_err(fault)
    }

    #[staticmethod]
    fn restored(text: &str) -> PyResult<Monitor> {
        let kind = serde_json::from_str::<Kind>(text);
        let kind = kind.map_err(|error| fault(format!("not a stored monitor: {error}")))?;
        Ok(Monitor { kind: kind.checked().map_err(fault)? })
    }
}

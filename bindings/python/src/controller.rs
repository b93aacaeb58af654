//! `Controller`: any policy of `replay` in a running program.

use crate::fails::{fault, whole};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use remapping::controller::Controller as Engine;
use remapping::record::{MOST_SECONDS, Record};
use remapping::replay::Needs;

/// Controller(policy, remap_cost)
/// --
///
/// A policy of `remap replay` in a running program, fed once a step.
///
/// `policy` is a name as in `remap replay --policies`: never, fixed:40, threshold:0.5, utilization:0.8, range:0.3,
/// ratio:1.2, stop_at_rise, menon, metabalancer, zhai, procassini, marquez:0.1, advised, adaptive_cold, q_learning.
/// `remap_cost` is what a remap costs, in the unit of the times. It knows nothing yet, and learns in place if it is
/// one that learns. The program starts balanced.
///
/// >>> controller = Controller("threshold:0.5", remap_cost=2.0)
/// >>> controller.step([1.0, 1.0, 1.1])
/// False
/// >>> controller.step([1.0, 1.0, 4.0])
/// True
#[pyclass(module = "remapping")]
#[derive(Clone)]
pub struct Controller {
    inner: Engine,
}

/// A record of whatever Python takes for times, without a remap.
fn record(times: &Bound<'_, PyAny>) -> PyResult<Record> {
    let rows = times.py().import("remapping._logs")?.getattr("rows")?.call1((times,))?;
    let rows: PyReadonlyArray2<'_, f64> = rows.extract()?;
    let seconds = rows.as_slice()?.to_vec();
    let record = Record::new(rows.shape()[1], seconds, Vec::new()).map_err(fault)?;
    match record.largest() <= MOST_SECONDS {
        true => Ok(record),
        false => Err(fault(format!("{:e} is too large for a time", record.largest()))),
    }
}

/// Numbers of an array or a list.
pub fn numbers(given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    given.try_iter()?.map(|number| number?.extract()).collect()
}

#[pymethods]
impl Controller {
    #[new]
    fn new(policy: &str, remap_cost: f64) -> PyResult<Controller> {
        Ok(Controller { inner: Engine::named(policy, remap_cost).map_err(fault)? })
    }

    /// trained(policy, remap_cost, times, steps_left=None)
    /// --
    ///
    /// A controller trained on recorded steps: `times`, an array or a data frame, has a row for each step, of a stretch
    /// without a remap; the program is balanced after the last. `steps_left` is how many follow, where that is known. Takes all
    /// policies: also advised, adaptive, predictive, solved, interval, fixed, threshold and utilization.
    #[staticmethod]
    #[pyo3(signature = (policy, remap_cost, times, steps_left=None))]
    fn trained(
        py: Python<'_>,
        policy: &str,
        remap_cost: f64,
        times: &Bound<'_, PyAny>,
        steps_left: Option<u64>,
    ) -> PyResult<Controller> {
        let record = record(times)?;
        let train = || Engine::trained(policy, remap_cost, &record, steps_left, 1);
        Ok(Controller { inner: whole(py, train)?.map_err(fault)? })
    }

    /// restore(text)
    /// --
    ///
    /// A controller as `save` or `remap export --to controller` wrote it.
    #[staticmethod]
    fn restore(text: &str) -> PyResult<Controller> {
        let read = serde_json::from_str::<Engine>(text);
        let stored = read.map_err(|error| fault(format!("not a stored controller: {error}")))?;
        Ok(Controller { inner: stored.check().map_err(fault)? })
    }

    /// save()
    /// --
    ///
    /// All that it is between two steps, as text for a checkpoint. Controllers can also be pickled.
    fn save(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner).map_err(fault)
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((py.get_type::<Controller>().getattr("restore")?.unbind(), (self.save()?,)))
    }

    /// step(times)
    /// --
    ///
    /// Takes in the time each rank needed for a step, and says whether to remap now. An array of doubles is read
    /// where it lies.
    fn step(&mut self, times: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(array) = times.extract::<PyReadonlyArray1<'_, f64>>() {
            return match array.as_slice() {
                Ok(times) => self.inner.step(times).map_err(fault),
                Err(_) => self.inner.step(&array.as_array().to_vec()).map_err(fault),
            };
        }
        self.inner.step(&numbers(times)?).map_err(fault)
    }

    /// step_summary(max, mean, min=None)
    /// --
    ///
    /// The same from the largest time and the mean, and the least where it is known: for policies that do not look
    /// at single ranks (see `needs`).
    #[pyo3(signature = (max, mean, min=None))]
    fn step_summary(&mut self, max: f64, mean: f64, min: Option<f64>) -> PyResult<bool> {
        self.inner.step_summary(max, mean, min).map_err(fault)
    }

    /// steps_left(steps)
    /// --
    ///
    /// Says that so many steps follow, to a policy that has a use for it.
    fn steps_left(&mut self, steps: u64) {
        self.inner = self.inner.clone().for_steps(steps);
    }

    /// begun()
    /// --
    ///
    /// A remap that goes on during the next steps has begun, whoever asked for it; `remapped` ends it.
    fn begun(&mut self) {
        self.inner.begun();
    }

    /// remapped(seconds=None)
    /// --
    ///
    /// The program has remapped, whoever asked for it; `seconds` is what that cost, where it was measured. Policies
    /// go on with the cost they were made for.
    #[pyo3(signature = (seconds=None))]
    fn remapped(&mut self, seconds: Option<f64>) -> PyResult<()> {
        self.inner.remapped(seconds).map_err(fault)
    }

    /// What it must be told of a step: "max_mean", "max_mean_min" or "times".
    #[getter]
    fn needs(&self) -> &'static str {
        match self.inner.needs() {
            Needs::MaxMean => "max_mean",
            Needs::MaxMeanMin => "max_mean_min",
            Needs::Times => "times",
        }
    }

    /// Steps taken in.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    /// Remaps made.
    #[getter]
    fn remaps(&self) -> u64 {
        self.inner.remaps()
    }

    /// Mean of what remaps have cost; None before one was measured.
    #[getter]
    fn remap_cost(&self) -> Option<f64> {
        self.inner.mean_remap_cost()
    }
}

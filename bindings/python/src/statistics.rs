//! `Statistics`: what a run says of when to remap, in constant memory.

use crate::controller;
use crate::fails::fault;
use numpy::PyArray1;
use pyo3::prelude::*;
use remapping::fit::running::{Running, Summary};
use serde::{Deserialize, Serialize};

/// Statistics()
/// --
///
/// Statistics of the times of one rank, in constant memory; those of other ranks are merged in as 15 numbers.
///
/// >>> ranks = [Statistics(), Statistics()]
/// >>> for step in range(50):
/// ...     gained = 0.1 * step
/// ...     ranks[0].step(1.0, mean=1.0 + gained / 2)
/// ...     ranks[1].step(1.0 + gained, mean=1.0 + gained / 2)
/// >>> ranks[0].merge(ranks[1].pack())
/// >>> ranks[0].interval(remap_cost=2.0)
/// 10
#[pyclass(module = "remapping")]
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    own: Running,
    others: Option<Summary>,
}

impl Statistics {
    fn all(&self) -> Summary {
        let own = self.own.summary();
        self.others.map_or(own, |others| own.merged(&others))
    }

    fn enough(&self) -> PyResult<Summary> {
        let all = self.all();
        match all.ranks() >= 2 && all.steps() >= 4 * all.ranks() {
            true => Ok(all),
            false => Err(fault("it takes at least 2 ranks, merged, of 4 steps each")),
        }
    }
}

#[pymethods]
impl Statistics {
    #[new]
    fn new() -> Statistics {
        Statistics::default()
    }

    /// restore(text)
    /// --
    ///
    /// Statistics as `save`, or the C library, wrote them.
    #[staticmethod]
    fn restore(text: &str) -> PyResult<Statistics> {
        let read = serde_json::from_str::<Statistics>(text);
        let stored = read.map_err(|error| fault(format!("not stored statistics: {error}")))?;
        match stored.own.is_valid() && stored.others.is_none_or(|others| others.is_valid()) {
            true => Ok(stored),
            false => Err(fault("not stored statistics: their numbers are those of no times")),
        }
    }

    /// save()
    /// --
    ///
    /// All that they are between two steps, as text for a checkpoint. Statistics can also be pickled.
    fn save(&self) -> PyResult<String> {
        serde_json::to_string(self).map_err(fault)
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((py.get_type::<Statistics>().getattr("restore")?.unbind(), (self.save()?,)))
    }

    /// step(seconds, mean)
    /// --
    ///
    /// Takes in the time this rank needed for a step, and the mean over the ranks.
    fn step(&mut self, seconds: f64, mean: f64) -> PyResult<()> {
        self.own.observe(seconds, mean).map_err(fault)
    }

    /// remapped(seconds=None)
    /// --
    ///
    /// The program has remapped, at this cost where it was measured.
    #[pyo3(signature = (seconds=None))]
    fn remapped(&mut self, seconds: Option<f64>) -> PyResult<()> {
        self.own.remapped(seconds).map_err(fault)
    }

    /// pack()
    /// --
    ///
    /// As an array of 15 numbers, to be sent to another rank.
    fn pack<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.all().numbers())
    }

    /// merge(numbers)
    /// --
    ///
    /// Adds the statistics of other ranks, as `pack` gave them.
    fn merge(&mut self, numbers: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers = <[f64; Summary::NUMBERS]>::try_from(controller::numbers(numbers)?).ok();
        let more = numbers.and_then(|numbers| Summary::from_numbers(&numbers));
        let more = more.ok_or_else(|| fault("these are no numbers that pack gave"))?;
        self.others = Some(self.others.map_or(more, |others| others.merged(&more)));
        Ok(())
    }

    /// interval(remap_cost)
    /// --
    ///
    /// The number of steps between two remaps that costs least; None is never.
    fn interval(&self, remap_cost: f64) -> PyResult<Option<u64>> {
        if !(remap_cost > 0.0 && remap_cost.is_finite()) {
            return Err(fault(format!("remap_cost = {remap_cost}: it is above 0")));
        }
        Ok(self.enough()?.interval(remap_cost))
    }

    /// model(remap_cost)
    /// --
    ///
    /// As a model that `solve` takes.
    fn model(&self, remap_cost: f64) -> PyResult<String> {
        Ok(self.enough()?.model(remap_cost))
    }

    /// Number of ranks.
    #[getter]
    fn ranks(&self) -> u64 {
        self.all().ranks()
    }

    /// Standard deviation of what a step adds to a rank for good, around its drift.
    #[getter]
    fn deviation(&self) -> f64 {
        self.all().deviation()
    }

    /// Standard deviation of the ranks' drifts a step.
    #[getter]
    fn drift_deviation(&self) -> f64 {
        self.all().drift_deviation()
    }

    /// Standard deviation of noise, which the next step takes back.
    #[getter]
    fn noise(&self) -> f64 {
        self.all().noise()
    }
}

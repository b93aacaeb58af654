//! When should a running program remap its work? The part of the Python package that computes; what people see is
//! in `python/remapping`.

mod controller;
mod documents;
mod fails;
mod monitor;
mod statistics;
mod threads;

use pyo3::prelude::*;
use remap::commands::Place;
use std::ffi::OsString;

/// The command `remap` with these arguments, its name first: it prints, and its exit code comes back, with the place of the
/// first fault in a text. For a process of its own, which it may end.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> (u8, Option<Place>) {
    let code = py.detach(|| remap::commands::run(arguments));
    (code, remap::commands::first_place().cloned())
}

#[pymodule]
fn _remapping(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RemappingError", fails::error_class(module.py())?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<controller::Controller>()?;
    module.add_class::<monitor::Monitor>()?;
    module.add_class::<monitor::Decision>()?;
    module.add_class::<statistics::Statistics>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(documents::solve, module)?)?;
    module.add_function(wrap_pyfunction!(documents::summary, module)?)?;
    module.add_function(wrap_pyfunction!(documents::picture, module)?)?;
    Ok(())
}

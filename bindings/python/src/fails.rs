//! Faults as exceptions, and Ctrl-C in the middle of a computation.

use crate::threads;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use remap::commands::told;
use remap::complaint::Complaint;
use remap::run::interrupt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

create_exception!(
    remapping,
    RemappingError,
    PyValueError,
    "What was given is wrong. The message says what, where, and what would be right, as the command line does.\n\n\
     `file`, `line` and `column` (from 1) are the place of the first fault, None where it is not in a file or a text."
);

/// The names of the attributes that say where a fault is.
const PLACE: [&str; 3] = ["file", "line", "column"];

/// The class, with the attributes that every error has.
pub fn error_class(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let class = py.get_type::<RemappingError>();
    PLACE.iter().try_for_each(|name| class.setattr(name, py.None()))?;
    Ok(class)
}

/// Complaints as one exception, with the text that the command line prints.
pub fn complaints(py: Python<'_>, all: &[Complaint]) -> PyErr {
    let error = RemappingError::new_err(all.iter().map(told).collect::<Vec<_>>().join("\n"));
    let Some((file, line, column)) = all.iter().find_map(Complaint::place) else { return error };
    let made = error.value(py);
    let set = made.setattr(PLACE[0], file);
    let set = set.and_then(|()| made.setattr(PLACE[1], line));
    match set.and_then(|()| made.setattr(PLACE[2], column)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// An error of the engine as an exception.
pub fn fault(error: impl ToString) -> PyErr {
    RemappingError::new_err(error.to_string())
}

/// How often Python is asked for signals.
const PATIENCE: Duration = Duration::from_millis(20);

/// Computes without holding the interpreter lock. On Ctrl-C the computation is asked to stop, and what it has by then
/// comes back with `true`.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<(T, bool)> {
    let (send, receive) = channel();
    let receive = AssertUnwindSafe(std::sync::Mutex::new(receive));
    let pool = threads::taken(py)?;
    let found = pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // A panic is a bug; it must not end the interpreter.
            let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
        });
        let mut stopped: Option<PyErr> = None;
        let found = loop {
            let heard = py.detach(|| match receive.lock() {
                Ok(receive) => receive.recv_timeout(PATIENCE),
                Err(_) => Err(RecvTimeoutError::Disconnected),
            });
            match heard {
                Ok(found) => break found,
                Err(RecvTimeoutError::Disconnected) => break Err(Box::new("no answer")),
                Err(RecvTimeoutError::Timeout) => {
                    if let (Err(error), None) = (py.check_signals(), &stopped) {
                        stopped = Some(error);
                        interrupt(true);
                    }
                }
            }
        };
        if stopped.is_some() {
            interrupt(false);
        }
        let found =
            found.map_err(|_| PyRuntimeError::new_err("a bug: the computation panicked"))?;
        match stopped {
            None => Ok((found, false)),
            Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => Ok((found, true)),
            Some(error) => Err(error),
        }
    });
    threads::give_back(py, pool);
    found
}

/// The same of what has nothing to show before its end: Ctrl-C is an exception.
pub fn whole<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    match interruptible(py, work)? {
        (found, false) => Ok(found),
        (_, true) => Err(PyKeyboardInterrupt::new_err(())),
    }
}

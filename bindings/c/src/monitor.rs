//! `remap_monitor_*`: Bayes' rule and optimal thresholds in a running program.

use crate::alone::alone;
use crate::error::*;
use crate::problems::{
    RemapPhaseChange, RemapPhaseSwitching, levels, phase_change, phase_switching, yes_or_no,
};
use crate::text::{hand_over, read, written};
use remapping::Status;
use remapping::belief::Report;
use remapping::lifetime::Lifetime;
use remapping::monitor::{
    Clusters, Decision, Monitor, MonitorError, NoSuchLevel, ReportMonitor, Reported,
    SwitchingMonitor, Unsound,
};
use remapping::phase_change::{self, Accuracy, Curve, PhaseChange};
use remapping::phase_switching;
use serde::{Deserialize, Serialize};
use std::ffi::c_char;

/// Certified width of every threshold.
const TOLERANCE: f64 = 1e-9;

/// A watch for changes of phase.
pub struct RemapMonitor {
    kind: Kind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Measured(Monitor),
    Reported(ReportMonitor),
    Switching(SwitchingMonitor),
}

impl Kind {
    /// As it was read, if it fits together.
    fn checked(self) -> Outcome<Kind> {
        Ok(match self {
            Kind::Measured(monitor) => Kind::Measured(monitor.check()?),
            Kind::Reported(monitor) => Kind::Reported(monitor.check()?),
            Kind::Switching(monitor) => Kind::Switching(monitor.check()?),
        })
    }
}

/// What a measurement or a report led to.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RemapDecision {
    /// Whether there is a decision: measurements that complete no cluster lead to none.
    pub decided: bool,
    /// Whether to remap now: to switch to the other mapping, where there are two.
    pub remap: bool,
    /// Whether the change test has reported a change.
    pub reported: bool,
    /// Decision step, from 1 on.
    pub step: u64,
    /// The belief that the phase has changed, or that the second phase is on.
    pub belief: f64,
    /// The threshold it is compared with.
    pub threshold: f64,
}

impl From<MonitorError> for Failure {
    fn from(error: MonitorError) -> Failure {
        Failure::argument(error)
    }
}

impl From<Unsound> for Failure {
    fn from(error: Unsound) -> Failure {
        Failure::argument(error)
    }
}

impl From<NoSuchLevel> for Failure {
    fn from(error: NoSuchLevel) -> Failure {
        Failure::new(REMAP_SIZE, error)
    }
}

fn curve(problem: &PhaseChange) -> Outcome<Curve> {
    let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
    let found =
        alone(|| phase_change::solve(problem, accuracy, &()))?.map_err(Failure::argument)?;
    match found.curve.first_step() {
        Some(0) => Ok(found.curve),
        _ => Err(Failure::argument("not all thresholds can be computed: take a smaller last_step")),
    }
}

fn give(kind: Kind, to: &Place<*mut RemapMonitor>) {
    to.set(Box::into_raw(Box::new(RemapMonitor { kind })));
}

/// A monitor of measurements, such as the time of each cycle. Means of `batch` measurements make up clusters of
/// `cluster` >= 2; every cluster is tested against the first one, and is a step of the problem. Solves the
/// problem, which takes milliseconds to seconds.
///
/// # Safety
/// `problem` points to a valid problem, `monitor` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_new(
    problem: *const RemapPhaseChange,
    batch: u32,
    cluster: u32,
    monitor: *mut *mut RemapMonitor,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (given, to) = unsafe { (shared(problem, "problem")?, Place::new(monitor, "monitor")?) };
        let clusters = Clusters::new(batch, cluster);
        let clusters = clusters.ok_or_else(|| {
            Failure::argument("a batch has at least 1 measurement, a cluster at least 2 batches")
        })?;
        let problem = phase_change(given, yes_or_no(given)?)?;
        let made = Monitor::new(&problem, curve(&problem)?, clusters);
        let made = made.ok_or_else(|| Failure::argument("the detector does not say yes or no"))?;
        give(Kind::Measured(made), &to);
        Ok(())
    })
}

/// A monitor of a detector that reports by itself, one of `levels` levels at a step: `before` and `after` are the
/// chances of each before and after the change. Reads neither `false_alarm` nor `missed`. A detector that says
/// yes or no has two.
///
/// # Safety
/// `problem` points to a valid problem, `before` and `after` to `levels` numbers each, `monitor` may be written
/// through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_new_levels(
    problem: *const RemapPhaseChange,
    before: *const f64,
    after: *const f64,
    count: usize,
    monitor: *mut *mut RemapMonitor,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (given, to) = unsafe { (shared(problem, "problem")?, Place::new(monitor, "monitor")?) };
        // SAFETY: promised by the caller.
        let (before, after) =
            unsafe { (slice(before, count, "before")?, slice(after, count, "after")?) };
        let problem = phase_change(given, levels(before, after)?)?;
        give(Kind::Reported(ReportMonitor::new(&problem, curve(&problem)?)), &to);
        Ok(())
    })
}

/// The same for two phases that alternate: `before` and `after` are the chances in the first and the second.
///
/// # Safety
/// As remap_monitor_new_levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_new_switching(
    problem: *const RemapPhaseSwitching,
    before: *const f64,
    after: *const f64,
    count: usize,
    monitor: *mut *mut RemapMonitor,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (given, to) = unsafe { (shared(problem, "problem")?, Place::new(monitor, "monitor")?) };
        // SAFETY: promised by the caller.
        let (before, after) =
            unsafe { (slice(before, count, "before")?, slice(after, count, "after")?) };
        let problem = phase_switching(given, levels(before, after)?)?;
        let made = if given.last_step == 0 {
            let found = alone(|| phase_switching::long_run(&problem, TOLERANCE, &()))?;
            let found = found.map_err(Failure::argument)?;
            SwitchingMonitor::endless(&problem, found.to_second, found.to_first)
        } else {
            let lifetime = Lifetime::fixed(given.last_step);
            let found = alone(|| phase_switching::solve(&problem, &lifetime, TOLERANCE, &()))?;
            let found = found.map_err(Failure::argument)?;
            if found.status != Status::Converged && found.to_second.first_step() != Some(0) {
                return Err(Failure::argument("not all thresholds can be computed"));
            }
            SwitchingMonitor::by_step(&problem, found.to_second, found.to_first)
        };
        let made = made.ok_or_else(|| Failure::argument("`initial` is not a probability"))?;
        give(Kind::Switching(made), &to);
        Ok(())
    })
}

impl RemapDecision {
    fn none(belief: f64) -> RemapDecision {
        RemapDecision {
            decided: false,
            remap: false,
            reported: false,
            step: 0,
            belief,
            threshold: f64::NAN,
        }
    }
}

impl From<Decision> for RemapDecision {
    fn from(found: Decision) -> RemapDecision {
        let Decision { step, report, belief, threshold, remap } = found;
        let (reported, threshold) = (report == Report::Change, threshold.middle());
        RemapDecision { decided: true, remap, reported, step, belief, threshold }
    }
}

impl From<Reported> for RemapDecision {
    fn from(found: Reported) -> RemapDecision {
        let Reported { step, belief, threshold, remap } = found;
        let threshold = threshold.middle();
        RemapDecision { decided: true, remap, reported: false, step, belief, threshold }
    }
}

/// Takes the measurement of a cycle in.
///
/// # Safety
/// `monitor` is one of the library's, `decision` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_observe(
    monitor: *mut RemapMonitor,
    measurement: f64,
    decision: *mut RemapDecision,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) =
            unsafe { (unique(monitor, "monitor")?, Place::new(decision, "decision")?) };
        let Kind::Measured(monitor) = &mut held.kind else {
            let message = "this monitor takes reports: remap_monitor_report";
            return Err(Failure::new(REMAP_NEEDS_OTHER, message));
        };
        let found = monitor.observe(measurement)?;
        to.set(found.map_or_else(|| RemapDecision::none(monitor.belief()), RemapDecision::from));
        Ok(())
    })
}

/// Takes the report of the next step in: a level of the detector, from 0 on.
///
/// # Safety
/// `monitor` is one of the library's, `decision` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_report(
    monitor: *mut RemapMonitor,
    level: usize,
    decision: *mut RemapDecision,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) =
            unsafe { (unique(monitor, "monitor")?, Place::new(decision, "decision")?) };
        let found = match &mut held.kind {
            Kind::Reported(monitor) => monitor.observe(level)?,
            Kind::Switching(monitor) => monitor.observe(level)?,
            Kind::Measured(_) => {
                let message = "this monitor takes measurements: remap_monitor_observe";
                return Err(Failure::new(REMAP_NEEDS_OTHER, message));
            }
        };
        to.set(found.into());
        Ok(())
    })
}

/// The program has remapped, or switched to the other mapping.
///
/// # Safety
/// `monitor` is one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_remapped(monitor: *mut RemapMonitor) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        match &mut unsafe { unique(monitor, "monitor") }?.kind {
            Kind::Measured(monitor) => monitor.remapped(),
            Kind::Reported(monitor) => monitor.remapped(),
            Kind::Switching(monitor) => monitor.remapped(),
        }
        Ok(())
    })
}

/// All that a monitor is between two steps, as a text for a checkpoint; to be given back by remap_text_free.
///
/// # Safety
/// `monitor` is one of the library's, `text` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_save(
    monitor: *const RemapMonitor,
    text: *mut *mut c_char,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) = unsafe { (shared(monitor, "monitor")?, Place::new(text, "text")?) };
        hand_over(written(&held.kind)?, &to)
    })
}

/// A monitor as remap_monitor_save wrote it.
///
/// # Safety
/// `text` ends with a NUL, `monitor` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_restore(
    text: *const c_char,
    monitor: *mut *mut RemapMonitor,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (kind, to) =
            unsafe { (read::<Kind>(text, "monitor")?, Place::new(monitor, "monitor")?) };
        give(kind.checked()?, &to);
        Ok(())
    })
}

/// Ends a monitor. NULL is allowed.
///
/// # Safety
/// `monitor` is NULL, or one of the library's that was not ended yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_monitor_free(monitor: *mut RemapMonitor) {
    if !monitor.is_null() {
        // SAFETY: made by `give`, as the caller promises, and ended once.
        drop(unsafe { Box::from_raw(monitor) });
    }
}

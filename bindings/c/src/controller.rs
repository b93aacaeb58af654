//! `remap_controller_*`: any policy of `remap replay` in a running program.

use crate::alone::alone;
use crate::error::*;
use crate::text::{hand_over, read, written};
use remapping::controller::{Controller, ControllerError};
use remapping::record::{Record, RecordError};
use remapping::replay::Needs;
use std::ffi::{c_char, c_int, c_void};

/// A policy in a running program.
pub struct RemapController {
    pub(crate) inner: Controller,
    /// Times of all ranks, gathered by a reduction.
    gathered: Vec<f64>,
}

/// What a policy must be told of a step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemapNeeds {
    /// The largest and the mean time: remap_controller_step is enough.
    REMAP_NEEDS_MAX_MEAN = 0,
    /// The least too: remap_controller_step_times or remap_controller_step_local.
    REMAP_NEEDS_MIN = 1,
    /// The time of every rank: the same.
    REMAP_NEEDS_TIMES = 2,
}

pub use RemapNeeds::{REMAP_NEEDS_MAX_MEAN, REMAP_NEEDS_MIN, REMAP_NEEDS_TIMES};

/// How numbers of all ranks become one.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemapOperation {
    /// The largest.
    REMAP_MAX = 0,
    /// The sum.
    REMAP_SUM = 1,
}

use RemapOperation::{REMAP_MAX, REMAP_SUM};

/// As many as a reduction of MPI counts.
const MOST_RANKS: usize = i32::MAX as usize;

/// Replaces each of `count` numbers by its maximum or sum over all ranks, the same on each of them, as
/// MPI_Allreduce with MPI_IN_PLACE does. Returns 0 if that has worked. `context` is what the call was given. No exception
/// may leave it (remap.hpp catches them).
pub type RemapReduce = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        values: *mut f64,
        count: usize,
        operation: RemapOperation,
    ) -> c_int,
>;

impl From<ControllerError> for Failure {
    fn from(error: ControllerError) -> Failure {
        let status = match error {
            ControllerError::NeedsTimes | ControllerError::NeedsMin => REMAP_NEEDS_OTHER,
            ControllerError::Record(RecordError::Time { .. }) => REMAP_ARGUMENT,
            ControllerError::Ranks { .. }
            | ControllerError::NoRanks
            | ControllerError::TooFew(_)
            | ControllerError::Record(_) => REMAP_SIZE,
            _ => REMAP_ARGUMENT,
        };
        Failure::new(status, error)
    }
}

fn give(inner: Controller, to: &Place<*mut RemapController>) {
    to.set(Box::into_raw(Box::new(RemapController { inner, gathered: Vec::new() })));
}

/// A controller by the name of a policy, as `remap replay --policies` has them: never, fixed:40, threshold:0.5,
/// utilization:0.8, range:0.3, ratio:1.2, stop_at_rise, menon, metabalancer, zhai, procassini, marquez:0.1,
/// advised, adaptive_cold, ... For remaps that cost `remap_cost`, in the unit of the times. It knows nothing yet, and
/// learns in place if it is one that learns. The program starts balanced.
///
/// # Safety
/// `policy` is a text that ends with a NUL; `controller` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_new(
    policy: *const c_char,
    remap_cost: f64,
    controller: *mut *mut RemapController,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (policy, to) =
            unsafe { (words(policy, "policy")?, Place::new(controller, "controller")?) };
        give(Controller::named(policy, remap_cost)?, &to);
        Ok(())
    })
}

/// The same trained on recorded steps: `times` has the ranks of the first step, then the second, and so on, of a
/// stretch without a remap; the program is balanced after the last of them. `steps_left` is how many
/// steps follow, negative if that is not known. Takes all policies, also advised, adaptive, predictive, solved, fixed,
/// threshold, utilization, interval and q_learning.
///
/// # Safety
/// `policy` is a text that ends with a NUL; `times` points to ranks x steps numbers; `controller` may be written
/// through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_train(
    policy: *const c_char,
    remap_cost: f64,
    times: *const f64,
    ranks: usize,
    steps: usize,
    steps_left: i64,
    controller: *mut *mut RemapController,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (policy, to) =
            unsafe { (words(policy, "policy")?, Place::new(controller, "controller")?) };
        let count = ranks.checked_mul(steps);
        let count = count.ok_or_else(|| Failure::new(REMAP_SIZE, "ranks x steps are too many"))?;
        // SAFETY: promised by the caller.
        let times = unsafe { slice(times, count, "times") }?;
        let record =
            Record::new(ranks, times.to_vec(), Vec::new()).map_err(ControllerError::from)?;
        let left = u64::try_from(steps_left).ok();
        give(alone(|| Controller::trained(policy, remap_cost, &record, left, 1))??, &to);
        Ok(())
    })
}

/// A controller as remap_controller_save or `remap export --to controller` wrote it.
///
/// # Safety
/// `text` ends with a NUL; `controller` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_restore(
    text: *const c_char,
    controller: *mut *mut RemapController,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (stored, to) = unsafe {
            (read::<Controller>(text, "controller")?, Place::new(controller, "controller")?)
        };
        give(stored.check()?, &to);
        Ok(())
    })
}

/// All that a controller is between two steps, as a text for a checkpoint; to be given back by remap_text_free.
///
/// # Safety
/// `controller` is one of the library's, `text` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_save(
    controller: *const RemapController,
    text: *mut *mut c_char,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) = unsafe { (shared(controller, "controller")?, Place::new(text, "text")?) };
        hand_over(written(&held.inner)?, &to)
    })
}

/// What the policy must be told of a step; REMAP_NEEDS_TIMES for NULL.
///
/// # Safety
/// `controller` is NULL or one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_needs(controller: *const RemapController) -> RemapNeeds {
    // SAFETY: promised by the caller.
    match unsafe { controller.as_ref() }.map(|held| held.inner.needs()) {
        Some(Needs::MaxMean) => REMAP_NEEDS_MAX_MEAN,
        Some(Needs::MaxMeanMin) => REMAP_NEEDS_MIN,
        Some(Needs::Times) | None => REMAP_NEEDS_TIMES,
    }
}

/// Says that `steps` steps follow, to a policy that has a use for it.
///
/// # Safety
/// `controller` is one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_steps_left(
    controller: *mut RemapController,
    steps: u64,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let held = unsafe { unique(controller, "controller") }?;
        held.inner = held.inner.clone().for_steps(steps);
        Ok(())
    })
}

/// Takes in a step by its largest and its mean time; `remap` becomes whether to remap now. For policies that do
/// not look at single ranks; what takes times is in remap_controller_needs.
///
/// # Safety
/// `controller` is one of the library's, `remap` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_step(
    controller: *mut RemapController,
    max: f64,
    mean: f64,
    remap: *mut bool,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) =
            unsafe { (unique(controller, "controller")?, Place::new(remap, "remap")?) };
        to.set(held.inner.step_summary(max, mean, None)?);
        Ok(())
    })
}

/// The same by the time of each rank, for any policy. The decisions are those of `remap replay`, bit for bit.
///
/// # Safety
/// `controller` is one of the library's, `times` points to `ranks` numbers, `remap` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_step_times(
    controller: *mut RemapController,
    times: *const f64,
    ranks: usize,
    remap: *mut bool,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) =
            unsafe { (unique(controller, "controller")?, Place::new(remap, "remap")?) };
        // SAFETY: promised by the caller.
        to.set(held.inner.step(unsafe { slice(times, ranks, "times") }?)?);
        Ok(())
    })
}

/// The same on all ranks at once, each with a controller of its own that was made alike: rank `rank` of `ranks` hands
/// over its own time, and `reduce` makes of it what the policy needs. Policies that look at single ranks get all
/// times by a sum of `ranks` numbers, exactly; others one maximum and one sum, in which a reduction may
/// round otherwise than a sum in the order of the ranks, by a few units in the last place of the mean. All
/// ranks come to the same answer if the reduction gives them the same numbers.
///
/// # Safety
/// `controller` is one of the library's, `reduce` may be called, `remap` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_step_local(
    controller: *mut RemapController,
    seconds: f64,
    rank: usize,
    ranks: usize,
    reduce: RemapReduce,
    context: *mut c_void,
    remap: *mut bool,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) =
            unsafe { (unique(controller, "controller")?, Place::new(remap, "remap")?) };
        let reduce = reduce.ok_or_else(|| Failure::null("reduce"))?;
        if rank >= ranks {
            let message = format!("rank {rank} of {ranks}: ranks are numbered from 0");
            return Err(Failure::new(REMAP_SIZE, message));
        }
        if ranks > MOST_RANKS {
            return Err(Failure::new(REMAP_SIZE, format!("{ranks} ranks are too many")));
        }
        let all = |values: &mut [f64], operation| {
            // SAFETY: it may be called, as promised by the caller, and the values are `values.len()` numbers.
            match unsafe { reduce(context, values.as_mut_ptr(), values.len(), operation) } {
                0 => Ok(()),
                code => {
                    let message = format!("the reduction of this step returned {code}");
                    Err(Failure::new(REMAP_REDUCTION, message))
                }
            }
        };
        // A time that is refused reaches all ranks, which all refuse the step: none waits for another.
        let decided = if held.inner.needs() == Needs::Times {
            if let Some(known) = held.inner.ranks().filter(|known| *known != ranks) {
                return Err(ControllerError::Ranks { ranks: known, given: ranks }.into());
            }
            held.gathered.clear();
            let room = held.gathered.try_reserve_exact(ranks);
            let short = |_| Failure::new(REMAP_SIZE, format!("no memory for {ranks} times"));
            room.map_err(short)?;
            held.gathered.resize(ranks, 0.0);
            held.gathered[rank] = seconds;
            all(&mut held.gathered, REMAP_SUM)?;
            held.inner.step(&held.gathered)?
        } else {
            let is_time = seconds.is_finite() && seconds >= 0.0;
            let (mut ends, mut sum) = ([seconds, -seconds, f64::from(!is_time)], [seconds]);
            if ends[2] > 0.0 {
                (ends[0], ends[1], sum[0]) = (0.0, 0.0, 0.0);
            }
            all(&mut ends, REMAP_MAX)?;
            all(&mut sum, REMAP_SUM)?;
            if ends[2] != 0.0 {
                return Err(Failure::argument("the time of a rank is negative or not finite"));
            }
            let mean = sum[0] / ranks as f64;
            // Of equal times the mean may round past them.
            held.inner.step_summary(ends[0].max(mean), mean, Some(-ends[1]))?
        };
        to.set(decided);
        Ok(())
    })
}

/// The program has remapped, whoever asked for it, at a cost of `seconds`; negative or NaN if that was not measured.
/// Policies go on with the cost they were made for, as in `remap replay`.
///
/// # Safety
/// `controller` is one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_remapped(
    controller: *mut RemapController,
    seconds: f64,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let held = unsafe { unique(controller, "controller") }?;
        held.inner.remapped((seconds >= 0.0).then_some(seconds))?;
        Ok(())
    })
}

/// Mean of what remaps have cost so far; NaN before one was measured, and for NULL.
///
/// # Safety
/// `controller` is NULL or one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_remap_cost(controller: *const RemapController) -> f64 {
    // SAFETY: promised by the caller.
    let held = unsafe { controller.as_ref() };
    held.and_then(|held| held.inner.mean_remap_cost()).unwrap_or(f64::NAN)
}

/// Ends a controller. NULL is allowed.
///
/// # Safety
/// `controller` is NULL, or one of the library's that was not ended yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_controller_free(controller: *mut RemapController) {
    if !controller.is_null() {
        // SAFETY: made by `give`, as the caller promises, and ended once.
        drop(unsafe { Box::from_raw(controller) });
    }
}

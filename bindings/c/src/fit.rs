//! `remap_fit_*`: what a run says of when to remap, in constant memory.

use crate::controller::RemapController;
use crate::error::*;
use crate::text::{hand_over, read, written};
use remapping::fit::running::{NotATime, Running, Summary};
use serde::{Deserialize, Serialize};
use std::ffi::{CString, c_char};

/// How many numbers remap_fit_pack writes.
pub const REMAP_FIT_NUMBERS: usize = 15;

const _: () = assert!(REMAP_FIT_NUMBERS == Summary::NUMBERS);

/// Statistics of the times of one rank, and what was merged from others.
pub struct RemapFit {
    kept: Kept,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    own: Running,
    others: Option<Summary>,
}

impl Kept {
    fn all(&self) -> Summary {
        let own = self.own.summary();
        self.others.map_or(own, |others| own.merged(&others))
    }
}

/// What the statistics come to.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RemapFitSummary {
    /// Number of ranks.
    pub ranks: u64,
    /// Steps taken in, by all of them together.
    pub steps: u64,
    /// Mean time of a step.
    pub mean: f64,
    /// Standard deviation of the ranks' drifts a step, around their mean.
    pub drift_deviation: f64,
    /// Standard deviation of what a step adds to a rank for good, around its drift.
    pub deviation: f64,
    /// Standard deviation of noise, which the next step takes back.
    pub noise: f64,
    /// Remaps seen.
    pub remaps: u64,
    /// Mean of what they have cost; NaN if that was not measured.
    pub remap_cost: f64,
}

impl From<NotATime> for Failure {
    fn from(error: NotATime) -> Failure {
        Failure::argument(error)
    }
}

fn checked_cost(cost: f64) -> Outcome<f64> {
    let message =
        || Failure::argument(format!("a remap cannot cost {cost}: give a number above 0"));
    if cost.is_finite() && cost > 0.0 { Ok(cost) } else { Err(message()) }
}

/// Statistics of one rank, which has seen nothing yet.
///
/// # Safety
/// `fit` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_new(fit: *mut *mut RemapFit) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let to = unsafe { Place::new(fit, "fit") }?;
        to.set(Box::into_raw(Box::new(RemapFit { kept: Kept::default() })));
        Ok(())
    })
}

/// Takes in the time this rank needed for a step, and the mean over the ranks.
///
/// # Safety
/// `fit` is one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_step(
    fit: *mut RemapFit,
    seconds: f64,
    mean: f64,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        unsafe { unique(fit, "fit") }?.kept.own.observe(seconds, mean)?;
        Ok(())
    })
}

/// The program has remapped, at a cost of `seconds`; negative or NaN if that was not measured.
///
/// # Safety
/// `fit` is one of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_remapped(fit: *mut RemapFit, seconds: f64) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        unsafe { unique(fit, "fit") }?.kept.own.remapped((seconds >= 0.0).then_some(seconds))?;
        Ok(())
    })
}

/// Writes the statistics as REMAP_FIT_NUMBERS numbers, to be sent to another rank.
///
/// # Safety
/// `fit` is one of the library's, `numbers` points to `count` numbers that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_pack(
    fit: *const RemapFit,
    numbers: *mut f64,
    count: usize,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let held = unsafe { shared(fit, "fit") }?;
        if count != REMAP_FIT_NUMBERS {
            let message = format!("room for {count} numbers, not {REMAP_FIT_NUMBERS}");
            return Err(Failure::new(REMAP_SIZE, message));
        }
        // SAFETY: promised by the caller; so many numbers have no other requirements than doubles.
        let to = unsafe { Place::new(numbers.cast::<[f64; REMAP_FIT_NUMBERS]>(), "numbers") }?;
        to.set(held.kept.all().numbers());
        Ok(())
    })
}

/// Adds the statistics of other ranks, as remap_fit_pack wrote them there.
///
/// # Safety
/// `fit` is one of the library's, `numbers` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_merge(
    fit: *mut RemapFit,
    numbers: *const f64,
    count: usize,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, numbers) = unsafe { (unique(fit, "fit")?, slice(numbers, count, "numbers")?) };
        let numbers: &[f64; REMAP_FIT_NUMBERS] = numbers.try_into().map_err(|_| {
            Failure::new(REMAP_SIZE, format!("{count} numbers, not {REMAP_FIT_NUMBERS}"))
        })?;
        let more = Summary::from_numbers(numbers)
            .ok_or_else(|| Failure::argument("these are no numbers that remap_fit_pack wrote"))?;
        let others = held.kept.others;
        held.kept.others = Some(others.map_or(more, |others| others.merged(&more)));
        Ok(())
    })
}

/// What the statistics come to so far.
///
/// # Safety
/// `fit` is one of the library's, `summary` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_summary(
    fit: *const RemapFit,
    summary: *mut RemapFitSummary,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) = unsafe { (shared(fit, "fit")?, Place::new(summary, "summary")?) };
        let all = held.kept.all();
        to.set(RemapFitSummary {
            ranks: all.ranks(),
            steps: all.steps(),
            mean: all.mean(),
            drift_deviation: all.drift_deviation(),
            deviation: all.deviation(),
            noise: all.noise(),
            remaps: all.remaps(),
            remap_cost: all.mean_remap_cost().unwrap_or(f64::NAN),
        });
        Ok(())
    })
}

/// A controller that remaps at the interval of least cost by these statistics, for remaps that cost `remap_cost`.
///
/// # Safety
/// `fit` is one of the library's, `controller` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_controller(
    fit: *const RemapFit,
    remap_cost: f64,
    controller: *mut *mut RemapController,
) -> RemapStatus {
    let mut name = None;
    let status = guarded(|| {
        // SAFETY: promised by the caller.
        let held = unsafe { shared(fit, "fit") }?;
        let all = enough(&held.kept)?;
        let every = all.interval(checked_cost(remap_cost)?);
        let text = every.map_or_else(|| "never".to_owned(), |every| format!("fixed:{every}"));
        name = CString::new(text).ok();
        Ok(())
    });
    match name {
        // SAFETY: the name is a text with a NUL, the rest is promised by the caller.
        Some(name) => unsafe { crate::remap_controller_new(name.as_ptr(), remap_cost, controller) },
        None => status,
    }
}

/// The statistics as a model file that `remap solve`, `sweep` and `report` take; to be given back by
/// remap_text_free.
///
/// # Safety
/// `fit` is one of the library's, `text` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_model(
    fit: *const RemapFit,
    remap_cost: f64,
    text: *mut *mut c_char,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) = unsafe { (shared(fit, "fit")?, Place::new(text, "text")?) };
        let (all, cost) = (enough(&held.kept)?, checked_cost(remap_cost)?);
        if all.mean() <= 0.0 {
            return Err(Failure::argument("a model needs steps that take time"));
        }
        hand_over(all.model(cost), &to)
    })
}

fn enough(kept: &Kept) -> Outcome<Summary> {
    let all = kept.all();
    if all.ranks() < 2 || all.steps() < 4 * all.ranks() {
        let (ranks, steps) = (all.ranks(), all.steps());
        let message =
            format!("{ranks} ranks with {steps} steps in all: it takes 2 ranks of 4 steps");
        return Err(Failure::new(REMAP_SIZE, message));
    }
    Ok(all)
}

/// The statistics as a text for a checkpoint; to be given back by remap_text_free.
///
/// # Safety
/// `fit` is one of the library's, `text` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_save(
    fit: *const RemapFit,
    text: *mut *mut c_char,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (held, to) = unsafe { (shared(fit, "fit")?, Place::new(text, "text")?) };
        hand_over(written(&held.kept)?, &to)
    })
}

/// Statistics as remap_fit_save wrote them.
///
/// # Safety
/// `text` ends with a NUL, `fit` may be written through.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_restore(
    text: *const c_char,
    fit: *mut *mut RemapFit,
) -> RemapStatus {
    guarded(|| {
        // SAFETY: promised by the caller.
        let (kept, to) = unsafe { (read::<Kept>(text, "fit")?, Place::new(fit, "fit")?) };
        if !(kept.own.is_valid() && kept.others.is_none_or(|others| others.is_valid())) {
            return Err(Failure::argument("not a stored fit: its numbers are those of no times"));
        }
        to.set(Box::into_raw(Box::new(RemapFit { kept })));
        Ok(())
    })
}

/// Ends statistics. NULL is allowed.
///
/// # Safety
/// `fit` is NULL, or one of the library's that was not ended yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn remap_fit_free(fit: *mut RemapFit) {
    if !fit.is_null() {
        // SAFETY: made here, as the caller promises, and ended once.
        drop(unsafe { Box::from_raw(fit) });
    }
}

//! Runs the recursion from its beginning or its checkpoint to its end. On several ranks, blocks of
//! states may move.

use super::course::Course;
use super::kept::{Kept, whole};
use crate::output::say;
use crate::problems::load_drift::answer::Closest;
use remapping::communicator::Shares;
use remapping::load_drift::{self, Backward, Decisions, Transition};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// Results that are recorded during the recursion.
#[derive(Default)]
pub(in crate::problems::load_drift) struct Noted {
    pub wanted: Option<u64>,
    pub decisions: Option<Decisions>,
    pub closest: Vec<Closest>,
}

impl Noted {
    /// The notes as words, for a checkpoint.
    fn words(&self) -> Vec<u64> {
        let numbers = |c: &Closest| [c.step, c.threshold.to_bits(), c.disagreement.to_bits()];
        let mut notes = vec![self.closest.len() as u64];
        notes.extend(self.closest.iter().flat_map(numbers));
        notes.extend(self.decisions.iter().flat_map(Decisions::words));
        notes
    }

    /// Restores the notes of a checkpoint; `None` if they are not valid.
    pub fn recall(&mut self, notes: &[u64], states: usize) -> Option<()> {
        let (&count, notes) = notes.split_first()?;
        let count = usize::try_from(count).ok()?.checked_mul(3)?;
        let (closest, words) = notes.split_at_checked(count)?;
        let number = f64::from_bits;
        let (closest, _) = closest.as_chunks::<3>();
        self.closest = closest
            .iter()
            .map(|&[step, threshold, disagreement]| Closest {
                step,
                threshold: number(threshold),
                disagreement: number(disagreement),
            })
            .collect();
        if !words.is_empty() {
            self.decisions = Some(Decisions::from_words(states, words.to_vec())?);
        }
        Some(())
    }
}

/// Why a recursion pauses.
pub(in crate::problems::load_drift) enum Pause {
    /// It is finished, or was stopped.
    Ended(Status),
    /// The states are assigned to the ranks anew.
    Moved(Shares),
}

/// Runs to the end of the recursion, to a stop, or to a move of blocks. Remaps take effect `late`
/// steps after their decision.
pub(in crate::problems::load_drift) fn run(
    (backward, transition): (&mut Backward<'_>, &Transition),
    (problem, late): (&load_drift::LoadDrift, u64),
    (kept, course): (&mut Kept, &mut Option<&mut Course>),
    watch: &dyn Observer,
    (found, warnings): (&mut Noted, &mut Vec<String>),
) -> Pause {
    let steps = problem.steps;
    while backward.remaining() > 0 {
        let asked = watch.progress(steps - backward.remaining(), steps);
        let asked = match asked {
            ControlFlow::Continue(()) => backward.look_ahead(watch),
            ControlFlow::Break(halt) => Err(halt),
        };
        if let Err(halt) = asked {
            match kept.save(backward, found.words()) {
                Ok(()) if kept.is_first() => {
                    say(&format!("saved; run again to resume: {}", kept.path().display()));
                }
                Ok(()) => {}
                Err(complaint) => warnings.push(format!("not saved: {complaint}")),
            }
            return Pause::Ended(halt.into());
        }
        let saved = if kept.is_due() { kept.save(backward, found.words()) } else { Ok(()) };
        if let (Err(complaint), true) = (saved, warnings.is_empty()) {
            warnings.push(format!("not saved: {complaint}"));
        }
        if let Some(course) = course {
            course.begins();
        }
        backward.advance();
        let done = steps - backward.remaining();
        let moves = course
            .as_mut()
            .and_then(|course| course.ends(done, (backward, transition), kept.ranks()));
        let step = backward.remaining() + 1;
        // Nothing is decided where a remap would take effect after the last step.
        if step + late < steps {
            let from_end = steps - late - step;
            if step == 1 || from_end.is_power_of_two() && from_end <= 64 {
                let closest = backward.closest_threshold();
                let (threshold, disagreement) = (closest.threshold, closest.disagreement);
                found.closest.push(Closest { step, threshold, disagreement });
            }
            if found.wanted == Some(step) {
                found.decisions = whole(backward.decisions(), kept.ranks());
            }
        }
        if let Some(shares) = moves {
            return Pause::Moved(shares);
        }
    }
    kept.remove();
    Pause::Ended(Status::Converged)
}

//! Claims about d(n), the difference of the costs of both branches where the change of phase is
//! certain.

use super::lemmas::{Case, show};
use crate::proving::Verdict;
use remapping::Rational;
use remapping::lifetime::Lifetime;
use remapping::phase_change::exact;
use remapping::phase_change::{Hazard, PhaseChange};

pub(super) fn scalar_recursion(case: &Case) -> Verdict {
    let (delay, gain) = (&case.problem.test + &case.problem.install, case.problem.gain());
    let mut x = Rational::ZERO;
    let mut onset = 0;
    let mut wrong = None;
    for n in (0..case.steps().len()).rev() {
        let retain = &gain + case.survival(n) * &x;
        let difference = &delay - &retain;
        if case.excess(n, &Rational::ONE) != difference {
            wrong = Some(n);
        }
        if onset == 0 && difference < Rational::ZERO {
            onset = n + 1;
        }
        x = retain.min(delay.clone());
    }
    if onset as u64 != case.exact.onset {
        wrong = Some(onset);
    }
    Verdict::holds_if(wrong.is_none(), || format!("it differs at step {wrong:?}"))
}

/// d(0) of the program with this distribution of N.
fn difference(problem: &PhaseChange, lifetime: Lifetime) -> Option<Rational> {
    let steps = lifetime.last() as usize;
    let hazard = match &problem.hazard {
        Hazard::PerStep(list) => Hazard::PerStep(list.get(..steps)?.to_vec()),
        constant => constant.clone(),
    };
    let problem = PhaseChange { lifetime, hazard, ..problem.clone() };
    let step = exact::solve(&problem, 200, &()).ok()?.steps.swap_remove(0);
    Some(step.remap.at_one.clone() - step.retain.value(&Rational::ONE))
}

pub(super) fn average_over_n(case: &Case) -> Verdict {
    let last = case.problem.last_step();
    if last > 8 {
        return Verdict::Silent;
    }
    let (mut reached, mut average) = (Rational::ONE, Rational::ZERO);
    for m in 0..=last {
        let survival = case.survival(m as usize);
        let weight = &reached * (Rational::ONE - &survival);
        if weight > Rational::ZERO {
            let Some(known) = difference(&case.problem, Lifetime::fixed(m)) else {
                return Verdict::Silent;
            };
            average += weight * known;
        }
        reached *= survival;
    }
    let truth = case.excess(0, &Rational::ONE);
    Verdict::holds_if(average == truth, || {
        format!("d(0) = {}, the average is {}", show(&truth), show(&average))
    })
}

pub(super) fn minus_the_gain(case: &Case) -> Verdict {
    let (gain, delay) = (case.problem.gain(), &case.problem.test + &case.problem.install);
    let last = case.problem.last_step();
    let certain = (0..last as usize).all(|n| case.survival(n) == Rational::ONE);
    if gain <= Rational::ZERO || !certain {
        return Verdict::Silent;
    }
    let cycles =
        (0..=last + 1).take_while(|k| &gain * Rational::from(*k) <= delay).count() as u64 - 1;
    let Some(at) = last.checked_sub(cycles) else { return Verdict::Silent };
    let found = case.excess(at as usize, &Rational::ONE);
    Verdict::holds_if(found == -&gain, || {
        let n = case.first + at;
        format!("K = {cycles}, d({n}) = {}, but e_R - e_B = {}", show(&found), show(&-&gain))
    })
}

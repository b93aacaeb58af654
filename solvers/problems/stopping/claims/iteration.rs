//! Claims about value iteration: its iterates enclose the solution, and what contracts.

use super::super::lemmas::Case;
use super::at;
use crate::proving::Verdict;
use remapping::stopping::AfterRemap;

/// The number of sweeps that the claims about value iteration check.
const SWEEPS: usize = 30;

pub(super) fn iterates_enclose(case: &Case) -> Verdict {
    let Some(solved) = case.solved() else { return Verdict::Silent };
    let problem = &solved.problem;
    let running = problem.running();
    // A function above J: rho everywhere, or the cost of a remap into a random state if every
    // policy only remaps.
    let multiplicities = solved.states.multiplicities();
    let weight = |s: usize| multiplicities.as_ref().map_or(1.0, |weights| weights[s]);
    let all: f64 = (0..running.len()).map(weight).sum();
    let balanced: f64 = (0..running.len()).filter(|s| running[*s] == 0.0).map(weight).sum();
    let top = match case.after {
        AfterRemap::Stop => case.rho,
        AfterRemap::Uniform => case.rho * all / balanced,
    };
    let mut low = vec![0.0; running.len()];
    let mut high: Vec<f64> = running.iter().map(|psi| if *psi > 0.0 { top } else { 0.0 }).collect();
    let slack = 1e-8 * top.max(1.0);
    let mut next = low.clone();
    for sweep in 0..SWEEPS {
        for (v, rising) in [(&mut low, true), (&mut high, false)] {
            problem.bellman_into(v, &mut next);
            let wrong = |s: &usize| match rising {
                true => next[*s] < v[*s] - slack || next[*s] > solved.solution.value(*s) + slack,
                false => next[*s] > v[*s] + slack || next[*s] < solved.solution.value(*s) - slack,
            };
            if let Some(s) = (0..next.len()).find(wrong) {
                return Verdict::Fails(format!("sweep {sweep} {}", at(&solved, s)));
            }
            v.copy_from_slice(&next);
        }
    }
    Verdict::Holds
}

/// 1 in unbalanced states, 0 in balanced ones.
fn unbalanced(running: &[f64]) -> Vec<f64> {
    running.iter().map(|psi| if *psi > 0.0 { 1.0 } else { 0.0 }).collect()
}

pub(super) fn a_power_contracts(case: &Case) -> Verdict {
    let Some((states, problem)) = case.problem(true, case.rho, AfterRemap::Stop) else {
        return Verdict::Silent;
    };
    let (_, operator) = case.states(true);
    let n = states.count();
    // The states that can reach balance, step by step.
    let rows = if n <= 400 { problem.transition_rows() } else { return Verdict::Silent };
    let mut reaches: Vec<bool> = problem.running().iter().map(|psi| *psi == 0.0).collect();
    loop {
        let step = |s: usize| reaches[s] || (0..n).any(|t| rows[s][t] > 0.0 && reaches[t]);
        let next: Vec<bool> = (0..n).map(step).collect();
        if next == reaches {
            break;
        }
        reaches = next;
    }
    if !reaches.iter().all(|reach| *reach) {
        return Verdict::Silent;
    }
    // 1 less the rows of the power: their own sums hide probabilities below the last digit of 1.
    let balanced: Vec<bool> = problem.running().iter().map(|psi| *psi == 0.0).collect();
    let mut come: Vec<f64> = balanced.iter().map(|at| f64::from(u8::from(*at))).collect();
    let mut image = come.clone();
    for _ in 0..n {
        operator.apply_into(&come, &mut image);
        let off = come.iter_mut().zip(&image).zip(&balanced).filter(|(_, at)| !**at);
        off.for_each(|((come, image), _)| *come = *image);
    }
    let least = come.iter().copied().fold(1.0, f64::min);
    Verdict::holds_if(least > 0.0, || {
        format!("the norm of the {n}-th power is 1: balance is not reached from some state")
    })
}

pub(super) fn one_sweep_contracts(case: &Case) -> Verdict {
    let Some((states, problem)) = case.problem(true, case.rho, AfterRemap::Stop) else {
        return Verdict::Silent;
    };
    let (_, operator) = case.states(true);
    let off = unbalanced(problem.running());
    let mut image = off.clone();
    operator.apply_into(&off, &mut image);
    // There, adding a constant to J adds it to the image.
    let fixed = (0..off.len()).find(|s| off[*s] == 1.0 && image[*s] >= 1.0 - 1e-15);
    fixed.map_or(Verdict::Holds, |s| {
        let loads = states.loads(s);
        Verdict::Fails(format!("from loads {loads:?} no move leads to balance: the modulus is 1"))
    })
}

//! Optimal stopping over a number of steps: the backward recursion in integers, with lower and
//! upper bounds. docs/certificates.md has the proof.

use crate::core::budget::{Budget, Refusal};
use crate::core::counts::{Decision, Tally};
use crate::core::proof::Proof;
use crate::stopping::problem::{After, Stopping};
use crate::stopping::states::{Shown, States};
use crate::stopping::values::Run;

/// The result of the recursion, in units of 2^-bits. Nothing else is needed as evidence.
pub(crate) fn prove(
    own: &Stopping,
    (bits, runs): (u32, &[Run]),
    steps: u64,
    budget: &Budget,
) -> Result<Shown, Refusal> {
    let (imbalance, space) = own.parts()?;
    budget.spend(space.work().saturating_add(space.count() as u64).saturating_mul(2 * steps))?;
    if bits > 60 || !runs.is_empty() {
        return Err(Refusal::Malformed);
    }
    let goes_on = own.model.after_remap == After::Restart;
    let back = goes_on.then(|| space.evened(imbalance)).transpose()?;
    let (psi, rho) = (space.each(|_, loads| imbalance.cost(loads, bits))?, own.rho(bits)?);
    let balanced = |s: usize| back.as_ref().map_or(psi[s][1] == 0, |(_, still)| still[s]);
    let [mut value, mut go, mut remap] = [(); 3].map(|()| vec![[0u64; 2]; psi.len()]);
    let mut from = vec![[None; 2]; if back.is_none() { psi.len() } else { 0 }];
    for step in 1..=steps {
        go.clone_from(&value);
        let deficit = space.expect(go.as_flattened_mut());
        for (go, psi) in go.iter_mut().zip(&psi) {
            *go = [go[0] + psi[0], go[1] + deficit + psi[1]];
        }
        let more = |s: usize| back.as_ref().map_or([0; 2], |(back, _)| go[back[s]]);
        let all = (0..psi.len()).map(|s| [0, 1].map(|side| rho(s)[side] + more(s)[side]));
        remap = all.collect();
        let next = Vec::from_iter((0..psi.len()).map(|s| {
            let ends = back.is_none() && balanced(s);
            [0, 1].map(|side| if ends { 0 } else { go[s][side].min(remap[s][side]) })
        }));
        if next.iter().any(|value| value[1] >= 1 << 60) {
            return Err(Refusal::TooLarge);
        }
        // A remap may be optimal, or is surely optimal. Values rise with the remaining steps, so it
        // remains optimal.
        for (s, from) in from.iter_mut().enumerate().filter(|(s, _)| !balanced(*s)) {
            let ends = [go[s][1] >= remap[s][0], go[s][0] >= remap[s][1]];
            let new = |(from, is): (&mut Option<u64>, bool)| *from = from.or(is.then_some(step));
            from.iter_mut().zip(ends).for_each(new);
        }
        if std::mem::replace(&mut value, next) == value && back.is_none() {
            break;
        }
    }
    let mut tally = Tally::new();
    let decisions = space.each(|s, loads| {
        let decision = Decision::of(balanced(s), go[s], remap[s]);
        tally.add(decision, space.orders(loads));
        Ok(decision)
    })?;
    let most = |of: &dyn Fn(usize) -> u64| (0..psi.len()).map(of).max().unwrap_or(0);
    let apart = most(&|s| value[s][1] - value[s][0].min(value[s][1]));
    let ends = |of: &dyn Fn(usize) -> [u64; 2]| [0, 1].map(|side| most(&|s| of(s)[side]));
    let counts = (tally.classes, tally.vectors);
    let proof = Proof::map(bits, [ends(&rho), ends(&|s| value[s])], apart, counts);
    Ok((proof, States::of_all(bits, decisions, value.into_iter().map(|v| (1, v)).collect(), from)))
}

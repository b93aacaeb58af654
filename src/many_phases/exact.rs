//! Backward induction on all alpha-vectors in rationals, for few steps and few phases (Smallwood
//! and Sondik 1973; incremental pruning as in Cassandra, Littman and Zhang 1997).
//!
//! The number of vectors may grow exponentially with the horizon.

use super::problem::{ManyPhases, Remap};
use crate::Rational;
use crate::lifetime::Lifetime;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

type Vector = Vec<Rational>;

/// The least expected time from step 0; `None` if some step has more than `most` vectors. Only
/// vectors dominated by a single other one are removed. `problem` must be valid.
///
/// # Errors
/// The halt of the observer.
pub fn exact(
    problem: &ManyPhases,
    lifetime: &Lifetime,
    most: usize,
    observer: &dyn Observer,
) -> Result<Option<Rational>, Halt> {
    let count = problem.phases();
    let mut next: Vec<Vec<Vector>> = vec![vec![vec![Rational::ZERO; count]]; count];
    let last = lifetime.last();
    for n in (0..=last).rev() {
        let survival = lifetime.continuation_exact(n);
        let mut keep = Vec::new();
        for (m, own) in next.iter().enumerate() {
            let first: Vector = problem.cycle.iter().map(|row| row[m].clone()).collect();
            let mut sums = vec![first];
            for report in 0..problem.reports() {
                if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
                    return Err(halt);
                }
                let ahead: Vec<Vector> =
                    own.iter().map(|vector| before(problem, report, &survival, vector)).collect();
                let added = |(sum, one): (&Vector, &Vector)| -> Vector {
                    sum.iter().zip(one).map(|(a, b)| a + b).collect()
                };
                let pairs = sums.iter().flat_map(|sum| ahead.iter().map(move |one| (sum, one)));
                sums = pruned(pairs.map(added).collect());
                if sums.len() > most {
                    return Ok(None);
                }
            }
            keep.push(sums);
        }
        next = (0..count).map(|m| chosen(problem, m, &keep)).collect();
        if next.iter().any(|own| own.len() > most) {
            return Ok(None);
        }
    }
    Ok(Some(least(&next[0], &problem.initial)))
}

/// The value of a vector of the next step before the observation `report`.
fn before(problem: &ManyPhases, report: usize, survival: &Rational, vector: &Vector) -> Vector {
    let weighed: Vector = vector
        .iter()
        .zip(&problem.detector)
        .map(|(cost, chances)| cost * &chances[report])
        .collect();
    let mean =
        |row: &Vector| row.iter().zip(&weighed).fold(Rational::ZERO, |sum, (p, c)| sum + p * c);
    problem.transition.iter().map(|row| survival * mean(row)).collect()
}

/// The vectors of all actions under mapping m.
fn chosen(problem: &ManyPhases, m: usize, keep: &[Vec<Vector>]) -> Vec<Vector> {
    let mut all = keep[m].clone();
    match problem.remap {
        Remap::Chosen => {
            for (j, others) in keep.iter().enumerate().filter(|(j, _)| *j != m) {
                let cost = &problem.switch[m][j];
                all.extend(
                    others.iter().map(|one| one.iter().map(|c| c + cost).collect::<Vector>()),
                );
            }
        }
        Remap::Fitted => {
            let at = |z: usize| {
                let least = keep[z].iter().map(|one| &one[z]).min().expect("there is a vector");
                &problem.switch[m][z] + least
            };
            all.push((0..keep.len()).map(at).collect());
        }
    }
    pruned(all)
}

/// Removes dominated vectors: those nowhere below another one.
fn pruned(mut all: Vec<Vector>) -> Vec<Vector> {
    all.sort();
    all.dedup();
    let mut kept: Vec<Vector> = Vec::new();
    for vector in all {
        let above = |other: &Vector| other.iter().zip(&vector).all(|(a, b)| a <= b);
        if !kept.iter().any(above) {
            kept.retain(|other| !vector.iter().zip(other).all(|(a, b)| a <= b));
            kept.push(vector);
        }
    }
    kept
}

fn least(vectors: &[Vector], belief: &[Rational]) -> Rational {
    let at =
        |vector: &Vector| vector.iter().zip(belief).fold(Rational::ZERO, |sum, (c, p)| sum + c * p);
    vectors.iter().map(at).min().expect("there is a vector")
}

//! Models, proofs and numbers that tests of the checker share.

use remap_checker::{Evidence, Model, Proof, Refusal, Run};
use std::path::Path;

/// A model file of this problem.
pub fn text(problem: &str) -> String {
    format!("Model(title: \"t\", problem: {problem})")
}

pub fn read(problem: &str) -> Result<Model, Refusal> {
    Model::read(&text(problem), Path::new(""))
}

#[track_caller]
pub fn model(problem: &str) -> Model {
    read(problem).unwrap_or_else(|refusal| panic!("{problem}: {refusal}"))
}

pub fn prove(problem: &str, evidence: &Evidence) -> Result<Proof, Refusal> {
    read(problem)?.prove(evidence)
}

#[track_caller]
pub fn is_model_error(problem: &str) {
    assert!(matches!(read(problem), Err(Refusal::Model(_))), "{problem}");
}

pub fn interval(proof: &Proof, name: &str) -> (f64, f64) {
    let found = proof.intervals().into_iter().find(|(other, ..)| other == name);
    found.map_or_else(|| panic!("{name}: {proof:?}"), |(_, low, high)| (low, high))
}

/// A number that is known.
pub fn count(proof: &Proof, name: &str) -> f64 {
    let (low, high) = interval(proof, name);
    assert_eq!(low, high);
    low
}

/// The first step of a threshold, and the last, by its name.
pub fn range(name: &str) -> (usize, usize) {
    let (first, last) = name[3..].split_once("..").unwrap_or((&name[3..], &name[3..]));
    (first.parse().unwrap(), last.parse().unwrap())
}

/// Differences from one run to the next, as certificates list values.
pub fn by_steps(values: impl IntoIterator<Item = (i64, i64)>) -> impl Iterator<Item = Run> {
    let mut last = 0;
    values.into_iter().map(move |(low, high)| {
        let step = low - std::mem::replace(&mut last, low);
        (1, step, (high - low) as u64)
    })
}

/// Numbers from 0 up to, but without, `below`; the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

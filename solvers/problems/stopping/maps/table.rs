//! Decision maps that are too long for a JSON document.

use crate::archive::Archive;
use remapping::stopping::{Solution, States};
use std::io::{BufWriter, Result, Seek, Write};

/// A decision map by class of load vectors.
#[derive(Debug)]
pub struct Table {
    /// The classes.
    pub states: States,
    /// `B`, `R` or `C` for each.
    pub decision: Vec<u8>,
    /// Whether its two branches agree within the proved bounds.
    pub ties: Vec<bool>,
    /// J.
    pub value: Vec<f64>,
    /// The solution that proves it.
    pub solution: Solution,
}

/// Writes the arrays, one entry or row for each class:
///
/// * `loads`: a load vector of the class, one column for each process; the others permute equal
///   processes;
/// * `vectors`: the number of load vectors that the class stands for;
/// * `decision`: the letter as its code, `.view("S1")` of it is the letter;
/// * `tie`, `value`.
pub fn write(table: &Table, file: impl Write + Seek) -> Result<()> {
    let Table { states, decision, ties, value, .. } = table;
    let count = states.count();
    let mut archive = Archive::new(BufWriter::new(file));
    let shape = [count as u64, states.processes() as u64];
    let mut loads = vec![0; states.processes()];
    let all = (0..count).flat_map(|class| {
        states.loads_into(class, &mut loads);
        loads.clone()
    });
    archive.add("loads", &shape, all)?;
    let shape = [count as u64];
    match states.multiplicities() {
        Some(vectors) => archive.add("vectors", &shape, vectors.into_iter())?,
        None => archive.add("vectors", &shape, std::iter::repeat_n(1.0, count))?,
    }
    archive.add("decision", &shape, decision.iter().copied())?;
    archive.add("tie", &shape, ties.iter().copied())?;
    archive.add("value", &shape, value.iter().copied())?;
    archive.finish()
}

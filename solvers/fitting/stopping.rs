//! Fits `Stopping`: loads on levels, with a chain for each rank.

use super::levels::{dense_rows, matrix, named};
use super::load_drift::{Kind, SEED};
use super::{Deck, Facts, short};
use remapping::fit::growth;
use remapping::fit::simulated::OnLevels;
use remapping::fit::transitions::Transitions;
use std::fmt::Write;

/// The most load vectors for chains that differ.
const MOST_VECTORS: f64 = 200_000.0;

/// A chain for each rank on the trace's own lattice, where it does not have too many load vectors.
pub fn stopping(facts: &Facts<'_>, kind: Kind) -> Option<Deck> {
    let moves = facts.whole.transitions.as_ref()?;
    let (ranks, levels) = (facts.record.ranks(), moves.levels);
    if levels < 3 || (levels as f64).powi(ranks as i32) > MOST_VECTORS {
        return None;
    }
    let dense = kind.is_dense(moves);
    let matrices: Vec<Vec<Vec<f64>>> = moves
        .matrices()
        .iter()
        .map(|rows| if dense { dense_rows(rows) } else { dense_rows(&neighbours(rows)) })
        .collect();
    let (mut chains, mut parameters) = (String::new(), Vec::new());
    for (rank, rows) in matrices.iter().enumerate() {
        let chain = if dense { full(moves, rows) } else { birth_death(moves, rows) };
        let _ = writeln!(chains, "        {chain},");
        parameters.extend(named(&format!("rank {rank}, "), moves.probabilities(Some(rank))));
    }
    let quantum = moves.quantum;
    let starts = facts.levels(quantum, moves.lowest, levels);
    let own = |rank: usize| matrices[rank].as_slice();
    let predicted = growth::chain(&own, &starts, quantum, &facts.lags(), SEED);
    let loads = OnLevels { rows: &own, recorded: &starts, lowest: moves.lowest, unit: quantum };
    let mut misfits = Vec::new();
    let tested =
        facts.tested(&|numbers, steps, remaps| loads.record(numbers, steps, remaps), &mut misfits);
    let model = format!(
        "Stopping(\n    processes: Distinct([\n{chains}    ]),\n    remap_cost: {},\n    \
         after_remap: Restart,\n)",
        short(facts.remap_cost / quantum)
    );
    Some(Deck { problem: "stopping", model, parameters, predicted, unit: quantum, misfits, tested })
}

/// Replaces moves over several levels by moves to the neighbor on their side.
fn neighbours(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut near = vec![vec![0.0; rows.len()]; rows.len()];
    for (from, row) in rows.iter().enumerate() {
        for (to, p) in row.iter().enumerate() {
            near[from][to.clamp(from.saturating_sub(1), from + 1)] += p;
        }
    }
    near
}

fn full(moves: &Transitions, rows: &[Vec<f64>]) -> String {
    format!("Matrix(lowest: {}, rows: {})", moves.lowest, matrix(rows, 12))
}

fn birth_death(moves: &Transitions, rows: &[Vec<f64>]) -> String {
    let list = |change: isize| {
        let entry = |(from, row): (usize, &Vec<f64>)| {
            let to = from.checked_add_signed(change).and_then(|to| row.get(to));
            to.copied().unwrap_or(0.0).to_string()
        };
        rows.iter().enumerate().map(entry).collect::<Vec<_>>().join(", ")
    };
    format!("BirthDeath(lowest: {}, up: [{}], down: [{}])", moves.lowest, list(1), list(-1))
}

//! Fits `LoadDrift`: loads that walk on levels, with one chain for all ranks.

use super::levels::{dense_rows, matrix, named};
use super::{Deck, Facts, short};
use remapping::chain::{BirthDeath, ChainError, Edge, Multisets};
use remapping::estimate::Estimate;
use remapping::fit::chain::Moves;
use remapping::fit::growth;
use remapping::fit::simulated::OnLevels;
use remapping::fit::transitions::Transitions;

/// The most states of a chain on the trace's own lattice, and of one on constructed levels; the
/// most load vectors of a dense chain.
const MOST_OWN: usize = 2_000_000;
const MOST_MADE: usize = 50_000;
const MOST_DENSE: f64 = 100_000.0;

/// The least number of levels of a useful chain.
const FEWEST_LEVELS: usize = 6;

/// The probability below which equal probabilities, or drifts, count as refuted.
pub(super) const REFUTED: f64 = 0.001;

/// The largest share of moves over several levels that a chain of neighbors may ignore.
pub(super) const FEW_JUMPS: f64 = 0.01;

/// The seed of predictions.
pub(super) const SEED: u64 = 1;

/// The kind of chain that is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Dense where more than one move in a hundred crosses several levels.
    Auto,
    /// Moves to neighboring levels only.
    BirthDeath,
    /// Any moves.
    Dense,
}

impl Kind {
    /// Whether these moves need a dense matrix.
    pub(super) fn is_dense(self, moves: &Transitions) -> bool {
        match self {
            Kind::Auto => moves.jumps() > FEW_JUMPS,
            Kind::BirthDeath => false,
            Kind::Dense => true,
        }
    }
}

/// The chain, where it does not have too many states.
pub fn load_drift(facts: &Facts<'_>, kind: Kind) -> Option<Deck> {
    let ranks = facts.record.ranks();
    let few = |levels: usize, most: usize| {
        Multisets::new(ranks, levels).is_ok_and(|sets| sets.states() <= most)
    };
    let small = |moves: &Transitions| {
        moves.levels >= 3 && (moves.levels as f64).powi(ranks as i32) <= MOST_DENSE
    };
    if let Some(moves) = &facts.whole.moves {
        let transitions = facts.whole.transitions.as_ref();
        if let Some(moves) = transitions.filter(|moves| small(moves) && kind.is_dense(moves)) {
            return Some(dense(facts, moves));
        }
        let rare =
            moves.jumps as f64 <= FEW_JUMPS * moves.total() as f64 || kind == Kind::BirthDeath;
        if rare && moves.counts.len() >= 3 && few(moves.counts.len(), MOST_OWN) {
            return Some(counted(facts, moves));
        }
    }
    let levels = (FEWEST_LEVELS..=100).rev().find(|levels| few(*levels, MOST_MADE))?;
    let walk = matched(facts, levels);
    let made = Transitions::of(facts.record, walk.unit);
    match made.filter(|moves| small(moves) && kind.is_dense(moves)) {
        None => Some(walk),
        Some(moves) => Some(dense(facts, &moves)),
    }
}

/// A dense matrix from relative frequencies.
fn dense(facts: &Facts<'_>, moves: &Transitions) -> Deck {
    let rows = dense_rows(&moves.matrix());
    let chain = format!("Matrix(lowest: {}, rows: {})", moves.lowest, matrix(&rows, 8));
    let parameters = named("", moves.probabilities(None));
    deck(facts, chain, &rows, moves.lowest, moves.quantum, parameters, Vec::new())
}

/// A chain from relative frequencies, on the levels of the trace.
fn counted(facts: &Facts<'_>, moves: &Moves) -> Deck {
    let walk = moves.walk();
    let (levels, lowest) = (moves.counts.len(), moves.lowest);
    let alike = walk.same_at_every_level >= REFUTED;
    let (chain, rows) = if alike {
        stated(lowest, levels, [walk.up.value, walk.down.value], walk.edge)
    } else {
        let (downs, ups) = moves.birth_death();
        let list = |values: &[f64]| values.iter().map(|v| short(*v)).collect::<Vec<_>>().join(", ");
        let text =
            format!("BirthDeath(lowest: {lowest}, up: [{}], down: [{}])", list(&ups), list(&downs));
        (text, rows(BirthDeath::new(ups, downs)))
    };
    let mut misfits = Vec::new();
    if moves.jumps > 0 {
        misfits.push(format!("{} of {} moves are of several levels", moves.jumps, moves.total()));
    }
    let parameters = if alike {
        vec![("up".to_owned(), walk.up), ("down".to_owned(), walk.down)]
    } else {
        let moves = facts.whole.transitions.as_ref();
        named("", moves.map_or_else(Vec::new, |moves| moves.probabilities(None)))
    };
    deck(facts, chain, &rows, lowest, moves.quantum, parameters, misfits)
}

/// A walk that matches drift and variance, on constructed levels.
fn matched(facts: &Facts<'_>, levels: usize) -> Deck {
    let (low, high) = facts.whole.range;
    let increments = &facts.increments;
    let drift = increments.drift.value;
    let square = increments.deviation.value.powi(2) + drift * drift;
    let quantum = ((high - low) / (levels - 1) as f64).max(1.2 * square.sqrt());
    // Loads that differ only by rounding form a single level: chains with billions of levels cannot
    // be solved.
    let quantum = match quantum > 1e-9 * high {
        true => quantum,
        false if high > 0.0 => high,
        false => 1.0,
    };
    let lowest = (low / quantum).floor() as i64;
    let levels = ((high / quantum).ceil() as i64 - lowest + 1).max(3) as usize;
    let second = (square / (quantum * quantum)).min(1.0);
    let first = (drift / quantum).clamp(-second, second);
    let (up, down) = ((second + first) / 2.0, (second - first) / 2.0);
    let still = is_still(facts);
    let interval = |value: f64, sign: f64| {
        if still {
            return Estimate::probability(0, increments.count as u64);
        }
        // Equal drifts give no information about their error.
        if !increments.drift.is_bounded() {
            return Estimate::around(value, f64::INFINITY);
        }
        let at = |deviation: f64, drift: f64| {
            let second = (deviation * deviation + drift * drift) / (quantum * quantum);
            ((second + sign * drift / quantum) / 2.0).clamp(0.0, 1.0)
        };
        let corners = [increments.deviation.lower, increments.deviation.upper]
            .map(|s| [increments.drift.lower, increments.drift.upper].map(|m| at(s, m)));
        // A drift inside its interval may make a move less likely than one at either end.
        let corners = corners.as_flattened();
        let lower = corners.iter().copied().fold(value, f64::min);
        Estimate { value, lower, upper: corners.iter().copied().fold(value, f64::max) }
    };
    let parameters = [("up", up, 1.0), ("down", down, -1.0)]
        .map(|(name, value, sign)| (name.to_owned(), interval(value, sign)))
        .to_vec();
    let (chain, rows) = stated(lowest, levels, [up, down], Edge::Hold);
    let deck = deck(facts, chain, &rows, lowest, quantum, parameters, Vec::new());
    let nothing = "no load changes between remaps in this log: there is nothing to remap for";
    Deck { tested: if still { Some(nothing.to_owned()) } else { deck.tested }, ..deck }
}

/// Whether no load changes between remaps in the part of the log in memory, and no mean changes
/// beyond it.
fn is_still(facts: &Facts<'_>) -> bool {
    let record = facts.record;
    let same = |step: usize| record.row(step) == record.row(step - 1);
    let moves = facts.increments.deviation.value > 0.0
        || facts.increments.drifts.iter().any(|drift| *drift != 0.0);
    !moves && record.stretches().into_iter().all(|stretch| stretch.skip(1).all(same))
}

/// A walk as a model states it, and its matrix.
fn stated(lowest: i64, levels: usize, [up, down]: [f64; 2], edge: Edge) -> (String, Vec<Vec<f64>>) {
    let name = match edge {
        Edge::Hold => "Hold",
        Edge::Reflect => "Reflect",
    };
    let text = format!(
        "Walk(lowest: {lowest}, levels: {levels}, up: {}, down: {}, edge: {name})",
        short(up),
        short(down)
    );
    (text, rows(BirthDeath::walk(levels, up, down, edge)))
}

fn rows(chain: Result<BirthDeath, ChainError>) -> Vec<Vec<f64>> {
    chain.map_or_else(|_| Vec::new(), |chain| chain.rows())
}

fn deck(
    facts: &Facts<'_>,
    chain: String,
    rows: &[Vec<f64>],
    lowest: i64,
    quantum: f64,
    parameters: Vec<(String, Estimate)>,
    mut misfits: Vec<String>,
) -> Deck {
    let ranks = facts.record.ranks();
    let levels = rows.len().max(1);
    let first =
        ((facts.record.mean(0) / quantum).round() as i64 - lowest).clamp(0, levels as i64 - 1);
    let alike = |_: usize| rows;
    let starts = facts.levels(quantum, lowest, levels);
    let predicted = growth::chain(&alike, &starts, quantum, &facts.lags(), SEED);
    if facts.increments.same_drift < REFUTED {
        misfits.push("the ranks drift apart steadily: they are not alike".to_owned());
    } else if facts.alike < REFUTED {
        misfits.push(format!(
            "the ranks do not move alike from equal levels: counts so different have probability {}",
            short(facts.alike)
        ));
    }
    let loads = OnLevels { rows: &alike, recorded: &starts, lowest, unit: quantum };
    let tested =
        facts.tested(&|numbers, steps, remaps| loads.record(numbers, steps, remaps), &mut misfits);
    let steps_are = match facts.job_steps {
        Some(_) => "",
        None => {
            "  // those of the log: no length of the job was stated, and none is used in what is exported"
        }
    };
    let model = format!(
        "LoadDrift(\n    processors: {ranks},\n    chain: {chain},\n    initial_load: {},\n    \
         steps: {},{steps_are}\n    remap_cost: {},\n)",
        lowest + first,
        facts.steps(),
        short(facts.remap_cost / quantum)
    );
    Deck { problem: "load_drift", model, parameters, predicted, unit: quantum, misfits, tested }
}

//! Changes per step, and the best fixed interval: `Periodic`.

use super::load_drift::SEED;
use super::{Deck, Facts, short};
use remapping::fit::chain::{Moves, lattice};
use remapping::fit::growth;

/// Probability below which equal drifts count as refuted.
const REFUTED: f64 = 0.001;

/// The law of the changes: the steps themselves on a lattice, otherwise normal, with a drift of its own
/// for each rank where the drifts differ.
pub fn periodic(facts: &Facts<'_>) -> Deck {
    let (record, increments) = (facts.record, &facts.increments);
    let ranks = record.ranks();
    let differ = increments.same_drift < REFUTED;
    let deviation = increments.deviation.value;
    let own = lattice(record).map(|quantum| Moves::of(record, quantum));
    let own = own.filter(|moves| moves.jumps == 0 && !differ && increments.noise < 0.2 * deviation);
    let (mut unit, mut parameters) = (1.0, vec![("drift per step".to_owned(), increments.drift)]);
    let changes = if let Some(moves) = &own {
        unit = moves.quantum;
        let walk = moves.walk();
        parameters = vec![("up".to_owned(), walk.up), ("down".to_owned(), walk.down)];
        let (up, down) = (short(walk.up.value), short(walk.down.value));
        let stay = stay(&up, &down);
        format!("Identical(count: {ranks}, law: Steps({{-1: {down}, 0: {stay}, 1: {up}}}))")
    } else if differ {
        let law = |drift: &f64| {
            format!("Normal(mean: {}, deviation: {})", short(*drift), short(deviation))
        };
        let laws: Vec<String> = increments.drifts.iter().map(law).collect();
        format!("Distinct([\n        {},\n    ])", laws.join(",\n        "))
    } else {
        let drift = short(increments.drift.value);
        format!(
            "Identical(count: {ranks}, law: Normal(mean: {drift}, deviation: {}))",
            short(deviation)
        )
    };
    parameters.push(("deviation per step".to_owned(), increments.deviation));
    let drifts =
        if differ { increments.drifts.clone() } else { vec![increments.drift.value; ranks] };
    let lags = facts.lags();
    let predicted = growth::normal(&drifts, deviation, increments.noise, &lags, SEED);
    let misfits = facts.misfits(&predicted);
    let model = format!(
        "Periodic(\n    initial_load: {},\n    changes: {changes},\n    \
         bound: MaxDeviation(0.05),  // the tolerance is yours to choose; the cost decides without it\n    \
         remap_cost: {},\n)",
        short(facts.mean() / unit),
        short(facts.remap_cost / unit)
    );
    Deck { problem: "periodic", model, parameters, predicted, unit, misfits }
}

/// What is left for staying, so that the decimals add up to one.
fn stay(up: &str, down: &str) -> String {
    let exact = |text: &str| text.parse::<f64>().unwrap_or(0.0);
    let rest = 1.0 - exact(up) - exact(down);
    format!("{:.12}", rest.max(0.0)).trim_end_matches('0').trim_end_matches('.').to_owned()
}

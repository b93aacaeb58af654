//! Fits `Periodic`: changes per step, for the best fixed interval.

use super::load_drift::{REFUTED, SEED};
use super::{Deck, Facts, short};
use remapping::fit::chain::Moves;
use remapping::fit::growth;
use remapping::fit::simulated::{Change, Drifting, Drifts};

/// The distribution of the changes: steps where they are on a lattice, otherwise normal. Each rank
/// has its own drift where the drifts differ.
pub fn periodic(facts: &Facts<'_>) -> Deck {
    let increments = &facts.increments;
    let ranks = facts.record.ranks();
    let differ = increments.same_drift < REFUTED;
    let deviation = increments.deviation.value;
    let own = facts.whole.moves.as_ref();
    let own = own.filter(|moves| moves.jumps == 0 && !differ && increments.noise < 0.2 * deviation);
    let (mut unit, mut parameters) = (1.0, vec![("drift per step".to_owned(), increments.drift)]);
    let changes = if let Some(moves) = own {
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
    let (own, start) = (own.map(Moves::walk), facts.whole.mean);
    let change = own.map_or(Change::Normal(deviation), |walk| Change::Units {
        unit,
        up: walk.up.value,
        down: walk.down.value,
    });
    let mut misfits = Vec::new();
    let noise = increments.noise;
    let noisy = noise > 0.2 * deviation && own.is_none();
    // The recorded changes include this noise.
    let noise_of_times = if noisy { noise } else { 0.0 };
    let predicted = growth::normal(&drifts, deviation, noise_of_times, &lags, SEED);
    let loads = Drifting { change, drifts: Drifts::Fixed(drifts), noise: noise_of_times };
    let mut tested = facts.tested(
        &|numbers, steps, remaps| loads.record(numbers, start, steps, remaps),
        &mut misfits,
    );
    if noisy {
        let beside =
            format!("with noise of {} on each time, which no remap takes away", short(noise));
        tested = tested.map(|tested| format!("{beside}, {tested}"));
    }
    if !differ && increments.deviation.lower <= 0.0 {
        misfits.push(
            "what changes is noise of the measurement, as far as can be told: there is nothing to remap for"
                .to_owned(),
        );
    }
    let model = format!(
        "Periodic(\n    initial_load: {},\n    changes: {changes},\n    remap_cost: {},\n)",
        short(facts.whole.mean / unit),
        short(facts.remap_cost / unit)
    );
    Deck { problem: "periodic", model, parameters, predicted, unit, misfits, tested }
}

/// The probability of staying, so that the decimals add up to one.
fn stay(up: &str, down: &str) -> String {
    let exact = |text: &str| text.parse::<f64>().unwrap_or(0.0);
    let rest = 1.0 - exact(up) - exact(down);
    format!("{:.12}", rest.max(0.0)).trim_end_matches('0').trim_end_matches('.').to_owned()
}

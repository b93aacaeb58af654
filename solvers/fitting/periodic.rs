//! Fits `Periodic`: changes per step, for the best fixed interval.

use super::load_drift::SEED;
use super::{Deck, Facts, short};
use rand::RngExt;
use remapping::fit::chain::{Moves, Walk};
use remapping::fit::growth;
use remapping::simulate::Stream;

/// The probability below which equal drifts count as refuted.
const REFUTED: f64 = 0.001;

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
    let law = Law { walk: own.map(|walk| (walk, unit)), drifts, deviation };
    let mut misfits = Vec::new();
    let noise = increments.noise;
    let noisy = noise > 0.2 * deviation && law.walk.is_none();
    // The recorded changes include this noise.
    let seen_through = if noisy { noise } else { 0.0 };
    let predicted = growth::normal(&law.drifts, deviation, seen_through, &lags, SEED);
    let mut make = |numbers: &mut Stream, steps: usize, remaps: &[usize]| {
        law.record(numbers, start, steps, remaps, seen_through)
    };
    let mut tested = facts.tested(&mut make, &mut misfits);
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

/// The distribution that the model states.
struct Law {
    /// Steps on a lattice of this unit, where it is one.
    walk: Option<(Walk, f64)>,
    drifts: Vec<f64>,
    deviation: f64,
}

impl Law {
    /// The times of a simulated run that starts balanced at `start`.
    fn record(
        &self,
        numbers: &mut Stream,
        start: f64,
        steps: usize,
        remaps: &[usize],
        noise: f64,
    ) -> Vec<f64> {
        let mut loads = vec![start; self.drifts.len()];
        let mut seconds = Vec::with_capacity(steps * loads.len());
        for step in 0..steps {
            if remaps.binary_search(&step).is_ok() {
                let mean = loads.iter().sum::<f64>() / loads.len() as f64;
                loads.fill(mean);
            }
            for (load, drift) in loads.iter_mut().zip(&self.drifts) {
                *load += match &self.walk {
                    Some((walk, unit)) => {
                        let draw: f64 = numbers.random();
                        let up = draw < walk.up.value;
                        let down = draw > 1.0 - walk.down.value;
                        unit * (f64::from(up) - f64::from(down))
                    }
                    None => drift + self.deviation * normal(numbers),
                };
                let seen = if noise > 0.0 { *load + noise * normal(numbers) } else { *load };
                seconds.push(seen);
            }
        }
        seconds
    }
}

/// A standard normal number (G. E. P. Box and M. E. Muller 1958).
pub(super) fn normal(numbers: &mut Stream) -> f64 {
    let (size, angle): (f64, f64) = (numbers.random(), numbers.random());
    (-2.0 * (1.0 - size).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The probability of staying, so that the decimals add up to one.
fn stay(up: &str, down: &str) -> String {
    let exact = |text: &str| text.parse::<f64>().unwrap_or(0.0);
    let rest = 1.0 - exact(up) - exact(down);
    format!("{:.12}", rest.max(0.0)).trim_end_matches('0').trim_end_matches('.').to_owned()
}

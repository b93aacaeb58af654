//! Describes the effect of remaps on the ranks' drift rates in words.

use super::{Facts, load_drift::REFUTED, short, three};
use remapping::fit::slopes::{Fate, Slopes};

/// The most ranks that are named.
const MOST_NAMED: usize = 3;

/// A sentence, where ranks have drift rates.
pub fn words(facts: &Facts<'_>) -> Option<String> {
    let differ = facts.increments.same_drift < REFUTED;
    let Some(found) = &facts.slopes else {
        return differ.then(|| {
            "ranks drift apart; whether a remap would redraw their slopes cannot be told: the log has no two \
             stretches of six steps between remaps"
                .to_owned()
        });
    };
    let Slopes { fate, stretches, redrawn, kept, spread, steep, .. } = found;
    let spread = short(three(*spread));
    let remaps = match stretches - 1 {
        1 => "a remap".to_owned(),
        many => format!("{many} remaps"),
    };
    match fate {
        Fate::None => None,
        Fate::Kept => Some(format!(
            "{} over {remaps} (probability {} if remaps redrew slopes)",
            who(steep),
            short(*redrawn)
        )),
        Fate::Redrawn => Some(format!(
            "each remap redraws the slopes of the ranks, which differ by some {spread} seconds a step \
             (probability {} if they were kept)",
            chance(*kept)
        )),
        Fate::Unknown => Some(format!(
            "the ranks' slopes differ by some {spread} seconds a step between remaps; whether a remap redraws \
             them cannot be told from {stretches} stretches"
        )),
    }
}

/// `rank 1 gains .0038 seconds a step on the mean and keeps doing so`.
fn who(steep: &[(usize, f64)]) -> String {
    let gain = |(rank, slope): &(usize, f64)| format!("{rank} ({})", short(three(*slope)));
    match steep {
        [] => "the ranks keep their slopes".to_owned(),
        [(rank, slope)] => {
            let slope = short(three(*slope));
            format!("rank {rank} gains {slope} seconds a step on the mean and keeps doing so")
        }
        many => {
            let named: Vec<String> = many.iter().take(MOST_NAMED).map(gain).collect();
            let more = many.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!(
                "ranks {}{more} gain on the mean, in seconds a step, and keep doing so",
                named.join(", ")
            )
        }
    }
}

fn chance(probability: f64) -> String {
    if probability < 1e-6 { "below 0.000001".to_owned() } else { short(three(probability)) }
}

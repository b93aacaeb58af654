//! What a log cannot be, and what it leaves out: units that do not go together, remaps that were
//! not marked, ranks that changed places.

use crate::fitting::short;
use remapping::estimate::student;
use remapping::fit::increments::Increments;
use remapping::overlap::Overlap;
use remapping::record::Record;
use std::ops::Range;

/// Why no advice can be given, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What is wrong.
    pub why: String,
    /// What to record, or to give.
    pub help: String,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// What is worth saying.
    pub notes: Vec<String>,
    /// What stands against any advice, the worst first.
    pub obstacles: Vec<Obstacle>,
    /// The steps before which the run seems to have been remapped although nothing is recorded.
    pub suspected: Vec<usize>,
    /// Whether recorded remaps leave every rank as far from the mean as it was.
    pub changes_nothing: bool,
}

/// Fewer steps say nothing.
const FEWEST_STEPS: usize = 40;

/// Shares of a step, and of the run, between which the cost of a remap is believed.
const LEAST_COST: f64 = 1e-4;

/// Shares of a step beyond which the cost of a remap is asked about.
const CHEAP: f64 = 1e-2;
const DEAR: f64 = 1e3;

/// By which factor the mean time may change from one step to the next for good.
const LARGEST_LEAP: f64 = 30.0;

/// Shares of the imbalance before recorded remaps that are left after them: so much is worth
/// saying, and with so much they do not restore balance.
const SOME_LEFT: f64 = 0.15;
const MUCH_LEFT: f64 = 0.5;

/// Remaps from which on it is asked whether they are too close to each other.
const MANY_REMAPS: usize = 10;

/// Looks at a log whose remaps cost `remap_cost`, and overlap the steps so.
pub fn examine(record: &Record, remap_cost: f64, overlap: Overlap) -> Findings {
    let mut found = Findings::default();
    let steps = record.steps();
    let means: Vec<f64> = (0..steps).map(|step| record.mean(step)).collect();
    let typical = median(&means);
    let mut obstacle = |why: String, help: &str| {
        found.obstacles.push(Obstacle { why, help: help.to_owned() });
    };
    if let Some((at, factor)) = leap(&means) {
        let change = if factor > 1.0 {
            format!("grow {}-fold", short(factor.round()))
        } else {
            format!("fall to one {}th", short((1.0 / factor).round()))
        };
        obstacle(
            format!("the times {change} from step {at} on: two units in one log"),
            "give all times in seconds",
        );
    }
    if clock(&means) {
        obstacle(
            "the times grow at every step: they look like readings of a clock".to_owned(),
            "record what each rank needed for each step, the difference of two readings",
        );
    }
    let total: f64 = (0..steps).map(|step| record.imbalance(step) + record.mean(step)).sum();
    let (cost, step) = (short(remap_cost), short(typical));
    if remap_cost <= 0.0 {
        obstacle(
            "a remap that costs nothing pays after every step".to_owned(),
            "give what a remap costs in seconds: --remap-cost C",
        );
    } else if remap_cost < LEAST_COST * typical {
        obstacle(
            format!(
                "a remap of {cost} seconds beside steps of {step}: these cannot be the same unit"
            ),
            "give the times of steps and of remaps in seconds",
        );
    } else if remap_cost > total {
        obstacle(
            format!("a remap of {cost} seconds takes longer than the whole log, {}", short(total)),
            "give the times of steps and of remaps in seconds, or record a longer run",
        );
    }
    // Overlapping remaps take effect later than they are recorded.
    let left = if overlap.is_none() { left(record) } else { None };
    found.suspected = suspected(record);
    // Where the imbalance falls elsewhere, marks are at the wrong steps.
    found.changes_nothing =
        overlap.is_none() && found.suspected.is_empty() && changes_nothing(record);
    if let Some(Left { remaps, all, before, after, share }) = left {
        let [before, after] = [before, after].map(short);
        let which = match (remaps, all) {
            (1, 1) => "its recorded remap".to_owned(),
            (some, all) if some == all => format!("{all} recorded remaps"),
            (some, all) => {
                format!("{some} of {all} recorded remaps, those of loads out of balance,")
            }
        };
        if found.changes_nothing {
            // Nothing was moved, which is said in its own words.
        } else if share >= MUCH_LEFT {
            obstacle(
                format!(
                    "{which} did not restore balance: max - mean was {before} before and {after} after"
                ),
                "mark the first step after each remap, and only those that moved work; what no remap removes, such as noise \
                 or one rank that writes output, belongs in no step time",
            );
        } else if share >= SOME_LEFT {
            let played = match record.left().is_empty() {
                true => "none, and may seem to be worth more",
                false => "as much",
            };
            found.notes.push(format!(
                "{which} left {:.0} % of the imbalance (max - mean was {before} before and {after} after): those that are \
                 played here leave {played}",
                100.0 * share
            ));
        }
    }
    // Steps whose change since two steps before no remap has a part in.
    let between: usize = record.stretches().iter().map(|steps| steps.len().saturating_sub(2)).sum();
    if record.remaps().len() >= MANY_REMAPS && 4 * between < steps {
        obstacle(
            "with remaps so close to each other nothing shows what loads gain and what is noise of a step".to_owned(),
            "record some hundred steps with a remap every ten steps or fewer",
        );
    }
    if steps < FEWEST_STEPS {
        obstacle(
            format!("{steps} steps are too few"),
            "record 200 steps or more, with every remap and its seconds",
        );
    }
    if remap_cost > 0.0 && (remap_cost < CHEAP * typical || remap_cost > DEAR * typical) {
        found
            .notes
            .push(format!("a remap of {cost} seconds beside steps of {step}: is that one unit?"));
    }
    let outliers = Increments::of(record).map_or(0, |increments| increments.outliers);
    match outliers {
        0 => {}
        1 => found.notes.push("1 time is far off those before and after it".to_owned()),
        many => found.notes.push(format!("{many} times are far off those before and after them")),
    }
    let exchanged = exchanged(record);
    if !exchanged.is_empty() {
        let places = places(&exchanged);
        found.notes.push(format!(
            "ranks seem to have changed places before step {places}: give every rank the same column \
             throughout"
        ));
    }
    found
}

/// Whether ranks are as far from the mean after recorded remaps as before, as they are in the
/// middle between two. Of the deviations of the ranks, as means of [`AFTER`] steps, the share that
/// is still there is sum(before x after) / sum(before^2). After remaps that restore balance its
/// expectation is 0, whatever the size of the imbalance.
fn changes_nothing(record: &Record) -> bool {
    let deviations = |steps: Range<usize>| -> Vec<f64> {
        let of = |rank: usize| {
            steps.clone().map(|step| record.row(step)[rank] - record.mean(step)).sum::<f64>()
        };
        (0..record.ranks()).map(of).collect()
    };
    // Of each place the sum of the products, and of the squares.
    let stays = |at: usize| -> [f64; 2] {
        let (before, after) = (deviations(at - AFTER..at), deviations(at..at + AFTER));
        let both = before.iter().zip(&after).map(|(before, after)| before * after).sum();
        [both, before.iter().map(|before| before * before).sum()]
    };
    let stretches = record.stretches();
    let is_long = |stretch: &Range<usize>| stretch.len() >= 2 * AFTER;
    let remaps = stretches.windows(2).filter(|pair| pair.iter().all(is_long));
    let remaps: Vec<[f64; 2]> = remaps.map(|pair| stays(pair[1].start)).collect();
    let middles = stretches.iter().filter(|stretch| is_long(stretch));
    let middles: Vec<[f64; 2]> =
        middles.map(|steps| stays((steps.start + steps.end) / 2)).collect();
    let share = |all: &[[f64; 2]]| {
        let [both, squares] = [0, 1].map(|k| all.iter().map(|one| one[k]).sum::<f64>());
        if squares > 0.0 { both / squares } else { 0.0 }
    };
    let many = remaps.len() as f64;
    let mean = remaps.iter().map(|one| one[0]).sum::<f64>() / many;
    let variance = remaps.iter().map(|one| (one[0] - mean).powi(2)).sum::<f64>() / (many - 1.0);
    remaps.len() >= FEWEST_REMAPS
        && share(&middles) > PERSISTS
        && share(&remaps) > NOTHING * share(&middles)
        && mean > student(many - 1.0) * (variance / many).sqrt()
}

/// Remaps that show that nothing changes, the share of the deviations that has to persist where
/// nothing is remapped, and the share of that from which on remaps change nothing.
const FEWEST_REMAPS: usize = 3;
const PERSISTS: f64 = 0.2;
const NOTHING: f64 = 0.8;

/// What recorded remaps have left of the imbalance.
struct Left {
    /// How many had something to even out, and how many there are.
    remaps: usize,
    all: usize,
    /// Middle imbalances of the step before them and of those after them.
    before: f64,
    after: f64,
    /// The share of the former that the latter has beyond what one step makes of balanced loads.
    share: f64,
}

/// Of the remaps before which the imbalance was well above what one step makes of balanced loads;
/// `None` if there are none. After a remap the best of some steps counts, since one may be odd for
/// another reason, unless the first has the loads of the step before the remap: then the mark is
/// too early.
fn left(record: &Record) -> Option<Left> {
    let stretches = record.stretches();
    let firsts: Vec<usize> = stretches.iter().skip(1).map(|stretch| stretch.start).collect();
    let gained = |step: usize| {
        let gains = record.row(step).iter().zip(record.row(step - 1)).map(|(now, then)| now - then);
        let (most, sum) =
            gains.fold((f64::MIN, 0.0), |(most, sum), gain| (gain.max(most), sum + gain));
        most - sum / record.ranks() as f64
    };
    let others: Vec<f64> = (1..record.steps())
        .filter(|step| firsts.binary_search(step).is_err())
        .map(gained)
        .collect();
    if others.is_empty() {
        return None;
    }
    let step = median(&others);
    let looked: Vec<&Range<usize>> = stretches
        .iter()
        .skip(1)
        .filter(|stretch| record.imbalance(stretch.start - 1) > LARGE * step)
        .collect();
    let before: Vec<f64> =
        looked.iter().map(|stretch| record.imbalance(stretch.start - 1)).collect();
    let after = |stretch: &&Range<usize>| {
        let first = record.imbalance(stretch.start);
        if is_as_before(record, stretch.start) {
            return first;
        }
        let some = (*stretch).clone().take(AFTER).map(|step| record.imbalance(step));
        some.fold(first, f64::min)
    };
    let after: Vec<f64> = looked.iter().map(after).collect();
    let (many, all) = (looked.len(), firsts.len());
    let [before, after] = [before, after].map(|values| median(&values));
    let share = (after - step) / before;
    (many > 0).then_some(Left { remaps: many, all, before, after, share })
}

/// Steps after a remap, one of which at least shows what it left.
const AFTER: usize = 3;

/// Whether the ranks are as far from their mean at a step as at the one before.
fn is_as_before(record: &Record, step: usize) -> bool {
    let off = |step: usize| {
        let mean = record.mean(step);
        record.row(step).iter().map(move |time| time - mean)
    };
    let apart: f64 = off(step).zip(off(step - 1)).map(|(now, then)| (now - then).abs()).sum();
    apart < 0.5 * off(step - 1).map(f64::abs).sum::<f64>()
}

/// How many times what one step makes of balanced loads is well above it.
const LARGE: f64 = 3.0;

/// `12, 47, 81 and 4 more`.
pub fn places(steps: &[usize]) -> String {
    let shown: Vec<String> = steps.iter().take(3).map(usize::to_string).collect();
    match steps.len() {
        0..=3 => shown.join(", "),
        many => format!("{} and {} more", shown.join(", "), many - 3),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// A log with more sudden changes has idle steps.
const MOST_LEAPS: usize = 16;

/// The first step from which the mean time is another one by a large factor, and the factor. The
/// typical steps of all the log before and after differ by it: idle steps, and blocks of steps at
/// two costs, are of one unit.
fn leap(means: &[f64]) -> Option<(usize, f64)> {
    const AROUND: usize = 5;
    let factor = |at: usize| {
        let (before, after) = (median(&means[..at]), median(&means[at..]));
        if before > 0.0 && after > 0.0 { after / before } else { 1.0 }
    };
    let far = |factor: f64| !(1.0 / LARGEST_LEAP..=LARGEST_LEAP).contains(&factor);
    let sudden = |at: &usize| far(means[*at] / means[at - 1]);
    let at = (AROUND..means.len().saturating_sub(AROUND)).filter(sudden).take(MOST_LEAPS);
    let at = at.into_iter().find(|at| far(factor(*at)))?;
    Some((at, factor(at)))
}

/// Whether the mean time grows at every step, and by much in all.
fn clock(means: &[f64]) -> bool {
    let grows = means.windows(2).all(|pair| pair[1] > pair[0]);
    means.len() >= 10 && grows && means[means.len() - 1] > 5.0 * means[means.len() / 10]
}

/// Steps before which the imbalance, having grown little by little, falls at once to less than
/// half, where no remap is recorded.
pub fn suspected(record: &Record) -> Vec<usize> {
    let steps = record.steps();
    let imbalance: Vec<f64> = (0..steps).map(|step| record.imbalance(step).max(0.0)).collect();
    let changes: Vec<f64> = imbalance.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let usual = median(&changes);
    let known = |step: usize| record.remaps().iter().any(|remap| remap.before.abs_diff(step) <= 1);
    let drops = |step: &usize| {
        let (before, after) = (imbalance[step - 1], imbalance[*step]);
        let fall = before - after;
        if fall <= 10.0 * usual || after >= 0.5 * before || known(*step) {
            return false;
        }
        // The last earlier step with an imbalance almost as low as after the fall.
        let low = after + 0.25 * fall;
        let start = (0..step - 1).rev().find(|earlier| imbalance[*earlier] <= low).unwrap_or(0);
        let rises = imbalance[start..*step].windows(2).map(|pair| pair[1] - pair[0]);
        let stays =
            imbalance[*step..(step + 3).min(steps)].iter().all(|later| *later < 0.5 * before);
        step - start > 4 && rises.fold(0.0, f64::max) < 0.4 * fall && stays
    };
    (2..steps).filter(drops).collect()
}

/// Steps before which the times of the ranks are those of the step before, but of other ranks.
fn exchanged(record: &Record) -> Vec<usize> {
    let steps = record.steps();
    let sorted = |step: usize| {
        let mut row = record.row(step).to_vec();
        row.sort_by(f64::total_cmp);
        row
    };
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let own: Vec<f64> =
        (1..steps).map(|step| distance(record.row(step - 1), record.row(step))).collect();
    let usual = median(&own);
    let known = |step: usize| record.remaps().iter().any(|remap| remap.before == step);
    let moved = |step: &usize| {
        let far = own[step - 1];
        far > 8.0 * usual
            && !known(*step)
            && distance(&sorted(step - 1), &sorted(*step)) < (2.0 * usual).min(0.2 * far)
    };
    (1..steps).filter(moved).collect()
}

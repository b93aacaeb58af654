//! Sums of an increasing function and a residual, evaluated only where they matter: near given
//! levels.
//!
//! Notation: F is `rising`, Y is the residual. O(nodes of Y + nodes of F near the levels).

use super::polyline::Polyline;
use crate::rounding::{SLACK, outward};

/// F + Y where it may cross `level`, rounded up (`UPPER`) or down.
pub(in crate::phase_switching) fn near<const UPPER: bool>(
    rising: &Polyline,
    beside: &Polyline,
    level: f64,
) -> Polyline {
    let by = padded(rising, beside, level);
    let start = first_near(rising, level, by);
    let last = rising.nodes() - 1;
    let end = rising.value.partition_point(|value| *value <= level + by).min(last).max(start + 1);
    let mut both = Polyline { at: Vec::new(), value: Vec::new() };
    add_sum::<UPPER>(&mut both, rising, beside, [start, end]);
    both
}

/// F + Y where it exceeds `level`, rounded up (`UPPER`) or down, and a function that does not
/// exceed `level` elsewhere.
pub(in crate::phase_switching) fn beyond<const UPPER: bool>(
    rising: &Polyline,
    beside: &Polyline,
    level: f64,
) -> Polyline {
    let by = padded(rising, beside, level);
    let start = first_near(rising, level, by);
    let mut both = Polyline { at: Vec::new(), value: Vec::new() };
    if start > 0 {
        both.push(0.0, rising.value[0] - by);
    }
    add_sum::<UPPER>(&mut both, rising, beside, [start, rising.nodes() - 1]);
    both
}

/// The last node of F up to which F < `level` - `by`; at most the last but one.
fn first_near(rising: &Polyline, level: f64, by: f64) -> usize {
    let below = rising.value.partition_point(|value| *value < level - by);
    below.saturating_sub(1).min(rising.nodes() - 2)
}

/// Appends F + Y from one node of F to another.
fn add_sum<const UPPER: bool>(
    both: &mut Polyline,
    rising: &Polyline,
    beside: &Polyline,
    [start, end]: [usize; 2],
) {
    walk(rising, beside, start, end, |at, own, its| {
        both.push(at, outward::<UPPER>(own + its, own.abs() + its.abs()));
    });
}

/// The size of Y plus a bound on rounding near `level`.
fn padded(rising: &Polyline, beside: &Polyline, level: f64) -> f64 {
    let [start, end] = rising.ends();
    let size = if level.is_finite() { level.abs() } else { 0.0 } + start.abs() + end.abs();
    let by = beside.size();
    by + 16.0 * SLACK * (size + by)
}

/// Visits the nodes of both functions from node `start` to node `end` of the first, with both
/// values.
fn walk(
    own: &Polyline,
    its: &Polyline,
    start: usize,
    end: usize,
    mut visit: impl FnMut(f64, f64, f64),
) {
    let first = own.at[start];
    let mut next = its.at.partition_point(|at| *at <= first);
    let mut piece = next.saturating_sub(1).min(its.nodes() - 2);
    for k in start..=end {
        let at = own.at[k];
        while next < its.nodes() && its.at[next] < at {
            let place = its.at[next];
            let share = (place - own.at[k - 1]) / (at - own.at[k - 1]);
            visit(
                place,
                own.value[k - 1] + share * (own.value[k] - own.value[k - 1]),
                its.value[next],
            );
            next += 1;
        }
        visit(at, own.value[k], its.at_from(&mut piece, at));
        if next < its.nodes() && its.at[next] == at {
            next += 1;
        }
    }
}

/// cut(F + Y) - cut(F), rounded up (`UPPER`) or down; cut clips to [low, high].
///
/// Where F is further from `low` and `high` than the size of Y, this equals Y or 0.
pub(in crate::phase_switching) fn cut_beside<const UPPER: bool>(
    rising: &Polyline,
    beside: &Polyline,
    low: f64,
    high: f64,
) -> Polyline {
    let by = padded(rising, beside, low).max(padded(rising, beside, high));
    let last = rising.nodes() - 1;
    let below = |level: f64| rising.value.partition_point(|value| *value < level);
    let begins = below(low - by).saturating_sub(1).min(last - 1);
    let whole = below(low + by).min(last);
    let until = below(high - by).saturating_sub(1);
    let ends = below(high + by).min(last).max(begins + 1);
    let mut cut = Polyline { at: Vec::new(), value: Vec::new() };
    if begins > 0 {
        cut.push(0.0, 0.0);
    }
    if whole < until {
        if begins < whole {
            cut_within::<UPPER>(&mut cut, rising, beside, [begins, whole], [low, high]);
        }
        let [from, to] = [rising.at[whole], rising.at[until]];
        let first = beside.at.partition_point(|at| *at < from);
        for k in first..beside.nodes() {
            if beside.at[k] > to {
                break;
            }
            cut.push(beside.at[k], beside.value[k]);
        }
        if until < ends {
            cut_within::<UPPER>(&mut cut, rising, beside, [until, ends], [low, high]);
        }
    } else {
        cut_within::<UPPER>(&mut cut, rising, beside, [begins, ends], [low, high]);
    }
    if ends < last {
        cut.push(1.0, 0.0);
    }
    cut
}

/// The same from one node of F to another. Every node is moved outward to cover the rounding of its
/// position.
fn cut_within<const UPPER: bool>(
    cut: &mut Polyline,
    rising: &Polyline,
    beside: &Polyline,
    [start, end]: [usize; 2],
    [low, high]: [f64; 2],
) {
    let mut before: Option<(f64, f64, f64)> = None;
    walk(rising, beside, start, end, |at, own, its| {
        let moved = |value: f64, margin: f64| if UPPER { value + margin } else { value - margin };
        let cut_at = |own: f64, its: f64| {
            let sum = own + its;
            if own >= low && own <= high && sum >= low && sum <= high {
                its
            } else {
                sum.clamp(low, high) - own.clamp(low, high)
            }
        };
        let size = own.abs() + its.abs();
        if let Some((from, first, second)) = before {
            let (run, rise, other) = (at - from, own - first, own + its - first - second);
            let slope = rise.abs().max(other.abs()) / run;
            let margin = 4.0 * SLACK * (size + first.abs() + second.abs() + slope * at);
            let share = |level: f64, start: f64, rise: f64| {
                let share = (level - start) / rise;
                if share > 0.0 && share < 1.0 { share } else { f64::INFINITY }
            };
            let mut shares = [
                share(low, first, rise),
                share(high, first, rise),
                share(low, first + second, other),
                share(high, first + second, other),
            ];
            shares.sort_by(f64::total_cmp);
            for share in shares {
                if share < 1.0 {
                    let value = cut_at(first + share * rise, second + share * (its - second));
                    let place = from + share * run;
                    if place < at {
                        cut.push(place, moved(value, margin));
                    }
                }
            }
            cut.push(at, moved(cut_at(own, its), margin));
        } else {
            cut.push(at, moved(cut_at(own, its), 4.0 * SLACK * size));
        }
        before = Some((at, own, its));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    /// The clipped residual by definition, at beliefs of all kinds.
    #[test]
    fn what_is_left_of_a_cut_is_enclosed() {
        for seed in 0..300 {
            let random = &mut stream(23, seed);
            let line = |random: &mut crate::random::Stream, size: f64| {
                let mut at: Vec<f64> =
                    (0..random.random_range(0..9)).map(|_| random.random()).collect();
                at.extend([0.0, 1.0]);
                at.sort_by(f64::total_cmp);
                let value = at.iter().map(|_| size * (random.random::<f64>() - 0.5)).collect();
                Polyline { at, value }
            };
            let mut rising = line(random, 8.0);
            rising.value.sort_by(f64::total_cmp);
            let size = [4.0, 0.3, 1e-4, 1e-9, 0.0][random.random_range(0..5)];
            let beside = line(random, size);
            let (low, high) = match random.random_range(0..5) {
                0 => (f64::NEG_INFINITY, 1.0),
                1 => (0.5, f64::INFINITY),
                2 => (rising.value[0], rising.value[0]),
                _ => (-1.0, 1.5),
            };
            let upper = cut_beside::<true>(&rising, &beside, low, high);
            let lower = cut_beside::<false>(&rising, &beside, low, high);
            assert!(upper.at.windows(2).all(|pair| pair[0] < pair[1]), "seed {seed}");
            assert_eq!((upper.at[0], *upper.at.last().unwrap()), (0.0, 1.0), "seed {seed}");
            let mut places = [&rising.at[..], &beside.at, &upper.at, &lower.at].concat();
            places.extend((0..200).map(|_| random.random::<f64>()));
            for p in places {
                let own = rising.at(p);
                let exact = (own + beside.at(p)).clamp(low, high) - own.clamp(low, high);
                let (least, most) = (lower.at(p), upper.at(p));
                let rounding = 1e-14;
                assert!(
                    least - rounding <= exact && exact <= most + rounding && most - least < 1e-8,
                    "seed {seed}: {least} {exact} {most} at {p}"
                );
            }
            let sum = |p: f64| rising.at(p) + beside.at(p);
            for level in [low, high].into_iter().filter(|level| level.is_finite()) {
                let all = rising.with(&beside, |own, its, _| own + its);
                let near = near::<true>(&rising, &beside, level);
                let (found, whole) =
                    (near.first_above::<false>(level), all.first_above::<false>(level));
                assert!(
                    (found - whole).abs() < 1e-9,
                    "seed {seed}: {found} {whole} {}",
                    sum(whole)
                );
                let (found, whole) =
                    (near.last_below::<false>(level), all.last_below::<false>(level));
                assert!(
                    (found - whole).abs() < 1e-9,
                    "seed {seed}: {found} {whole} {}",
                    sum(whole)
                );
            }
        }
    }
}

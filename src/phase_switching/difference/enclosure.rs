//! Enclosures of the difference: a pair of functions, or an upper function with a lower residual
//! (`one_sided.rs`).

use crate::phase_switching::polylines::polyline::{NEAR, Polyline};
use crate::phase_switching::polylines::residual::{beyond, near};
use crate::rounding::outward;
use std::borrow::Cow;
use std::sync::Arc;

/// A lower and an upper function.
#[derive(Debug, Clone)]
pub(in crate::phase_switching) struct Pair {
    pub(in crate::phase_switching) upper: Polyline,
    pub(in crate::phase_switching) lower: Polyline,
}

/// Nodes from which two threads pay.
const MANY_NODES: usize = 1000;

impl Pair {
    /// Both equal to the constant `value`.
    pub(in crate::phase_switching) fn constant(value: f64) -> Pair {
        Pair { upper: Polyline::constant(value), lower: Polyline::constant(value) }
    }

    pub(in crate::phase_switching) fn nodes(&self) -> usize {
        self.upper.nodes().max(self.lower.nodes())
    }

    /// The two sides, computed in two threads if `nodes` is large enough.
    pub(in crate::phase_switching) fn of(
        nodes: usize,
        upper: impl FnOnce() -> Polyline + Send,
        lower: impl FnOnce() -> Polyline + Send,
    ) -> Pair {
        let (upper, lower) =
            if nodes > MANY_NODES { rayon::join(upper, lower) } else { (upper(), lower()) };
        Pair { upper, lower }
    }
}

/// An increasing function above the unclipped difference, and a residual <= 0 whose sum with it
/// lies below.
#[derive(Debug)]
pub(in crate::phase_switching) struct Alone {
    pub(in crate::phase_switching) upper: Polyline,
    pub(in crate::phase_switching) beside: Polyline,
}

impl Alone {
    /// An increasing lower bound. Its step back exceeds that of the sum, since every difference
    /// increases.
    pub(in crate::phase_switching) fn lower(&self) -> Polyline {
        let sum = |own: f64, its: f64, size: f64| outward::<false>(own + its, size);
        risen(&self.upper.with(&self.beside, sum))
    }

    pub(in crate::phase_switching) fn nodes(&self) -> usize {
        self.upper.nodes()
    }
}

/// An enclosure of the difference.
#[derive(Debug)]
pub(in crate::phase_switching) enum Around {
    Both(Pair),
    Alone(Arc<Alone>),
}

impl Around {
    pub(in crate::phase_switching) fn upper(&self) -> &Polyline {
        match self {
            Around::Both(pair) => &pair.upper,
            Around::Alone(alone) => &alone.upper,
        }
    }

    pub(in crate::phase_switching) fn nodes(&self) -> usize {
        match self {
            Around::Both(pair) => pair.nodes(),
            Around::Alone(alone) => alone.nodes(),
        }
    }

    /// The enclosure as a pair of functions.
    pub(in crate::phase_switching) fn both(&self) -> Cow<'_, Pair> {
        match self {
            Around::Both(pair) => Cow::Borrowed(pair),
            Around::Alone(alone) => {
                Cow::Owned(Pair { upper: alone.upper.clone(), lower: alone.lower() })
            }
        }
    }

    /// The lower function, valid where it may cross `level`.
    pub(in crate::phase_switching) fn lower_near(&self, level: f64) -> Cow<'_, Polyline> {
        match self {
            Around::Both(pair) => Cow::Borrowed(&pair.lower),
            Around::Alone(alone) => {
                Cow::Owned(risen(&near::<false>(&alone.upper, &alone.beside, level)))
            }
        }
    }

    /// The lower function where it exceeds `level`, and a function that does not exceed `level`
    /// elsewhere.
    pub(in crate::phase_switching) fn lower_beyond(&self, level: f64) -> Cow<'_, Polyline> {
        match self {
            Around::Both(pair) => Cow::Borrowed(&pair.lower),
            Around::Alone(alone) => {
                Cow::Owned(risen(&beyond::<false>(&alone.upper, &alone.beside, level)))
            }
        }
    }
}

/// The running maximum of `line`, or slightly less: an increasing function above `line` is above
/// that too. A segment next to a node is dropped, because rounding would determine its slope.
fn risen(line: &Polyline) -> Polyline {
    let room = 2 * line.nodes();
    let mut risen = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
    let mut most = line.value[0];
    risen.push(line.at[0], most);
    for k in 1..line.nodes() {
        let (start, end) = (line.at[k - 1], line.at[k]);
        let (before, value) = (line.value[k - 1], line.value[k]);
        if value > most {
            let share = (most - before) / (value - before);
            let meets = outward::<true>(start + share * (end - start), end);
            if before >= most {
                most = value;
            } else if end - meets > NEAR * end {
                risen.push(meets, most);
                most = value;
            }
        }
        risen.push(end, most);
    }
    risen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    #[test]
    fn what_has_been_is_kept() {
        for seed in 0..200 {
            let random = &mut stream(53, seed);
            let mut at: Vec<f64> =
                (0..random.random_range(0..9)).map(|_| random.random()).collect();
            at.extend([0.0, 1.0]);
            at.sort_by(f64::total_cmp);
            let mut value: Vec<f64> = at.iter().map(|_| random.random()).collect();
            if seed < 40 {
                // The last value exceeds the running maximum by rounding only.
                let most = value[..value.len() - 1].iter().copied().fold(0.0, f64::max);
                *value.last_mut().unwrap() = most * (1.0 + 1e-13 * random.random::<f64>());
            }
            let line = Polyline { at, value };
            let risen = risen(&line);
            assert!(risen.value.windows(2).all(|pair| pair[0] <= pair[1]), "seed {seed}");
            let new = |pair: &[f64]| pair.iter().any(|at| !line.at.contains(at));
            let mut pairs = risen.at.windows(2).filter(|pair| new(pair));
            assert!(pairs.all(|pair| pair[1] - pair[0] > 0.5 * NEAR * pair[1]), "seed {seed}");
            let mut most = f64::NEG_INFINITY;
            for k in 0..=10_000 {
                let p = f64::from(k) / 10_000.0;
                let nodes = line.at.iter().zip(&line.value).filter(|(at, _)| **at <= p);
                most = nodes.fold(most.max(line.at(p)), |most, (_, value)| most.max(*value));
                let now = risen.at(p);
                assert!(now <= most + 1e-14 && most <= now + 1e-9, "seed {seed}: {now} {most}");
            }
        }
    }
}

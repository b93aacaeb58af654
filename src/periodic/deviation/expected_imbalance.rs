//! The expected imbalance at any time, from the distributions of the sums.

use super::{exact, rounded, sides, skewed};
use crate::distribution::extremes::Marginal;
use crate::distribution::{Class, Extremes, Grid, Lattice, Law, Steps, Walk, extremes};
use crate::observer::Observer;
use crate::periodic::{Approximation, Places, Processors, kappa, kappa_error};

/// Initial number of grid points per standard deviation.
const COARSE: f64 = 8.0;

/// Largest number of points of the first grid.
const FIRST_POINTS: f64 = 512.0;

/// Largest number of terms summed on one grid; finer grids are not tried beyond.
const TERMS_OF_GRID: u64 = 200_000_000;

/// Default relative error of the largest deviation.
const FINE: f64 = 1e-3;

/// Error of exact deviations by omitted centers.
pub const EXACTLY: f64 = 1e-15;

/// Result after a halt.
pub const UNKNOWN: Approximation = Approximation { value: f64::NAN, error: f64::NAN };

/// Evaluates the expected imbalance of processors.
#[derive(Clone)]
pub struct ExpectedImbalance<'a> {
    parts: Vec<Part>,
    deviation: Deviation,
    /// All changes are deterministic and equal.
    certain: bool,
    work: u64,
    observer: &'a dyn Observer,
}

/// Bounds from distributions on a grid.
#[derive(Debug, Clone, Copy)]
struct OnGrid {
    found: Approximation,
    /// Points of the grid per standard deviation; 0 before the first.
    points: f64,
    terms: u64,
}

/// One class of processors.
#[derive(Debug, Clone)]
struct Part {
    count: usize,
    law: Law,
    /// The walk on its own lattice, where it has one.
    walk: Option<(Lattice, Walk)>,
}

#[derive(Debug, Clone)]
enum Deviation {
    /// The walks of all classes on their common lattice of this span.
    Lattice { span: f64, walks: Vec<(usize, Walk)> },
    /// `kappa` times the deviation of one normal change.
    Normal { factor: f64 },
    /// Bounds, from distributions rounded to a grid.
    Rounded,
}

impl<'a> ExpectedImbalance<'a> {
    /// Prepares the distributions; `None` where one is not known or steps have no common measure.
    pub fn new(processors: &Processors) -> Option<Self> {
        let mut parts = Vec::new();
        for class in processors.classes() {
            let walk = match &class.law {
                Law::Steps(steps) => {
                    let (lattice, mut laws) = Lattice::common(&[steps])?;
                    Some((lattice, Walk::new(laws.remove(0))))
                }
                Law::Moments { .. } => return None,
                _ => None,
            };
            parts.push(Part { count: class.count, law: class.law.clone(), walk });
        }
        let deviation = match processors.common() {
            Some(Law::Normal { deviation, .. }) => {
                Deviation::Normal { factor: kappa(processors.count()) * deviation }
            }
            _ => on_common_lattice(processors).unwrap_or(Deviation::Rounded),
        };
        let certain = processors.variance() == 0.0
            && processors.common().is_some_and(|law| matches!(law, Law::Steps(_)));
        Some(Self { parts, deviation, certain, work: 0, observer: &() })
    }

    /// The same under an observer; results are NaN after a halt.
    #[must_use]
    pub fn watched(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Whether [`max_deviation`](Self::max_deviation) is exact up to rounding: for steps on a
    /// common lattice, or identical normal changes. Otherwise it returns bounds.
    pub fn is_exact(&self) -> bool {
        !matches!(self.deviation, Deviation::Rounded)
    }

    /// `E max_i |w_i - wbar|` after `time` steps, in units of load, with a bound of its error: of
    /// rounding where [`is_exact`](Self::is_exact), otherwise within a part in a thousand, if the
    /// grids are fine enough for that.
    pub fn max_deviation(&mut self, time: u64) -> Approximation {
        self.refined(time, &|found| found.value * FINE)
    }

    /// The same, accurate enough to compare it with `other`, if the grids are fine enough for that.
    pub fn compared(&mut self, time: u64, other: f64) -> Approximation {
        self.refined(time, &|found| (found.value - other).abs())
    }

    /// The largest deviation, on successively finer grids until its error is below `allowed`.
    fn refined(&mut self, time: u64, allowed: &dyn Fn(&Approximation) -> f64) -> Approximation {
        if time == 0 || self.certain {
            return Approximation::default();
        }
        match &mut self.deviation {
            Deviation::Normal { factor } => {
                let value = *factor * (time as f64).sqrt();
                Approximation { value, error: kappa_error(self.parts[0].count) * value }
            }
            Deviation::Lattice { span, walks } => {
                for (_, walk) in walks.iter_mut() {
                    if walk.go(time, self.observer).is_break() {
                        return UNKNOWN;
                    }
                }
                let mut places = Vec::with_capacity(walks.len());
                for (count, walk) in walks.iter() {
                    let steps = Some((walk.step(), walk.time()));
                    places.push(Places { count: *count, law: walk.place(), steps });
                }
                let (found, terms) = exact::max_deviation(&places, EXACTLY, self.observer);
                if self.observer.check().is_break() {
                    return UNKNOWN;
                }
                self.work += terms;
                Approximation { value: *span * found.value, error: *span * found.error }
            }
            Deviation::Rounded => self.on_grids(time, allowed),
        }
    }

    fn on_grids(&mut self, time: u64, allowed: &dyn Fn(&Approximation) -> f64) -> Approximation {
        let Some(laws) = &self.marginals(time as f64) else { return UNKNOWN };
        let count: f64 = laws.iter().map(|(n, _)| *n as f64).sum();
        let sum = |f: &dyn Fn(&Marginal) -> f64| -> f64 {
            laws.iter().map(|(n, law)| *n as f64 * f(law)).sum::<f64>() / count
        };
        let centre = sum(&Marginal::mean);
        let scale = sum(&|law| law.deviation().powi(2) + (law.mean() - centre).powi(2)).sqrt();
        if scale == 0.0 {
            // All positions are deterministic and equal.
            return Approximation::default();
        }
        let reach = laws.iter().map(|(n, law)| law.ends(*n as f64));
        let reach = reach.map(|(low, high)| (high - low) / scale).fold(0.0, f64::max);
        let mut coarse = COARSE.min(FIRST_POINTS / reach);
        let skewed = skewed::max_deviation(laws, self.observer);
        let mut best = skewed.map(|found| OnGrid { found, points: 0.0, terms: 0 });
        // Whether bounds by order statistics are included.
        let mut sided = best.is_some();
        loop {
            if self.observer.check().is_break() {
                return UNKNOWN;
            }
            let points = match &mut best {
                None => coarse,
                Some(OnGrid { found, .. }) if found.error < allowed(found) => return *found,
                Some(OnGrid { found, .. }) if !sided => {
                    // They cost less than a finer grid.
                    *found = both(*found, sides::max_deviation(laws, self.observer));
                    sided = true;
                    continue;
                }
                Some(OnGrid { points: 0.0, .. }) => coarse,
                Some(OnGrid { found, points, terms }) => {
                    // The error falls with the square of the number of points; the work grows with
                    // at most about its cube.
                    let more = (1.5 * found.error / allowed(found)).sqrt().clamp(1.5, 4.0);
                    if (*terms).max(1) as f64 * more.powi(3) > TERMS_OF_GRID as f64 {
                        return *found;
                    }
                    *points * more
                }
            };
            let grid = grid(laws, centre, scale / points);
            let Some((found, terms)) = rounded::max_deviation(laws, grid, self.observer) else {
                // The grid would have too many points, or there was a halt.
                match best {
                    Some(best) if self.observer.check().is_continue() => return best.found,
                    _ => coarse /= 16.0,
                }
                continue;
            };
            self.work += terms;
            let found = best.map_or(found, |best| both(best.found, found));
            best = Some(OnGrid { found, points, terms });
        }
    }

    /// The expected largest deviation after 0, 1, .. `last` steps, in units of load. Ends early
    /// where about `budget` terms have been summed, or by a halt.
    pub fn curve(&mut self, last: u64, budget: u64) -> Vec<Approximation> {
        let start = self.work;
        let mut curve = Vec::new();
        for time in 0..=last {
            let found = self.max_deviation(time);
            if time > 0 && self.observer.check().is_break() {
                break;
            }
            curve.push(found);
            if self.work - start > budget {
                break;
            }
        }
        curve
    }

    /// Expected maximum and minimum load about the mean load after `time >= 0` steps, a whole
    /// number unless every law [is divisible](crate::distribution::Law::is_divisible).
    pub fn extremes(&mut self, time: f64) -> Extremes {
        if time == 0.0 {
            return Extremes { above: 0.0, below: 0.0, error: 0.0 };
        }
        let marginals = self.marginals(time);
        let found = marginals.map(|marginals| extremes(&marginals, self.observer));
        let Approximation { value, error } = UNKNOWN;
        let unknown = Extremes { above: value, below: value, error };
        found.filter(|_| self.observer.check().is_continue()).unwrap_or(unknown)
    }

    /// The distribution of the change of each class after `time` steps; `None` after a halt.
    fn marginals(&mut self, time: f64) -> Option<Vec<(usize, Marginal)>> {
        let observer = self.observer;
        let marginal = |part: &mut Part| {
            let law = match (&part.law, &mut part.walk) {
                (_, Some((lattice, walk))) => {
                    if walk.go(time as u64, observer).is_break() {
                        return None;
                    }
                    let (origin, place) = (lattice.origin * time, walk.place().clone());
                    Marginal::lattice(origin, lattice.span, place)
                }
                (Law::Gamma { shape, mean }, _) => {
                    Marginal::Gamma { shape: shape * time, scale: mean / shape }
                }
                (Law::Normal { mean, deviation }, _) => {
                    Marginal::Normal { mean: mean * time, deviation: deviation * time.sqrt() }
                }
                (law, _) => Marginal::Gamma { shape: time, scale: law.mean() },
            };
            Some((part.count, law))
        };
        self.parts.iter_mut().map(marginal).collect()
    }
}

fn on_common_lattice(processors: &Processors) -> Option<Deviation> {
    let steps = |class: &'_ Class| match &class.law {
        Law::Steps(steps) => Some(steps.clone()),
        _ => None,
    };
    let laws: Option<Vec<Steps>> = processors.classes().iter().map(steps).collect();
    let laws = laws?;
    let laws: Vec<&Steps> = laws.iter().collect();
    let (lattice, laws) = Lattice::common(&laws)?;
    let counts = processors.classes().iter().map(|class| class.count);
    let walks = counts.zip(laws.into_iter().map(Walk::new)).collect();
    Some(Deviation::Lattice { span: lattice.span, walks })
}

/// Intersection of two pairs of bounds; the tighter pair where rounding makes them disjoint.
fn both(a: Approximation, b: Approximation) -> Approximation {
    let lower = (a.value - a.error).max(b.value - b.error);
    let upper = (a.value + a.error).min(b.value + b.error);
    if lower > upper {
        return if a.error < b.error { a } else { b };
    }
    let Approximation { value, error } = Approximation::between(lower, upper);
    // Covers the rounding of this computation.
    Approximation { value, error: error + 2.0 * f64::EPSILON * value }
}

/// A grid about a center, no coarser than `span`, that contains the lattice of the first class of
/// steps. Its positions then need no rounding.
fn grid(laws: &[(usize, Marginal)], centre: f64, span: f64) -> Grid {
    let steps = laws.iter().find_map(|(_, law)| match law {
        Marginal::Lattice { origin, span, law, .. } if law.first() < law.last() => {
            Some((*origin, *span))
        }
        _ => None,
    });
    match steps {
        Some((origin, lattice)) if lattice > span => Grid {
            centre: origin + lattice * ((centre - origin) / lattice).round(),
            span: lattice / (lattice / span).ceil(),
        },
        _ => Grid { centre, span },
    }
}

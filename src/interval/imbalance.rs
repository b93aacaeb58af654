//! The expected imbalance at any time, from the laws of the sums.

use super::{Estimate, Places, Processors, exact, kappa};
use crate::law::extremes::Marginal;
use crate::law::{Class, Extremes, Lattice, Law, Steps, Walk, extremes};
use crate::observer::Observer;

/// What the quadrature of two order statistics costs, in terms of a sum.
const TERMS_OF_QUADRATURE: u64 = 300_000;

/// What is not evaluated because of a halt.
pub(super) const UNKNOWN: Estimate = Estimate { value: f64::NAN, error: f64::NAN };

/// Evaluates the expected imbalance of processors; keeps the laws it has formed.
#[derive(Clone)]
pub struct Imbalance<'a> {
    parts: Vec<Part>,
    deviation: Option<Deviation>,
    work: u64,
    observer: &'a dyn Observer,
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
}

impl<'a> Imbalance<'a> {
    /// Prepares the laws; `None` where a law is not known or steps have no common measure.
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
                Some(Deviation::Normal { factor: kappa(processors.count()) * deviation })
            }
            _ => on_common_lattice(processors),
        };
        Some(Self { parts, deviation, work: 0, observer: &() })
    }

    /// The same under an observer: what it calls a halt to is not a number.
    #[must_use]
    pub fn watched<'b>(self, observer: &'b dyn Observer) -> Imbalance<'b> {
        let Self { parts, deviation, work, .. } = self;
        Imbalance { parts, deviation, work, observer }
    }

    /// Whether [`max_deviation`](Self::max_deviation) has an answer.
    pub fn is_exact(&self) -> bool {
        self.deviation.is_some()
    }

    /// Whether all laws have a meaning at real times.
    pub fn is_divisible(&self) -> bool {
        self.parts.iter().all(|part| part.law.is_divisible())
    }

    /// `E max_i |w_i - wbar|` after `time` steps, in units of load, where it is known exactly:
    /// steps on a common lattice, or identical normal changes.
    pub fn max_deviation(&mut self, time: u64) -> Option<Estimate> {
        if time == 0 {
            let start = Estimate { value: 0.0, error: 0.0 };
            return self.deviation.is_some().then_some(start);
        }
        match self.deviation.as_mut()? {
            Deviation::Normal { factor } => {
                let value = *factor * (time as f64).sqrt();
                Some(Estimate { value, error: 1e-12 * value })
            }
            Deviation::Lattice { span, walks } => {
                for (_, walk) in walks.iter_mut() {
                    if walk.go(time, self.observer).is_break() {
                        return Some(UNKNOWN);
                    }
                }
                let mut places = Vec::with_capacity(walks.len());
                for (count, walk) in walks.iter() {
                    let steps = Some((walk.step(), walk.time()));
                    places.push(Places { count: *count, law: walk.place(), steps });
                }
                let (found, terms) = exact::max_deviation(&places, self.observer);
                if self.observer.check().is_break() {
                    return Some(UNKNOWN);
                }
                self.work += terms;
                Some(Estimate { value: *span * found.value, error: *span * found.error })
            }
        }
    }

    /// The expected imbalance after 0, 1, .. `last` steps, in units of load: the largest deviation
    /// where it is known exactly, else the larger of the expected extremes. Ends early where about
    /// `budget` terms have been summed, or by a halt.
    pub fn curve(&mut self, last: u64, budget: u64) -> Vec<Estimate> {
        let start = self.work;
        let mut curve = Vec::new();
        for time in 0..=last {
            let found = self.max_deviation(time).unwrap_or_else(|| {
                self.work += TERMS_OF_QUADRATURE;
                let Extremes { above, below, error } = self.extremes(time as f64);
                Estimate { value: above.max(below), error }
            });
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
    /// number unless [`is_divisible`](Self::is_divisible).
    pub fn extremes(&mut self, time: f64) -> Extremes {
        if time == 0.0 {
            return Extremes { above: 0.0, below: 0.0, error: 0.0 };
        }
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
        let marginals: Option<Vec<_>> = self.parts.iter_mut().map(marginal).collect();
        let found = marginals.map(|marginals| extremes(&marginals, observer));
        let Estimate { value, error } = UNKNOWN;
        let unknown = Extremes { above: value, below: value, error };
        found.filter(|_| observer.check().is_continue()).unwrap_or(unknown)
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

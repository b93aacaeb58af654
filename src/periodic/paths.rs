//! Monte Carlo estimates from sample paths: where no exact method applies, and for the simulated
//! rows of the papers.

use rand::RngExt;
use rand_distr::{Distribution, Exp, Gamma, Normal};
use std::ops::ControlFlow;

use super::{Bound, Processors};
use crate::distribution::Law;
use crate::estimate::{Estimate, student};
use crate::observer::Observer;
use crate::parallel;
use crate::random::{Stream, stream};

/// The expectation over sample paths, from the sum of their values and that of their squares.
fn estimate(sum: f64, squares: f64, runs: u64) -> Estimate {
    let mean = sum / runs as f64;
    Estimate::from_moments(mean, (squares - sum * mean).max(0.0), runs as f64)
}

/// Variance of the difference of two times that are rounded to integer steps.
const ROUNDED: f64 = 1.0 / 6.0;

/// Estimate of the expectation of a first passage. Its distribution is skewed to the right, so
/// means of few paths are more often too low than too high. The upper end is the larger of that of
/// Student's t and that of a log-normal distribution, for the logarithm of the mean (D. R. Cox's
/// method).
fn mean_passage(times: &[f64]) -> Estimate {
    let n = times.len() as f64;
    let moments = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>())
    };
    let (mean, squares) = moments(&mut times.iter().copied());
    let found = Estimate::from_moments(mean, squares + (n - 1.0) * ROUNDED, n);
    let (_, squares) = moments(&mut times.iter().map(|time| time.ln()));
    let variance = squares / (n - 1.0) + ROUNDED / (mean * mean);
    let error = (variance / n + variance * variance / (2.0 * (n + 1.0))).sqrt();
    let upper = found.upper.max(mean * (student(n - 1.0) * error).exp());
    // No passage is before the first step.
    Estimate { lower: found.lower.max(1.0), upper, ..found }
}

/// First passages of sample paths beyond a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// The first step after which the imbalance exceeds the bound.
    pub steps: Estimate,
    /// Paths that had not exceeded the bound after the last step simulated; they count with that
    /// step, so that the mean is too small if there are any.
    pub censored: u64,
}

/// Draws a change.
type Sampler = Box<dyn Fn(&mut Stream) -> f64 + Sync>;

/// A sampler of a distribution; `None` if only its moments are known.
fn sampler(law: &Law) -> Option<Sampler> {
    Some(match *law {
        Law::Steps(ref steps) => {
            let sums = steps.weights().iter().scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            });
            let (values, sums) = (steps.values().to_vec(), sums.collect::<Vec<f64>>());
            Box::new(move |stream| {
                let place: f64 = stream.random();
                let index = sums.partition_point(|sum| *sum <= place);
                values[index.min(values.len() - 1)]
            })
        }
        Law::Exponential { mean } => sampled(Exp::new(1.0 / mean).ok()?),
        Law::Gamma { shape, mean } => sampled(Gamma::new(shape, mean / shape).ok()?),
        Law::Normal { mean, deviation } => sampled(Normal::new(mean, deviation).ok()?),
        Law::Moments { .. } => return None,
    })
}

fn sampled(law: impl Distribution<f64> + Sync + 'static) -> Sampler {
    Box::new(move |stream| law.sample(stream))
}

/// One sample path of the loads.
struct Path<'a> {
    stream: Stream,
    classes: &'a [(usize, Sampler)],
    loads: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(seed: u64, run: u64, classes: &'a [(usize, Sampler)]) -> Self {
        let count = classes.iter().map(|class| class.0).sum();
        Self { stream: stream(seed, run), classes, loads: vec![0.0; count] }
    }

    fn step(&mut self) {
        let mut loads = self.loads.iter_mut();
        for (count, sampler) in self.classes {
            for load in loads.by_ref().take(*count) {
                *load += sampler(&mut self.stream);
            }
        }
    }

    fn average(&self) -> f64 {
        self.loads.iter().sum::<f64>() / self.loads.len() as f64
    }

    fn max_deviation(&self) -> f64 {
        let average = self.average();
        self.loads.iter().map(|load| (load - average).abs()).fold(0.0, f64::max)
    }

    fn rms_deviation(&self) -> f64 {
        let average = self.average();
        self.loads.iter().map(|load| (load - average).powi(2)).sum::<f64>().sqrt()
    }
}

/// The loads of one sample path of independent changes, passed to `each` step by step from the
/// first change on until it breaks. `None` for distributions that cannot be sampled.
pub fn sample_path(
    processors: &Processors,
    seed: u64,
    steps: u64,
    mut each: impl FnMut(&[f64]) -> ControlFlow<()>,
) -> Option<()> {
    let classes = samplers(processors)?;
    let mut path = Path::new(seed, 0, &classes);
    let mut loads = vec![0.0; path.loads.len()];
    for _ in 0..steps {
        path.step();
        let ends = loads.iter_mut().zip(&path.loads);
        ends.for_each(|(load, change)| *load = processors.load() + change);
        if each(&loads).is_break() {
            break;
        }
    }
    Some(())
}

fn samplers(processors: &Processors) -> Option<Vec<(usize, Sampler)>> {
    processors.classes().iter().map(|class| Some((class.count, sampler(&class.law)?))).collect()
}

/// Mean first passage of the imbalance of a sample path, `max_i |w_i - wbar|` or `sqrt(sum_i (w_i -
/// wbar)^2)` relative to the *expected* mean load, beyond the bound: the simulated rows of [FXW03,
/// Tables 1 to 3].
///
/// Each of the `runs >= 2` paths has its own stream of a counter-based generator and ends after
/// `last` steps at most. `None` if a distribution is not known or the changes are correlated, and
/// after a halt. The numbers do not depend on the number of threads.
pub fn first_passage(
    processors: &Processors,
    bound: Bound,
    runs: u64,
    seed: u64,
    last: u64,
    observer: &dyn Observer,
) -> Option<Passage> {
    let (largest, bound) = match bound {
        Bound::MaxDeviation(bound) => (true, bound),
        Bound::RmsDeviation(bound) => (false, bound),
    };
    if processors.are_dependent() {
        return None;
    }
    let classes = samplers(processors)?;
    let unhalted = || match observer.check() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(halt) => Err(halt),
    };
    let passages = parallel::runs(0..runs, &|run| {
        unhalted()?;
        let mut path = Path::new(seed, run, &classes);
        let passage = (1..=last).find(|time| {
            path.step();
            let deviation = if largest { path.max_deviation() } else { path.rms_deviation() };
            // Rounding must not turn a tie into a violation.
            let allowed = bound * processors.mean_load(*time as f64) * (1.0 + 1e-12);
            deviation > allowed || time % 1024 == 0 && unhalted().is_err()
        });
        unhalted().map(|()| passage)
    });
    let passages = passages.ok()?;
    let times: Vec<f64> = passages.iter().map(|passage| passage.unwrap_or(last) as f64).collect();
    let censored = passages.iter().filter(|passage| passage.is_none()).count() as u64;
    Some(Passage { steps: mean_passage(&times), censored })
}

/// `E max_i |w_i - wbar|` after 1, 2, .. `last` steps, estimated from `runs >= 2` sample paths, in
/// units of load. `None` if a distribution is not known.
pub fn sampled_max_deviation(
    processors: &Processors,
    runs: u64,
    seed: u64,
    last: u64,
) -> Option<Vec<Estimate>> {
    let classes = samplers(processors)?;
    // Sums over fixed blocks of runs, added in order: the same numbers for any number of threads.
    const BLOCK: u64 = 64;
    let blocks = parallel::map(runs.div_ceil(BLOCK) as usize, &|block| {
        let block = block as u64;
        let mut sums = vec![(0.0, 0.0); last as usize];
        for run in block * BLOCK..runs.min((block + 1) * BLOCK) {
            let mut path = Path::new(seed, run, &classes);
            for sum in &mut sums {
                path.step();
                let deviation = path.max_deviation();
                sum.0 += deviation;
                sum.1 += deviation * deviation;
            }
        }
        sums
    });
    let at = |time: usize| {
        let sum = blocks.iter().map(|block| block[time].0).sum();
        let squares = blocks.iter().map(|block| block[time].1).sum();
        estimate(sum, squares, runs)
    };
    Some((0..last as usize).map(at).collect())
}

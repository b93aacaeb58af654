//! Means of functions of the belief after many steps, from the adjoint recursion of kinks.
//!
//! A piecewise-linear function is a sum of hinges H_x(p) = (p - x)^+. Let F_n(x) be the mean of H_x
//! at the belief after n steps. P maps H_x to a function with a kink at the belief z whose update
//! under an observation of probabilities `before` and `after` is x. Its slope rises there by
//! (1-a-b) fall(x), fall(x) = after (1 - x) + before x. The falls of all observations sum to 1:
//!
//! ```text
//! F_{n+1}(x) = (1-a-b) sum of fall(x) F_n(z(x)),   F_n(z) = m_n - z for z <= 0, 0 for z >= 1
//! ```
//!
//! The mean belief tends to the share of the second phase: m_n = share + t_n, t_{n+1} = (1-a-b)
//! t_n. So F_n = F + t_n B + R_n. F satisfies the recursion with the share for m_n, and B(x) = sum
//! of fall(x) B(z(x)), with 1 below 0 and 0 beyond 1. R_n satisfies it with 0 outside. Kinks leave
//! (0, 1) quickly, even if phases last long: |R_n| <= (1-a-b)^n K_n sup |R_0|. K_n(x) is the
//! probability that a kink that starts at x has not left within n steps. Iterates of a lower and an
//! upper bound of F (or B) remain bounds. Time O(iterations x nodes x levels).

use super::polyline::Polyline;
use crate::belief::Likelihood;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::operator::{Filter, Line};
use crate::rounding::{DoubleDouble, SLACK, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Most distance that reductions keep between bounds on F and B, relative to the current one.
const FINER: f64 = 0.6;

/// Relative amount by which a step may raise K, and the relative width of its fall outside (0, 1).
const ROUGHLY: f64 = 1e-3;
const FADE: f64 = 1.0 / 64.0;

/// Limit on steps: for the kinks to leave, and for the bounds to come close enough.
const MOST_STEPS: u32 = 4000;

/// Most image nodes a bound may get, and the node count from which that number is predicted.
const MOST_IMAGES: f64 = 1e6;
const ENOUGH: usize = 2048;

/// Least total change of slope that is assumed of a function.
const LEAST_BEND: f64 = 1e-6;

/// Domain of the method: least 1-a-b, and least rate of either phase.
const LEAST_MEMORY: f64 = 0.05;
const LEAST_RATE: f64 = 1e-9;

/// Shares of the error budget: of R, and of B.
const REST: f64 = 0.05;
const LASTING: f64 = 0.25;

/// Bound on |F_0 - F - t_0 B|.
const FIRST_REST: f64 = 2.0;

/// The operator that maps kinks of one step to kinks of the step before.
struct Kinks<'a> {
    filter: &'a Filter,
    memory: f64,
    begins: f64,
}

/// A linear piece through (at, value), with bounds on nearby values and slopes for rounding.
struct Piece {
    at: f64,
    value: f64,
    slope: f64,
    size: f64,
    steep: f64,
}

impl Kinks<'_> {
    /// The interval of preimages of [0, 1] before an observation.
    fn range(&self) -> [f64; 2] {
        [-self.begins / self.memory, (1.0 - self.begins) / self.memory]
    }

    /// Extends a function on [0, 1] by its constant values outside, up to the ends of the range.
    fn within(&self, inner: &Polyline, [below, beyond]: [f64; 2]) -> Polyline {
        let [start, end] = self.range();
        let room = inner.nodes() + 4;
        let mut all = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        if start < 0.0 {
            all.push(start, below);
        }
        all.at.extend(&inner.at);
        all.value.extend(&inner.value);
        all.push(end.max(1.0), beyond);
        all
    }

    /// `times` the mean over all observations of `next`, on the whole range, rounded up or down.
    fn back<const UPPER: bool>(&self, next: &Polyline, times: f64) -> Polyline {
        let reports = &self.filter.reports;
        self.filter.worked(next.nodes() * reports.len());
        let pieces = pieces(next);
        let inner = &next.at[1..next.nodes() - 1];
        let mut ways: Vec<(Likelihood, Vec<f64>, usize)> = reports
            .iter()
            .map(|report| {
                let image = |at: &f64| self.image(*report, *at);
                let places = inner.iter().map(image).chain([f64::INFINITY]).collect();
                (*report, places, 0)
            })
            .collect();
        let room = reports.len() * next.nodes() + 2;
        let mut result = Polyline { at: Vec::with_capacity(room), value: Vec::with_capacity(room) };
        let blur = 2.0 * SLACK * (1.0 + reports.len() as f64 / 8.0);
        let per = 1.0 / self.memory;
        let mut here = 0.0;
        loop {
            let (mut sum, mut size, mut ahead) = (0.0, 0.0, 1.0f64);
            for (Likelihood { before, after }, places, passed) in &mut ways {
                while places[*passed] <= here {
                    *passed += 1;
                }
                ahead = ahead.min(places[*passed]);
                let piece = &pieces[*passed];
                let fall = *after * (1.0 - here) + *before * here;
                let [yes, no] = [*before * here * per, self.begins * fall * per];
                sum += fall * piece.value + piece.slope * ((yes - no) - fall * piece.at);
                size += fall * piece.size + piece.steep * (yes + no + fall * piece.at.abs());
            }
            let margin = times * (blur * size + f64::MIN_POSITIVE);
            let value = times * sum;
            result.at.push(here);
            result.value.push(if UPPER { value + margin } else { value - margin });
            if here >= 1.0 {
                return result;
            }
            here = ahead;
        }
    }

    /// The updated belief after `report` from `at`, which may lie outside [0, 1].
    fn image(&self, Likelihood { before, after }: Likelihood, at: f64) -> f64 {
        if before == 0.0 {
            return 1.0;
        }
        let second = (self.begins + self.memory * at).clamp(0.0, 1.0);
        let (yes, no) = (second * after, (1.0 - second) * before);
        if yes > 0.0 { yes / (yes + no) } else { 0.0 }
    }

    /// The number of steps after which K_n (1-a-b)^n is at most `little`, and a bound on the mean
    /// discounted number of steps that a kink stays. `None` if that takes too many steps.
    fn left(&self, little: f64, observer: &dyn Observer) -> ControlFlow<Halt, Option<(u64, f64)>> {
        let [start, end] = self.range();
        let mut now = Polyline::constant(1.0);
        let (mut part, mut stay) = (1.0f64, 0.0);
        for steps in 0..MOST_STEPS {
            if steps % 256 == 255 {
                observer.check()?;
            }
            let most = now.most();
            if part * most <= little {
                return ControlFlow::Continue(Some((steps.into(), stay)));
            }
            stay += part * most;
            part = (part * self.memory).next_up();
            let mut all = self.within(&now, [0.0; 2]);
            if start < 0.0 {
                all.at.insert(1, start * FADE);
                all.value.insert(1, 0.0);
            }
            let beside = 1.0 + (end - 1.0) * FADE;
            if beside > 1.0 && beside < end {
                all.at.insert(all.at.len() - 1, beside);
                all.value.insert(all.value.len() - 1, 0.0);
            }
            now = self.back::<true>(&all, 1.0).reduced::<true>(ROUGHLY * most);
        }
        ControlFlow::Continue(None)
    }

    /// Initial bounds on F: (share - x)^+ and share (1 - x).
    fn stationary(&self, share: f64) -> (Pair, Times) {
        let far = self.range()[0];
        let pad = 4.0 * SLACK * (1.0 - far);
        let [above, below] = [share + pad, share - pad];
        let lower = Polyline { at: vec![0.0, share, 1.0], value: vec![below, -pad, -pad] };
        let times = Times { outside: [[above - far, 0.0], [below - far, 0.0]], step: self.memory };
        (Pair { upper: Polyline::line([above, pad]), lower }, times)
    }

    /// Iterates the bounds until the mean of `typical` gains is known to `error`. A kink stays at
    /// most `stay` steps on average, so equal reductions at every step add up to `stay` times as
    /// much.
    fn closed(
        &self,
        (start, times): (Pair, Times),
        typical: &Polyline,
        (stay, error): (f64, f64),
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Pair>> {
        let mut bounds = start;
        for _ in 0..MOST_STEPS {
            observer.check()?;
            let wide = width(typical, &bounds) / (2.0 * error);
            if wide <= 1.0 {
                return ControlFlow::Continue(Some(bounds));
            }
            let Pair { upper: above, lower: below } = &bounds;
            // Widths fall with the square of the number of nodes.
            let nodes = bounds.nodes();
            let images = (nodes * self.filter.reports.len()) as f64 * wide.sqrt();
            if nodes > ENOUGH && images > MOST_IMAGES {
                break;
            }
            let merge = FINER * above.less::<true>(below).most() / (2.0 * stay);
            bounds = Pair::of(
                above.nodes(),
                || {
                    let whole = self.within(above, times.outside[0]);
                    self.back::<true>(&whole, times.step).reduced::<true>(merge)
                },
                || {
                    let whole = self.within(below, times.outside[1]);
                    self.back::<false>(&whole, times.step).reduced::<false>(merge)
                },
            );
        }
        ControlFlow::Continue(None)
    }
}

/// Values of the bounds outside [0, 1], above and below, and the factor of a step.
#[derive(Clone, Copy)]
struct Times {
    outside: [[f64; 2]; 2],
    step: f64,
}

/// The width that bounds on F leave for the mean of `function`.
fn width(function: &Polyline, bounds: &Pair) -> f64 {
    let [mut above, mut below] = [0, 0];
    let apart = |(at, bend): (f64, f64)| {
        let gap = bounds.upper.at_from(&mut above, at) - bounds.lower.at_from(&mut below, at);
        bend.abs() * gap
    };
    function.bends().map(apart).sum()
}

/// The last node before `p`, by galloping search from node `first`.
fn passed(at: &[f64], first: usize, p: f64) -> usize {
    let (mut start, mut stride) = (first, 1);
    while start + stride < at.len() && at[start + stride] < p {
        start += stride;
        stride *= 2;
    }
    let end = (start + stride).min(at.len());
    start + at[start..end].partition_point(|at| *at < p).saturating_sub(1)
}

fn pieces(line: &Polyline) -> Vec<Piece> {
    let last = line.nodes() - 2;
    let slope = |k: usize| (line.value[k + 1] - line.value[k]) / (line.at[k + 1] - line.at[k]);
    let piece = |k: usize| {
        let near = [k.saturating_sub(1), k, (k + 1).min(last)];
        Piece {
            at: line.at[k],
            value: line.value[k],
            slope: slope(k),
            size: line.value[k].abs() + line.value[k + 1].abs(),
            steep: near.into_iter().map(|k| slope(k).abs()).fold(0.0, f64::max),
        }
    };
    (0..=last).map(piece).collect()
}

/// Means of functions of the belief after at least `from` steps.
pub(crate) struct Means {
    pub(crate) from: u64,
    changes: f64,
    share: f64,
    initial: f64,
    /// Bounds on F and B; and on |R|.
    stationary: Pair,
    lasting: Pair,
    rest: f64,
}

impl Means {
    /// Means accurate to `error` for `typical` gains; `None` if the filter mixes too slowly.
    pub(crate) fn of(
        filter: &Filter,
        initial: f64,
        typical: &Polyline,
        (error, most): (&dyn Fn(u64) -> f64, u64),
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Means>> {
        let kinks = Kinks { filter, memory: filter.memory, begins: filter.begins };
        let share = filter.share();
        let rest = REST * error(0) / typical.turns().max(LEAST_BEND);
        let rare = kinks.begins.min(filter.changes() - kinks.begins);
        let possible = kinks.memory >= LEAST_MEMORY && rare >= LEAST_RATE;
        if !(possible && rest > f64::MIN_POSITIVE) {
            return ControlFlow::Continue(None);
        }
        let left = kinks.left(rest / FIRST_REST, observer)?;
        let Some((from, stay)) = left.filter(|(from, _)| *from <= most) else {
            return ControlFlow::Continue(None);
        };
        let error = error(from);
        let tilt = kinks.memory.powf(from as f64) * (initial - share).abs();
        let start = Pair { upper: Polyline::constant(1.0), lower: Polyline::constant(0.0) };
        let lasting = if tilt <= rest {
            Some(start)
        } else {
            let times = Times { outside: [[1.0, 0.0]; 2], step: 1.0 };
            let limits = (stay, LASTING * error / tilt);
            kinks.closed((start, times), typical, limits, observer)?
        };
        let Some(lasting) = lasting else { return ControlFlow::Continue(None) };
        let limits = (stay, (1.0 - REST - LASTING) * error);
        let stationary = kinks.closed(kinks.stationary(share), typical, limits, observer)?;
        let changes = filter.changes();
        ControlFlow::Continue(stationary.map(|stationary| Means {
            from,
            changes,
            share,
            initial,
            stationary,
            lasting,
            rest,
        }))
    }

    /// Distance of the mean belief from the share after `n` steps; magnitude of its rounding.
    fn tilt(&self, n: u64) -> (f64, f64) {
        let tilt = (n as f64 * (-self.changes).ln_1p()).exp() * (self.initial - self.share);
        (tilt, tilt.abs() * (1.0 + n as f64 * self.changes / (1.0 - self.changes)))
    }

    /// The means of `function`. O(nodes x log(nodes of F)).
    pub(crate) fn of_function(&self, function: &Polyline) -> Mean {
        let Polyline { at, value } = function;
        let lines = [&self.stationary, &self.lasting].map(|pair| [&pair.upper, &pair.lower]);
        let mut piece = [0; 4];
        let mut place = |p: f64| {
            let mut now = [0.0; 4];
            for (k, line) in lines.as_flattened().iter().enumerate() {
                piece[k] = passed(&line.at, piece[k], p);
                now[k] = line.at_from(&mut piece[k], p);
            }
            [0, 2].map(|k: usize| (0.5 * (now[k] + now[k + 1]), 0.5 * (now[k] - now[k + 1])))
        };
        let last = function.nodes() - 1;
        let mut sums = [DoubleDouble::from(value[0]), DoubleDouble::default()];
        let (mut sizes, mut far) = ([value[0].abs(), 0.0], [0.0; 2]);
        let (mut start, mut before) = ([(self.share, 0.0), (1.0, 0.0)], 0.0);
        for k in 0..last {
            let length = at[k + 1] - at[k];
            let slope = (value[k + 1] - value[k]) / length;
            let end = if k + 1 == last { [(0.0, 0.0); 2] } else { place(at[k + 1]) };
            for part in 0..2 {
                if k > 0 {
                    let lost = 2.0 * SLACK * (value[k].abs() + value[k + 1].abs()) / length;
                    let rest = if part == 0 { self.rest } else { 0.0 };
                    far[part] += ((slope - before).abs() + lost) * (start[part].1 + rest);
                }
                sums[part] = sums[part].plus(slope * (start[part].0 - end[part].0));
                sizes[part] += slope.abs() * (start[part].0.abs() + end[part].0.abs());
            }
            (start, before) = (end, slope);
        }
        // Rounding of sums with `last` terms.
        let lost = SLACK * (1.0 + last as f64);
        Mean {
            sums: sums.map(DoubleDouble::value),
            far: far.map(|far| far * (1.0 + lost)),
            sizes: sizes.map(|size| size * (1.0 + lost)),
        }
    }

    /// The mean after `n` steps, and a bound on its error.
    pub(crate) fn after(&self, n: u64, mean: &Mean) -> (f64, f64) {
        let Mean { sums, far, sizes } = mean;
        let (tilt, blur) = self.tilt(n);
        let far = far[0] + tilt.abs() * far[1];
        let size = sizes[0] + blur * sizes[1];
        (sums[0] + tilt * sums[1], outward::<true>(far, 2.0 * size + far))
    }

    /// Bounds on the mean of a linear function after `n` steps.
    pub(crate) fn of_line(&self, n: u64, line: Line) -> [f64; 2] {
        let (tilt, blur) = self.tilt(n);
        let mean = line[0] + (self.share + tilt) * (line[1] - line[0]);
        let size = (4.0 + blur) * (line[0].abs() + line[1].abs());
        [outward::<false>(mean, size), outward::<true>(mean, size)]
    }
}

/// The mean of a function: its stationary value, and its change per unit of distance of the mean
/// belief from the share. With the errors of both, and the magnitudes for rounding.
pub(crate) struct Mean {
    sums: [f64; 2],
    far: [f64; 2],
    sizes: [f64; 2],
}

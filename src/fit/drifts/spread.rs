//! Variance of a random walk observed with noise, with a confidence interval.
//!
//! Around its drift, a change over j of L steps has the variance j (1 - j/L) s^2 + g(j) n^2. Here s
//! is the deviation of a step, n that of the noise, and g(j) = 2 + 2 (j/L)^2 - 4 j / (L (L + 1 -
//! j)). Two such equations determine s and n. The estimate of s^2 is a quadratic form of the
//! increments. Its moments follow from its spectral density W and that of the increments, s^2 + n^2
//! (2 - 2 cos).
//!
//! The mean over the ranks is subtracted from each change. It is no imbalance, and may be common to
//! all ranks (a slow machine) or zero (a constant total). What R independent ranks retain has 1 -
//! 1/R of their variance.
//!
//! A change over a recorded remap contains the noise of the step before it, which nothing removes,
//! since the remap balanced the loads. With noise, only changes between two remaps count.
//!
//! Filled-in times lie on a line between their neighbors and change less than measured ones. A
//! change counts only if both ends were measured.

use crate::estimate::{Estimate, NORMAL};

/// Lags between which the growth of the variance is measured, and those for short records.
const LAGS: [usize; 2] = [4, 8];
const SHORT: [usize; 2] = [1, 2];

/// Least share of all changes over the longer lag that must lie between remaps for these lags.
const ENOUGH: f64 = 0.25;

/// Number of frequencies of a spectrum; sums over them are exact.
const FREQUENCIES: usize = 64;

/// Deviation and noise.
pub struct Spread {
    /// Standard deviation of what a step adds permanently.
    pub deviation: Estimate,
    /// Standard deviation of what a step adds and the next removes.
    pub noise: f64,
    /// Effective number of independent changes over the longer lag: about as many as do not
    /// overlap.
    pub independent: f64,
}

/// Quantities other than s^2 on which the distribution of its estimate depends.
struct Moments {
    /// Weights at each frequency.
    spectra: Vec<Spectra>,
    /// Effective number of steps, over all ranks.
    count: f64,
    /// n^2, raised for the uncertainty of short records.
    noise: f64,
    /// Fourth cumulant of a step over its squared variance.
    tails: f64,
}

/// Spectral weights of the increments at a frequency, for the estimates of:
struct Spectra {
    /// s^2, which is W;
    kept: f64,
    /// n^2 from the two lags, whatever the noise within the shorter one;
    taken_back: f64,
    /// n^2 as half the variance of a single step beyond s^2, for uncorrelated noise.
    beside: f64,
    /// The spectral density of noise of variance 1, 2 - 2 cos.
    noise: f64,
}

/// Means of changes around the drift, each minus the mean over all ranks if there are several.
#[derive(Debug, Clone, Copy)]
pub struct Changes {
    /// The lags, and the share of these changes among all over the longer lag with all times
    /// measured.
    pub lags: [usize; 2],
    pub share: f64,
    /// Of the squares over either lag.
    pub squares: [f64; 2],
    /// Of the squares over one step.
    pub single: f64,
    /// Of the fourth powers over one step.
    pub fourth: f64,
}

impl Spread {
    /// The lags for so many steps.
    pub fn lags(steps: usize) -> [usize; 2] {
        if steps > 4 * LAGS[1] { LAGS } else { SHORT }
    }

    /// For the paths of some ranks around their drifts, the ranks of a step adjacent, of at least
    /// four steps. The steps `remaps` come right after a remap, and some times were `filled` in.
    pub fn of<'f>(
        path: &[f64],
        filled: &dyn Fn(usize) -> &'f [bool],
        drifts: &[f64],
        remaps: &[usize],
    ) -> Spread {
        let ranks = drifts.len();
        let steps = path.len() / ranks;
        let at = |step: usize| &path[step * ranks..(step + 1) * ranks];
        // Number of remaps up to each step.
        let mut up_to = vec![0; steps];
        remaps.iter().filter(|step| **step > 0).for_each(|step| up_to[*step] = 1);
        (1..steps).for_each(|step| up_to[step] += up_to[step - 1]);
        // The means of the squares and fourth powers of changes, and their number, over all ranks.
        let over = |lag: usize, between: bool| {
            let mut row = Vec::with_capacity(ranks);
            let (mut sums, mut count) = ([0.0; 2], 0);
            for step in (lag..steps).filter(|step| !between || up_to[*step] == up_to[step - lag]) {
                let ends = [filled(step), filled(step - lag)];
                let both = at(step).iter().zip(at(step - lag)).zip(drifts).enumerate();
                let measured = both.filter(|(rank, _)| is_measured(ends, *rank));
                row.clear();
                row.extend(
                    measured.map(|(_, ((now, then), drift))| now - then - lag as f64 * drift),
                );
                centre_some(&mut row, ranks);
                sums[0] += row.iter().map(|change| change * change).sum::<f64>();
                sums[1] += row.iter().map(|change| change.powi(4)).sum::<f64>();
                count += row.len();
            }
            (sums.map(|sum| sum / count.max(1) as f64), count)
        };
        let found = |lags: [usize; 2], between: bool| {
            let ([single, fourth], _) = over(1, between);
            let [(near, _), (far, count)] = lags.map(|lag| over(lag, between));
            let share = count as f64 / ((steps - lags[1]) * ranks) as f64;
            Changes { lags, share, squares: [near[0], far[0]], single, fourth }
        };
        let all = found(Spread::lags(steps), false);
        let lags = [Spread::lags(steps), SHORT].into_iter().filter(|_| !remaps.is_empty());
        Spread::between_remaps(&all, lags.map(|lags| found(lags, true)), ranks, steps)
    }

    /// From all changes, or with noise from the first set of changes between remaps that is large
    /// enough.
    pub fn between_remaps(
        all: &Changes,
        mut between: impl Iterator<Item = Changes>,
        ranks: usize,
        steps: usize,
    ) -> Spread {
        let spread = Spread::from_changes(all, ranks, steps);
        let Some(between) = between.find(|found| found.share >= ENOUGH) else {
            return spread;
        };
        let found = Spread::from_changes(&between, ranks, steps);
        match found.noise > 0.0 || spread.noise > 0.0 {
            true => Spread {
                noise: if found.noise > 0.0 { found.noise } else { spread.noise },
                ..found
            },
            false => spread,
        }
    }

    /// From the means over changes.
    fn from_changes(found: &Changes, ranks: usize, steps: usize) -> Spread {
        let (left, fourths) = of_centred(ranks);
        // Equivalent number of independent ranks.
        let (ranks, length) = (left * ranks as f64, (steps - 1) as f64);
        let [near, far] = found.lags;
        let walk = |lag: usize| lag as f64 * (1.0 - lag as f64 / length);
        let seen = |lag: usize| {
            let share = lag as f64 / length;
            2.0 + 2.0 * share * share - 4.0 * share / (length + 1.0 - lag as f64)
        };
        let Changes { share, squares, single, fourth, .. } = *found;
        let ([a, b], single) = (squares.map(|square| square / left), single / left);
        let scale = walk(far) * seen(near) - walk(near) * seen(far);
        let variance = (b * seen(near) - a * seen(far)) / scale;
        let taken_back = (a * walk(far) - b * walk(near)) / scale;
        let beside = (single - walk(1) * variance) / seen(1);
        let cumulant = fourth - 3.0 * (left * single).powi(2);
        let tails = if single > 0.0 { (cumulant / fourths / single.powi(2)).max(0.0) } else { 0.0 };
        let weight = |lag: usize| {
            (far.saturating_sub(lag) as f64 - near.saturating_sub(lag) as f64) / (far - near) as f64
        };
        let spectrum = |index: usize| {
            let angle = std::f64::consts::PI * (index as f64 + 0.5) / FREQUENCIES as f64;
            let cosines = (1..far).map(|lag| 2.0 * weight(lag) * (lag as f64 * angle).cos());
            let step = 2.0 - 2.0 * angle.cos();
            // Spectrum of changes over so many steps (Fejér kernel).
            let over = |lag: usize| (2.0 - 2.0 * (lag as f64 * angle).cos()) / step;
            let kept = 1.0 + cosines.sum::<f64>();
            let taken_back = (over(near) * walk(far) - over(far) * walk(near)) / scale;
            Spectra { kept, taken_back, beside: (1.0 - walk(1) * kept) / seen(1), noise: step }
        };
        // The ends of a record carry less information: factors determined by simulation of short
        // records.
        let without = |lags: f64| (steps as f64 - lags * far as f64).max(1.0);
        let count = (ranks * share * without(2.3)).max(1.0);
        let short = (without(2.3) / without(3.5)).sqrt() * (1.0 + 1.0 / count.sqrt());
        let spectra = (0..FREQUENCIES).map(spectrum).collect();
        let moments = Moments { spectra, count, noise: taken_back.max(0.0) * short, tails };
        let noise = moments.noise_told([variance.max(0.0), single], taken_back, beside);
        let (lower, upper) = moments.interval(variance, single);
        let (lower, upper) = (lower.sqrt(), upper.sqrt());
        // Without noise the single-step estimate is the most accurate.
        let value = match noise > 0.0 {
            true => variance.max(0.0).sqrt(),
            false => (single / walk(1)).sqrt().max(lower).min(upper),
        };
        Spread {
            deviation: Estimate { value, lower, upper },
            noise: noise.sqrt(),
            independent: (ranks * share * length / far as f64).max(2.0),
        }
    }
}

/// Whether the times of a rank at both ends of a change were measured.
pub fn is_measured(filled: [&[bool]; 2], rank: usize) -> bool {
    filled.iter().all(|step| step.get(rank) != Some(&true))
}

/// Subtracts the mean over the measured ranks and scales to what all `ranks` would retain. A single
/// measured one of several carries no information.
pub fn centre_some(row: &mut Vec<f64>, ranks: usize) {
    if row.len() == 1 && ranks > 1 {
        row.clear();
    }
    centre(row);
    if row.len() < ranks {
        let scale = (of_centred(ranks).0 / of_centred(row.len()).0).sqrt();
        row.iter_mut().for_each(|change| *change *= scale);
    }
}

/// Takes away the mean of several.
pub fn centre(row: &mut [f64]) {
    if row.len() > 1 {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        row.iter_mut().for_each(|value| *value -= mean);
    }
}

/// The variance of one of `ranks` independent numbers minus their mean, relative to that of the
/// number; and the same for the fourth cumulant.
fn of_centred(ranks: usize) -> (f64, f64) {
    let others = (ranks.max(1) - 1) as f64;
    match others {
        0.0 => (1.0, 1.0),
        _ => {
            let (own, other) = (others / (others + 1.0), 1.0 / (others + 1.0));
            (own, own.powi(4) + others * other.powi(4))
        }
    }
}

impl Moments {
    /// n^2, or 0 where noise is not significant. It is what a single step has beyond s^2, by far
    /// the more accurate estimate, unless the two lags show significantly more, as for noise that
    /// lasts several steps. `variances` are s^2 and that of a single step, from the same changes.
    fn noise_told(&self, [variance, single]: [f64; 2], taken_back: f64, beside: f64) -> f64 {
        // Standard deviation of an estimate with these weights. Fourth moments of independent steps
        // are negligible, since the square of a step has little weight.
        let deviation = |weight: &dyn Fn(&Spectra) -> f64, variance: f64, noise: f64| {
            let square = |at: &Spectra| (weight(at) * (variance + at.noise * noise)).powi(2);
            let sum: f64 = self.spectra.iter().map(square).sum();
            (2.0 * sum / self.spectra.len() as f64 / self.count).sqrt()
        };
        if beside > NORMAL * deviation(&|at| at.beside, single, 0.0) {
            let more = deviation(&|at| at.taken_back - at.beside, variance, beside);
            return if taken_back - beside > NORMAL * more { taken_back } else { beside };
        }
        let told = taken_back > NORMAL * deviation(&|at| at.taken_back, single, 0.0);
        if told { taken_back } else { 0.0 }
    }

    /// Standard deviation and skewness of the estimate, if s^2 is `variance`.
    fn of(&self, variance: f64) -> (f64, f64) {
        let (mut second, mut third) = (0.0, 0.0);
        for at in &self.spectra {
            let density = at.kept * (variance + at.noise * self.noise);
            second += density * density;
            third += density * density * density;
        }
        let frequencies = self.spectra.len() as f64;
        let normal = 2.0 * second / frequencies / self.count;
        let third = 8.0 * third / frequencies / (self.count * self.count);
        let all = normal + self.tails * variance * variance / self.count;
        if normal <= 0.0 {
            return (0.0, 0.0);
        }
        // Heavy tails act like fewer steps.
        (all.sqrt(), third * (all / normal).powi(2) / all.powf(1.5))
    }

    /// The 95 % interval of s^2, by a gamma distribution with the three moments. It is a chi-square
    /// distribution without noise, and nearly normal under strong noise. `single` is the variance
    /// of a change over one step.
    fn interval(&self, found: f64, single: f64) -> (f64, f64) {
        let beyond = |variance: f64, normal: f64, found: f64| {
            let (deviation, skewness) = self.of(variance);
            found - variance - deviation * gamma_quantile(skewness, normal)
        };
        let bisect = |mut low: f64, mut high: f64, below: &dyn Fn(f64) -> bool| {
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if below(middle) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            (low, high)
        };
        let least = found.max(0.0);
        let low = |variance: f64| beyond(variance, -NORMAL, least) >= 0.0;
        let mut top = (2.0 * least).max(1e-3 * single);
        while low(top) && top < 1e9 * single {
            top *= 2.0;
        }
        let upper =
            if low(top) && single > 0.0 { f64::INFINITY } else { bisect(least, top, &low).1 };
        let high = |variance: f64| beyond(variance, NORMAL, found) > 0.0;
        let lower = if found > 0.0 && high(0.0) { bisect(0.0, found, &high).0 } else { 0.0 };
        (lower, upper)
    }
}

/// The quantile of the standardized gamma distribution of this skewness that corresponds to one of
/// the normal distribution (E. B. Wilson and M. M. Hilferty, Proc. Nat. Acad. Sci. 17, 1931).
fn gamma_quantile(skewness: f64, normal: f64) -> f64 {
    if skewness < 0.0 {
        return -gamma_quantile(-skewness, -normal);
    }
    if skewness < 1e-4 {
        return normal;
    }
    let shape = 4.0 / (skewness * skewness);
    let root = 1.0 - 1.0 / (9.0 * shape) + normal / (3.0 * shape.sqrt());
    shape.sqrt() * (root.max(0.0).powi(3) - 1.0)
}

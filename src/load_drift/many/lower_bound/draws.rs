//! Random variates for joint moves: hypergeometric and binomial.

use rand::{Rng, RngExt};
use rand_distr::{Binomial, Distribution};

/// Number of entries of the table of ln n!.
const TABLE: usize = 1024;

/// ln n!, from a table or by Stirling's series.
pub struct LnFactorial(Vec<f64>);

impl LnFactorial {
    /// The table.
    pub fn new() -> LnFactorial {
        let mut table = vec![0.0; TABLE];
        for n in 2..TABLE {
            table[n] = table[n - 1] + (n as f64).ln();
        }
        LnFactorial(table)
    }

    /// ln n!.
    pub fn of(&self, n: u64) -> f64 {
        match self.0.get(n as usize) {
            Some(&known) => known,
            None => {
                let x = n as f64;
                let inverse = 1.0 / x;
                let square = inverse * inverse;
                let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0));
                (x + 0.5) * x.ln() - x + 0.918_938_533_204_672_8 + series
            }
        }
    }

    /// ln of the binomial coefficient n over k.
    pub fn choose(&self, n: u64, k: u64) -> f64 {
        self.of(n) - self.of(k) - self.of(n - k)
    }

    /// A hypergeometric variate: the number of marked items among `sample` drawn without
    /// replacement from `marked` and `other`. Inversion from the mode where the variance is small,
    /// otherwise the ratio of uniforms [E. Stadlober, 1990]. The method of the `rand_distr` crate
    /// takes time proportional to the population.
    pub fn hypergeometric(
        &self,
        marked: u64,
        other: u64,
        sample: u64,
        draws: &mut impl Rng,
    ) -> u64 {
        let population = marked + other;
        if marked == 0 || sample == 0 {
            return 0;
        }
        if other == 0 || sample == population {
            return marked.min(sample);
        }
        // Of the four equivalent draws, the one with the smallest numbers.
        let few = sample.min(population - sample);
        let (less, more) = (marked.min(other), marked.max(other));
        let share = less as f64 / population as f64;
        let n = few as f64;
        let variance =
            n * share * (1.0 - share) * (population - few) as f64 / (population - 1) as f64;
        let mode = ((n + 1.0) * (less as f64 + 1.0) / (population as f64 + 2.0)).floor() as u64;
        let log =
            |k: u64| self.of(k) + self.of(less - k) + self.of(few - k) + self.of(more - few + k);
        let drawn = if variance < 100.0 {
            let whole = self.of(less) + self.of(more) + self.of(few) + self.of(population - few)
                - self.of(population);
            self.around_mode(mode, (whole - log(mode)).exp(), [less, more, few], draws)
        } else {
            let (center, spread) = (n * share + 0.5, (variance + 0.5).sqrt());
            let height = 1.715_527_769_921_413_5 * spread + 0.898_916_162_058_898_8;
            let end = (few.min(less) as f64 + 1.0).min((center + 16.0 * spread).floor());
            let top = log(mode);
            loop {
                let (u, v): (f64, f64) = (1.0 - draws.random::<f64>(), draws.random());
                let x = center + height * (v - 0.5) / u;
                if x < 0.0 || x >= end {
                    continue;
                }
                let k = x as u64;
                if 2.0 * u.ln() <= top - log(k) {
                    break k;
                }
            }
        };
        let drawn = if marked > other { few - drawn } else { drawn };
        if few < sample { marked - drawn } else { drawn }
    }

    /// Inversion, the most probable numbers first.
    fn around_mode(
        &self,
        mode: u64,
        at_mode: f64,
        [less, more, few]: [u64; 3],
        draws: &mut impl Rng,
    ) -> u64 {
        let mut left: f64 = draws.random();
        let (mut below, mut above) = (mode, mode);
        let (mut p_below, mut p_above) = (at_mode, at_mode);
        left -= at_mode;
        let last = less.min(few);
        while left > 0.0 {
            let mut moved = false;
            if above < last {
                let k = above as f64;
                p_above *= (less as f64 - k) * (few as f64 - k)
                    / ((k + 1.0) * (more as f64 - few as f64 + k + 1.0));
                above += 1;
                left -= p_above;
                if left <= 0.0 {
                    return above;
                }
                moved = p_above > 0.0;
            }
            if below > 0 {
                let k = below as f64;
                p_below *= k * (more as f64 - few as f64 + k)
                    / ((less as f64 - k + 1.0) * (few as f64 - k + 1.0));
                below -= 1;
                left -= p_below;
                if left <= 0.0 {
                    return below;
                }
                moved |= p_below > 0.0;
            }
            if !moved {
                break;
            }
        }
        mode
    }
}

/// A binomial variate: number of successes in `count` trials.
pub fn binomial(count: u64, probability: f64, draws: &mut impl Rng) -> u64 {
    if count == 0 || probability <= 0.0 {
        return 0;
    }
    match Binomial::new(count, probability.min(1.0)) {
        Ok(law) => law.sample(draws),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// Both methods have the mean and variance of the distribution; small cases have its
    /// probabilities.
    #[test]
    fn hypergeometric_numbers_have_their_law() {
        let factorial = LnFactorial::new();
        let mut draws = stream(3, 0);
        for (marked, other, sample) in [
            (5, 7, 4),
            (7, 5, 9),
            (3, 1, 4),
            (300, 800, 500),
            (400_000, 90_000, 120_000),
            (50_000, 950_000, 990_000),
        ] {
            let (a, b, n) = (marked as f64, other as f64, sample as f64);
            let all = a + b;
            let mean = n * a / all;
            let variance = n * a / all * b / all * (all - n) / (all - 1.0);
            let runs = 20_000;
            let (mut first, mut second) = (0.0, 0.0);
            let mut seen = [0.0; 16];
            for _ in 0..runs {
                let drawn = factorial.hypergeometric(marked, other, sample, &mut draws);
                assert!(drawn <= marked.min(sample) && sample - drawn <= other);
                first += (drawn as f64 - mean) / runs as f64;
                second += (drawn as f64 - mean).powi(2) / runs as f64;
                if let Some(seen) = seen.get_mut(drawn as usize) {
                    *seen += 1.0 / f64::from(runs);
                }
            }
            assert!(first.abs() <= 0.035 * variance.sqrt(), "{marked} {other} {sample}: {first}");
            assert!((second - variance).abs() <= 0.05 * variance, "{second} {variance}");
            if marked + other < 20 {
                for k in sample.saturating_sub(other)..=marked.min(sample) {
                    let log = factorial.choose(marked, k) + factorial.choose(other, sample - k)
                        - factorial.choose(marked + other, sample);
                    assert!((seen[k as usize] - log.exp()).abs() < 0.015);
                }
            }
        }
    }

    #[test]
    fn factorials_join_where_the_table_ends() {
        let factorial = LnFactorial::new();
        let n = TABLE as u64;
        let step = factorial.of(n) - factorial.of(n - 1);
        assert!((step - (n as f64).ln()).abs() < 1e-11);
    }
}

//! Very many equal periods between remaps, evaluated by repeated squaring of their Markov chain.

use nalgebra::{DMatrix, DVector};

/// Periods from one remap to the next, as a Markov chain on the sum of levels after a remap.
pub(in crate::load_drift) struct Periods {
    /// Transition probabilities to the sum after the next remap, one row for each sum.
    pub(in crate::load_drift) kernel: DMatrix<f64>,
    /// Expected cost and work of a period from each sum, one column each.
    pub(in crate::load_drift) sums: DMatrix<f64>,
}

impl Periods {
    /// Evaluates `count` periods from the distribution `at`, which becomes the distribution after
    /// them. Returns their cost and work. Doubling the periods is one product of matrices: O(T^3
    /// log count) for T sums.
    pub(in crate::load_drift) fn play(mut self, mut count: usize, at: &mut [f64]) -> [f64; 2] {
        let mut law = DVector::from_column_slice(at).transpose();
        let mut found = [0.0; 2];
        while count > 0 {
            if count % 2 == 1 {
                let more = &law * &self.sums;
                found = [found[0] + more[0], found[1] + more[1]];
                law = &law * &self.kernel;
            }
            count /= 2;
            if count > 0 {
                self.sums = &self.sums + &self.kernel * &self.sums;
                self.kernel = &self.kernel * &self.kernel;
            }
        }
        at.copy_from_slice(law.as_slice());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_periods_are_those_one_after_the_other() {
        let kernel =
            DMatrix::from_row_slice(3, 3, &[0.9, 0.1, 0.0, 0.2, 0.5, 0.3, 1e-9, 0.0, 1.0 - 1e-9]);
        let sums = DMatrix::from_row_slice(3, 2, &[1.0, 5.0, 2.0, 6.0, 0.5, 7.0]);
        for count in [0, 1, 2, 3, 17, 100, 1023] {
            let mut at = [1.0, 0.0, 0.0];
            let periods = Periods { kernel: kernel.clone(), sums: sums.clone() };
            let found = periods.play(count, &mut at);
            let mut law = DVector::from_column_slice(&[1.0, 0.0, 0.0]).transpose();
            let mut expected = [0.0; 2];
            for _ in 0..count {
                let more = &law * &sums;
                expected = [expected[0] + more[0], expected[1] + more[1]];
                law = &law * &kernel;
            }
            for (a, b) in found.iter().chain(&at).zip(expected.iter().chain(law.iter())) {
                assert!((a - b).abs() <= 1e-12 * b.abs(), "{count}: {found:?} {at:?}");
            }
        }
    }
}

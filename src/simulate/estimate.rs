//! Means and their confidence intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Mean of independent runs, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean over the runs.
    pub mean: f64,
    /// Half-width of the 95 % confidence interval of the expectation, by Student's t; infinite
    /// for a single run.
    pub half_width: f64,
}

impl Estimate {
    /// From one value of each run, at least one.
    pub fn of(values: &[f64]) -> Estimate {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half_width = match StudentsT::new(0.0, 1.0, n - 1.0) {
            Ok(student) => student.inverse_cdf(0.975) * (squares / (n - 1.0) / n).sqrt(),
            Err(_) => f64::INFINITY,
        };
        Estimate { mean, half_width }
    }

    /// Whether `value` lies within `widths` half-widths of the mean.
    pub fn agrees(&self, value: f64, widths: f64) -> bool {
        (value - self.mean).abs() <= widths * self.half_width
    }
}

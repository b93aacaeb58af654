//! Shapes of curves.

use remapping::two_phase::envelope::Point;
use remapping::two_phase::figure::Policy;
use remapping::two_phase::workload::Comparison;

/// Percent above the bound, or below, as the figure shows them.
pub fn percent(comparison: &Comparison, policy: Policy) -> Vec<f64> {
    comparison.figure.curve(policy).unwrap().percent.iter().map(|p| p.value).collect()
}

/// The bound on the best execution is one, and so is hindsight on the policies.
pub fn hindsight_is_least(comparison: &Comparison) {
    for at in 0..comparison.figure.at.len() {
        let time = |policy: Policy| comparison.figure.curve(policy).unwrap().time[at].value;
        let least = time(Policy::Clairvoyant);
        assert!(time(Policy::LowerBound) <= least);
        for policy in [Policy::StaticOld, Policy::Threshold, Policy::Optimal] {
            assert!(least <= time(policy) * (1.0 + 1e-12));
        }
    }
}

/// Spearman's rank correlation of two lists without ties.
pub fn rank_correlation(x: &[f64], y: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|v| values.iter().filter(|other| *other < v).count() as f64).collect()
    };
    let n = x.len() as f64;
    let squares: f64 = ranks(x).iter().zip(ranks(y)).map(|(a, b)| (a - b).powi(2)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

/// Deep inside the envelope remapping pays, far outside it does not (by a tenth of a percent at
/// most), and the dearer it is the less.
pub fn signs_change(envelope: &[Point]) {
    let (mut inside, mut outside, mut below) = (0, 0, 0);
    for point in envelope {
        let depth = point.gain / point.remap_cost;
        if depth > 4.0 {
            assert!(point.advantage.value > 0.0, "{point:?}");
            inside += 1;
        }
        if depth < 0.2 {
            assert!(point.advantage.value < 0.1, "{point:?}");
            outside += 1;
            below += u32::from(point.advantage.value < 0.0);
        }
    }
    assert!(inside > 10 && outside > 10 && 10 * below > 9 * outside);
    for pair in envelope.windows(2).filter(|pair| pair[0].at == pair[1].at) {
        assert!(pair[0].advantage.value >= pair[1].advantage.value);
    }
}

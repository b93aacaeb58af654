//! The monitor: cluster statistics against the two-pass formulas, error rates against theory.

use crate::phase_change::problems::{binary, idle, ratio};
use crate::phase_switching::values::recurring;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::{Belief, Detector, Report};
use remapping::lifetime::Lifetime;
use remapping::monitor::calibrate::{Change, Noise, simulate};
use remapping::monitor::{ChangeTest, Clusters, Monitor, MonitorError, SwitchingMonitor};
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange};
use remapping::phase_switching::{self, PhaseSwitching};

/// [NR86, sec. II] word for word: batch means, clusters, both statistics.
fn literally(batch: usize, cluster: usize, trace: &[f64]) -> Vec<bool> {
    let means: Vec<f64> =
        trace.chunks_exact(batch).map(|b| b.iter().sum::<f64>() / batch as f64).collect();
    let clusters: Vec<&[f64]> = means.chunks_exact(cluster).collect();
    let variance = |sample: &[f64]| {
        let mean = sample.iter().sum::<f64>() / sample.len() as f64;
        sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / sample.len() as f64
    };
    let c = cluster as f64;
    let base = clusters[0];
    let tests = clusters[1..].iter().map(|test| {
        let joint = c * variance(&[base, test].concat()).ln() + 4.0;
        let split = c / 2.0 * (variance(base) * variance(test)).ln() + 8.0;
        split < joint
    });
    tests.collect()
}

/// The reports of the change test on a trace, each with the number of measurements taken.
fn replay(clusters: Clusters, trace: &[f64]) -> Result<Vec<(usize, Report)>, MonitorError> {
    let mut test = ChangeTest::new(clusters);
    let mut reports = Vec::new();
    for (k, value) in trace.iter().enumerate() {
        reports.extend(test.observe(*value)?.map(|report| (k + 1, report)));
    }
    Ok(reports)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reports_are_those_of_the_two_pass_formulas(
        batch in 1usize..5, cluster in 2usize..7, level in -1e3..1e3f64,
        noise in prop::collection::vec((-1.0..1.0f64, 0..3u8), 40..120),
    ) {
        // Three regimes mixed: some clusters differ plainly, some hardly.
        let trace: Vec<f64> = noise
            .iter()
            .enumerate()
            .map(|(k, (x, kind))| level + x + if k > 40 { 0.4 * f64::from(*kind) } else { 0.0 })
            .collect();
        prop_assume!(trace.len() >= 2 * batch * cluster);
        let clusters = Clusters::new(batch as u32, cluster as u32).unwrap();
        let reports = replay(clusters, &trace).unwrap();
        let expected = literally(batch, cluster, &trace);
        prop_assert_eq!(reports.len(), expected.len());
        for ((end, report), expected) in reports.iter().zip(expected) {
            prop_assert_eq!(end % (batch * cluster), 0);
            prop_assert_eq!(*report == Report::Change, expected);
        }
    }

    /// A change of unit or of origin changes no report.
    #[test]
    fn reports_do_not_depend_on_the_unit(
        trace in prop::collection::vec(0.0..1.0f64, 32..80), scale in 0.01..100.0f64,
        origin in -10.0..10.0f64,
    ) {
        let clusters = Clusters::new(2, 4).unwrap();
        let moved: Vec<f64> = trace.iter().map(|x| origin + scale * x).collect();
        prop_assert_eq!(replay(clusters, &trace).unwrap(), replay(clusters, &moved).unwrap());
    }
}

#[test]
fn a_base_without_variance_is_refused_and_taken_anew() {
    let mut test = ChangeTest::new(Clusters::new(2, 3).unwrap());
    for _ in 0..5 {
        assert_eq!(test.observe(0.1), Ok(None));
    }
    assert!(matches!(test.observe(0.1), Err(MonitorError::Constant(_))));
    assert!(!test.has_base());
    assert!(matches!(test.observe(f64::NAN), Err(MonitorError::NotFinite(_))));
    for value in [1.0, 2.0, 3.0, 5.0, 7.0, 1.0] {
        assert_eq!(test.observe(value), Ok(None));
    }
    assert!(test.has_base());
}

#[test]
fn error_rates_follow_what_the_change_does() {
    let clusters = Clusters::new(4, 8).unwrap();
    let rates =
        |noise, shift, scale| simulate(clusters, noise, Change { shift, scale }, 4000, 7).unwrap();
    let (small, large) = (rates(Noise::Normal, 0.5, 1.0), rates(Noise::Normal, 2.0, 1.0));
    assert!(large.missed.estimate().value < 0.01, "{large:?}");
    assert!(small.missed.estimate().value > large.missed.estimate().value + 0.1, "{small:?}");
    // The same seed: no change is no change.
    assert_eq!(small.false_alarm, large.false_alarm);
    // What is missed of no change at all is what is not falsely alarmed.
    let none = rates(Noise::Normal, 0.0, 1.0);
    let [missed, alarm] = [&none.missed, &none.false_alarm].map(|rate| rate.estimate().value);
    assert!(abs_diff_eq!(missed + alarm, 1.0, epsilon = 0.04), "{none:?}");
    // Batch means of correlated measurements are still correlated: more false alarms.
    let correlated = rates(Noise::Autoregressive(0.9), 1.0, 1.0);
    assert!(correlated.false_alarm.estimate().value > alarm + 0.1, "{correlated:?}");
    // Heavy tails, unit variance: the means of batches are nearly normal.
    let heavy = rates(Noise::Student(4.0), 1.0, 1.0);
    assert!(abs_diff_eq!(heavy.false_alarm.estimate().value, alarm, epsilon = 0.1), "{heavy:?}");
    let change = Change { shift: 1.0, scale: 1.0 };
    assert!(simulate(clusters, Noise::Student(2.0), change, 9, 1).is_none());
}

/// Cycles of 1, or of `after` past the change until a remap for `test`; the detector errs as often
/// either way.
fn watched(last: u64, hazard: Hazard, [after, test]: [i64; 2], errs: Rational) -> PhaseChange {
    PhaseChange {
        hazard,
        before: ratio(1, 1),
        after: ratio(after, 1),
        remapped: ratio(1, 1),
        test: ratio(test, 1),
        detector: binary(errs.clone(), errs),
        ..idle(Lifetime::fixed(last), Rational::ZERO)
    }
}

/// The monitor is test, filter and thresholds, no more.
#[test]
fn decisions_are_those_of_the_filter_and_the_curve() {
    let problem = watched(40, Hazard::Constant(ratio(1, 50)), [2, 4], ratio(1, 10));
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = phase_change::solve(&problem, accuracy, &()).unwrap();
    let clusters = Clusters::new(1, 4).unwrap();
    // Noise of period 7, and a step at 60.
    let trace: Vec<f64> =
        (0..120).map(|k| f64::from(k * k % 7) + if k >= 60 { 20.0 } else { 0.0 }).collect();
    let mut monitor = Monitor::new(&problem, solution.curve.clone(), clusters).unwrap();
    let detector = Detector::new(0.1, 0.1).unwrap();
    let mut belief = Belief::UNCHANGED;
    let mut remaps = Vec::new();
    let reports = replay(clusters, &trace).unwrap();
    let mut decisions = trace.iter().filter_map(|x| monitor.observe(*x).unwrap());
    for (n, (end, report)) in reports.iter().enumerate() {
        let decision = decisions.next().unwrap();
        belief = belief.step(0.02, *report, &detector).unwrap();
        assert_eq!(decision.step, n as u64 + 1);
        assert_eq!(decision.report, *report);
        assert_eq!(decision.belief, belief.probability());
        let threshold = solution.curve.at(decision.step).unwrap();
        assert_eq!(decision.threshold, threshold);
        assert_eq!(decision.remap, belief.probability() > threshold.middle());
        if decision.remap {
            remaps.push(*end);
        }
    }
    assert!(remaps.first().is_some_and(|end| *end > 60), "{remaps:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Every cluster of cycles is a step, those without a report too: followed cluster by cluster.
    #[test]
    fn every_cluster_is_a_step(
        batch in 1usize..3, cluster in 2usize..5, last in 3u64..30,
        hazards in prop::collection::vec(0i64..60, 30),
        noise in prop::collection::vec((0.0..1.0f64, 0..9u8), 60..240),
        constant in prop::collection::vec(0..6u8, 120),
    ) {
        let hazards: Vec<i64> = hazards[..last as usize].to_vec();
        let steps = hazards.iter().map(|percent| ratio(*percent, 100)).collect();
        let problem = watched(last, Hazard::PerStep(steps), [3, 1], ratio(1, 20));
        let accuracy = Accuracy { tolerance: 1e-9, segments: None };
        let curve = phase_change::solve(&problem, accuracy, &()).unwrap().curve;
        let (mut level, length) = (0.0, batch * cluster);
        let trace: Vec<f64> = noise
            .iter()
            .enumerate()
            .map(|(k, (x, kind))| {
                if *kind == 0 {
                    level += 5.0;
                }
                if constant[k / length] == 0 { level } else { level + x }
            })
            .collect();
        let detector = Detector::new(0.05, 0.05).unwrap();
        let mut monitor = Monitor::new(&problem, curve.clone(), Clusters::new(batch as u32, cluster as u32).unwrap()).unwrap();
        let (mut belief, mut base) = (Belief::UNCHANGED, None);
        for (n, own) in trace.chunks_exact(length).enumerate() {
            let (before, closing) = own.split_at(length - 1);
            for x in before {
                prop_assert_eq!(monitor.observe(*x), Ok(None));
            }
            let found = monitor.observe(closing[0]);
            if n > 0 {
                let hazard = hazards.get(n - 1).map_or(0.0, |percent| *percent as f64 / 100.0);
                belief = belief.prior(hazard);
            }
            let Some(first) = base else {
                match found {
                    Ok(None) => base = Some(own),
                    other => prop_assert!(matches!(other, Err(MonitorError::Constant(_))), "{:?}", other),
                }
                prop_assert!(abs_diff_eq!(monitor.belief(), belief.probability(), epsilon = 1e-12));
                continue;
            };
            let change = literally(batch, cluster, &[first, own].concat())[0];
            let report = if change { Report::Change } else { Report::NoChange };
            belief = belief.after(report, &detector).unwrap_or(belief);
            let decision = found.unwrap().unwrap();
            prop_assert_eq!((decision.step, decision.report), (n as u64, report));
            prop_assert!(abs_diff_eq!(decision.belief, belief.probability(), epsilon = 1e-12));
            prop_assert!(n as u64 <= last || !decision.remap);
            if decision.remap {
                monitor.remapped();
                (belief, base) = (Belief::UNCHANGED, None);
            }
        }
    }
}

/// Where the second mapping is the better one whatever the belief, a belief of exactly 0 goes to
/// it, and never back.
#[test]
fn a_threshold_at_the_edge_is_passed_there() {
    let problem = PhaseSwitching {
        cycle: [[ratio(20, 10), ratio(18, 10)], [ratio(20, 10), ratio(11, 10)]],
        switch: [Some(ratio(7, 10)), Some(ratio(4, 10))],
        rates: [Rational::ZERO, Rational::ZERO],
        ..recurring()
    };
    let found = phase_switching::solve(&problem, &Lifetime::fixed(9), 1e-9, &()).unwrap();
    assert_eq!(found.to_second.at(1), Some([0.0; 2].into()));
    let mut monitor = SwitchingMonitor::by_step(&problem, found.to_second, found.to_first).unwrap();
    let first = monitor.observe(1).unwrap();
    assert_eq!((first.belief, first.remap), (0.0, true));
    monitor.remapped();
    assert!(!monitor.observe(1).unwrap().remap);
}

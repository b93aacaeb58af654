//! The Bayes filter of a fallible detector [NR90, sec. III.B].

use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::{Belief, Detector, Likelihood, Report};

fn exact(value: f64) -> Rational {
    Rational::try_from(value).expect("finite")
}

fn close(value: f64, reference: f64) -> bool {
    abs_diff_eq!(value, reference, epsilon = 1e-14 * reference.abs())
}

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 1 => Just(1.0), 2 => 1e-12..1e-3, 6 => 0.0..1.0f64]
}

fn reports() -> impl Strategy<Value = Vec<Report>> {
    prop::collection::vec(prop_oneof![Just(Report::Change), Just(Report::NoChange)], 1..7)
}

/// P(the reports come and the change falls at step k <= length, or later), summed separately: by
/// enumerating the time of change, without any filter.
fn joint(detector: &Detector, hazard: f64, reports: &[Report]) -> (Rational, Rational) {
    let one = Rational::ONE;
    let hazard = exact(hazard);
    let likelihood = |report: &Report, changed: bool| match (report, changed) {
        (Report::Change, true) => &one - exact(detector.missed()),
        (Report::NoChange, true) => exact(detector.missed()),
        (Report::Change, false) => exact(detector.false_alarm()),
        (Report::NoChange, false) => &one - exact(detector.false_alarm()),
    };
    let (mut changed, mut quiet) = (Rational::ZERO, Rational::ONE);
    for time in 1..=reports.len() {
        let mut weight = &quiet * &hazard;
        for (at, report) in reports.iter().enumerate() {
            weight *= likelihood(report, at + 1 >= time);
        }
        changed += weight;
        quiet *= &one - &hazard;
    }
    let unchanged = reports.iter().fold(quiet, |weight, report| weight * likelihood(report, false));
    (changed, unchanged)
}

proptest! {
    #[test]
    fn the_filter_is_bayes_theorem_over_all_times_of_change(
        alpha in probability(), beta in probability(), hazard in probability(), reports in reports(),
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        let filtered = reports.iter().try_fold(Belief::UNCHANGED, |belief, report| {
            belief.step(hazard, *report, &detector)
        });
        let (changed, unchanged) = joint(&detector, hazard, &reports);
        let total = &changed + &unchanged;
        match filtered {
            None => prop_assert!(total == Rational::ZERO),
            Some(belief) => {
                prop_assert!(total > Rational::ZERO);
                let p = (&changed / &total).to_f64().value();
                let complement = (&unchanged / &total).to_f64().value();
                prop_assert!(close(belief.probability(), p), "{} {p}", belief.probability());
                prop_assert!(close(belief.complement(), complement));
            }
        }
    }

    #[test]
    fn bayes_maps_are_affine_in_odds(
        alpha in 0.001..0.999f64, beta in 0.001..0.999f64, hazard in 0.0..0.999f64, odds in 0.0..1e6f64,
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        let belief = Belief::from_odds(odds).unwrap();
        prop_assert!(abs_diff_eq!(belief.odds(), odds, epsilon = 1e-12 * odds));
        for report in Report::ALL {
            let mapped = detector.likelihood(report).ratio() * (odds + hazard) / (1.0 - hazard);
            let after = belief.step(hazard, report, &detector).unwrap().odds();
            prop_assert!(abs_diff_eq!(after, mapped, epsilon = 1e-12 * mapped), "{after} {mapped}");
        }
    }

    #[test]
    fn the_prior_is_a_martingale(
        alpha in probability(), beta in probability(), p in probability(), hazard in probability(),
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        let prior = Belief::new(p).unwrap().prior(hazard);
        let (mut total, mut mean) = (0.0, 0.0);
        for report in Report::ALL {
            let Likelihood { before, after } = detector.likelihood(report);
            let q = prior.probability() * after + prior.complement() * before;
            total += q;
            mean += prior.after(report, &detector).map_or(0.0, |after| q * after.probability());
        }
        prop_assert!(abs_diff_eq!(total, 1.0, epsilon = 1e-14) && abs_diff_eq!(mean, prior.probability(), epsilon = 1e-14));
    }

    #[test]
    fn repeated_reports_approach_the_fixed_point(
        alpha in probability(), beta in probability(), hazard in probability(),
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        for report in Report::ALL {
            let Some(limit) = detector.likelihood(report).fixed_point(hazard) else {
                let impossible = Likelihood { before: 0.0, after: 0.0 };
                prop_assert_eq!(detector.likelihood(report), impossible);
                continue;
            };
            // A fixed point, unless the report is impossible there.
            if let Some(next) = limit.step(hazard, report, &detector) {
                let scale = limit.probability().max(1e-300);
                prop_assert!(abs_diff_eq!(next.probability(), limit.probability(), epsilon = 1e-9 * scale));
            }
            // From below, the beliefs rise towards it and never pass it.
            let mut belief = Belief::UNCHANGED;
            for _ in 0..50 {
                let Some(next) = belief.step(hazard, report, &detector) else { break };
                prop_assert!(next.probability() >= belief.probability() * (1.0 - 1e-14));
                prop_assert!(next.probability() <= limit.probability() * (1.0 + 1e-9));
                belief = next;
            }
        }
    }

    #[test]
    fn a_report_moves_the_belief_the_way_the_detector_points(
        alpha in 0.001..0.999f64, beta in 0.001..0.999f64, p in 0.001..0.999f64,
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        let before = Belief::new(p).unwrap();
        let rises = |report| before.after(report, &detector).unwrap().probability() > p;
        prop_assume!((alpha + beta - 1.0).abs() > 1e-6);
        prop_assert_eq!(rises(Report::Change), alpha + beta < 1.0);
        prop_assert_eq!(rises(Report::NoChange), alpha + beta > 1.0);
    }
}

#[test]
fn what_is_not_a_probability_is_refused() {
    for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(Belief::new(bad).is_none());
        assert!(Detector::new(bad, 0.5).is_none() && Detector::new(0.5, bad).is_none());
    }
    assert!(Belief::from_odds(-1.0).is_none() && Belief::from_odds(f64::NAN).is_none());
    assert_eq!(Belief::from_odds(f64::INFINITY), Some(Belief::CHANGED));
    let certain = Detector::new(0.0, 0.0).unwrap();
    assert_eq!(Belief::UNCHANGED.after(Report::Change, &certain), None);
    assert_eq!(Belief::UNCHANGED.step(0.5, Report::Change, &certain), Some(Belief::CHANGED));
}

/// Beliefs after reports of a change in a row, from certainty that there was none [NR90, sec. III].
#[test]
fn the_ladder_of_beliefs() {
    let detector = Detector::new(0.1, 0.1).unwrap();
    let mut belief = Belief::UNCHANGED;
    for expected in [0.022059, 0.184388, 0.673449, 0.949057] {
        belief = belief.step(1.0 / 400.0, Report::Change, &detector).unwrap();
        assert!(
            abs_diff_eq!(belief.probability(), expected, epsilon = 5e-7),
            "{belief:?} {expected}"
        );
    }
}

proptest! {
    /// p^cbar draws beliefs together around its fixed point: two beliefs come closer in odds by the
    /// factor r / (1 - h), below 1 exactly if a fixed point below 1 attracts.
    #[test]
    fn the_negative_report_contracts_where_its_fixed_point_attracts(
        alpha in 0.001..0.999f64, beta in 0.001..0.999f64, hazard in 0.001..0.9f64,
        odds in 0.0..100.0f64, apart in 0.1..10.0f64,
    ) {
        let detector = Detector::new(alpha, beta).unwrap();
        let step = |odds: f64| {
            Belief::from_odds(odds).unwrap().step(hazard, Report::NoChange, &detector).unwrap().odds()
        };
        let factor = (step(odds + apart) - step(odds)) / apart;
        let expected = beta / (1.0 - alpha) / (1.0 - hazard);
        prop_assert!(abs_diff_eq!(factor, expected, epsilon = 1e-9 * expected.max(1.0) * (1.0 + odds)));
        let limit = detector.likelihood(Report::NoChange).fixed_point(hazard).unwrap();
        prop_assert_eq!(limit.probability() < 1.0, expected < 1.0);
        // In probability the map's slope is q^-2 times the determinant: at p = 0 it may exceed 1
        // before it falls below. Where beta < 1 - alpha it never does beyond the fixed point.
        if expected < 1.0 {
            let mut p = limit.probability();
            for _ in 0..20 {
                let next = Belief::new(p).unwrap().step(hazard, Report::NoChange, &detector).unwrap();
                prop_assert!(abs_diff_eq!(next.probability(), limit.probability(), epsilon = 1e-9));
                p = next.probability();
            }
            let far = Belief::from_odds(odds).unwrap();
            let near = (0..400).fold(far, |belief, _| {
                belief.step(hazard, Report::NoChange, &detector).unwrap()
            });
            let left = (far.odds() - limit.odds()).abs() * expected.powi(400);
            prop_assert!(abs_diff_eq!(near.odds(), limit.odds(), epsilon = 2.0 * left + 1e-9 * (1.0 + limit.odds())));
        }
    }
}

use super::practice::{slope, slope_interval};
use super::*;

/// Steps of two processors with mean 10 and the given imbalances.
fn imbalances(values: &[f64]) -> Vec<Step> {
    let step = |(number, &u): (u64, &f64)| Step::new(number, vec![10.0 - u, 10.0 + u]);
    (1..).zip(values).map(step).collect()
}

fn remaps(rule: &str, cost: f64, values: &[f64]) -> Vec<u64> {
    let mut policy = rule.parse::<Rule>().unwrap().start(cost);
    let mut remaps = Vec::new();
    for step in imbalances(values) {
        policy.observe(&step);
        if policy.wants_remap() {
            remaps.push(step.number());
            policy.remapped();
        }
    }
    remaps
}

#[test]
fn a_step_knows_its_extremes() {
    let step = Step::new(7, vec![3.0, 5.0, 1.0]);
    assert_eq!((step.max(), step.mean(), step.min(), step.number()), (5.0, 3.0, 1.0, 7));
    assert_eq!(step.imbalance(), 2.0);
    assert_eq!(step.utilization(), 0.6);
    assert_eq!(Step::new(1, vec![0.0, 0.0]).utilization(), 1.0);
}

#[test]
fn fixed_interval_counts_from_the_last_remap() {
    assert_eq!(remaps("fixed:3", 1.0, &[0.0; 10]), [3, 6, 9]);
    assert_eq!(remaps("never", 1.0, &[9.0; 10]), [0; 0]);
}

#[test]
fn thresholds_are_strict() {
    assert_eq!(remaps("threshold:2", 1.0, &[1.0, 2.0, 2.5, 0.0]), [3]);
    assert_eq!(remaps("utilization:0.8", 1.0, &[1.0, 2.5, 2.6]), [3]);
    let asks = |rule: &str, times: &[f64]| {
        let mut policy = rule.parse::<Rule>().unwrap().start(1.0);
        policy.observe(&Step::new(1, times.to_vec()));
        assert!(!rule.starts_with("range") || !policy.wants_remap(), "{rule}: after a step alone");
        policy.observe(&Step::new(2, times.to_vec()));
        policy.wants_remap()
    };
    assert!(asks("ratio:9", &[-0.5, 1.0]));
    // (2 - 1) / 1.5, and 2 / 1: the range must be exceeded, the ratio reached.
    assert!(
        !asks("range:0.6666666666666666", &[1.0, 1.5, 2.0]) && asks("range:0.66", &[1.0, 1.5, 2.0])
    );
    assert!(asks("ratio:2", &[1.0, 1.5, 2.0]) && !asks("ratio:2.01", &[1.0, 1.5, 2.0]));
    assert!(
        asks("ratio:9", &[0.0, 1.0])
            && !asks("ratio:9", &[0.0, 0.0])
            && !asks("range:0", &[0.0, 0.0])
    );
    for rule in ["range:0", "ratio:1.1"] {
        let mut policy = rule.parse::<Rule>().unwrap().start(1.0);
        policy.observe(&Step::summary(1, 3.0, 1.0, None));
        assert!(!policy.wants_remap(), "{rule}: the least time is not known");
    }
    assert_eq!(remaps("marquez:0.2", 1.0, &[1.0, 2.0, 2.1]), [3]);
}

/// W = 9, 5.5, 4.67, 4.75: the rise shows at the fourth step.
#[test]
fn stop_at_rise_sees_the_first_rise() {
    let u = [1.0, 2.0, 3.0, 5.0, 1.0];
    assert_eq!(remaps("stop_at_rise", 8.0, &u), [4]);
    let mut policy = classical::StopAtRise::new(8.0);
    let averages: Vec<f64> = imbalances(&u[..4])
        .iter()
        .map(|step| {
            policy.observe(step);
            policy.average_cost().unwrap()
        })
        .collect();
    let expected = [9.0, 5.5, 14.0 / 3.0, 19.0 / 4.0];
    assert!(averages.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-12));
}

/// W(n) = W(n-1) is not a rise, however the terms were rounded.
#[test]
fn stop_at_rise_ignores_ties() {
    let third = 1.0 / 3.0;
    assert_eq!(remaps("stop_at_rise", third, &[third, 2.0 * third, 2.0 * third]), [0; 0]);
    assert_eq!(remaps("stop_at_rise", third, &[third, 2.0 * third + 1e-6]), [2]);
}

#[test]
fn accumulated_loss_reaches_the_cost() {
    assert_eq!(remaps("menon", 6.0, &[1.0, 2.0, 3.0, 4.0, 1.0, 1.0]), [3, 6]);
}

#[test]
fn slope_is_least_squares() {
    assert!((slope(&[5.0, 7.0, 9.0, 11.0]) - 2.0).abs() < 1e-12);
    // x = 0, 1, 2; y = 1, 0, 4: slope = sum (x-1) y / 2.
    assert!((slope(&[1.0, 0.0, 4.0]) - 1.5).abs() < 1e-12);
    assert_eq!(slope(&[3.0]), 0.0);
    assert_eq!(slope_interval(8.0, 0.25), Some(8));
    assert_eq!(slope_interval(8.0, -0.1), None);
    assert_eq!(remaps("menon_offline:0.25", 8.0, &[0.0; 17]), [8, 16]);
}

/// On a line the fitted period is the offline one.
#[test]
fn linear_fit_finds_the_period_of_a_line() {
    let u: Vec<f64> = (1..=20).map(|n| 0.25 * f64::from(n)).collect();
    assert_eq!(remaps("metabalancer", 8.0, &u)[0], 8);
    assert_eq!(remaps("metabalancer", 8.0, &[3.0; 20]), [0; 0]);
}

/// Step times 10, 12, 30, 14: medians 10, 11, 12, 14 against means 10, 11, 17.33, 16.5, then
/// 40, 40: medians 30, 40 against 21.2 and 24.33.
#[test]
fn median_of_three_ignores_a_spike() {
    let times = [0.0, 2.0, 20.0, 4.0, 30.0, 30.0];
    let expected = [0.0, 0.0, 12.0 - 52.0 / 3.0, 14.0 - 16.5, 30.0 - 21.2, 40.0 - 73.0 / 3.0];
    let total: f64 = expected.iter().sum();
    assert_eq!(remaps("zhai", total - 1e-6, &times), [6]);
    assert_eq!(remaps("zhai", total + 1e-6, &times), [0; 0]);
}

#[test]
fn predicted_efficiency_weighs_one_step() {
    // t = 14, e = 10/14: after a remap 10 + C.
    assert_eq!(remaps("procassini", 3.9, &[4.0]), [1]);
    assert_eq!(remaps("procassini", 4.1, &[4.0]), [0; 0]);
    assert_eq!(remaps("procassini:0.9", 3.9, &[4.0]), [0; 0]);
    // The step after the remap has efficiency 1/2: nothing to gain until it gets worse still.
    assert_eq!(remaps("procassini", 3.9, &[4.0, 10.0, 13.0, 14.0]), [1, 4]);
}

#[test]
fn rules_read_as_they_print() {
    let right = "never fixed:9 stop_at_rise threshold:2.5 utilization:0.8 range:0.2 ratio:1.5 menon \
                 menon_offline:0.2 metabalancer zhai procassini procassini:0.9 marquez:0.1 vt:26 \
                 lammps:1:1.2 swift:1:0.3";
    for text in right.split(' ') {
        assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
    }
    let wrong = "fixed fixed:0 fixed:2.5 never:3 utilization:1.5 threshold:inf range:-1 ratio:1 vt vt:0 \
                 smilei:3:1.2 swift:9 swift:2:0.3 swift:1:1.0 fourc:4 lammps:1:1:1 lammps:1:inf";
    for text in wrong.split(' ').chain([""]) {
        assert!(text.parse::<Rule>().is_err(), "{text}");
    }
}

/// The steps at which each code remaps where one processor always has 1.9 times the mean, and where
/// none ever has more.
#[test]
fn codes_remap_when_their_sources_say() {
    let all: Vec<u64> = (1..=12).collect();
    for (rule, expected) in [
        ("lammps:4", &[4, 8, 12][..]),
        ("lammps:1:1.85", &all),
        ("lammps:1:1.95", &[]),
        ("warpx:4", &[3, 7, 11]),
        ("warpx:1:1.85", &all),
        ("smilei:4", &[4, 8, 12]),
        ("charm:4", &[4, 8, 12]),
        ("swift:1:0.3", &[2, 4, 6, 8, 10, 12]),
        ("eplb:4", &[1, 5, 9]),
        ("sglang:4", &[5, 9]),
        ("sglang:4:1.85", &[5, 9]),
        ("atom:4", &[2, 7, 12]),
        ("atom:4:1.85", &[2, 6, 10]),
        ("vt:4", &[2, 6, 10]),
        ("vt:1", &all[1..]),
        ("openfoam:4", &[4, 8, 12]),
        ("openfoam:1:1.85", &all[1..]),
        ("fourc:1:19", &all),
        ("fourc:1:19.1", &[]),
        ("fourc_structure:4", &[1, 5, 9]),
        ("fourc_structure:4:1.95", &[]),
        ("amrex:4", &[1, 5, 9]),
    ] {
        assert_eq!(remaps(rule, 1.0, &[9.0; 12]), expected, "{rule}");
    }
    for (code, name) in codes::Code::ALL {
        assert_eq!((codes::Code::named(name), code.name()), (Some(code), name));
        let balanced = |rule: String| remaps(&rule, 1.0, &[0.0; 12]).len();
        let blind = ["smilei", "charm", "eplb", "sglang", "atom", "amrex"].contains(&name);
        if code.trigger(4, None).is_some() {
            assert_eq!(balanced(format!("{name}:4")) > 0, blind, "{name}");
        }
        if let Some((_, limit)) = code.level() {
            assert_eq!(balanced(format!("{name}:1:{}", limit.min(1.5) - 0.1)), 0, "{name}");
        }
    }
}

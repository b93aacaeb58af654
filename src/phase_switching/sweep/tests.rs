//! The value from means of mixed beliefs against the value iterated step by step.

use super::{Aim, Sweep};
use crate::belief::Levels;
use crate::lifetime::Lifetime;
use crate::phase_switching::PhaseSwitching;
use crate::phase_switching::difference::recursion::Recursion;
use crate::random::{Stream, stream};
use crate::thorough::few_or_all;
use crate::{Rational, Status};
use rand::RngExt;

fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

fn problem(random: &mut Stream) -> PhaseSwitching {
    let mut hundredths = |most: u64| ratio(random.random_range(1..=most), 100);
    let [first, second, more, beside] = [100, 100, 400, 200].map(&mut hundredths);
    let cycle = [[first.clone(), &first + &more], [&second + &beside, second]];
    let switch = [Some(hundredths(300)), Some(hundredths(300))];
    let rates = [hundredths(20), hundredths(20)];
    let detector = Levels::binary(hundredths(40), hundredths(40)).unwrap();
    let initial = hundredths(100);
    let switch = match random.random_range(0..8) {
        0 => [switch[0].clone(), None],
        1 => [None, switch[1].clone()],
        _ => switch,
    };
    PhaseSwitching { cycle, switch, rates, detector, initial }
}

fn lifetime(random: &mut Stream) -> Lifetime {
    let last = random.random_range(256..700);
    let some = |random: &mut Stream| random.random_range(1..=last / 2);
    match random.random_range(0..4) {
        0 => Lifetime::geometric(ratio(random.random_range(1..40), 2000), 0, last).unwrap(),
        1 => {
            let values = [some(random), last - 3, last];
            let weights = [ratio(1, 2), ratio(1, 3), ratio(1, 6)];
            Lifetime::pmf(values.into_iter().zip(weights).collect()).unwrap()
        }
        _ => Lifetime::uniform(some(random), last).unwrap(),
    }
}

/// The enclosures must intersect.
fn agree(found: &Sweep<'_>, other: &Sweep<'_>, lifetime: &Lifetime, say: &str) {
    let ((low, high), (least, most)) = (found.bounds(), other.bounds());
    assert!(low <= most && least <= high, "{low} {high} {least} {most} {say}");
    for n in 0..=lifetime.last() {
        let curves = [(&found.to_second, &other.to_second), (&found.to_first, &other.to_first)];
        for (own, its) in curves {
            let [own, its] = [own, its].map(|curve| curve.at(n).unwrap());
            assert!(own.lower <= its.upper && its.lower <= own.upper, "{n}: {own:?} {its:?} {say}");
        }
    }
}

fn compare(seeds: std::ops::Range<u64>) {
    let (mut mixed, count) = (0, seeds.end - seeds.start);
    for seed in seeds {
        let random = &mut stream(37, seed);
        let (problem, lifetime) = (problem(random), lifetime(random));
        let tolerance = 10f64.powi(-random.random_range(2..8));
        let recursion = Recursion::new(&problem);
        let aim = Aim { threshold: tolerance, value: tolerance };
        let sweep = || Sweep::new(&problem, &recursion, &lifetime, (aim, tolerance), None);
        let mut followed = sweep().only_to(0);
        let mut found = sweep();
        found.worth = 0;
        for sweep in [&mut followed, &mut found] {
            assert_eq!(sweep.run(&()), Status::Converged, "seed {seed}");
        }
        mixed += u64::from(found.mixed.is_some());
        let say = format!("seed {seed}: {problem:?}\n{lifetime:?} {tolerance}");
        agree(&found, &followed, &lifetime, &say);
        let (low, high) = found.bounds();
        assert!(high - low <= 2.0 * tolerance * low.abs().max(1.0), "{low} {high} {say}");
    }
    assert!(2 * mixed > count, "{mixed} of {count}");
}

#[test]
fn values_are_those_followed_step_by_step() {
    compare(0..few_or_all(6, 30));
}

#[test]
#[ignore = "minutes; run with: cargo test --release --lib values_of_many_models -- --ignored"]
fn values_of_many_models_are_those_followed_step_by_step() {
    compare(30..1500);
}

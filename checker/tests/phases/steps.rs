//! Many steps at once: what they prove is true of every one of them.

use crate::shared::{self, range};
use remap_checker::phase_change::Steps;
use remap_checker::{Evidence, Model, Proof, Refusal};

fn model(lifetime: &str, hazard: &str, more: &str) -> Model {
    shared::model(&format!(
        "PhaseChange(lifetime: {lifetime}, cycle: (before: 1.0, after: 2.0, remapped: 1.1), remap: (test: 2.7, \
         install: 0.5), detector: (false_alarm: 0.2, missed: 0.1), hazard: {hazard}{more})"
    ))
}

fn on(points: u64) -> Steps {
    Steps::On(vec![(1 << 44) / points; points as usize - 1])
}

fn prove(model: &Model, steps: &[Steps]) -> Result<Proof, Refusal> {
    model.prove(&Evidence::PhaseChange(50, steps.to_vec()))
}

/// Bounds on the threshold at each step, and on the value last.
fn bounds(proof: &Proof, steps: usize) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 0.0); steps];
    let found = proof.intervals();
    for (name, low, high) in &found[1..] {
        let (first, last) = range(name);
        all[first..=last].fill((*low, *high));
    }
    let (_, low, high) = found[0].clone();
    all.push((low, high));
    all
}

/// Whether bounds have something in common, step by step.
fn meet(coarse: &[(f64, f64)], fine: &[(f64, f64)]) {
    for ((low, high), (least, most)) in coarse.iter().zip(fine) {
        assert!(least <= high && low <= most, "[{low}, {high}] [{least}, {most}]");
    }
}

#[test]
fn many_steps_at_once_contain_what_each_of_them_proves() {
    let mut accepted = 0;
    for hazard in ["0.02", "0.3", "0.001"] {
        let found = model("Fixed(300)", &format!("Constant({hazard})"), "");
        let fine =
            [vec![on(2048)], vec![Steps::On(Vec::new()); 60], vec![Steps::Held(240)]].concat();
        let fine = bounds(&prove(&found, &fine).unwrap(), 301);
        for points in [16, 100, 1000] {
            for held in [0u64, 2, 5, 8, 12, 20, 40, 100, 250] {
                for rest in [1, 7, 300 - held] {
                    if held + rest > 300 {
                        continue;
                    }
                    let steps = [
                        vec![on(points)],
                        vec![Steps::On(Vec::new()); held.min(20) as usize],
                        vec![
                            Steps::Held(held.saturating_sub(20)),
                            Steps::Rest(rest),
                            Steps::Held(300 - held - rest),
                        ],
                    ];
                    let Ok(proof) = prove(&found, &steps.concat()) else { continue };
                    accepted += 1;
                    meet(&bounds(&proof, 301), &fine);
                }
            }
        }
    }
    // Too early nothing can be said of many steps.
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn steps_that_differ_are_not_taken_at_once() {
    let unlike = Err(Refusal::Unproved("the steps are not alike"));
    let list = |hazard: &str, other: &str| {
        let hazards: Vec<&str> = (0..300).map(|n| if n == 40 { other } else { hazard }).collect();
        format!("PerStep([{}])", hazards.join(", "))
    };
    let try_rest = |model: &Model, held: u64, rest: u64| {
        let steps =
            [on(1000), Steps::Held(held), Steps::Rest(rest), Steps::Held(300 - held - rest)];
        prove(model, &steps).map(|_| ())
    };
    let found = model("Fixed(300)", "Constant(0.02)", "");
    assert_eq!(try_rest(&found, 100, 200), Ok(()));
    assert_eq!(prove(&found, &[Steps::Rest(301)]), unlike.clone());
    // A hazard is that of the next step.
    let found = model("Fixed(300)", &list("0.02", "0.02"), "");
    assert_eq!(try_rest(&found, 100, 200), Ok(()));
    let found = model("Fixed(300)", &list("0.02", "0.021"), "");
    assert_eq!(try_rest(&found, 100, 159), Ok(()));
    assert_eq!(try_rest(&found, 100, 160), unlike.clone().map(|_: Proof| ()));
    let found = model("Fixed(300)", "Constant(0.02)", ", premature: Keep(before_remapped: 1.5)");
    assert_eq!(try_rest(&found, 100, 200), unlike.clone().map(|_| ()));
    let found = model("Pmf({100: 0.5, 300: 0.5})", "Constant(0.02)", "");
    assert_eq!(try_rest(&found, 100, 200), unlike.clone().map(|_| ()));
    // N may be 200 to 300.
    let found = model("Uniform(first: 200, last: 300)", "Constant(0.02)", "");
    assert_eq!(try_rest(&found, 99, 2), unlike.map(|_| ()));
    assert_eq!(try_rest(&found, 140, 160), Ok(()));
}

/// Every step lies around what the same steps on many beliefs show.
fn encloses(found: &Model, last: usize, steps: &[Steps]) {
    let fine = [vec![on(2048)], vec![Steps::On(Vec::new()); last]].concat();
    let fine = bounds(&prove(found, &fine).unwrap(), last + 1);
    meet(&bounds(&prove(found, steps).unwrap(), last + 1), &fine);
}

#[test]
fn held_steps_are_chosen_anew_where_the_hazard_or_the_beliefs_change() {
    for other in ["0.4", "0.02", "0.001"] {
        let hazards = ["0.02", "0.02", "0.02", other].repeat(10).join(", ");
        let found = model("Fixed(80)", &format!("PerStep([{hazards}, {hazards}])"), "");
        for points in [8, 64, 512] {
            encloses(&found, 80, &[on(points), Steps::Held(80)]);
        }
    }
    let found = model("Fixed(12)", "Constant(0.1)", "");
    let at = |points: &[f64]| {
        let mut last = 0;
        let less = |p: &f64| {
            let next = (p * 2f64.powi(44)) as u64;
            next - std::mem::replace(&mut last, next)
        };
        Steps::On(points.iter().map(less).collect())
    };
    let (low, high) = (at(&[0.1, 0.2, 0.3, 0.4]), at(&[0.6, 0.7, 0.8, 0.9]));
    for (one, other) in [(&low, &high), (&high, &low)] {
        encloses(&found, 12, &[one.clone(), Steps::Held(4), other.clone(), Steps::Held(7)]);
    }
}

#[test]
fn where_every_last_step_remaps_none_is_named() {
    let found = shared::model(
        "PhaseChange(lifetime: Fixed(20), cycle: (before: 1.0, after: 5.0, remapped: 1.0), remap: (test: 1, install: 1), \
         detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.1))",
    );
    let proof = prove(&found, &[on(64), Steps::Held(20)]).unwrap();
    let last = proof.intervals()[1].clone();
    assert!(last.0.ends_with("20") && last.1 < 1.0, "{last:?}");
}

#[test]
fn no_steps_at_all_are_not_taken_at_once() {
    let found = model("Fixed(60)", "Constant(0.1)", "");
    let steps = [on(64), Steps::Held(40), Steps::Rest(0), Steps::Held(20)];
    assert_eq!(prove(&found, &steps), Err(Refusal::Malformed));
}

#[test]
fn names_are_those_of_the_bounds() {
    let found = model("Fixed(60)", "Constant(0.1)", "");
    let proof = prove(&found, &[on(2048), Steps::Held(60)]).unwrap();
    let (mut next, mut never, mut later) = (61, 61, None);
    for (name, low, high) in &proof.intervals()[1..] {
        let (first, last) = range(name);
        // From the last step back, each exactly once, and what is alike together.
        assert!(last + 1 == next && (first < last) == name.contains(".."), "{name}");
        // A certain change is worth a remap if the remaining steps cost more than 3.2: four steps
        // or more.
        assert_eq!(first >= 58, *low == 1.0, "{name}: [{low}, {high}]");
        never = if *low == 1.0 { first } else { never };
        assert_ne!(later, Some((*low, *high)), "{name}");
        later = Some((*low, *high));
        next = first;
    }
    assert_eq!((next, never), (0, 58));
}

/// The more fraction bits there are, the closer the bounds, as long as delays and lines fit.
#[test]
fn numbers_have_as_many_fraction_bits_as_fit() {
    let found = model("Fixed(12)", "Constant(0.02)", "");
    let steps = [vec![on(256)], vec![Steps::On(Vec::new()); 12]].concat();
    let prove = |bits: u32| found.prove(&Evidence::PhaseChange(bits, steps.clone()));
    let width = |bits: u32| {
        let (_, low, high) = prove(bits).unwrap().intervals()[0].clone();
        high - low
    };
    let widths = [8, 16, 24, 32].map(width);
    assert!(widths.is_sorted_by(|wide, close| *wide > *close), "{widths:?}");
    // D is 3.2: 2^61.7 in units of 2^-60. Steeper lines need another bit or two.
    assert!(prove(56).is_ok());
    for bits in [61, 62, 100, 255, 256, 257, u32::MAX] {
        assert_eq!(prove(bits), Err(Refusal::TooLarge), "{bits}");
    }
    // Where all is free, everything fits but what is finer than 2^-60.
    let free = shared::model(
        "PhaseChange(lifetime: Fixed(0), cycle: (before: 0, after: 0, remapped: 0), remap: (test: 0, install: 0), \
         detector: (false_alarm: 0, missed: 0), hazard: Constant(0))",
    );
    let prove = |bits| free.prove(&Evidence::PhaseChange(bits, vec![Steps::On(Vec::new())]));
    assert!(prove(60).is_ok());
    assert_eq!(prove(61), Err(Refusal::TooLarge));
}

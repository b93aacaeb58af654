//! Controllers decide as a replay does, and go on as if nothing had happened after they were
//! stored.

use crate::support::made_logs::ground;
use remapping::controller::Controller;
use remapping::record::Record;
use remapping::replay::{Ground, IN_USE, OURS, play};
use remapping::simulate::{Base, Recorded};

/// Three ranks that drift and wander, and a jump that stays.
fn record() -> Record {
    let mut seed = 1990_u64;
    let mut unit = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut loads, mut seconds) = ([3.0, 3.0, 3.0], Vec::new());
    for step in 0..90 {
        for (rank, load) in loads.iter_mut().enumerate() {
            *load += 0.02 * rank as f64 + 0.1 * (unit() - 0.5);
            if step == 60 && rank == 0 {
                *load += 2.0;
            }
            seconds.push(*load);
        }
    }
    Record::new(3, seconds, Vec::new()).unwrap()
}

#[test]
fn stored_policies_go_on_as_if_nothing_had_happened() {
    let (record, cut, cost) = (record(), 40, 1.5);
    let judged = cut..record.steps();
    let ground = Ground { end_known: true, ..ground(&record, cost, 0..cut) };
    let mut remapped = 0;
    for name in OURS.iter().chain(&IN_USE) {
        let found = ground.contestant(name, None, &mut Vec::new()).unwrap();
        let player = ground.run(&found, judged.len() as u64);
        let course = play(&record, judged.clone(), ground.base(), cost, &mut player.clone());
        let mut controller = Controller::from(player);
        let (mut base, mut times, mut remaps) = (ground.base(), Vec::new(), Vec::new());
        for step in judged.clone() {
            let text = serde_json::to_string(&controller).unwrap();
            let restored: Controller = serde_json::from_str(&text).unwrap();
            controller = restored.check().unwrap();
            assert_eq!(serde_json::to_string(&controller).unwrap(), text, "{name}");
            Recorded::times(&record, base, step, &mut times);
            if controller.step(&times).unwrap() && step + 1 < judged.end {
                controller.remapped(Some(cost)).unwrap();
                base = Base::Balanced(step);
                remaps.push(step);
            }
        }
        assert_eq!(remaps, course.remaps, "{name}");
        remapped += remaps.len();
    }
    assert!(remapped > 50, "{remapped} remaps in all test little");
}

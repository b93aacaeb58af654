//! Recurring phases in which a mapping gains nothing, and ties at every belief: the answer, its
//! proof, and no time.

use crate::support::prelude::*;

/// Models by their numbers, and what is right: name; lifetime; cycle times of the first phase by
/// its own mapping and the other, and of the second; costs of a switch there and back; rates; false
/// alarms and missed changes; thresholds to the second mapping and to the first; value or average.
const CASES: &str = "
nothing gained in the first phase, which lasts forever | | 1 1 0.5 1 | 1 1 | 0 0.1 | 0.1 0.1 | 0.642942485 | 0.0 | 1.0
the same, and all that can be gained is less than a switch | | 1 1 0.5 1 | 5 1 | 0 0.1 | 0.1 0.1 | 1.0 | 0.0 | 1.0
the phases trade places | | 0.5 1 1 1 | 1 1 | 0.1 0 | 0.1 0.1 | 1.0 | 0.357057515 | 1.0
nothing gained in the first phase, which hardly ever ends | | 1 1 0.5 1 | 1 1 | 1e-6 0.1 | 0.1 0.1 | 0.0 | 0.0 | 0.9999950000499995
a dear switch | | 0 0 1 1.1 | 1000 0.2 | 0.3 0.1 | 1 0.5 | 0.0 | 0.0 | 0.75
the second mapping is better in both phases | | 0.5 0 0 2 | 1 3 | 0 0.1 | 1 0.5 | 0.0 | 0.0 | 0.0
the same, and it costs nothing | | 2 1 0.5 2 | 0 3 | 0 0.5 | 0.1 0.1 | 0.0 | 0.0 | 1.0
as much in both phases | | 1 0.5 0.5 1 | 1 0.2 | 0 1 | 0.25 1 | 0.0 | 0.0 | 0.5
as much in both phases, and a dear switch | | 0.5 0 0 0.5 | 1000 3 | 0 0.1 | 1 1 | 0.0 | 0.0 | 0.0
nothing gained anywhere, nothing paid | | 1 1 2 2 | 0 0 | 0.1 0.1 | 0.1 0.1 | 1.0 | 0.0 | 1.5
a tie at the last step | Fixed(8) | 1 0 1 2 | 1 0.2 | 0 0.5 | 0.1 0.5 | 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 | 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 | 1.0
ties at every step: nothing gained, nothing paid | Pmf({0: 0.4, 2: 0.5, 4: 0.1}) | 1.1 1.1 0.5 0.5 | 0 3 | 0.1 0.1 | 0 0.1 | 1.0 1.0 1.0 1.0 1.0 | 0.0 0.0 0.0 0.0 0.0 | 2.506848
a tie after two steps | Pmf({0: 0.4, 2: 0.5, 4: 0.1}) | 0 0.5 0.5 0 | 0.2 1 | 0 0 | 0.5 0.25 | 1.0 1.0 1.0 1.0 1.0 | 1.0 1.0 0.0 0.0 0.0 | 0.0
one step, a tie, no way back | Fixed(0) | 1 0 1 2 | 1 | 0 0 | 0.5 0.1 | 1.0 | 0.0 | 1.0
no time is needed | Fixed(9) | 0 0 0 0 | 1 1 | 0.1 0.2 | 0.1 0.1 | 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 | 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 | 0.0
";

#[test]
fn models_without_gain_and_ties_have_their_answer_and_a_proof() {
    for case in CASES.lines().skip(1) {
        let parts: Vec<&str> = case.split('|').map(str::trim).collect();
        let [name, lifetime, cycle, switch, rates, detector, to_second, to_first, cost] =
            parts.try_into().unwrap();
        let filled = |pattern: &str, numbers: &str| {
            let names = pattern.split(' ').zip(numbers.split(' '));
            names.map(|(name, number)| format!("{name}: {number}")).collect::<Vec<_>>().join(", ")
        };
        let times: Vec<&str> = cycle.split(' ').collect();
        let place = Workplace::stating(format!(
            "PhaseSwitching({}cycle: (first: ({}), second: ({})), switch: ({}), rates: ({}), detector: ({}))",
            if lifetime.is_empty() { String::new() } else { format!("lifetime: {lifetime}, ") },
            filled("own other", &times[..2].join(" ")),
            filled("own other", &times[2..].join(" ")),
            filled("to_second to_first", switch),
            filled("to_second to_first", rates),
            filled("false_alarm missed", detector)
        ));
        let answer = place.answer("solve model.ron --certificate m.cert");
        for (curve, right) in [("to_second", to_second), ("to_first", to_first)] {
            let [lower, upper] = ["lower", "upper"].map(|end| answer[curve][end].numbers());
            let right: Vec<f64> = right.split(' ').map(|number| number.parse().unwrap()).collect();
            assert_eq!(lower.len(), right.len(), "{name}: {curve}");
            for (k, right) in right.iter().enumerate() {
                let close = lower[k] <= right + 1e-9 && right - 1e-9 <= upper[k];
                let known = upper[k] - lower[k] <= 1e-9;
                assert!(close && known, "{name}: {curve}, step {k}: {} {}", lower[k], upper[k]);
            }
        }
        let cost: f64 = cost.parse().unwrap();
        let found = match &answer["value"] {
            Value::Null => &answer["average"],
            value => value,
        };
        let [low, high] = found.ends();
        let close = low <= cost + 1e-9 && cost - 1e-9 <= high && high - low <= 2e-9;
        assert!(close, "{name}: {low} {high}");
        if name == "no time is needed" {
            assert_eq!([low, high], [0.0, 0.0]);
        }
        place.remap("verify model.ron m.cert").exits(0);
    }
}

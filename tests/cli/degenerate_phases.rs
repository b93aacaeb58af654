//! Recurring phases in which a mapping gains nothing, and ties at every belief: the answer, its proof, and no time.

use crate::workplace::Workplace;
use serde_json::Value;

/// What is left out of a model, and the thresholds and the value or average that are right.
struct Case {
    name: &'static str,
    fields: &'static str,
    to_second: &'static [f64],
    to_first: &'static [f64],
    cost: f64,
}

const CASES: &[Case] = &[
    Case {
        name: "nothing gained in the first phase, which lasts forever",
        fields: "cycle: (first: (own: 1, other: 1), second: (own: 0.5, other: 1)), switch: (to_second: 1, to_first: 1),
            rates: (to_second: 0, to_first: 0.1), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[0.642942485],
        to_first: &[0.0],
        cost: 1.0,
    },
    Case {
        name: "the same, and all that can be gained is less than a switch",
        fields: "cycle: (first: (own: 1, other: 1), second: (own: 0.5, other: 1)), switch: (to_second: 5, to_first: 1),
            rates: (to_second: 0, to_first: 0.1), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[1.0],
        to_first: &[0.0],
        cost: 1.0,
    },
    Case {
        name: "the phases trade places",
        fields: "cycle: (first: (own: 0.5, other: 1), second: (own: 1, other: 1)), switch: (to_second: 1, to_first: 1),
            rates: (to_second: 0.1, to_first: 0), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[1.0],
        to_first: &[0.357057515],
        cost: 1.0,
    },
    Case {
        name: "nothing gained in the first phase, which hardly ever ends",
        fields: "cycle: (first: (own: 1, other: 1), second: (own: 0.5, other: 1)), switch: (to_second: 1, to_first: 1),
            rates: (to_second: 1e-6, to_first: 0.1), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 0.9999950000499995,
    },
    Case {
        name: "a dear switch",
        fields: "cycle: (first: (own: 0, other: 0), second: (own: 1, other: 1.1)), switch: (to_second: 1000, to_first: 0.2),
            rates: (to_second: 0.3, to_first: 0.1), detector: (false_alarm: 1, missed: 0.5)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 0.75,
    },
    Case {
        name: "the second mapping is better in both phases",
        fields: "cycle: (first: (own: 0.5, other: 0), second: (own: 0, other: 2)), switch: (to_second: 1, to_first: 3),
            rates: (to_second: 0, to_first: 0.1), detector: (false_alarm: 1, missed: 0.5)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 0.0,
    },
    Case {
        name: "the same, and it costs nothing",
        fields: "cycle: (first: (own: 2, other: 1), second: (own: 0.5, other: 2)), switch: (to_second: 0, to_first: 3),
            rates: (to_second: 0, to_first: 0.5), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 1.0,
    },
    Case {
        name: "as much in both phases",
        fields: "cycle: (first: (own: 1, other: 0.5), second: (own: 0.5, other: 1)), switch: (to_second: 1, to_first: 0.2),
            rates: (to_second: 0, to_first: 1), detector: (false_alarm: 0.25, missed: 1)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 0.5,
    },
    Case {
        name: "as much in both phases, and a dear switch",
        fields: "cycle: (first: (own: 0.5, other: 0), second: (own: 0, other: 0.5)), switch: (to_second: 1000, to_first: 3),
            rates: (to_second: 0, to_first: 0.1), detector: (false_alarm: 1, missed: 1)",
        to_second: &[0.0],
        to_first: &[0.0],
        cost: 0.0,
    },
    Case {
        name: "nothing gained anywhere, nothing paid",
        fields: "cycle: (first: (own: 1, other: 1), second: (own: 2, other: 2)), switch: (to_second: 0, to_first: 0),
            rates: (to_second: 0.1, to_first: 0.1), detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[1.0],
        to_first: &[0.0],
        cost: 1.5,
    },
    Case {
        name: "a tie at the last step",
        fields: "lifetime: Fixed(8), cycle: (first: (own: 1, other: 0), second: (own: 1, other: 2)),
            switch: (to_second: 1, to_first: 0.2), rates: (to_second: 0, to_first: 0.5),
            detector: (false_alarm: 0.1, missed: 0.5)",
        to_second: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        to_first: &[0.0; 9],
        cost: 1.0,
    },
    Case {
        name: "ties at every step: nothing gained, nothing paid",
        fields: "lifetime: Pmf({0: 0.4, 2: 0.5, 4: 0.1}), cycle: (first: (own: 1.1, other: 1.1), second: (own: 0.5, other: 0.5)),
            switch: (to_second: 0, to_first: 3), rates: (to_second: 0.1, to_first: 0.1),
            detector: (false_alarm: 0, missed: 0.1)",
        to_second: &[1.0; 5],
        to_first: &[0.0; 5],
        cost: 2.506848,
    },
    Case {
        name: "a tie after two steps",
        fields: "lifetime: Pmf({0: 0.4, 2: 0.5, 4: 0.1}), cycle: (first: (own: 0, other: 0.5), second: (own: 0.5, other: 0)),
            switch: (to_second: 0.2, to_first: 1), rates: (to_second: 0, to_first: 0),
            detector: (false_alarm: 0.5, missed: 0.25)",
        to_second: &[1.0; 5],
        to_first: &[1.0, 1.0, 0.0, 0.0, 0.0],
        cost: 0.0,
    },
    Case {
        name: "one step, a tie, no way back",
        fields: "lifetime: Fixed(0), cycle: (first: (own: 1, other: 0), second: (own: 1, other: 2)), switch: (to_second: 1),
            rates: (to_second: 0, to_first: 0), detector: (false_alarm: 0.5, missed: 0.1)",
        to_second: &[1.0],
        to_first: &[0.0],
        cost: 1.0,
    },
    Case {
        name: "no time is needed",
        fields: "lifetime: Fixed(9), cycle: (first: (own: 0, other: 0), second: (own: 0, other: 0)),
            switch: (to_second: 1, to_first: 1), rates: (to_second: 0.1, to_first: 0.2),
            detector: (false_alarm: 0.1, missed: 0.1)",
        to_second: &[1.0; 10],
        to_first: &[0.0; 10],
        cost: 0.0,
    },
];

#[test]
fn models_without_gain_and_ties_have_their_answer_and_a_proof() {
    for Case { name, fields, to_second, to_first, cost } in CASES {
        let place = Workplace::new();
        let model = format!("Model(title: \"x\", problem: PhaseSwitching({fields}))");
        place.write("m.ron", model);
        let solve = ["solve", "m.ron", "--json", "--certificate", "m.cert"];
        let answer = place.run(&solve).exits(0).json();
        for (curve, right) in [("to_second", to_second), ("to_first", to_first)] {
            let of = |field: &str| -> Vec<f64> {
                let all = answer[curve][field].as_array().expect(name);
                all.iter().map(|number| number.as_f64().expect(name)).collect()
            };
            let (lower, upper) = (of("lower"), of("upper"));
            assert_eq!(lower.len(), right.len(), "{name}: {curve}");
            for (k, right) in right.iter().enumerate() {
                let close = lower[k] <= right + 1e-9 && right - 1e-9 <= upper[k];
                let known = upper[k] - lower[k] <= 1e-9;
                assert!(close && known, "{name}: {curve}, step {k}: {} {}", lower[k], upper[k]);
            }
        }
        let found = match &answer["value"] {
            Value::Null => &answer["average"],
            value => value,
        };
        let [low, high] = ["lower", "upper"].map(|end| found[end].as_f64().expect(name));
        assert!(
            low <= *cost + 1e-9 && *cost - 1e-9 <= high && high - low <= 2e-9,
            "{name}: {low} {high}"
        );
        if *name == "no time is needed" {
            assert_eq!([low, high], [0.0, 0.0]);
        }
        place.run(&["verify", "m.ron", "m.cert"]).exits(0);
    }
}

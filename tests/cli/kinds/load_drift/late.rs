//! Remaps that come into force some steps after their decision.

use super::model;
use crate::support::prelude::*;

/// Policies are played with remaps that come into force later, and cost what they cost exactly.
#[test]
fn late_remaps_are_played() {
    let place = Workplace::of(model(3, 60, ", overlap: (steps: 2, slowdown: 0.1)"));
    let exact = place.answer("solve model.ron");
    let played = place.answer("compare model.ron --runs 500");
    let lines = played["policies"].list();
    let line = |name: &str| {
        let named = |line: &&Value| line["policy"].text().starts_with(name);
        lines.iter().find(named).unwrap_or_else(|| panic!("no {name}: {played}"))
    };
    for name in ["optimal", "threshold:", "fixed:", "never"] {
        let [value, mean, half] =
            ["exact", "mean", "half_width"].map(|field| line(name)[field].f64());
        assert!((mean - value).abs() < 2.5 * half, "{name}: {mean} {half} {value}");
    }
    let optimum = exact["value"].f64();
    assert_abs_diff_eq!(line("optimal")["exact"].f64(), optimum, epsilon = 1e-9);
    assert_eq!(line("fixed:")["exact"], exact["best_fixed"]["value"]);
    assert!(played["best_threshold"]["value"].f64() >= optimum);
    for line in lines {
        assert!(line["per_metric"]["regret_clairvoyant"]["mean"].f64() >= 0.0, "{line}");
    }
    // The log has the remap before the first step on its mapping, two slower steps after the
    // decision.
    let steps = |place: &Workplace| -> Vec<Vec<String>> {
        let row = |row: &str| row.split(',').map(str::to_owned).collect();
        place.shown("simulate model.ron --policy fixed:7").lines().skip(1).map(row).collect()
    };
    let (late, plain) = (steps(&place), steps(&Workplace::of(model(3, 60, ""))));
    assert_eq!(late.len(), plain.len());
    let ranks = 3;
    assert_eq!(late[..7 * ranks], plain[..7 * ranks]);
    let slower = late.iter().zip(&plain).skip(7 * ranks).take(2 * ranks);
    slower.for_each(|(late, plain)| assert_ne!(late, plain));
    let marked = |rows: &[Vec<String>]| rows.iter().find(|row| row[3] == "1").unwrap()[0].clone();
    assert_eq!((marked(&plain).as_str(), marked(&late).as_str()), ("7", "9"));
}

/// Remaps that come into force later are solved over all states, and between bounds that hold the
/// value; a certificate is refused.
#[test]
fn remaps_that_come_into_force_later() {
    let late = |more: &str| Workplace::of(model(3, 60, &format!(", overlap: ({more})")));
    let place = late("steps: 2, slowdown: 0.1");
    let exact = place.answer("solve model.ron");
    assert_eq!((&exact["representation"], &exact["status"]), (&"full".into(), &"converged".into()));
    let forced = place.answer("solve model.ron --method exact");
    assert_eq!(timeless(forced), timeless(exact.clone()));
    // Between bounds, by default over fewer steps.
    let steps = few_or_all(20, 60);
    let fewer = Workplace::of(model(3, steps, ", overlap: (steps: 2, slowdown: 0.1)"));
    let sampled = fewer.answer("solve model.ron --method bounds --tolerance 0.5");
    let whole = fewer.answer("solve model.ron");
    let value = whole["value"].f64();
    assert!(value < whole["never"]["value"].f64(), "{whole}");
    let [lower, upper] = sampled["value_bounds"].ends();
    assert!(lower <= value && value <= upper, "{value} {}", sampled["value_bounds"]);
    assert_eq!(sampled["representation"], "bounds");
    for found in [&exact, &sampled] {
        assert_eq!(found["overlap"], json!({"steps": 2, "slowdown": 0.1}));
        assert_eq!(found["remap_cost"], 8.0);
    }
    let value = exact["value"].f64();
    let at_once = Workplace::of(model(3, 60, "")).answer("solve model.ron");
    let fixed = &exact["best_fixed"];
    assert!(value > at_once["value"].f64() && value < fixed["value"].f64());
    assert!(fixed["interval"].u64() > 2 && fixed["value"].f64() < exact["never"]["value"].f64());
    // Of no steps it is no overlap, whatever the slowdown.
    let none = late("steps: 0, slowdown: 9").answer("solve model.ron");
    assert_eq!((&none["value"], &none["overlap"]), (&at_once["value"], &Value::Null));
    // After the last step is never.
    let never = Workplace::of(model(3, 5, ", overlap: (steps: 5)")).answer("solve model.ron");
    assert_eq!(never["remaps"], 0.0);
    assert_abs_diff_eq!(never["value"].f64(), never["never"]["value"].f64(), epsilon = 1e-9);
    let words = place.shown("solve model.ron");
    has(&words, &["2 steps after its decision, which are 10 % slower"]);
    let wrong = place.answer("regret model.ron --set problem.remap_cost=4,8");
    let [lower, upper] = wrong["optimum"].ends();
    assert!(lower <= value && value <= upper, "{wrong}");
    let refused = place.remap("solve model.ron --certificate proof").exits(1);
    refused.says("come into force later");
    for (more, says) in [("steps: 64", "0 and 63"), ("steps: 2, slowdown: -1", "negative")] {
        late(more).remap("check model.ron").exits(1).says(says);
    }
}

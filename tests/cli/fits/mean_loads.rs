//! The mean load of loads without levels: stated in a model, found in a log, and what ratios are
//! taken of.

use crate::support::made_logs::{DRIFTING, Made};
use crate::support::prelude::*;

const WALKS: &str = "ContinuousDrift(processors: 4, increments: Normal(deviation: 0.05), steps: 60, remap_cost: 1.0,";

fn solved(more: &str) -> (Workplace, serde_json::Value) {
    let place = Workplace::of(format!("Model(title: \"t\", problem: {WALKS} {more}))"));
    let found = place.solved("model.ron --tolerance 0.2");
    (place, found)
}

#[test]
fn codes_that_compare_ratios_take_the_mean_load_of_the_model() {
    let (place, known) = solved("mean_load: 5.0");
    assert_eq!(known["mean_load"], 5.0);
    for code in ["lammps", "warpx", "sglang", "openfoam"] {
        let setting = place.shown(format!("export solution.json --to {code}"));
        assert!(setting.contains("at mean load 5:"), "{code}: {setting}");
    }
    let (place, unknown) = solved("");
    assert!(unknown["mean_load"].is_null());
    place.remap("export solution.json --to lammps").exits(1).says("not stated").says("mean_load");
    // It is for what is made of the answer: the answer is the same.
    for field in ["bounds", "threshold_curve", "best_fixed", "never"] {
        assert_eq!(known[field], unknown[field], "{field}");
    }
    place.write("wrong.json", known.to_string().replace("\"mean_load\":5.0", "\"mean_load\":-1"));
    place.remap("export wrong.json --to lammps").exits(1).says("`mean_load`");
}

#[test]
fn a_fitted_model_keeps_the_mean_load_of_its_log() {
    let place = Workplace::new();
    place.write("run.csv", Made { walk: 0.004, slope: 0.0, every: 40, ..DRIFTING }.csv());
    let fit = |log: &str, model: &str| {
        place.remap(format!("fit {log} --model continuous-drift -o {model}")).exits(0);
        let model = place.read(model);
        let (_, after) = model.split_once("mean_load: ").unwrap_or_else(|| panic!("{model}"));
        after.split(',').next().unwrap().parse::<f64>().unwrap()
    };
    let mean = fit("run.csv", "fitted.ron");
    assert!((mean - 1.0).abs() < 0.05, "{mean}");
    place.remap("simulate fitted.ron --policy fixed:40 --trace made.csv").exits(0);
    let again = fit("made.csv", "again.ron");
    assert!((again - mean).abs() < 1e-3 * mean, "{mean} {again}");
}

//! What `fit` says of models besides the one that it writes.

use crate::support::made_logs::{DRIFTING, Made};
use crate::support::prelude::*;

#[test]
fn which_models_fit_and_which_do_not_is_said() {
    let place = Workplace::new();
    // Slopes that stay: the model that keeps them fits, and normal numbers at each step do not.
    place.write("run.csv", Made { noise: 0.002, every: 50, ..DRIFTING }.csv());
    let fits = place.answer("fit run.csv");
    let fits = |problem: &str| {
        let models = fits["models"].list();
        let model = models.iter().find(|model| model["problem"] == problem).unwrap();
        model["fits"]["verdict"] == "yes"
    };
    let option = |problem: &str| problem.replace('_', "-");
    let all = ["continuous_drift", "load_drift", "periodic"];
    for chosen in all {
        let said = place.run(&["fit", "run.csv", "--model", &option(chosen)]).exits(0).err;
        for other in all.into_iter().filter(|other| *other != chosen) {
            let verdict = match (fits(other), fits(chosen)) {
                (true, true) => "fits too: ",
                (true, false) => "fits: ",
                (false, _) => "does not fit: ",
            };
            let note = format!("note: --model {} {verdict}", option(other));
            assert!(said.contains(&note), "{note:?} {said}");
        }
        let any = all.into_iter().any(fits);
        assert_eq!(said.contains("no model fits"), !any, "{said}");
        let alone = format!("--model {} does not fit, ", option(chosen));
        assert_eq!(said.contains(&alone), !fits(chosen) && any, "{said}");
    }
    assert!(all.into_iter().any(fits) && !all.into_iter().all(fits), "both are told apart");
}

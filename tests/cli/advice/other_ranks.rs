//! A rule that was made for another number of ranks than the log has.

use crate::support::made_logs::DRIFTING;
use crate::support::prelude::*;

#[test]
fn thresholds_for_other_numbers_of_ranks_are_played_with_a_warning() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let says = "its rule is for 3 processors and is played on 8 ranks";
    for (ranks, warns) in [(3, true), (8, false)] {
        let model = format!(
            "Model(title: \"t\", problem: ContinuousDrift(processors: {ranks}, increments: Normal(deviation: 0.1), \
             steps: 40, remap_cost: 1.0))"
        );
        place.write("model.ron", model);
        place.solved("model.ron --tolerance 0.5");
        let said =
            place.remap("replay run.csv --solution solution.json --policies solution").exits(0).err;
        assert_eq!(said.contains(says), warns, "{said}");
    }
}

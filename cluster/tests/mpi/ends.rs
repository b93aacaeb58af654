//! How it ends: wrong input, limits.

use super::Workplace;

/// Takes several seconds wherever it runs.
const LONG: &str = "Stopping(processes: Distinct([Walk(levels: 45, up: 0.25, down: 0.25, edge: Reflect), \
    Walk(levels: 45, up: 0.2, down: 0.2, edge: Hold), Walk(levels: 45, up: 0.24, down: 0.25, edge: Reflect)]), \
    remap_cost: 16000.0, after_remap: Stop)";

#[test]
fn wrong_input_is_said_once_with_the_code_of_remap() {
    let place = Workplace::new();
    place.model(
        "wrong.ron",
        "Stopping(processes: Distinct([]), remap_cost: -1.0, after_remap: Stop)",
    );
    place.model("right.ron", LONG);
    let cases: [(&[&str], i32, &str); 5] = [
        (&["solve", "wrong.ron"], 1, "cannot be negative"),
        (&["solve", "missing.ron"], 1, "cannot read"),
        (&["solve"], 2, "required"),
        (&["solve", "right.ron", "--method", "exact"], 2, "--method exact"),
        (
            &["solve", "right.ron", "--method", "value", "--time-limit", "0.2"],
            3,
            "saved; run again",
        ),
    ];
    for (arguments, code, message) in cases {
        for ranks in [1, 3] {
            let output = place.run(ranks, arguments);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{arguments:?} on {ranks}: {said}");
            assert_eq!(said.matches(message).count(), 1, "{arguments:?} on {ranks}: {said}");
        }
    }
}

//! One answer from each place: the sentence, the exports, the report and the picture of a solution
//! say the same.

use crate::support::prelude::*;

/// Settings of codes that know intervals, before the number of steps.
const INTERVALS: [(&str, &str); 16] = [
    ("c", "define REMAP_INTERVAL INT64_C(#)\n"),
    ("fortran", "remap_interval = #_i8\n"),
    ("python", "INTERVAL = #\n"),
    ("rust", "pub const INTERVAL: Option<u64> = Some(#);\n"),
    ("csv", "interval\n#\n"),
    ("json", "\"interval\": #,\n"),
    ("controller", "{\"interval\":{\"every\":#}}"),
    ("lammps", "fix remap all balance # "),
    ("warpx", "algo.load_balance_intervals = #\n"),
    ("smilei", "every = #,\n"),
    ("charm", " AtSync() every # iterations"),
    ("eplb", "\"step_interval\":#,"),
    ("sglang", "--eplb-rebalance-num-iterations # "),
    ("vt", "--vt_lb_interval=#\n"),
    ("openfoam", "redistributionInterval  #;\n"),
    ("amrex", "amr.loadbalance_level0_int = #\n"),
];

/// Languages in which thresholds are written out.
const LANGUAGES: [&str; 5] = ["c", "fortran", "python", "rust", "csv"];

/// Solved as `solution.json` with these options: the document, and the first sentence as its report
/// has it.
fn solved(place: &Workplace, model: &str, options: &str) -> (Value, String) {
    let solution = place.remap(format!("solve {model} --json {options}"));
    assert!([0, 3].contains(&solution.code), "{model}: {}", solution.err);
    place.write("solution.json", &solution.out);
    place.remap("report solution.json -o page.html --force").exits(0);
    let page = place.read("page.html");
    let rest = page.split("answer</th><td>").nth(1).unwrap_or_else(|| panic!("{model}: no answer"));
    let sentence = rest.split("</td>").next().unwrap_or_default();
    let sentence = sentence.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    (solution.json(), sentence)
}

fn exported(place: &Workplace, target: &str) -> String {
    place.shown(format!("export solution.json --to {target}"))
}

/// `every 7 steps`, as sentences have it.
fn every(steps: u64) -> String {
    if steps == 1 { "every step".to_owned() } else { format!("every {steps} steps") }
}

/// Places and thresholds of the exported rule that hold by the step, or since the last remap.
fn listed(json: &Value, name: &str) -> Vec<(u64, f64)> {
    let list = json[name].as_array().cloned().unwrap_or_default();
    let one = |at: &Value| (at["first_step"].u64(), at["threshold"].f64());
    list.iter().map(one).collect()
}

/// The numbers of a text.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || ".e-+".contains(c)));
    words.filter_map(|word| word.trim_end_matches(['.', '-']).parse().ok()).collect()
}

/// Holds everything that says an interval, or never, against the document.
fn interval_is_one(place: &Workplace, name: &str, sentence: &str, interval: Option<u64>) {
    let Some(steps) = interval else {
        let never = ["Never remap: ", "Do not remap"].iter().any(|words| sentence.contains(words));
        assert!(never, "{name}: {sentence}");
        crate::exports::knobs::says_never(place, "solution.json");
        return;
    };
    assert!(sentence.starts_with(&format!("Remap {}", every(steps))), "{name}: {sentence}");
    for (target, words) in INTERVALS {
        has(&exported(place, target), &[&words.replace('#', &steps.to_string())]);
    }
    for target in ["swift", "fourc"] {
        place.remap(format!("export solution.json --to {target}")).exits(1);
    }
    has(&place.read("page.html"), &[&format!("recommended: remap {}", every(steps))]);
}

#[test]
fn intervals_are_the_same_everywhere() {
    let place = Workplace::new();
    let decks =
        ["birth_death", "capacities", "cost_aware", "correlated", "growing", "log_gp", "table1"];
    for name in some(3, decks) {
        let model = format!("models/periodic/{name}.ron");
        let (document, sentence) = solved(&place, &model, "");
        let recommended = &document["recommended"];
        let every = (recommended != "never").then(|| recommended["every"].u64());
        interval_is_one(&place, name, &sentence, every);
    }
}

/// The interval within a bound and that of least cost: the shorter one is recommended, and said
/// why.
#[test]
fn the_cheapest_interval_within_the_bound_is_recommended() {
    let normal = |bound: &str, cost: &str| {
        format!(
            "Model(title: \"normal\", problem: Periodic(initial_load: 100.0, bound: {bound}, remap_cost: {cost}, \
             changes: Identical(count: 32, law: Normal(mean: 0.1, deviation: 1.0))))"
        )
    };
    let place = Workplace::new();
    let within = "the least cost per step; d stays within 10 (exact)";
    let kept = "the least cost per step; d <= 0.1 is kept for 19 steps (exact)";
    let longest = "the longest interval with d <= 0.05 (exact); without the bound, every 10 steps would cost less";
    for (bound, cost, expected, why) in [
        ("MaxDeviation(0.1)", "20", 10, kept),
        ("MaxDeviation(10)", "20", 10, within),
        ("MaxDeviation(10)", "30", 13, within),
        ("MaxDeviation(0.05)", "20", 4, longest),
    ] {
        place.write("model.ron", normal(bound, cost));
        let (document, sentence) = solved(&place, "model.ron", "");
        assert_eq!(document["recommended"]["every"], expected, "{sentence}");
        assert_eq!(sentence, format!("Remap every {expected} steps: {why}"));
        interval_is_one(&place, bound, &sentence, Some(expected));
        let text = place.shown("solve model.ron");
        assert_eq!(text.lines().nth(1).unwrap(), format!("Remap every {expected} steps: {why}"));
    }
}

/// A document whose recommendation is not what its numbers come to.
#[test]
fn altered_recommendations_are_refused() {
    let place = Workplace::new();
    for name in ["periodic/cost_aware.ron", "load_drift/three_chains.ron"] {
        let (document, _) = solved(&place, &format!("models/{name}"), "");
        for other in [json!("never"), json!({"every": 3}), json!({"above": 9.5})] {
            let mut altered = document.clone();
            altered["recommended"] = other;
            place.write("solution.json", altered.to_string());
            let refused = place.remap("export solution.json --to c").exits(1);
            refused.says("`recommended` is not what its other fields come to");
        }
    }
}

/// Thresholds: every number of the sentence is one of the exported rule, with its steps, and the
/// other way round.
#[test]
fn thresholds_are_the_same_everywhere() {
    let place = Workplace::new();
    let (quick, exact) = ("--tolerance 0.9 --time-limit 20", "");
    place.write(
        "64.ron",
        "Model(title: \"64 ranks\", problem: LoadDrift(processors: 64, initial_load: 10, steps: 100, remap_cost: 5.0, \
         chain: Walk(lowest: 1, levels: 21, up: 0.2, down: 0.2, edge: Hold)))",
    );
    let decks = [
        ("load_drift/three_chains.ron", exact),
        ("load_drift/four_walks.ron", exact),
        ("load_drift/late_ranks.ron", exact),
        ("load_drift/units_moved.ron", exact),
        ("load_drift/from_an_edge.ron", exact),
        ("load_drift/late_remaps.ron", quick),
        ("continuous_drift/walks.ron", quick),
        ("continuous_drift/classes.ron", quick),
        ("64.ron", quick),
    ];
    for (name, options) in some(3, decks) {
        let path = if name == "64.ron" { name.to_owned() } else { format!("models/{name}") };
        let (document, sentence) = solved(&place, &path, options);
        let recommended = &document["recommended"];
        let json: Value = serde_json::from_str(&exported(&place, "json")).unwrap();
        if recommended == "never" {
            interval_is_one(&place, name, &sentence, None);
            continue;
        }
        if let Some(steps) = recommended["every"].as_u64() {
            assert_eq!(json["interval"], steps, "{name}: {sentence}");
            assert!(sentence.starts_with(&format!("Remap {}", every(steps))), "{name}: {sentence}");
            continue;
        }
        let (since, by_step) = (listed(&json, "since_last_remap"), listed(&json, "thresholds"));
        let rule = sentence.split(": that costs").next().unwrap();
        let said = numbers(rule.split(": the optimum").next().unwrap());
        // Sentences round up, to six digits.
        let near = |number: f64| {
            said.iter().any(|said| *said >= number && *said <= number + 0.2 / 64.0 + 1e-4)
        };
        let of_levels = document["processors"].as_f64().filter(|_| document["levels"].is_u64());
        let is_said = |threshold: f64| match of_levels {
            // Exported halfway between two values that max - mean may have.
            Some(r) if since.is_empty() => {
                said.iter().any(|said| (said * r + 0.25).floor() == (threshold * r).floor())
            }
            _ => near(threshold),
        };
        for (steps, threshold) in since.iter().chain(&by_step) {
            if *threshold > 0.0 && *threshold < 1e300 {
                assert!(is_said(*threshold), "{name}: {threshold} in {sentence}\n{json:#}");
            }
            if *steps > 1 && !since.is_empty() && *threshold > 0.0 {
                let told =
                    [*steps as f64, *steps as f64 - 1.0].iter().any(|steps| said.contains(steps));
                assert!(told, "{name}: step {steps} in {sentence}");
            }
        }
        for (at, next) in by_step.iter().zip(by_step.iter().skip(1)) {
            if at.1 > 0.0 && next.1 == 0.0 && !since.is_empty() {
                let end = next.0 - 1;
                let words =
                    [format!("at step {end}, also above"), format!(" to {end}, also above")];
                assert!(
                    words.iter().any(|words| sentence.contains(words)),
                    "{name}: {end} in {sentence}"
                );
            }
        }
        for target in LANGUAGES {
            let out = exported(&place, target);
            let written = numbers(&out.replace("_r8", " ").replace("_dp", " "));
            for (_, threshold) in
                since.iter().chain(&by_step).filter(|(_, threshold)| *threshold < 1e300)
            {
                assert!(written.contains(threshold), "{name}, {target}: {threshold}\n{out}");
            }
        }
    }
}

/// Thresholds on beliefs, and maps: sentence and export have those of the document.
#[test]
fn beliefs_and_maps_are_the_same_everywhere() {
    let place = Workplace::new();
    for name in [
        "phase_change/fluids.ron",
        "phase_change/bimodal.ron",
        "phase_change/table_iii_n50_g50.ron",
    ] {
        let (document, sentence) = solved(&place, &format!("models/{name}"), "");
        let pi = document["threshold"][0].f64();
        let json: Value = serde_json::from_str(&exported(&place, "json")).unwrap();
        let first =
            json["threshold_first"][0].as_f64().unwrap_or_else(|| json["threshold_between"].f64());
        assert_eq!(first, pi, "{name}");
        let is_said = match pi < 1.0 {
            true => numbers(&sentence).iter().any(|said| (said - pi).abs() <= 1e-6),
            false => sentence.starts_with("Do not remap at step 0"),
        };
        assert!(is_said, "{name}: {pi} in {sentence}");
    }
    for name in ["stopping/yin_xu_wang.ron", "stopping/multiplicative.ron", "stopping/restart.ron"]
    {
        let (document, sentence) = solved(&place, &format!("models/{name}"), "");
        let remaps = document["decision"].text().matches('R').count();
        let csv = exported(&place, "csv");
        let rows = csv.lines().filter(|line| line.ends_with(",R"));
        let vectors: usize =
            rows.map(|row| row.rsplit(',').nth(1).unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(vectors, remaps, "{name}");
        assert!(sentence.contains(&format!("emap in {remaps} of ")), "{name}: {sentence}");
    }
}

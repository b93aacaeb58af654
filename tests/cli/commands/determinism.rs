//! The same bits on any number of threads, in every run, and after a break.

use crate::support::workplace::{Workplace, deck, decks, timeless};
use crate::thorough::{few_or_all, some, some_of_each_folder};

#[track_caller]
fn same_bits(arguments: &[&str]) {
    let workplace = Workplace::new();
    let run = |threads: &str| {
        let arguments = [arguments, &["--json", "--threads", threads]].concat();
        timeless(workplace.run(&arguments).exits(0).json())
    };
    let one = run("1");
    for threads in some(2, ["2", "1", "8"]) {
        assert_eq!(one, run(threads), "{arguments:?} with {threads} threads");
    }
}

#[test]
fn phase_change() {
    for name in ["fig3_blunt", "bimodal", "footnote2"] {
        same_bits(&["solve", &deck(&format!("phase_change/{name}.ron")), "--values"]);
    }
    same_bits(&["compare", &deck("phase_change/fluids.ron"), "--runs", "300", "--seed", "4"]);
}

#[test]
fn stopping() {
    for name in ["yin_xu_wang.ron", "restart.ron", "particles.ron", "eight_chains.ron"] {
        same_bits(&["solve", &deck(&format!("stopping/{name}")), "--values"]);
    }
    // Enough states for every thread to get some.
    let workplace = Workplace::of(
        "Model(title: \"x\", problem: Stopping(processes: Distinct([Walk(levels: 24, up: 0.25, \
         down: 0.25, edge: Reflect), Walk(levels: 20, up: 0.2, down: 0.3, edge: Hold), \
         Walk(levels: 18, up: 0.2, down: 0.2, edge: Hold)]), remap_cost: 20, after_remap: Uniform))",
    );
    let path = workplace.path("model.ron");
    for method in ["auto", "value", "policy"] {
        same_bits(&["solve", path.to_str().unwrap(), "--method", method, "--tolerance", "1e-6"]);
    }
    same_bits(&["sweep", &deck("stopping/yin_xu_wang.ron"), "--set", "problem.remap_cost=1:6:1"]);
}

#[test]
fn load_drift() {
    same_bits(&["solve", &deck("load_drift/three_chains.ron"), "--values", "--step", "50"]);
    same_bits(&["compare", &deck("load_drift/three_chains.ron"), "--runs", "50", "--seed", "4"]);
}

#[test]
fn periodic() {
    for name in ["table1.ron", "three_classes.ron", "correlated.ron", "birth_death.ron"] {
        same_bits(&["solve", &deck(&format!("periodic/{name}"))]);
    }
    same_bits(&["solve", &deck("periodic/table1.ron"), "--simulate", "100", "--seed", "4"]);
}

#[test]
fn simulated_workloads() {
    for name in some(1, ["activity_mesh/torus.ron", "land_battle/figure7.ron"]) {
        same_bits(&["compare", &deck(name), "--runs", "2", "--seed", "4"]);
    }
}

/// The model files of all folders but those that hold no models.
fn all_decks() -> Vec<String> {
    let models = decks().into_iter().filter(|name| !name.starts_with("studies/"));
    models.map(|name| deck(&name)).collect()
}

/// The standard output of a command on so many threads; `None` if it is not offered for the model,
/// or takes too long for a test.
fn on_threads(threads: &str, arguments: &[&str]) -> Option<String> {
    let workplace = Workplace::new();
    let mut command = workplace.command();
    let output = command.env("RAYON_NUM_THREADS", threads).args(arguments).output().unwrap();
    match output.status.code() {
        Some(0) => Some(String::from_utf8(output.stdout).unwrap()),
        Some(1 | 3) => None,
        code => panic!("{arguments:?}: {code:?}\n{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Whether the command is offered and quick; then its output has the same bits on 3 threads.
fn is_quick_and_the_same(arguments: &[&str]) -> bool {
    let json = arguments.contains(&"--json");
    let shown = |text: String| match json {
        true => timeless(serde_json::from_str(&text).unwrap()).to_string(),
        false => text,
    };
    let Some(one) = on_threads("1", arguments).map(shown) else { return false };
    let unlimited: Vec<&str> = match arguments.iter().position(|word| *word == "--time-limit") {
        Some(at) => [&arguments[..at], &arguments[at + 2..]].concat(),
        None => arguments.to_vec(),
    };
    assert_eq!(Some(one), on_threads("3", &unlimited).map(shown), "{unlimited:?} on 3 threads");
    true
}

/// Models that take far longer than the three seconds that are given.
const LONG: [&str; 5] = [
    "load_drift/eight_chains.ron",
    "load_drift/64_ranks.ron",
    "load_drift/1024_ranks.ron",
    "load_drift/65536_ranks.ron",
    "load_drift/million_ranks.ron",
];

/// Models with changes of phase that are solved at once, but take longer than that to play.
const LONG_PLAYED: [&str; 3] = ["/four_levels.ron", "/fig3_blunt.ron", "/recurring.ron"];
/// By default simulated on several numbers of threads in `tests/papers` only.
const SIMULATORS: [&str; 2] = ["/figure6.ron", "/figure7.ron"];

#[test]
fn every_model_solved() {
    let quick = |deck: &&String| {
        is_quick_and_the_same(&["solve", deck, "--json", "--values", "--time-limit", "3"])
    };
    let short = |deck: &String| !LONG.iter().any(|name| deck.ends_with(name));
    let decks = some_of_each_folder(all_decks().into_iter().filter(short).collect());
    let (solved, all) = (decks.iter().filter(quick).count(), decks.len());
    assert!(4 * solved > 3 * few_or_all(all, all + LONG.len()), "{solved} of {all} are quick");
}

#[test]
fn every_model_played() {
    let count = |command: &[&str], long: &[&str]| {
        let same = |deck: &&String| {
            is_quick_and_the_same(&[&command[..1], &[deck.as_str()], &command[1..]].concat())
        };
        // One model of a kind stands for all those that differ in numbers only.
        let short = |deck: &String| {
            !deck.contains("table_iii_n") && !long.iter().any(|name| deck.ends_with(name))
        };
        let decks = some_of_each_folder(all_decks().into_iter().filter(short).collect());
        decks.iter().filter(same).count()
    };
    let least = few_or_all(6, 12);
    let compare = ["compare", "--json", "--runs", "3", "--seed", "4", "--time-limit", "3"];
    let simulators = few_or_all(&SIMULATORS[..], &[]);
    let compared = count(&compare, &[&LONG[..], &LONG_PLAYED, simulators].concat());
    assert!(compared > least, "{compared} models are compared");
    let traced = count(&["simulate", "--steps", "200", "--seed", "4"], &["million_ranks.ron"]);
    assert!(traced > least, "{traced} models give traces");
}

#[test]
fn commands_without_models_of_their_own() {
    let workplace = Workplace::new();
    let trace = workplace.path("run.csv");
    let trace = trace.to_str().unwrap();
    let made = "simulate models/load_drift/four_walks.ron --policy fixed:9 --trace run.csv";
    workplace.remap(made).exits(0);
    for arguments in [
        &["regret", &deck("phase_change/table_iii_n50_g50.ron"), "--json"][..],
        &["study", &deck("studies/figure_3.ron"), "--json"],
        &["calibrate", "--runs", "5000", "--seed", "4", "--json"],
        &["fit", trace],
        &["replay", trace, "--remap-cost", "8", "--seed", "4", "--json"],
    ] {
        assert!(is_quick_and_the_same(arguments), "{arguments:?}");
    }
}

#[test]
fn verification() {
    let workplace = Workplace::new();
    let arguments = ["verify", &deck("stopping/yin_xu_wang.ron"), "--json", "--cases", "10"];
    let run = || timeless(workplace.run(&arguments).exits(0).json());
    assert_eq!(run(), run());
}

/// Stopped again and again, at whatever step the clock says, on other numbers of threads each time.
#[test]
fn resumed_on_another_number_of_threads() {
    let steps = few_or_all(300, 500);
    let workplace = Workplace::stating(format!(
        "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 10, steps: {steps}, remap_cost: 8)"
    ));
    let solve = ["solve", "model.ron", "--json", "--step", "200"];
    let whole =
        timeless(workplace.run(&[&solve[..], &["--threads", "1"]].concat()).exits(0).json());
    let mut stopped = 0;
    for threads in ["2", "8", "1", "2", "8"].iter().cycle().take(200) {
        let limited = ["--out", "out", "--threads", threads, "--time-limit", "0.15"];
        let outcome = workplace.run(&[&solve[..], &limited].concat());
        std::fs::remove_file(workplace.path("out/model.json")).unwrap();
        if outcome.code == 0 {
            assert_eq!(timeless(outcome.json()), whole);
            break;
        }
        stopped += 1;
        assert_eq!(outcome.code, 3, "{}", outcome.err);
    }
    assert!((1..200).contains(&stopped), "stopped {stopped} times");
}

//! The same bits on any number of threads, in every run, and after a break.

use crate::support::prelude::*;
use crate::support::workplace::words;

#[track_caller]
fn same_bits(place: &Workplace, command: &str) {
    let run = |threads: u32| timeless(place.answer(format!("{command} --threads {threads}")));
    let one = run(1);
    for threads in some(2, [2, 1, 8]) {
        assert_eq!(one, run(threads), "{command} with {threads} threads");
    }
}

fn same_bits_of(command: &str) {
    same_bits(&Workplace::new(), command);
}

#[test]
fn phase_change() {
    for name in ["fig3_blunt", "bimodal", "footnote2"] {
        same_bits_of(&format!("solve models/phase_change/{name}.ron --values"));
    }
    same_bits_of("compare models/phase_change/fluids.ron --runs 300 --seed 4");
}

#[test]
fn stopping() {
    for name in ["yin_xu_wang", "restart", "particles", "eight_chains"] {
        same_bits_of(&format!("solve models/stopping/{name}.ron --values"));
    }
    // Enough states for every thread to get some.
    let place = Workplace::stating(
        "Stopping(processes: Distinct([Walk(levels: 24, up: 0.25, down: 0.25, edge: Reflect), Walk(levels: 20, up: \
         0.2, down: 0.3, edge: Hold), Walk(levels: 18, up: 0.2, down: 0.2, edge: Hold)]), remap_cost: 20, \
         after_remap: Uniform)",
    );
    for method in ["auto", "value", "policy"] {
        same_bits(&place, &format!("solve model.ron --method {method} --tolerance 1e-6"));
    }
    same_bits_of("sweep models/stopping/yin_xu_wang.ron --set problem.remap_cost=1:6:1");
}

#[test]
fn load_drift() {
    same_bits_of("solve models/load_drift/three_chains.ron --values --step 50");
    same_bits_of("compare models/load_drift/three_chains.ron --runs 50 --seed 4");
}

#[test]
fn periodic() {
    for name in ["table1", "three_classes", "correlated", "birth_death"] {
        same_bits_of(&format!("solve models/periodic/{name}.ron"));
    }
    same_bits_of("solve models/periodic/table1.ron --simulate 100 --seed 4");
}

#[test]
fn simulated_workloads() {
    for name in some(1, ["activity_mesh/torus", "land_battle/figure7"]) {
        same_bits_of(&format!("compare models/{name}.ron --runs 2 --seed 4"));
    }
}

/// Model files of each folder, but of those that hold no models, and but these.
fn some_decks(leave_out: impl Fn(&str) -> bool) -> Vec<String> {
    let models = decks().into_iter().filter(|name| !name.starts_with("studies/"));
    some_of_each_folder(models.filter(|name| !leave_out(name)).collect())
}

/// The standard output of a command on so many threads; `None` if it is not offered for the model,
/// or takes too long for a test.
fn on_threads(place: &Workplace, threads: &str, arguments: &[String]) -> Option<String> {
    let mut command = place.command();
    let output = command.env("RAYON_NUM_THREADS", threads).args(arguments).output().unwrap();
    let ended = Outcome::of(output);
    assert!([0, 1, 3].contains(&ended.code), "{arguments:?}: {}", ended.err);
    (ended.code == 0).then_some(ended.out)
}

/// Whether the command is offered and quick; then its output has the same bits on 3 threads.
fn is_quick_and_the_same(place: &Workplace, command: &str) -> bool {
    let shown = |text: String| match command.contains("--json") {
        true => timeless(serde_json::from_str(&text).unwrap()).to_string(),
        false => text,
    };
    let Some(one) = on_threads(place, "1", &words(command)).map(shown) else { return false };
    let unlimited = words(&command.replace("--time-limit 3", ""));
    let three = on_threads(place, "3", &unlimited).map(shown);
    assert_eq!(Some(one), three, "{unlimited:?} on 3 threads");
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
        let solve = format!("solve models/{deck} --json --values --time-limit 3");
        is_quick_and_the_same(&Workplace::new(), &solve)
    };
    let decks = some_decks(|name| LONG.contains(&name));
    let (solved, all) = (decks.iter().filter(quick).count(), decks.len());
    assert!(4 * solved > 3 * few_or_all(all, all + LONG.len()), "{solved} of {all} are quick");
}

#[test]
fn every_model_played() {
    let count = |verb: &str, options: &str, long: &[&str]| {
        let same = |deck: &&String| {
            is_quick_and_the_same(&Workplace::new(), &format!("{verb} models/{deck} {options}"))
        };
        // One model of a kind stands for all those that differ in numbers only.
        let decks = some_decks(|deck| {
            deck.contains("table_iii_n") || long.iter().any(|name| deck.ends_with(name))
        });
        decks.iter().filter(same).count()
    };
    let least = few_or_all(6, 12);
    let simulators = few_or_all(&SIMULATORS[..], &[]);
    let long = [&LONG[..], &LONG_PLAYED, simulators].concat();
    let compared = count("compare", "--json --runs 3 --seed 4 --time-limit 3", &long);
    assert!(compared > least, "{compared} models are compared");
    let traced = count("simulate", "--steps 200 --seed 4", &["million_ranks.ron"]);
    assert!(traced > least, "{traced} models give traces");
}

#[test]
fn commands_without_models_of_their_own() {
    let place = Workplace::new();
    place.shown("simulate models/load_drift/four_walks.ron --policy fixed:9 --trace run.csv");
    for command in [
        "regret models/phase_change/table_iii_n50_g50.ron --json",
        "study models/studies/figure_3.ron --json",
        "calibrate --runs 5000 --seed 4 --json",
        "fit run.csv",
        "replay run.csv --remap-cost 8 --seed 4 --json",
    ] {
        assert!(is_quick_and_the_same(&place, command), "{command}");
    }
}

#[test]
fn verification() {
    let verify = "verify models/stopping/yin_xu_wang.ron --cases 10";
    let run = || timeless(Workplace::new().answer(verify));
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
    let solve = "solve model.ron --json --step 200 --threads";
    let whole = timeless(workplace.remap(format!("{solve} 1")).exits(0).json());
    let mut stopped = 0;
    for threads in [2, 8, 1, 2, 8].iter().cycle().take(200) {
        let limited = format!("{solve} {threads} --out out --time-limit 0.15");
        let outcome = workplace.remap(limited);
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

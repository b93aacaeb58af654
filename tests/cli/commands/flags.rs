//! Flags, exit codes, and what goes to which stream.

use crate::support::languages::{is_there, skipped};
use crate::support::prelude::*;

#[test]
fn a_solved_model_exits_with_0_and_shows_its_curve() {
    let outcome = Workplace::with_model().remap("solve model.ron").exits(0);
    let parts = ["Drift", "n0 = ", "pi_0 = ", "expected completion time", "certified to 1e-9"];
    has(&outcome.out, &parts);
    assert_eq!(outcome.err, "");
}

#[test]
fn json_is_one_document_with_the_promised_fields() {
    let solution = Workplace::with_model().answer("solve model.ron");
    let fields = "title problem status tolerance version seconds warnings last_step n0 threshold \
                  threshold_lower threshold_upper value segments";
    for field in fields.split_whitespace() {
        assert!(!solution[field].is_null(), "{field}");
    }
    let words = ["title", "problem", "status"].map(|field| &solution[field]);
    assert_eq!(words, ["Drift", "phase_change", "converged"]);
    assert_eq!(solution["last_step"], 40);
    for n in 0..=40 {
        let at = |field: &str| solution[field][n].f64();
        let [low, own, high] = ["threshold_lower", "threshold", "threshold_upper"].map(at);
        assert!(low <= own && own <= high && high - low <= 1e-9);
    }
    let value = &solution["value"];
    let [lower, upper] = value.ends();
    assert!(0.0 <= upper - lower && upper - lower <= 1e-9 * lower);
}

#[test]
fn several_models_give_an_array_in_their_order() {
    let workplace = Workplace::new();
    for name in ["c", "a", "b"] {
        workplace.write(&format!("{name}.ron"), MODEL.replace("Drift", name));
    }
    for verb in ["solve", "check"] {
        let found = workplace.answer(format!("{verb} c.ron a.ron b.ron"));
        let titles: Vec<_> = found.list().iter().map(|one| one["title"].clone()).collect();
        assert_eq!(titles, ["c", "a", "b"], "{verb}");
    }
}

#[test]
fn the_worst_of_several_models_decides_the_exit_code() {
    let workplace = Workplace::with_model();
    workplace.write("wrong.ron", MODEL.replace("0.2", "1.2"));
    let outcome = workplace.remap("solve --json model.ron wrong.ron model.ron").exits(1);
    assert_eq!(outcome.says("[wrong.ron:7:46]").json().list().len(), 2);
    let outcome = workplace.remap("solve wrong.ron model.ron").exits(1);
    assert!(outcome.out.contains("n0 = "));
    let outcome = workplace.remap("solve --json wrong.ron").exits(1);
    assert_eq!(outcome.out, "");
    let outcome = workplace.remap("solve --json wrong.ron wrong.ron").exits(1);
    assert_eq!(outcome.json(), serde_json::json!([]));
    workplace.remap("solve --json --segments 4 --tolerance 1e-12 model.ron").exits(3);
    workplace.remap("solve --json --segments 4 --tolerance 1e-12 model.ron wrong.ron").exits(1);
}

#[test]
fn wrong_arguments_exit_with_2() {
    let workplace = Workplace::with_model();
    let wrong = "; resolve; solve; solve model.ron --jsn; solve model.ron --tolerance 0; solve model.ron --tolerance -1; \
        solve model.ron --tolerance NaN; solve model.ron --tolerance inf; solve model.ron --threads 0; \
        solve model.ron --threads many; solve model.ron --time-limit 0; solve model.ron --segments 3; \
        solve model.ron --plot curve.pdf; solve model.ron model.ron --plot curve.svg; sweep model.ron; \
        completions cobol";
    for arguments in wrong.split(';') {
        let outcome = workplace.remap(arguments).exits(2);
        assert_eq!(outcome.out, "", "{arguments:?}");
        assert_ne!(outcome.err, "", "{arguments:?}");
    }
    assert_eq!(workplace.names(), ["model.ron"]);
    // A number below 0 is a value, not an option nobody knows.
    for (option, value) in [("--tolerance", "-0.001"), ("--time-limit", "-1"), ("--simulate", "-3")]
    {
        let outcome = workplace.remap(format!("solve model.ron {option} {value}")).exits(2);
        outcome.says(&format!("invalid value '{value}' for '{option}"));
    }
}

/// What makes no difference to an answer is said.
#[test]
fn options_of_other_problems_are_told() {
    let options = "--step 3; --segments 20; --critical-costs; --values; --exact; --simulate 50";
    // Few steps, whose fractions are short.
    let workplace = Workplace::of(MODEL.replace("40", "8"));
    for (model, own) in [
        ("model.ron", &[1, 4][..]),
        ("models/stopping/yin_xu_wang.ron", &[2, 3]),
        ("models/periodic/table1.ron", &[5]),
        ("models/phase_switching/endless.ron", &[4]),
        ("models/many_phases/three_phases.ron", &[]),
        ("models/load_drift/three_chains.ron", &[0, 3]),
    ] {
        for (i, option) in options.split(';').enumerate() {
            let ran = workplace.remap(format!("solve {model} --json {option}"));
            let warned = ran.json()["warnings"].to_string().contains("makes no difference here");
            assert_eq!(warned, !own.contains(&i), "{model} {option}: {}", ran.err);
        }
    }
}

/// The same of options that go with others.
#[test]
fn options_that_are_of_no_use_beside_others_are_told() {
    let workplace = Workplace::with_model();
    let rows: String = (0..40).map(|step| format!("{step},{},1\n", 1 + step % 5)).collect();
    workplace.write("run.csv", format!("step,rank_0,rank_1\n{rows}"));
    workplace.remap("solve model.ron --certificate model.cert").exits(0);
    let simulated = "--noise ar1:0.6 --shift 2 --scale 2 --runs 9 --seed 3";
    let told = |command: &str, options: &str| {
        let outcome = workplace.remap(command);
        for option in options.split_whitespace() {
            let sentence = format!("{option} makes no difference here: ");
            assert!(outcome.err.contains(&sentence), "{command} {option}: {}", outcome.err);
        }
        let all = outcome.err.matches("makes no difference here").count();
        assert_eq!(all, options.split_whitespace().count(), "{command}: {}", outcome.err);
        outcome
    };
    let all = "--noise --shift --scale --runs --seed";
    told(&format!("calibrate --change-at 1200 {simulated}"), all);
    told(&format!("calibrate {simulated}"), "");
    for (command, options) in [
        ("calibrate --change-at 1200", ""),
        ("calibrate --runs 100 --column last", "--column"),
        ("replay run.csv --remap-cost 1 --policies never --unit 2", "--unit"),
        ("replay run.csv --remap-cost 1 --policies never", ""),
        ("verify model.ron model.cert --cases 5 --seed 3", "--cases --seed"),
        ("verify model.ron --cases 5 --seed 3", ""),
        ("verify model.ron --cases 1 --time-limit 60", "--time-limit"),
        ("compare models/fluids/figure6.ron --runs 9 --seed 3", "--runs --seed"),
        ("compare models/fluids/figure6.ron", ""),
        ("compare models/load_drift/three_chains.ron --policies never --runs 9 --seed 3", ""),
        ("solve models/periodic/table1.ron --seed 3 --simulate 9", ""),
        ("sweep model.ron --set problem.remap.test=1,2 --seed 3", "--seed"),
        ("simulate models/periodic/table1.ron --steps 9 --policy fixed:3", "--policy"),
        ("simulate models/load_drift/three_chains.ron --steps 9 --policy fixed:3", ""),
        ("fit run.csv --remap-cost 1 --model periodic --chain dense", "--chain"),
    ] {
        told(command, options);
    }
    for (command, options, said) in [
        ("compare model.ron --runs 9 --seed 3 --json", "--runs --seed", "--runs"),
        ("solve model.ron --seed 3 --json", "--seed", "--seed"),
    ] {
        let warnings = told(command, options).json()["warnings"].to_string();
        has(&warnings, &[&format!("{said} makes no difference here")]);
    }
    workplace.remap("report model.ron --log-unit 2").exits(1).says("--log-unit");
}

#[test]
fn the_tolerance_is_kept() {
    let workplace = Workplace::with_model();
    for tolerance in ["0.5", "1e-3", "1e-6", "1e-10"] {
        let solution = workplace.answer(format!("solve model.ron --tolerance {tolerance}"));
        let width: f64 = tolerance.parse().unwrap();
        assert_eq!(solution["tolerance"], width);
        for n in 0..=40 {
            let at = |field: &str| solution[field][n].f64();
            assert!(at("threshold_upper") - at("threshold_lower") <= width);
        }
    }
}

#[test]
fn exact_fractions_lie_within_the_bounds() {
    let workplace = Workplace::of(MODEL.replace("40", "8"));
    let solution = workplace.answer("solve model.ron --exact");
    let exact = &solution["exact"];
    assert_eq!(exact["n0"], solution["n0"]);
    for n in 0..=8 {
        let decimal = exact["threshold_decimal"][n].f64();
        assert!(solution["threshold_lower"][n].f64() <= decimal);
        assert!(decimal <= solution["threshold_upper"][n].f64());
    }
    assert!(workplace.shown("solve model.ron --exact").contains("pi_8 = 1.0"));
}

#[test]
fn check_tells_facts_without_solving() {
    let workplace = Workplace::with_model();
    let facts = workplace.answer("check model.ron");
    assert_eq!(facts["problem"], "phase_change");
    assert_eq!(facts["last_step"], 40);
    assert_eq!(facts["increasing_failure_rate"], true);
    has(&workplace.shown("check model.ron"), &["last_step: 40"]);
}

#[test]
fn help_version_completions_and_the_manual() {
    let workplace = Workplace::new();
    let help = workplace.shown("--help");
    has(&help, &["solve", "sweep", "Model(", "Exit codes", "130"]);
    assert!(workplace.shown("solve --help").contains("--time-limit"));
    assert!(workplace.shown("--version").starts_with("remap "));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = workplace.shown(format!("completions {shell}"));
        assert!(script.contains("tolerance"), "{shell}");
    }
    let manual = workplace.shown("man");
    has(&manual, &[".TH remap 1", "REMAP SOLVE", "REMAP SWEEP", "\\-\\-tolerance", "Exit codes"]);
}

#[test]
fn the_model_shown_in_the_help_is_a_model() {
    let workplace = Workplace::new();
    let help = workplace.shown("--help");
    let start = help.find("  Model(").unwrap();
    let end = start + help[start..].find("\n  )\n").unwrap() + 4;
    workplace.write("shown.ron", &help[start..end]);
    workplace.remap("check shown.ron").exits(0);
}

/// Help fits the terminal, in paragraphs; examples stay whole where they fit.
#[test]
fn help_wraps_at_the_width_of_the_terminal() {
    let workplace = Workplace::new();
    let verbs = "solve check sweep join compare regret study monitor calibrate verify simulate fit \
                 replay advise export report";
    for verb in verbs.split_whitespace() {
        for width in [60, 80, 100] {
            let mut command = workplace.command();
            command.args([verb, "--help"]).env("COLUMNS", width.to_string());
            let help = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let is_wide = |line: &str| line.chars().count() > width && line.trim().contains(' ');
            let long = help.lines().find(|line| is_wide(line) && !line.starts_with("Usage"));
            assert_eq!(long, None, "{verb} at {width}");
            // A paragraph goes on to its end: no short line in its middle.
            let lines: Vec<&str> = help.lines().collect();
            let prose = |line: &str| {
                !line.is_empty() && !line.starts_with(' ') && !line.starts_with("Usage")
            };
            for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| prose(line))) {
                let word = pair[1].split(' ').next().unwrap_or("").chars().count();
                let full = pair[0].chars().count() + 1 + word > width;
                assert!(full || pair[0].ends_with(':'), "{verb} at {width}: {pair:?}");
            }
        }
    }
}

/// Shells complete policies where policies are asked for.
#[test]
fn shells_complete_policies() {
    if !is_there("bash") {
        return skipped("bash");
    }
    let workplace = Workplace::with_model();
    let script = workplace.shown("completions bash");
    workplace.write("remap.bash", script);
    workplace.write("menon.csv", "");
    for (words, wanted) in [
        (["compare", "model.ron", "--policies", "me"], "menon menon_offline metabalancer"),
        (["compare", "model.ron", "--policies", "heu"], "heuristic_1986"),
        (["replay", "menon.csv", "--policies", "adv"], "advised advised_cold"),
        (["simulate", "model.ron", "--policy", "men"], "menon menon_offline"),
    ] {
        let [verb, file, option, begun] = words;
        let ask = format!(
            "source ./remap.bash; COMP_WORDS=(remap {verb} {file} {option} {begun}); COMP_CWORD=4; \
             _remap remap {begun} {option}; echo \"${{COMPREPLY[*]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &ask]).current_dir(workplace.root()).output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert_eq!(found.trim(), wanted, "{words:?}");
    }
    // Any text is taken: rules have parameters.
    workplace.remap("compare model.ron --policies fixed:0.7,never").exits(0);
}

/// A method that some models of a problem have is not said to be for none of them.
#[test]
fn methods_that_other_models_have_are_refused_with_a_reason() {
    let reason = "value and policy are for models with a highest load and one remap cost";
    // Lines are broken where the path ends.
    let refused = |model: &str, method: &str| {
        let command = format!("solve models/stopping/{model}.ron --method {method}");
        let refused = Workplace::new().remap(command).exits(2);
        let lines = refused.err.lines().map(|line| line.trim_start_matches([' ', '│', '×']));
        lines.collect::<Vec<_>>().join(" ")
    };
    for deck in ["sixty_steps", "units_moved", "unbounded", "partial"] {
        for method in ["value", "policy", "bounds"] {
            let expected = format!("--method {method} is not for this stopping model: {reason}");
            has(&refused(deck, method), &[&expected]);
        }
    }
    let said = refused("yin_xu_wang", "bounds");
    has(&said, &["is not for stopping", "take auto, value or policy"]);
}

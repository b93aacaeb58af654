//! Flags, exit codes, and what goes to which stream.

use crate::workplace::{MODEL, Workplace};
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn a_solved_model_exits_with_0_and_shows_its_curve() {
    let outcome = Workplace::with_model().run(&["solve", "model.ron"]).exits(0);
    for part in ["Drift", "n0 = ", "pi_0 = ", "expected completion time", "certified to 1e-9"] {
        assert!(outcome.out.contains(part), "{part} is not in\n{}", outcome.out);
    }
    assert_eq!(outcome.err, "");
}

#[test]
fn json_is_one_document_with_the_promised_fields() {
    let outcome = Workplace::with_model().run(&["solve", "model.ron", "--json"]).exits(0);
    let solution = outcome.json();
    let fields = [
        "title",
        "problem",
        "status",
        "tolerance",
        "version",
        "seconds",
        "warnings",
        "last_step",
        "n0",
        "threshold",
        "threshold_lower",
        "threshold_upper",
        "value",
        "segments",
    ];
    for field in fields {
        assert!(!solution[field].is_null(), "{field}");
    }
    assert_eq!(solution["title"], "Drift");
    assert_eq!(solution["problem"], "phase_change");
    assert_eq!(solution["status"], "converged");
    assert_eq!(solution["last_step"], 40);
    for n in 0..=40 {
        let at = |field: &str| solution[field][n].as_f64().unwrap();
        assert!(
            at("threshold_lower") <= at("threshold") && at("threshold") <= at("threshold_upper")
        );
        assert!(at("threshold_upper") - at("threshold_lower") <= 1e-9);
    }
    let value = &solution["value"];
    let (lower, upper) = (value["lower"].as_f64().unwrap(), value["upper"].as_f64().unwrap());
    assert!(0.0 <= upper - lower && upper - lower <= 1e-9 * lower);
}

#[test]
fn several_models_give_an_array_in_their_order() {
    let workplace = Workplace::new();
    for name in ["c", "a", "b"] {
        workplace.write(&format!("{name}.ron"), MODEL.replace("Drift", name));
    }
    let outcome = workplace.run(&["solve", "--json", "c.ron", "a.ron", "b.ron"]).exits(0);
    let titles: Vec<_> =
        outcome.json().as_array().unwrap().iter().map(|s| s["title"].clone()).collect();
    assert_eq!(titles, ["c", "a", "b"]);
    let checked = workplace.run(&["check", "--json", "c.ron", "a.ron"]).exits(0).json();
    assert_eq!(checked[0]["title"], "c");
    assert_eq!(checked[1]["title"], "a");
}

#[test]
fn the_worst_of_several_models_decides_the_exit_code() {
    let workplace = Workplace::with_model();
    workplace.write("wrong.ron", MODEL.replace("0.2", "1.2"));
    let arguments = ["solve", "--json", "model.ron", "wrong.ron", "model.ron"];
    let outcome = workplace.run(&arguments).exits(1).says("[wrong.ron:7:46]");
    assert_eq!(outcome.json().as_array().unwrap().len(), 2);
    let outcome = workplace.run(&["solve", "wrong.ron", "model.ron"]).exits(1);
    assert!(outcome.out.contains("n0 = "));
    let outcome = workplace.run(&["solve", "--json", "wrong.ron"]).exits(1);
    assert_eq!(outcome.out, "");
    let outcome = workplace.run(&["solve", "--json", "wrong.ron", "wrong.ron"]).exits(1);
    assert_eq!(outcome.json(), serde_json::json!([]));
    let three = ["solve", "--json", "--segments", "4", "--tolerance", "1e-12", "model.ron"];
    workplace.run(&three).exits(3);
    let both =
        ["solve", "--json", "--segments", "4", "--tolerance", "1e-12", "model.ron", "wrong.ron"];
    workplace.run(&both).exits(1);
}

#[test]
fn wrong_arguments_exit_with_2() {
    let workplace = Workplace::with_model();
    let wrong: &[&[&str]] = &[
        &[],
        &["resolve"],
        &["solve"],
        &["solve", "model.ron", "--jsn"],
        &["solve", "model.ron", "--tolerance", "0"],
        &["solve", "model.ron", "--tolerance", "-1"],
        &["solve", "model.ron", "--tolerance", "NaN"],
        &["solve", "model.ron", "--tolerance", "inf"],
        &["solve", "model.ron", "--threads", "0"],
        &["solve", "model.ron", "--threads", "many"],
        &["solve", "model.ron", "--time-limit", "0"],
        &["solve", "model.ron", "--segments", "3"],
        &["solve", "model.ron", "--plot", "curve.pdf"],
        &["solve", "model.ron", "model.ron", "--plot", "curve.svg"],
        &["sweep", "model.ron"],
        &["completions", "cobol"],
    ];
    for arguments in wrong {
        let outcome = workplace.run(arguments).exits(2);
        assert_eq!(outcome.out, "", "{arguments:?}");
        assert_ne!(outcome.err, "", "{arguments:?}");
    }
    assert_eq!(workplace.names(), ["model.ron"]);
    // A number below 0 is a value, not an option nobody knows.
    for (option, value) in [("--tolerance", "-0.001"), ("--time-limit", "-1"), ("--simulate", "-3")]
    {
        let outcome = workplace.run(&["solve", "model.ron", option, value]).exits(2);
        outcome.says(&format!("invalid value '{value}' for '{option}"));
    }
}

/// What makes no difference to an answer is said.
#[test]
fn options_of_other_problems_are_told() {
    let options: [&[&str]; 6] = [
        &["--step", "3"],
        &["--segments", "20"],
        &["--critical-costs"],
        &["--values"],
        &["--exact"],
        &["--simulate", "50"],
    ];
    let workplace = Workplace::new();
    // Few steps, whose fractions are short.
    workplace.write("model.ron", MODEL.replace("40", "8"));
    let small = workplace.path("model.ron");
    let known: [(&str, &[usize]); 6] = [
        (small.to_str().unwrap(), &[1, 4]),
        ("stopping/yin_xu_wang.ron", &[2, 3]),
        ("periodic/table1.ron", &[5]),
        ("phase_switching/endless.ron", &[4]),
        ("many_phases/three_phases.ron", &[]),
        ("load_drift/three_chains.ron", &[0, 3]),
    ];
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("models");
    for (name, own) in known {
        let model = models.join(name).display().to_string();
        for (i, option) in options.iter().enumerate() {
            let ran = workplace.run(&[&["solve", &model, "--json"], *option].concat());
            let warned = ran.json()["warnings"].to_string().contains("makes no difference here");
            assert_eq!(warned, !own.contains(&i), "{name} {option:?}: {}", ran.err);
        }
    }
}

/// The same of options that go with others.
#[test]
fn options_that_are_of_no_use_beside_others_are_told() {
    let workplace = Workplace::with_model();
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("models");
    let model = |name: &str| models.join(name).display().to_string();
    let (fluids, periodic) = (model("fluids/figure6.ron"), model("periodic/table1.ron"));
    workplace.write(
        "run.csv",
        (0..40).map(|step| format!("{},{},1\n", step, 1 + step % 5)).fold(
            "step,rank_0,rank_1\n".to_owned(),
            |mut text, line| {
                text += &line;
                text
            },
        ),
    );
    let told = |arguments: &[&str], options: &[&str]| {
        let outcome = workplace.run(arguments);
        for option in options {
            let sentence = format!("{option} makes no difference here: ");
            assert!(outcome.err.contains(&sentence), "{arguments:?} {option}: {}", outcome.err);
        }
        let all = outcome.err.matches("makes no difference here").count();
        assert_eq!(all, options.len(), "{arguments:?}: {}", outcome.err);
        outcome
    };
    let simulated =
        ["--noise", "ar1:0.6", "--shift", "2", "--scale", "2", "--runs", "9", "--seed", "3"];
    let read = ["calibrate", "--change-at", "1200"];
    told(&[&read[..], &simulated].concat(), &["--noise", "--shift", "--scale", "--runs", "--seed"]);
    told(&read, &[]);
    told(&[&["calibrate"], &simulated[..]].concat(), &[]);
    told(&["calibrate", "--runs", "100", "--column", "last"], &["--column"]);
    let replay = ["replay", "run.csv", "--remap-cost", "1", "--policies", "never"];
    told(&[&replay[..], &["--unit", "2"]].concat(), &["--unit"]);
    told(&replay, &[]);
    workplace.run(&["solve", "model.ron", "--certificate", "model.cert"]).exits(0);
    let lemmas = ["--cases", "5", "--seed", "3"];
    told(&[&["verify", "model.ron", "model.cert"], &lemmas[..]].concat(), &["--cases", "--seed"]);
    told(&[&["verify", "model.ron"], &lemmas[..]].concat(), &[]);
    told(&["verify", "model.ron", "--cases", "1", "--time-limit", "60"], &["--time-limit"]);
    let compared = ["compare", "model.ron", "--runs", "9", "--seed", "3", "--json"];
    let warnings = told(&compared, &["--runs", "--seed"]).json()["warnings"].to_string();
    assert!(warnings.contains("--runs makes no difference here"), "{warnings}");
    told(&["compare", &fluids, "--runs", "9", "--seed", "3"], &["--runs", "--seed"]);
    told(&["compare", &fluids], &[]);
    let drifting = model("load_drift/three_chains.ron");
    told(&["compare", &drifting, "--policies", "never", "--runs", "9", "--seed", "3"], &[]);
    let solved = told(&["solve", "model.ron", "--seed", "3", "--json"], &["--seed"]);
    assert!(solved.json()["warnings"].to_string().contains("--seed makes no difference here"));
    told(&["solve", &periodic, "--seed", "3", "--simulate", "9"], &[]);
    told(&["sweep", "model.ron", "--set", "problem.remap.test=1,2", "--seed", "3"], &["--seed"]);
    told(&["simulate", &periodic, "--steps", "9", "--policy", "fixed:3"], &["--policy"]);
    told(&["simulate", &drifting, "--steps", "9", "--policy", "fixed:3"], &[]);
    let fit = ["fit", "run.csv", "--remap-cost", "1", "--model", "periodic"];
    told(&[&fit[..], &["--chain", "dense"]].concat(), &["--chain"]);
    let refused = workplace.run(&["report", "model.ron", "--log-unit", "2"]).exits(1);
    refused.says("--log-unit");
}

#[test]
fn the_tolerance_is_kept() {
    let workplace = Workplace::with_model();
    for tolerance in ["0.5", "1e-3", "1e-6", "1e-10"] {
        let arguments = ["solve", "model.ron", "--json", "--tolerance", tolerance];
        let solution = workplace.run(&arguments).exits(0).json();
        let width: f64 = tolerance.parse().unwrap();
        assert_eq!(solution["tolerance"], width);
        for n in 0..=40 {
            let at = |field: &str| solution[field][n].as_f64().unwrap();
            assert!(at("threshold_upper") - at("threshold_lower") <= width);
        }
    }
}

/// What differs between two runs of the same thing.
fn timeless(mut solution: serde_json::Value) -> serde_json::Value {
    solution["seconds"] = 0.into();
    solution
}

#[test]
fn the_number_of_threads_does_not_change_the_numbers() {
    let workplace = Workplace::with_model();
    let alone = workplace.run(&["solve", "model.ron", "--json"]).exits(0).json();
    for threads in ["1", "2", "7"] {
        let arguments = ["solve", "model.ron", "--json", "--threads", threads];
        let solution = workplace.run(&arguments).exits(0).json();
        assert_eq!(timeless(solution), timeless(alone.clone()));
    }
}

#[test]
fn exact_fractions_lie_within_the_bounds() {
    let workplace = Workplace::new();
    workplace.write("model.ron", MODEL.replace("40", "8"));
    let solution = workplace.run(&["solve", "model.ron", "--json", "--exact"]).exits(0).json();
    let exact = &solution["exact"];
    assert_eq!(exact["n0"], solution["n0"]);
    for n in 0..=8 {
        let decimal = exact["threshold_decimal"][n].as_f64().unwrap();
        assert!(solution["threshold_lower"][n].as_f64().unwrap() <= decimal);
        assert!(decimal <= solution["threshold_upper"][n].as_f64().unwrap());
    }
    assert!(workplace.run(&["solve", "model.ron", "--exact"]).exits(0).out.contains("pi_8 = 1.0"));
}

#[test]
fn check_tells_facts_without_solving() {
    let workplace = Workplace::with_model();
    let facts = workplace.run(&["check", "model.ron", "--json"]).exits(0).json();
    assert_eq!(facts["problem"], "phase_change");
    assert_eq!(facts["last_step"], 40);
    assert_eq!(facts["increasing_failure_rate"], true);
    let text = workplace.run(&["check", "model.ron"]).exits(0).out;
    assert!(text.contains("last_step: 40"), "{text}");
}

#[test]
fn help_version_completions_and_the_manual() {
    let workplace = Workplace::new();
    let help = workplace.run(&["--help"]).exits(0).out;
    for part in ["solve", "sweep", "Model(", "Exit codes", "130"] {
        assert!(help.contains(part), "{part} is not in\n{help}");
    }
    assert!(workplace.run(&["solve", "--help"]).exits(0).out.contains("--time-limit"));
    assert!(workplace.run(&["--version"]).exits(0).out.starts_with("remap "));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = workplace.run(&["completions", shell]).exits(0).out;
        assert!(script.contains("tolerance"), "{shell}");
    }
    let manual = workplace.run(&["man"]).exits(0).out;
    for part in [".TH remap 1", "REMAP SOLVE", "REMAP SWEEP", "\\-\\-tolerance", "Exit codes"] {
        assert!(manual.contains(part), "{part} is not in\n{manual}");
    }
}

#[test]
fn the_model_shown_in_the_help_is_a_model() {
    let workplace = Workplace::new();
    let help = workplace.run(&["--help"]).exits(0).out;
    let start = help.find("  Model(").unwrap();
    let end = start + help[start..].find("\n  )\n").unwrap() + 4;
    workplace.write("shown.ron", &help[start..end]);
    workplace.run(&["check", "shown.ron"]).exits(0);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let workplace = Workplace::new();
    workplace.write("model.ron", MODEL.replace("40", "100000"));
    for arguments in [&["solve", "--json", "model.ron"][..], &["man"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_remap"))
            .args(arguments)
            .current_dir(workplace.root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(err, "");
    }
}

#[test]
fn files_are_written_though_nobody_reads_the_output() {
    let workplace = Workplace::with_model();
    let mut child = Command::new(env!("CARGO_BIN_EXE_remap"))
        .args(["solve", "model.ron", "--out", "results"])
        .current_dir(workplace.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(workplace.path("results/model.json").exists());
}

/// Help fits the terminal, in paragraphs; examples stay whole where they fit.
#[test]
fn help_wraps_at_the_width_of_the_terminal() {
    let workplace = Workplace::new();
    let verbs = [
        "solve",
        "check",
        "sweep",
        "join",
        "compare",
        "regret",
        "study",
        "monitor",
        "calibrate",
        "verify",
        "simulate",
        "fit",
        "replay",
        "advise",
        "export",
        "report",
    ];
    for verb in verbs {
        for width in [60, 80, 100] {
            let mut command = workplace.command();
            command.args([verb, "--help"]).env("COLUMNS", width.to_string());
            let help = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let long = help.lines().find(|line| {
                line.chars().count() > width
                    && line.trim().contains(' ')
                    && !line.starts_with("Usage")
            });
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
    if !crate::languages::is_there("bash") {
        crate::languages::skipped("bash");
        return;
    }
    let workplace = Workplace::new();
    let script = workplace.run(&["completions", "bash"]).exits(0).out;
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
    workplace.write("model.ron", crate::workplace::MODEL);
    workplace.run(&["compare", "model.ron", "--policies", "fixed:0.7,never"]).exits(0);
}

/// A method that some models of a problem have is not said to be for none of them.
#[test]
fn methods_that_other_models_have_are_refused_with_a_reason() {
    let models = format!("{}/../models", env!("CARGO_MANIFEST_DIR"));
    let reason = "value and policy are for models with a highest load and one remap cost";
    // Lines are broken where the path ends.
    let refused = |model: &str, method: &str| {
        let refused = Workplace::new().run(&["solve", model, "--method", method]).exits(2);
        let lines = refused.err.lines().map(|line| line.trim_start_matches([' ', '│', '×']));
        lines.collect::<Vec<_>>().join(" ")
    };
    for deck in ["sixty_steps", "units_moved", "unbounded", "partial"] {
        for method in ["value", "policy", "bounds"] {
            let model = format!("{models}/stopping/{deck}.ron");
            let said = refused(&model, method);
            let expected = format!("--method {method} is not for this stopping model: {reason}");
            assert!(said.contains(&expected), "{said}");
        }
    }
    let model = format!("{models}/stopping/yin_xu_wang.ron");
    let said = refused(&model, "bounds");
    assert!(
        said.contains("is not for stopping") && said.contains("take auto, value or policy"),
        "{said}"
    );
}

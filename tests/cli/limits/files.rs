//! Files are written whole or not at all, and never over others unasked.

use crate::support::prelude::*;

#[test]
fn out_writes_the_document_of_each_model() {
    let workplace = Workplace::with_model();
    workplace.write("other.v2.ron", MODEL.replace("Drift", "Other"));
    let shown = workplace.answer("solve model.ron other.v2.ron --out deep/results");
    for (at, name) in ["model", "other.v2"].iter().enumerate() {
        let written = format!("deep/results/{name}.json");
        assert!(workplace.read(&written).ends_with("}\n"));
        assert_eq!(workplace.document(&written), shown[at]);
    }
    assert_eq!(workplace.names_in("deep/results").len(), 2);
}

#[test]
fn plots_are_svg_and_png() {
    let workplace = Workplace::with_model();
    workplace.remap("solve model.ron --plot curve.svg").exits(0);
    workplace.remap("solve model.ron --plot CURVE.PNG").exits(0);
    let svg = workplace.read("curve.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let png = std::fs::read(workplace.path("CURVE.PNG")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(png.len() > 5000);
    assert_eq!(workplace.names(), ["CURVE.PNG", "curve.svg", "model.ron"]);
}

#[test]
fn existing_files_stay_unless_forced() {
    let workplace = Workplace::with_model();
    workplace.write("curve.svg", "mine");
    let plot = "solve model.ron --plot curve.svg";
    let outcome = workplace.remap(plot).exits(1).says("curve.svg exists already").says("--force");
    assert_eq!(outcome.out, "", "no work before the refusal");
    assert_eq!(workplace.read("curve.svg"), "mine");
    workplace.remap(format!("{plot} --force")).exits(0);
    assert!(workplace.read("curve.svg").starts_with("<svg"));

    let out = "solve model.ron --out results";
    workplace.remap(out).exits(0);
    workplace.write("results/model.json", "mine");
    workplace.remap(out).exits(1).says("exists already");
    assert_eq!(workplace.read("results/model.json"), "mine");
    workplace.remap(format!("{out} --force")).exits(0);
    assert!(workplace.read("results/model.json").starts_with('{'));
}

/// What is known of a run that was stopped is replaced by the same command, also where nothing of
/// it was saved; that of another model is not.
#[test]
fn partial_answers_are_replaced_by_the_same_command() {
    let walks = "ContinuousDrift(processors: 64, increments: Normal(deviation: 1.0), steps: 2000, remap_cost: 12.0)";
    let states = "Stopping(processes: Identical(count: 3, chain: Walk(levels: 60, up: 0.25, down: 0.25, edge: Hold)), \
         remap_cost: 90000.0, after_remap: Stop)";
    for problem in [walks, states] {
        let workplace = Workplace::new();
        let write = |title: &str| {
            let text = format!("Model(title: \"{title}\", problem: {problem})");
            workplace.write("model.ron", text);
        };
        write("one");
        let limited = "solve model.ron --out out --tolerance 1e-12 --time-limit 0.05";
        workplace.remap(limited).exits(3);
        workplace.remap(limited).exits(3).says("has saved nothing: from the start");
        write("another");
        workplace.remap(limited).exits(1).says("exists already");
    }
}

#[test]
fn one_file_that_is_in_the_way_stops_all() {
    let workplace = Workplace::with_model();
    workplace.write("b.ron", MODEL);
    std::fs::create_dir(workplace.path("results")).unwrap();
    workplace.write("results/b.json", "mine");
    workplace.remap("solve model.ron b.ron --out results").exits(1);
    assert!(!workplace.path("results/model.json").exists());
    assert_eq!(workplace.read("results/b.json"), "mine");
}

#[test]
fn two_models_of_one_name_are_not_written_over_each_other() {
    let workplace = Workplace::with_model();
    std::fs::create_dir(workplace.path("more")).unwrap();
    workplace.write("more/model.ron", MODEL);
    let refused = workplace.remap("solve model.ron more/model.ron --out results").exits(2);
    refused.says("would both be written to results/model.json");
    assert!(!workplace.path("results").exists());
}

#[test]
fn what_cannot_be_written_is_told_before_any_work() {
    let workplace = Workplace::with_model();
    let refused = |options: &str, words: &str| {
        let before = workplace.names();
        let outcome = workplace.remap(format!("solve model.ron {options}")).exits(1);
        let outcome = outcome.says(words).says("help:");
        assert_eq!(outcome.out, "");
        assert_eq!(workplace.names(), before);
    };
    refused("--plot absent/curve.svg", "there is no folder absent");
    refused("--plot model.ron/curve.svg", "there is no folder model.ron");
    refused("--out model.ron", "model.ron is not a folder");
    refused("--out model.ron/results", "model.ron is not a folder");
    if cfg!(target_os = "linux") {
        // Not even the superuser can make files there.
        refused("--plot /proc/curve.svg", "cannot write into the folder /proc");
        refused("--out /proc", "cannot write into the folder /proc");
        refused("--out /proc/results", "cannot write into the folder /proc");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let locked = workplace.path("locked");
        std::fs::create_dir(&locked).unwrap();
        let allow = |mode| std::fs::set_permissions(&locked, PermissionsExt::from_mode(mode));
        allow(0o555).unwrap();
        // The superuser may write everywhere; then there is nothing to refuse.
        if std::fs::write(locked.join("probe"), "").is_err() {
            refused("--plot locked/curve.svg", "cannot write into the folder locked");
            refused("--out locked", "cannot write into the folder locked");
            refused("--out locked/results", "cannot write into the folder locked");
        }
        allow(0o755).unwrap();
    }
}

#[test]
fn results_can_be_read_by_others() {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let workplace = Workplace::with_model();
        workplace.remap("solve model.ron --plot curve.svg").exits(0);
        let mode = std::fs::metadata(workplace.path("curve.svg")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
    }
}

//! The report: one page that needs nothing else.

use crate::support::languages::{is_there, skipped};
use crate::support::prelude::*;
use std::process::Command;

#[test]
fn a_page_shows_models_solutions_and_sweeps() {
    let place = Workplace::with_model();
    place.solved("model.ron");
    let sweep = "sweep models/stopping/yin_xu_wang.ron --set problem.remap_cost=1:4:1 --json";
    place.write("sweep.json", place.shown(sweep));
    let periodic = deck_text("periodic/cost_aware.ron");
    place.write("periodic.ron", periodic.replace("count: 64", "count: 4"));
    let drift = "models/load_drift/three_chains.ron";
    let report =
        format!("report model.ron solution.json sweep.json periodic.ron {drift} -o report.html");
    place.remap(&report).exits(0);
    let page = place.read("report.html");
    // Five sections; sliders over the cost (and the tolerance), the sweep's own, none for the
    // solution. Of two sliders as many positions as time allows.
    assert_eq!(page.matches("<section ").count(), 5);
    assert_eq!(page.matches("type=\"range\"").count(), 1 + 1 + 2 + 1);
    let frames = page.matches("class=\"frame\"").count();
    assert!((9 + 1 + 4 + 9 + 9..=9 + 1 + 4 + 63 + 9).contains(&frames), "{frames}");
    let hidden = page
        .lines()
        .filter(|line| line.starts_with("<div class=\"frame\"") && line.ends_with(" hidden>"));
    assert_eq!(hidden.count(), frames - 5);
    has(&page, &["detector: (false_alarm: 0.1, missed: 0.2)", "widest bounds of a threshold"]);
    has(&page, &[">stop_at_rise</th>", ">guarded:0.7</th>"]);
    // Nothing comes from elsewhere.
    lacks(&page, &["http://", "https://", "src=", "@import"]);
    place.remap(&report).exits(1).says("exists already");
    place.remap("report absent.json").exits(1).says("cannot read absent.json");
    place.write("odd.json", "{\"runs\": []}");
    place.remap("report odd.json").exits(1).says("without runs");
}

/// What is nothing is a 0, and not one of three hundred digits.
#[test]
fn never_has_no_remaps() {
    let place = Workplace::stating(
        "PhaseChange(lifetime: Fixed(500), cycle: (before: 1.0, after: 1.6, remapped: 1.05), remap: (test: 6.0, \
         install: 2.0), detector: (false_alarm: 0.0362, missed: 0.0025), hazard: Constant(0.004))",
    );
    let page = place.shown("report model.ron");
    let never = page.lines().find(|line| line.contains(">never</th>")).unwrap();
    assert!(never.ends_with("<td>0</td></tr>"), "{never}");
    let found = place.answer("compare model.ron --policies never");
    let metrics = &found["policies"][0]["per_metric"];
    for field in ["remaps", "premature_remaps"] {
        assert_eq!(metrics[field], serde_json::json!({ "lower": 0.0, "upper": 0.0 }), "{metrics}");
    }
}

#[test]
fn what_a_title_says_is_not_markup() {
    let place = Workplace::of(MODEL.replace("Drift", "<script>alert(1)</script> & co"));
    let page = place.shown("report model.ron");
    lacks(&page, &["<script>alert"]);
    has(&page, &["&lt;script&gt;alert(1)&lt;/script&gt; &amp; co"]);
}

/// In a browser: moving a slider shows another picture and says its value; the page does not need
/// the network, and prints.
#[test]
fn the_sliders_work_in_a_browser() {
    if !is_there("chromium") {
        skipped("chromium");
        return;
    }
    let place = Workplace::new();
    let page = place.shown("report models/stopping/yin_xu_wang.ron");
    // A script that moves the slider by key as its user would, and leaves what it sees in the
    // title.
    let test = "<script>
const slider = document.querySelector('input[type=range]');
const shown = () => [...document.querySelectorAll('.frame')].findIndex((frame) => !frame.hidden);
const before = shown();
slider.focus();
slider.stepUp(2);
slider.dispatchEvent(new Event('input'));
const visible = [...document.querySelectorAll('.frame')].filter((frame) => !frame.hidden).length;
const pictures = document.querySelectorAll('.frame:not([hidden]) svg').length;
document.title = [before, shown(), visible, pictures, slider.nextElementSibling.value,
  slider.getAttribute('aria-valuetext'), document.activeElement === slider].join(' ');
</script></body>";
    place.write("page.html", page.replace("</body>", test));
    let browse = |arguments: &[&str]| {
        let output = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", place.path("profile").display()))
            .args(arguments)
            .arg(format!("file://{}", place.path("page.html").display()))
            .current_dir(place.root())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let seen = browse(&["--dump-dom"]);
    assert!(seen.contains("<title>4 6 1 1 10 10 true</title>"), "{}", &seen[..seen.len().min(600)]);
    if thorough() {
        browse(&["--print-to-pdf=page.pdf"]);
        assert!(std::fs::metadata(place.path("page.pdf")).is_ok_and(|file| file.len() > 5000));
    }
}

//! Every number of a report against `solve --json` and `compare --json`: by containment. A number
//! with an error contains the proved bounds, one without is the exact number in the digits that are
//! shown.

use crate::support::prelude::*;

/// What stands between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) =
        text.split_once(from).unwrap_or_else(|| panic!("{from:?} is not in {text:.200}"));
    rest.split_once(to).unwrap_or_else(|| panic!("{to:?} does not follow")).0
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// Half a unit of the last digit that is shown.
fn half_unit(text: &str) -> f64 {
    let (digits, power) = text.split_once('e').map_or((text, 0), |(d, p)| (d, p.parse().unwrap()));
    let places = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    if places == 0 && power == 0 { 0.0 } else { 0.5 * 10f64.powi(power - places) }
}

/// Whether a cell agrees with bounds on the number: it contains them, or is the number itself as
/// rounded.
fn holds(cell: &str, lower: f64, upper: f64) -> bool {
    match cell.split_once(" ± ") {
        Some((value, error)) => {
            let (value, error) = (number(value), number(error));
            // Wide enough, and not much wider.
            let rounding = f64::EPSILON * (value.abs() + error);
            value - error <= lower + rounding
                && upper <= value + error + rounding
                && error <= 0.75 * (upper - lower) + 4.0 * f64::EPSILON * value.abs()
        }
        None => {
            let shown = number(cell);
            let digits = cell.bytes().filter(u8::is_ascii_digit).count();
            let slack = half_unit(cell) * (1.0 + 1e-9);
            (lower - slack..=upper + slack).contains(&shown) && (digits >= 9 || shown == lower)
        }
    }
}

struct Page {
    /// What was set, and the rows of numbers, for each position of the sliders.
    frames: Vec<(String, Vec<[String; 3]>)>,
    policies: Vec<Vec<String>>,
    columns: Vec<String>,
    legend: String,
}

fn cells(row: &str) -> Vec<String> {
    let cells = row.split("</t").filter_map(|cell| {
        let at = cell.find("<th").or_else(|| cell.find("<td"))?;
        cell[at..].split_once('>').map(|(_, text)| text.to_owned())
    });
    cells.collect()
}

fn page(text: &str) -> Page {
    let rows =
        |table: &str| table.lines().filter(|line| line.starts_with("<tr>")).map(cells).collect();
    let frame = |part: &str| {
        let set = match part.starts_with(" data-set") {
            true => between(part, "data-set=\"", "\"").to_owned(),
            false => String::new(),
        };
        let table: Vec<Vec<String>> = rows(between(part, "<table><caption>Numbers", "</tbody>"));
        let row = |row: Vec<String>| <[String; 3]>::try_from(row).unwrap();
        (set, table.into_iter().map(row).collect())
    };
    let frames = text.split("<div class=\"frame\"").skip(1).map(frame).collect();
    let Some((_, policies)) = text.split_once("<table class=\"wide\"><caption>Policies") else {
        return Page { frames, policies: Vec::new(), columns: Vec::new(), legend: String::new() };
    };
    let (head, body) = policies.split_once("<tbody>").unwrap();
    Page {
        frames,
        policies: rows(body.split_once("</tbody>").unwrap().0),
        columns: cells(between(head, "<tr>", "</tr>")),
        legend: between(body, "class=\"legend\">", "</p>").to_owned(),
    }
}

/// The bounds on a number of a solution, by the name the page gives it; words by themselves.
fn truth(solution: &Value, name: &str) -> Option<Result<(f64, f64), String>> {
    let exact = |value: &Value| value.as_f64().map(|value| Ok((value, value)));
    let ends = |value: &Value| Some(Ok((value["lower"].as_f64()?, value["upper"].as_f64()?)));
    let words = |value: &Value| match value {
        Value::Null => Some(Err("never".to_owned())),
        Value::String(text) => Some(Err(text.clone())),
        other => exact(other),
    };
    let first = |list: &Value| {
        let (lower, upper) = (list["lower"][0].as_f64()?, list["upper"][0].as_f64()?);
        Some(Ok((lower, upper)))
    };
    let cost = &solution["cost_aware"];
    match name {
        "last step M" => exact(&solution["last_step"]),
        "no remap from step n0" => exact(&solution["n0"]),
        "threshold at step 0" => Some(Ok((
            solution["threshold_lower"][0].as_f64()?,
            solution["threshold_upper"][0].as_f64()?,
        ))),
        "expected time" => ends(&solution["value"]),
        "average time of a cycle, switches included" | "long-run average cost per step" => {
            ends(&solution["average"])
        }
        "the same under the map that is optimal for Stop" => ends(&solution["average_of_stop"]),
        name if name.starts_with("to the second mapping above p") => first(&solution["to_second"]),
        name if name.starts_with("back to the first below p") => first(&solution["to_first"]),
        "cost of a remap in all" => {
            let [lower, upper] = [0, 1].map(|end| solution["remap_bounds"][end].f64());
            Some(Ok((lower, upper)))
        }
        "cost of a remap" => exact(&solution["remap_cost"]).or_else(|| exact(&cost["remap_cost"])),
        "load vectors" => exact(&solution["states"]),
        "load vectors that remap" => exact(&solution["counts"]["remap"]),
        "expected cost" => ends(&solution["value_bounds"]),
        "expected remaps" => exact(&solution["remaps"]),
        "utilization" => exact(&solution["utilization"]),
        "interval of least average cost" => exact(&solution["least_average_cost"]),
        "best fixed interval" => words(&solution["best_fixed"]["interval"]),
        "expected cost of the best fixed interval" => exact(&solution["best_fixed"]["value"]),
        "expected cost of never remapping" => exact(&solution["never"]["value"]),
        "bound" => exact(&solution["bound"]),
        "longest interval within the bound" | "interval" => match &solution["interval"] {
            Value::Null => Some(Err("never ends".to_owned())),
            other => exact(other),
        },
        "proved by" => words(&solution["interval_by"]),
        "interval of least cost" => words(&cost["interval"]),
        "cost per step" => exact(&cost["cost_per_step"]),
        "tolerance" => exact(&solution["tolerance"]),
        "status" => words(&solution["status"]),
        _ => None,
    }
}

/// What is wrong with the numbers of a frame.
fn faults(rows: &[[String; 3]], solution: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for [name, cell, is] in rows {
        let holds = match name.as_str() {
            "widest bounds of a threshold"
            | "proved bounds of the values are apart"
            | "numerical error of the imbalance" => {
                // Rounded up.
                let truth = match name.as_str() {
                    "widest bounds of a threshold" => widest(solution),
                    "numerical error of the imbalance" => solution["deviation_error"].f64(),
                    _ => solution["value_gap"].f64(),
                };
                (truth..=1.11 * truth).contains(&number(cell))
            }
            // Held against the document where it is made.
            "answer" => !cell.is_empty(),
            name if name.starts_with("closest threshold") => {
                let step = number(name.rsplit(' ').next().unwrap());
                let all = solution["closest_threshold"].list();
                let found = all.iter().find(|found| found["step"] == step as u64).unwrap();
                let (value, rest) = cell.split_once(", other than optimal in ").unwrap();
                let percent = 100.0 * found["disagreement"].f64();
                let shown = rest.split_once(" %").unwrap().0;
                let close = |text: &str, truth: f64| {
                    abs_diff_eq!(number(text), truth, epsilon = half_unit(text) + 1e-12)
                };
                // What no loads exceed is a word.
                let [processors, levels, threshold] =
                    [&solution["processors"], &solution["levels"], &found["threshold"]]
                        .map(Json::f64);
                let most = (processors - 1.0) * (levels - 1.0) / processors;
                let is_right = match value {
                    "never" => threshold > most,
                    value => threshold < most && close(value, threshold),
                };
                is_right && close(shown, percent)
            }
            name => match truth(solution, name) {
                None => panic!("nothing is known of {name:?}"),
                Some(Ok((lower, upper))) => {
                    // Where there is an error, it is said of what kind.
                    holds(cell, lower, upper) && (cell.contains('±') <= (is == "proved"))
                }
                Some(Err(words)) => *cell == words,
            },
        };
        if !holds {
            faults.push(format!("{name}: {cell}"));
        }
    }
    faults
}

fn widest(solution: &Value) -> f64 {
    let list = |name: &str| -> Vec<f64> {
        solution[name].list().iter().filter_map(Value::as_f64).collect()
    };
    let widths = list("threshold_upper").into_iter().zip(list("threshold_lower"));
    widths.map(|(upper, lower)| upper - lower).fold(0.0, f64::max)
}

/// What the model of a frame solves to.
fn solved(place: &Workplace, model: &str, set: &str) -> Value {
    if set.is_empty() {
        return place.answer(format!("solve {model}"));
    }
    let sets: String = set.split(';').map(|one| format!(" --set {one}")).collect();
    place.answer(format!("sweep {model}{sets}"))["runs"][0]["solution"].clone()
}

/// What is wrong with the policies of a page.
fn policy_faults(page: &Page, compared: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let column = |name: &str| page.columns.iter().position(|column| column.contains(name));
    for row in &page.policies {
        let lines = compared["policies"].list();
        let line = lines.iter().find(|line| line["policy"] == row[0].as_str()).unwrap();
        let ends = |value: &Value| {
            let mean = value["mean"]
                .as_f64()
                .or_else(|| Some(0.5 * (value["lower"].as_f64()? + value["upper"].as_f64()?)));
            let mean = mean.unwrap();
            let end = |name: &str| value[name].as_f64().unwrap_or(mean);
            (end("lower"), end("upper"))
        };
        let joined = |value: &str, error: &str| match error {
            "" => value.to_owned(),
            error => format!("{value} ± {error}"),
        };
        let (lower, upper) = ends(line);
        let (cost, width) = (&row[1], &row[2]);
        let asymmetric = |cell: &str, lower: f64, upper: f64| match cell.split_once(" ± ") {
            None => holds(cell, lower, upper) || number(cell) == lower,
            Some((value, error)) => {
                let (value, error) = (number(value), number(error));
                value - error <= lower + 1e-12
                    && upper <= value + error + 1e-12
                    && error <= 1.11 * (upper - lower).max(4e-16 * value.abs())
            }
        };
        if !asymmetric(&joined(cost, width), lower, upper) {
            faults.push(format!("{}: {cost} ± {width}, not {lower} to {upper}", row[0]));
        }
        if let Some(at) = column("exact") {
            let truth = line["exact"].as_f64();
            let right = match truth {
                None => row[at].is_empty(),
                Some(truth) => holds(&row[at], truth, truth),
            };
            if !right {
                faults.push(format!("{}: exactly {}", row[0], row[at]));
            }
        }
        let remaps = &row[column("remaps").unwrap()];
        let known = &line["per_metric"]["remaps"];
        let right = match known {
            Value::Null => remaps.is_empty(),
            known => {
                let (lower, upper) = ends(known);
                asymmetric(remaps, lower, upper)
            }
        };
        if !right {
            faults.push(format!("{}: {remaps} remaps", row[0]));
        }
    }
    faults
}

/// All numbers of the page of a model; the number of its frames.
fn check(place: &Workplace, name: &str, every: usize) -> usize {
    let model = &format!("models/{name}");
    let page = page(&place.shown(format!("report {model}")));
    for (set, rows) in page.frames.iter().step_by(every) {
        let faults = faults(rows, &solved(place, model, set));
        assert!(faults.is_empty(), "{name}, {set}: {faults:?}");
    }
    if !page.policies.is_empty() {
        let policies: Vec<&str> = page.policies.iter().map(|row| row[0].as_str()).collect();
        let (policies, sampled) = (policies.join(","), page.legend.contains("sample paths"));
        let runs = if sampled { between(&page.legend, "Means of ", " ") } else { "100" };
        let compared = format!("compare {model} --policies {policies} --runs {runs}");
        let faults = policy_faults(&page, &place.answer(compared));
        assert!(faults.is_empty(), "{name}: {faults:?}");
        let level = if sampled { "±, 95 %" } else { "±, proved" };
        assert!(page.columns.iter().any(|column| column == level), "{name}: {:?}", page.columns);
    }
    page.frames.len()
}

#[test]
fn numbers_of_reports_are_those_of_solve_and_compare() {
    let place = Workplace::new();
    let all = [
        ("phase_change/fluids.ron", 3),
        ("stopping/yin_xu_wang.ron", 3),
        ("load_drift/three_chains.ron", 4),
        ("phase_switching/endless.ron", 5),
        ("stopping/restart.ron", 3),
        ("stopping/migrating.ron", 3),
        ("phase_switching/recurring.ron", 8),
    ];
    let some = &all[..few_or_all(4, 7)];
    let frames: usize = some.iter().map(|(name, every)| check(&place, name, *every)).sum();
    assert!(frames >= few_or_all(9 + 9, 9 + 9 + 9 + 9), "{frames}");
}

/// Each number of a page, made wrong in its last digit, is found.
#[test]
fn wrong_digits_are_found() {
    let place = Workplace::new();
    for name in ["phase_change/fluids.ron", "stopping/restart.ron", "load_drift/three_chains.ron"] {
        let model = &format!("models/{name}");
        let page = page(&place.shown(format!("report {model}")));
        let (set, rows) = &page.frames[page.frames.len() / 2];
        let solution = solved(&place, model, set);
        assert_eq!(faults(rows, &solution), Vec::<String>::new());
        for row in 0..rows.len() {
            let mut spoilt = rows.clone();
            let cell = &mut spoilt[row][1];
            let value = cell.split([' ', ',']).next().unwrap().to_owned();
            if value.parse::<f64>().is_err() {
                continue;
            }
            // Two units of the last digit, or of the one before where that is within the error.
            let place =
                value.split('e').next().unwrap().len() - 2 * usize::from(cell.contains('±')) - 1;
            let digit = value.as_bytes()[place];
            if !digit.is_ascii_digit() {
                continue;
            }
            let other = char::from(b'0' + (digit - b'0' + 5) % 10);
            cell.replace_range(place..=place, &other.to_string());
            assert!(
                !faults(&spoilt, &solution).is_empty(),
                "{name}: {:?} for {value}",
                spoilt[row]
            );
        }
        // An error rounded down.
        for row in 0..rows.len() {
            let mut spoilt = rows.clone();
            let Some((value, error)) = rows[row][1].split_once(" ± ") else { continue };
            spoilt[row][1] = format!("{value} ± {:e}", 0.9 * number(error));
            assert!(!faults(&spoilt, &solution).is_empty(), "{name}: {:?}", spoilt[row]);
        }
    }
}

/// Every slider frame of five models. Run by `cargo test -p remapping-cli --test cli -- --ignored
/// all_frames`.
#[test]
#[ignore = "solves 99 models twice: a minute"]
fn all_frames_of_five_models() {
    let place = Workplace::new();
    let frames: usize = [
        "phase_change/fluids.ron",
        "stopping/yin_xu_wang.ron",
        "stopping/restart.ron",
        "load_drift/three_chains.ron",
        "periodic/cost_aware.ron",
    ]
    .map(|name| check(&place, name, 1))
    .iter()
    .sum();
    // Of the 63 of the last model as many as its time allows.
    assert!((36 + 9..=99).contains(&frames), "{frames} frames");
}

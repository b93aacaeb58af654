//! Solutions against their certificates: what is as it was solved is accepted, and whoever changes a field that
//! is said to be proved is refused.

use crate::support::workplace::{Json, MODEL, Workplace, stated};
use crate::thorough::some;
use remap::problems::proved::{Fields, compare};
use remap::problems::recomputed::Second;
use remap::problems::registry::Loaded;
use remap::problems::registry::{Certified, of_text};
use remap::problems::{self, Files, Settings, certificate};
use remap_checker::{Budget, Checked, Proof, check_within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

pub const TOLERANCE: f64 = 1e-9;

/// A solution as a document, and its certificate.
pub struct Case {
    pub document: Value,
    /// Where it proves less than was asked for.
    pub warning: Option<String>,
    checked: Checked,
    second: Mutex<Second>,
}

impl Case {
    pub fn of(loaded: &Loaded, settings: Settings) -> Case {
        Case::asked(loaded, Settings { tolerance: TOLERANCE, ..settings })
    }

    /// As exactly as the settings say.
    pub fn asked(loaded: &Loaded, settings: Settings) -> Case {
        let solved = problems::solve(loaded, &settings, Files::default());
        let mut solved = solved.unwrap_or_else(|_| panic!("not solved"));
        let made = certificate::of(loaded, &solved, &Budget::default());
        let certificate::Certificate { bytes, warning } =
            made.unwrap_or_else(|c| panic!("{}\n{c}", loaded.text()));
        let checked = check_within(loaded.text(), loaded.folder(), &bytes, &Budget::default());
        let [file, model] = ["c", "m.ron"].map(PathBuf::from);
        solved.solution.certificate = Some(Certified { file, model });
        let document = serde_json::to_value(&solved.solution).unwrap();
        let checked = checked.unwrap_or_else(|refusal| panic!("{refusal}"));
        Case { document, warning, checked, second: Second::of(loaded.clone(), None).into() }
    }

    pub fn deck(name: &str, settings: Settings) -> Case {
        Case::of(&Loaded::read(&models().join(name)).expect("a model"), settings)
    }

    pub fn model(problem: &str, settings: Settings) -> Case {
        let place = Workplace::new();
        place.write("m.ron", stated(problem));
        Case::of(&Loaded::read(&place.path("m.ron")).expect("a model"), settings)
    }

    /// The document with other fields.
    fn with(&self, fields: &[(&str, Value)]) -> Value {
        let mut document = self.document.clone();
        fields.iter().for_each(|(field, value)| document[*field] = value.clone());
        document
    }

    /// What `verify` finds in a document.
    pub fn verify(&self, document: &Value) -> Result<Fields, String> {
        let second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        self.verify_with(document, &second)
    }

    /// The same with a second solution of the model from elsewhere.
    pub fn verify_with(&self, document: &Value, second: &Second) -> Result<Fields, String> {
        let text = document.to_string();
        let fields = serde_json::from_str(&text).unwrap();
        let solution = of_text("m.json".to_owned(), text).map_err(|c| c.to_string())?;
        compare(&solution, &fields, &self.checked, second).map(|(fields, _)| fields)
    }

    pub fn intervals(&self) -> Vec<(String, f64, f64)> {
        self.checked.proof.intervals()
    }

    pub fn fields(&self) -> Fields {
        self.verify(&self.document).unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// Why the document is refused where the value at a path is this one.
    #[track_caller]
    fn fault(&self, path: &str, value: Value) -> String {
        let mut document = self.document.clone();
        let held = document.pointer_mut(path).unwrap_or_else(|| panic!("there is no {path}"));
        assert_ne!(*held, value, "{path}");
        *held = value;
        match self.verify(&document) {
            Ok(_) => panic!("{path} may be changed"),
            Err(fault) => fault,
        }
    }

    /// That the value at a path may be none of these, and that a sentence says so.
    #[track_caller]
    fn refuses(&self, path: &str, values: impl IntoIterator<Item = Value>, said: &str) {
        for value in values {
            let fault = self.fault(path, value.clone());
            // The rule that is stated no longer goes with the rest: that is seen first.
            let named = fault.contains(said) || fault.contains(OTHER_RULE);
            assert!(named, "{path} = {value}: {fault}");
        }
    }
}

const CURVES: [&str; 3] = ["threshold", "threshold_lower", "threshold_upper"];

/// What is said of a document whose recommended rule is not that of its other fields.
const OTHER_RULE: &str = "`recommended` is not what its other fields come to";

pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models")
}

pub fn all() -> Settings {
    Settings { values: true, ..Settings::default() }
}

fn exact() -> Settings {
    Settings { exact: true, ..Settings::default() }
}

/// Defines functions for cases that are solved once, whichever tests ask for them; all of them are
/// `every_kind`.
macro_rules! cases {
    ($($(#[$doc:meta])* $name:ident = $case:expr;)*) => {
        $($(#[$doc])*
        pub fn $name() -> &'static Case {
            static CASE: LazyLock<Case> = LazyLock::new(|| $case);
            &CASE
        })*

        /// One of each kind.
        pub fn every_kind() -> Vec<&'static Case> {
            vec![$($name()),*]
        }
    };
}

cases! {
    phases = {
        let problem = &MODEL[MODEL.find("PhaseChange").unwrap()..MODEL.rfind(",\n)").unwrap()];
        Case::model(&problem.replace("Fixed(40)", "Fixed(14)"), exact())
    };
    /// More than 10^6 steps, most of which share a threshold.
    long = Case::model(
        "PhaseChange(lifetime: Uniform(first: 3000000, last: 3000004), cycle: (before: 1, after: 2, \
         remapped: 1), remap: (test: 3, install: 1.2), detector: (false_alarm: 0.1, missed: 0.2), \
         hazard: Constant(0.05))", Settings::default());
    pair = Case::deck("stopping/yin_xu_wang.ron", all());
    /// A region in which three equal processes are not remapped.
    region = Case::model(
        "Stopping(processes: Identical(count: 3, chain: Walk(lowest: -2, levels: 12, up: 0.25, \
         down: 0.2, edge: Hold)), remap_cost: 3, after_remap: Stop)", all());
    drift = Case::model(
        "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.3, down: 0.2, edge: Hold), \
         initial_load: 2, steps: 30, remap_cost: 0.7)", Settings::default());
    /// Recurring phases over a short program, with the exact solution beside it.
    switches = Case::model(&format!("PhaseSwitching({SWITCHES}, detector: {BINARY}, initial: 0.3)"), exact());
    /// More than 10^6 steps.
    long_switches = Case::model(
        "PhaseSwitching(lifetime: Fixed(3000000), cycle: (first: (own: 0, other: 0.8), second: (own: 1, \
         other: 4)), switch: (to_second: 0.5, to_first: 1), rates: (to_second: 0.01, to_first: 0.02), \
         detector: (false_alarm: 0.05, missed: 0.2))", Settings::default());
    endless = Case::deck("phase_switching/endless.ron", Settings::default());
    walkers = Case::deck("periodic/table1.ron", Settings::default());
    squares = Case::deck("periodic/correlated.ron", Settings::default());
    /// Costs by the units moved.
    moved = Case::deck("stopping/units_moved.ron", all());
    /// A computation with an end.
    ending = Case::model(
        "Stopping(processes: Identical(count: 2, chain: Walk(levels: 5, up: 0.25, down: 0.2, edge: Hold)), \
         remap_cost: (fixed: 1.3, per_unit_moved: 0.4), after_remap: Stop, steps: 12)", all());
    /// One period after the other.
    growing = Case::deck("periodic/growing.ron", Settings::default());
    cheapest = Case::deck("periodic/log_gp.ron", Settings::default());
    /// Listed states that share loads.
    bursts = Case::deck("stopping/bursts.ron", all());
    /// Walks without a highest load.
    unbounded = Case::deck("stopping/unbounded.ron", all());
    /// Remaps of any number of units.
    partial = Case::model(
        "Stopping(processes: Identical(count: 3, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Reflect)), \
         remap_cost: (fixed: 1, per_unit_moved: 2), after_remap: Restart, partial_remaps: true)", all());
    /// Three phases over some steps, and for good.
    many_phases = Case::deck("many_phases/three_phases.ron", Settings::default());
    fitted = Case::deck("many_phases/fitted.ron", Settings::default());
}

const SWITCHES: &str = "lifetime: Fixed(9), cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)), \
    switch: (to_second: 1.5, to_first: 0.7), rates: (to_second: 0.05, to_first: 0.1)";
const BINARY: &str = "(false_alarm: 0.1, missed: 0.2)";

/// The numbers next to one, and none.
fn around(number: u64) -> [Value; 3] {
    [json!(number + 1), json!(number - 1), Value::Null]
}

fn names(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

#[test]
fn every_field_of_a_solution_is_in_one_of_two_lists() {
    for case in every_kind() {
        let Fields { proved, not_proved, .. } = case.fields();
        assert!(proved.is_sorted() && not_proved.is_sorted());
        let mut both = [proved, not_proved].concat();
        both.sort();
        let mut all: Vec<String> = case.document.as_object().unwrap().keys().cloned().collect();
        all.sort();
        assert_eq!(both, all);
    }
}

/// That these fields are proved besides those that every solution has.
#[track_caller]
fn proves(case: &Case, fields: &str) {
    let head = "title problem status certificate".split(' ');
    let mut right: Vec<&str> = head.chain(fields.split(' ')).collect();
    right.sort_unstable();
    let mut proved = case.fields().proved;
    // Of a map it is proved where it is not too close.
    proved.retain(|name| name != "value_gap" || !fields.contains("remap_bounds"));
    assert_eq!(names(&proved), right);
}

#[test]
fn what_is_proved_of_each_kind() {
    let curve = "last_step n0 threshold threshold_lower threshold_upper value belief premature";
    proves(phases(), &format!("{curve} exact"));
    let shared = "threshold_stationary threshold_stationary_lower threshold_stationary_upper";
    proves(long(), &format!("{curve} {shared} stationary_through"));
    let counts =
        "remap_cost states remap_bounds remap_value largest_value decision counts value ties";
    for case in [pair(), region()] {
        proves(case, &format!("shape lowest {counts} dynamics"));
    }
    let mut rest = pair().fields().not_proved;
    rest.retain(|name| name != "value_gap");
    let right = "classes iterations representation seconds tolerance version warnings";
    assert_eq!(names(&rest).join(" "), right);
    let value = "lowest levels initial_load steps remap_cost states value value_bounds dynamics";
    proves(drift(), &format!("processors {value}"));
    // States that share loads are known by their places; of walks the levels that are shown.
    proves(bursts(), &format!("shape loads {counts} dynamics"));
    // Where there is no highest load other rules are not played.
    proves(unbounded(), &format!("shape lowest {counts}"));
    proves(partial(), "shape lowest remap_cost cost_by_state states average");
    proves(many_phases(), "phases reports fitted value last_step");
    proves(fitted(), "phases reports fitted value discount");
    let rest = "beliefs decision seconds tolerance vectors version warnings";
    assert_eq!(names(&fitted().fields().not_proved).join(" "), rest);
    // Costs that go on for ever: no decision is proved.
    let restart = Case::deck("stopping/restart.ron", all());
    proves(&restart, "shape lowest remap_cost states average dynamics");
    for (case, field) in
        [(unbounded(), "kept_levels"), (partial(), "partial_remaps"), (&restart, "decision")]
    {
        assert!(case.fields().not_proved.contains(&field.to_owned()), "{field}");
    }
}

#[test]
fn fields_that_all_solutions_have() {
    for case in [phases(), pair(), drift()] {
        case.refuses("/title", [json!("another")], "`title` is another, but the model has");
        case.refuses("/status", [json!("interrupted"), json!("time_limit")], "`status`");
        case.refuses("/tolerance", [json!(0), json!(-1)], "`tolerance`");
        // What was reached is no proof of what was not.
        let document = case.with(&[("status", json!("iteration_limit"))]);
        assert!(case.verify(&document).unwrap().not_proved.contains(&"status".to_owned()));
        for field in case.document.as_object().unwrap().keys() {
            for wrong in [json!({}), json!([["x"]])] {
                let fault = case.fault(&format!("/{field}"), wrong);
                assert!(fault.contains(field), "{field}: {fault}");
            }
        }
    }
    let other = pair();
    let document = drift().with(&[("title", other.document["title"].clone())]);
    assert!(other.verify(&document).unwrap_err().contains("`problem` is load_drift"));
}

/// Fields that one kind of model has and another does not.
#[test]
fn fields_of_other_models_are_refused() {
    let with = |case: &Case, field: &str, value: Value| {
        case.verify(&case.with(&[(field, value)])).unwrap_err()
    };
    let (pair, walks, some) = (pair(), unbounded(), partial());
    assert!(with(pair, "kept_levels", json!(12)).contains("`kept_levels`"));
    assert!(with(walks, "kept_levels", Value::Null).contains("`kept_levels`"));
    let units = some.document["partial_remaps"].clone();
    assert!(with(some, "partial_remaps", Value::Null).contains("`partial_remaps`"));
    let mut longer = units.clone();
    longer["units"].as_array_mut().unwrap().push(json!(0));
    assert!(with(some, "partial_remaps", longer).contains("`partial_remaps`"));
    let mut better = units;
    better["average_of_whole"] = json!({ "lower": 0.1, "upper": 0.2 });
    assert!(with(some, "partial_remaps", better).contains("`partial_remaps.average_of_whole`"));
    let (ends, goes_on) = (many_phases(), fitted());
    ends.refuses("/phases", [json!(2), json!(4)], "phases");
    ends.refuses("/reports", [json!(2)], "`reports`");
    ends.refuses("/fitted", [json!(true)], "`fitted`");
    ends.refuses("/last_step", [json!(199), Value::Null], "`last_step`");
    goes_on.refuses("/discount", [json!(0.94), Value::Null], "`discount`");
    assert!(with(ends, "discount", json!(0.5)).contains("`discount`"));
    assert!(with(goes_on, "last_step", json!(5)).contains("`last_step`"));
    ends.refuses("/value", [json!({ "lower": 1.0, "upper": 2.0 }), Value::Null], "`value`");
    ends.refuses("/value/upper", [json!(300.0), json!(200.0)], "`value`");
    // A fraction outside what is proved, and one within that is no result of solving the model again.
    assert!(with(ends, "exact", json!("100")).contains("`exact`"));
    assert!(with(ends, "exact", json!("x")).contains("`exact`"));
    assert!(with(ends, "exact", json!("253")).contains("`exact` is \"253\""));
}

/// A missing field, and one that is null, is named.
#[test]
fn fields_that_are_missing_or_null_are_named() {
    for case in [phases(), long(), pair(), region(), drift()] {
        let proved = case.fields().proved;
        for field in proved.iter().filter(|name| *name != "certificate") {
            // What not every solution has says nothing where it is missing.
            let optional = ["exact", "value"].contains(&field.as_str());
            let mut without = case.document.clone();
            without.as_object_mut().unwrap().remove(field);
            for document in [without, case.with(&[(field, Value::Null)])] {
                match case.verify(&document) {
                    Ok(fields) => assert!(optional && !fields.proved.contains(field), "{field}"),
                    Err(fault) => {
                        let shared = field.contains("stationary");
                        let said = if shared { "threshold" } else { field };
                        let named = fault.contains(said) || fault.contains(OTHER_RULE);
                        assert!(named, "{field}: {fault}");
                    }
                }
            }
        }
    }
}

#[test]
fn fields_of_threshold_curves() {
    let case = phases();
    let last = case.document["last_step"].u64();
    case.refuses("/last_step", [json!(last + 1), json!(last - 1)], "steps");
    let n0 = case.document["n0"].u64();
    case.refuses("/n0", [json!(n0 + 1), json!(n0 - 1), json!(0)], "`n0` is");
    case.refuses("/threshold/3", [json!(0.9), json!(0)], "`threshold[3]` is");
    case.refuses("/threshold_lower/3", [json!(0.0), json!(0.1)], "threshold[3]");
    case.refuses("/threshold_upper/3", [json!(1.0), json!(0.9)], "threshold[3]");
    case.refuses("/threshold/3", [json!(null), json!("x")], "`threshold[3]`: invalid type");
    for list in CURVES {
        case.refuses(&format!("/{list}"), [json!([])], "threshold");
    }
    let none = case.with(&CURVES.map(|list| (list, json!([]))));
    let fault = case.verify(&none).unwrap_err();
    assert!(fault.contains("`threshold` has 0 entries for the steps 0 to 14"));
    let [lower, _] = case.document["value"].ends();
    case.refuses("/value/lower", [json!(lower - 1e-6), json!(lower + 1e-6)], "`value`");
    case.refuses("/value/upper", [json!(lower - 1e-6), json!(lower + 1e-6)], "`value`");
    for (field, other) in [("false_alarm", 0.1000001), ("missed", 0.21), ("hazard", 0.06)] {
        case.refuses(&format!("/belief/{field}"), [json!(other)], &format!("`belief.{field}` is"));
    }
    case.refuses("/belief/hazard", [json!([0.05])], "`belief.hazard` has");
    case.refuses("/exact/n0", [json!(n0 + 1)], "`exact.n0` is");
    case.refuses("/exact/value", [json!("1/3"), json!("x")], "`exact.value` is");
    case.refuses("/exact/threshold/2", [json!("1/3"), json!("")], "`exact.threshold[2]` is");
    case.refuses("/exact/threshold_decimal/2", [json!(0.5)], "`exact.threshold_decimal[2]` is");
    case.refuses("/exact/threshold", [json!([])], "`exact.threshold` has 0 entries");
    // Bounds so wide that they say nothing.
    let mut wide = case.document.clone();
    (wide["threshold_lower"][5], wide["threshold_upper"][5]) = (json!(0.0), json!(1.0));
    assert!(case.verify(&wide).unwrap_err().contains("wider apart than the tolerance"));
}

#[test]
fn fields_of_long_curves() {
    let case = long();
    let ends = ["lower", "upper"].map(|end| &case.document[format!("threshold_stationary_{end}")]);
    let [lower, upper] = ends.map(Json::f64);
    for (field, out) in [("", upper + 1e-8), ("_lower", lower - 1e-8), ("_upper", upper + 1e-8)] {
        let field = format!("/threshold_stationary{field}");
        case.refuses(&field, [json!(out)], "threshold_stationary");
    }
    let through = case.document["stationary_through"].u64();
    case.refuses("/stationary_through", [json!(through + 1), json!(3_000_005), json!(0)], "t");
    let mut head = case.document.clone();
    head["threshold_head"] = json!([[0.9, 0.9]]);
    assert!(case.verify(&head).unwrap_err().contains("threshold_head[0]"));
    head["threshold_head"] = json!([[lower, upper]]);
    assert!(case.verify(&head).unwrap().proved.contains(&"threshold_head".to_owned()));
}

#[test]
fn fields_of_decision_maps() {
    for case in [pair(), region()] {
        let mut other: Vec<u64> = case.document["shape"].list().iter().map(Json::u64).collect();
        (other[0], other[1]) = (other[0] * other[1], 1);
        case.refuses("/shape", [json!(other)], "`shape[0]` is");
        case.refuses("/lowest/1", [json!(7)], "`lowest[1]` is 7");
        case.refuses("/remap_cost", [json!(12)], "`remap_cost` is");
        case.refuses("/states", [json!(12)], "`states` is 12");
        case.refuses("/remap_value", [json!(11.0)], "`remap_value` is");
        case.refuses("/remap_bounds/0", [json!(1.0)], "`remap_bounds`");
        case.refuses("/remap_bounds/1", [json!(1000)], "`remap_bounds`");
        case.refuses("/largest_value", [json!(0.5)], "`largest_value` is");
        case.refuses("/value_gap", [json!(-1e-12), json!(1)], "`value_gap` is");
        for count in ["balanced", "remap", "continued"] {
            case.refuses(&format!("/counts/{count}"), [json!(5000)], &format!("`counts.{count}`"));
        }
        case.refuses("/value/1", [json!(0.0), json!(1e9)], "`value[1]` is");
        case.refuses("/value", [json!([])], "`value[0]` is missing");
        let letters = case.document["decision"].text().to_owned();
        case.refuses("/ties", [json!([letters.len()]), json!([0])], "`ties[0]` is");
        case.refuses("/decision", [json!(letters[1..])], "`decision`");
        let reversed: String = letters.chars().rev().collect();
        for other in ["R".repeat(letters.len()), letters.replace('C', "R"), reversed] {
            if other != letters {
                case.refuses("/decision", [json!(other)], "decision");
            }
        }
        // Each letter.
        for place in some(12, 0..letters.len()) {
            for letter in ["B", "R", "C"].iter().filter(|l| &letters[place..=place] != **l) {
                let mut other = letters.clone();
                other.replace_range(place..=place, letter);
                case.refuses("/decision", [json!(other)], &format!("`decision[{place}]`"));
            }
        }
    }
    // States that are listed.
    let joint = Case::deck("stopping/particles.ron", all());
    joint.refuses("/loads/1/0", [json!(77)], "`loads[1][0]` is 77");
    joint.refuses("/loads", [json!([])], "lowest");
    let restart = Case::deck("stopping/restart.ron", all());
    let lower = restart.document["average"]["lower"].f64();
    restart.refuses("/average/lower", [json!(lower - 1e-6)], "`average`");
    restart.refuses("/average/upper", [json!(lower + 1e-6)], "`average`");
    restart.refuses("/average_of_stop/upper", [json!(lower - 1.0)], "`average_of_stop`");
    restart.refuses("/average", [json!(null)], "`average` is missing");
    restart.refuses("/counts/remap", [json!(1)], "`counts.");
    restart.refuses("/remap_bounds", [json!([9, 1])], "`remap_bounds` has the lower bound 9");
    restart.refuses("/remap_value", [json!(1e6), json!(-1)], "not in `remap_bounds`");
}

#[test]
fn fields_of_costs_by_loads_of_ends_and_of_periods() {
    let case = moved();
    case.refuses("/cost_by_state/fixed", [json!(2.5)], "`cost_by_state.fixed` is 2.5");
    case.refuses("/cost_by_state/per_unit_moved", [json!(0.5)], "per_unit_moved");
    case.refuses("/cost_by_state", [json!([1, 2])], "`cost_by_state` is of another form");
    case.refuses("/remap_cost", [json!(11)], "`remap_cost` is 11");
    let drift = Case::deck("load_drift/units_moved.ron", Settings::default());
    drift.refuses("/cost_by_state/fixed", [json!(2.5)], "`cost_by_state.fixed` is 2.5");
    drift.refuses("/cost_by_state", [json!(null)], "`cost_by_state` is of another form");
    drift.refuses("/remap_cost", [json!(4)], "`remap_cost` is 4");
    drift.refuses("/value", [json!(100)], "`value` is given as 100");
    let case = ending();
    assert!(case.fields().proved.contains(&"remaps_from".to_owned()));
    case.refuses("/steps", [json!(13)], "`steps` is 13");
    let first = case.document["remaps_from"][1].u64();
    case.refuses("/remaps_from/1", around(first), "`remaps_from[1]`");
    case.refuses("/remaps_from", [json!([]), json!(null)], "`remaps_from`");
    let case = growing();
    let second = &case.document["sequence"][1];
    let (from, load) = (second["from"].u64(), second["initial_load"].f64());
    let interval = second["interval"].u64();
    case.refuses("/sequence/1/from", [json!(from + 1)], "`sequence[1].from`");
    case.refuses("/sequence/1/initial_load", [json!(load + 1e-6)], "`sequence[1].initial_load`");
    let others = [json!(interval + 1), json!(null)];
    case.refuses("/sequence/1/interval", others, "`sequence[1].interval`");
    case.refuses("/sequence", [json!([])], "`sequence` has 0 entries");
    let case = cheapest();
    let interval = case.document["interval"].u64();
    case.refuses("/interval", around(interval), "`interval` is");
    let cost = case.document["cost_aware"]["cost_per_step"].f64();
    case.refuses("/cost_aware/cost_per_step", [json!(cost + 1e-6)], "`cost_aware.cost_per_step`");
    case.refuses("/cost_aware/remap_cost", [json!(7)], "`cost_aware.remap_cost`");
    case.refuses("/cost_aware/interval", [json!(interval + 1)], "`cost_aware.interval`");
}

/// More load vectors than a document lists.
#[test]
fn a_tie_of_the_solution_may_be_proved_to_be_the_other_letter() {
    let model = "Stopping(processes: Identical(count: 2, chain: Walk(levels: 3, up: 0.5, down: 0.5, edge: Hold)), \
                 remap_cost: 1, after_remap: Stop, steps: 2)";
    let case = Case::model(model, all());
    let settled = case.fields().proved.contains(&"decision".to_owned());
    assert!(!case.document["ties"].list().is_empty() && !settled, "{:?}", case.document);
    // Where the solution says that it knows, it has to be right.
    case.refuses("/ties", [json!([])], "is proved");
}

#[test]
fn counts_of_maps_that_are_not_listed() {
    let case = Case::deck("stopping/sixteen_chains.ron", Settings::default());
    let fields = case.fields();
    assert!(
        case.document.get("decision").is_none() && fields.proved.contains(&"counts".to_owned())
    );
    for (count, least) in [("balanced", 0.5), ("remap", 1e-8), ("continued", 1e-8)] {
        let given = case.document["counts"][count].f64();
        let more = given * (1.0 + least) + 1.0;
        case.refuses(&format!("/counts/{count}"), [json!(more)], &format!("`counts.{count}`"));
    }
    let mut listed = case.document.clone();
    listed["decision"] = json!("R");
    assert!(case.verify(&listed).is_err());
}

#[test]
fn fields_of_drifting_loads() {
    let case = drift();
    for (field, other) in [
        ("processors", 4),
        ("lowest", 0),
        ("levels", 6),
        ("initial_load", 3),
        ("steps", 29),
        ("remap_cost", 1),
        ("states", 34),
    ] {
        case.refuses(&format!("/{field}"), [json!(other)], &format!("`{field}` is {other}"));
    }
    let value = case.document["value"].f64();
    for out in [value - 1e-6, value + 1e-6] {
        case.refuses("/value", [json!(out)], "`value` is");
        case.refuses("/value_bounds/lower", [json!(out)], "value");
        case.refuses("/value_bounds/upper", [json!(out)], "value");
    }
    case.refuses("/best_fixed/value", [json!(0.9 * value)], "`best_fixed.value` is");
    case.refuses("/never/value", [json!(0.9 * value)], "`never.value` is");
    case.refuses("/closest_value", [json!(0.9 * value)], "`closest_value` is");
    let time = case.document["time"].f64();
    case.refuses("/time", [json!(time + 0.01), json!(0)], "`time` is");
}

/// What the attack of an outsider did to answers.
#[test]
fn thresholds_that_are_changed_together_are_refused() {
    let case = phases();
    let document = case.with(&CURVES.map(|list| (list, json!(vec![0.9; 15]))));
    assert!(case.verify(&document).unwrap_err().contains("threshold[0]"));
    let mut document = case.document.clone();
    for list in CURVES {
        document[list].as_array_mut().unwrap().reverse();
    }
    assert!(case.verify(&document).is_err());
}

/// Bounds so coarse that anything lies between them are right, and what lies between them is not proved.
#[test]
fn coarse_bounds_do_not_prove_what_is_between_them() {
    let case = phases();
    let wide = [("threshold", 0.9), ("threshold_lower", 0.0), ("threshold_upper", 1.0)];
    let mut document = case.with(&wide.map(|(list, all)| (list, json!(vec![all; 15]))));
    document["tolerance"] = json!(1.0);
    let found = case.verify(&document).unwrap();
    assert!(found.not_proved.contains(&"threshold".to_owned()));
    let case = pair();
    let value = case.document["remap_value"].f64();
    let mut document = case.with(&[
        ("tolerance", json!(1.0)),
        ("remap_bounds", json!([value - 1.0, value + 1.0])),
        ("remap_value", json!(value - 0.9)),
        ("value_gap", json!(0.1)),
    ]);
    document["value"][1] = json!(document["value"][1].f64() + 0.1);
    let found = case.verify(&document).unwrap();
    for field in ["remap_value", "value"] {
        assert!(found.not_proved.contains(&field.to_owned()), "{field}");
    }
}

/// Bounds of any place and width within loose ones: whatever is called proved holds the truth, which a closer solution
/// knows, and of what is not it is said how far the proof goes.
#[test]
fn bounds_that_are_proved_hold_the_truth() {
    let mut told = 0;
    for (deck, tolerance, paths) in [
        ("phase_change/table_iii_n50_g50.ron", 0.1, "/value/lower /value/upper"),
        (
            "phase_change/table_iii_n50_g50.ron",
            0.1,
            "/threshold_lower/3 /threshold_upper/3 /threshold/3",
        ),
        ("phase_switching/endless.ron", 0.01, "/average/lower /average/upper"),
        ("phase_switching/no_return.ron", 0.1, "/value/lower /value/upper"),
        (
            "phase_switching/no_return.ron",
            0.1,
            "/to_second/lower/3 /to_second/upper/3 /to_second/threshold/3",
        ),
        ("many_phases/three_phases.ron", 0.1, "/value/lower /value/upper"),
        ("stopping/yin_xu_wang.ron", 0.1, "/remap_bounds/0 /remap_bounds/1 /remap_value"),
        ("stopping/restart.ron", 0.1, "/average/lower /average/upper"),
    ] {
        let paths: Vec<&str> = paths.split(' ').collect();
        let number = |case: &Case, path: &str| case.document.at(path).f64();
        let loaded = Loaded::read(&models().join(deck)).expect("a model");
        let loose = Case::asked(&loaded, Settings { tolerance, ..all() });
        let close =
            if deck.starts_with("many") { Settings::default().tolerance } else { TOLERANCE };
        let close = Case::asked(&loaded, Settings { tolerance: close, ..all() });
        let field = paths[0].split('/').nth(1).unwrap();
        let [low, high] = [0, 1].map(|end| number(&loose, paths[end]));
        let truth = [0, 1].map(|end| number(&close, paths[end]));
        let slack = 2e-9 * truth[1].abs().max(1.0);
        for (i, j) in (0..=8).flat_map(|j| (0..=j).map(move |i| (i, j))) {
            let at = |k: i32| low + (high - low) * f64::from(k) / 8.0;
            let mut document = loose.document.clone();
            for (path, value) in paths.iter().zip([at(i), at(j), at(i)]) {
                *document.pointer_mut(path).unwrap() = json!(value);
            }
            // What is disjoint from the proof is refused.
            let Ok(found) = loose.verify(&document) else { continue };
            if found.proved.contains(&field.to_owned()) {
                let holds = at(i) <= truth[0] + slack && truth[1] <= at(j) + slack;
                assert!(holds, "{deck} {field} {i} {j}");
            } else {
                let reason = &found.reasons[field];
                assert!(reason.contains("proved is only that it is in ["), "{reason}");
                told += 1;
            }
        }
    }
    assert!(told > 40, "{told}");
}

/// A letter of which either may be right is proved where the solution says that it is open.
#[test]
fn open_letters_are_proved_where_they_are_said_to_be() {
    let loaded = Loaded::read(&models().join("stopping/yin_xu_wang.ron")).expect("a model");
    let coarse = Case::asked(&loaded, Settings { tolerance: 0.2, ..all() });
    let found = coarse.verify(&coarse.document).unwrap();
    for field in ["decision", "counts"] {
        assert!(found.proved.contains(&field.to_owned()), "{field}");
    }
    let mut unsaid = coarse.document.clone();
    let ties: Vec<usize> = serde_json::from_value(unsaid["ties"].take()).unwrap();
    assert!(!ties.is_empty());
    unsaid["ties"] = json!([]);
    let mut letters = unsaid["decision"].text().as_bytes().to_vec();
    for other in [b'R', b'C'] {
        ties.iter().for_each(|tie| letters[*tie] = other);
        let count = |letter: u8| letters.iter().filter(|own| **own == letter).count() as f64;
        unsaid["counts"]["remap"] = json!(count(b'R'));
        unsaid["counts"]["continued"] = json!(count(b'C'));
        unsaid["decision"] = json!(String::from_utf8(letters.clone()).unwrap());
        // The proof leaves open what a second solution does not.
        assert!(coarse.verify(&unsaid).unwrap_err().contains("`ties` is []"));
        let none = Second::of(loaded.clone(), Some(0.0));
        let found = coarse.verify_with(&unsaid, &none).unwrap();
        for field in ["decision", "counts"] {
            assert!(!found.proved.contains(&field.to_owned()), "{field}");
            assert!(found.reasons[field].contains("not among `ties`"));
        }
    }
}

/// What keeping up the belief takes, and what is said of never switching.
#[test]
fn beliefs_of_recurring_phases_are_those_of_the_model() {
    let levels =
        "Levels([(before: 0.7, after: 0.1), (before: 0.2, after: 0.3), (before: 0.1, after: 0.6)])";
    let several = format!("PhaseSwitching({SWITCHES}, detector: Several([{BINARY}, {levels}]))");
    let several = Case::model(&several, Settings::default());
    for case in [switches(), endless(), long_switches(), &several] {
        let fields = case.fields();
        assert!(fields.proved.contains(&"belief".to_owned()));
        assert!(!fields.proved.contains(&"never".to_owned()));
        for field in ["initial", "to_second", "to_first", "first/0", "second/1"] {
            let path = format!("/belief/{field}");
            let held = case.document.at(&path).f64();
            let said = format!("`belief.{}", field.split('/').next().unwrap());
            case.refuses(&path, [json!(0.5 * held + 0.4), json!(0.5 * held + 0.4999)], &said);
        }
        case.refuses("/belief/first", [json!([])], "`belief");
    }
    switches().refuses("/never", [json!(1.0), json!(-1e9)], "`never` is");
}

#[test]
fn the_command_says_which_fields_are_proved() {
    let place = Workplace::with_model();
    let solved = place.remap("solve model.ron --certificate c --json").exits(0);
    place.write("m.json", &solved.out);
    let found = place.answer("verify m.json");
    let strings =
        |list: &Value| Vec::from_iter(list.list().iter().map(|name| name.text().to_owned()));
    let [proved, not] = ["proved", "not_proved"].map(|list| strings(&found["fields"][list]));
    assert!(proved.contains(&"threshold".to_owned()) && not.contains(&"seconds".to_owned()));
    let steps = found["proof"]["thresholds"]["steps"].list();
    assert_eq!(steps[0]["first"], 0);
    let said = place.shown("verify m.json");
    assert!(said.contains(&format!("fields proved: {}\n", proved.join(", "))), "{said}");
    assert!(said.contains("proved: every threshold given is within"), "{said}");
    // With the model alone nothing is said of a solution.
    let found = place.answer("verify model.ron c");
    assert!(found.get("fields").is_none());
    place.write("m.json", solved.out.replace("\"threshold\": [\n    0", "\"threshold\": [\n    1"));
    let refused = place.remap("verify m.json").exits(1).says("threshold");
    assert!(refused.out.is_empty());
    place.write("m.json", solved.out.replace("\"file\": \"c\"", "\"file\": \"d\""));
    place.remap("verify m.json").exits(1).says("cannot read d");
}

#[test]
fn certificates_of_other_versions_are_refused() {
    let place = Workplace::with_model();
    place.remap("solve model.ron --certificate c").exits(0);
    let mut bytes = std::fs::read(place.path("c")).unwrap();
    assert_eq!(&bytes[..20], b"remap certificate 7\n");
    bytes[18] = b'6';
    place.write("c", bytes);
    place.remap("verify model.ron c").exits(1).says("this is not a certificate of this version");
}

/// That a state is looked up by its loads in any order.
#[test]
fn permuted_loads_have_the_same_decision() {
    let case = region();
    assert!(matches!(case.checked.proof, Proof::Map { .. }));
    let state = |loads: &[i64]| case.checked.state(loads, 0);
    assert_eq!(state(&[0, 1, 2]), state(&[2, 0, 1]));
    assert!([&[0, 1][..], &[0, 1, 10], &[-3, 0, 0]].iter().all(|loads| state(loads).is_none()));
}

/// The interval is that of the method it names, and methods that find the longest one are held against the proof, too.
#[test]
fn methods_of_fixed_intervals() {
    for case in [walkers(), squares()] {
        let by = case.document["interval_by"].text().to_owned();
        let interval = case.document["interval"].u64();
        let said = format!("`methods.{by}.interval` is");
        case.refuses(&format!("/methods/{by}/interval"), around(interval), &said);
        case.refuses("/interval_by", [json!("guess")], "`interval_by` is guess");
        for (name, line) in case.document["methods"].as_object().unwrap() {
            let finds = ["exact", "closed_form"].contains(&name.as_str());
            if finds && *name != by {
                let path = format!("/methods/{name}/interval");
                assert_eq!(line["interval"], interval);
                case.refuses(&path, [json!(interval + 1), json!(interval - 1)], "is proved");
            }
        }
    }
}

/// No cost is negative, and so is no average of costs, be it rounded outward.
#[test]
fn averages_of_nothing_are_not_negative() {
    let still = "Stopping(processes: Identical(count: 2, chain: Walk(levels: 5, up: 0, down: 0, edge: Hold)), \
                 remap_cost: 0, after_remap: Restart)";
    let case = Case::model(still, all());
    let Proof::Average(average) = &case.checked.proof else { panic!() };
    assert_eq!(average.lower.to_bits(), 0.0_f64.to_bits());
    assert_eq!(case.document["average"]["lower"], 0.0);
}

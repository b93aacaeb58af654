//! Solutions against their certificates: the cases, one of each kind, and what `verify` finds in
//! them.
//!
//! - `lists`, `fields`, `bounds`: which fields are proved, and that whoever changes one is refused.
//! - `tampered`, `decks`, `at_random`: random changes, all example models, random models.

mod at_random;
mod bounds;
mod decks;
mod fields;
mod lists;
mod tampered;

use crate::support::prelude::*;
use remap::problems::proved::{Fields, compare};
use remap::problems::recomputed::Second;
use remap::problems::registry::Loaded;
use remap::problems::registry::{Certified, of_text};
use remap::problems::{self, Files, Settings, certificate};
use remap_checker::{Budget, Checked, check_within};
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
        let loaded = Loaded::from_text(Path::new("m.ron"), stated(problem)).expect("a model");
        Case::of(&loaded, settings)
    }

    /// The document with other fields.
    pub fn with(&self, fields: &[(&str, Value)]) -> Value {
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

/// Whether a field is among those that are proved.
pub trait Proves {
    fn proves(&self, field: &str) -> bool;
}

impl Proves for Fields {
    fn proves(&self, field: &str) -> bool {
        self.proved.iter().any(|name| name == field)
    }
}

const CURVES: [&str; 3] = ["threshold", "threshold_lower", "threshold_upper"];

/// What is said of a document whose recommended rule is not that of its other fields.
const OTHER_RULE: &str = "`recommended` is not what its other fields come to";

pub fn models() -> PathBuf {
    root().join("models")
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

//! Writes two thresholds and Bayes' rule for recurring phases in several languages.

use super::fortran::{real, reals};
use super::literal;
use crate::document::rule::Switching;
use std::fmt::Write;

/// A list of numbers in rows of `width`, without the brackets of the language.
fn listed<T>(values: &[T], width: usize, shown: impl Fn(&T) -> String) -> String {
    let row = |row: &[T]| row.iter().map(&shown).collect::<Vec<_>>().join(", ");
    values.chunks(width).map(|values| format!("    {},\n", row(values))).collect()
}

/// The first steps, and the thresholds.
fn columns(runs: &[(u64, f64)]) -> (Vec<u64>, Vec<f64>) {
    runs.iter().copied().unzip()
}

pub(super) fn c(rule: &Switching) -> String {
    let mut text = String::new();
    for (name, runs) in [("to_second", &rule.to_second), ("to_first", &rule.to_first)] {
        let (from, values) = columns(runs);
        let count = runs.len();
        let _ = write!(
            text,
            "static const int64_t remap_{name}_from[{count}] = {{\n{}}};\n\
             static const double remap_{name}_value[{count}] = {{\n{}}};\n\n",
            listed(&from, 6, |n| format!("INT64_C({n})")),
            listed(&values, 4, |value| literal(*value)),
        );
    }
    let belief = &rule.belief;
    let levels = belief.first.len();
    let _ = write!(
        text,
        "/* The chance of each report of the detector, by phase. */\n\
         static const double remap_report_first[{levels}] = {{\n{}}};\n\
         static const double remap_report_second[{levels}] = {{\n{}}};\n\n\
         #define REMAP_REPORTS {levels}\n#define REMAP_INITIAL_BELIEF {}\n\n",
        listed(&belief.first, 4, |p| literal(*p)),
        listed(&belief.second, 4, |p| literal(*p)),
        literal(belief.initial),
    );
    text += "static inline double remap_lookup(const int64_t *from, const double *value, int64_t count, int64_t n)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (from[middle] <= n)
            low = middle;
        else
            high = middle;
    }
    return value[low];
}

";
    for (name, what) in [
        ("to_second", "Under the first mapping, switch"),
        ("to_first", "Under the second, switch back"),
    ] {
        let how = if name == "to_second" { "exceeds" } else { "is below" };
        let count = if name == "to_second" { rule.to_second.len() } else { rule.to_first.len() };
        let _ = write!(
            text,
            "/* {what} at step n = 0, 1, ... if the belief in the second phase {how} it. */\n\
             static inline double remap_{name}(int64_t n)\n{{\n    return remap_lookup(remap_{name}_from, \
             remap_{name}_value, {count}, n);\n}}\n\n"
        );
    }
    let (a, b) = (literal(belief.to_second), literal(belief.to_first));
    let _ = write!(
        text,
        "/* Whether to switch to the other mapping at step n, if the second phase is on with probability p;\n   \
         second: whether the second mapping is in use. */
static inline int remap_now(double p, int64_t n, int second)
{{
    return second ? p < remap_to_first(n) : p > remap_to_second(n);
}}

/* Bayes' rule: the probability of the second phase after a report, 0 .. REMAP_REPORTS - 1, from that a step
   before, which is REMAP_INITIAL_BELIEF at step 0. */
static inline double remap_belief(double p, int report)
{{
    const double begins = {a}, ends = {b};
    const double prior = p * (1.0 - ends) + (1.0 - p) * begins;
    const double yes = prior * remap_report_second[report];
    const double no = (1.0 - prior) * remap_report_first[report];
    return yes + no > 0.0 ? yes / (yes + no) : prior;
}}
"
    );
    text
}

pub(super) fn python(rule: &Switching) -> String {
    let mut text = String::from("from bisect import bisect_right\n\n");
    for (name, runs) in [("TO_SECOND", &rule.to_second), ("TO_FIRST", &rule.to_first)] {
        let (from, values) = columns(runs);
        let _ = write!(
            text,
            "{name}_FROM = (\n{})\n{name} = (\n{})\n",
            listed(&from, 8, u64::to_string),
            listed(&values, 4, |value| literal(*value)),
        );
    }
    let belief = &rule.belief;
    let _ = write!(
        text,
        "# The chance of each report of the detector, by phase.\nREPORT_FIRST = (\n{})\nREPORT_SECOND = (\n{})\n\
         INITIAL_BELIEF = {}\nBEGINS = {}\nENDS = {}\n",
        listed(&belief.first, 4, |p| literal(*p)),
        listed(&belief.second, 4, |p| literal(*p)),
        literal(belief.initial),
        literal(belief.to_second),
        literal(belief.to_first),
    );
    text + "

def to_second(n):
    \"\"\"Under the first mapping, switch at step n = 0, 1, ... if the belief in the second phase
    exceeds it.\"\"\"
    return TO_SECOND[max(bisect_right(TO_SECOND_FROM, n) - 1, 0)]


def to_first(n):
    \"\"\"Under the second mapping, switch back at step n if the belief in the second phase is below it.\"\"\"
    return TO_FIRST[max(bisect_right(TO_FIRST_FROM, n) - 1, 0)]


def remap_now(p, n, second):
    \"\"\"Whether to switch to the other mapping at step n, if the second phase is on with probability p
    and the second mapping in use or not.\"\"\"
    return p < to_first(n) if second else p > to_second(n)


def belief(p, report):
    \"\"\"Bayes' rule: the probability of the second phase after a report, numbered from 0, from that a
    step before, which is INITIAL_BELIEF at step 0.\"\"\"
    prior = p * (1.0 - ENDS) + (1.0 - p) * BEGINS
    yes = prior * REPORT_SECOND[report]
    no = (1.0 - prior) * REPORT_FIRST[report]
    return yes / (yes + no) if yes + no > 0.0 else prior
"
}

pub(super) fn rust(rule: &Switching) -> String {
    let mut text = String::new();
    for (name, runs) in [("TO_SECOND", &rule.to_second), ("TO_FIRST", &rule.to_first)] {
        let rows = listed(runs, 2, |(from, value)| format!("({from}, {})", literal(*value)));
        let _ = write!(text, "static {name}: [(u64, f64); {}] = [\n{rows}];\n", runs.len());
    }
    let belief = &rule.belief;
    let levels = belief.first.len();
    let _ = write!(
        text,
        "static REPORT_FIRST: [f64; {levels}] = [\n{}];\nstatic REPORT_SECOND: [f64; {levels}] = [\n{}];\n
/// The belief in the second phase at step 0.
pub const INITIAL_BELIEF: f64 = {};

fn lookup(runs: &[(u64, f64)], n: u64) -> f64 {{
    runs[runs.partition_point(|(from, _)| *from <= n) - 1].1
}}

/// Under the first mapping, switch at step n = 0, 1, ... if the belief in the second phase exceeds
/// it.
pub fn to_second(n: u64) -> f64 {{
    lookup(&TO_SECOND, n)
}}

/// Under the second mapping, switch back at step n if the belief in the second phase is below it.
pub fn to_first(n: u64) -> f64 {{
    lookup(&TO_FIRST, n)
}}

/// Whether to switch to the other mapping at step n, if the second phase is on with probability p
/// and the second mapping in use or not.
pub fn remap_now(p: f64, n: u64, second: bool) -> bool {{
    if second {{ p < to_first(n) }} else {{ p > to_second(n) }}
}}

/// Bayes' rule: the probability of the second phase after a report, numbered from 0, from that a
/// step before, which is `INITIAL_BELIEF` at step 0.
pub fn belief(p: f64, report: usize) -> f64 {{
    let (begins, ends) = ({}, {});
    let prior = p * (1.0 - ends) + (1.0 - p) * begins;
    let yes = prior * REPORT_SECOND[report];
    let no = (1.0 - prior) * REPORT_FIRST[report];
    if yes + no > 0.0 {{ yes / (yes + no) }} else {{ prior }}
}}
",
        listed(&belief.first, 4, |p| literal(*p)),
        listed(&belief.second, 4, |p| literal(*p)),
        literal(belief.initial),
        literal(belief.to_second),
        literal(belief.to_first),
    );
    text
}

fn whole(name: &str, values: &[u64]) -> String {
    let mut text = format!("  integer(i8), save :: {name}(0:{})\n", values.len() - 1);
    for (row, values) in values.chunks(4).enumerate() {
        let list: Vec<String> = values.iter().map(|value| format!("{value}_i8")).collect();
        let (from, to, list) = (4 * row, 4 * row + values.len() - 1, list.join(", "));
        let _ = writeln!(text, "  data ({name}(j), j = {from}, {to}) / {list} /");
    }
    text
}

pub(super) fn fortran(rule: &Switching) -> (&'static str, String, String) {
    let belief = &rule.belief;
    let mut names = String::from("  integer :: j\n");
    let initial = real(belief.initial);
    let _ = writeln!(names, "  real(dp), parameter :: remap_initial_belief = {initial}");
    for (name, runs) in [("second", &rule.to_second), ("first", &rule.to_first)] {
        let (from, values) = columns(runs);
        names += &whole(&format!("{name}_from"), &from);
        names += &reals(&format!("{name}_value"), 0, &values);
    }
    names += &reals("report_first", 0, &belief.first);
    names += &reals("report_second", 0, &belief.second);
    let (a, b) = (real(belief.to_second), real(belief.to_first));
    let text = format!(
        "  pure real(dp) function lookup(from, value, n)
    integer(i8), intent(in) :: from(0:), n
    real(dp), intent(in) :: value(0:)
    integer :: low, high, middle
    low = 0
    high = size(from)
    do while (high - low > 1)
      middle = low + (high - low) / 2
      if (from(middle) <= n) then
        low = middle
      else
        high = middle
      end if
    end do
    lookup = value(low)
  end function

  ! Under the first mapping, switch at step n = 0, 1, ... if the belief in the second phase exceeds it.
  pure real(dp) function remap_to_second(n)
    integer(i8), intent(in) :: n
    remap_to_second = lookup(second_from, second_value, n)
  end function

  ! Under the second mapping, switch back at step n if the belief in the second phase is below it.
  pure real(dp) function remap_to_first(n)
    integer(i8), intent(in) :: n
    remap_to_first = lookup(first_from, first_value, n)
  end function

  ! Whether to switch to the other mapping at step n, if the second phase is on with probability p and the
  ! second mapping in use or not.
  pure logical function remap_now(p, n, second)
    real(dp), intent(in) :: p
    integer(i8), intent(in) :: n
    logical, intent(in) :: second
    if (second) then
      remap_now = p < remap_to_first(n)
    else
      remap_now = p > remap_to_second(n)
    end if
  end function

  ! Bayes' rule: the probability of the second phase after a report, numbered from 0, from that a step
  ! before, which is remap_initial_belief at step 0.
  pure real(dp) function remap_belief(p, report) result(belief)
    real(dp), intent(in) :: p
    integer, intent(in) :: report
    real(dp) :: prior, yes, no
    prior = p * (1.0_dp - {b}) + (1.0_dp - p) * {a}
    yes = prior * report_second(report)
    no = (1.0_dp - prior) * report_first(report)
    belief = prior
    if (yes + no > 0.0_dp) belief = yes / (yes + no)
  end function
"
    );
    let public =
        "dp, i8, remap_initial_belief, remap_to_second, remap_to_first, remap_now, remap_belief";
    (public, names, text)
}

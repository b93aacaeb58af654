//! Writes a rule as a Fortran 2003 module.

use super::{heading, literal, row_width, rows};
use crate::document::rule::{
    Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, StatedRule,
};
use crate::problems::shared::map::{Index, Map};
use std::fmt::Write;

/// The module.
pub fn write(export: &StatedRule) -> String {
    let mut text = String::new();
    for line in heading(export) {
        for part in wrapped(&line, 100) {
            let _ = writeln!(text, "! {part}");
        }
    }
    let (public, declarations, functions) = match &export.rule {
        Rule::Belief(belief) => of_belief(belief),
        Rule::Switching(switching) => super::switching::fortran(switching),
        Rule::Map(map) => of_map(map),
        Rule::Imbalance(imbalance) => of_imbalance(imbalance),
        Rule::Interval(interval) => of_interval(interval),
        Rule::Level(level) => of_level(level),
    };
    text += "module remap_policy\n  implicit none\n  private\n";
    let _ = writeln!(text, "  public :: {public}");
    text +=
        "  integer, parameter :: dp = selected_real_kind(15, 307), i8 = selected_int_kind(18)\n\n";
    text + &declarations + "\ncontains\n\n" + &functions + "\nend module remap_policy\n"
}

/// Breaks a line at blanks: Fortran lines have at most 132 columns.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + word.chars().count() >= width {
            lines.push(word.chars().take(width).collect());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.extend(word.chars().take(width));
        }
    }
    lines
}

pub(super) fn real(value: f64) -> String {
    format!("{}_dp", literal(value))
}

pub(super) fn reals(name: &str, first: usize, values: &[f64]) -> String {
    let mut text = format!("  real(dp), save :: {name}({first}:{})\n", first + values.len() - 1);
    for (row, values) in values.chunks(3).enumerate() {
        let (from, list) = (first + 3 * row, values.iter().map(|value| real(*value)));
        let to = from + values.len() - 1;
        let list = list.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "  data ({name}(j), j = {from}, {to}) / {list} /");
    }
    text
}

fn of_belief(belief: &Belief) -> (&'static str, String, String) {
    let Belief { last, head, stationary, tail, detector, hazard } = belief;
    let mut names = String::from("  integer :: j\n");
    let _ = writeln!(names, "  integer(i8), parameter :: remap_last_step = {last}_i8");
    if !head.is_empty() {
        names += &reals("head", 0, head);
    }
    if !tail.is_empty() {
        names += &reals("tail", 0, tail);
    }
    if hazard.len() > 1 {
        names += &reals("hazards", 1, hazard);
    }
    let from = belief.tail_from();
    let mut text = String::from(
        "  ! The threshold of step n, n = 0 .. remap_last_step; 1, never, beyond.
  pure real(dp) function remap_threshold(n) result(threshold)
    integer(i8), intent(in) :: n
    threshold = 1.0_dp
    if (n < 0_i8 .or. n > remap_last_step) return
",
    );
    let mut branches = Vec::new();
    if !head.is_empty() {
        branches.push((head.len() as u64, "head(n)".to_owned()));
    }
    if from > head.len() as u64 {
        branches.push((from, real(*stationary)));
    }
    if !tail.is_empty() {
        branches.push((last + 1, format!("tail(n - {from}_i8)")));
    }
    match branches.as_slice() {
        [(_, only)] => {
            let _ = writeln!(text, "    threshold = {only}");
        }
        several => {
            for (i, (end, value)) in several.iter().enumerate() {
                let _ = match i {
                    0 => writeln!(text, "    if (n < {end}_i8) then"),
                    _ if i + 1 == several.len() => writeln!(text, "    else"),
                    _ => writeln!(text, "    else if (n < {end}_i8) then"),
                };
                let _ = writeln!(text, "      threshold = {value}");
            }
            text += "    end if\n";
        }
    }
    text += "  end function

  ! Whether to remap at step n, if the phase has changed with probability p.
  pure logical function remap_now(p, n)
    real(dp), intent(in) :: p
    integer(i8), intent(in) :: n
    remap_now = p > remap_threshold(n)
  end function

  ! Bayes' rule: the probability at step n that the phase has changed, from that at step n - 1
  ! (0 at step 0) and whether the detector reports a change at step n.
  pure real(dp) function remap_belief(p, n, report) result(belief)
    real(dp), intent(in) :: p
    integer(i8), intent(in) :: n
    logical, intent(in) :: report
    real(dp) :: hazard, prior, yes, no
";
    match hazard.as_slice() {
        [constant] => {
            let hazard = real(*constant);
            let _ = writeln!(text, "    hazard = {hazard}\n    if (n < 1_i8) hazard = 0.0_dp");
        }
        list => {
            let most = list.len();
            let _ = writeln!(text, "    hazard = 0.0_dp");
            let _ = writeln!(text, "    if (n >= 1_i8 .and. n <= {most}_i8) hazard = hazards(n)");
        }
    }
    let (alpha, beta) = (real(detector.0), real(detector.1));
    let _ = write!(
        text,
        "    prior = p + (1.0_dp - p) * hazard
    if (report) then
      yes = prior * (1.0_dp - {beta})
      no = (1.0_dp - prior) * {alpha}
    else
      yes = prior * {beta}
      no = (1.0_dp - prior) * (1.0_dp - {alpha})
    end if
    belief = prior
    if (yes + no > 0.0_dp) belief = yes / (yes + no)
  end function
"
    );
    ("dp, i8, remap_last_step, remap_threshold, remap_now, remap_belief", names, text)
}

fn integers<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string() + "_i8").collect::<Vec<_>>().join(", &\n        ")
}

fn of_map(map: &Map) -> (&'static str, String, String) {
    let (r, width) = (map.processes(), row_width(map));
    let rows = rows(&map.decisions, width);
    let mut names = format!("  integer, parameter :: remap_processes = {r}\n");
    names += "  ! B balanced, R remap, C continue.\n";
    let _ = writeln!(names, "  character(len={width}), save :: map(0:{})", rows.len() - 1);
    for (i, row) in rows.iter().enumerate() {
        let _ = writeln!(names, "  data map({i}) / '{row}' /");
    }
    let mut text = String::from(
        "  ! The decision for a load of each process: B balanced, R remap, C continue.
  pure character function remap_decision(load) result(decision)
    integer(i8), intent(in) :: load(remap_processes)
",
    );
    let found = format!(
        "
    decision = map(place / {width}_i8)(mod(place, {width}_i8) + 1_i8:mod(place, {width}_i8) + 1_i8)
"
    );
    match &map.index {
        Index::RowMajor => {
            let lowest = integers(map.lowest.iter());
            let levels = integers(map.levels.iter());
            let _ = writeln!(
                names,
                "  integer(i8), parameter :: lowest({r}) = [ &\n        {lowest} ]"
            );
            let _ = writeln!(
                names,
                "  integer(i8), parameter :: levels({r}) = [ &\n        {levels} ]"
            );
            text += "    integer(i8) :: place
    integer :: i
    ! Beyond the levels the nearest counts.
    place = 0_i8
    do i = 1, remap_processes
      place = place * levels(i) + (min(max(load(i), lowest(i)), lowest(i) + levels(i) - 1_i8) &
        - lowest(i))
    end do";
            text += &found;
        }
        Index::Multiset => {
            let (sets, levels) = (map.sets(), map.levels[0]);
            names += "  integer :: j\n  ! How many multisets of k members x levels have.\n";
            let _ = writeln!(names, "  integer(i8), save :: sets(0:{}, {r})", levels - 1);
            for k in 1..=r {
                for (row, xs) in (0..levels).collect::<Vec<_>>().chunks(5).enumerate() {
                    let (from, to) = (5 * row, 5 * row + xs.len() - 1);
                    let list = xs.iter().map(|&x| format!("{}_i8", sets.count(k, x)));
                    let list = list.collect::<Vec<_>>().join(", ");
                    let _ = writeln!(names, "  data (sets(j, {k}), j = {from}, {to}) / {list} /");
                }
            }
            let low = map.lowest[0];
            let _ = write!(
                text,
                "    integer(i8) :: place, level, sorted(remap_processes)
    integer :: i, k
    ! Beyond the levels the nearest counts.
    do i = 1, remap_processes
      level = min(max(load(i), {low}_i8), {}_i8) - ({low}_i8)
      k = i
      do while (k > 1)
        if (sorted(k - 1) <= level) exit
        sorted(k) = sorted(k - 1)
        k = k - 1
      end do
      sorted(k) = level
    end do
    place = 0_i8
    do k = 1, remap_processes
      place = place + sets(sorted(k), k)
    end do",
                low + levels as i64 - 1
            );
            text += &found;
        }
        Index::Listed(loads) => {
            let last = loads.len() - 1;
            names += "  integer :: j\n";
            let _ = writeln!(names, "  integer(i8), save :: loads({r}, 0:{last})");
            for (i, vector) in loads.iter().enumerate() {
                for (row, part) in vector.chunks(5).enumerate() {
                    let (from, to) = (5 * row + 1, 5 * row + part.len());
                    let list = part.iter().map(|load| format!("{load}_i8"));
                    let list = list.collect::<Vec<_>>().join(", ");
                    let _ = writeln!(names, "  data (loads(j, {i}), j = {from}, {to}) / {list} /");
                }
            }
            let _ = write!(
                text,
                "    integer(i8) :: place
    ! C for loads that are not listed.
    decision = 'C'
    do place = 0_i8, {last}_i8
      if (all(loads(:, place) == load)) exit
    end do
    if (place > {last}_i8) return"
            );
            text += &found;
        }
    }
    text += "  end function

  ! Whether to remap now.
  pure logical function remap_now(load)
    integer(i8), intent(in) :: load(remap_processes)
    remap_now = remap_decision(load) == 'R'
  end function
";
    ("i8, remap_processes, remap_decision, remap_now", names, text)
}

fn of_imbalance(imbalance: &LoadThresholds) -> (&'static str, String, String) {
    let names = format!("  integer(i8), parameter :: remap_steps = {}_i8\n", imbalance.steps);
    let list = |text: &mut String, list: &[(u64, f64)]| {
        *text += "    integer(i8), intent(in) :: step\n";
        for (from, threshold) in list {
            let value = real(*threshold);
            let _ = match from {
                1 => writeln!(text, "    threshold = {value}"),
                _ => writeln!(text, "    if (step >= {from}_i8) threshold = {value}"),
            };
        }
        *text += "  end function\n\n";
    };
    let mut text = String::from(
        "  ! The threshold on max - mean after so many steps, counted from 1.
  pure real(dp) function remap_threshold(step) result(threshold)
",
    );
    list(&mut text, &imbalance.thresholds);
    if imbalance.since.is_empty() {
        text += "  ! Whether to remap after a step with these largest and mean loads.
  pure logical function remap_now(step, max, mean)
    integer(i8), intent(in) :: step
    real(dp), intent(in) :: max, mean
    remap_now = step < remap_steps .and. max - mean > remap_threshold(step)
  end function
";
        return ("dp, i8, remap_steps, remap_threshold, remap_now", names, text);
    }
    text += "  ! The threshold so many steps after the last remap or the start.
  pure real(dp) function remap_threshold_since(step) result(threshold)
";
    list(&mut text, &imbalance.since);
    text += "  ! Whether to remap after a step, so many after the last remap or the start, with these largest and mean loads.
  pure logical function remap_now(step, since, max, mean)
    integer(i8), intent(in) :: step, since
    real(dp), intent(in) :: max, mean
    remap_now = step < remap_steps .and. max - mean > remap_threshold(step)
    remap_now = remap_now .and. max - mean > remap_threshold_since(since)
  end function
";
    ("dp, i8, remap_steps, remap_threshold, remap_threshold_since, remap_now", names, text)
}

fn of_interval(interval: &RemapInterval) -> (&'static str, String, String) {
    let every = interval.every.unwrap_or(0);
    let names = format!(
        "  ! Steps between remaps; 0 is never.\n  integer(i8), parameter :: remap_interval = {every}_i8\n"
    );
    let text = "  ! Whether to remap, so many steps after the last remap or the start.
  pure logical function remap_now(steps_since)
    integer(i8), intent(in) :: steps_since
    remap_now = remap_interval > 0_i8 .and. steps_since >= remap_interval
  end function
"
    .to_owned();
    ("i8, remap_interval, remap_now", names, text)
}

fn of_level(level: &Level) -> (&'static str, String, String) {
    let names = format!("  real(dp), parameter :: level = {}\n", real(level.value));
    let body = match level.measure {
        Measure::Excess => {
            "    real(dp) :: excess
    excess = max(highest - mean, 0.0_dp)
    remap_now = excess - level > 1e-12_dp * (excess + level)
"
        }
        Measure::Utilization => {
            "    real(dp) :: used
    used = 1.0_dp
    if (highest > 0.0_dp) used = mean / highest
    remap_now = level - used > 1e-12_dp * (level + used)
"
        }
    };
    let text = format!(
        "  ! Whether to remap after a step with these largest and mean times of the ranks.
  pure logical function remap_now(highest, mean)
    real(dp), intent(in) :: highest, mean
{body}  end function
"
    );
    ("dp, i8, remap_now", names, text)
}

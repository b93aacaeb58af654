//! Writes a rule as a C99 header.

use super::{heading, literal, row_width, rows};
use crate::document::rule::{
    Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, StatedRule,
};
use crate::problems::shared::map::{Index, Map};
use std::fmt::Write;

/// The header.
pub fn write(export: &StatedRule) -> String {
    let mut text = String::from("/*\n");
    for line in heading(export) {
        let _ = writeln!(text, " * {}", line.replace("*/", "* /").replace("/*", "/ *"));
    }
    text += " */\n#ifndef REMAP_POLICY_H\n#define REMAP_POLICY_H\n\n#include <stdint.h>\n\n";
    text += &match &export.rule {
        Rule::Belief(belief) => of_belief(belief),
        Rule::Switching(switching) => super::switching::c(switching),
        Rule::Map(map) => of_map(map),
        Rule::Imbalance(imbalance) => of_imbalance(imbalance),
        Rule::Interval(interval) => of_interval(interval),
        Rule::Level(level) => of_level(level),
    };
    text += "\n#endif\n";
    text
}

fn doubles(name: &str, values: &[f64]) -> String {
    let mut text = format!("static const double {name}[{}] = {{\n", values.len());
    for row in values.chunks(4) {
        let row: Vec<String> = row.iter().map(|value| literal(*value)).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text + "};\n\n"
}

fn of_belief(belief: &Belief) -> String {
    let Belief { last, head, stationary, tail, detector, hazard } = belief;
    let mut text = format!("#define REMAP_LAST_STEP INT64_C({last})\n\n");
    if !head.is_empty() {
        text += &doubles("remap_head", head);
    }
    if !tail.is_empty() {
        text += &doubles("remap_tail", tail);
    }
    text += "/* The threshold of step n, n = 0 .. REMAP_LAST_STEP; 1, never, beyond. */\n";
    text += "static inline double remap_threshold(int64_t n)\n{\n";
    text += "    if (n < 0 || n > REMAP_LAST_STEP)\n        return 1.0;\n";
    if !head.is_empty() {
        let _ = writeln!(text, "    if (n < {})\n        return remap_head[n];", head.len());
    }
    let from = belief.tail_from();
    if from > head.len() as u64 {
        let value = literal(*stationary);
        if tail.is_empty() {
            let _ = writeln!(text, "    return {value};");
        } else {
            let _ = writeln!(text, "    if (n < INT64_C({from}))\n        return {value};");
        }
    }
    match (tail.is_empty(), from) {
        (true, _) if from > head.len() as u64 => {}
        (true, _) => text += "    return 1.0;\n",
        (false, 0) => text += "    return remap_tail[n];\n",
        (false, _) => {
            let _ = writeln!(text, "    return remap_tail[n - INT64_C({from})];");
        }
    }
    text += "}\n\n/* Whether to remap at step n, if the phase has changed with probability p. */\n";
    text += "static inline int remap_now(double p, int64_t n)\n{\n";
    text += "    return p > remap_threshold(n);\n}\n\n";
    if hazard.len() > 1 {
        text += &doubles("remap_hazard", hazard);
    }
    text +=
        "/*\n * Bayes' rule: the probability at step n that the phase has changed, from that at\n";
    text +=
        " * step n - 1 (0 at step 0) and the detector's report at step n: 1 change, 0 none.\n */\n";
    text += "static inline double remap_belief(double p, int64_t n, int report)\n{\n";
    match hazard.as_slice() {
        [constant] => {
            let value = literal(*constant);
            let _ = writeln!(text, "    const double hazard = n >= 1 ? {value} : 0.0;");
        }
        _ => {
            let most = hazard.len();
            let _ = writeln!(
                text,
                "    const double hazard = n >= 1 && n <= {most} ? remap_hazard[n - 1] : 0.0;"
            );
        }
    }
    let (alpha, beta) = (literal(detector.0), literal(detector.1));
    let _ = writeln!(text, "    const double false_alarm = {alpha}, missed = {beta};");
    text += "    const double prior = p + (1.0 - p) * hazard;\n";
    text += "    const double yes = prior * (report ? 1.0 - missed : missed);\n";
    text += "    const double no = (1.0 - prior) * (report ? false_alarm : 1.0 - false_alarm);\n";
    text + "    return yes + no > 0.0 ? yes / (yes + no) : prior;\n}\n"
}

fn of_map(map: &Map) -> String {
    let r = map.processes();
    let width = row_width(map);
    let rows = rows(&map.decisions, width);
    let mut text = format!("#define REMAP_PROCESSES {r}\n\n");
    text += "/* B balanced, R remap, C continue. */\n";
    let _ = writeln!(text, "static const char remap_map[{}][{}] = {{", rows.len(), width + 1);
    for row in &rows {
        let _ = writeln!(text, "    \"{row}\",");
    }
    text += "};\n\n";
    let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
    let lowest = list(&mut map.lowest.iter().map(|low| low.to_string()));
    let levels = list(&mut map.levels.iter().map(|l| l.to_string()));
    match &map.index {
        Index::RowMajor => {
            text += "/* The decision for a load of each process; beyond the levels the nearest counts. */\n";
            text += "static inline char remap_decision(const int64_t load[REMAP_PROCESSES])\n{\n";
            let _ =
                writeln!(text, "    static const int64_t lowest[REMAP_PROCESSES] = {{{lowest}}};");
            let _ =
                writeln!(text, "    static const int64_t levels[REMAP_PROCESSES] = {{{levels}}};");
            text += "    int64_t place = 0;\n";
            text += "    for (int i = 0; i < REMAP_PROCESSES; i++) {\n";
            text += "        int64_t level = 0;\n";
            text += "        if (load[i] >= lowest[i] + levels[i])\n            level = levels[i] - 1;\n";
            text +=
                "        else if (load[i] > lowest[i])\n            level = load[i] - lowest[i];\n";
            text += "        place = place * levels[i] + level;\n    }\n";
        }
        Index::Multiset => {
            let sets = map.sets();
            let levels = map.levels[0];
            let _ = writeln!(text, "#define REMAP_LEVELS {levels}\n");
            text += "/* remap_sets[k][x]: how many multisets of k + 1 members x levels have. */\n";
            text += "static const int64_t remap_sets[REMAP_PROCESSES][REMAP_LEVELS] = {\n";
            for k in 1..=r {
                let row = list(&mut (0..levels).map(|x| sets.count(k, x).to_string()));
                let _ = writeln!(text, "    {{{row}}},");
            }
            text += "};\n\n/* The decision for a load of each process, in any order; beyond the levels the\n";
            text += "   nearest counts. */\n";
            text += "static inline char remap_decision(const int64_t load[REMAP_PROCESSES])\n{\n";
            text += "    int64_t sorted[REMAP_PROCESSES];\n    int64_t place = 0;\n";
            text += "    for (int i = 0; i < REMAP_PROCESSES; i++) {\n";
            let low = map.lowest[0];
            text += "        int64_t level = 0;\n";
            let _ = writeln!(text, "        if (load[i] >= INT64_C({low}) + REMAP_LEVELS)");
            text += "            level = REMAP_LEVELS - 1;\n";
            let _ = writeln!(text, "        else if (load[i] > INT64_C({low}))");
            let _ = writeln!(text, "            level = load[i] - INT64_C({low});");
            text += "        int k = i;\n";
            text += "        for (; k > 0 && sorted[k - 1] > level; k--)\n";
            text += "            sorted[k] = sorted[k - 1];\n        sorted[k] = level;\n    }\n";
            text += "    for (int k = 0; k < REMAP_PROCESSES; k++)\n";
            text += "        place += remap_sets[k][sorted[k]];\n";
        }
        Index::Listed(loads) => {
            let count = loads.len();
            let _ =
                writeln!(text, "static const int64_t remap_loads[{count}][REMAP_PROCESSES] = {{");
            for vector in loads {
                let _ = writeln!(text, "    {{{}}},", list(&mut vector.iter().map(i64::to_string)));
            }
            text += "};\n\n/* The decision for a load of each process; C for loads that are not listed. */\n";
            text += "static inline char remap_decision(const int64_t load[REMAP_PROCESSES])\n{\n";
            let _ = writeln!(text, "    int64_t place = 0, end = {count};");
            text += "    while (place < end) {\n        int64_t middle = (place + end) / 2;\n";
            text += "        int order = 0;\n";
            text += "        for (int i = 0; i < REMAP_PROCESSES && order == 0; i++)\n";
            text += "            order = (remap_loads[middle][i] > load[i]) - (remap_loads[middle][i] < load[i]);\n";
            text += "        if (order == 0)\n";
            let _ =
                writeln!(text, "            return remap_map[middle / {width}][middle % {width}];");
            text += "        if (order < 0)\n            place = middle + 1;\n";
            text += "        else\n            end = middle;\n    }\n    return 'C';\n}\n\n";
            return text + C_MAP_NOW;
        }
    }
    let _ = writeln!(text, "    return remap_map[place / {width}][place % {width}];\n}}\n");
    text + C_MAP_NOW
}

const C_MAP_NOW: &str = "\
/* Whether to remap now. */
static inline int remap_now(const int64_t load[REMAP_PROCESSES])
{
    return remap_decision(load) == 'R';
}
";

fn of_imbalance(imbalance: &LoadThresholds) -> String {
    let mut text = format!("#define REMAP_STEPS INT64_C({})\n\n", imbalance.steps);
    let list = |text: &mut String, list: &[(u64, f64)]| {
        if list.len() == 1 {
            *text += "    (void)steps;\n";
        }
        for (from, threshold) in list.iter().rev() {
            let value = literal(*threshold);
            let _ = match from {
                1 => writeln!(text, "    return {value};"),
                _ => writeln!(text, "    if (steps >= {from})\n        return {value};"),
            };
        }
        *text += "}\n\n";
    };
    text += "/* The threshold on max - mean after so many steps, counted from 1. */\n";
    text += "static inline double remap_threshold(int64_t steps)\n{\n";
    list(&mut text, &imbalance.thresholds);
    if !imbalance.since.is_empty() {
        text += "/* The threshold so many steps after the last remap or the start. */\n";
        text += "static inline double remap_threshold_since(int64_t steps)\n{\n";
        list(&mut text, &imbalance.since);
        text += "/* Whether to remap after a step, so many after the last remap or the start, with these\n";
        text += "   largest and mean loads. */\n";
        text += "static inline int remap_now(int64_t step, int64_t since, double max, double mean)\n{\n";
        text += "    return step < REMAP_STEPS && max - mean > remap_threshold(step)\n";
        return text + "        && max - mean > remap_threshold_since(since);\n}\n";
    }
    text += "/* Whether to remap after a step with these largest and mean loads. */\n";
    text += "static inline int remap_now(int64_t step, double max, double mean)\n{\n";
    text + "    return step < REMAP_STEPS && max - mean > remap_threshold(step);\n}\n"
}

fn of_interval(interval: &RemapInterval) -> String {
    let every = interval.every.unwrap_or(0);
    let mut text = format!(
        "/* Steps between remaps; 0 is never. */\n#define REMAP_INTERVAL INT64_C({every})\n\n"
    );
    text += "/* Whether to remap, so many steps after the last remap or the start. */\n";
    text += "static inline int remap_now(int64_t steps_since)\n{\n";
    text + "    return REMAP_INTERVAL > 0 && steps_since >= REMAP_INTERVAL;\n}\n"
}

fn of_level(level: &Level) -> String {
    let value = literal(level.value);
    let body = match level.measure {
        Measure::Excess => format!(
            "    const double excess = max > mean ? max - mean : 0.0, level = {value};\n    \
             return excess - level > 1e-12 * (excess + level);\n"
        ),
        Measure::Utilization => format!(
            "    const double used = max > 0.0 ? mean / max : 1.0, level = {value};\n    \
             return level - used > 1e-12 * (level + used);\n"
        ),
    };
    format!(
        "/* Whether to remap after a step with these largest and mean times of the ranks. */\n\
         static inline int remap_now(double max, double mean)\n{{\n{body}}}\n"
    )
}

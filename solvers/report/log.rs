//! The page about a log: the advice, its use, its assumptions, and the pictures.

use super::page::{beginning, embedded, end, escaped};
use crate::complaint::Complaint;
use crate::fitting::short;
use crate::plot::{self, Format};
use crate::render;
use crate::replaying::advice::Advice;
use crate::replaying::contest::{Judged, Line, Percent};
use crate::replaying::what_if::WhatIf;
use remapping::record::Record;
use std::fmt::Write;
use std::ops::Range;

/// The content of the page.
pub struct Page<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// The advice.
    pub advice: &'a Advice,
    /// The call of the rule in C.
    pub snippet: Option<&'a str>,
    /// Whether the header that it includes is written to the same folder as the page.
    pub has_header: bool,
    /// Oddities and repairs of the log.
    pub notes: &'a [String],
    /// The policies at other remap costs.
    pub what_if: &'a [WhatIf],
    /// The log.
    pub record: &'a Record,
    /// The policies, where any were evaluated.
    pub judged: Option<&'a Judged>,
    /// The steps on which they were evaluated.
    pub steps: Range<usize>,
    /// The policy that would be exported.
    pub chosen: Option<&'a str>,
    /// The fitted model.
    pub model: Option<&'a str>,
    /// The assumption behind the numbers.
    pub assumption: &'a str,
}

/// Writes the page.
pub fn write(page: &Page<'_>) -> Result<String, Complaint> {
    let name = escaped(page.name);
    let mut text = beginning(&name, &escaped(&page.advice.sentence));
    for line in &page.advice.more {
        let _ = writeln!(text, "<p>{}</p>", escaped(line));
    }
    for note in page.notes {
        let _ = writeln!(text, "<p class=\"warning\">{}</p>", escaped(note));
    }
    if let Some(snippet) = page.snippet {
        let _ =
            writeln!(text, "<h2>To use it</h2>\n<pre tabindex=\"0\">{}</pre>", escaped(snippet));
        if !page.has_header {
            let _ = writeln!(
                text,
                "<p class=\"legend\">The header, the rule in other languages and settings of other codes are \
                 written by <code>remap advise {name} -o FOLDER</code>.</p>"
            );
        }
    }
    if let Some(judged) = page.judged {
        let best = judged.best_in_use.0.as_str();
        let mut policies: Vec<&str> = page.chosen.into_iter().collect();
        policies.extend([best, "never"]);
        let log =
            render::log::picture(page.name, page.record, judged, page.steps.clone(), &policies);
        let svg = embedded(&plot::picture(Format::Svg, &log)?, &format!("The log {name}"));
        let _ = writeln!(text, "<h2>The log</h2>\n<figure>\n{svg}</figure>");
        text += &table(judged);
        text += &at_other_costs(page.what_if);
    }
    let steps = &page.steps;
    let _ = writeln!(
        text,
        "<p class=\"legend\">Trained on the steps before {}, valued on steps {}..={}. Assumed: {}. Intervals \
         are of 95 %, by a block bootstrap.</p>",
        steps.start,
        steps.start,
        steps.end.saturating_sub(1),
        escaped(page.assumption)
    );
    if let Some(model) = page.model {
        let _ = writeln!(
            text,
            "<details>\n<summary>The model fitted to the whole log</summary>\n<pre tabindex=\"0\">{}</pre>\n\
             </details>",
            escaped(model)
        );
    }
    Ok(text + &end(""))
}

/// Shows the table of the slider's position.
const SCRIPT: &str = "\
const slider = document.getElementById('cost');
function follow() {
  document.querySelectorAll('table[data-cost]').forEach((table, i) => {
    table.hidden = i !== Number(slider.value);
    if (!table.hidden) document.getElementById('cost-now').value = table.dataset.cost + ' s';
  });
}
slider.addEventListener('input', follow);
follow();
";

/// A table for each remap cost. A slider shows one of them; without scripts all are visible.
fn at_other_costs(rows: &[WhatIf]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (last, middle) = (rows.len() - 1, rows.len() / 2);
    let mut text = format!(
        "<h2>If a remap cost otherwise</h2>\n<div class=\"sliders\"><label for=\"cost\">a remap costs</label>\
         <input id=\"cost\" type=\"range\" min=\"0\" max=\"{last}\" value=\"{middle}\">\
         <output id=\"cost-now\" for=\"cost\"></output></div>\n"
    );
    for WhatIf { remap_cost, policies, recorded, clairvoyant, .. } in rows {
        let cost = short(*remap_cost);
        let _ = writeln!(
            text,
            "<table data-cost=\"{cost}\"><caption>A remap costs {cost} seconds</caption>\n<thead><tr>\
             <th scope=\"col\">policy</th><th scope=\"col\">seconds lost</th>\
             <th scope=\"col\">times the best possible</th></tr></thead>\n<tbody>"
        );
        let mut sorted: Vec<(&str, f64)> =
            policies.iter().map(|(name, cost)| (name.as_str(), *cost)).collect();
        sorted.extend(recorded.map(|cost| ("recorded", cost)));
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (name, cost) in sorted {
            let times = cost / clairvoyant.max(f64::MIN_POSITIVE);
            let (name, cost) = (escaped(name), short(cost));
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{name}</th><td>{cost}</td><td>{times:.3}</td></tr>"
            );
        }
        text += "</tbody></table>\n";
    }
    let _ = write!(text, "<script>\n{SCRIPT}</script>\n");
    text
}

fn table(judged: &Judged) -> String {
    let known = judged.lines.iter().any(|line| line.against_recorded.is_some());
    let against = if known { "recorded" } else { "the best" };
    let mut text = format!(
        "<table class=\"wide\"><caption>Policies</caption>\n<thead><tr><th scope=\"col\">policy</th>\
         <th scope=\"col\">seconds lost</th><th scope=\"col\">above the best possible</th><th scope=\"col\">remaps</th>\
         <th scope=\"col\">% of its time</th><th scope=\"col\">more than {against}, % of time (95 %)</th>\
         </tr></thead>\n<tbody>\n"
    );
    for line in &judged.lines {
        let Line { policy, cost, regret, remaps, percent_of_time, .. } = line;
        let Percent { percent, lower, upper } = line.against_recorded.unwrap_or(line.against_best);
        let regret = regret.map_or_else(String::new, short);
        let (policy, cost) = (escaped(policy), short(*cost));
        let mark = if judged.is_marked(line) { " *" } else { "" };
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{policy}</th><td>{cost}</td><td>{regret}</td><td>{remaps}</td>\
             <td>{percent_of_time:.2}</td><td>{percent:.2} ({lower:.2} to {upper:.2}){mark}</td></tr>"
        );
    }
    let least = judged.clairvoyant.map_or_else(|| "not known".to_owned(), short);
    let _ = writeln!(
        text,
        "<tr><th scope=\"row\">best possible</th><td>{least}</td><td>0</td><td></td><td></td><td></td></tr>\n\
         </tbody></table>"
    );
    if let Some(footnote) = judged.footnote() {
        let _ = writeln!(text, "<p class=\"legend\">* {}</p>", escaped(&footnote));
    }
    text
}

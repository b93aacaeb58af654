//! Writes the page of a report.

use super::Section;
use crate::problems::comparison::Usual;
use crate::text::digits::{plain, sampled};
use crate::text::numbers::Number;
use std::fmt::Write;

/// Text with HTML escapes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() && c != '\n' && c != '\t' => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// The page of these sections.
pub(super) fn write(sections: &[Section]) -> String {
    let title = match sections {
        [only] => escaped(&only.title),
        _ => format!("{} solutions", sections.len()),
    };
    let mut text = beginning(&title, "When to remap");
    if sections.len() > 1 {
        text += "<nav aria-label=\"Solutions\"><ol>\n";
        for (i, section) in sections.iter().enumerate() {
            let _ = writeln!(text, "<li><a href=\"#s{i}\">{}</a></li>", escaped(&section.title));
        }
        text += "</ol></nav>\n";
    }
    for (i, section) in sections.iter().enumerate() {
        text += &one(i, section);
    }
    text + &end(&format!("<script>\n{SCRIPT}</script>\n"))
}

/// A page from its first line to the begin of its content.
pub(super) fn beginning(title: &str, heading: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>When to remap: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{heading}</h1></header>\n<main>\n"
    )
}

/// A page from the end of its content on.
pub(super) fn end(script: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("</main>\n<footer>Written by remap {version}.</footer>\n{script}</body>\n</html>\n")
}

/// A picture as a part of a page, where the namespace is implied.
pub(super) fn embedded(svg: &[u8], label: &str) -> String {
    let svg = String::from_utf8_lossy(svg).replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    svg.replacen("<svg", &format!("<svg role=\"img\" aria-label=\"{label}\""), 1)
}

fn one(i: usize, section: &Section) -> String {
    let problem = section.problem.replace('_', " ");
    let mut text = format!(
        "<section id=\"s{i}\" aria-labelledby=\"h{i}\">\n<h2 id=\"h{i}\">{}</h2>\n<p>{}</p>\n",
        escaped(&section.title),
        escaped(&problem)
    );
    if !section.sliders.is_empty() {
        text += "<div class=\"sliders\">\n";
        for (k, (slider, first)) in section.sliders.iter().zip(&section.first).enumerate() {
            let positions: Vec<String> = slider.positions.iter().map(|p| escaped(p)).collect();
            let last = positions.len() - 1;
            let _ = writeln!(
                text,
                "<label for=\"r{i}-{k}\">{}</label>\n\
                 <input type=\"range\" id=\"r{i}-{k}\" min=\"0\" max=\"{last}\" step=\"1\" value=\"{first}\" \
                 data-positions=\"{}\" aria-valuetext=\"{}\">\n\
                 <output for=\"r{i}-{k}\">{}</output>",
                escaped(&slider.name),
                positions.join("|"),
                positions[*first],
                positions[*first]
            );
        }
        text += "</div>\n";
    }
    let places = section.sliders.iter().zip(&section.first);
    let shown = places.fold(0, |place, (slider, at)| place * slider.positions.len() + at);
    for (k, frame) in section.frames.iter().enumerate() {
        let hidden = if k == shown { "" } else { " hidden" };
        let set = match frame.set.is_empty() {
            true => String::new(),
            false => format!(" data-set=\"{}\"", escaped(&frame.set)),
        };
        let _ = writeln!(
            text,
            "<div class=\"frame\"{set}{hidden}>\n<figure>\n{}",
            frame.svg.trim_end()
        );
        text += "</figure>\n<table><caption>Numbers</caption>\n<tbody>\n";
        for Number { name, value, is } in &frame.numbers {
            let (name, value) = (escaped(name), escaped(value));
            let _ = writeln!(
                text,
                "<tr><th scope=\"row\">{name}</th><td>{value}</td><td class=\"is\">{is}</td></tr>"
            );
        }
        text += "</tbody></table>\n</div>\n";
    }
    match &section.policies {
        Usual { rows, stopped: true, .. } if rows.is_empty() => {
            text += "<p class=\"legend\">Policies take longer to judge: see remap compare.</p>\n";
        }
        Usual { rows, .. } if rows.is_empty() => {}
        found => text += &policies(found),
    }
    for warning in &section.warnings {
        let _ = writeln!(text, "<p class=\"warning\">{}</p>", escaped(warning));
    }
    if let Some(deck) = &section.deck {
        let _ = writeln!(
            text,
            "<details open>\n<summary>The model</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>",
            escaped(deck)
        );
    }
    text + "</section>\n"
}

/// The table of policies.
fn policies(found: &Usual) -> String {
    let exact = found.rows.iter().any(|row| row.exact.is_some());
    let (cost, width) = match found.sample {
        None => ("expected cost", "±, proved"),
        Some(_) => ("mean cost", "±, 95 %"),
    };
    let column = |name: &str| format!("<th scope=\"col\">{name}</th>");
    let head = ["policy", cost, width].map(column).concat();
    let exact_head = if exact { column("exact") } else { String::new() };
    let mut text = format!(
        "<table class=\"wide\"><caption>Policies, at the model's own values</caption>\n<thead><tr>\
         {head}{exact_head}{}</tr></thead>\n<tbody>\n",
        column("remaps")
    );
    for row in &found.rows {
        let cost = sampled(row.cost);
        let error = cost.error.unwrap_or_default();
        let exact = match (exact, row.exact) {
            (false, _) => String::new(),
            (true, value) => format!("<td>{}</td>", value.map_or(String::new(), plain)),
        };
        let remaps = row.remaps.map_or_else(String::new, |remaps| sampled(remaps).joined("±"));
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{error}</td>{exact}<td>{remaps}</td></tr>",
            escaped(&row.policy),
            cost.value
        );
    }
    let mut legend = match found.sample {
        None => "± half of the proved bounds, rounded up".to_owned(),
        Some((runs, seed)) => format!(
            "Means of {runs} sample paths, seed {seed}, the same for all policies; ± half of the 95 % confidence \
             interval, rounded up; none where all paths agree"
        ),
    };
    if found.stopped {
        legend += "; time was up before all were judged: remap compare judges the rest";
    }
    let _ = writeln!(text, "</tbody></table>\n<p class=\"legend\">{legend}</p>");
    text
}

const STYLE: &str = "\
:root { --back: #fff; --text: #1a1a1a; --faint: #6b6b6b; --rule: #d5d5d5; --curve: #0b5cad;
  --mark: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181b; --text: #e8e8e8; --faint: #a0a0a0; --rule: #3a3d42; --curve: #7db8f5;
    --mark: #e0b050; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 50rem; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { width: 100%; min-width: 30rem; height: auto; background: #fff; }
.sliders { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr 6rem; gap: .4rem 1rem; align-items: center; }
input[type=range] { width: 100%; accent-color: var(--curve); }
:focus-visible { outline: 3px solid var(--curve); outline-offset: 2px; }
table { border-collapse: collapse; margin: 1rem 0; } caption { text-align: left; font-weight: 600; }
th, td { border-top: 1px solid var(--rule); padding: .2rem 1rem .2rem 0; text-align: left; font-weight: 400; }
td { font-variant-numeric: tabular-nums; } .is, .legend { color: var(--faint); font-size: .85rem; }
.wide { display: block; overflow-x: auto; }
pre { overflow: auto; padding: .8rem; border: 1px solid var(--rule); font-size: .85rem; }
.warning { border-left: 4px solid var(--mark); padding-left: .8rem; }
footer { color: var(--faint); margin: 3rem 0 1rem; }
@media print { body { max-width: none; } .sliders input { display: none; } svg, table { break-inside: avoid; }
  pre { white-space: pre-wrap; } svg * { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
";

const SCRIPT: &str = "\
for (const section of document.querySelectorAll('section')) {
  const sliders = [...section.querySelectorAll('input[type=range]')];
  const frames = [...section.querySelectorAll('.frame')];
  const show = () => {
    let place = 0;
    for (const slider of sliders) {
      const positions = slider.dataset.positions.split('|');
      place = place * positions.length + Number(slider.value);
      slider.setAttribute('aria-valuetext', positions[slider.value]);
      slider.nextElementSibling.value = positions[slider.value];
    }
    frames.forEach((frame, k) => { frame.hidden = k !== place; });
  };
  sliders.forEach((slider) => slider.addEventListener('input', show));
  if (sliders.length > 0) show();
}
";

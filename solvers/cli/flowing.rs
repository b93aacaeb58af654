//! Formats help texts as paragraphs that the terminal wraps.

/// Joins the lines of a text to paragraphs. Indented lines stay as they are, and so does a line
/// that ends in a colon.
pub(super) fn flowing(text: &str) -> String {
    let mut flown = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let stands = |line: &str| line.is_empty() || line.starts_with(' ');
        if !flown.is_empty() {
            let apart = stands(before) || stands(line) || before.ends_with(':');
            flown.push(if apart { '\n' } else { ' ' });
        }
        flown.push_str(line);
        before = line;
    }
    flown
}

#[cfg(test)]
mod tests {
    use super::flowing;

    #[test]
    fn lines_become_paragraphs() {
        let text = "Examples:\n  remap solve\n  remap check\n\nOne\nparagraph,\nand\n\nanother.";
        let flown = "Examples:\n  remap solve\n  remap check\n\nOne paragraph, and\n\nanother.";
        assert_eq!(flowing(text), flown);
    }
}

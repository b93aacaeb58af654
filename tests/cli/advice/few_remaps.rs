//! Intervals of few stretches between remaps are marked, and what has few is said.

use crate::support::made_logs::{DRIFTING, Made};
use crate::support::prelude::*;

#[test]
fn marks_say_whose_remaps_are_few() {
    let place = Workplace::new();
    let all = [
        (20, "\n* with fewer than 4 remaps: such intervals may"),
        (
            150,
            "\n* the recorded run, with which they are compared, has fewer than 4 remaps here: intervals may",
        ),
    ];
    for (every, words) in some(1, all) {
        place.write("run.csv", Made { every, ..DRIFTING }.csv());
        has(&place.shown("replay run.csv"), &[words]);
        let advised = place.shown("advise run.csv");
        assert!(advised.contains(words), "{advised}");
        let marked = advised.matches(") *\n").count() + advised.matches(") *  ").count();
        let page = place.shown("report run.csv");
        assert_eq!(page.matches(") *</td>").count(), marked, "{advised}");
        assert!(page.contains(&format!("<p class=\"legend\">{}", words.trim_start())), "{words}");
    }
}

/// The header that a page shows in use is written by another command.
#[test]
fn a_page_says_who_writes_the_header() {
    let place = Workplace::new();
    place.write("run.csv", Made { every: 20, ..DRIFTING }.csv());
    let says = "<code>remap advise run.csv -o FOLDER</code>";
    has(&place.shown("report run.csv"), &["remap_policy.h", says]);
    place.remap("advise run.csv -o advice").exits(0);
    let page = place.read("advice/report.html");
    assert!(page.contains("remap_policy.h") && !page.contains(says));
}

//! DARMA/vt: `--vt_lb_interval`.

use super::Sheet;
use crate::export::knobs::Setting;

pub const SHEET: Sheet = Sheet {
    name: "DARMA/vt",
    what: "`--vt_lb_interval`",
    compares: Some("max > 1.03 x mean, compiled in"),
    of: "modeled seconds of ranks in the last phase",
    when: "after phases (numbered from 0) that leave 1 when divided by the interval; for 1, after all but the first",
    default: "off, interval 1",
    notes: &[
        "Looks at or below the tolerance move nothing, and the stated cost counts them so.",
        "A look needs a largest load above the cost of a collective epoch (pull request 2333), a constant of 100 ns.",
        "With targetpole=true, mean is the largest load of an object where that is larger.",
        "Never is to leave --vt_lb out.",
    ],
    read: [
        "`DARMA-tasking/vt`",
        "`lb_invoke/lb_manager.cc`, `temperedlb/`, `baselb/baselb.h` and `configs/arguments/args.cc` (1.5.0-892-g706919aee)",
        "2026-11-28",
    ],
    mark: "#",
    write: |_, setting| {
        let Setting::Every(every) = setting else { return Ok(String::new()) };
        Ok(format!("--vt_lb --vt_lb_name=TemperedLB --vt_lb_interval={every}\n"))
    },
};

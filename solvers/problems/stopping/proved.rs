//! Compares a decision map with what its certificate proves of each load vector.

use super::super::proved::{
    Agreed, Entry, Fault, NEAR, Promise, ROUNDING, above, all_same, bounds, fact, farthest, length,
    needed, open, same, within,
};
use super::answer::{Answer, CostByState, Counts, Representation};
use super::maps::decision_map::MAX_LISTED;
use remap_checker::facts::OfStopping;
use remap_checker::{Checked, Decision, Interval, Proof};
use std::collections::BTreeSet;

/// The fields that agree with the proof.
pub(in crate::problems) fn compare(
    answer: &Answer,
    facts: &OfStopping,
    checked: &Checked,
    promise: Promise,
) -> Result<Agreed, Fault> {
    let mut agreed = Agreed::default();
    all_same("shape", &answer.shape, &facts.shape)?;
    all_same("lowest", &answer.lowest, &facts.lowest)?;
    length("loads", answer.loads.len(), facts.loads.len())?;
    for (i, (given, right)) in answer.loads.iter().zip(&facts.loads).enumerate() {
        all_same(Entry("loads", i), given, right)?;
    }
    let rounded = Interval {
        lower: facts.remap_cost.lower * (1.0 - ROUNDING),
        upper: facts.remap_cost.upper * (1.0 + ROUNDING),
    };
    let varied = facts.cost_by_state.is_some();
    fact("remap_cost", answer.remap_cost, if varied { rounded } else { facts.remap_cost })?;
    by_state(answer, facts)?;
    steps(answer, facts, checked, &mut agreed)?;
    let states = facts.shape.iter().map(|levels| *levels as f64).product::<f64>();
    let rounding = if states < 2f64.powi(53) { 0.0 } else { 1e-12 * states };
    within("states", f64::from(answer.states), Interval { lower: states, upper: states }, rounding)
        .map_err(|_| format!("`states` is {}, but the model has {states}", answer.states))?;
    agreed.proved.extend([
        "shape",
        "lowest",
        "loads",
        "remap_cost",
        "cost_by_state",
        "steps",
        "states",
    ]);
    if answer.kept_levels.is_some() != facts.unbounded {
        return Err("`kept_levels` is of walks without a highest load, and of no others".to_owned());
    }
    if answer.partial_remaps.is_some() != facts.partial {
        return Err("`partial_remaps` is of models that allow them, and of no others".to_owned());
    }
    let full = answer.representation == Representation::Full && !facts.unbounded;
    if full && answer.classes as f64 != states {
        return Err(format!("`classes` is {}, but there are {states} states", answer.classes));
    }
    let listed = states <= MAX_LISTED as f64;
    if listed != answer.decision.is_some() {
        let what = if listed { "missing or null" } else { "given for too many load vectors" };
        return Err(format!("`decision` is {what}"));
    }
    let gap = answer.value_gap;
    if gap.is_nan() || gap < 0.0 || promise.kept && answer.value_gap > promise.tolerance {
        let (gap, tolerance) = (answer.value_gap, promise.tolerance);
        return Err(format!("`value_gap` is {gap}, not between 0 and the tolerance {tolerance}"));
    }
    let vectors = answer.decision.as_deref().map(|letters| (letters.as_bytes(), places(facts)));
    match &checked.proof {
        Proof::Average(average) => long_run(answer, *average, vectors, promise, &mut agreed)?,
        Proof::Map { .. } => map(answer, checked, vectors, promise, &mut agreed)?,
        _ => return Err("`problem` is stopping, but the certificate is of another".to_owned()),
    }
    Ok(agreed)
}

/// Checks that the remap costs are those of the model.
fn by_state(answer: &Answer, facts: &OfStopping) -> Result<(), Fault> {
    match (&answer.cost_by_state, &facts.cost_by_state) {
        (None, None) => Ok(()),
        (Some(CostByState::Moved { fixed, per_unit_moved }), Some(Ok([start, each]))) => {
            fact("cost_by_state.fixed", *fixed, *start)?;
            fact("cost_by_state.per_unit_moved", *per_unit_moved, *each)
        }
        (Some(CostByState::Listed(given)), Some(Err(list))) => {
            length("cost_by_state", given.len(), list.len())?;
            let mut both = given.iter().zip(list).enumerate();
            both.try_for_each(|(i, (given, right))| fact(Entry("cost_by_state", i), *given, *right))
        }
        _ => Err("`cost_by_state` is of another form than the cost of the model".to_owned()),
    }
}

/// Checks the number of steps, and the remaining steps with which one remaps.
fn steps(
    answer: &Answer,
    facts: &OfStopping,
    checked: &Checked,
    agreed: &mut Agreed,
) -> Result<(), Fault> {
    let told = |steps: Option<u64>| steps.map_or("not given".to_owned(), |n| n.to_string());
    same("steps", told(answer.steps), told(facts.steps))?;
    let places = if answer.remaps_from.is_some() { places(facts) } else { Vec::new() };
    let mut all = places.iter().enumerate().map(|(i, loads)| checked.remaps_from(loads, i));
    let Some(given) = &answer.remaps_from else {
        let due = facts.steps.is_some() && checked.ends();
        return if due { Err("`remaps_from` is missing or null".to_owned()) } else { Ok(()) };
    };
    length("remaps_from", given.len(), places.len())?;
    let mut closed = true;
    for (i, given) in given.iter().enumerate() {
        let Some([may, must]) = all.next().flatten() else {
            return Err(format!("`remaps_from[{i}]`: nothing is proved of {:?}", places[i]));
        };
        let [own, may, must_] = [*given, may, must].map(|steps| steps.unwrap_or(u64::MAX));
        // The solution may leave open what is proved.
        if answer.ties.contains(&(i as u128)) {
            closed = false;
        } else if !(may..=must_).contains(&own) {
            let [given, right] =
                [*given, must].map(|n| n.map_or("null".to_owned(), |n| n.to_string()));
            return Err(format!("`remaps_from[{i}]` is {given}, but {right} is proved"));
        }
        closed &= may == must_;
    }
    agreed.proved.extend(closed.then_some("remaps_from"));
    Ok(())
}

/// The letters of a map, and the loads of each.
type Letters<'a> = (&'a [u8], Vec<Vec<i64>>);

/// All load vectors, the last process fastest, or in the order of the list.
fn places(facts: &OfStopping) -> Vec<Vec<i64>> {
    if !facts.loads.is_empty() {
        return facts.loads.clone();
    }
    let mut all = vec![Vec::new()];
    for (lowest, levels) in facts.lowest.iter().zip(&facts.shape) {
        let more = |loads: &Vec<i64>| {
            let loads = loads.clone();
            (0..*levels as i64).map(move |level| [&loads[..], &[lowest + level]].concat())
        };
        all = all.iter().flat_map(more).collect();
    }
    all
}

/// For costs without end the average is proved, but no decision.
fn long_run(
    answer: &Answer,
    average: Interval,
    vectors: Option<Letters<'_>>,
    promise: Promise,
    agreed: &mut Agreed,
) -> Result<(), Fault> {
    let [lower, upper] = answer.remap_bounds;
    let own = Interval { lower, upper };
    if lower.is_nan() || upper.is_nan() || lower > upper {
        return Err(format!(
            "`remap_bounds` has the lower bound {lower} and the upper bound {upper}"
        ));
    }
    within("remap_value", answer.remap_value, own, ROUNDING * upper.abs().max(1.0))
        .map_err(|_| format!("`remap_value` is {}, not in `remap_bounds`", answer.remap_value))?;
    let given = needed("average", answer.average)?;
    let reason = bounds("average", given, average, promise, given.lower.abs().max(1.0))?;
    // Where costs depend on the loads, the map for one remap is not evaluated.
    let varied = answer.cost_by_state.is_some() || answer.partial_remaps.is_some();
    let varied = varied && answer.average_of_stop.is_none();
    let stop = if varied { given } else { needed("average_of_stop", answer.average_of_stop)? };
    if !(stop.lower <= stop.upper && stop.upper >= average.lower) {
        return Err(format!(
            "`average_of_stop` is given as [{}, {}], but no map costs less than {}",
            stop.lower, stop.upper, average.lower
        ));
    }
    let whole = answer.partial_remaps.as_ref().map(|own| own.average_of_whole);
    if whole.is_some_and(|own| own.lower > own.upper || own.upper < average.lower) {
        return Err("`partial_remaps.average_of_whole` is less than the best average".to_owned());
    }
    if let Some((letters, _)) = vectors {
        counts(answer.counts, letters)?;
        ties(answer, letters)?;
    }
    agreed.admit("average", reason);
    agreed.sentences.push("of the map no decision is proved, only the average".to_owned());
    Ok(())
}

fn map(
    answer: &Answer,
    checked: &Checked,
    vectors: Option<Letters<'_>>,
    promise: Promise,
    agreed: &mut Agreed,
) -> Result<(), Fault> {
    let Proof::Map { remap_value, value_gap, largest_value, vectors: all, .. } = &checked.proof
    else {
        return Err("`problem` is stopping, but the certificate is of another".to_owned());
    };
    if answer.average.is_some() || answer.average_of_stop.is_some() {
        return Err("`average` is given, but a remap ends the costs of this model".to_owned());
    }
    let [lower, upper] = answer.remap_bounds;
    let rounding = ROUNDING * upper.abs().max(1.0);
    // The sum of a fixed part and one for each moved unit has been rounded.
    let room = if answer.cost_by_state.is_some() { rounding } else { 0.0 };
    let found = Interval { lower: remap_value.lower - room, upper: remap_value.upper + room };
    let given = (lower, upper).into();
    let reason = bounds("remap_bounds", given, found, promise, upper.max(1.0))?;
    let apart = (upper - lower) + rounding;
    within("remap_value", answer.remap_value, *remap_value, apart)?;
    within("remap_value", answer.remap_value, Interval { lower, upper }, rounding)
        .map_err(|_| format!("`remap_value` is {}, not in `remap_bounds`", answer.remap_value))?;
    // The error of a value.
    let slack = answer.value_gap * remap_value.upper.max(largest_value.upper).max(1.0) + rounding;
    within("largest_value", answer.largest_value, *largest_value, slack)?;
    // A number counts as proved only if it is close to the proved interval, however wide its bounds
    // are. In addition every proved possibility must be within its stated error.
    let near = NEAR * remap_value.upper.max(1.0);
    let number = open("remap_value", answer.remap_value, *remap_value, [f64::INFINITY, near]);
    agreed.admit("remap_value", reason.clone().or(number));
    agreed.admit("remap_bounds", reason);
    let largest = open("largest_value", answer.largest_value, *largest_value, [slack, near]);
    agreed.admit("largest_value", largest);
    // Bounds narrower than those of the certificate may be right, but are not proved.
    let wider = (answer.value_gap < *value_gap).then(|| {
        let given = answer.value_gap;
        format!("`value_gap` is {given:e}; proved is only that it is at most {value_gap:e}")
    });
    agreed.admit("value_gap", wider);
    let Some((letters, places)) = vectors else {
        let Some(all) = all else { return Ok(()) };
        let (given, undecided) = (answer.counts, all.either.upper);
        for (name, given, proved, more) in [
            ("balanced", given.balanced, all.balanced, 0.0),
            ("remap", given.remap, all.remap, undecided),
            ("continued", given.continued, all.continued, undecided),
        ] {
            let Interval { lower, upper } = proved;
            // Sums of many numbers.
            let rounding = if upper < 2f64.powi(53) { 0.0 } else { 1e-9 * upper };
            let proved = Interval { lower, upper: upper + more };
            within(format!("counts.{name}"), given, proved, rounding)?;
        }
        agreed.proved.extend((undecided == 0.0).then_some("counts"));
        return Ok(());
    };
    let ties = ties(answer, letters)?;
    let (mut either, mut widest, mut not_near) = (BTreeSet::new(), 0.0f64, None);
    let mut otherwise = 0;
    for (i, (letter, loads)) in letters.iter().zip(&places).enumerate() {
        let state = checked.state(loads, i);
        let (decision, bounds) =
            state.ok_or_else(|| format!("`decision[{i}]`: nothing is proved of {loads:?}"))?;
        let (right, proved) = match decision {
            Decision::Balanced => (*letter == b'B', "B, balanced,"),
            Decision::Remap => (*letter == b'R', "R, remap,"),
            Decision::Continue => (*letter == b'C', "C, continue,"),
            Decision::Either => (b"RC".contains(letter), "R or C"),
        };
        // The solution may leave open what is proved.
        if !right && decision != Decision::Balanced && ties.contains(&(i as u128)) {
            otherwise += 1;
        } else if !right {
            let letter = char::from(*letter);
            return Err(format!(
                "`decision[{i}]`, of the loads {loads:?}, is {letter}, but {proved} is proved"
            ));
        }
        if decision == Decision::Either {
            either.insert(i as u128);
        }
        if let Some(values) = &answer.value {
            let given = *needed(Entry("value", i), values.get(i))?;
            within(Entry("value", i), given, bounds, slack)?;
            widest = widest.max(farthest(given, bounds));
            not_near = not_near.or_else(|| open(Entry("value", i), given, bounds, [slack, near]));
        }
    }
    // A letter that may be another one is right only where the solution says so.
    let unsaid = either.difference(&ties).count();
    if otherwise == 0 && unsaid == 0 {
        agreed.proved.extend(["decision", "counts"]);
    } else if unsaid > 0 {
        let reason =
            format!("{unsaid} letters of `decision` may be R or C, and are not among `ties`");
        agreed.admit("decision", Some(reason.clone()));
        agreed.admit("counts", Some(reason));
    }
    if let Some(values) = &answer.value {
        length("value", values.len(), places.len())?;
        agreed.admit("value", not_near);
        let widest = above(widest);
        agreed.sentences.push(format!("every J(s) given is within {widest} of the optimal one"));
    }
    counts(answer.counts, letters)?;
    agreed.proved.extend((ties == either).then_some("ties"));
    let open = match either.len() {
        0 => String::new(),
        either => format!(" but {either}, which may be either"),
    };
    agreed.sentences.push(match otherwise {
        0 => format!("every letter of the map is optimal{open}"),
        otherwise => format!(
            "of {otherwise} ties of the solution the other letter is proved; every other letter is optimal{open}"
        ),
    });
    Ok(())
}

/// Checks that the counts are those of the letters.
fn counts(given: Counts, letters: &[u8]) -> Result<(), Fault> {
    let count = |letter: u8| letters.iter().filter(|other| **other == letter).count() as f64;
    for (name, given, letter) in [
        ("balanced", given.balanced, b'B'),
        ("remap", given.remap, b'R'),
        ("continued", given.continued, b'C'),
    ] {
        let all = count(letter);
        if given != all {
            let letter = char::from(letter);
            return Err(format!(
                "`counts.{name}` is {given}, but `decision` has {all} letters {letter}"
            ));
        }
    }
    Ok(())
}

/// Checks that ties are indices of unbalanced load vectors, each listed once.
fn ties(answer: &Answer, letters: &[u8]) -> Result<BTreeSet<u128>, Fault> {
    let mut all = BTreeSet::new();
    for (i, place) in answer.ties.iter().enumerate() {
        let letter = usize::try_from(*place).ok().and_then(|place| letters.get(place));
        if letter.is_none_or(|letter| *letter == b'B') || !all.insert(*place) {
            return Err(format!(
                "`ties[{i}]` is {place}, not the place of an unbalanced load vector, named once"
            ));
        }
    }
    Ok(all)
}

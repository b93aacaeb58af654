//! Random parts of model files. Random parts shrink toward those of the model.

use proptest::prelude::*;
use std::collections::BTreeMap;

/// The model's own text, or else a random one.
pub fn field(own: Option<&str>, random: BoxedStrategy<String>) -> BoxedStrategy<String> {
    match own {
        Some(own) => prop_oneof![Just(own.to_owned()), random].boxed(),
        None => random,
    }
}

/// A fixed text.
pub fn text(text: &str) -> BoxedStrategy<String> {
    Just(text.to_owned()).boxed()
}

/// A multiple of 1/100.
pub fn hundredths(range: std::ops::RangeInclusive<u32>) -> BoxedStrategy<String> {
    range.prop_map(hundredth).boxed()
}

/// A number of hundredths as a decimal.
pub fn hundredth(hundredths: u32) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A distribution on some of the values, with weights in tenths.
pub fn weights(values: std::ops::Range<i64>, most: usize) -> BoxedStrategy<BTreeMap<i64, u32>> {
    prop::collection::btree_map(values, 1u32..6, 1..=most)
        .prop_map(|parts| {
            let count = parts.len() as u32;
            let mut left = 10;
            let mut weights = BTreeMap::new();
            for (at, (value, part)) in (0..).zip(parts) {
                let reserved = count - 1 - at;
                let weight = if reserved == 0 { left } else { part.min(left - reserved) };
                left -= weight;
                weights.insert(value, weight);
            }
            weights
        })
        .boxed()
}

/// The distribution as a model file states it: `{0: 0.9, 6: 0.1}`.
pub fn law(weights: &BTreeMap<i64, u32>) -> String {
    let parts =
        weights.iter().map(|(value, weight)| format!("{value}: {}", hundredth(10 * weight)));
    format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
}

/// A model file with these fields of a problem.
pub fn deck(problem: &str, fields: &[(&str, String)]) -> String {
    let fields: String =
        fields.iter().map(|(name, value)| format!("        {name}: {value},\n")).collect();
    format!(
        "Model(\n    title: \"A counterexample\",\n    problem: {problem}(\n{fields}    ),\n)\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_short() {
        let shown = [0, 5, 30, 100, 1250].map(hundredth);
        assert_eq!(shown, ["0", "0.05", "0.3", "1", "12.5"]);
    }

    proptest! {
        #[test]
        fn weights_sum_to_one(weights in weights(-3..4, 4)) {
            prop_assert_eq!(weights.values().sum::<u32>(), 10);
            prop_assert!(weights.values().all(|weight| *weight > 0));
        }
    }
}

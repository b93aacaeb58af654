//! How much a long test does: a part that takes seconds, or all of it if `REMAP_THOROUGH` is set.
//! `.ci/run` sets it.
#![allow(dead_code, reason = "every binary of tests includes this file and uses some of it")]

use std::ops::Div;

pub fn thorough() -> bool {
    std::env::var_os("REMAP_THOROUGH").is_some()
}

/// `all`, or only `few` by default.
pub fn few_or_all<T>(few: T, all: T) -> T {
    if thorough() { all } else { few }
}

/// `all`, or by default a tenth, at least two.
pub fn samples<N: Copy + Ord + Div<Output = N> + From<u8>>(all: N) -> N {
    few_or_all((all / N::from(10)).max(N::from(2)).min(all), all)
}

/// All paths, or by default an eighth of each folder, which is a kind of problem: its last one, and
/// others at even distances.
pub fn some_of_each_folder(paths: Vec<String>) -> Vec<String> {
    let folder = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let folders = paths.chunk_by(|one, other| folder(one) == folder(other));
    let of = |folder: &[String]| some(folder.len().div_ceil(8), folder.iter().rev().cloned());
    folders.flat_map(of).collect()
}

/// All items, or by default `few` of them: the first, and others at even distances.
pub fn some<T>(few: usize, all: impl IntoIterator<Item = T>) -> Vec<T> {
    let all: Vec<T> = all.into_iter().collect();
    let (count, few) = (all.len(), few_or_all(few.min(all.len()), all.len()));
    let chosen = |at: usize| (0..few).any(|k| k * count / few == at);
    all.into_iter().enumerate().filter(|(at, _)| chosen(*at)).map(|(_, item)| item).collect()
}

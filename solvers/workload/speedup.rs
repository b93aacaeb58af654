//! The speedup between two remaps, and how it scales [NR90, section V-C].

/// Speedup of `processors` over one between two remaps `cycles` apart (b_r), when a point costs
/// `update` per cycle (c_x) and `moving` to remap (c_r), at parallel `efficiency` e(L, P) and with
/// the fraction `serial` (h) of the moves one after another: 1 is all of them, 1/P none.
///
/// b c_x / (b c_x/(e P) + h c_r)
pub fn between_remaps(
    cycles: f64,
    update: f64,
    moving: f64,
    efficiency: f64,
    processors: f64,
    serial: f64,
) -> f64 {
    let work = cycles * update;
    work / (work / (efficiency * processors) + serial * moving)
}

/// The same with moves that take log2 P rounds in parallel, h = (log2 P)/P (crystal routing).
///
/// P / (1/e + (c_r log2 P)/(b c_x))
pub fn with_routing(
    cycles: f64,
    update: f64,
    moving: f64,
    efficiency: f64,
    processors: f64,
) -> f64 {
    processors / (1.0 / efficiency + moving * processors.log2() / (cycles * update))
}

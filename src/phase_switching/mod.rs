//! Recurring phases: a workload alternates between two phases, and a program switches between two
//! mappings. It sees the phase only through a fallible detector. This is a partially observed
//! Markov decision process with two hidden states.
//!
//! The belief p is the probability of the second phase. It does not depend on the decisions. With
//! rates a (first to second) and b (second to first) it becomes p_a = p (1-b) + (1-p) a before an
//! observation and follows Bayes' rule after it. (P f)(p) is the mean of f over the next belief.
//! Cycle n runs iff N >= n, under the mapping chosen at the belief p_n, and s_n is the probability
//! that another cycle follows. With e_m(p) the mean time of a cycle under mapping m, and c, d the
//! costs of switching to the second mapping and back, the Bellman equations are
//!
//! ```text
//! Q_m = e_m + s_n P V_m(next)            V_1 = min(Q_1, c + Q_2)      V_2 = min(Q_2, d + Q_1)
//! ```
//!
//! The decisions depend only on the difference D = Q_1 - Q_2: switch to the second mapping iff D >
//! c, back iff D < -d. Since V_1 - V_2 is D clipped to [-d, c], the difference has a recursion of
//! its own:
//!
//! ```text
//! D_n = e_1 - e_2 + s_n P cut(D_{n+1}),   cut(x) = min(max(x, -d), c)
//! ```
//!
//! Its operator T is monotone. Assume that the phases last (a + b <= 1) and that e_1 - e_2
//! increases with p. Then D increases with p: P preserves increasing functions, because a greater
//! p_a makes greater observations likelier and the belief update is increasing. So every step has
//! two thresholds, and between them the program keeps its mapping (hysteresis).
//!
//! | horizon | method |
//! |---|---|
//! | finite, [`solve`] | backward induction; piecewise-linear functions enclose D |
//! | infinite, [`long_run`] | value iteration; a step's change bounds the limit (`stationarity.rs`) |
//!
//! A step takes O(pieces x levels) time. Bounds are rounded outward, so they hold in exact
//! arithmetic.
//!
//! A premature switch is not observed: the program switches back when its belief says so. With b =
//! 0 and no way back this is the problem of [`crate::phase_change`] with lasting remaps (`Keep`).
//!
//! References: Nicol and Reynolds 1986, section X, for the problem; Smallwood and Sondik 1973 for
//! piecewise-linear value functions of the belief.
//!
//! ```
//! use remapping::belief::Levels;
//! use remapping::decimal::decimal;
//! use remapping::phase_switching::{PhaseSwitching, long_run};
//!
//! let problem = PhaseSwitching {
//!     cycle: [[decimal("1")?, decimal("2")?], [decimal("3")?, decimal("1")?]],
//!     switch: [Some(decimal("4")?), Some(decimal("4")?)],
//!     rates: [decimal("0.02")?, decimal("0.05")?],
//!     detector: Levels::binary(decimal("0.1")?, decimal("0.1")?)?,
//!     initial: decimal("0")?,
//! };
//! let endless = long_run(&problem, 1e-6, &())?;
//! let [to_second, to_first] = [&endless.to_second, &endless.to_first];
//! assert!(to_first.upper < to_second.lower, "between the two the mapping stays");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod difference;
pub mod evaluation;
pub mod exact;
mod polylines;
mod problem;
mod solve;
mod sweep;
mod value_function;

pub use difference::breakpoints::{AtRest, Places};
pub use polylines::threshold_edge::{exceeded, undercut};
pub use problem::{PhaseSwitching, SwitchingError};
pub use solve::finite::{Solution, solve};
pub use solve::long_run::{LongRun, long_run};

//! A running computation as its user sees it: a progress bar, a time limit, Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use remapping::{Halt, Observer};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes the first Ctrl-C stop computations cleanly and the second quit at once.
pub fn catch_interrupts() {
    let handler = || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    };
    // Failing to install it only leaves the system's own behaviour.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C has been pressed.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Watches one computation.
pub struct Watch {
    started: Instant,
    limit: Option<Duration>,
    bar: ProgressBar,
}

/// Shorter computations show no bar.
const QUIET: Duration = Duration::from_secs(1);

impl Watch {
    /// Starts the clock. The bar appears on a terminal, after a second. A limit beyond the reach of
    /// clocks is none.
    pub fn start(title: &str, limit: Option<f64>) -> Watch {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = "{msg} {wide_bar} {percent}% {eta}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message(title.to_owned());
        Watch {
            started: Instant::now(),
            limit: limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            bar,
        }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl Observer for Watch {
    fn progress(&self, done: u64, total: u64) -> ControlFlow<Halt> {
        if is_interrupted() {
            return ControlFlow::Break(Halt::Interrupted);
        }
        let elapsed = self.started.elapsed();
        if self.limit.is_some_and(|limit| elapsed > limit) {
            return ControlFlow::Break(Halt::TimeLimit);
        }
        if elapsed > QUIET {
            if self.bar.is_hidden() && self.bar.length().is_none() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            self.bar.set_length(total);
            self.bar.set_position(done.min(total));
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

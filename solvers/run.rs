//! Controls a running computation: the progress bar, the time limit, low memory, and Ctrl-C.

use crate::memory;
use crate::output::quit_between_outputs;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use remapping::{Halt, Observer};
#[cfg(unix)]
use signal_hook::{consts::SIGABRT, flag::register_conditional_shutdown};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether some computation has noticed the interrupt and is about to end.
static HEARD: AtomicBool = AtomicBool::new(false);

/// The longest time between two progress reports of a computation, in milliseconds.
static LONGEST_SILENCE: AtomicU64 = AtomicU64::new(0);

/// How long an interrupted program may take to respond: at least, and in total.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// Makes the first Ctrl-C stop computations cleanly and the second quit at once. Code that does not
/// check for interrupts, such as a reader waiting for input, has nothing to show yet. The program
/// then ends after a second; a computation with longer steps may finish the present one.
pub fn catch_interrupts() {
    on_interrupt(|| in_a_thread(quit_unless_answered));
}

/// Turns an abort for lack of memory into the exit code of a limit. The message is that of the
/// allocation that failed.
#[cfg(unix)]
pub fn catch_the_end_of_memory() {
    let always = Arc::new(AtomicBool::new(true));
    let _ = register_conditional_shutdown(SIGABRT, 3, always);
}

/// The same for a program on several ranks that a queue asks to end: it may take as long as it
/// needs to save and print, unless it is asked again.
pub fn listen_to_interrupts() {
    on_interrupt(|| true);
}

/// Ends the program at the second interrupt, or if `first` fails at the first one.
fn on_interrupt(first: fn() -> bool) {
    // If this fails, the system's own behavior remains.
    let _ = ctrlc::set_handler(move || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) || !first() {
            std::process::exit(130);
        }
    });
}

/// Runs `work` in a new thread; `false` if there is too little memory for one.
fn in_a_thread(work: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().spawn(work).is_ok()
}

/// Starts the threads that loops share: `number`, or else as many as `rayon` takes from the machine
/// and its environment variable. Does nothing if there are threads already. Ends the program if the
/// system has no memory for them, or allows no more.
pub fn start_threads(number: Option<usize>) {
    if rayon::current_thread_index().is_some() {
        return;
    }
    // To rayon, 0 means that no number is given.
    let started = rayon::ThreadPoolBuilder::new().num_threads(number.unwrap_or(0)).build_global();
    // Without a source, the error is that there are threads already.
    if let Some(cause) = started.as_ref().err().and_then(Error::source) {
        let reason = format!(
            "cannot start the threads that compute: {cause}. The system may limit them (ulimit -a); \
             --threads asks for fewer or, where a command lacks it, RAYON_NUM_THREADS=2"
        );
        quit_between_outputs(&reason, 3, || false);
    }
}

fn quit_unless_answered() {
    let asked = Instant::now();
    let silence = Duration::from_millis(LONGEST_SILENCE.load(Ordering::Relaxed));
    let patience = (2 * silence).clamp(ANSWER_WITHIN, MOST_PATIENCE);
    let given = || if HEARD.load(Ordering::SeqCst) { MOST_PATIENCE } else { patience };
    while asked.elapsed() < given() {
        std::thread::sleep(Duration::from_millis(20));
    }
    quit_between_outputs("interrupted: nothing more is known yet", 130, || false);
}

/// Whether Ctrl-C has been pressed.
pub fn is_interrupted() -> bool {
    let interrupted = INTERRUPTED.load(Ordering::Relaxed);
    if interrupted {
        HEARD.store(true, Ordering::SeqCst);
    }
    interrupted
}

/// Stops computations as Ctrl-C does, or lets new ones start again. It is for programs that handle
/// interrupts themselves.
pub fn interrupt(stop: bool) {
    INTERRUPTED.store(stop, Ordering::SeqCst);
}

/// Runs `work`, which cannot be stopped and shows nothing before its end. Ends the program with
/// `reason` if it takes longer than `limit` seconds. Output that has begun afterwards is finished
/// in any case.
pub fn within<T>(limit: Option<f64>, reason: &'static str, work: impl FnOnce() -> T) -> T {
    let done = Arc::new(AtomicBool::new(false));
    let heard = done.clone();
    // A limit beyond the range of clocks is no limit.
    let left = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
    if let Some(left) = left {
        let watched = in_a_thread(move || {
            std::thread::sleep(left);
            quit_between_outputs(reason, 3, || heard.load(Ordering::SeqCst));
        });
        if !watched {
            quit_between_outputs("too little memory to watch the time limit", 3, || false);
        }
    }
    let found = work();
    done.store(true, Ordering::SeqCst);
    found
}

/// Watches one computation.
pub struct Watch {
    started: Instant,
    limit: Option<Duration>,
    /// The milliseconds from the start to the last report.
    heard: AtomicU64,
    /// The time of the next memory check, in the same unit.
    looks: AtomicU64,
    is_short: fn() -> bool,
    /// Whether memory became low.
    short: AtomicBool,
    /// When the part of the computation began that says how far it is, likewise.
    began: AtomicU64,
    bar: ProgressBar,
}

/// The milliseconds between two memory checks.
const LOOKS: u64 = 200;

/// The time before a bar appears.
const QUIET: Duration = Duration::from_secs(1);

/// The interval at which the elapsed time is drawn.
const TICK: Duration = Duration::from_millis(200);

impl Watch {
    /// Starts the clock. On a terminal the bar appears after a second. A limit beyond the range of
    /// clocks is no limit.
    pub fn start(title: &str, limit: Option<f64>) -> Watch {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_message(title.to_owned());
        Watch {
            started: Instant::now(),
            limit: limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            // The time before the first report does not count: it is for preparations.
            heard: AtomicU64::new(u64::MAX),
            looks: AtomicU64::new(LOOKS),
            is_short: memory::is_short,
            short: AtomicBool::new(false),
            began: AtomicU64::new(0),
            bar,
        }
    }

    /// The same for a computation that does not report progress at first: until it does, the
    /// elapsed time is shown.
    pub fn waiting(title: &str, limit: Option<f64>) -> Watch {
        let watch = Watch::start(title, limit);
        let bar = watch.bar.clone();
        // Without memory for a thread there is no bar.
        in_a_thread(move || {
            std::thread::sleep(QUIET);
            if bar.length().is_none() && !bar.is_finished() {
                show(&bar, "{msg} {spinner} {elapsed}");
            }
            while bar.length().is_none() && !bar.is_finished() {
                bar.tick();
                std::thread::sleep(TICK);
            }
        });
        watch
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// The share of a computation that has to be done before anything is said of the rest.
const TOLD_FROM: f64 = 0.03;

/// Seconds beyond which nothing is said of the rest: two days.
const MOST_TOLD: f64 = 172_800.0;

/// How long the rest takes at the speed so far, if that can be told.
fn left(milliseconds: u64, done: u64, total: u64) -> String {
    let share = done as f64 / total.max(1) as f64;
    let seconds = milliseconds as f64 / 1e3 * (1.0 - share) / share;
    match share >= TOLD_FROM && seconds <= MOST_TOLD {
        true => format!("{} left", HumanDuration(Duration::from_secs_f64(seconds.max(0.0)))),
        false => String::new(),
    }
}

/// Draws a bar from now on, if there is a terminal.
fn show(bar: &ProgressBar, style: &str) {
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    if bar.is_hidden() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}

impl Observer for Watch {
    fn check(&self) -> ControlFlow<Halt> {
        if is_interrupted() {
            return ControlFlow::Break(Halt::Interrupted);
        }
        let elapsed = self.started.elapsed();
        let now = elapsed.as_millis() as u64;
        let silence = now.saturating_sub(self.heard.swap(now, Ordering::Relaxed));
        LONGEST_SILENCE.fetch_max(silence, Ordering::Relaxed);
        if self.limit.is_some_and(|limit| elapsed > limit) {
            return ControlFlow::Break(Halt::TimeLimit);
        }
        // One of the threads checks; the others continue.
        if now >= self.looks.load(Ordering::Relaxed)
            && now >= self.looks.swap(now + LOOKS, Ordering::Relaxed)
            && (self.is_short)()
        {
            self.short.store(true, Ordering::Relaxed);
        }
        if self.short.load(Ordering::Relaxed) {
            return ControlFlow::Break(Halt::MemoryLimit);
        }
        ControlFlow::Continue(())
    }

    fn progress(&self, done: u64, total: u64) -> ControlFlow<Halt> {
        self.check()?;
        let elapsed = self.started.elapsed();
        if elapsed > QUIET {
            if self.bar.length().is_none() {
                show(&self.bar, "{msg} {wide_bar} {percent}% {prefix}");
            }
            let now = elapsed.as_millis() as u64;
            // A part that begins anew takes its own time.
            if done < self.bar.position() {
                self.began.store(now, Ordering::Relaxed);
            }
            let spent = now - self.began.load(Ordering::Relaxed).min(now);
            self.bar.set_prefix(left(spent, done, total));
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

#[cfg(test)]
mod tests {
    use super::*;
    use remapping::Status;

    #[test]
    fn what_waits_shows_the_time_until_it_knows_how_far_it_is() {
        let watch = Watch::waiting("x", None);
        let bar = watch.bar.clone();
        std::thread::sleep(QUIET + 2 * TICK);
        assert_eq!((bar.length(), bar.is_finished()), (None, false));
        assert_eq!(watch.progress(3, 10), ControlFlow::Continue(()));
        assert_eq!((bar.length(), bar.position()), (Some(10), 3));
        drop(watch);
        assert!(bar.is_finished());
    }

    /// Where hardly anything is done nothing is said of the rest, and never years.
    #[test]
    fn the_rest_is_told_where_it_can_be() {
        assert_eq!(left(2000, 1, 1_000_000_000), "");
        assert_eq!(left(2000, 0, 0), "");
        assert_eq!(left(400_000_000, 1, 10), "");
        assert_eq!(left(30_000, 1, 2), "30 seconds left");
        assert_eq!(left(1000, 10, 10), "0 seconds left");
    }

    #[test]
    fn a_computation_that_memory_runs_short_of_stops_with_what_it_has() {
        let mut watch = Watch::start("x", None);
        assert_eq!(watch.check(), ControlFlow::Continue(()));
        watch.is_short = || true;
        watch.looks.store(0, Ordering::Relaxed);
        let stopped = watch.check();
        assert_eq!(stopped, ControlFlow::Break(Halt::MemoryLimit));
        // Memory that is freed as it stops does not start it again.
        watch.is_short = || false;
        watch.looks.store(0, Ordering::Relaxed);
        assert_eq!(watch.check(), stopped);
        let status = Status::from(Halt::MemoryLimit);
        assert_eq!(serde_json::to_string(&status).unwrap(), "\"memory_limit\"");
    }
}

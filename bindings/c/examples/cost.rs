//! What a call costs: `cargo run --release --example cost`. Nanoseconds of processor time through the C interface, the
//! best of several rounds.

use remap::*;
use remapping::random::stream;
use std::ffi::CString;
use std::hint::black_box;
use std::ptr::null_mut;

use rand::RngExt;

/// Steps of a run; the times come round again after some.
const ROWS: usize = 256;
const ROUNDS: usize = 25;

fn times(ranks: usize) -> Vec<f64> {
    let mut random = stream(1, ranks as u64);
    let mut loads = vec![1.0; ranks];
    let mut rows = Vec::with_capacity(ROWS * ranks);
    for _ in 0..ROWS {
        for load in &mut loads {
            let moved: f64 = random.random();
            *load += 0.02 * (moved - 0.5);
            rows.push(*load);
        }
    }
    rows
}

fn started(policy: &str) -> *mut RemapController {
    let (name, mut made) = (CString::new(policy).expect("a name"), null_mut());
    // SAFETY: the name ends with a NUL, and `made` may be written.
    let status = unsafe { remap_controller_new(name.as_ptr(), 0.5, &mut made) };
    assert!(status == REMAP_OK);
    made
}

/// Nanoseconds this thread has been given.
fn spent() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` may be written.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert!(status == 0);
    1e9 * time.tv_sec as f64 + time.tv_nsec as f64
}

/// Nanoseconds a step, over `steps` of them.
fn measured(policy: &str, ranks: usize, steps: usize, summary: bool) -> f64 {
    let rows = times(ranks);
    let sums: Vec<(f64, f64)> = rows
        .chunks(ranks)
        .map(|row| {
            (row.iter().copied().fold(0.0, f64::max), row.iter().sum::<f64>() / ranks as f64)
        })
        .collect();
    let round = |_| {
        let controller = started(policy);
        let (mut remap, mut remaps) = (false, 0);
        let start = spent();
        for step in 0..steps {
            let at = step % ROWS;
            // SAFETY: the controller was made above, the times are as many as said.
            let status = unsafe {
                match summary {
                    true => remap_controller_step(controller, sums[at].0, sums[at].1, &mut remap),
                    false => {
                        let row = rows[at * ranks..].as_ptr();
                        remap_controller_step_times(controller, row, ranks, &mut remap)
                    }
                }
            };
            assert!(status == REMAP_OK);
            if remap {
                // SAFETY: as above.
                unsafe { remap_controller_remapped(controller, 0.5) };
                remaps += 1;
            }
        }
        let each = (spent() - start) / steps as f64;
        black_box(remaps);
        // SAFETY: it was made above, and is ended once.
        unsafe { remap_controller_free(controller) };
        each
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    println!("by the largest and the mean time, ns a call");
    let rules = [
        "never",
        "fixed:40",
        "threshold:0.5",
        "utilization:0.8",
        "stop_at_rise",
        "menon",
        "metabalancer",
        "zhai",
        "procassini",
        "q_learning",
    ];
    for policy in rules {
        println!("{policy:<16}{:>10.1}", measured(policy, 16, 100_000, true));
    }
    println!("by the times of all ranks, ns a call and rank");
    println!("{:<16}{:>10}{:>10}{:>10}", "ranks", 16, 128, 1024);
    for policy in ["threshold:0.5", "marquez:0.1", "advised"] {
        let each =
            |ranks: usize| measured(policy, ranks, 400_000 / ranks.max(64), false) / ranks as f64;
        println!("{policy:<16}{:>10.1}{:>10.1}{:>10.1}", each(16), each(128), each(1024));
    }
    println!("planning, microseconds a call, over 100 steps");
    println!("{:<16}{:>10}{:>10}", "ranks", 4, 64);
    let each = |ranks: usize| measured("adaptive_cold", ranks, 100, false) / 1000.0;
    println!("{:<16}{:>10.0}{:>10.0}", "adaptive_cold", each(4), each(64));
}

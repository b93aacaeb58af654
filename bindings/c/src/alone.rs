//! Computing without leaving threads in the caller's program.

use crate::error::{Failure, Outcome};

/// Computes in one thread of its own, which has ended when this returns: a pool of threads would stay in the caller's
/// program.
pub(crate) fn alone<T: Send>(compute: impl FnOnce() -> T + Send) -> Outcome<T> {
    let mut threads = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).spawn_handler(|thread| {
        threads.push(std::thread::Builder::new().spawn(|| thread.run())?);
        Ok(())
    });
    let computed = pool.build().map(|pool| pool.install(compute)).map_err(Failure::argument);
    for thread in threads {
        // What it panics with has been passed on.
        let _ = thread.join();
    }
    computed
}

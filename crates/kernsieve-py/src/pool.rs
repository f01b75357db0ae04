//! Thread pools. The global pool of the process is not used: its threads would not survive a
//! `fork`, and a caller may ask for fewer.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::sync::Arc;

/// A pool of its own.
pub fn own(threads: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .map_err(|e| {
            PyRuntimeError::new_err(format!(
                "cannot start {threads} threads: {e}; use a smaller n_jobs"
            ))
        })
}

/// A pool, and the process and number of threads that it was made for.
struct Kept {
    process: u32,
    threads: usize,
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        // After a fork the threads exist only in the parent process, so the pool must not be shut
        // down here.
        if self.process != std::process::id() {
            std::mem::forget(self.pool.take());
        }
    }
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// A pool that the calling thread keeps for its next call: starting threads takes longer than
/// predicting a few rows.
pub fn kept(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    KEPT.with_borrow_mut(|kept| {
        if let Some(Kept {
            pool: Some(pool), ..
        }) = kept
            .as_ref()
            .filter(|k| (k.process, k.threads) == (process, threads))
        {
            return Ok(pool.clone());
        }
        let pool = Arc::new(own(threads)?);
        *kept = Some(Kept {
            process,
            threads,
            pool: Some(pool.clone()),
        });
        Ok(pool)
    })
}

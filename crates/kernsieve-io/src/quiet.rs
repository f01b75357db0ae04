//! Work that may panic, without the noise.
//!
//! The Parquet decoder panics on some damaged files. The panic is caught and the user gets an
//! error. The message that a panic prints as well would only confuse.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Does the work and returns `None` if it panics. Panics elsewhere are reported as before.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    // Whatever the work borrows is discarded after a panic.
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    done.ok()
}

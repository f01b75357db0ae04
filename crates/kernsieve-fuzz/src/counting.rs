//! An allocator that counts the bytes that are held.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// What is refused, so that an input that asks for everything ends this process and no other.
const REFUSED: usize = 6 << 30;

struct Counting;

/// Whether so many bytes more may be held.
fn grown(bytes: usize) -> bool {
    let held = HELD.fetch_add(bytes, Relaxed).saturating_add(bytes);
    MOST.fetch_max(held, Relaxed);
    let fits = held <= REFUSED;
    if !fits {
        HELD.fetch_sub(bytes, Relaxed);
    }
    fits
}

// An allocator cannot be written without `unsafe`. Besides counting, it only calls the system's.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match grown(layout.size()) {
            // SAFETY: the caller's promises are those that the system's allocator asks for.
            true => unsafe { System.alloc(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match grown(layout.size()) {
            // SAFETY: as above.
            true => unsafe { System.alloc_zeroed(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs a task and returns the most bytes that were held above those at the start.
pub fn most_held<R>(task: impl FnOnce() -> R) -> (R, usize) {
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = task();
    (result, MOST.load(Relaxed).saturating_sub(before))
}

//! Memory of fits and predictions against the number of rows, counted by the allocator: one copy of
//! a matrix too many is noticed on any machine, however busy.

mod common;

use common::{numbers, problem};
use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::{Kernel, gram};
use kernsieve::linalg::Matrix;
use kernsieve::method::kos::KosSetting;
use kernsieve::method::l2qp::L2qpSetting;
use kernsieve::method::lda::LdaSetting;
use kernsieve::method::smkda::SmkdaSetting;
use kernsieve::method::{
    Klr, Kos, L2le, L2qp, Lda, Method, Mkda, OnlyKernel, Parzen, Ridged, Smkda,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static ALONE: Mutex<()> = Mutex::new(());

/// Tests run one after the other: what one of them prepares must not count as what another uses.
fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Counting;

fn grown(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(held, Relaxed);
}

// An allocator cannot be written without `unsafe`. Besides counting, it only calls the system's.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes held above those at the start, and the number of allocations, on one thread:
/// tiles of several threads add up.
fn used<R: Send>(task: impl FnOnce() -> R + Send) -> (usize, usize) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread");
    let (before, calls) = (HELD.load(Relaxed), CALLS.load(Relaxed));
    MOST.store(before, Relaxed);
    let result = pool.install(task);
    let answer = (MOST.load(Relaxed) - before, CALLS.load(Relaxed) - calls);
    drop(result);
    answer
}

fn fit_bytes<M: Method>(method: &M, setting: &M::Setting, n: usize) -> usize {
    let problem = problem(n);
    used(|| method.fit(&problem, setting).expect("a fit")).0
}

/// Checks that a fit holds fewer `n x n` matrices of doubles than this.
fn holds<M: Method>(method: &M, setting: &M::Setting, matrices: f64) {
    let n = 800;
    let held = fit_bytes(method, setting, n) as f64 / (8 * n * n) as f64;
    let name = M::ABOUT.name;
    assert!(
        held < matrices,
        "{name}: {held:.2} matrices, not {matrices}"
    );
}

#[test]
fn a_gram_matrix_is_all_that_is_allocated_for_one() {
    let _alone = alone();
    let x = numbers(600, 5);
    let (bytes, _) = used(|| gram(&Kernel::Gaussian { bandwidth: 1.0 }, &x));
    assert!(bytes < 8 * 600 * 600 * 6 / 5, "{bytes} bytes");
}

/// The most `n x n` matrices of doubles that a fit may hold: the measured number plus less than
/// one.
#[test]
fn dense_fits_hold_no_matrix_more_than_they_need() {
    let _alone = alone();
    let kernel = Kernel::Gaussian { bandwidth: 1.0 };
    let ridged = Ridged {
        kernel,
        ridge: 0.01,
    };
    holds(&Mkda::new(), &ridged, 4.0);
    let kos = KosSetting {
        kernel,
        ridge: Some(0.01),
    };
    holds(&Kos::new(), &kos, 4.0);
    holds(&Smkda::new(), &SmkdaSetting::of(kernel, 20), 3.8);
    holds(&L2le::new(), &ridged, 3.3);
    holds(&Klr::new(), &ridged, 1.5);
    let l2qp = L2qpSetting {
        kernel,
        balance: 1.0,
        class_bandwidths: None,
    };
    holds(&L2qp::new(), &l2qp, 1.5);
    holds(&Parzen::new(), &OnlyKernel { kernel }, 0.5);
    holds(&Lda::new(), &LdaSetting::default(), 0.5);
}

/// Twice the rows with the same candidates: only what is kept of every row grows.
#[test]
fn a_fit_among_few_candidates_does_not_hold_the_kernels_of_all_rows() {
    let _alone = alone();
    let setting = SmkdaSetting::of(Kernel::Gaussian { bandwidth: 1.0 }, 20);
    let smkda = Smkda::new().candidates(50);
    let [few, many] = [10_000, 20_000].map(|n| fit_bytes(&smkda, &setting, n));
    // A tenth of what kernel values of all rows and candidates would take.
    assert!(many < 8 * 20_000 * 50 / 2, "{many} bytes");
    assert!(many < few + 8 * 10_000 * 50 / 10, "{few} and {many} bytes");
}

/// Memory is that of the result and of one block, with a few allocations per block of 256 rows.
#[test]
fn predictions_are_made_in_blocks() {
    let _alone = alone();
    let support = numbers(100, 5);
    let output = Output::Linear {
        coef: Matrix::zeros(100, 1),
        offset: vec![0.0],
    };
    let kernel = Kernel::Gaussian { bandwidth: 1.0 };
    let expansion = KernelExpansion::new(kernel, vec![1.0; 5], &support, output);
    let x = numbers(40_000, 5);
    let (bytes, calls) = used(|| expansion.evaluate(&x));
    // One block has 256 x 100 kernel values: 205 kB.
    assert!(bytes < 8 * 40_000 + 3 * 8 * 256 * 100, "{bytes} bytes");
    assert!(calls < 40 * (40_000 / 256), "{calls} allocations");
}

//! Memory for large matrices, in large pages where the system supports them.
//!
//! A Gram matrix of 4000 rows takes 128 MB. In pages of 4 KiB, the system needs longer to allocate
//! it (47 ms, measured) than the processor needs to fill it with kernel values.

/// Large pages are requested for buffers from this size on: 4 MiB.
const LARGE: usize = (4 << 20) / size_of::<f64>();

/// A buffer of zeros.
pub(crate) fn zeros(len: usize) -> Vec<f64> {
    // Large allocations come from the system as untouched zero pages, so the advice is given before
    // any page exists.
    let buffer = vec![0.0; len];
    if len >= LARGE {
        advise_large_pages(&buffer);
    }
    buffer
}

/// A copy of a buffer.
pub(crate) fn copy(source: &[f64]) -> Vec<f64> {
    if source.len() < LARGE {
        return source.to_vec();
    }
    let mut buffer = zeros(source.len());
    buffer.copy_from_slice(source);
    buffer
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise_large_pages(buffer: &[f64]) {
    const PAGE: usize = 4096;
    let start = buffer.as_ptr() as usize;
    let end = start + size_of_val(buffer);
    let (from, to) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if to > from {
        // SAFETY: the range lies inside a live allocation that we own, and MADV_HUGEPAGE only gives
        // advice about page sizes: it changes no byte and no mapping. After a failure the pages are
        // small, as they would be without the advice.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages(_: &[f64]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_buffers_are_ordinary_buffers() {
        let mut a = zeros(LARGE + 3);
        assert!(a.iter().all(|v| *v == 0.0));
        a[LARGE] = 5.0;
        assert_eq!(copy(&a), a);
        a.extend([1.0; 10]);
        assert_eq!(a.len(), LARGE + 13);
    }
}

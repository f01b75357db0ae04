//! How much memory is available.

use crate::method::About;

/// Available memory in bytes: the system's figure, or what a control group leaves. `None` if the
/// system does not say.
pub fn available_memory() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = meminfo
        .lines()
        .find_map(|l| l.strip_prefix("MemAvailable:"))?
        .trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .ok()?;
    let system = kib * 1024;
    let read = |name: &str| {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}"))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    Some(match (read("memory.max"), read("memory.current")) {
        (Some(max), Some(current)) => system.min(max.saturating_sub(current)),
        _ => system,
    })
}

/// The number of rows `n` for which `square n^2 + linear n` bytes are at most `limit`.
pub(crate) fn rows_that_fit(limit: u64, square: f64, linear: f64) -> u64 {
    let limit = limit as f64;
    // The positive root, in the form that does not cancel.
    (2.0 * limit / (linear + (linear * linear + 4.0 * square * limit).sqrt())).floor() as u64
}

/// A number of bytes as people write it.
pub fn for_people(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} bytes")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// What to do if only this many rows fit.
pub(crate) fn remedy(about: &About, fits: u64, cache: u64) -> String {
    if cache > 0 {
        return format!(
            "rows of the kernel matrix are already computed on demand; `memory={}` is enough",
            format_args!("{}M", (2 * cache) >> 20)
        );
    }
    let way_out = match about.param("candidates") {
        Some(_) => "use `candidates=1000`, which needs no matrix of that size",
        None => "use `method=lda`",
    };
    format!("about {fits} rows would fit; {way_out}, take a sample of the rows, or raise `memory`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_fit_fit_and_one_more_does_not() {
        for (square, linear) in [(32.0, 128.0), (8.0, 1e6), (40.0, 0.0)] {
            let n = rows_that_fit(1 << 30, square, linear) as f64;
            let bytes = |n: f64| square * n * n + linear * n;
            assert!(bytes(n) <= (1u64 << 30) as f64 && bytes(n + 1.0) > (1u64 << 30) as f64);
        }
    }

    #[test]
    fn sizes_for_people() {
        assert_eq!(for_people(17), "17 bytes");
        assert_eq!(for_people(1536), "1.5 KiB");
        assert_eq!(for_people(5 << 30), "5.0 GiB");
    }
}

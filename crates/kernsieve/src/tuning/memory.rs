//! How much memory there is.

/// Memory that is free for us, in bytes: the system's figure, or what a control group leaves. `None` where the system does
/// not tell.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_for_people() {
        assert_eq!(for_people(17), "17 bytes");
        assert_eq!(for_people(1536), "1.5 KiB");
        assert_eq!(for_people(5 << 30), "5.0 GiB");
    }
}

//! `fit --memory`: what every method takes at its peak, or that it refuses before it starts.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, disc, has};
use std::process::Stdio;
use std::time::Duration;

const MIB: u64 = 1 << 20;
/// What the program takes besides: itself, the data and the results.
const BESIDES: u64 = 32 * MIB;

/// The most that may be seen where so much may be used. The system's allocator keeps a part of what
/// was given back between one fold and the next; at these sizes that is up to a quarter.
fn most_seen(limit: u64) -> u64 {
    limit + limit / 4 + BESIDES
}

/// Exit status, messages and the peak of the memory of a run. The peak is the system's own figure,
/// which never falls, so that looking now and then is enough.
fn peak(folder: &Folder, line: &str) -> (i32, String, u64) {
    let words: Vec<&str> = line.split(' ').collect();
    let mut child = folder
        .command(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kib.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), err, most)
}

/// Settings that make a method quick: what it holds does not depend on them.
fn quick(method: &str) -> &'static str {
    match method {
        "sparse-kos" => " --bandwidth 1 --sparsity 0.5 --ridge 0.01 --no-cv",
        "fivm" => " --bandwidth 1 --ridge 0.01 --max-features 1 --no-cv",
        "klr" | "l2le" => " --bandwidth 1 --ridge 0.01",
        // Several at once: folds and bandwidths are what runs side by side.
        "smkda" | "mkda" | "kos" => " --bandwidths 0.7,1,1.5",
        "l2qp" | "parzen" => " --bandwidth 1",
        _ => "",
    }
}

#[test]
fn every_method_keeps_to_the_memory_it_may_use_or_refuses() {
    let folder = Folder::new();
    folder.write("data.csv", disc(1500, 1));
    let (mut refused, mut fitted) = (0, 0);
    for method in METHODS.iter() {
        for limit in [64, 160] {
            let line = format!(
                "fit data.csv --method {method} --no-model --folds 3 --threads 2 --memory {limit}M{}",
                quick(method)
            );
            let (code, err, most) = peak(&folder, &line);
            match code {
                0 => {
                    fitted += 1;
                    let over = most.saturating_sub(limit * MIB) / MIB;
                    assert!(most <= most_seen(limit * MIB), "{line}: {over} MiB more");
                }
                1 => {
                    refused += 1;
                    has(&err, &[method, " needs ", "MiB", "--memory"]);
                    assert!(most <= BESIDES, "{line}: refused after {most} bytes");
                }
                other => panic!("{line}: {other}\n{err}"),
            }
        }
    }
    // Both happen: the sizes are chosen so that some methods do not fit.
    assert!(
        refused >= 3 && fitted >= 8,
        "{refused} refused, {fitted} fitted"
    );
}

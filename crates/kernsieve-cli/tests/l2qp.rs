//! `l2qp` from the command line.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};

#[test]
fn few_samples_are_retained_and_named() {
    let folder = Folder::new();
    folder.write("data.csv", disc(150, 1));
    let run = folder.line("fit data.csv --method l2qp --model m.ks").ok();
    has(
        &run.out,
        &[
            "difference of kernel densities",
            "Gaussian kernel, bandwidth",
            " of 150 rows",
        ],
    );
    let fit = folder.line("fit data.csv --method l2qp --json --quiet").ok().json();
    let kept = fit["retained_samples"]["count"].as_u64().unwrap();
    assert!((2..150).contains(&kept), "{kept}");
    assert!(fit["converged"] == true && fit["objective"].is_f64() && fit["residual"].as_f64().unwrap() <= 1e-8);
    assert_eq!(fit["params"]["balance"], 1.0);
    let evaluation = folder.line("evaluate m.ks data.csv --json").ok().json();
    assert_eq!(evaluation["error"], fit["train_error"]);
    has(&folder.line("inspect m.ks").ok().out, &["rule log-density"]);
}

#[test]
fn every_variant_of_the_program_learns() {
    let folder = Folder::new();
    folder.write("data.csv", disc(150, 2));
    for options in [
        "--smoothing 1",
        "--relaxed",
        "--balances 1,2,4",
        "--kernel laplacian",
        "--kernel cauchy",
        "--class-bandwidths spread",
        "--class-bandwidths 0.4,0.6",
        "--class-ratio 1",
        "--priors uniform",
        "--multiclass joint",
    ] {
        let line = format!("fit data.csv --target class --method l2qp --model m.ks --json --quiet {options}");
        let fit = folder.line(&line).ok().json();
        assert!(
            fit["cv"]["error"].as_f64().unwrap() < 0.2,
            "{options}: {}",
            fit["cv"]["error"]
        );
        assert!(
            fit["notices"].as_array().unwrap().is_empty(),
            "{options}: {}",
            fit["notices"]
        );
        let again = folder.line("evaluate m.ks data.csv --json").ok().json();
        assert_eq!(again["error"], fit["train_error"], "{options}");
    }
}

#[test]
fn several_classes_in_two_ways() {
    let folder = Folder::new();
    folder.write("data.csv", groups(4, 25, 3));
    for (options, outputs) in [("", 8), ("--multiclass joint", 4)] {
        let line = format!("fit data.csv --method l2qp --model m.ks --json --quiet {options}");
        let fit = folder.line(&line).ok().json();
        assert!(fit["cv"]["error"].as_f64().unwrap() < 0.1, "{options}");
        assert_eq!(folder.line("inspect m.ks --json").ok().json()["outputs"], outputs);
        let run = folder.line("predict m.ks data.csv --proba").ok();
        let (_, rows) = run.csv();
        for row in rows {
            let total: f64 = row[1..].iter().map(|p| p.parse::<f64>().unwrap()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }
    let run = folder.line("fit data.csv --method l2qp --class-bandwidths 1,2");
    assert_eq!(run.code, 1);
    has(&run.err, &["2 bandwidths for 4 classes"]);
}

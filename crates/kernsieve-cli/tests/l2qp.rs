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

#[test]
fn without_constraints_it_is_a_linear_system() {
    let folder = Folder::new();
    folder.write("data.csv", disc(150, 4));
    let fit = folder
        .line("fit data.csv --method l2le --model m.ks --json --quiet")
        .ok();
    let fit = fit.json();
    assert!(fit["cv"]["error"].as_f64().unwrap() < 0.2 && fit["converged"] == true);
    assert_eq!(fit["retained_samples"]["count"], 150);
    assert!(fit["params"]["ridge"].as_f64().unwrap() > 0.0 && fit["temperature"] != 1.0);
    let again = folder.line("evaluate m.ks data.csv --json").ok().json();
    assert_eq!(again["error"], fit["train_error"]);
    let run = folder.line("fit data.csv --method l2le --no-cv --bandwidth 5 --ridge 1e-16");
    assert_eq!(run.code, 1);
    has(&run.err, &["condition number", "--ridge", "--bandwidth"]);
    let run = folder.line("fit data.csv --method l2le --balance 2 --relaxed").ok();
    has(&run.err, &["not used by l2le", "--balance", "--relaxed"]);
}

#[test]
fn costs_weigh_the_classes_whatever_the_method() {
    let folder = Folder::new();
    folder.write("data.csv", disc(150, 5));
    let share_of_second = |options: &str| {
        folder
            .line(&format!("fit data.csv --model m.ks --quiet {options}"))
            .ok();
        let (_, rows) = folder.line("predict m.ks data.csv").ok().csv();
        let last = rows.iter().map(|r| r[0].clone()).max().unwrap();
        rows.iter().filter(|r| r[0] == last).count()
    };
    for method in ["lda", "mkda", "smkda", "kos", "klr", "l1-dkf", "l2qp", "l2le", "parzen"] {
        let (plain, dear) = (
            share_of_second(&format!("--method {method}")),
            share_of_second(&format!("--method {method} --costs 1,30")),
        );
        assert!(dear > plain, "{method}: {plain} {dear}");
    }
    // Of two classes costs are a class ratio.
    let fit = |options: &str| {
        let line = format!("fit data.csv --method l2qp --bandwidth 0.5 --no-cv --json --quiet {options}");
        folder.line(&line).ok().json()
    };
    let costs = fit("--costs 3,1");
    let counts: Vec<f64> = (0..2).map(|c| costs["class_counts"][c].as_f64().unwrap()).collect();
    let ratio = fit(&format!("--class-ratio {}", 3.0 * counts[0] / counts[1]));
    let (a, b) = (
        costs["objective"].as_f64().unwrap(),
        ratio["objective"].as_f64().unwrap(),
    );
    assert!((a - b).abs() < 1e-12 * a.abs(), "{a} {b}");
    let run = folder.line("fit data.csv --costs 1,2,3");
    assert_eq!(run.code, 1);
    has(&run.err, &["3 costs for 2 classes"]);
    assert_eq!(folder.line("fit data.csv --costs 1,-2").code, 2);
}

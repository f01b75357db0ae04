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
    let fit = folder
        .line("fit data.csv --method l2qp --json --quiet")
        .ok()
        .json();
    let kept = fit["retained_samples"]["count"].as_u64().unwrap();
    assert!((2..150).contains(&kept), "{kept}");
    assert!(
        fit["converged"] == true
            && fit["objective"].is_f64()
            && fit["residual"].as_f64().unwrap() <= 1e-8
    );
    assert_eq!(fit["params"]["balance"], 1.0);
    let evaluation = folder.line("evaluate m.ks data.csv --json").ok().json();
    assert_eq!(evaluation["error"], fit["train_error"]);
    has(&folder.line("inspect m.ks").ok().out, &["rule log-density"]);
}

#[test]
fn classes_of_one_or_two_rows_have_a_remedy_that_works() {
    let folder = Folder::new();
    for (rows, when) in [(1, ""), (2, " left when a fold is held out")] {
        folder.write("data.csv", disc(60, 1) + &"2,2,0,rare\n".repeat(rows));
        for method in ["l2qp", "l2le"] {
            let run = folder.line(&format!("fit data.csv --method {method}"));
            assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
            let words = format!("class 'rare' has one row{when}, and {method} needs two of each");
            has(&run.err, &[&words, "merge the class", "the method parzen"]);
            assert!(!run.err.contains("ridge"), "{}", run.err);
        }
        folder.line("fit data.csv --method parzen").ok();
        folder.write("data.csv", disc(60, 1));
        folder.line("fit data.csv --method l2qp").ok();
    }
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
        let line = format!(
            "fit data.csv --target class --method l2qp --model m.ks --json --quiet {options}"
        );
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
        assert_eq!(
            folder.line("inspect m.ks --json").ok().json()["outputs"],
            outputs
        );
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
    let run = folder
        .line("fit data.csv --method l2le --balance 2 --relaxed")
        .ok();
    has(&run.err, &["not used by l2le", "--balance", "--relaxed"]);
}

#[test]
fn costs_multiply_the_probabilities_whatever_the_method() {
    let folder = Folder::new();
    let probabilities = |line: &str| {
        folder
            .line(&format!("fit data.csv --model m.ks --quiet {line}"))
            .ok();
        let (_, rows) = folder.line("predict m.ks data.csv --proba").ok().csv();
        let numbers = |r: &Vec<String>| {
            r[1..]
                .iter()
                .map(|p| p.parse::<f64>().unwrap())
                .collect::<Vec<_>>()
        };
        let labels: Vec<String> = rows.iter().map(|r| r[0].clone()).collect();
        (labels, rows.iter().map(numbers).collect::<Vec<_>>())
    };
    for (data, costs) in [
        (disc(120, 5), vec![1.0, 8.0]),
        (groups(3, 25, 2), vec![5.0, 1.0, 0.25]),
    ] {
        folder.write("data.csv", data);
        let words: Vec<String> = costs.iter().map(f64::to_string).collect();
        for method in [
            "lda", "mkda", "smkda", "kos", "klr", "l1-dkf", "l2qp", "l2le", "parzen",
        ] {
            let (_, plain) = probabilities(&format!("--method {method}"));
            let (labels, dear) =
                probabilities(&format!("--method {method} --costs {}", words.join(",")));
            let classes = folder.line("inspect m.ks --json").ok().json()["classes"].clone();
            for ((p, q), label) in plain.iter().zip(&dear).zip(&labels) {
                let weighed: Vec<f64> = p.iter().zip(&costs).map(|(p, c)| p * c).collect();
                let total: f64 = weighed.iter().sum();
                let best = (0..q.len()).max_by(|&a, &b| q[a].total_cmp(&q[b])).unwrap();
                for (w, q) in weighed.iter().zip(q) {
                    assert!((w / total - q).abs() < 1e-9, "{method}: {w} {q}");
                }
                assert_eq!(classes[best], label.as_str(), "{method}");
            }
        }
    }
    let run = folder.line("fit data.csv --costs 1,2");
    assert_eq!(run.code, 1);
    has(&run.err, &["2 costs for 3 classes", "in the order"]);
    assert_eq!(folder.line("fit data.csv --costs 1,-2").code, 2);
}

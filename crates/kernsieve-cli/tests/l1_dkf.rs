//! `l1-dkf` and the discriminant kernel from the command line.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};

#[test]
fn coefficients_are_shown_by_class_and_counted() {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 30, 1));
    let run = folder
        .line("fit data.csv --method l1-dkf --model m.ks")
        .ok();
    has(
        &run.out,
        &[
            "discriminant kernel, posteriors by L1 regression",
            "nonzero",
            "zeros",
            "penalty",
            "CV error",
            "  *  ",
        ],
    );
    let fit = folder
        .line("fit data.csv --method l1-dkf --json --quiet")
        .ok()
        .json();
    assert_eq!(fit["kernel"]["family"], "discriminant");
    assert_eq!(fit["params"]["posterior"], "l1");
    let p = fit["n_features"].as_u64().unwrap();
    let rows = fit["coefficients"].as_array().unwrap();
    assert_eq!(rows.len(), fit["classes"].as_array().unwrap().len());
    let mut objective = 0.0;
    for (row, class) in rows.iter().zip(fit["classes"].as_array().unwrap()) {
        assert_eq!(&row["class"], class);
        let kept = row["coef"].as_object().unwrap().len() as u64;
        assert_eq!(
            (row["nonzero"].as_u64(), row["zeros"].as_u64()),
            (Some(kept), Some(p - kept))
        );
        assert!(row["gap"].as_f64().unwrap() < 1e-8);
        objective += row["objective"].as_f64().unwrap();
    }
    assert!((fit["objective"].as_f64().unwrap() - objective).abs() < 1e-9);
    // Penalties fall along the path, and the chosen one is on it.
    let path = fit["path"].as_array().unwrap();
    let penalties: Vec<f64> = path
        .iter()
        .map(|s| s["sparsity"].as_f64().unwrap())
        .collect();
    assert!(penalties.windows(2).all(|w| w[0] > w[1]) && penalties[0] == 1024.0);
    assert_eq!(
        penalties.last(),
        fit["params"]["sparsity"].as_f64().as_ref()
    );
    assert!(path.iter().all(|s| s["cv_error"].is_f64()));
    assert_eq!(
        folder.line("inspect m.ks --json").ok().json()["coefficients"],
        fit["coefficients"]
    );
    has(
        &folder.line("inspect m.ks").ok().out,
        &["nonzero", "rule mahalanobis"],
    );
}

#[test]
fn dropped_features_are_not_asked_for() {
    let folder = Folder::new();
    folder.write("data.csv", "a,b,c,class\n".to_string() + &rows());
    let fit = folder
        .line("fit data.csv --method l1-dkf --sparsity 6 --no-cv --model m.ks --json --quiet")
        .ok()
        .json();
    assert_eq!(fit["selected_features"], serde_json::json!(["a"]));
    folder.write("new.csv", "a\n-2\n2\n");
    let predicted = folder.line("predict m.ks new.csv --proba --variates").ok();
    has(&predicted.out, &["predicted,p_x,p_y,z1", "\nx,", "\ny,"]);
}

/// Two classes that the first column tells apart.
fn rows() -> String {
    let noise = |i: usize, j: usize| ((i * 37 + j * 11) % 19) as f64 / 9.0 - 1.0;
    let row = |i: usize| {
        let class = if i.is_multiple_of(2) { "x" } else { "y" };
        let shift = if i.is_multiple_of(2) { -1.0 } else { 1.0 };
        format!(
            "{},{},{},{class}\n",
            shift + 0.5 * noise(i, 0),
            noise(i, 1),
            noise(i, 2)
        )
    };
    (0..40).map(row).collect()
}

#[test]
fn nonlinear_posteriors_learn_what_linear_ones_cannot() {
    let folder = Folder::new();
    folder.write("data.csv", disc(200, 4));
    let error = |options: &str| {
        let run = folder.line(&format!(
            "fit data.csv --method l1-dkf --holdout 0.4 --json --quiet {options}"
        ));
        run.ok().json()["test_error"].as_f64().unwrap()
    };
    let linear = [error(""), error("--posterior logistic")];
    let nonlinear = [error("--posterior klr"), error("--posterior parzen")];
    assert!(
        linear
            .iter()
            .all(|l| nonlinear.iter().all(|n| n + 0.1 < *l)),
        "{linear:?} {nonlinear:?}"
    );
}

#[test]
fn every_kernel_method_takes_the_discriminant_kernel() {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 30, 2));
    for method in ["mkda", "smkda", "kos", "klr", "l1-dkf"] {
        for posterior in ["l1", "logistic", "klr", "parzen"] {
            let line = format!(
                "fit data.csv --method {method} --posterior {posterior} --model m.ks --json --quiet"
            );
            let fit = folder.line(&line).ok().json();
            assert_eq!(fit["kernel"]["posterior"], posterior);
            assert!(
                fit["cv"]["error"].as_f64().unwrap() < 0.2,
                "{method} {posterior}: {}",
                fit["cv"]["error"]
            );
            let again = folder.line("evaluate m.ks data.csv --json").ok().json();
            assert_eq!(again["error"], fit["train_error"], "{method} {posterior}");
        }
    }
}

#[test]
fn options_of_the_rule_and_of_the_simplex() {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 30, 3));
    let fit = |options: &str| {
        let line = format!(
            "fit data.csv --target class --method l1-dkf --sparsity 2 --json --quiet {options}"
        );
        folder.line(&line).ok().json()
    };
    let plain = fit("");
    for options in [
        "--mapping onda",
        "--metric total",
        "--simplex project",
        "--simplex softmax",
        "--simplex none",
        "--l1-ratio 0.5",
    ] {
        let other = fit(options);
        assert_ne!(
            other["cv"]["grid"][0]["log_loss"], plain["cv"]["grid"][0]["log_loss"],
            "{options}"
        );
        assert!(
            other["notices"].as_array().unwrap().is_empty(),
            "{options}: {}",
            other["notices"]
        );
    }
    // Options without effect are named.
    let ignored = fit("--bandwidth 2 --ridge 1");
    has(
        ignored["notices"][0].as_str().unwrap(),
        &["--bandwidth", "--ridge"],
    );
    // Plain discriminant analysis has the metric as well.
    let lda = |options: &str| {
        folder
            .line(&format!(
                "fit data.csv --method lda --json --quiet {options}"
            ))
            .ok()
            .json()
    };
    assert_ne!(
        lda("")["cv"]["grid"][0]["log_loss"],
        lda("--metric total")["cv"]["grid"][0]["log_loss"]
    );
}

//! `density` from the command line.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, has};

/// Rows of two columns without classes.
fn points(n: usize) -> String {
    let rows = (0..n).map(|i| {
        let t = i as f64 * 0.7;
        format!(
            "{},{}\n",
            t.sin() + 0.01 * (i % 13) as f64,
            40.0 * t.cos() - 0.3 * (i % 7) as f64
        )
    });
    String::from("a,b\n") + &rows.collect::<String>()
}

#[test]
fn a_density_is_tuned_saved_and_evaluated_on_new_rows() {
    let folder = Folder::new();
    folder.write("points.csv", points(120));
    folder.write("new.csv", points(30));
    let run = folder
        .line("density points.csv --model d.ks --test new.csv --output logs.csv")
        .ok();
    has(
        &run.out,
        &[
            "120 rows, 2 features",
            "50 bandwidths x 5 folds",
            "CV ISE",
            "Gaussian kernel, bandwidth",
            " of 120 rows",
            "leave-one-out with equal weights",
            "on new.csv (30 rows)",
            "logs.csv",
            "d.ks",
        ],
    );
    let written = std::fs::read_to_string(folder.path("logs.csv")).unwrap();
    let predicted = folder.line("predict d.ks new.csv").ok().out;
    assert_eq!(written, predicted);
    assert!(written.starts_with("log_density\n") && written.lines().count() == 31);
    // The columns may come in any order, along with others.
    let swapped: String = points(30)
        .lines()
        .map(|l| {
            let (a, b) = l.split_once(',').unwrap();
            format!("{b},{a},x\n")
        })
        .collect();
    folder.write("swapped.csv", swapped.replacen("b,a,x", "b,a,other", 1));
    assert_eq!(
        folder.line("predict d.ks swapped.csv --quiet").ok().out,
        predicted
    );
    let json = folder.line("predict d.ks new.csv --json").ok().json();
    assert_eq!(json["n_rows"], 30);
    assert!(
        json["log_density"]
            .as_array()
            .unwrap()
            .iter()
            .all(|v| v.is_f64())
    );
    let inspect = folder.line("inspect d.ks").ok().out;
    has(
        &inspect,
        &[
            "density: L2 kernel density",
            "Gaussian kernel",
            "leave-one-out",
        ],
    );
    let fit = folder.line("density points.csv --json --quiet").ok().json();
    assert!(fit["loo_ise"].as_f64().unwrap() <= fit["equal_loo_ise"].as_f64().unwrap());
    assert_eq!(fit["cv"]["grid"].as_array().unwrap().len(), 50);
    assert_eq!(
        folder.line("inspect d.ks --json").ok().json()["loo_ise"],
        fit["loo_ise"]
    );
    let again = folder
        .line("density points.csv --json --quiet --threads 1")
        .ok()
        .json();
    assert_eq!(again["objective"], fit["objective"]);
}

#[test]
fn what_has_no_density_is_refused_with_words() {
    let folder = Folder::new();
    folder.write("points.csv", points(40));
    folder.write("two.csv", points(2));
    folder.write("constant.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n");
    folder.write("hole.csv", "a,b\n1,2\n,3\n4,5\n2,1\n");
    for (line, code, words) in [
        ("density two.csv", 1, &["three rows", "got 2"] as &[&str]),
        ("density constant.csv", 1, &["every feature is constant"]),
        (
            "density hole.csv",
            1,
            &["line 3", "column 'a'", "--missing"],
        ),
        ("density nothing.csv", 1, &["nothing.csv"]),
        (
            "density points.csv --kernel linear",
            2,
            &["possible values"],
        ),
        (
            "density points.csv --bandwidth -1",
            2,
            &["bandwidth", "above 0"],
        ),
        ("density points.csv --folds 1", 2, &["folds", "2 or more"]),
        ("density points.csv --output o.csv", 2, &["--test"]),
        (
            "density points.csv --model points.csv",
            2,
            &["would overwrite"],
        ),
        ("density points.csv --memory 1K", 1, &["memory", "--memory"]),
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, code, "{line}: {}", run.err);
        has(&run.err, words);
    }
    folder.line("density points.csv --model d.ks --quiet").ok();
    for line in [
        "evaluate d.ks points.csv",
        "report d.ks points.csv -o r.html",
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, 1);
        has(&run.err, &["a density has no classes", "predict"]);
    }
    let run = folder.line("predict d.ks points.csv --proba");
    assert_eq!(run.code, 2);
    has(&run.err, &["no classes"]);
    folder.line("density hole.csv --missing drop --quiet").ok();
}

#[test]
fn text_columns_are_named() {
    let folder = Folder::new();
    folder.write("data.csv", "x,kind\n1,a\n2,b\n3.5,a\n5,b\n");
    let run = folder.line("density data.csv");
    assert_eq!(run.code, 1);
    has(&run.err, &["column 'kind'", "holds text", "--drop kind"]);
    folder.line("density data.csv --drop kind --quiet").ok();
}

#[test]
fn copies_of_rows_are_pointed_out() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|i| format!("{}\n", i % 4)).collect();
    folder.write("rounded.csv", format!("v\n{rows}"));
    let run = folder.line("density rounded.csv").ok();
    has(&run.err, &["smallest bandwidth", "--bandwidth"]);
}

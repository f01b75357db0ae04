//! Options with wrong values: wrong usage is status 2, and nothing is read, trained or written.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};

const DENSITIES: &str = "gaussian, laplacian, radial-laplacian or cauchy";

#[test]
fn values_of_fit() {
    let folder = Folder::new();
    folder.write("data.csv", disc(40, 1));
    for (options, words) in [
        ("--bandwidth 0", &["bandwidth", "above 0"][..]),
        ("--bandwidth -1", &["bandwidth", "above 0", "-1"]),
        ("--bandwidth nan", &["bandwidth", "finite"]),
        ("--bandwidth inf", &["bandwidth", "finite"]),
        ("--bandwidth wide", &["--bandwidth", "wide"]),
        ("--bandwidths 1,0", &["bandwidth", "above 0"]),
        ("--bandwidth 1 --bandwidths 1,2", &["cannot be used with"]),
        ("--ridge -1", &["ridge", "above 0", "-1"]),
        ("--ridge nan", &["ridge", "finite"]),
        ("--method klr --ridge 0", &["ridge", "above 0", "0"]),
        ("--method l2le --ridge -1", &["ridge"]),
        ("--l1-ratio -0.1", &["l1-ratio", "from 0 to 1"]),
        ("--folds 1", &["folds", "2 or more"]),
        ("--folds x", &["--folds"]),
        ("--holdout 2", &["--holdout", "between 0 and 1"]),
        ("--holdout 0", &["--holdout", "between 0 and 1"]),
        ("--holdout -0.5", &["--holdout", "between 0 and 1"]),
        ("--holdout nan", &["--holdout", "between 0 and 1"]),
        ("--holdout 0.5 --test data.csv", &["cannot be used with"]),
        ("--priors a,b", &["--priors", "empirical, uniform"]),
        ("--priors 0,1", &["priors", "above 0"]),
        ("--priors -1,2", &["priors", "above 0"]),
        ("--priors nan,1", &["priors", "finite"]),
        ("--kernel foo", &["--kernel", "foo", "gaussian"]),
        ("--method foo", &["--method", "foo", "mkda"]),
        ("--method parzen --kernel linear", &["parzen", DENSITIES]),
        ("--kernel polynomial --degree 0", &["degree"]),
        ("--kernel sigmoid --slope nan", &["slope"]),
        ("--components 0", &["components", "1 or more"]),
        (
            "--method smkda --path-limit 0",
            &["path-limit", "1 or more"],
        ),
        (
            "--method kos --validation loo",
            &["validation", "smkda", "loo"],
        ),
        (
            "--method smkda --candidates 9 --validation loo",
            &["validation", "--candidates"],
        ),
        (
            "--method klr --kernel sigmoid",
            &["positive definite", "sigmoid"],
        ),
        (
            "--method fivm --kernel sigmoid",
            &["positive definite", "sigmoid"],
        ),
        (
            "--method fivm --max-features 0",
            &["max-features", "1 or more"],
        ),
        (
            "--method fivm --stop accuracy --tol -1",
            &["tol", "0 or more"],
        ),
        (
            "--method fivm --stop accuracy --lag 0",
            &["lag", "1 or more"],
        ),
        ("--method fivm --patience 0", &["patience", "1 or more"]),
        ("--method fivm --stop later", &["--stop", "accuracy"]),
        (
            "--method sparse-kos --posterior l1",
            &["sparse-kos", "klr, kos, l1-dkf, mkda, smkda can"],
        ),
        (
            "--method lda --kernel discriminant",
            &["lda needs", "l1-dkf"],
        ),
        (
            "--method l1-dkf --posterior foo",
            &["--posterior", "parzen"],
        ),
        (
            "--method l1-dkf --l1-ratio 1.5",
            &["l1-ratio", "from 0 to 1"],
        ),
        (
            "--method l1-dkf --l1-ratio nan",
            &["l1-ratio", "from 0 to 1"],
        ),
        ("--method l1-dkf --sparsity -1", &["sparsity", "0 or more"]),
        (
            "--method l1-dkf --posterior parzen --kernel linear",
            &["parzen", DENSITIES],
        ),
        (
            "--method l1-dkf --posterior klr --kernel sigmoid",
            &["positive definite", "sigmoid"],
        ),
        (
            "--method smkda --posterior l1 --validation loo",
            &["validation", "--posterior"],
        ),
        ("--method l2qp --kernel linear", &["l2qp", DENSITIES]),
        (
            "--method parzen --kernel polynomial",
            &["parzen", "polynomial", DENSITIES],
        ),
        (
            "--method l2le --kernel polynomial",
            &["l2le", "polynomial", DENSITIES],
        ),
        (
            "--method l1-dkf --posterior parzen --kernel polynomial",
            &["parzen", DENSITIES],
        ),
        (
            "--method l2qp --kernel radial-laplacian --class-bandwidths 1,2",
            &["class-bandwidths", "gaussian or cauchy"],
        ),
        ("--prepare ranks", &["--prepare", "standardize, scores"]),
        (
            "--prepare scores --no-standardize",
            &["--prepare", "cannot be used with", "--no-standardize"],
        ),
        ("--method l2qp --balance 0", &["balance", "above 0"]),
        (
            "--method l2qp --balance 1 --balances 1,2",
            &["cannot be used with"],
        ),
        ("--method l2qp --smoothing -1", &["smoothing", "0 or more"]),
        (
            "--method l2qp --smoothing 1 --kernel cauchy",
            &["--smoothing", "gaussian"],
        ),
        ("--method l2qp --class-ratio 0", &["class-ratio", "above 0"]),
        (
            "--method l2qp --class-bandwidths wide",
            &["--class-bandwidths", "one per class"],
        ),
        (
            "--method l2qp --class-bandwidths 1,-1",
            &["class-bandwidths", "above 0"],
        ),
        (
            "--method l2qp --class-bandwidths spread --kernel laplacian",
            &["--class-bandwidths", "gaussian or cauchy"],
        ),
        ("--method klr --ridges 1,0", &["ridges", "above 0"]),
        (
            "--method klr --ridge 1 --ridges 1,2",
            &["cannot be used with"],
        ),
        ("--report -", &["--report", "name of a file"]),
        ("--rule best", &["--rule", "1se"]),
        ("--ridge-rule best", &["--ridge-rule", "gcv"]),
        ("--threads 0", &["--threads", "1 to 4096"]),
        ("--threads many", &["--threads"]),
        ("--memory x", &["--memory", "4G"]),
        ("--memory 0", &["--memory"]),
        ("--memory -1G", &["--memory", "-1G", "4G"]),
        ("--missing foo", &["--missing", "drop"]),
        ("--format foo", &["--format", "parquet"]),
        ("--seed x", &["--seed"]),
        ("--no-such-option", &["--no-such-option"]),
    ] {
        let run = folder.line(&format!("fit data.csv --model m.ks {options}"));
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{options}: {}",
            run.err
        );
        has(&run.err, &["error: "]);
        has(&run.err, words);
        assert_eq!(folder.names(), ["data.csv"], "{options}");
    }
    let run = folder.line("fit - --test -");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    // Options are checked before the data are read.
    has(&folder.line("fit none.csv --folds 1").err, &["folds"]);
    // How many classes there are is only known from the data.
    let run = folder.line("fit data.csv --model m.ks --priors 1,2,3");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["3 priors for 2 classes", "inner, outer"]);
    assert_eq!(folder.names(), ["data.csv"]);
}

#[test]
fn values_of_the_other_commands() {
    let folder = Folder::new();
    folder.write("data.csv", disc(40, 1));
    folder.line("fit data.csv --method lda --model m.ks").ok();
    for (line, words) in [
        ("", &["Usage"][..]),
        ("nothing", &["nothing", "Usage"]),
        ("fit", &["DATA"]),
        ("predict m.ks", &["DATA"]),
        (
            "evaluate m.ks data.csv --fail-under 2",
            &["--fail-under", "between 0 and 1"],
        ),
        ("compare data.csv --repeats 0", &["--repeats"]),
        ("compare data.csv --methods lda,foo", &["foo", "mkda"]),
        (
            "compare data.csv --methods parzen --kernel linear",
            &["parzen"],
        ),
        (
            "compare data.csv --test-fraction 1",
            &["--test-fraction", "between 0 and 1"],
        ),
        ("compare data.csv --folds 1", &["folds"]),
        ("demo foo", &["foo", "iris"]),
    ] {
        let run = folder.line(line);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{line}: {}", run.err);
        has(&run.err, words);
    }
}

#[test]
fn memory_says_what_would_fit() {
    let folder = Folder::new();
    folder.write("data.csv", disc(2000, 1));
    for (line, method) in [
        (
            "fit data.csv --memory 1M --model m.ks --method mkda",
            "mkda",
        ),
        ("fit data.csv --memory 1M --model m.ks --method kos", "kos"),
        ("compare data.csv --memory 1M --methods kos", "kos"),
    ] {
        let run = folder.line(line);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{line}: {}", run.err);
        has(
            &run.err,
            &[method, "the limit is 1.0 MiB", "rows would fit", "--memory"],
        );
        let rows = run
            .err
            .split("about ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        assert!((50..1000).contains(&rows.parse().unwrap()), "{rows}");
    }
    assert_eq!(folder.names(), ["data.csv"]);
    let run = folder.line("fit data.csv --memory 50K");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    has(&run.err, &["data.csv", "50.0 KiB", "--memory"]);
    // Linear methods need no matrix of rows by rows.
    folder
        .line("fit data.csv --memory 1M --method lda --no-cv")
        .ok();
}

#[test]
fn the_number_of_rows_that_would_fit_does_fit() {
    let folder = Folder::new();
    folder.write("data.csv", disc(2000, 1));
    let run = folder.line("fit data.csv --memory 1M --method mkda");
    let rows: usize = run
        .err
        .split("about ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    folder.write("fits.csv", disc(rows, 1));
    folder
        .line("fit fits.csv --method mkda --memory 1M --bandwidth 1")
        .ok();
    folder.write("more.csv", disc(rows + 2, 1));
    assert_eq!(
        folder
            .line("fit more.csv --method mkda --memory 1M --bandwidth 1")
            .code,
        1
    );
}

#[test]
fn auto_says_what_it_tried_and_why() {
    let folder = Folder::new();
    folder.write("data.csv", disc(100, 7));
    let run = folder.line("fit data.csv --method auto --model m.ks").ok();
    has(
        &run.out,
        &[
            "Methods  4 tried in ",
            "numbers",
            "lda",
            "sieve",
            "Why      ",
            "Method   ",
        ],
    );
    assert!(!run.out.contains("Left out"), "{}", run.out);
    // An option that only one method uses leaves the others out, in one line; nothing is cut.
    let run = folder.line("fit data.csv --max-features 1").ok();
    has(
        &run.out,
        &[
            "Methods  1 tried in ",
            "Why      sieve has an error of",
            "the others are left out",
            "Left out lda, l1-dkf, klr: do not use --max-features",
        ],
    );
    let run = folder
        .line("fit data.csv --max-features 1 --budget 0s")
        .ok();
    has(&run.err, &["only sieve", "it always finishes"]);
    let run = folder.line("fit data.csv --budget 0s").ok();
    assert!(!run.err.contains("whatever"), "{}", run.err);
    has(
        &run.out,
        &[
            "there was no time",
            "Left out l1-dkf, klr, sieve: no time left",
        ],
    );
    // Others when they are named, or all of them.
    let run = folder.line("fit data.csv --methods kos,parzen").ok();
    has(&run.out, &["Methods  2 tried in ", "kos", "parzen"]);
    let run = folder.line("fit data.csv --thorough --bandwidth 1").ok();
    has(&run.out, &["mkda", "smkda", "fivm"]);
    for words in [
        "--methods svm",
        "--method lda --thorough",
        "--methods lda --thorough",
    ] {
        let run = folder.line(&format!("fit data.csv {words}"));
        assert_eq!(run.code, 2, "{words}: {}", run.err);
    }
    assert!(
        run.out
            .lines()
            .all(|l| l.chars().count() <= 80 && !l.contains('…')),
        "{}",
        run.out
    );
    // Options that cannot be combined are refused before the data are read.
    let run = folder.line("fit none.csv --max-features 1 --balance 2");
    assert_eq!(run.code, 2, "{}", run.err);
    has(&run.err, &["--balance, --max-features", "name a method"]);
    assert_eq!(
        folder
            .line("compare none.csv --methods auto --folds 1")
            .code,
        2
    );
    let fit = folder
        .line("fit data.csv --method auto --json --quiet")
        .ok()
        .json();
    let entries = fit["auto"]["entries"].as_array().unwrap();
    assert!(entries.len() == 4);
    let taken = fit["method"].as_str().unwrap();
    assert!(fit["auto"]["why"].as_str().unwrap().contains(taken));
    assert_eq!(
        folder.line("inspect m.ks --json").ok().json()["auto"],
        fit["auto"]
    );
    let run = folder
        .line("fit data.csv --method auto --budget 0s --json --quiet")
        .ok();
    assert_eq!(run.json()["method"], "lda");
    for (line, words) in [
        (
            "fit data.csv --method auto --budget soon",
            &["is not a time", "90s"] as &[&str],
        ),
        (
            "fit data.csv --method mkda --budget 5s",
            &["--budget is for --method auto"],
        ),
        ("fit data.csv --method auto --no-cv", &["cross-validation"]),
        ("fit data.csv --method nothing", &["unknown method", "auto"]),
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        has(&run.err, words);
    }
}

#[test]
fn more_components_than_there_are_and_numbers_of_rows_are_remarked_on() {
    let folder = Folder::new();
    folder.write("data.csv", groups(3, 10, 1));
    let fit = |options: &str| {
        folder
            .line(&format!("fit data.csv --method lda --json {options}"))
            .ok()
    };
    let many = fit("--components 7");
    has(
        &many.err,
        &["--components 7: 3 classes have 2 canonical variates, which are kept"],
    );
    assert_eq!(many.json()["params"]["components"], 2);
    let two = fit("--components 2");
    assert!(!two.err.contains("components"), "{}", two.err);
    assert_eq!(two.json()["train_error"], many.json()["train_error"]);
    let compared = folder
        .line("compare data.csv --methods lda,mkda --repeats 1 --components 3")
        .ok();
    has(&compared.err, &["--components 3"]);

    let numbered: String = groups(3, 10, 1)
        .lines()
        .enumerate()
        .map(|(i, l)| {
            if i == 0 {
                format!("patient_id,{l}\n")
            } else {
                format!("{},{l}\n", 100 + 3 * i)
            }
        })
        .collect();
    folder.write("data.csv", numbered);
    has(
        &fit("").err,
        &[
            "'patient_id' is left out: it looks like the number of the row",
            "--use patient_id",
        ],
    );
    assert_eq!(fit("").json()["n_features"], 2);
    for option in ["--drop patient_id", "--use patient_id"] {
        assert!(!fit(option).err.contains("looks like"));
    }
    assert_eq!(fit("--use patient_id").json()["n_features"], 3);
}

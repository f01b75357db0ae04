//! Rows with weights, and rows that belong together.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, Numbers, disc, has};

/// The same data with a column of weights 0, 1, 2, 3, and with every row repeated that many times.
fn weighed_and_repeated(n: usize) -> (String, String) {
    let text = disc(n, 7);
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let (mut weighed, mut repeated) = (format!("weight,{header}\n"), format!("{header}\n"));
    for (i, line) in lines.enumerate() {
        let times = (i * 7 + i / 5) % 4;
        weighed.push_str(&format!("{times},{line}\n"));
        (0..times).for_each(|_| repeated.push_str(&format!("{line}\n")));
    }
    (weighed, repeated)
}

#[test]
fn weights_count_rows_so_often() {
    let folder = Folder::new();
    let (weighed, repeated) = weighed_and_repeated(80);
    folder.write("weighed.csv", weighed);
    folder.write("repeated.csv", repeated);
    folder.write("new.csv", disc(30, 8));
    for (method, fixed) in [
        ("lda", ""),
        ("mkda", "--bandwidth 1 --ridge 0.1"),
        ("smkda", "--bandwidth 1 --max-support 10"),
        ("kos", "--bandwidth 1"),
        ("parzen", "--bandwidth 0.5"),
    ] {
        let options = format!("--method {method} {fixed} --no-cv -q");
        folder
            .line(&format!(
                "fit weighed.csv --weights weight {options} -o w.ks"
            ))
            .ok();
        folder
            .line(&format!("fit repeated.csv {options} -o r.ks"))
            .ok();
        let probabilities = |model: &str| {
            let run = folder
                .line(&format!("predict {model} new.csv --proba -q"))
                .ok();
            let rows = run.csv().1;
            rows.iter()
                .map(|r| r[1].parse::<f64>().unwrap())
                .collect::<Vec<_>>()
        };
        for (a, b) in probabilities("w.ks").iter().zip(probabilities("r.ks")) {
            assert!((a - b).abs() < 1e-6, "{method}: {a} {b}");
        }
    }
    let run = folder
        .line("fit weighed.csv --weights weight --method lda --json")
        .ok();
    assert!(
        run.json()["notices"]
            .to_string()
            .contains("of weight 0 left out")
    );
    assert!(!run.json()["feature_names"].to_string().contains("weight"));
}

#[test]
fn weights_that_are_none() {
    let folder = Folder::new();
    let data = |w: &str| format!("a,w,class\n1,1,x\n2,{w},y\n3,1,x\n4,1,y\n");
    for (cell, words) in [
        ("-1", &["line 3", "'w'", "the weight is -1"][..]),
        ("", &["line 3", "'w'", "missing"]),
        ("heavy", &["'w'"]),
    ] {
        folder.write("d.csv", data(cell));
        let run = folder.line("fit d.csv --weights w");
        assert_eq!(run.code, 1, "{}", run.err);
        has(&run.err, words);
    }
    folder.write("d.csv", data("1"));
    for wrong in ["class", "b", "9"] {
        let run = folder.line(&format!("fit d.csv --weights {wrong}"));
        assert_eq!(run.code, 1, "{}", run.err);
        has(&run.err, &["--weights"]);
    }
    folder.write("zero.csv", "a,w,class\n1,0,x\n2,0,y\n");
    has(
        &folder.line("fit zero.csv --weights w").err,
        &["every row has weight 0"],
    );
}

/// Rows without a pattern, each written twice with the same number in the column `who`.
fn twins(pairs: usize) -> String {
    let mut random = Numbers::new(5);
    let mut text = String::from("who,a,b,class\n");
    for pair in 0..pairs {
        let (a, b) = (random.value(), random.value());
        let class = if random.value() > 0.0 { "x" } else { "y" };
        (0..2).for_each(|_| text.push_str(&format!("p{pair},{a},{b},{class}\n")));
    }
    text
}

#[test]
fn blocks_are_held_out_whole() {
    let folder = Folder::new();
    folder.write("twins.csv", twins(60));
    let fit = "fit twins.csv --method parzen --bandwidth 0.01 --json -q";
    let error = |options: &str| {
        let run = folder.line(&format!("{fit} {options}")).ok().json();
        assert_eq!(run["groups"].is_u64(), options.contains("--blocks"));
        (
            run["cv"]["error"].as_f64().unwrap(),
            run["test_error"].as_f64(),
        )
    };
    // A row's twin is in another fold and gives its class away, unless both are held out together.
    assert!(error("--drop who --folds 10").0 < 0.15);
    assert!(error("--blocks who --folds 10").0 > 0.3);
    assert!(error("--drop who --holdout 0.2").1.unwrap() < 0.35);
    assert!(error("--blocks who --holdout 0.2").1.unwrap() > 0.35);
    let run = folder
        .line("fit twins.csv --method parzen --bandwidth 0.01 --blocks who -o m.ks")
        .ok();
    has(&run.out, &["120 rows in 60 blocks", "2 features"]);
    // The column is not needed again.
    folder.write("new.csv", "a,b\n0,0\n");
    folder.line("predict m.ks new.csv").ok();
    // The default method, and the comparison of methods.
    folder.line("fit twins.csv --groups who --json").ok();
    let run = folder
        .line(
            "compare twins.csv --blocks who --methods parzen,lda --bandwidth 0.01 --repeats 3 \
            --json",
        )
        .ok();
    for method in run.json()["methods"].as_array().unwrap() {
        assert!(method["error_mean"].as_f64().unwrap() > 0.3, "{method}");
    }
    // The rows reported as held out are held out; a class that is one block cannot be learned
    // without it.
    let halves: String = twins(40)
        .lines()
        .enumerate()
        .map(|(i, l)| match i {
            0 => format!("{l}\n"),
            _ => format!(
                "{}{}\n",
                if i % 4 < 2 { "l" } else { "r" },
                &l[l.find(',').unwrap()..]
            ),
        })
        .collect();
    folder.write("halves.csv", halves);
    let run = folder
        .line("compare halves.csv --blocks who --methods lda --repeats 3")
        .ok();
    has(&run.out, &["50 % of the rows held out, in 2 blocks"]);
    folder.write(
        "same.csv",
        "a,b,class\n1,x,x\n2,x,x\n3,x,x\n7,y,y\n8,y,y\n9,y,y\n",
    );
    let run = folder.line("fit same.csv --blocks b --method lda").ok();
    has(&run.err, &["2 classes have all rows in one block", "x, y"]);
}

#[test]
fn blocks_that_are_none() {
    let folder = Folder::new();
    folder.write("d.csv", "a,g,class\n1,1,x\n2,,y\n3,1,x\n4,1,y\n");
    let run = folder.line("fit d.csv --blocks g --method lda");
    assert_eq!(run.code, 1, "{}", run.err);
    has(&run.err, &["line 3", "'g'", "block of this row is missing"]);
    folder.write("d.csv", "a,g,class\n1,1,x\n2,1,y\n3,1,x\n4,1,y\n");
    has(
        &folder.line("fit d.csv --blocks g --method lda").err,
        &["of one block"],
    );
    for wrong in ["class", "b", "9", "g --weights g"] {
        let run = folder.line(&format!("fit d.csv --blocks {wrong}"));
        assert_eq!(run.code, 1, "{}", run.err);
        has(&run.err, &["--blocks"]);
    }
    folder.write("twins.csv", twins(20));
    let run = folder.line("fit twins.csv --blocks who --method smkda --validation loo");
    assert_eq!(run.code, 1, "{}", run.err);
    has(&run.err, &["divides the blocks", "--validation cv"]);
}

//! Comparisons: the table, the journal, and an interruption in the middle.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, METHODS, disc, groups, has};
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 5));
    folder
}

/// What a comparison found, without the times it took.
fn findings(object: &Value) -> Value {
    let mut object = object.clone();
    let fields = object.as_object_mut().unwrap();
    for list in ["methods", "outcomes"] {
        for entry in fields[list].as_array_mut().unwrap() {
            let entry = entry.as_object_mut().unwrap();
            entry.retain(|name, _| !name.contains("seconds"));
        }
    }
    object
}

#[test]
fn the_table_ranks_the_methods() {
    let folder = folder();
    let run = folder
        .line("compare data.csv --target class --repeats 3")
        .ok();
    has(
        &run.out,
        &[
            "data.csv: 60 rows, 3 features, 2 classes",
            "3 splits, 33 %",
            "method",
            "error",
            "s.e.",
            "model",
            "Pick ",
        ],
    );
    let ranks = |text: &str| -> Vec<String> {
        let first = text
            .lines()
            .map(|l| l.split_whitespace().next().unwrap_or(""));
        first
            .filter(|w| METHODS.contains(w))
            .map(String::from)
            .collect()
    };
    let object = folder
        .line("compare data.csv --target class --repeats 3 --json")
        .ok()
        .json();
    let methods = object["methods"].as_array().unwrap();
    let order: Vec<&str> = methods
        .iter()
        .map(|m| m["method"].as_str().unwrap())
        .collect();
    assert_eq!(ranks(&run.out), order);
    // A disc inside a square: no line separates them.
    let mut linear = [order[METHODS.len() - 2], order[METHODS.len() - 1]];
    linear.sort_unstable();
    assert_eq!(linear, ["l1-dkf", "lda"]);
    let outcomes = object["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 3 * METHODS.len());
    for m in methods {
        let own = outcomes.iter().filter(|o| o["method"] == m["method"]);
        let errors: Vec<f64> = own.map(|o| o["error"].as_f64().unwrap()).collect();
        let mean = errors.iter().sum::<f64>() / 3.0;
        let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 2.0;
        assert!((m["error_mean"].as_f64().unwrap() - mean).abs() < 1e-12);
        assert!((m["error_se"].as_f64().unwrap() - (variance / 3.0).sqrt()).abs() < 1e-12);
    }
}

#[test]
fn a_table_to_decide_from() {
    let folder = folder();
    let line =
        "compare data.csv --target class --repeats 6 --methods lda,kos,parzen,smkda --journal j";
    let run = folder.line(line).ok();
    assert!(
        run.out.lines().all(|l| l.chars().count() <= 80),
        "{}",
        run.out
    );
    let object = folder.line(&format!("{line} --json")).ok().json();
    let methods = object["methods"].as_array().unwrap();
    let number =
        |m: &Value, name: &str| m[name].as_f64().unwrap_or_else(|| panic!("{name} in {m}"));
    // The best is compared with nothing, the others with it.
    assert_eq!(object["best"], methods[0]["method"]);
    assert!(methods[0]["p_value"].is_null() && methods[0]["difference_mean"].is_null());
    let ratio = object["test_to_train"].as_f64().unwrap();
    assert_eq!(ratio, 20.0 / 40.0);
    let errors = |m: &Value| -> Vec<f64> {
        let list = m["error_splits"].as_array().unwrap().iter();
        list.map(|e| e.as_f64().unwrap()).collect()
    };
    let mut last = 0.0;
    for m in &methods[1..] {
        let d: Vec<f64> = errors(m)
            .iter()
            .zip(errors(&methods[0]))
            .map(|(a, b)| a - b)
            .collect();
        let mean = d.iter().sum::<f64>() / 6.0;
        let variance = d.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 5.0;
        assert!((number(m, "difference_mean") - mean).abs() < 1e-15);
        assert!(
            (number(m, "difference_se") - ((1.0 / 6.0 + ratio) * variance).sqrt()).abs() < 1e-15
        );
        assert!(number(m, "p_value_holm") >= number(m, "p_value"));
        assert!(number(m, "error_mean") >= last);
        last = number(m, "error_mean");
    }
    // The pick is the smallest model within one standard error.
    let good = methods.iter().filter(|m| {
        m["difference_mean"].is_null() || number(m, "difference_mean") <= number(m, "difference_se")
    });
    let smallest =
        good.min_by(|a, b| number(a, "model_bytes_mean").total_cmp(&number(b, "model_bytes_mean")));
    assert_eq!(object["pick"], smallest.unwrap()["method"]);
    has(
        &run.out,
        &[&format!("Pick {}:", object["pick"].as_str().unwrap())],
    );
    // A line does not separate a disc from its surroundings, and the test says so.
    let lda = methods.iter().find(|m| m["method"] == "lda").unwrap();
    assert!(number(lda, "p_value_holm") < 0.05, "{lda}");
}

#[test]
fn one_split_is_no_test_and_equal_errors_are_no_difference() {
    let folder = Folder::new();
    folder.write("easy.csv", groups(2, 30, 3));
    let one = folder
        .line("compare easy.csv --repeats 1 --methods lda,kos")
        .ok();
    has(&one.out, &["One split", "--repeats"]);
    let one = folder
        .line("compare easy.csv --repeats 1 --methods lda,kos --json")
        .ok()
        .json();
    assert!(one["pick"].is_null());
    assert!(
        one["methods"]
            .as_array()
            .unwrap()
            .iter()
            .all(|m| m["p_value"].is_null())
    );
    let equal = folder
        .line("compare easy.csv --repeats 3 --methods lda,kos --json")
        .ok()
        .json();
    assert_eq!(equal["methods"][1]["difference_mean"], 0.0);
    assert_eq!(equal["methods"][1]["p_value"], 1.0);
    assert_eq!(equal["pick"], "lda", "the smaller one");
}

#[test]
fn sizes_are_those_of_saved_models() {
    let folder = folder();
    let object = folder
        .line("compare data.csv --repeats 1 --methods lda --json")
        .ok()
        .json();
    folder
        .line("fit data.csv --method lda --holdout 0.3333333333333333 --model m.ks")
        .ok();
    // `compare` does not measure what the features are worth.
    let mut model = kernsieve::model_file::load(&folder.path("m.ks")).unwrap();
    model.record.importances.clear();
    let bytes = kernsieve::model_file::to_bytes(&model).unwrap().len() as f64;
    assert_eq!(object["methods"][0]["model_bytes_mean"], bytes);
}

#[test]
fn the_choice_of_a_method_is_compared_like_a_method() {
    let folder = folder();
    let run = folder
        .line("compare data.csv --repeats 2 --methods auto,lda --journal j --json")
        .ok();
    let object = run.json();
    let methods = object["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 2);
    let auto = methods.iter().find(|m| m["method"] == "auto").unwrap();
    let splits: u64 = auto["chosen"]
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(splits, 2);
    assert!(
        auto["chosen"]
            .as_object()
            .unwrap()
            .keys()
            .all(|m| METHODS.contains(&m.as_str()))
    );
    let text = folder
        .line("compare data.csv --repeats 2 --methods auto,lda --journal j")
        .ok();
    has(&text.out, &["auto took "]);
    has(&text.err, &["4 results taken from the journal"]);
    let wrong = folder.line("compare data.csv --repeats 2 --methods auot");
    assert_eq!(wrong.code, 2);
    has(
        &wrong.err,
        &["unknown method 'auot'", "did you mean 'auto'?"],
    );
}

#[test]
fn methods_have_a_short_flag() {
    let folder = folder();
    let compare = |flag: &str| {
        let line = format!("compare data.csv {flag} lda,parzen --repeats 2 --json --quiet");
        findings(&folder.line(&line).ok().json())
    };
    assert_eq!(compare("-m"), compare("--methods"));
}

#[test]
fn methods_and_splits_as_asked() {
    let folder = folder();
    let run = |options: &str| {
        folder
            .line(&format!("compare data.csv --repeats 2 --json {options}"))
            .ok()
    };
    let names = |v: &Value| -> Vec<String> {
        let list = v["methods"].as_array().unwrap().iter();
        let mut names: Vec<String> = list.map(|m| m["method"].as_str().unwrap().into()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&run("--methods lda,kos,lda").json()), ["kos", "lda"]);
    assert_eq!(names(&run("--methods all").json()), *METHODS);
    let linear = run("--kernel linear");
    assert_eq!(
        names(&linear.json()),
        [
            "fivm",
            "klr",
            "kos",
            "l1-dkf",
            "lda",
            "mkda",
            "smkda",
            "sparse-kos"
        ]
    );
    has(&linear.err, &["left out", "parzen"]);
    let discriminant = run("--kernel discriminant");
    assert_eq!(
        names(&discriminant.json()),
        ["klr", "kos", "l1-dkf", "mkda", "smkda"]
    );
    has(&discriminant.err, &["left out", "sparse-kos"]);
    let two = findings(&run("--threads 2").json());
    // What a method finds when run alone.
    let own = |m: &Value| {
        let mut m = m.clone();
        m.as_object_mut()
            .unwrap()
            .retain(|name, _| !name.starts_with("difference") && !name.starts_with("p_value"));
        m
    };
    assert_eq!(two, findings(&run("--threads 1").json()));
    assert_ne!(
        two["outcomes"],
        findings(&run("--seed 9").json())["outcomes"]
    );
    // A method's splits do not depend on which others are compared.
    let alone = findings(&run("--methods mkda").json());
    let among = two["methods"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["method"] == "mkda")
        .unwrap();
    assert_eq!(own(&alone["methods"][0]), own(among));
}

#[test]
fn a_page_of_a_comparison() {
    let folder = folder();
    let line = "compare data.csv --target class --repeats 3 --methods lda,kos,parzen --journal j";
    let run = folder.line(&format!("{line} --report page.html")).ok();
    has(&run.out, &["\nReport   page.html\n"]);
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    let object = folder
        .line(&format!("{line} --json --report again.html"))
        .ok()
        .json();
    assert_eq!(object["report"], "again.html");
    assert!(folder.line(&format!("{line} --json")).ok().json()["report"].is_null());
    let pick = object["pick"].as_str().unwrap();
    has(
        &page,
        &[
            "Methods on data.csv",
            &format!("<p>Pick {pick}: "),
            &format!("kernsieve {line} --report page.html</code>"),
            "60 rows of data.csv",
        ],
    );
    // The numbers that are drawn are those of the results.
    let from = page.find("id=\"data\">").unwrap() + 10;
    let to = from + page[from..].find("</script>").unwrap();
    let drawn: Value = serde_json::from_str(&page[from..to]).unwrap();
    let methods = object["methods"].as_array().unwrap();
    assert_eq!(drawn["methods"].as_array().unwrap().len(), methods.len());
    for (d, m) in drawn["methods"].as_array().unwrap().iter().zip(methods) {
        assert_eq!(
            (&d["name"], &d["mean"], &d["se"], &d["errors"]),
            (
                &m["method"],
                &m["error_mean"],
                &m["error_se"],
                &m["error_splits"]
            )
        );
        assert_eq!(d["pick"].as_bool().unwrap(), m["method"] == pick);
    }
    // The page also says what was left out and which methods do not use an option.
    let run = folder
        .line(
            "compare data.csv --repeats 2 --max-features 1 --methods lda,kos,fivm --report \
            some.html",
        )
        .ok();
    let note = "--max-features: not used by lda, kos";
    has(&run.err, &[note]);
    assert!(!run.err.contains("fivm"), "{}", run.err);
    let page = String::from_utf8(folder.read("some.html")).unwrap();
    has(&page, &[&format!("<li dir=\"auto\">{note}</li>")]);
}

#[test]
fn a_page_overwrites_no_input() {
    let folder = folder();
    let data = folder.read("data.csv");
    folder
        .line("compare data.csv --methods lda --repeats 2 --journal j")
        .ok();
    let journal = folder.read("j");
    for (line, words) in [
        (
            "compare data.csv --methods lda --report data.csv",
            "would overwrite",
        ),
        (
            "compare data.csv --methods lda --journal j --report ./j",
            "would overwrite",
        ),
        (
            "compare data.csv --methods lda --journal new --report new",
            "same file",
        ),
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        has(&run.err, &[words]);
    }
    // A page that cannot be written is detected before the work, and leaves nothing behind.
    let run =
        folder.line("compare data.csv --methods lda --repeats 2 --journal k --report no/page.html");
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(folder.names(), ["data.csv", "j"]);
    assert_eq!((folder.read("data.csv"), folder.read("j")), (data, journal));
}

#[test]
fn one_split_has_no_standard_error() {
    let run = folder()
        .line("compare data.csv --methods lda,kos --repeats 1")
        .ok();
    has(&run.out, &["error", "One split"]);
    assert!(!run.out.contains("s.e."), "{}", run.out);
}

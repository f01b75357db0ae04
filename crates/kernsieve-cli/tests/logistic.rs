//! `klr` and `fivm` from the command line: what a user sees, and the page with pictures.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, disc, groups, has};

fn text(folder: &Folder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

#[test]
fn imports_are_shown_in_order_and_kept_in_the_model() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 1));
    let run = folder.line("fit data.csv --method fivm --model m.ks").ok();
    has(
        &run.out,
        &[
            "feature",
            "H",
            "next best",
            "worse",
            "train",
            "CV",
            "folds",
            "  *  1",
        ],
    );
    let fit = folder
        .line("fit data.csv --method fivm --json --quiet")
        .ok()
        .json();
    let selected = fit["selected_features"].as_array().unwrap();
    let path = fit["path"].as_array().unwrap();
    assert!(!selected.is_empty() && path.len() >= selected.len());
    for (i, step) in path.iter().enumerate() {
        assert_eq!(step["size"], i + 1);
        assert!(step["objective"].is_f64() && step["train_error"].is_f64());
        if i < selected.len() {
            assert_eq!(step["feature"], selected[i]);
        }
    }
    assert_eq!(fit["params"]["n_features"], selected.len());
    let inspected = folder.line("inspect m.ks --json").ok().json();
    assert_eq!(inspected["path"], fit["path"]);
    has(
        &folder.line("inspect m.ks").ok().out,
        &["next best", "train"],
    );
}

#[test]
fn a_cut_is_the_beginning_of_the_path() {
    let folder = Folder::new();
    folder.write("data.csv", disc(80, 2));
    let fixed =
        "fit data.csv --method fivm --bandwidth 1 --ridge 0.01 --stop none --no-cv --json --quiet";
    let whole = folder.line(fixed).ok().json();
    let cut = folder
        .line(&format!("{fixed} --max-features 1"))
        .ok()
        .json();
    assert_eq!(cut["selected_features"][0], whole["selected_features"][0]);
    assert_eq!(cut["selected_features"].as_array().unwrap().len(), 1);
}

#[test]
fn few_samples_on_few_features() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 3));
    for method in ["klr", "fivm"] {
        let line = format!(
            "fit data.csv --method {method} --max-support 10 --bandwidth 1 --ridge 0.002 --model \
             m.ks"
        );
        let run = folder.line(&line).ok();
        has(&run.out, &["in order of selection"]);
        let fit = folder.line(&format!("{line} --json --quiet")).ok().json();
        let count = fit["retained_samples"]["count"].as_u64().unwrap();
        assert!((1..=10).contains(&count), "{method}: {count}");
        assert_eq!(fit["params"]["max_support"], 10);
        folder.line("predict m.ks data.csv --proba").ok();
    }
}

#[test]
fn a_page_with_pictures() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 1));
    folder.write("three.csv", groups(30, 3, 1));
    let run = folder
        .line(
            "fit data.csv --method fivm --max-features 2 --stop none --model m.ks --report \
            fit.html",
        )
        .ok();
    has(&run.out, &["Report   fit.html"]);
    let page = text(&folder, "fit.html");
    has(
        &page,
        &[
            "<!doctype html>",
            "In order of import",
            "data-plot=\"regions\"",
            "data-plot=\"histogram\"",
            "in 5-fold cross-validation of the 120 training rows",
            "kernsieve fit data.csv --method fivm",
            "</html>",
        ],
    );
    // One point per row, and nothing from elsewhere (the only address is the SVG namespace, which
    // is never loaded).
    assert_eq!(
        points(&page)["sets"][0]["row"].as_array().unwrap().len(),
        120
    );
    for outside in ["https:", "src=", "url(", "@import", "NaN,", "Infinity,"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("http:").count(), 1);
    // The file that the model was trained on is recognised, and the error on it is marked as
    // flattering.
    let run = folder.line("report m.ks data.csv --output again.html").ok();
    has(&run.out, &["again.html", "120 rows"]);
    has(&text(&folder, "again.html"), &["so this is flattering"]);
    // So is its beginning, but not a file with other rows.
    let head: String = text(&folder, "data.csv")
        .lines()
        .take(31)
        .map(|l| format!("{l}\n"))
        .collect();
    folder.write("head.csv", head);
    folder
        .line("report m.ks head.csv --output head.html --quiet")
        .ok();
    has(&text(&folder, "head.html"), &["so this is flattering"]);
    folder.write("other.csv", disc(120, 7));
    folder
        .line("report m.ks other.csv --output other.html --quiet")
        .ok();
    assert!(!text(&folder, "other.html").contains("so this is flattering"));
    // Every method has a page.
    for &method in common::METHODS.iter() {
        folder
            .line(&format!(
                "fit three.csv --method {method} --report {method}.html --model {method}.ks --quiet"
            ))
            .ok();
        let page = text(&folder, &format!("{method}.html"));
        has(
            &page,
            &["data-plot=\"scores\"", "data-plot=\"calibration\"", method],
        );
        let data = points(&page);
        // Two features over a plane, or a single one along a line.
        let drawn = |field: &str, list: &str| data[field][list].as_array().map(Vec::len);
        match drawn("regions", "class") {
            Some(cells) => assert_eq!(cells, 72 * 72, "{method}"),
            None => assert_eq!(drawn("profile", "x"), Some(160), "{method}"),
        }
        // Places and rings are those of the model; fits without the fold count the same rows as
        // wrong as the cross-validation table.
        let set = &data["sets"][0];
        let of = |field: &str| set[field].as_array().unwrap().clone();
        let wrong = |by: &str| {
            let rows = of("y").into_iter().zip(of(by));
            rows.filter(|(y, p)| y != p).count() as f64 / of("y").len() as f64
        };
        let inspect = folder.line(&format!("inspect {method}.ks --json"));
        let inspected = inspect.ok().json();
        let trained = inspected["train_error"].as_f64().unwrap();
        assert!((trained - wrong("p")).abs() < 1e-9, "{method}: {trained}");
        let error = inspected["cv"]["error"].as_f64().unwrap();
        if method != "sparse-kos" {
            assert!((error - wrong("without")).abs() < 1e-9, "{method}: {error}");
        }
        folder
            .line(&format!(
                "report {method}.ks three.csv --output {method}-again.html --quiet"
            ))
            .ok();
        has(
            &text(&folder, &format!("{method}-again.html")),
            &["so this is flattering"],
        );
    }
}

/// What the script of a page draws.
fn points(page: &str) -> serde_json::Value {
    let start = page.find("id=\"data\">").unwrap() + 10;
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

#[test]
fn names_of_a_page_are_text_and_nothing_else() {
    let folder = Folder::new();
    let nasty = "</script><script>alert(1)</script>";
    let rows: String = (0..40)
        .map(|i| {
            format!(
                "{},{},{}\n",
                i % 7,
                (i * i) % 11,
                if i % 2 == 0 { nasty } else { "=1+1" }
            )
        })
        .collect();
    folder.write(
        "odd.csv",
        format!("{nasty},<img src=x onerror=alert(1)>,class\n{rows}"),
    );
    folder
        .line("fit odd.csv --method kos --bandwidth 1 --report odd.html --quiet")
        .ok();
    let page = text(&folder, "odd.html");
    assert!(
        !page.contains("<script>alert") && !page.contains("<img"),
        "{page}"
    );
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(points(&page)["classes"], serde_json::json!([nasty, "=1+1"]));
}

#[test]
fn a_model_of_few_features_needs_only_their_columns() {
    let folder = Folder::new();
    folder.write("data.csv", disc(120, 1));
    let fit = folder
        .line(
            "fit data.csv --method fivm --stop none --max-features 2 --bandwidth 1 --ridge 0.01 \
            --no-cv --model m.ks --json --quiet",
        )
        .ok()
        .json();
    let whole = folder.line("predict m.ks data.csv --proba").ok();
    // The columns that the model uses, in another order.
    let text = String::from_utf8(folder.read("data.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let used: Vec<usize> = fit["selected_features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| {
            header
                .iter()
                .position(|h| *h == n.as_str().unwrap())
                .unwrap()
        })
        .collect();
    assert!(used.len() == 2 && header.len() > 3);
    let cut = |columns: &[usize]| -> String {
        let line = |l: &str| {
            let cells: Vec<&str> = l.split(',').collect();
            columns
                .iter()
                .map(|&j| cells[j])
                .collect::<Vec<_>>()
                .join(",")
                + "\n"
        };
        text.lines().map(line).collect()
    };
    folder.write("few.csv", cut(&used));
    assert_eq!(
        folder.line("predict m.ks few.csv --proba").ok().out,
        whole.out
    );
    folder.write("one.csv", cut(&used[..1]));
    let run = folder.line("predict m.ks one.csv");
    assert_eq!(run.code, 1);
    has(&run.err, &["the model needs", header[used[1]]]);
}

#[test]
fn a_page_of_one_feature_and_of_unknown_classes() {
    let folder = Folder::new();
    folder.write("data.csv", disc(80, 1));
    folder
        .line(
            "fit data.csv --method fivm --stop none --max-features 1 --bandwidth 1 --ridge 0.01 \
            --no-cv --model m.ks --holdout 0.25 --report one.html --quiet",
        )
        .ok();
    has(
        &text(&folder, "one.html"),
        &[
            "data-plot=\"profile\"",
            "Probabilities along the one feature",
            "20 held-out rows",
        ],
    );
    let other: String = text(&folder, "data.csv")
        .lines()
        .enumerate()
        .map(|(i, l)| match i {
            1..=5 => format!("{},zebra\n", l.rsplit_once(',').unwrap().0),
            _ => format!("{l}\n"),
        })
        .collect();
    folder.write("zebra.csv", other);
    folder
        .line("report m.ks zebra.csv --output z.html --quiet")
        .ok();
    has(
        &text(&folder, "z.html"),
        &["5 rows have a class that the model does not know", "zebra"],
    );
}

#[test]
fn a_page_never_takes_the_place_of_an_input() {
    let folder = Folder::new();
    folder.write("data.csv", disc(60, 1));
    folder
        .line("fit data.csv --method klr --bandwidth 1 --ridge 0.01 --no-cv --model m.ks --quiet")
        .ok();
    for line in [
        "fit data.csv --report data.csv",
        "report m.ks data.csv --output data.csv",
        "report m.ks data.csv --output m.ks",
    ] {
        let run = folder.line(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        has(&run.err, &["would overwrite"]);
    }
    let run = folder.line("fit data.csv --model same.ks --report same.ks");
    assert_eq!(run.code, 2);
    has(&run.err, &["same file"]);
    assert_eq!(folder.line("report m.ks data.csv").code, 2);
    assert_eq!(folder.line("report m.ks none.csv --output a.html").code, 1);
    assert!(!folder.names().contains(&"a.html".to_string()));
}

//! The examples in the help of every command do what they say, and mistakes are answered with a
//! suggestion.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, columns, disc, groups, gzip, has};
use std::path::Path;
use std::process::Command;

const COMMANDS: [&str; 12] = [
    "fit",
    "predict",
    "evaluate",
    "compare",
    "density",
    "inspect",
    "report",
    "export",
    "demo",
    "completions",
    "man",
    "update",
];

/// The lines under `Examples:`.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|l| *l != "Examples:").skip(1);
    let lines = lines.take_while(|l| l.starts_with("  "));
    lines.map(|l| l.trim().to_string()).collect()
}

#[test]
fn examples_run_as_they_are_printed() {
    let folder = Folder::new();
    let data = groups(2, 30, 1);
    for name in ["train.csv", "test.csv", "new.csv"] {
        folder.write(name, &data);
    }
    folder.write("train.csv.gz", gzip(data.as_bytes()));
    folder.write("points.csv", columns(&data, &[0, 1]));
    folder.write("new_points.csv", columns(&data, &[0, 1]));
    folder.line("fit train.csv --model model.ks").ok();
    folder
        .line("fit train.csv --method sieve --model sieve.ks")
        .ok();
    folder.line("density points.csv --model density.ks").ok();
    for place in [".zfunc", ".config/fish/completions"] {
        std::fs::create_dir_all(folder.path(place)).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_kernsieve"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut helps = vec![folder.line("--help").ok().out];
    helps.extend(COMMANDS.map(|c| folder.line(&format!("{c} --help")).ok().out));
    let mut ran = 0;
    for help in helps {
        let lines = examples(&help);
        assert!(!lines.is_empty(), "{help}");
        // Demos have tests of their own; two splits are as good as twenty here.
        for line in lines.iter().filter(|l| !l.contains(" demo")) {
            let line = line.replace("--repeats 20", "--repeats 2");
            let line = match line.ends_with("compare train.csv --target class") {
                true => line + " --repeats 2",
                false => line,
            };
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(&line).current_dir(&folder);
            let output = shell
                .env("PATH", &path)
                .env("HOME", folder.path(""))
                .output()
                .unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && !err.contains("error"),
                "{line}\n{err}"
            );
            ran += 1;
        }
    }
    assert!(ran > 25, "{ran}");
}

#[test]
fn short_help_is_short_and_long_help_has_everything() {
    let folder = Folder::new();
    for command in ["fit", "compare"] {
        let short = folder.line(&format!("{command} -h")).ok().out;
        let long = folder.line(&format!("{command} --help")).ok().out;
        assert!(2 * short.lines().count() < long.lines().count(), "{short}");
        assert!(
            short.contains("--kernel") && !short.contains("--spacing"),
            "{short}"
        );
        assert!(long.contains("--kernel") && long.contains("--spacing"));
        has(&short, &["see more with '--help'"]);
    }
}

#[test]
fn completions_know_the_commands() {
    let folder = Folder::new();
    for (shell, words) in [
        ("bash", "complete -F _kernsieve"),
        ("zsh", "#compdef kernsieve"),
        ("fish", "complete -c kernsieve"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let run = folder.line(&format!("completions {shell}")).ok();
        has(&run.out, &[words, "test-fraction", "density"]);
        let object = folder
            .line(&format!("completions {shell} --json"))
            .ok()
            .json();
        assert_eq!(object["script"].as_str().unwrap(), run.out);
    }
    // Bash itself reads its completions, if it is installed.
    folder.write("script", folder.line("completions bash").ok().out);
    if let Ok(output) = Command::new("bash")
        .args(["-n", "script"])
        .current_dir(&folder)
        .output()
    {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(folder.line("completions tcsh").code, 2);
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    has(&folder.line("man").ok().out, &[".TH kernsieve", "compare"]);
    has(
        &folder.line("man fit").ok().out,
        &[".TH kernsieve-fit", "spacing"],
    );
    let wrong = folder.line("man fti");
    assert_eq!(wrong.code, 2);
    has(&wrong.err, &["no command 'fti'", "did you mean 'fit'?"]);
}

#[test]
fn what_was_meant() {
    let folder = Folder::new();
    folder.write("data.csv", disc(30, 1));
    for (line, words) in [
        ("predcit m.ks data.csv", "'predict'"),
        ("fit data.csv --bandwith 1", "'--bandwidth'"),
        ("fit data.csv --kernel gausian", "'gaussian'"),
        ("fit data.csv --method smkad", "did you mean 'smkda'?"),
        (
            "fit data.csv --method sparse_kos",
            "did you mean 'sparse-kos'?",
        ),
        ("compare data.csv --methods lda,klrr", "did you mean 'klr'?"),
        ("fit data.csv --target clas", "Did you mean 'class'?"),
        ("fit data.csv --drop nosie", "Did you mean 'noise'?"),
        ("demo iriss", "did you mean 'iris'?"),
    ] {
        let run = folder.line(line);
        assert!(run.code == 1 || run.code == 2, "{line}");
        has(&run.err, &[words]);
    }
}

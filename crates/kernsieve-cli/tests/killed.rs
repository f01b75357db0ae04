//! The program killed at random moments: nothing is half written, and nothing stale is left after
//! the next run. `KERNSIEVE_KILLS=200` for more than a few.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, Numbers, disc};
use std::time::{Duration, Instant};

/// A command, the file that it writes, and whether the content of it is sound.
struct Case {
    line: &'static str,
    file: &'static str,
    sound: fn(&Folder) -> bool,
}

const CASES: [Case; 4] = [
    Case {
        line: "fit data.csv --method lda --model new.ks",
        file: "new.ks",
        sound: |f| f.line("predict new.ks few.csv").code == 0,
    },
    Case {
        line: "compare data.csv --methods lda,parzen --repeats 4 --journal journal",
        file: "journal",
        // A line that was cut off is completed by the run that goes on.
        sound: |f| {
            let text = String::from_utf8(f.read("journal")).unwrap();
            let (whole, _) = text.rsplit_once('\n').unwrap_or(("", ""));
            whole
                .lines()
                .all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok())
        },
    },
    Case {
        line: "predict model.ks many.csv --proba -o new.csv",
        file: "new.csv",
        sound: |f| f.read("new.csv").iter().filter(|b| **b == b'\n').count() == 1 + MANY,
    },
    Case {
        line: "report model.ks data.csv -o new.html",
        file: "new.html",
        sound: |f| f.read("new.html").trim_ascii_end().ends_with(b"</html>"),
    },
];

const MANY: usize = 20_000;

fn kills() -> usize {
    let asked = std::env::var("KERNSIEVE_KILLS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(12)
}

/// Kills the command after a share of the time that it takes; whether it was still running.
fn killed(folder: &Folder, case: &Case, after: Duration) -> bool {
    let words: Vec<&str> = case.line.split(' ').collect();
    let mut child = folder
        .command(&words)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let was_running = child.try_wait().unwrap().is_none();
    // SIGKILL: nothing in the program gets to know.
    let _ = child.kill();
    child.wait().unwrap();
    was_running
}

#[test]
fn nothing_is_half_written_and_nothing_stale_is_left() {
    let folder = Folder::new();
    folder.write("data.csv", disc(300, 1));
    folder.write("few.csv", disc(5, 2));
    folder.write("many.csv", disc(MANY, 3));
    folder
        .line("fit data.csv --method lda --model model.ks")
        .ok();
    let inputs = folder.names();
    let times: Vec<Duration> = CASES
        .iter()
        .map(|case| {
            let started = Instant::now();
            folder.line(case.line).ok();
            started.elapsed()
        })
        .collect();
    let whole: Vec<Vec<u8>> = CASES.iter().map(|c| folder.read(c.file)).collect();
    let mut numbers = Numbers::new(7);
    let mut hit = 0;
    for k in 0..kills() {
        let place = k % CASES.len();
        let case = &CASES[place];
        // In turn over an old file and over none.
        if (k / CASES.len()).is_multiple_of(2) {
            std::fs::remove_file(folder.path(case.file)).unwrap();
        }
        let share = 0.5 * (numbers.value() + 1.0);
        hit += usize::from(killed(&folder, case, times[place].mul_f64(share)));
        if folder.path(case.file).exists() {
            assert!((case.sound)(&folder), "{} is half written", case.file);
        }
        // The next run removes what is stale, and gives what it gives by itself.
        folder.line(case.line).ok();
        let content = folder.read(case.file);
        match case.file {
            // It has the times of its runs.
            "journal" => assert!((case.sound)(&folder)),
            _ => assert!(content == whole[place], "{} is another one", case.file),
        }
        let names = folder.names();
        let extra = names.iter().filter(|n| !inputs.contains(n));
        let stale: Vec<_> = extra
            .filter(|n| CASES.iter().all(|c| c.file != **n))
            .collect();
        assert!(stale.is_empty(), "{stale:?} after {}", case.line);
    }
    println!("{hit} of {} were killed before they ended", kills());
    assert!(2 * hit >= kills(), "{hit} of {}", kills());
}

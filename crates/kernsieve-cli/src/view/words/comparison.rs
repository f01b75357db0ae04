//! A comparison in words.

use super::{percent, plural, size};
use crate::view::summary::{ComparisonSummary, Ranking, Standing};
use kernsieve::statistics::ResampledTest;

/// What the p-values are.
pub const P_VALUES: &str = "p: corrected resampled t-test against the best, adjusted for the \
                            number of methods (Holm).";

/// How methods are compared.
pub fn how(c: &ComparisonSummary<'_>) -> String {
    let blocks = c
        .data
        .blocks
        .map(|n| format!(", in {}", plural(n, "block")));
    format!(
        "{}, {:.0} % of the rows held out{}, everything tuned on the others",
        plural(c.splits as usize, "split"),
        100.0 * c.held_out(),
        blocks.unwrap_or_default()
    )
}

/// What `auto` chose, in a sentence.
pub fn taken(ranking: &Ranking) -> Vec<String> {
    let auto = ranking.standings.iter().filter(|s| !s.chosen.is_empty());
    auto.map(|s| {
        let words: Vec<String> = s.chosen.iter().map(|(m, n)| format!("{m} {n}")).collect();
        format!("{} took {} (number of splits).", s.method, words.join(", "))
    })
    .collect()
}

/// What to pick, in plain words.
pub fn advice(ranking: &Ranking) -> String {
    let Some(best) = ranking.best() else {
        return String::new();
    };
    if ranking.standings.len() == 1 {
        return format!(
            "{} is alone here; --methods all compares it with the others.",
            best.method
        );
    }
    if best.errors.len() < 2 {
        return format!(
            "One split cannot tell chance from skill: {} is best on this one. \
             --repeats 10 tests the differences.",
            best.method
        );
    }
    match ranking.picked() {
        Some(pick) => picked(ranking, best, pick),
        None => "The sizes of the models are not in the journal; compare without --journal to \
                 see what to pick."
            .into(),
    }
}

fn picked(ranking: &Ranking, best: &Standing, pick: &Standing) -> String {
    let name = &pick.method;
    let bytes = size(pick.model_bytes.unwrap_or(0.0) as u64);
    let others = ranking.standings.iter().skip(1);
    let good = 1 + others.filter(|s| s.is_as_good()).count();
    match pick.test {
        None if good == 1 => format!(
            "Pick {name}: least error, and no other method is within one standard error of the \
             difference."
        ),
        None => format!(
            "Pick {name}: least error, and the smallest model ({bytes}) of the {good} methods \
             within one standard error of the difference."
        ),
        Some(ResampledTest {
            mean,
            standard_error,
            ..
        }) if mean == 0.0 && standard_error == 0.0 => format!(
            "Pick {name}: the smallest model ({bytes}) of the {good} methods within one standard \
             error of the difference; its error is that of {} on every split.",
            best.method
        ),
        Some(t) => format!(
            "Pick {name}: the smallest model ({bytes}) whose error is within one standard error \
             of the best; it is {} +- {} above {}.",
            percent(t.mean),
            percent(t.standard_error),
            best.method
        ),
    }
}

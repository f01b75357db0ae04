//! A model as one HTML page that needs no other file: the answer, pictures of what the model does,
//! and how far both can be trusted.
//!
//! [`frame`] is the frame of every page and the only way in for text from data. The other files are
//! the sections, in the order of the page; each returns `None` if it has nothing to say. Text and
//! tables are written here; pictures are drawn by scripts from the numbers in [`data`].

mod answer;
mod compare;
mod data;
mod dependence;
mod digest;
mod features;
mod frame;
mod learning;
mod origin;
mod quality;
mod regions;
mod rows;
mod scores;
mod sieved;
mod size;
mod strength;
mod threshold;

pub use compare::comparison_page;
pub use origin::shell_command;
pub use rows::{Basis, Rows};

use crate::view::summary::Summary;
use data::{Data, Points, for_drawing, rounded};
use frame::{Page, Section, escape, file_name, plain};
use kernsieve::model::Model;
use rows::{Judged, all_classes, judge, spread};
use strength::{Strength, strength};

/// What draws the pictures of a page about a model.
const SCRIPT: &str = concat!(
    include_str!("labels.js"),
    include_str!("page.js"),
    include_str!("cuts.js")
);
/// Rows of a set that are drawn.
const MOST_POINTS: usize = 10_000;
/// Features whose values are shown with a row.
const WITH_A_ROW: usize = 6;

/// What a page is about.
pub struct Subject<'a> {
    /// The model, to ask about rows.
    pub model: &'a Model,
    /// Its summary.
    pub summary: &'a Summary<'a>,
    /// The command that makes the page.
    pub command: &'a str,
    /// Things the user should know.
    pub notices: &'a [String],
    /// The rows to show; errors are counted on the first of them.
    pub sets: Vec<Rows<'a>>,
}

/// What the sections read.
struct Analysis<'a> {
    model: &'a Model,
    summary: &'a Summary<'a>,
    command: &'a str,
    notices: &'a [String],
    classes: Vec<String>,
    sets: Vec<Judged<'a>>,
    strength: Strength,
    /// Features whose values are shown with a row, strongest first.
    shown: Vec<usize>,
}

impl Analysis<'_> {
    /// The position of a feature among those that are shown.
    fn shown_at(&self, feature: usize) -> Option<usize> {
        self.shown.iter().position(|&j| j == feature)
    }
}

/// The page.
pub fn page(subject: Subject<'_>) -> String {
    let model = subject.model;
    let classes = all_classes(model, &subject.sets);
    let sets: Vec<Judged<'_>> = subject
        .sets
        .into_iter()
        .map(|rows| judge(model, subject.summary, rows, &classes))
        .collect();
    let strength = match sets.first() {
        Some(rows) => strength(model, subject.summary, rows),
        None => Strength {
            measure: strength::Measure::Weight,
            features: vec![],
        },
    };
    let shown = strength
        .features
        .iter()
        .take(WITH_A_ROW)
        .map(|f| f.0)
        .collect();
    let a = Analysis {
        model,
        summary: subject.summary,
        command: subject.command,
        notices: subject.notices,
        classes,
        sets,
        strength,
        shown,
    };
    let names = &a.summary.features.names;
    let coordinates = scores::coordinates(model, &a.sets);
    let mut data = Data {
        classes: a.classes.iter().map(|c| plain(c)).collect(),
        features: a.shown.iter().map(|&j| plain(&names[j])).collect(),
        sets: a
            .sets
            .iter()
            .zip(&coordinates.sets)
            .map(|(rows, z)| points(&a, rows, z))
            .collect(),
        ..Data::default()
    };
    let sections: Vec<Section> = [
        Some(answer::section(&a)),
        origin::auto_section(&a),
        scores::section(&a, coordinates, &mut data),
        regions::section(&a, &mut data),
        features::section(&a, &mut data),
        dependence::section(&a, &mut data),
        size::section(&a, &mut data),
        learning::section(&a, &mut data),
        sieved::section(&a),
        quality::confusion_section(&a),
        threshold::section(&a, &mut data),
        quality::calibration_section(&a, &mut data),
        quality::wrong_section(&a),
        Some(origin::section(&a)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let source = a.sets.first().map_or("", |s| s.source.as_str());
    Page {
        title: &format!("{} on {}", a.summary.method.name, file_name(source)),
        lead: &format!(
            "<p class=\"lead\">{}</p>",
            escape(&sentence(a.summary.method.title))
        ),
        sections: &sections,
        data: &data,
        script: SCRIPT,
    }
    .html()
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// The rows of a set as the script draws them.
fn points(a: &Analysis<'_>, rows: &Judged<'_>, z: &kernsieve::linalg::Matrix) -> Points {
    let retained = a.summary.retained.rows;
    let training = matches!(
        rows.basis,
        Basis::CrossValidated | Basis::Training | Basis::GivenAndSeen
    );
    let kept: std::collections::HashSet<usize> = if training && retained.len() < a.summary.n_rows {
        retained.iter().copied().collect()
    } else {
        Default::default()
    };
    let is_kept = |i: &usize| kept.contains(&rows.numbers[*i]);
    let always: Vec<usize> = (0..rows.n()).filter(is_kept).take(MOST_POINTS).collect();
    let shown = spread(rows.n(), MOST_POINTS, &always);
    let pick = |values: &[usize]| -> Vec<usize> { shown.iter().map(|&i| values[i]).collect() };
    let by_model: Vec<usize> = shown.iter().map(|&i| rows.by_model(i)).collect();
    let sure = shown
        .iter()
        .zip(&by_model)
        .map(|(&i, &c)| rows.fitted[(i, c)]);
    Points {
        name: format!(
            "{} of {}",
            rows.basis.rows(rows.n()),
            plain(file_name(&rows.source))
        ),
        row: pick(&rows.numbers),
        y: pick(&rows.truth),
        s: sure.map(|p| rounded(p, 3).unwrap_or(0.0)).collect(),
        p: by_model,
        without: match rows.basis {
            Basis::CrossValidated => pick(&rows.predicted),
            _ => vec![],
        },
        z: (0..z.cols())
            .map(|k| for_drawing(&shown.iter().map(|&i| z[(i, k)]).collect::<Vec<_>>()))
            .collect(),
        f: a.shown
            .iter()
            .map(|&j| shown.iter().map(|&i| rounded(rows.x[(i, j)], 7)).collect())
            .collect(),
        kept: shown
            .iter()
            .enumerate()
            .filter(|(_, i)| is_kept(i))
            .map(|(k, _)| k)
            .collect(),
    }
}

/// Which rows a picture of rows shows.
fn drawn_words(a: &Analysis<'_>) -> String {
    let mut words: Vec<String> = vec![];
    for s in &a.sets {
        let mut text = s.basis.rows(s.n());
        if s.n() > MOST_POINTS {
            text.push_str(&format!(" ({MOST_POINTS} of them, evenly spread)"));
        }
        words.push(text);
    }
    format!("Drawn: {}.", words.join(", or "))
}

/// What a ring around a row means. Places and rings are those of one model: a picture that mixed
/// the places of the fitted model with the errors of others would show rows deep inside their class
/// as wrong.
fn ring_words(a: &Analysis<'_>) -> String {
    let Some(rows) = a.sets.first() else {
        return String::new();
    };
    let missed = (0..rows.n())
        .filter(|&i| rows.by_model(i) != rows.truth[i])
        .count();
    match rows.basis {
        Basis::CrossValidated => format!(
            "A ring marks a row that the fitted model itself predicts wrongly: {missed} of {}. It \
             has seen these rows, so this is flattering; fits without the row's fold get {} wrong, \
             which is what <a href=\"#confusion\">Confusion</a> counts.",
            rows.n(),
            rows.wrong()
        ),
        Basis::Training => format!(
            "A ring marks a row that the model predicts wrongly: {missed} of {}. It was fitted on \
             them, so this is flattering.",
            rows.n()
        ),
        _ if a.sets.iter().any(|s| s.basis == Basis::Training) => {
            "A ring marks a row that the model predicts wrongly. It has seen the training rows, so \
             these have fewer rings than new rows would."
                .into()
        }
        _ => "A ring marks a row that the model predicts wrongly.".into(),
    }
}

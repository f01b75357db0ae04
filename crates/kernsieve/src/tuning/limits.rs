//! What is refused before it starts: fits without the memory that they need, and searches that take
//! hours where nobody expects it.

use super::control::Control;
use super::memory::{for_people, remedy, rows_that_fit};
use crate::error::{Error, Result};
use crate::method::{Footprint, Method, Problem};

/// From this many classes on, methods whose time grows with them are not tuned if that takes longer
/// than this many seconds of one core.
const MANY_CLASSES: usize = 100;
const LONG: f64 = 60.0;

/// Refuses to choose among settings for hours on hundreds of classes, with an estimate. A setting
/// that is given takes as long as it takes.
pub(super) fn check_time<M: Method>(problem: &Problem, settings: usize) -> Result<()> {
    let (n, p, c) = (problem.n(), problem.n_active(), problem.labels.n_classes());
    let about = M::ABOUT;
    if c < MANY_CLASSES || !about.slow_for_many_classes || settings < 2 {
        return Ok(());
    }
    let seconds = (about.seconds)(n as f64, p as f64, c as f64);
    if seconds <= LONG {
        return Ok(());
    }
    Err(Error::Data(format!(
        "tuning {} on {n} rows of {c} classes takes about {:.0} minutes of one core; `method=lda` or \
         `method=parzen` take seconds, and so does a fit with what is tuned ({}) given; or join \
         classes",
        about.name,
        (seconds / 60.0).ceil(),
        about.tuned
    )))
}

/// Checks that the fit on all rows has the memory that it needs.
pub(super) fn check_final_fit<M: Method>(
    footprint: Footprint,
    n: usize,
    n_classes: usize,
    control: &Control,
) -> Result<()> {
    let (rows, limit) = (n as u64, control.memory_bytes());
    // Kernel values of all rows with the landmarks, and matrices made from them.
    let tall = 8 * 5 * rows * footprint.landmarks.min(n) as u64;
    if tall > limit {
        return Err(Error::Memory {
            what: format!(
                "{} on {n} rows with {} landmarks",
                M::ABOUT.name,
                footprint.landmarks
            ),
            needed: for_people(tall),
            limit: for_people(limit),
            remedy: format!(
                "`candidates={}` fits, or raise `memory`",
                (limit / (40 * rows)).max(2)
            ),
        });
    }
    let matrices = u64::from(footprint.train_base) + footprint.copies as u64;
    if matrices == 0 && footprint.cache == 0 {
        return Ok(());
    }
    let by_class = 64 * n_classes as u64;
    let needed = 8 * matrices * rows * rows + footprint.cache + by_class * rows;
    if needed <= limit {
        return Ok(());
    }
    let fits = rows_that_fit(limit, 8.0 * matrices as f64, by_class as f64);
    Err(Error::Memory {
        what: format!("{} on {n} rows", M::ABOUT.name),
        needed: for_people(needed),
        limit: for_people(limit),
        remedy: remedy(&M::ABOUT, fits, footprint.cache),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::data::{Dataset, Labels};
    use crate::linalg::Matrix;
    use crate::method::{Klr, Lda};
    use crate::params::{KernelChoice, Protocol};
    use crate::tuning::Train;

    /// Classes of four rows each, in two features.
    fn classes(c: usize) -> Dataset {
        let n = 4 * c;
        let at = |i: usize, j: usize| {
            let class = i % c;
            let place = if j == 0 { class % 17 } else { class / 17 };
            place as f64 + 0.01 * ((i * 7 + j * 3) % 11) as f64
        };
        let x = Matrix::from_fn(n, 2, at);
        let labels: Vec<String> = (0..n).map(|i| format!("c{}", i % c)).collect();
        Dataset::new(x, Labels::from_text(&labels), vec!["a".into(), "b".into()]).expect("sound")
    }

    #[test]
    fn hundreds_of_classes_are_refused_with_an_estimate_where_they_take_minutes() {
        let data = classes(300);
        let slow = ["klr", "sparse-kos", "l2qp", "fivm", "l2le"];
        for entry in catalogue::CATALOGUE
            .iter()
            .filter(|e| slow.contains(&e.about.name))
        {
            let made = entry.make(&Default::default()).expect("defaults");
            let schema = crate::data::Schema::numeric(data.feature_names());
            let tried = made.train(&data, &schema, &Protocol::default(), &Control::new());
            let said = tried.err().map(|e| e.to_string()).unwrap_or_default();
            for part in [entry.about.name, "300 classes", "minutes", "method=lda"] {
                assert!(said.contains(part), "{}: {said}", entry.about.name);
            }
        }
        assert!(
            Lda::new()
                .train(&data, &Protocol::default(), &Control::new())
                .is_ok()
        );
    }

    #[test]
    fn a_setting_that_is_given_is_fitted() {
        let problem = Problem::new(classes(120).x().clone(), classes(120).labels().clone());
        let problem = problem.expect("valid");
        assert!(check_time::<Klr>(&problem, 1).is_ok());
        let kernel = KernelChoice::default().with_bandwidths([1.0]);
        let one = Klr::new().kernel(kernel).ridges([0.1]);
        let arms = one.grid(&problem, &Protocol::default()).expect("a grid");
        assert_eq!(arms.iter().map(Vec::len).sum::<usize>(), 1);
    }
}

//! Wording that the terminal and pages share.

mod clean;
mod comparison;
mod lists;
mod model;
mod numbers;
mod options;

pub use clean::{beginning, clean, clean_lines, is_visible, width};
pub use comparison::{P_VALUES, advice, how, taken};
pub use lists::{first_of, fitting};
pub use model::{chosen, cv_error};
pub use numbers::{
    coefficient, duration_words, percent, plural, seconds, seconds_short, short, size,
};
pub use options::in_words;

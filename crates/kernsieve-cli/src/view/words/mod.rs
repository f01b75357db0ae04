//! Wording that the terminal and pages share.

mod clean;
mod comparison;
mod lists;
mod model;
mod numbers;
mod options;
mod quality;

pub use clean::{beginning, clean, clean_lines, is_visible, width};
pub use comparison::{P_VALUES, advice, how, taken};
pub use lists::{first_of, fitting};
pub use model::chosen;
pub use numbers::{
    coefficient, duration_words, percent, percent_short, plural, seconds, seconds_short, short,
    size,
};
pub use options::in_words;
pub use quality::{before_costs, beside_baseline, expected_error, log_loss_words, threshold};

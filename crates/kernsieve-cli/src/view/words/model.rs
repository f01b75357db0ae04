//! A model in words.

use super::{clean, first_of, short};
use crate::view::summary::{Setting, SettingValue, Summary};

/// Columns that a list of numbers may take.
const LIST: usize = 40;

/// The kernel and the other settings.
pub fn chosen(model: &Summary<'_>) -> String {
    let mut words = model.kernel.words.clone();
    for setting in &model.chosen {
        words.push_str(", ");
        words.push_str(&setting_words(setting));
    }
    if !model.costs_of_errors.is_empty() {
        let costs = model.classes.iter().zip(model.costs_of_errors);
        let costs: Vec<String> = costs
            .map(|(c, v)| format!("{} {}", clean(c, 24), short(*v)))
            .collect();
        words.push_str(&format!("; costs {}", first_of(&costs, costs.len(), LIST)));
    }
    words
}

fn setting_words(setting: &Setting) -> String {
    let label = setting.label;
    match &setting.value {
        SettingValue::Number(v) => format!("{label} {}", short(*v)),
        SettingValue::Numbers(values) => {
            let values: Vec<String> = values.iter().map(|v| short(*v)).collect();
            format!("{label} {}", first_of(&values, values.len(), LIST))
        }
        SettingValue::Given => label.into(),
    }
}

//! Examples under the help of every command. All of them run: see `tests/examples.rs`.

pub const MAIN: &str = "Examples:
  kernsieve demo
  kernsieve fit train.csv --target class --model model.ks
  kernsieve predict model.ks new.csv --proba --output predictions.csv
  kernsieve compare train.csv --target class --repeats 20

Colours are for terminals; NO_COLOR=1 turns them off, CLICOLOR_FORCE=1 on.

Exit status: 0 done, 1 could not be done, 2 wrong usage, 3 evaluate --fail-under
not met, 130 interrupted.";

pub const FIT: &str = "Examples:
  kernsieve fit train.csv --target class --model model.ks
  kernsieve fit train.csv --test test.csv --method smkda
  kernsieve fit train.csv --method auto --budget 60s
  kernsieve fit train.csv --like sieve.ks --max-support 20 --model small.ks
  zcat train.csv.gz | kernsieve fit - --method lda --holdout 0.33 --json";

pub const PREDICT: &str = "Examples:
  kernsieve predict model.ks new.csv
  kernsieve predict model.ks new.csv --proba --output predictions.csv
  cat new.csv | kernsieve predict model.ks - --variates";

pub const EVALUATE: &str = "Examples:
  kernsieve evaluate model.ks test.csv
  kernsieve evaluate model.ks test.csv --fail-under 0.9";

pub const UPDATE: &str = "Examples:
  kernsieve fit train.csv --method smkda --updatable --model model.ks
  kernsieve update model.ks new.csv
  kernsieve update model.ks test.csv --model newer.ks

The samples, the scaling and all settings stay those of the first fit; the
coefficients are those of a fit on all rows.";

pub const COMPARE: &str = "Examples:
  kernsieve compare train.csv --target class
  kernsieve compare train.csv --methods lda,kos,auto --repeats 20
  kernsieve compare train.csv --methods lda,kos --journal train.journal
  kernsieve compare train.csv --methods lda,kos --report compare.html

p is that of the corrected resampled t-test (Nadeau & Bengio 2003) against the
best method, adjusted for the number of methods (Holm):
t = mean(d) / sqrt((1/R + n_test/n_train) var(d)) over the R splits.";

pub const DENSITY: &str = "Examples:
  kernsieve density points.csv --model density.ks
  kernsieve density points.csv --test new_points.csv --output logs.csv
  kernsieve predict density.ks new_points.csv

The weights of the rows are those of least leave-one-out integrated squared
error; most are zero.";

pub const INSPECT: &str = "Examples:
  kernsieve inspect model.ks
  kernsieve inspect model.ks --all
  kernsieve inspect model.ks --json";

pub const REPORT: &str = "Examples:
  kernsieve report model.ks test.csv --output report.html";

pub const EXPORT: &str = "Examples:
  kernsieve export model.ks model.onnx
  kernsieve export model.ks single.onnx --precision single

Input X: rows x features (columns of text one-hot encoded, as inspect shows
them). Outputs: label, probabilities, outputs; of a density log_density.";

pub const DEMO: &str = "Examples:
  kernsieve demo
  kernsieve demo wine
  kernsieve demo iris --save .";

pub const COMPLETIONS: &str = "Examples:
  kernsieve completions bash >> ~/.bash_completion
  kernsieve completions zsh > ~/.zfunc/_kernsieve
  kernsieve completions fish > ~/.config/fish/completions/kernsieve.fish";

pub const MAN: &str = "Examples:
  kernsieve man > kernsieve.1
  kernsieve man fit > kernsieve-fit.1";

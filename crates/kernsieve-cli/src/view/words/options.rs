//! Messages of the library in the words of the command line.

use kernsieve::catalogue::CATALOGUE;
use kernsieve::params::{Kind, PROTOCOL, Param, written};

/// Options that no method has.
const OTHERS: [&str; 3] = ["criterion", "memory", "method"];

/// A message that names parameters in backticks, with the flags that set them: `` `ridge=1` ``
/// becomes `--ridge 1`. Anything that is not an option stays as it is.
pub fn in_words(text: &str) -> String {
    written(text, |id, value| {
        let Some(flag) = flag(id) else {
            return value.map_or(id.into(), |v| format!("{id} = {v}"));
        };
        value.map_or(format!("--{flag}"), |v| format!("--{flag} {v}"))
    })
}

/// The flag of a parameter.
fn flag(id: &str) -> Option<String> {
    let params = CATALOGUE
        .iter()
        .flat_map(|e| e.about.params)
        .chain(PROTOCOL);
    let is_it = |p: &&Param| p.id == id || p.singular() == Some(id);
    match params.into_iter().find(is_it).map(|p| p.kind) {
        Some(Kind::On(off)) => Some(off.into()),
        Some(_) => Some(id.replace('_', "-")),
        None => OTHERS.contains(&id).then(|| id.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_flags() {
        for (text, words) in [
            (
                "use `candidates=1000`, or `method=lda`",
                "use --candidates 1000, or --method lda",
            ),
            (
                "`max_support` and `bandwidth`",
                "--max-support and --bandwidth",
            ),
            ("`vote` was given", "--no-vote was given"),
            ("as in `kos`", "as in kos"),
        ] {
            assert_eq!(in_words(text), words);
        }
    }
}

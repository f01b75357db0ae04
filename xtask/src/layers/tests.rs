use super::*;

const ROOT: &str = "
    pub mod classes; pub mod data; pub mod error; pub mod kernel; pub mod linalg;
    pub mod method; pub mod solver;
    #[cfg(test)]
    mod testing;
    pub use data::{Dataset, Labels as Names};
    pub use error::{Error, Result};
    pub use linalg::Matrix;
";

/// Violations of a small crate whose file `solver/lasso.rs` has this text.
fn of_solver(text: &str) -> Vec<String> {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    violations(&[
        file("lib.rs", ROOT),
        file("data/mod.rs", "pub struct Dataset; pub struct Labels;"),
        file("kernel.rs", "pub fn gram() {}"),
        file("linalg.rs", "pub struct Matrix;"),
        file("classes.rs", "pub use crate::data::Labels as Hidden;"),
        file("testing.rs", "use crate::method::Problem;"),
        file(
            "solver/mod.rs",
            "pub mod lasso; pub mod ols; pub(crate) use crate as root;",
        ),
        file("solver/ols.rs", "pub fn ols() {}"),
        file("solver/lasso.rs", text),
    ])
    .into_iter()
    .filter(|w| w.starts_with("solver/lasso.rs"))
    .collect()
}

#[test]
fn solvers_cannot_reach_data_kernels_or_methods_by_any_name() {
    for text in [
        "use crate::data::Dataset;",
        "use crate::data;",
        "pub use crate::data::Dataset;",
        "use crate::{data::Dataset, linalg::Matrix};",
        "use crate::{linalg::Matrix, kernel::{gram}};",
        "use crate::{\n  linalg::{\n    Matrix,\n  },\n  data::{\n    self,\n  },\n};",
        "use crate::{self as k, linalg};\nfn f(d: &k::data::Dataset) {}",
        "use crate as k;\nfn f() { k::kernel::gram() }",
        "use crate as k;\nuse k as m;\nfn f() { m::kernel::gram() }",
        "use super::super::data;",
        "fn f(d: &super::super::data::Dataset) {}",
        "use self::super::super::{data::Dataset};",
        "use super::super as k;\nfn f(d: &k::data::Dataset) {}",
        "fn f(d: &super::root::data::Dataset) {}",
        "use super::*;\nfn f(d: &root::data::Dataset) {}",
        "mod inner { use super::super::super::data::Dataset; }",
        "fn f() { use crate::method::Problem; }",
        "fn f() -> Vec<crate::method::Problem> { vec![] }",
        "use crate::Dataset;",
        "use crate::{Dataset as D};",
        "use crate::Names;",
        "use super::super::Dataset;",
        "fn f(d: &crate::Dataset) {}",
        "use crate::classes::Hidden;",
        "use crate::data::*;",
        "use crate::*;",
        "use super::super::*;",
        "extern crate self as kernsieve;\nuse kernsieve::data::Dataset;",
        "fn f(q: &'static str, c: char) { let _ = ('\"', '\\'', \"//\"); crate::kernel::gram() }",
        "macro_rules! m { () => { $crate::data::Dataset } }",
    ] {
        assert!(!of_solver(text).is_empty(), "not refused: {text}");
    }
}

#[test]
fn what_a_solver_may_use_passes() {
    for text in [
        "use crate::linalg::{Matrix, dot};\nuse crate::classes::Classes;",
        "use crate::{error::Result, linalg::Matrix};",
        "use crate::{Error, Matrix, Result};",
        "use super::ols::ols;\nuse super::super::linalg::Matrix;",
        "use crate::solver::ols;\nfn f() { ols::ols() }",
        "use rayon::prelude::*;\nuse std::collections::HashMap;\nuse kernsieve_dense::data;",
        "fn f(data: &[f64]) -> usize { let kernel = data.len(); kernel }",
        "struct S { data: usize }\nimpl S { fn f(&self) -> usize { self.data } }",
        "// use crate::data::Dataset;\n/* crate::kernel::gram() */\n//! [`crate::data`]",
        "/// See [`crate::data::Dataset`].\nconst TEXT: &str = \"crate::data\";",
        "const TEXT: &str = r#\"use \"crate::data\";\"#;",
        "#[cfg(test)]\nmod tests;",
        "#[cfg(test)]\nmod tests {\n    use crate::data::Dataset;\n    fn f() { { } }\n}",
        "#[cfg(test)]\nuse crate::data::Dataset;\nfn f() {}",
        "pub(in crate::solver) fn f() {}\npub(crate) fn g() {}",
    ] {
        assert_eq!(of_solver(text), [""; 0], "{text}");
    }
}

#[test]
fn code_after_a_test_module_is_checked() {
    let text = "#[cfg(test)]\nmod tests { fn f() {} }\n\nuse crate::data::Dataset;";
    assert_eq!(
        of_solver(text),
        ["solver/lasso.rs:4: solver may not use data"]
    );
}

#[test]
fn test_modules_in_files_of_their_own_are_exempt_and_no_others() {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    let with = |declaration: &str| {
        violations(&[
            file("lib.rs", ROOT),
            file("solver/mod.rs", declaration),
            file("solver/tests.rs", "mod more; use crate::data::Dataset;"),
            file("solver/tests/more.rs", "use crate::kernel::gram;"),
        ])
    };
    assert_eq!(with("#[cfg(test)]\nmod tests;"), [""; 0]);
    assert_eq!(
        with("mod tests;"),
        [
            "solver/tests.rs:1: solver may not use data",
            "solver/tests/more.rs:1: solver may not use kernel"
        ]
    );
}

#[test]
fn lines_are_those_of_the_names() {
    let text = "//! Text.\n\nuse crate::{\n    linalg::Matrix,\n    data::Dataset,\n};\n";
    assert_eq!(
        of_solver(text),
        ["solver/lasso.rs:5: solver may not use data"]
    );
}

#[test]
fn a_new_room_has_to_be_listed() {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    let wrong = violations(&[
        file("lib.rs", "pub mod attic;"),
        file("attic/mod.rs", "pub fn f() {}"),
    ]);
    assert_eq!(wrong, ["attic/mod.rs:1: room 'attic' is not in the list"]);
}

#[test]
fn the_list_has_no_circles() {
    let position = |name: &str| ROOMS.iter().position(|(r, _)| *r == name);
    for (room, allowed) in ROOMS {
        for a in allowed.split_whitespace() {
            assert!(
                position(a).is_some() && position(a) < position(room),
                "{room} -> {a}"
            );
        }
    }
}

#[test]
fn solvers_know_neither_data_nor_kernels_nor_methods() {
    let (_, allowed) = ROOMS.iter().find(|(r, _)| *r == "solver").expect("listed");
    assert_eq!(*allowed, "classes linalg");
}

#[test]
fn the_workspace_keeps_to_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("workspace");
    assert_eq!(check(root), Ok(()));
}

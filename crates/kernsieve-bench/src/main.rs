//! A worker for `benchmarks/peers`. It loads matrices once, then runs one task per line of standard
//! input and answers with the seconds that it took. So it and a peer can be timed in turn within
//! one run.
//!
//! ```text
//! kernsieve-bench gram X N D BANDWIDTH OUT
//! kernsieve-bench predict X N D SUPPORT S COEF OFFSET BANDWIDTH OUT
//! kernsieve-bench ols X N D BANDWIDTH Y C STEPS OUT
//! kernsieve-bench sparse-kos X N D CODES OUT
//! kernsieve-bench klr X N D CODES BANDWIDTH RIDGE OUT
//! kernsieve-bench fivm X N D CODES BANDWIDTH RIDGE FEATURES OUT
//! kernsieve-bench train X N D CODES METHOD BANDWIDTH RIDGE OUT
//! kernsieve-bench posterior X N D CODES METHOD BANDWIDTH RIDGE OUT
//! kernsieve-bench l2qp X N D CODES NEW M FROM,TO,POINTS OUT
//! kernsieve-bench lasso X N D TARGETS C LARGEST STEPS GAP OUT
//! ```
//! `X`, `SUPPORT` and `COEF` are files of little-endian doubles, row by row. A line `T` on standard
//! input runs the task on `T` threads; the first result is written to `OUT`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use kernsieve::data::{Dataset, Labels, Schema};
use kernsieve::expansion::{KernelExpansion, Output};
use kernsieve::kernel::{Kernel, gram, log_grid};
use kernsieve::linalg::{Matrix, center_columns, matmul, symmetric_product};
use kernsieve::method::fivm::{FivmSetting, Stopping};
use kernsieve::method::{Problem, Ridged};
use kernsieve::params::Params;
use kernsieve::solver::coordinate_descent::Penalty;
use kernsieve::solver::lasso::{Design, Stop, path};
use kernsieve::solver::ols::forward_selection;
use kernsieve::{
    Control, Fivm, KernelChoice, Klr, L2qp, Method, Protocol, SparseKos, Train, catalogue,
};
use std::io::BufRead;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("kernsieve-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(a: &[String]) -> Result<(), String> {
    let word = |i: usize| a.get(i).map(String::as_str).ok_or("too few arguments");
    let count = |i: usize| word(i)?.parse::<usize>().map_err(|e| e.to_string());
    let real = |i: usize| word(i)?.parse::<f64>().map_err(|e| e.to_string());
    let (n, d) = (count(2)?, count(3)?);
    let x = matrix(word(1)?, n, d)?;
    match word(0)? {
        "gram" => {
            let kernel = Kernel::Gaussian {
                bandwidth: real(4)?,
            };
            serve(word(5)?, || gram(&kernel, &x))
        }
        "predict" => {
            let s = count(5)?;
            let support = matrix(word(4)?, s, d)?;
            let output = Output::Linear {
                coef: matrix(word(6)?, s, 1)?,
                offset: vec![real(7)?],
            };
            let kernel = Kernel::Gaussian {
                bandwidth: real(8)?,
            };
            let expansion = KernelExpansion::new(kernel, vec![1.0; d], &support, output);
            serve(word(9)?, || expansion.evaluate(&x))
        }
        "ols" => {
            let k = gram(
                &Kernel::Gaussian {
                    bandwidth: real(4)?,
                },
                &x,
            );
            let (c, steps) = (count(6)?, count(7)?);
            let mut y = matrix(word(5)?, n, c)?;
            center_columns(&mut y);
            serve(word(8)?, || {
                let mut p = k.clone();
                center_columns(&mut p);
                let products = matmul(p.view().t(), y.view());
                let normal = symmetric_product(p.view().t());
                let mut order = Vec::with_capacity(steps);
                forward_selection(normal, products, steps, |s| {
                    order.push(s.candidate as f64);
                    true
                });
                let taken = order.len();
                Matrix::from_vec(order, taken, 1)
            })
        }
        "sparse-kos" => {
            // The whole tuning: 5 bandwidths, 20 penalties, 5 folds, and the final path. The result
            // holds the weights.
            let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
            let data = Dataset::new(x, labels(word(4)?, n)?, names).map_err(|e| e.to_string())?;
            let protocol = Protocol::default().calibrate(false);
            let run = || SparseKos::new().train(&data, &protocol, &Control::new());
            serve(word(5)?, || {
                run().map_or(Matrix::zeros(0, 0), |t| {
                    Matrix::from_vec(t.model.expansion.feature_weights, d, 1)
                })
            })
        }
        "train" | "posterior" => {
            // One training with all parameters given, or the probabilities that its model gives to
            // the same rows.
            let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
            let schema = Schema::numeric(&names);
            let data = Dataset::new(x, labels(word(4)?, n)?, names).map_err(|e| e.to_string())?;
            let given = Params::from_iter([
                ("bandwidth".to_string(), real(6)?.into()),
                ("ridge".to_string(), real(7)?.into()),
            ]);
            let method = catalogue::find(word(5)?).and_then(|e| e.make(&given));
            let method = method.map_err(|e| e.to_string())?;
            let protocol = Protocol::default().estimate(false);
            let run = || method.train(&data, &schema, &protocol, &Control::new());
            let model = run().map_err(|e| e.to_string())?.model;
            let answer = model.predict(data.x()).posterior;
            if word(0)? == "posterior" {
                return serve(word(8)?, || model.predict(data.x()).posterior);
            }
            serve(word(8)?, || {
                run().map_or(Matrix::zeros(0, 0), |trained| {
                    std::hint::black_box(trained);
                    answer.clone()
                })
            })
        }
        "klr" => {
            let problem = Problem::new(x, labels(word(4)?, n)?).map_err(|e| e.to_string())?;
            let kernel = Kernel::Gaussian {
                bandwidth: real(5)?,
            };
            let setting = Ridged {
                kernel,
                ridge: real(6)?,
            };
            serve(word(7)?, || match Klr::new().fit(&problem, &setting) {
                Ok(fit) => fit.decision.posterior(&fit.outputs(&problem.x)),
                Err(_) => Matrix::zeros(0, 0),
            })
        }
        "fivm" => {
            let problem = Problem::new(x, labels(word(4)?, n)?).map_err(|e| e.to_string())?;
            let kernel = Kernel::Gaussian {
                bandwidth: real(5)?,
            };
            let setting = FivmSetting {
                kernel,
                ridge: real(6)?,
                n_features: None,
            };
            let fivm = Fivm::new().stop(Stopping::None).max_features(count(7)?);
            serve(word(8)?, || match fivm.fit(&problem, &setting) {
                Ok(fit) => {
                    let order: Vec<f64> = fit.report.imported.iter().map(|&j| j as f64).collect();
                    Matrix::from_vec(order, fit.report.imported.len(), 1)
                }
                Err(_) => Matrix::zeros(0, 0),
            })
        }
        "l2qp" => {
            // Tuning where there is more than one bandwidth, training, and the probabilities of new
            // rows.
            let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
            let new = matrix(word(5)?, count(6)?, d)?;
            let grid: Vec<f64> = word(7)?.split(',').filter_map(|v| v.parse().ok()).collect();
            let [from, to, points] = grid[..] else {
                return Err("bandwidths are FROM,TO,POINTS".into());
            };
            let data = Dataset::new(x, labels(word(4)?, n)?, names).map_err(|e| e.to_string())?;
            let widths = log_grid(from, to, points as usize);
            let l2qp = L2qp::new()
                .kernel(KernelChoice::default().with_bandwidths(widths))
                .balances([1.0]);
            let protocol = Protocol::default().estimate(false);
            let run = || l2qp.train(&data, &protocol, &Control::new());
            serve(word(8)?, || {
                run().map_or(Matrix::zeros(0, 0), |t| t.model.predict(&new).posterior)
            })
        }
        "lasso" => {
            // All targets along penalties that halve; the result is targets x penalties x features.
            let targets = matrix(word(4)?, n, count(5)?)?;
            let (top, steps) = (real(6)?, count(7)?);
            let stop = Stop {
                gap: real(8)?,
                explained: -1.0,
                ..Stop::FOLD
            };
            let penalties: Vec<Penalty> = (0..steps)
                .map(|k| Penalty::mixed(top * 0.5f64.powi(k as i32), 1.0))
                .collect();
            serve(word(9)?, || {
                let solutions = path(&Design::new(&x), &targets, &penalties, stop);
                let mut coef = Matrix::zeros(targets.cols() * steps, d);
                for (row, s) in solutions.iter().flatten().enumerate() {
                    s.support
                        .iter()
                        .zip(&s.coef)
                        .for_each(|(&j, &w)| coef[(row, j)] = w);
                }
                coef
            })
        }
        other => Err(format!("unknown task '{other}'")),
    }
}

/// Classes 0, 1, ... from a file of doubles.
fn labels(path: &str, n: usize) -> Result<Labels, String> {
    let codes: Vec<usize> = matrix(path, n, 1)?
        .as_slice()
        .iter()
        .map(|v| *v as usize)
        .collect();
    let classes = (0..=codes.iter().copied().max().unwrap_or(0)).map(|c| c.to_string());
    Labels::from_codes(codes, classes.collect()).map_err(|e| e.to_string())
}

fn serve(out: &str, task: impl Fn() -> Matrix + Sync) -> Result<(), String> {
    let mut written = false;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let threads: usize = line
            .trim()
            .parse()
            .map_err(|_| format!("'{line}' is not a number of threads"))?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| e.to_string())?;
        let (seconds, result) = pool.install(|| {
            let started = Instant::now();
            let result = task();
            (started.elapsed().as_secs_f64(), result)
        });
        if !written {
            let bytes: Vec<u8> = result
                .as_slice()
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect();
            std::fs::write(out, bytes).map_err(|e| format!("{out}: {e}"))?;
            written = true;
        }
        println!("{seconds}");
    }
    Ok(())
}

fn matrix(path: &str, rows: usize, cols: usize) -> Result<Matrix, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    if bytes.len() != 8 * rows * cols {
        return Err(format!(
            "{path}: {} bytes for {rows} x {cols} doubles",
            bytes.len()
        ));
    }
    let values = bytes
        .chunks_exact(8)
        .map(|c| {
            let mut word = [0; 8];
            word.copy_from_slice(c);
            f64::from_le_bytes(word)
        })
        .collect();
    Ok(Matrix::from_vec(values, rows, cols))
}

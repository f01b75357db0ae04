use super::*;
use crate::data::Rng;

fn random(rows: usize, cols: usize, seed: u64, shift: f64) -> Matrix {
    let mut rng = Rng::new(seed);
    Matrix::from_fn(rows, cols, |_, _| shift + rng.normal())
}

fn value(kernel: &Kernel, a: &[f64], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
    let d2: f64 = a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum();
    let d1: f64 = a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum();
    match *kernel {
        Kernel::Linear => dot,
        Kernel::Gaussian { bandwidth: b } => (-d2 / (2.0 * b * b)).exp(),
        Kernel::Polynomial { degree } => (1.0 + dot).powi(degree as i32),
        Kernel::Sigmoid { slope, shift } => (slope * dot + shift).tanh(),
        Kernel::Laplacian { bandwidth } => (-d1 / bandwidth).exp(),
        Kernel::RadialLaplacian { bandwidth } => (-d2.sqrt() / bandwidth).exp(),
        Kernel::Cauchy {
            bandwidth: b,
            dimension,
        } => (1.0 + d2 / (b * b)).powf(-(1.0 + dimension as f64) / 2.0),
    }
}

pub fn kernels(p: usize) -> [Kernel; 7] {
    [
        Kernel::Linear,
        Kernel::Gaussian { bandwidth: 1.3 },
        Kernel::Polynomial { degree: 3 },
        Kernel::Sigmoid {
            slope: 0.2,
            shift: 0.1,
        },
        Kernel::Laplacian { bandwidth: 2.0 },
        Kernel::RadialLaplacian { bandwidth: 2.0 },
        Kernel::Cauchy {
            bandwidth: 1.5,
            dimension: p,
        },
    ]
}

#[test]
fn every_kernel_matches_its_definition() {
    for (n, m, p) in [(1, 1, 1), (3, 5, 2), (130, 70, 9), (65, 600, 17)] {
        let (a, b) = (random(n, p, 1, 0.0), random(m, p, 2, 0.0));
        for k in kernels(p) {
            let c = cross_gram(&k, &a, &b);
            let g = gram(&k, &b);
            let again = gram_from_base(&k, &symmetric_base(k.family(), &b));
            for j in 0..m {
                for i in 0..n {
                    let v = value(&k, a.row(i), b.row(j));
                    assert!(
                        (c[(i, j)] - v).abs() <= 1e-12 * (1.0 + v.abs()),
                        "{k:?} {} {v}",
                        c[(i, j)]
                    );
                }
                for i in 0..m {
                    let v = value(&k, b.row(i), b.row(j));
                    assert!(
                        (g[(i, j)] - v).abs() <= 1e-12 * (1.0 + v.abs()),
                        "{k:?} {} {v}",
                        g[(i, j)]
                    );
                    assert_eq!(g[(i, j)], again[(i, j)]);
                    assert_eq!(g[(i, j)], g[(j, i)]);
                }
            }
        }
    }
}

#[test]
fn data_far_from_the_origin_lose_no_digits() {
    let k = Kernel::Gaussian { bandwidth: 1.0 };
    let near = random(40, 5, 3, 0.0);
    let far = Matrix::from_fn(40, 5, |i, j| near[(i, j)] + 1e6);
    // Differences of the shifted rows carry the rounding of 1e6, about 1e-10 each: nothing more
    // may be lost.
    let (a, b) = (gram(&k, &near), gram(&k, &far));
    for (x, y) in a.as_slice().iter().zip(b.as_slice()) {
        assert!((x - y).abs() < 1e-8);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let x = random(300, 11, 4, 0.0);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("pool");
        pool.install(|| gram(&Kernel::Gaussian { bandwidth: 2.0 }, &x))
    };
    assert_eq!(run(1), run(3));
}

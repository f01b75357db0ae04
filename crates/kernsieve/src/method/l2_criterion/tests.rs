//! Tests of the criterion.

use super::*;
use crate::kernel::symmetric_base;
use crate::testing::random;

#[test]
fn in_memory_or_on_demand_the_solution_is_the_same() {
    let (n, d) = (90, 3);
    let x = random(n, d, 4);
    let codes: Vec<usize> = (0..n).map(|i| i % 3).collect();
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 2) as f64).collect();
    let classes = Classes::new(&codes, Some(&weights), 3);
    let contrast = Contrast {
        positive: (0..n).filter(|i| i % 3 == 0).collect(),
        negative: (0..n).filter(|i| i % 3 != 0).collect(),
        gamma: 1.7,
        ratios: vec![1.0; 3],
    };
    let gaussian = |bandwidth| Kernel::Gaussian { bandwidth };
    let laplacian = Kernel::Laplacian { bandwidth: 0.8 };
    let radial = Kernel::RadialLaplacian { bandwidth: 0.4 };
    let cauchy = Kernel::Cauchy {
        bandwidth: 0.5,
        dimension: d,
    };
    for kernels in [
        vec![gaussian(0.5); 3],
        vec![gaussian(0.5), gaussian(0.3), gaussian(0.9)],
        vec![laplacian; 3],
        vec![radial; 3],
        vec![cauchy; 3],
    ] {
        let base = symmetric_base(kernels[0].family(), &x);
        let solve = |held: Option<&Matrix>| {
            let distances = Distances::new(held, kernels[0].family(), &x);
            let mut terms = Terms::new(&kernels, 0.0, d, &x, &classes, distances, row_cache(n))
                .expect("densities");
            contrast.minimise(&mut terms, 1.0, false, 1e-10, &[])
        };
        let (a, b) = (solve(Some(&base)), solve(None));
        let ((a, log), (b, other)) = ((a.solution, a.log_scale), (b.solution, b.log_scale));
        assert!(a.converged && b.converged && (log - other).abs() < 1e-12);
        assert!((a.objective - b.objective).abs() < 1e-10 * a.objective.abs());
        let largest = a.weights.iter().zip(&b.weights).map(|(u, v)| (u - v).abs());
        assert!(largest.fold(0.0, f64::max) < 1e-7, "{:?}", kernels[0]);
    }
}

use super::*;
use crate::kernel::{Kernel, gram};
use crate::linalg::{Matrix, dot};
use crate::testing::random;
use proptest::prelude::*;

struct Program {
    gram: Matrix,
    linear: Vec<f64>,
    groups: Vec<Group>,
}

/// Rows in two groups, some of them copies of others.
fn program(n: usize, gamma: f64, width: f64, seed: u64) -> Program {
    let mut x = random(n, 2, seed);
    for i in (4..n).step_by(5) {
        let copy = x.row(i - 3).to_vec();
        x.row_mut(i).copy_from_slice(&copy);
    }
    let groups = vec![
        Group {
            members: (0..n).filter(|i| i % 3 == 0).collect(),
            sign: 1.0,
        },
        Group {
            members: (0..n).filter(|i| i % 3 != 0).collect(),
            sign: -gamma,
        },
    ];
    Program {
        gram: gram(&Kernel::Gaussian { bandwidth: width }, &x),
        linear: random(n, 1, seed + 1).into_vec(),
        groups,
    }
}

impl Program {
    fn solve(&self, start: Option<&[f64]>, relaxed: bool) -> Solution {
        let mut rows = Whole {
            gram: self.gram.as_slice(),
            size: self.gram.rows(),
        };
        minimise(&mut rows, &self.linear, &self.groups, start, relaxed, 1e-10)
    }

    fn slopes(&self, a: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; a.len()];
        self.groups
            .iter()
            .for_each(|g| g.members.iter().for_each(|&i| y[i] = g.sign));
        let signed: Vec<f64> = a.iter().zip(&y).map(|(a, y)| a * y).collect();
        let rows = self.gram.iter_rows().zip(&y).zip(&self.linear);
        rows.map(|((row, y), c)| y * dot(row, &signed) - c)
            .collect()
    }

    fn objective(&self, a: &[f64]) -> f64 {
        let slopes = self.slopes(a);
        (0..a.len())
            .map(|i| 0.5 * a[i] * (slopes[i] - self.linear[i]))
            .sum()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn the_conditions_of_a_minimum_hold(
        n in 6usize..60, gamma in 0.2f64..4.0, width in 0.2f64..3.0, seed in 0u64..1000,
    ) {
        let p = program(n, gamma, width, seed);
        let s = p.solve(None, false);
        prop_assert!(s.converged && (s.objective - p.objective(&s.weights)).abs() < 1e-9);
        let slopes = p.slopes(&s.weights);
        for g in &p.groups {
            let sum: f64 = g.members.iter().map(|&i| s.weights[i]).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            let least = g.members.iter().map(|&i| slopes[i]).fold(f64::INFINITY, f64::min);
            for &i in &g.members {
                prop_assert!(s.weights[i] >= 0.0);
                prop_assert!(s.weights[i] == 0.0 || slopes[i] - least < 1e-8);
            }
        }
        // From anywhere the same minimum.
        let mut start = vec![0.0; n];
        for g in &p.groups {
            g.members.iter().for_each(|&i| start[i] = 1.0 / g.members.len() as f64);
        }
        let warm = p.solve(Some(&start), false);
        prop_assert!((warm.objective - s.objective).abs() < 1e-9);
        // The relaxed set holds the other one, and its sums are tied to each other.
        let relaxed = p.solve(None, true);
        prop_assert!(relaxed.converged && relaxed.objective <= s.objective + 1e-9);
        let sum = |g: &Group| g.members.iter().map(|&i| relaxed.weights[i]).sum::<f64>();
        let sums: Vec<f64> = p.groups.iter().map(sum).collect();
        let tied = (1.0 - sums[0]) - gamma * (1.0 - sums[1]);
        prop_assert!(tied.abs() < 1e-9 && sums[0] < 1.0 + 1e-9, "{sums:?}");
    }

    #[test]
    fn nothing_in_the_set_is_better(n in 6usize..25, gamma in 0.2f64..4.0, seed in 0u64..200) {
        let p = program(n, gamma, 0.8, seed);
        let (plain, relaxed) = (p.solve(None, false), p.solve(None, true));
        let mut rng = crate::data::Rng::new(seed);
        for _ in 0..200 {
            // Random points of both sets, some of them near the solution.
            let near = rng.uniform();
            let mut a = vec![0.0; n];
            for g in &p.groups {
                let raw: Vec<f64> = g.members.iter().map(|_| -rng.uniform().ln()).collect();
                let total: f64 = raw.iter().sum();
                for (&i, r) in g.members.iter().zip(&raw) {
                    a[i] = near * r / total + (1.0 - near) * plain.weights[i];
                }
            }
            prop_assert!(p.objective(&a) >= plain.objective - 1e-9);
            let (t, most) = (rng.uniform(), 1f64.min(gamma));
            for (g, share) in p.groups.iter().zip([t * most, t * most / gamma]) {
                g.members.iter().for_each(|&i| a[i] *= 1.0 - share);
            }
            prop_assert!(p.objective(&a) >= relaxed.objective - 1e-9);
        }
    }
}

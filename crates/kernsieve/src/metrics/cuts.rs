//! Two classes told apart by a threshold on the probability of one of them: receiver operating
//! characteristic, precision and recall, and the areas below these curves.

/// What a threshold does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Rows with at least this probability are called positive.
    pub threshold: f64,
    /// Weight of the positive rows that are.
    pub hits: f64,
    /// Weight of the other rows that are.
    pub alarms: f64,
    /// The lowest probability that is.
    lowest: f64,
}

/// All thresholds that differ in what they do, the highest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts {
    /// The thresholds. Each lies half-way between two probabilities that occur, so that small changes
    /// of these do not matter.
    pub cuts: Vec<Cut>,
    /// Weight of the positive rows.
    pub positives: f64,
    /// Weight of the others.
    pub negatives: f64,
}

impl Cuts {
    /// Of these rows: the probability of being positive, whether it is, and its weight.
    pub fn new(rows: impl Iterator<Item = (f64, bool, f64)>) -> Self {
        let mut rows: Vec<(f64, bool, f64)> = rows.filter(|(p, _, _)| !p.is_nan()).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let weight = |positive: bool| {
            let own = rows.iter().filter(move |r| r.1 == positive);
            own.map(|r| r.2).sum::<f64>()
        };
        let (positives, negatives) = (weight(true), weight(false));
        let mut cuts: Vec<Cut> = Vec::new();
        let (mut hits, mut alarms) = (0.0, 0.0);
        for (i, &(p, positive, w)) in rows.iter().enumerate() {
            if positive {
                hits += w;
            } else {
                alarms += w;
            }
            let next = rows.get(i + 1).map(|r| r.0);
            if next == Some(p) {
                continue;
            }
            cuts.push(Cut {
                threshold: next.map_or(p, |q| between(q, p)),
                hits,
                alarms,
                lowest: p,
            });
        }
        Self {
            cuts,
            positives,
            negatives,
        }
    }

    /// Area below the receiver operating characteristic: the probability that a positive row has a
    /// higher score than another one, ties counted half. `None` if there is only one kind.
    pub fn auc(&self) -> Option<f64> {
        let whole = self.positives * self.negatives;
        if whole <= 0.0 {
            return None;
        }
        let (mut area, mut last) = (0.0, (0.0, 0.0));
        for c in &self.cuts {
            area += (c.alarms - last.1) * 0.5 * (c.hits + last.0);
            last = (c.hits, c.alarms);
        }
        Some((area / whole).clamp(0.0, 1.0))
    }

    /// Average precision, `sum_k (recall_k - recall_k-1) precision_k`: the area below the steps of
    /// precision against recall. `None` without positive rows.
    pub fn average_precision(&self) -> Option<f64> {
        if self.positives <= 0.0 {
            return None;
        }
        let (mut area, mut last) = (0.0, 0.0);
        for c in &self.cuts {
            area += (c.hits - last) * self.precision(c);
            last = c.hits;
        }
        Some(area / self.positives)
    }

    /// Share of the positive rows that are called so.
    pub fn recall(&self, cut: &Cut) -> f64 {
        cut.hits / self.positives.max(f64::MIN_POSITIVE)
    }

    /// Share of the rows called positive that are; 1 if there are none.
    pub fn precision(&self, cut: &Cut) -> f64 {
        match cut.hits + cut.alarms {
            0.0 => 1.0,
            called => cut.hits / called,
        }
    }

    /// Share of the other rows that are called positive.
    pub fn false_alarms(&self, cut: &Cut) -> f64 {
        cut.alarms / self.negatives.max(f64::MIN_POSITIVE)
    }

    /// `2 precision recall / (precision + recall)`.
    pub fn f1(&self, cut: &Cut) -> f64 {
        2.0 * cut.hits / (cut.hits + cut.alarms + self.positives).max(f64::MIN_POSITIVE)
    }

    /// The cut of the largest value, the highest threshold of equal ones.
    pub fn best(&self, value: impl Fn(&Cut) -> f64) -> Option<Cut> {
        let mut best: Option<(Cut, f64)> = None;
        for cut in &self.cuts {
            let v = value(cut);
            if best.is_none_or(|(_, b)| v > b) {
                best = Some((*cut, v));
            }
        }
        best.map(|(cut, _)| cut)
    }

    /// The middle, in log odds, of the thresholds whose value is not below the largest by more than
    /// a slack: the largest itself is that of a few lucky rows.
    pub fn about_best(
        &self,
        value: impl Fn(&Cut) -> f64,
        slack: impl Fn(f64) -> f64,
    ) -> Option<Cut> {
        let largest = value(&self.best(&value)?);
        let mark = largest - slack(largest);
        let mut good = self.cuts.iter().filter(|c| value(c) >= mark);
        let high = good.next()?;
        let low = good.next_back().unwrap_or(high);
        let odds = |c: &Cut| {
            let p = c.threshold.clamp(1e-12, 1.0 - 1e-12);
            (p / (1.0 - p)).ln()
        };
        let middle = 0.5 * (odds(high) + odds(low));
        Some(self.at(1.0 / (1.0 + (-middle).exp())))
    }

    /// What a threshold does that need not be one of the cuts.
    pub fn at(&self, threshold: f64) -> Cut {
        let above = self.cuts.iter().rfind(|c| c.lowest >= threshold);
        let nothing = Cut {
            threshold,
            hits: 0.0,
            alarms: 0.0,
            lowest: f64::INFINITY,
        };
        Cut {
            threshold,
            ..above.copied().unwrap_or(nothing)
        }
    }
}

/// A number above `low` and at most `high`, half-way if that is possible.
fn between(low: f64, high: f64) -> f64 {
    let middle = low + 0.5 * (high - low);
    if middle > low { middle } else { high }
}

/// Area below the receiver operating characteristic of some rows ([`Cuts::auc`]).
pub fn auc(rows: impl Iterator<Item = (f64, bool, f64)>) -> Option<f64> {
    Cuts::new(rows).auc()
}

/// The mean over classes of the area for the class against the rest; for two classes the area
/// itself. Classes without rows, or with all of them, are left out.
pub fn macro_auc<'a>(
    probabilities: impl Iterator<Item = &'a [f64]> + Clone,
    truth: &[usize],
    weights: Option<&[f64]>,
    n_classes: usize,
) -> Option<f64> {
    mean_auc(n_classes, |class: usize| {
        let rows = probabilities.clone().zip(truth).enumerate();
        auc(rows.map(|(i, (p, &t))| (p[class], t == class, weights.map_or(1.0, |w| w[i]))))
    })
}

/// The mean over classes of the area for each, where it has one; for two classes that of the second.
pub fn mean_auc(n_classes: usize, of: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    if n_classes == 2 {
        return of(1);
    }
    let areas: Vec<f64> = (0..n_classes).filter_map(of).collect();
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<(f64, bool, f64)> {
        let p = [0.9, 0.8, 0.8, 0.6, 0.5, 0.5, 0.5, 0.2, 0.1, 0.1];
        let y = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0];
        p.iter().zip(y).map(|(&p, y)| (p, y == 1, 1.0)).collect()
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        let all = rows();
        let pairs = all.iter().filter(|r| r.1).flat_map(|a| {
            let others = all.iter().filter(|r| !r.1);
            others.map(move |b| match a.0.total_cmp(&b.0) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
        });
        let pairs: Vec<f64> = pairs.collect();
        let by_hand = pairs.iter().sum::<f64>() / pairs.len() as f64;
        let area = auc(all.iter().copied()).expect("both kinds");
        assert!((area - by_hand).abs() < 1e-15);
        // Reversed scores have the complement; a weight of two is a copy.
        let reversed = auc(all.iter().map(|&(p, y, w)| (1.0 - p, y, w))).expect("both");
        assert!((area + reversed - 1.0).abs() < 1e-15);
        let heavy = auc(all.iter().map(|&(p, y, w)| (p, y, 2.0 * w))).expect("both");
        assert!((area - heavy).abs() < 1e-15);
        assert_eq!(auc(all.iter().map(|&(p, _, w)| (p, true, w))), None);
    }

    #[test]
    fn every_cut_does_what_its_threshold_does() {
        let all = rows();
        let cuts = Cuts::new(all.iter().copied());
        for cut in &cuts.cuts {
            let called = all.iter().filter(|r| r.0 >= cut.threshold);
            let hits = called.clone().filter(|r| r.1).count() as f64;
            assert_eq!((cut.hits, cut.alarms), (hits, called.count() as f64 - hits));
            assert_eq!(cuts.at(cut.threshold), *cut);
        }
        let between = cuts.at(0.85);
        assert_eq!((between.hits, between.alarms), (1.0, 0.0));
        assert_eq!(cuts.at(0.95).hits, 0.0);
        assert!(
            cuts.cuts
                .windows(2)
                .all(|w| w[0].threshold > w[1].threshold)
        );
        // Steps of recall times precision, by hand: at 0.9, 0.8, 0.6, 0.5, 0.2, 0.1.
        let ap = (1.0 + 2.0 / 3.0 + 3.0 / 4.0 + 4.0 / 7.0 + 0.0 + 5.0 / 10.0) / 5.0;
        assert!((cuts.average_precision().expect("some") - ap).abs() < 1e-15);
        let best = cuts.best(|c| cuts.f1(c)).expect("some");
        let f1 = |c: &Cut| {
            let (p, r) = (cuts.precision(c), cuts.recall(c));
            2.0 * p * r / (p + r)
        };
        assert!(cuts.cuts.iter().all(|c| f1(c) <= f1(&best) + 1e-15));
    }

    #[test]
    fn a_threshold_lies_amid_those_that_are_about_as_good() {
        let cuts = Cuts::new(rows().into_iter());
        let informed = |c: &Cut| cuts.recall(c) - cuts.false_alarms(c);
        let best = cuts.best(informed).expect("some");
        let own = cuts.about_best(informed, |_| 0.0).expect("some");
        assert!((own.threshold - best.threshold).abs() < 1e-12);
        assert_eq!((own.hits, own.alarms), (best.hits, best.alarms));
        // All of them: half-way between the ends in log odds.
        let odds = |c: &Cut| (c.threshold / (1.0 - c.threshold)).ln();
        let all = cuts.about_best(informed, |_| 1.0).expect("some");
        let ends = odds(&cuts.cuts[0]) + odds(&cuts.cuts[cuts.cuts.len() - 1]);
        assert!((odds(&all) - 0.5 * ends).abs() < 1e-12);
        assert_eq!(all, cuts.at(all.threshold));
    }

    #[test]
    fn many_classes_have_the_mean_area() {
        let p = [
            [0.7, 0.2, 0.1],
            [0.1, 0.5, 0.4],
            [0.2, 0.5, 0.3],
            [0.3, 0.1, 0.6],
        ];
        let truth = [0, 1, 2, 2];
        let rows = || p.iter().map(|r| r.as_slice());
        let of = |c: usize| auc(rows().zip(truth).map(|(r, t)| (r[c], t == c, 1.0)));
        let mean = (0..3).filter_map(of).sum::<f64>() / 3.0;
        assert!((macro_auc(rows(), &truth, None, 3).expect("some") - mean).abs() < 1e-15);
    }
}

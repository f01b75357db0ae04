//! From the columns of a table to the scaled features that tasks sum over.

use super::bytes::{Kind, Reader, Writer, require_fit};
use super::task::{BLOCK, Block, Part, Task};
use crate::data::{Curve, NormalScores, Scaling, Schema};
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// How rows become features, and features the units of a kernel: what whoever holds rows needs to
/// know beside the task.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Features of columns.
    pub schema: Schema,
    /// Scaling of features.
    pub scaling: Scaling,
    /// Number of classes.
    pub n_classes: usize,
}

impl Frame {
    /// The sums of a task over no rows.
    pub fn part(&self, task: &Task) -> Result<Part> {
        let p = self.scaling.mean.len();
        task.check(p, self.n_classes)?;
        Ok(task.part(p, self.n_classes))
    }

    /// Adds rows to the sums of a task: features (not scaled), classes and weights. Blocks are taken
    /// piece by piece, so that memory does not depend on their size.
    pub fn update(
        &self,
        task: &Task,
        part: &mut Part,
        x: &Matrix,
        codes: &[usize],
        weights: Option<&[f64]>,
    ) -> Result<()> {
        require_fit(x.cols() == self.scaling.mean.len() && x.rows() == codes.len())?;
        require_fit(weights.is_none_or(|w| w.len() == codes.len()))?;
        require_fit(codes.iter().all(|c| *c < self.n_classes))?;
        for start in (0..x.rows()).step_by(BLOCK) {
            let end = (start + BLOCK).min(x.rows());
            let rows: Vec<usize> = (start..end).collect();
            let block = Block {
                x: self.scaling.apply(x, &rows),
                codes: codes[start..end].to_vec(),
                weights: weights.map(|w| w[start..end].to_vec()),
            };
            task.update(part, &block)?;
        }
        Ok(())
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new(Kind::Frame);
        out.text(&serde_json::to_string(&self.schema).unwrap_or_default());
        out.numbers(&self.scaling.mean);
        out.numbers(&self.scaling.scale);
        let active = self.scaling.active.iter().map(|&a| f64::from(a));
        out.numbers(&active.collect::<Vec<_>>());
        write_scores(&mut out, self.scaling.scores.as_ref());
        out.count(self.n_classes as u64);
        out.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut input = Reader::open(bytes, Kind::Frame)?;
        let schema: Schema = serde_json::from_str(input.text()?)
            .map_err(|_| Error::Part("the schema cannot be read".into()))?;
        let (mean, scale, active) = (input.numbers()?, input.numbers()?, input.numbers()?);
        let scores = read_scores(&mut input)?;
        let n_classes = input.count()? as usize;
        input.end()?;
        let p = mean.len();
        require_fit(scale.len() == p && active.len() == p && schema.n_features() == p)?;
        require_fit(scores.as_ref().is_none_or(|s| s.curves.len() == p))?;
        require_fit(n_classes >= 2)?;
        Ok(Self {
            schema,
            scaling: Scaling {
                mean,
                scale,
                active: active.iter().map(|a| *a != 0.0).collect(),
                scores,
            },
            n_classes,
        })
    }
}

/// Writes normal scores, or that there are none.
pub(super) fn write_scores(out: &mut Writer, scores: Option<&NormalScores>) {
    let curves = scores.map_or(&[][..], |s| &s.curves);
    out.count(curves.len() as u64);
    for curve in curves {
        out.numbers(&curve.knots);
        out.numbers(&curve.scores);
    }
}

/// Reads what [`write_scores`] wrote.
pub(super) fn read_scores(input: &mut Reader<'_>) -> Result<Option<NormalScores>> {
    let n = input.length(16)?;
    let curve = |_| -> Result<Curve> {
        Ok(Curve {
            knots: input.numbers()?,
            scores: input.numbers()?,
        })
    };
    let curves: Vec<Curve> = (0..n).map(curve).collect::<Result<_>>()?;
    let scores = (!curves.is_empty()).then_some(NormalScores { curves });
    require_fit(scores.as_ref().is_none_or(NormalScores::is_sound))?;
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::super::{Collect, Columns, Sums};
    use super::*;
    use crate::testing::random;

    #[test]
    fn frames_travel_as_bytes_and_scale_rows() {
        let x = random(50, 3, 1);
        let rows: Vec<usize> = (0..50).collect();
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let scaling = Scaling::fit(&x, &rows, None, true).with_scores(&x, &rows, None);
        let frame = Frame {
            schema: Schema::numeric(&names),
            scaling: scaling.clone(),
            n_classes: 2,
        };
        let bytes = frame.to_bytes();
        let back = Frame::from_bytes(&bytes).expect("whole");
        assert_eq!(back, frame);
        assert!(Frame::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        let task = Task {
            columns: Columns::Features,
            collect: Collect::Sums,
        };
        let codes: Vec<usize> = (0..50).map(|i| i % 2).collect();
        let mut part = frame.part(&task).expect("fits");
        back.update(&task, &mut part, &x, &codes, None)
            .expect("fits");
        let mut sums = Sums::new(3, 2);
        sums.update(scaling.apply(&x, &rows), &codes, None);
        assert_eq!(part, Part::Sums(sums));
        assert!(back.update(&task, &mut part, &x, &[2; 50], None).is_err());
    }
}

//! The vectors that a solve works on.

/// Scratch vectors that solves of the same size can share.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) f: Vec<f64>,
    pub(super) p: Vec<f64>,
    pub(super) gap: Vec<f64>,
    pub(super) r: Vec<f64>,
    pub(super) kr: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) inner: Vec<f64>,
    pub(super) k_inner: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) k_direction: Vec<f64>,
    pub(super) image: Vec<f64>,
    pub(super) trial: Vec<f64>,
}

impl Workspace {
    pub(super) fn resize(&mut self, m: usize) {
        for v in [
            &mut self.f,
            &mut self.p,
            &mut self.gap,
            &mut self.r,
            &mut self.kr,
            &mut self.step,
            &mut self.inner,
            &mut self.k_inner,
            &mut self.direction,
            &mut self.k_direction,
            &mut self.image,
            &mut self.trial,
        ] {
            v.resize(m, 0.0);
        }
    }
}

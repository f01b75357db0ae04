"""The tuning of sparse KOS of Lapanowski & Gaynanova (2019), in straightforward NumPy."""

import numpy as np


def tuned_weights(x, y, quantiles=(0.05, 0.1, 0.2, 0.3, 0.5), penalties=20, folds=5):
    """The paper's algorithm and tuning in straightforward NumPy: 500 fits; returns the weights."""
    x = (x - x.mean(0)) / x.std(0)
    rng = np.random.default_rng(0)
    fold = np.zeros(len(y), int)
    for c in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == c))
        fold[rows] = np.arange(len(rows)) % folds

    def squares(a, b):
        return (a.T[:, :, None] - b.T[:, None, :]) ** 2

    def solve(d2, theta, w, sigma2, g):
        n = len(theta)
        k = np.exp(-np.tensordot(w**2, d2, 1) / sigma2)
        m = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        alpha = np.linalg.solve(m @ m + g * (m + 1e-5 * np.eye(n)), m @ theta)
        r = theta - m @ alpha
        return k, m, alpha, r @ r / n + g / n * alpha @ (m @ alpha + 1e-5 * alpha)

    def step(d2, theta, w, sigma2, g, k, m, alpha, lam):
        n = len(theta)
        a = alpha - alpha.mean()
        t = np.stack([(k * d2[j]) @ a for j in range(len(w))], axis=1) * (-2 * w / sigma2)
        t -= t.mean(0)
        q = t.T @ t / n
        beta = t.T @ (theta - m @ alpha + t @ w) / n - g / n / 2 * t.T @ alpha
        if lam is None:
            return 2 * np.abs(beta).max()
        new = w.copy()
        for _ in range(100):
            before = new.copy()
            for j in range(len(w)):
                if q[j, j] > 0:
                    part = beta[j] - q[j] @ new + q[j, j] * new[j]
                    new[j] = np.clip(np.sign(part) * max(abs(part) - lam / 2, 0) / q[j, j], -1, 1)
            if np.abs(new - before).max() < 1e-6:
                break
        return new

    def fit(d2, theta, w, sigma2, g, lam):
        k, m, alpha, value = solve(d2, theta, w, sigma2, g)
        value += lam * np.abs(w).sum()
        for _ in range(20):
            to, share = step(d2, theta, w, sigma2, g, k, m, alpha, lam), 1.0
            while share > 1e-3:
                trial = w + share * (to - w)
                new = solve(d2, theta, trial, sigma2, g)
                if new[3] + lam * np.abs(trial).sum() < value:
                    break
                share /= 2
            gain = value - new[3] - lam * np.abs(trial).sum()
            if gain < 1e-5:
                break
            w, (k, m, alpha, _), value = trial, new, value - gain
        return w, k, alpha

    def ridge(d2, sigma2):
        n = d2.shape[1]
        k = np.exp(-d2.sum(0) / sigma2)
        m = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        total = (m * m).sum()
        t = n / (n - 2) * ((np.diag(m) ** 2).sum() - total / n) / total
        return t / (1 - t)

    def scored(y):
        n1, n2 = (y == 0).sum(), (y == 1).sum()
        return np.where(y == 0, np.sqrt(n2 / n1), -np.sqrt(n1 / n2))

    whole, theta = squares(x, x), scored(y)
    between = whole.sum(0)[y == 0][:, y == 1].ravel()
    best = (np.inf, None)
    ones = np.ones(x.shape[1])
    for sigma2 in np.quantile(between, quantiles):
        g = ridge(whole, sigma2)
        k, m, alpha, _ = solve(whole, theta, ones, sigma2, g)
        grid = np.geomspace(1e-3, 1, penalties) * step(whole, theta, ones, sigma2, g, k, m, alpha, None)
        wrong = np.zeros(penalties)
        for f in range(folds):
            train, test = fold != f, fold == f
            d2, th = squares(x[train], x[train]), scored(y[train])
            gf, w = ridge(d2, sigma2), ones
            for i, lam in enumerate(grid):
                w, k, alpha = fit(d2, th, w, sigma2, gf, lam)
                a = alpha - alpha.mean()
                z = (np.exp(-np.tensordot(w**2, squares(x[test], x[train]), 1) / sigma2) - k.mean(0)) @ a
                own = (k - k.mean(0)) @ a
                means = [own[y[train] == c].mean() for c in (0, 1)]
                wrong[i] += ((np.abs(z - means[0]) > np.abs(z - means[1])).astype(int) != y[test]).sum()
        i = penalties - 1 - wrong[::-1].argmin()
        if wrong[i] < best[0]:
            best = (wrong[i], (sigma2, g, grid[: i + 1]))
    sigma2, g, path = best[1]
    w = ones
    for lam in path:
        w = fit(whole, theta, w, sigma2, g, lam)[0]
    return np.abs(w)

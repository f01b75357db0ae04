"""The simulations of Lapanowski & Gaynanova (2019) and Ghosh & Wang (2015), drawn with the standard library."""

import math
import random


def mixture(seed, centres, per_class, noise):
    """Rows around ten means per class, with white noise features; the means are drawn around the centre of the class.

    Header, rows to train, rows to test.
    """
    rng = random.Random(seed)
    means = [[[rng.gauss(c, 2**0.5) for c in centre] for _ in range(10)] for centre in centres]

    def rows(count):
        out = []
        for label, own in enumerate(means):
            for _ in range(count):
                near = rng.choice(own)
                point = [rng.gauss(m, 0.2**0.5) for m in near] + [rng.gauss(0, 1) for _ in range(noise)]
                out.append([f"{v:.8g}" for v in point] + [f"c{label}"])
        return out

    header = [f"x{j + 1}" for j in range(2 + noise)] + ["class"]
    return header, rows(per_class), rows(1000)


def disc_in_ring(seed):
    """Model 1: a disc and the plane around it, with a gap between them, and two features of noise of variance 1/2.

    300 points of the square, of which those outside both classes are left out.
    """
    rng, rows = random.Random(seed), []
    for _ in range(300):
        x = [rng.uniform(-1, 1) for _ in range(2)]
        noise = [rng.gauss(0, 0.5**0.5) for _ in range(2)]
        radius = math.hypot(*x)
        if radius >= 2 / 3 or radius <= 2 / 3 - 0.1:
            rows.append([*map(repr, x + noise), "1" if radius >= 2 / 3 else "2"])
    return [f"x{j + 1}" for j in range(4)] + ["class"], rows


def four_of_ten(seed):
    """Model 2: `x3 + sin(x4 + x1) < x2^2` among ten uniform features, 400 rows."""
    rng, rows = random.Random(seed), []
    for _ in range(400):
        x = [rng.uniform(-1, 1) for _ in range(10)]
        rows.append([*map(repr, x), "1" if x[2] + math.sin(x[3] + x[0]) < x[1] ** 2 else "2"])
    return [f"x{j + 1}" for j in range(10)] + ["class"], rows

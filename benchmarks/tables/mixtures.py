"""The mixtures of Ghosh & Wang (2015), drawn with the standard library."""

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

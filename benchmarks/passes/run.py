"""Files larger than the memory that may be used: how long a fit takes, what it needs, and how that grows.

    python benchmarks/passes/run.py --bin target/release/kernsieve --folder DIR

Writes Parquet files of 20 features with a curved border in six of them, and fits them in passes with `--memory`. The
columns: rows, size of the file, seconds, rows a second (over all passes), peak resident memory, and the error on
20,000 other rows. `--whole` fits the smallest file in memory as well, for comparison. Needs NumPy and PyArrow.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sieve"))
from program import fit, table

FEATURES = 20
METHODS = {
    "lda": [],
    "l1-dkf": [],
    "smkda": ["--candidates", "500", "--bandwidth", "3"],
    "klr": ["--candidates", "200", "--bandwidth", "3"],
    "sieve": [],
}


def rows(n, rng):
    x = rng.normal(size=(n, FEATURES))
    f = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.7 * x[:, 3] + 0.5 * x[:, 4] ** 2 - 0.5 + 0.4 * x[:, 5]
    return x, ((f > 0) != (rng.random(n) < 0.05)).astype(np.int8)


def write(path, n, seed):
    """A file of so many rows, a piece at a time."""
    if path.exists():
        return
    rng, writer, piece = np.random.default_rng(seed), None, 250_000
    for start in range(0, n, piece):
        x, y = rows(min(piece, n - start), rng)
        columns = {f"x{j + 1}": x[:, j] for j in range(FEATURES)} | {"class": [f"c{k}" for k in y]}
        part = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, part.schema, compression="none", use_dictionary=["class"])
        writer.write_table(part)
    writer.close()


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--bin", required=True, help="the kernsieve program")
    words.add_argument("--folder", required=True, type=Path, help="where files of some gigabytes can be written")
    words.add_argument("--rows", default="1000000,5000000,20000000")
    words.add_argument("--methods", default=",".join(METHODS))
    words.add_argument("--memory", default="1G")
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--whole", action="store_true", help="also in memory, for the smallest file")
    words = words.parse_args()
    sizes = sorted(int(n) for n in words.rows.split(","))
    test = words.folder / "test.parquet"
    write(test, 20_000, 1)
    lines = []
    for n in sizes:
        path = words.folder / f"rows-{n}.parquet"
        write(path, n, 0)
        for name in words.methods.split(","):
            ways = [["--stream", "--memory", words.memory]] + ([[]] if words.whole and n == sizes[0] else [])
            for way in ways:
                options = ["--method", name, *METHODS[name], *way, "--test", test, "--threads", words.threads]
                report, cost = fit(words.bin, path, *options)
                lines.append(
                    [
                        name,
                        "passes" if way else "memory",
                        f"{n:,}",
                        f"{path.stat().st_size / 2**30:.2f}",
                        f"{cost['wall']:.0f}",
                        f"{cost['cpu']:.0f}",
                        f"{n / cost['wall']:,.0f}",
                        f"{cost['memory']:.0f}",
                        f"{100 * report['test_error']:.2f}",
                    ]
                )
                print(*lines[-1], file=sys.stderr, flush=True)
    header = "method, read in, rows, GiB, seconds, CPU s, rows a second, peak MiB, error %"
    print(table(header.split(", "), lines))


if __name__ == "__main__":
    main()

"""Merge the measurements of many simulated machines into one data set, and train one model from it.

    python benchmarks/merge_measurements.py                                  # 1,000 hosts, 10,000 rows each
    python benchmarks/merge_measurements.py --hosts 5 --train                # a trial; the training is that of 1,000

Each host has real kernels and problems of `benchmarks/data/gemm_cpu.parquet`, and times of its own. Some files come
twice, some rows were measured again, some contradict each other, some name a kernel that is not theirs: the counts of
all of these are known and compared. Prints rows per second of the merge, its first pass included.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tilewright.store.union import union_parquet

DATA = Path(__file__).parent / "data" / "gemm_cpu.parquet"
TWICE = 0.02  # share of hosts that sent their file twice
TRAINING_ROWS = (9_875, 40_000)  # what the merge keeps of one host, and of some
AGAIN, CONTRADICT, FALSE = 0.01, 0.002, 0.0005  # shares of a host's rows


def host_table(base: pa.Table, number: int, rows: int) -> tuple[pa.Table, dict[str, int]]:
    """Return the rows of one host, and how many of them are of each odd kind."""
    rng = np.random.default_rng(number)
    again, contradict, false = (int(rows * share) for share in (AGAIN, CONTRADICT, FALSE))
    fresh = rows - again - contradict
    table = base.take(pa.array(np.sort(rng.choice(base.num_rows, fresh, replace=False))))
    table = pa.concat_tables([table, table.slice(0, again), table.slice(again, contradict)])
    samples = table["samples"].combine_chunks()
    noise = rng.lognormal(0.0, 0.03, len(samples.values)).astype(np.float32)
    times = pa.ListArray.from_arrays(samples.offsets, pa.array(samples.values.to_numpy() * noise))
    at = np.full(rows, 1_790_000_000 + number, np.int64)
    at[fresh : fresh + again] += 3600
    digests = table["spec_digest"].cast(pa.string()).to_numpy(zero_copy_only=False).copy()
    if false:
        digests[fresh - false : fresh] = "0" * 64
    values = {"samples": times, "at": pa.array(at), "host": _text(np.full(rows, f"host{number:04d}")),
              "run": _text(np.full(rows, f"run{number % 7}")), "spec_digest": _text(digests)}  # fmt: skip
    for name, value in values.items():
        table = table.set_column(table.schema.get_field_index(name), name, value)
    return table, {"replaced": again, "conflicts": contradict, "false": false}


def _text(values: np.ndarray) -> pa.Array:
    return pa.array(values.tolist(), pa.string()).dictionary_encode()


def simulate(folder: Path, hosts: int, rows: int) -> tuple[list[Path], dict[str, int]]:
    """Write a file for each host; return the files, some of them twice, and the counts that a merge must find."""
    base = pq.read_table(DATA)
    first = pc.equal(base["status"].cast(pa.string()), "ok")
    base = base.filter(first)
    key = [
        f"{a}{b}{c}"
        for a, b, c in zip(*(base[n].to_pylist() for n in ("tuning_key", "spec_digest", "launch")), strict=True)
    ]
    base = base.take(pa.array(sorted({k: i for i, k in enumerate(key)}.values())))  # one row of each kernel and problem
    files, expected = [], dict.fromkeys(("rows", "same", "replaced", "conflicts", "false"), 0)
    for number in range(hosts):
        table, odd = host_table(base, number, rows)
        path = folder / f"host{number:04d}.parquet"
        pq.write_table(table, path, compression="zstd")
        twice = number < hosts * TWICE
        files += [path, path] if twice else [path]
        expected["rows"] += rows * (1 + twice)
        expected["same"] += (rows - odd["false"]) * twice
        for name, count in odd.items():
            expected[name] += count * (1 + (twice and name == "false"))
    return files, expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--train", action="store_true", help="also train models from the merged rows of some hosts")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="merge"))
    try:
        start = time.perf_counter()
        files, expected = simulate(folder, options.hosts, options.rows)
        took = time.perf_counter() - start
        print(f"{len(files)} files of {options.hosts} hosts, {expected['rows']:,} rows, made in {took:.0f} s")
        start, cpu = time.perf_counter(), time.process_time()
        found = union_parquet(files, folder / "all.parquet")
        seconds, busy = time.perf_counter() - start, time.process_time() - cpu
        figures = {"hosts": options.hosts, "rows": found.rows, "kept": found.kept, "same": found.same,
                   "replaced": found.replaced, "conflicts": found.conflicts, "false": found.false,
                   "seconds": round(seconds, 1), "rows per second": round(found.rows / seconds),
                   "rows per CPU second": round(found.rows / busy),
                   "peak GiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 1),
                   "file MB": round((folder / "all.parquet").stat().st_size / 1e6)}  # fmt: skip
        print(json.dumps(figures, indent=1))
        wrong = {k: (v, figures[k]) for k, v in expected.items() if figures[k] != v}
        if wrong:
            raise SystemExit(f"expected and found differ: {wrong}")
        if options.train:
            figures["training"] = train(folder / "all.parquet")
            print(json.dumps(figures["training"], indent=1))
        if options.out:
            options.out.write_text(json.dumps(figures, indent=1) + "\n")
    finally:
        shutil.rmtree(folder)


def train(merged: Path) -> list[dict[str, object]]:
    """Train models from the first rows of the merged file: of one host, then of some.

    The models of all of them sit the same exam: problems that none was trained on, with every kernel that was really
    measured for them. A cross-validation cannot compare them. It offers only the kernels of the training rows, and the
    best of few kernels is easier to come near.
    """
    from tilewright.store import read_rows
    from tilewright.tune.learn.dataset import datasets_of
    from tilewright.tune.learn.train import TrainOptions, mean_efficiency
    from tilewright.tune.learn.train import train as fit

    exam = {data.name: data.part(data.held_out()) for data in datasets_of(read_rows(DATA))}
    found: list[dict[str, object]] = []
    for count in TRAINING_ROWS:
        start, part = time.perf_counter(), merged.with_name("part.parquet")
        pq.write_table(first_rows(merged, count), part)
        models = {}
        for data in datasets_of(read_rows(part)):
            model = fit(data.part([not out for out in data.held_out()]), TrainOptions(trees=100))
            models[data.name] = {
                "kernels per problem": round(data.count / len(data.problems), 1),
                "cross-validation": round(model.card["cross_validation"]["mean"], 4),
                "exam": round(mean_efficiency(exam[data.name], model), 4),
            }
        found.append({"rows": count, "seconds": round(time.perf_counter() - start, 1), "models": models})
    return found


def first_rows(merged: Path, count: int) -> pa.Table:
    """Return so many rows of the file; a batch of a reader ends with its row group and may have fewer."""
    batches, rows = [], 0
    for batch in pq.ParquetFile(merged).iter_batches(count):
        batches.append(batch.slice(0, count - rows))
        rows += len(batches[-1])
        if rows == count:
            return pa.Table.from_batches(batches)
    raise SystemExit(f"{merged.name} has {rows:,} rows, and {count:,} are needed for training: simulate more hosts")


if __name__ == "__main__":
    main()

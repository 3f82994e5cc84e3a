"""Fit the prices of the CPU cost model to measurements of `benchmarks/cpu/selection.py sweep`.

    python benchmarks/fit/fit_cost.py build/train_fp32_t1.jsonl build/train_fp32_t2.jsonl ... [--write]
    python benchmarks/fit/fit_cost.py benchmarks/data/gemm_cpu_n1.parquet --held-out 0.33 --only '[.]b32[.]4[.]' --write

Measurements of `tilewright tune` will do as well (`tilewright data export`). `--held-out` leaves out the problems that
`tilewright evaluate` holds out, so that it can judge the prices.

Each measured time is a sum of terms times prices >= 0; the fit minimises the relative error, with more weight on the
candidates near the best of their problem, since those are the ones a selector must tell apart. The clock of a shared
machine drifts between problems, which says nothing about their candidates: each problem has a speed of its own, fitted
in turn with the prices. Needs scipy (comes with the extra `tune`).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from tilewright.backends.cpu.gemm import OP
from tilewright.backends.cpu.gemm.cost import CONSTANTS, family, tile_family
from tilewright.backends.cpu.gemm.features import BY_LAYOUT, skinny_terms, tiled_terms
from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.store import read_rows
from tilewright.store.measurement import launch_from_dict
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.learn.dataset import is_held_out

MIN_ROWS = 10
TURNS = 6  # prices, then the speeds of the problems, and again
NEAR = 1.3
SIZE_POWER, SIZE_MOST = 0.2, 8.0  # large problems are few among the measured ones, and matter most to users


@dataclass(frozen=True)
class Row:
    """One measurement: what was counted, how long it took, the best time of its problem, the problem."""

    terms: dict[str, float]
    seconds: float
    best: float
    problem: str
    flops: float


def measured_in(path: str, held_out: float) -> Iterator[dict[str, Any]]:
    """Return the rows of a sweep, or those of `tilewright tune` in its words."""
    if not path.endswith(".parquet"):
        yield from map(json.loads, Path(path).read_text().splitlines())
        return
    for m in read_rows(path):
        if m.ok and not is_held_out(problem_from_dict(m.problem), held_out):
            yield {
                "problem": dict(m.problem), "threads": m.policy["threads"], "seconds": m.seconds, "ok": True,
                "digest": m.spec_digest, "launch": launch_from_dict(m.launch).label(),
            }  # fmt: skip


def rows_of(path: str, held_out: float = 0.0) -> dict[str, list[Row]]:
    """Measurements of one file by family."""
    by_problem: dict[str, list[dict[str, Any]]] = {}
    for line in measured_in(path, held_out):
        by_problem.setdefault(json.dumps(line["problem"]), []).append(line)
    found: dict[str, list[Row]] = {}
    threads = max(row["threads"] for rows in by_problem.values() for row in rows)
    dispatcher = Dispatcher(settings=Settings.from_env(threads=threads))
    best: dict[str, float] = {}
    for key, measured in by_problem.items():
        shape = shape_of(path, problem_from_dict(json.loads(key)))
        best[shape] = min(best.get(shape, float("inf")), *(r["seconds"] for r in measured if r["ok"]))
    for key, measured in by_problem.items():
        problem = problem_from_dict(json.loads(key))
        device = dispatcher.device_for(problem)
        times = {(r["digest"], r["launch"]): r["seconds"] for r in measured if r["ok"]}
        for candidate in dispatcher.registry.consider(problem, device).legal:
            seconds = times.get((candidate.spec.digest, candidate.launch.label()))
            if seconds is not None:
                shape = shape_of(path, problem)
                row = Row(terms(candidate, problem, device), seconds, best[shape], shape, problem.flops)
                for name in (family(candidate.spec), tile_family(candidate.spec)):
                    found.setdefault(name, []).append(row)
    return found


def terms(candidate: Any, problem: Any, device: Any) -> dict[str, float]:
    """Return how much of each kind of work the busiest thread does; names are those of the price list."""
    spec = candidate.spec
    count = skinny_terms if spec.algorithm.pipeline == "skinny" else tiled_terms
    counted = count(*OP.formula_cost.numbers(candidate, problem, device))
    layout = spec.signature.layout
    return {f"{n}_{layout[BY_LAYOUT[n]]}" if n in BY_LAYOUT else n: float(c) for n, c in counted.items()}


def shape_of(path: str, problem: Any) -> str:
    """Formats of packed weights are compared with each other: they share the best time and speed of their shape."""
    return f"{path} {problem.m} {problem.n} {problem.k} {problem.layout}"


def fit(rows: list[Row], speed: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Prices of one family, and the median relative error of the fit, on times divided by their problem's speed."""
    names = sorted({name for r in rows for name in r.terms})
    counts = np.array([[r.terms.get(n, 0.0) for n in names] + [1.0] for r in rows])
    seconds = np.array([r.seconds / speed.get(r.problem, 1.0) for r in rows])
    share = np.array([r.best / r.seconds for r in rows])
    size = np.array([r.flops / 3e7 for r in rows])
    weight = share**0.7 / seconds * np.clip(size**SIZE_POWER, 1.0, SIZE_MOST)
    scale = np.maximum(np.abs(counts).max(axis=0), 1e-30)
    prices, _ = nnls(counts / scale * weight[:, None], seconds * weight, maxiter=10000)
    prices = prices / scale
    error = np.abs(counts @ prices / seconds - 1.0)
    near = share > 1 / NEAR
    named = {n: float(f"{p:.4g}") for n, p in zip([*names, "launch"], prices, strict=True) if p > 0 or n == "launch"}
    return named, float(np.median(error[near] if near.any() else error))


def speeds(by_family: Mapping[str, list[Row]], prices: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Measured over predicted time of each problem: the median over the candidates near its best."""
    logs: dict[str, list[float]] = {}
    for name, rows in by_family.items():
        for r in rows:
            if name in prices and r.seconds < NEAR * r.best:
                predicted = prices[name]["launch"] + sum(prices[name].get(n, 0.0) * c for n, c in r.terms.items())
                logs.setdefault(r.problem, []).append(float(np.log(r.seconds / predicted)))
    medians = {problem: float(np.median(values)) for problem, values in logs.items()}
    middle = float(np.median(list(medians.values())))
    return {problem: float(np.exp(value - middle)) for problem, value in medians.items()}


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument(
        "--only", default="", help="fit only price lists whose name has this pattern, such as '[.]4[.]'"
    )
    parser.add_argument("--held-out", type=float, default=0.0, help="share of the problems that are not fitted to")
    parser.add_argument("--write", action="store_true", help="store the prices where the cost model reads them")
    args = parser.parse_args()
    merged: dict[str, list[Row]] = {}
    for path in args.data:
        for name, rows in rows_of(path, args.held_out).items():
            merged.setdefault(name, []).extend(rows)
    families = json.loads(CONSTANTS.read_text())["families"] if CONSTANTS.exists() else {}
    wanted = {n: r for n, r in merged.items() if re.search(args.only, n) and len(r) >= MIN_ROWS}
    tiles = {n: r for n, r in wanted.items() if n.count(".") > 1}
    speed: dict[str, float] = {}
    for _ in range(TURNS):
        speed = speeds(tiles, {name: fit(rows, speed)[0] for name, rows in tiles.items()})
    low, high = min(speed.values()), max(speed.values())
    print(f"{len(speed)} problems; time per unit of work is {low:.2f} to {high:.2f} times the median problem's")
    for name, rows in sorted(merged.items()):
        if not re.search(args.only, name):
            continue
        if name not in wanted:
            print(f"{name}: {len(rows)} rows are too few; the family's prices serve")
            families.pop(name, None)
            continue
        families[name], error = fit(rows, speed)
        shown = ", ".join(f"{term} {price:.2g}" for term, price in families[name].items())
        print(f"{name}: {len(rows)} rows, median error near the best {error:.1%}: {shown}")
    if args.write:
        text = json.dumps({"source": "benchmarks/fit/fit_cost.py", "families": families}, indent=1)
        CONSTANTS.write_text(text + "\n")


if __name__ == "__main__":
    main()

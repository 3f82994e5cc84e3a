"""Fit the constants of the convolution cost model: `python benchmarks/fit/fit_conv_gpu_cost.py ROWS...`.

Prints the constants per family of kernels with the error of the fit, and how the selected kernels compare with the
best measured ones; families that compete for the same problems are fitted together. The hopper pipeline is priced by
the gemm backend's model, with constants of its own (`pipelines/hopper.py`).
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy.optimize import minimize

from tilewright.arch import get_nominal_devices
from tilewright.backends.triton.conv import OP, cost, cost_parts, features
from tilewright.backends.triton.conv.pipelines import pipeline_of
from tilewright.backends.triton.conv.pipelines.hopper import BOX_PRICES
from tilewright.backends.triton.gemm import cost as gemm_cost
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.store import launch_from_dict

H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
# What differs between products and boxes; the other constants stay those of products.
BOXES = ("fill", "matrix", "turns", "step", "l2", "off_line", "latency", "store", "epilogue", "memory", "traffic",
         "reread", "reduce", "copy", "power", "second_launch")  # fmt: skip
# Families that compete for the same problems.
RIVALS = (("strip",), ("strip_columns", "strip_planes", "strip_depthwise"), ("strip_weight",),
          ("strip_columns_weight", "strip_planes_weight", "strip_depthwise_weight"))  # fmt: skip
REGRET = 4.0  # of the loss: what a wrong choice costs, in addition to the error of the times
ROUNDS = 5


def load(paths):
    """{pipeline: [(problem index, features, microseconds)]} of every right candidate that the default sets offer."""
    found, at, registry = {}, 0, default_registry()
    for path in paths:
        for line in Path(path).read_text().splitlines():
            row = json.loads(line)
            p = problem_from_dict({**row["problem"], "device": "cuda:0"})
            known = {c.spec.algorithm: c.spec for c in registry.legal(p, H200)}
            for c in row["candidates"]:
                us = c.get("us") or c.get("quick_us")
                if not us or not c.get("error", 9) <= 1 or c["fields"].get("pipeline") == "gemm":
                    continue
                spec = known.get(OP.algorithm_from_dict(c["fields"]))
                if spec is None:
                    continue
                boxed = spec.algorithm.pipeline == "hopper"
                count = features.box_counts if boxed else features.counts
                f = count(*OP.formula_cost.numbers(Candidate(spec, launch_from_dict(c["launch"])), p, H200))
                family = "hopper" if boxed else pipeline_of(spec.algorithm).family(spec)
                found.setdefault(family, []).append((at, f, us))
            at += 1
    return found


def spread(rows, families):
    """(features of each family as arrays, places of its rows, measured logarithms, rows of each problem)."""
    arrays, places = {}, {}
    for name in families:
        places[name] = np.array([i for i, (family, *_) in enumerate(rows) if family == name])
        of = [rows[i][2] for i in places[name]]
        arrays[name] = SimpleNamespace(**{k: np.array([getattr(f, k) for f in of]) for k in vars(of[0])})
    problems = {}
    for i, (_, at, _, _) in enumerate(rows):
        problems.setdefault(at, []).append(i)
    most = max(map(len, problems.values()))
    table = np.array([[*found, *[-1] * (most - len(found))] for found in problems.values()])
    return arrays, places, np.log(np.array([us for *_, us in rows]) * 1e-6), table


def fit(rows, starts, seconds, names):
    """The constants of families that compete: times are met by their logarithm, and the fastest kernel is chosen.

    `rows` are (family, problem index, features, microseconds). What a choice costs is smoothed over predictions within
    about 2%, so that a search can follow it. No kernel moves more bytes than the memory.
    """
    arrays, places, measured, table = spread(rows, starts)
    there, width = table >= 0, len(names)
    best_of = np.where(there, measured[table], np.inf).min(1)
    first = np.log([getattr(c, n) for c in starts.values() for n in names])

    def constants(x, i, start):
        return replace(start, **dict(zip(names, np.exp(x[i * width : (i + 1) * width]), strict=True)))

    def loss(x):
        said = np.empty(len(rows))
        for i, (name, start) in enumerate(starts.items()):
            said[places[name]] = np.log(seconds(arrays[name], constants(x, i, start)))
        seen = np.where(there, said[table], np.inf)
        weight = np.exp((seen.min(1, keepdims=True) - seen) / 0.02)
        chosen = (weight * np.where(there, measured[table], 0.0)).sum(1) / weight.sum(1)
        over = np.maximum(0.0, x[names.index("memory") :: width] - math.log(0.97)).sum()
        return np.mean(np.abs(said - measured)) + REGRET * np.mean(chosen - best_of) + 5 * over + 0.001 * np.sum(
            (x - first) ** 2)  # fmt: skip

    best = None
    noise = np.random.default_rng(0)
    for turn in range(ROUNDS):
        begin = first if best is None else best.x + noise.normal(0, 0.15, len(first)) * (turn > 0)
        found = minimize(loss, begin, method="Powell", options={"maxiter": 40})
        best = found if best is None or found.fun < best.fun else best
    fitted = {name: constants(best.x, i, start) for i, (name, start) in enumerate(starts.items())}
    return {name: replace(c, **{n: float(f"{getattr(c, n):.4g}") for n in names}) for name, c in fitted.items()}


def judge(rows, fitted, seconds):
    """(mean error of the logarithm, geometric mean of best / selected over problems)."""
    by, errors = {}, []
    for name, at, f, us in rows:
        said = float(seconds(f, fitted[name]))
        errors.append(abs(math.log(said / (us * 1e-6))))
        by.setdefault(at, []).append((said, us))
    shares = [min(us for _, us in c) / min(c)[1] for c in by.values() if len(c) > 1]
    return sum(errors) / len(errors), math.exp(sum(map(math.log, shares)) / max(1, len(shares)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+")
    found = load(parser.parse_args().rows)
    together = [g for g in (tuple(n for n in g if n in found) for g in RIVALS) if g]
    together += [(name,) for name in sorted(found) if not any(name in g for g in together)]
    for families in together:
        boxed = families == ("hopper",)
        rows = [(name, *row) for name in families for row in found[name]]
        starts = {name: BOX_PRICES if boxed else cost.HOPPER[name] for name in families}
        seconds = gemm_cost.seconds if boxed else cost_parts.seconds
        names = BOXES if boxed else tuple(asdict(starts[families[0]]))
        fitted = fit(rows, starts, seconds, names)
        error, share = judge(rows, fitted, seconds)
        for name, constants in fitted.items():
            said = constants if not boxed else {n: getattr(constants, n) for n in names}
            print(f'    "{name}": {said},')
        print(f"    # error {error:.3f}, selected {share:.3f} of the best, {len(rows)} rows")


if __name__ == "__main__":
    main()

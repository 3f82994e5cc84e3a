"""Fit the constants of the convolution cost model to measured rows: `python benchmarks/fit_conv_gpu_cost.py ROWS...`.

Prints the constants per pipeline with the error of the fit, and how fast the selected kernels are beside the best
measured ones. The hopper pipeline is priced by the gemm backend's model, with constants of its own (`hopper_cost`).
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from conv_gpu_space import OP, candidate_of, nominal_h200, problem_from_dict
from scipy.optimize import minimize

from tilewright.backends.triton.conv import cost, hopper_cost
from tilewright.backends.triton.gemm import cost as gemm_cost

# What differs between products and boxes; the other constants stay those of products.
BOXES = ("fill", "matrix", "turns", "step", "l2", "off_line", "latency", "store", "epilogue", "memory", "traffic",
         "reread", "reduce", "copy", "power", "second_launch")  # fmt: skip


def load(paths):
    """{pipeline: [(problem index, features, microseconds)]} of every right candidate."""
    found = {}
    at = 0
    for path in paths:
        for line in Path(path).read_text().splitlines():
            row = json.loads(line)
            p = problem_from_dict(row["problem"])
            for c in row["candidates"]:
                us = c.get("us") or c.get("quick_us")
                if not us or not c.get("error", 9) <= 1 or c["fields"].get("pipeline") == "gemm":
                    continue
                spec = {"signature": asdict(p.signature), "arch": "sm_90", "algorithm": c["fields"]}
                candidate = candidate_of({"spec": spec, "launch": c["launch"]})
                boxed = candidate.spec.algorithm.pipeline == "hopper"
                f = (hopper_cost if boxed else cost).features(candidate, p, nominal_h200())
                found.setdefault("hopper" if boxed else cost.family(candidate.spec), []).append((at, f, us))
            at += 1
    return found


def fit(rows, start, seconds, names):
    """The constants that predict `rows` best, by the logarithm of the time."""
    arrays = SimpleNamespace(**{k: np.array([getattr(f, k) for _, f, _ in rows]) for k in asdict(rows[0][1])})
    measured = np.log(np.array([us for _, _, us in rows]) * 1e-6)
    first = np.log([getattr(start, n) for n in names])

    def loss(x):
        said = np.log(seconds(arrays, replace(start, **dict(zip(names, np.exp(x), strict=True)))))
        return float(np.mean(np.abs(said - measured)) + 0.002 * np.sum((x - first) ** 2))

    best = min((minimize(loss, first + shift, method="Nelder-Mead", options={"maxiter": 12000, "maxfev": 12000})
                for shift in (0.0, 0.3)), key=lambda r: r.fun)  # fmt: skip
    return replace(start, **dict(zip(names, (float(f"{v:.4g}") for v in np.exp(best.x)), strict=True))), best.fun


def judge(rows, constants, seconds):
    """Geometric mean of best / selected over problems."""
    by = {}
    for at, f, us in rows:
        by.setdefault(at, []).append((float(seconds(f, constants)), us))
    shares = [min(us for _, us in c) / min(c)[1] for c in by.values() if len(c) > 1]
    return math.exp(sum(map(math.log, shares)) / max(1, len(shares)))


def main():
    assert OP.op == "conv"
    for name, rows in sorted(load(sys.argv[1:]).items()):
        start, seconds = cost.HOPPER.get(name), cost.seconds
        names = tuple(asdict(start)) if start else BOXES
        if name == "hopper":
            start, seconds = hopper_cost.PRICES, gemm_cost.seconds
        constants, error = fit(rows, start, seconds, names)
        said = constants if name != "hopper" else {n: getattr(constants, n) for n in names}
        share = judge(rows, constants, seconds)
        print(f'    "{name}": {said},  # error {error:.3f}, selected {share:.3f} of the best, {len(rows)} rows')


if __name__ == "__main__":
    main()

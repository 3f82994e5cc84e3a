"""Fit the constants of the convolution cost model to measured rows: `python benchmarks/fit_conv_gpu_cost.py ROWS...`.

Prints the constants per pipeline with the error of the fit, and how fast the selected kernels are beside the best
measured ones.
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

from tilewright.backends.triton.conv import cost


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
                f = cost.features(candidate, p, nominal_h200())
                found.setdefault(cost.family(candidate.spec), []).append((at, f, us))
            at += 1
    return found


def fit(rows, start):
    """The constants that predict `rows` best, by the logarithm of the time."""
    arrays = SimpleNamespace(**{k: np.array([getattr(f, k) for _, f, _ in rows]) for k in asdict(rows[0][1])})
    measured = np.log(np.array([us for _, _, us in rows]) * 1e-6)
    names = list(asdict(start))
    first = np.log([getattr(start, n) for n in names])

    def loss(x):
        said = np.log(cost.seconds(arrays, replace(start, **dict(zip(names, np.exp(x), strict=True)))))
        return float(np.mean(np.abs(said - measured)) + 0.002 * np.sum((x - first) ** 2))

    best = min((minimize(loss, first + shift, method="Nelder-Mead", options={"maxiter": 6000, "maxfev": 6000})
                for shift in (0.0, 0.3)), key=lambda r: r.fun)  # fmt: skip
    return replace(start, **dict(zip(names, (float(f"{v:.4g}") for v in np.exp(best.x)), strict=True))), best.fun


def judge(rows, constants):
    """Geometric mean of best / selected over problems."""
    by = {}
    for at, f, us in rows:
        by.setdefault(at, []).append((float(cost.seconds(f, constants)), us))
    shares = [min(us for _, us in c) / min(c)[1] for c in by.values() if len(c) > 1]
    return math.exp(sum(map(math.log, shares)) / max(1, len(shares)))


def main():
    assert OP.op == "conv"
    for name, rows in sorted(load(sys.argv[1:]).items()):
        constants, error = fit(rows, cost.HOPPER[name])
        print(f'    "{name}": {constants},  # error {error:.3f}, selected {judge(rows, constants):.3f} of the best')


if __name__ == "__main__":
    main()

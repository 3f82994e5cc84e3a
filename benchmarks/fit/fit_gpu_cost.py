"""Fit the constants of the GPU cost model to sweeps of `benchmarks/gpu/gemm_gpu.py sweep`.

    python benchmarks/fit/fit_gpu_cost.py benchmarks/results/gemm_gpu_h200_sweep.jsonl [more.jsonl ...]

Prints the constants to put into `Constants` and, before and after, how much longer the choice takes than the best
measured candidate. Candidates near the best of their problem weigh most: those are what a selector must tell apart.
Needs scipy (comes with the extra `tune`).
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy.optimize import least_squares, minimize

from tilewright.arch import get_nominal_devices
from tilewright.backends.triton.gemm import OP
from tilewright.backends.triton.gemm.cost import HOPPER, Constants, seconds
from tilewright.backends.triton.gemm.features import counts
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry

H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
LONG_US = 100.0


def rows_of(path):
    """(problem, torch seconds, [(label, split_k, grid, seconds)]) of each line, in either form of the results."""
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        if "problem" not in row:
            continue
        found = []
        for c in row["candidates"]:
            long = row["torch_us"] > LONG_US
            if long and (c["us"] if isinstance(c, dict) else c[4]) is None:
                continue  # a quick first pass runs before the power limit does, so it cannot be compared
            if isinstance(c, dict):
                grid = (c["launch"]["grid"] or [0])[0]
                found.append((c["algorithm"], c["launch"]["split_k"], grid, (c["us"] or c["quick_us"]) * 1e-6))
            else:
                found.append((c[0], c[1], c[2], (c[4] or c[3]) * 1e-6))
        yield problem_from_dict({**row["problem"], "device": "cuda:0"}), row["torch_us"] * 1e-6, found


def specs_by_label(problem):
    """Legal kernels by label, those that share tiles also in the order of older sweeps."""
    table = {}
    for spec in {c.spec.digest: c.spec for c in default_registry().legal(problem, H200)}.values():
        for order in ("shares", "tiles"):
            a = replace(spec.algorithm, order=order) if spec.algorithm.split else spec.algorithm
            table.setdefault(a.label(), KernelSpec("gemm", "triton", "sm_90", problem.signature, a))
    return table


def load(paths, pointers):
    """Measured candidates as one table of features, seconds, and the problem of each."""
    kept = []
    for number, (problem, peer, found) in enumerate(r for p in paths for r in rows_of(p)):
        table = specs_by_label(problem)
        for label, split_k, grid, measured in found:
            if label in table and (pointers or not label.startswith("pointer")):
                launch = Launch(split_k=split_k, grid=(grid,) if grid else ())
                f = counts(*OP.formula_cost.numbers(Candidate(table[label], launch), problem, H200))
                kept.append((number, f, measured, label, problem.label(), peer))
    columns = {name: np.array([getattr(k[1], name) for k in kept]) for name in vars(kept[0][1])}
    return SimpleNamespace(**columns), np.array([k[2] for k in kept]), np.array([k[0] for k in kept]), kept


def regrets(predicted, measured, problems):
    """Measured time of the choice over that of the best, by problem."""
    found = {}
    for number in np.unique(problems):
        mine = np.flatnonzero(problems == number)
        chosen = mine[np.argmin(predicted[mine])]
        found[int(number)] = (measured[chosen] / measured[mine].min(), chosen)
    return found


def report(title, predicted, measured, problems, kept):
    found = regrets(predicted, measured, problems)
    values = sorted(r for r, _ in found.values())
    mean = math.exp(sum(map(math.log, values)) / len(values))
    ratios = sorted(kept[c][5] / measured[c] for _, c in found.values())
    print(f"{title}: regret geometric mean {mean:.4f}, worst {values[-1]:.3f}; against torch "
          f"{math.exp(np.mean(np.log(ratios))):.4f}, lowest {[round(float(r), 3) for r in ratios[:6]]}")  # fmt: skip
    for regret, chosen in sorted(found.values(), key=lambda x: kept[x[1]][5] / measured[x[1]])[:12]:
        ratio = kept[chosen][5] / measured[chosen]
        print(f"   regret {regret:.3f}, against torch {ratio:.3f}: {kept[chosen][4]} {kept[chosen][3]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--sharpness", type=float, default=4.0, help="how much more the best candidates weigh")
    parser.add_argument(
        "--noise", type=float, default=0.02, help="relative error of predictions that a choice forgives"
    )
    parser.add_argument("--evaluations", type=int, default=6000)
    parser.add_argument("--pointers", action="store_true", help="with the kernels of the pointer pipeline")
    args = parser.parse_args()
    table, measured, problems, kept = load(args.data, args.pointers)
    best = {n: measured[problems == n].min() for n in np.unique(problems)}
    weight = np.array([(best[n] / t) ** args.sharpness for n, t in zip(problems, measured, strict=True)])
    names, start = list(asdict(HOPPER)), np.array(list(asdict(HOPPER).values()))

    def residuals(x):
        predicted = seconds(table, Constants(**dict(zip(names, start * np.exp(x), strict=True))))
        return np.concatenate([np.log(predicted / measured) * weight, 2.0 * x])

    report("before", seconds(table, HOPPER), measured, problems, kept)
    found = least_squares(residuals, np.zeros(len(names)), loss="soft_l1", f_scale=0.1, max_nfev=60)
    groups = [np.flatnonzero(problems == n) for n in best]

    def expected_regret(x):
        """What a choice with a little noise costs, plus the fit of the times themselves."""
        predicted = seconds(table, Constants(**dict(zip(names, start * np.exp(x), strict=True))))
        logs, total = np.log(predicted), 0.0
        for g in groups:
            chance = np.exp((logs[g].min() - logs[g]) / args.noise)
            total += math.log((chance * measured[g]).sum() / chance.sum() / measured[g].min())
        return total / len(groups) + 0.05 * np.mean(np.abs((logs - np.log(measured)) * weight))

    bounds = [(min(x, 0.0) - 0.3, max(x, 0.0) + 0.3) for x in found.x]
    options = {"maxfev": args.evaluations, "xtol": 1e-3}
    choice = minimize(expected_regret, found.x, method="Powell", bounds=bounds, options=options)
    fitted = Constants(**dict(zip(names, start * np.exp(choice.x), strict=True)))
    report("after", seconds(table, fitted), measured, problems, kept)
    for name, value in asdict(fitted).items():
        print(f"    {name}: float = {value:.4g}")


if __name__ == "__main__":
    main()

"""Fit the prices of vendor kernels to the times of libraries in `benchmarks/results`.

    python benchmarks/fit/fit_vendor_cost.py

Each price list is a sum of a few terms with prices >= 0 (`backends/vendor/cost.py`), fitted to relative errors. Every
fifth problem is held out: its spread (the typical factor between predicted and measured time) is printed and stored.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.arch import get_arch
from tilewright.backends.vendor.cost import terms_of
from tilewright.model.arch import CpuArch
from tilewright.ops import problem_from_dict

RESULTS = Path(__file__).parents[1] / "results"
OUT = Path(__file__).parents[2] / "src/tilewright/backends/vendor/prices.json"
FEWEST = 20
# File, arch, library of each; rows with another number of threads than 1 are left out.
TORCH_MS = (
    ("conv_cpu_n1", "aarch64_dot"),
    ("attention_cpu_n1", "aarch64_dot"),
    ("conv_cpu", "x86_64_amx"),
    ("tails_conv_cpu", "x86_64_vnni"),
    ("tails_gemm_cpu", "x86_64_vnni"),
    ("attention_cpu", "x86_64_amx"),
)
TORCH_US = ("conv_gpu_h200", "conv_gpu_h200_selected", "gemm_gpu_h200_sweep", "gemm_gpu_h200_sweep2")
PEERS = (("gemm_cpu_n1", "aarch64_dot"), ("gemm_cpu", "x86_64_amx"), ("gemm_gpu_h200_chain", "sm_90"))
ON_GPU = {"conv": ("torch", "cudnn"), "gemm": ("torch",)}

Row = tuple[str, Any, float]  # key, problem, seconds


def lines(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a results file."""
    for text in (RESULTS / f"{name}.jsonl").read_text().splitlines():
        yield json.loads(text)


def rows() -> Iterator[Row]:
    """Yield every measured time of a library."""
    for name, arch in TORCH_MS:
        for line in lines(name):
            problem = problem_from_dict(line["problem"])
            library = "flash" if problem.op == "fmha" else "torch"
            if line["threads"] == 1:
                yield key(problem, library, arch), problem, line["torch_ms"] * 1e-3
    for name in TORCH_US:
        for line in (found for found in lines(name) if "problem" in found):
            problem = problem_from_dict(line["problem"])
            for library in ON_GPU[problem.op][: 2 if problem.variant in ("", "forward") else 1]:
                yield key(problem, library, "sm_90"), problem, line["torch_us"] * 1e-6
    for name, arch in PEERS:
        for line in lines(name):
            problem = problem_from_dict(line["problem"])
            for peer, found in line["peers"].items():
                if found.get("time_ms") and (arch == "sm_90" or line["policy"].get("threads") == 1) and plain(problem):
                    yield key(problem, "blas" if peer == "numpy" else peer, arch), problem, found["time_ms"] * 1e-3
    for line in lines("fmha_gpu"):
        problem = problem_from_dict(line["problem"])
        for library in {"flash", "cudnn", "efficient"} & set(line["seconds"]):
            yield key(problem, library, "sm_90"), problem, line["seconds"][library]


def plain(problem: Any) -> bool:
    """Return whether a product has nothing after it: peers compute that with several calls."""
    return problem.epilogue.activation == "none" and not problem.d and problem.scale_a == "none"


def key(problem: Any, library: str, arch: str) -> str:
    """Return the name of a price list."""
    direction = problem.variant if problem.op == "conv" else ""
    return "/".join((problem.op, library, arch, problem.operand_dtype, direction)).rstrip("/")


def fitted(terms: Any, seconds: Any) -> Any:
    """Return prices >= 0 that minimise the relative error, by coordinate descent."""
    scaled = terms / seconds[:, None]
    sizes = np.sqrt((scaled**2).sum(0)) + 1e-300
    scaled = scaled / sizes
    price, left = np.zeros(terms.shape[1]), np.ones(len(seconds))
    for _ in range(4000):
        for i in range(len(price)):
            column = scaled[:, i]
            step = max(-price[i], float(column @ left) / max(float(column @ column), 1e-300))
            price[i] += step
            left -= step * column
    return price / sizes


def spread(terms: Any, seconds: Any, price: Any) -> float:
    """Return the typical factor between predicted and measured times."""
    return exp(float(np.std(np.log(np.maximum(terms @ price, 1e-12)) - np.log(seconds)))) if len(seconds) else 1.0


def main() -> None:
    """Fit, print and store every price list."""
    lists: dict[str, list[tuple[Any, float]]] = defaultdict(list)
    for name, problem, seconds in rows():
        lists[name].append((problem, seconds))
    found = {}
    for name, mine in sorted(lists.items()):
        if len(mine) < FEWEST:
            print(f"{name}: {len(mine)} rows, too few")
            continue
        on_cpu = isinstance(get_arch(name.split("/")[2]), CpuArch)
        terms = np.array([terms_of(p, on_cpu) for p, _ in mine], float)
        seconds = np.array([s for _, s in mine])
        shown = np.arange(len(mine)) % 5 != 4
        held = spread(terms[~shown], seconds[~shown], fitted(terms[shown], seconds[shown]))
        price = fitted(terms, seconds)
        least = float(np.abs(np.log(terms @ price) - np.log(seconds)).mean())
        print(f"{name}: {len(mine)} rows, held out within a factor of {held:.2f}, mean of all {exp(least):.2f}")
        found[name] = {"prices": [float(f"{p:.4g}") for p in price], "rows": len(mine), "spread": round(log(held), 3)}
    OUT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

"""The time of a vendor kernel: a sum of few smooth terms, with prices per library and arch.

Prices (`prices.json`) are fitted to times of libraries in earlier benchmarks by `benchmarks/fit/fit_vendor_cost.py`.
Where there are none, the prediction is a guess, and `doubt` says so: the first calls then decide.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import exp, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...arch import get_arch
from ...model.arch import CpuArch
from ...model.device import Device
from ...model.kernel import KernelSpec
from ...model.problem import Problem

if TYPE_CHECKING:  # a program that multiplies matrices loads no other op
    from ...ops.conv.problem import ConvProblem
    from ...ops.fmha.problem import FmhaProblem
    from ...ops.gemm.problem import GemmProblem

OWN_MARGIN = {True: 1.5, False: 1.1}  # our own predictions are that far off, on a CPU, on a GPU
CALL = {True: 2e-6, False: 6e-6}  # seconds of a call on a CPU, on a GPU
PEAK = {True: 2e10, False: 3e14}  # flops per second of a guess
BANDWIDTH = {True: 1e10, False: 2e12}


def seconds(spec: KernelSpec, problem: Problem, device: Device) -> float:
    """Return predicted seconds of one call."""
    on_cpu = isinstance(get_arch(device.arch), CpuArch)
    known = prices().get(key_of(spec, problem), {}).get("prices")
    threads = max(device.threads, 1) if on_cpu else 1
    if known is None:
        return guessed(problem.flops, problem.bytes, threads, CALL[on_cpu], PEAK[on_cpu], BANDWIDTH[on_cpu])
    copies = not on_cpu and spec.op != "gemm" and spec.algorithm.library != "cudnn"
    copy = problem.bytes / 3 / BANDWIDTH[on_cpu] if copies else 0.0
    return priced(known, terms_of(problem, on_cpu), threads, CALL[on_cpu]) + copy


def guessed(flops: int, size: int, threads: int, call: float, peak: float, bandwidth: float) -> float:
    """Return seconds of a call without prices. Bundles have this function too, and the next two."""
    return call + float(flops) / peak / threads + float(size) / bandwidth


def priced(known: Sequence[float], terms: Sequence[float], threads: int, call: float) -> float:
    """Return seconds of a call: what it costs at least, and the prices of its work.

    >>> priced((1.0, 2.0), (1.0, 3.0), 2, 0.5)
    4.0
    """
    work = sum([price * term for price, term in zip(known[1:], terms[1:], strict=True)])
    return float(max(known[0] * terms[0], call) + work / threads)


def product_terms(groups: int, m: int, n: int, k: int, size: int, on_cpu: bool) -> tuple[float, ...]:
    """Return the terms of products of matrices: 1, then flops, bytes, whole tiles, weights, and waves of a GPU."""
    tile = 16 if on_cpu else 128
    whole = groups * _up(m, tile) * _up(n, tile) * k
    waves = 0.0 if on_cpu else _up(groups * -(-m // tile) * -(-n // tile), 132) * tile * tile * float(k)
    return (1.0, float(groups * m * n * k), float(size), float(whole), float(groups * k * n), waves)


def doubt(spec: KernelSpec, problem: Problem) -> float:
    """Return the factor by which a prediction may be wrong: twice the spread of held-out problems, and the margin of
    our own predictions; infinity if there are no prices."""
    found = prices().get(key_of(spec, problem))
    if found is None:
        return float("inf")
    return exp(2 * float(found["spread"])) * OWN_MARGIN[isinstance(get_arch(spec.arch), CpuArch)]


def basis(spec: KernelSpec) -> str:
    """Return what predictions rest on, in words."""
    stem = f"{spec.op}/{spec.algorithm.library}/{spec.arch}/"
    rows = sum(entry["rows"] for key, entry in prices().items() if key.startswith(stem))
    return f"fitted to {rows} times of this library" if rows else "a guess: the first calls decide"


def key_of(spec: KernelSpec, problem: Problem) -> str:
    """Return the name of a price list: op, library, arch, dtype and a convolution's direction."""
    direction = problem.variant if problem.op == "conv" else ""
    return "/".join((spec.op, spec.algorithm.library, spec.arch, problem.operand_dtype, direction)).rstrip("/")


@cache
def prices() -> dict[str, Any]:
    """Return every price list: the price of each term, how many rows it was fitted to, and its spread."""
    return json.loads((Path(__file__).parent / "prices.json").read_text())


def terms_of(problem: Problem, on_cpu: bool) -> tuple[float, ...]:
    """Return the terms that a call's time is a sum of: 1, then work in flops and bytes.

    >>> from tilewright.ops import problem_from_dict
    >>> terms_of(problem_from_dict({"op": "gemm", "m": 1, "n": 8, "k": 4, "dtype": "fp32"}), True)[:2]
    (1.0, 32.0)
    """
    if problem.op == "fmha":
        fmha = cast("FmhaProblem", problem)
        scores = fmha.batch * fmha.heads_q * fmha.seqlen_q * fmha.seqlen_k
        return 1.0, float(problem.flops), float(problem.bytes), float(scores)
    if problem.op == "conv":
        conv = cast("ConvProblem", problem)
        m, n, k, groups = conv.n * prod(conv.output), conv.k_group, conv.c_group * prod(conv.filter), conv.g
    else:
        gemm = cast("GemmProblem", problem)
        m, n, k, groups = gemm.m, gemm.n, gemm.k, gemm.batch
    return product_terms(groups, m, n, k, problem.bytes, on_cpu)


def _up(size: int, step: int) -> int:
    return -(-size // step) * step

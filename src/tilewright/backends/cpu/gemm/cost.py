"""A first cost model: roofline with tile quantisation and packing cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch


def launches(spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
    """One thread for tiny problems, all threads otherwise; split-K as asked."""
    split_k = problem.split_k or 1
    threads = device.threads if problem.flops > 500_000 else 1
    return (Launch(threads=threads, split_k=split_k),)


def predict(candidate: Candidate, problem: Any, device: Device) -> float:
    """Predicted seconds."""
    a, p = candidate.spec.algorithm, problem
    rate = {"portable": 5e9, "fma": 100e9, "vnni": 500e9, "amx": 1500e9, "amx_bf16x3": 400e9}[a.inner]
    threads = max(1, candidate.launch.threads)
    m, n = ceil(p.m / a.mr) * a.mr, ceil(p.n / a.nr) * a.nr
    compute = 2.0 * p.batch * m * n * p.k / (rate * threads)
    size_a, size_b = get_dtype(p.dtype_a).bytes, get_dtype(p.dtype_b).bytes
    pack = a.pack_a * p.m * p.k * size_a + a.pack_b * p.n * p.k * size_b
    return compute + p.batch * pack / (5e9 * threads) + 2e-7

"""Measurements made up for tests: real problems and kernels, times by a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from tilewright.backends import get_backend_op
from tilewright.model.canonical import canonical
from tilewright.model.device import Device
from tilewright.ops.gemm.samples import sample_problems
from tilewright.registry import default_registry
from tilewright.store import Measurement

DEVICE = Device("a test", "x86_64_v4", 1, l1_bytes=48 << 10, l2_bytes=2 << 20, llc_bytes=32 << 20, threads=1)


@cache
def registry() -> Any:
    return default_registry()


def time_of(candidate: Any, problem: Any, device: Device = DEVICE) -> float:
    """The cost model's time, bent in a way that it does not know of: packing A costs more, wide tiles less."""
    seconds = get_backend_op("cpu", "gemm").predict(candidate, problem, device)
    a = candidate.spec.algorithm
    bend = (1.6 if a.pack_a else 1.0) * (0.7 if a.nr == 32 else 1.0) * (1.3 if a.pipeline == "skinny" else 1.0)
    return float(seconds * bend)


def some_rows(
    count: int,
    problems: int | Sequence[Any] = 1,
    seed: int = 0,
    noise: float = 0.0,
    time: Callable[..., float] | None = None,
    device: Device = DEVICE,
    **fields: Any,
) -> list[Measurement]:
    """`count` rows for each of some problems (or so many drawn ones), drawn from the legal candidates."""
    rng, time = np.random.default_rng(seed), time or partial(time_of, device=device)
    found = []
    chosen = sample_problems(problems, seed, most_flops=5e7) if isinstance(problems, int) else problems
    for problem in chosen:
        legal = registry().consider(problem, device).legal
        for at in rng.choice(len(legal), min(count, len(legal)), replace=False):
            c = legal[int(at)]
            seconds = time(c, problem) * float(np.exp(noise * rng.standard_normal()))
            found.append(
                Measurement(
                    problem.to_dict(), problem.tuning_key, c.spec.to_dict(), c.spec.digest, canonical(c.launch),
                    "a build", device.to_dict(), samples=(seconds,), error=0.0, tolerance=1.0, tier="float64",
                    toolchain="none", host="a host", at=1.0, **fields,
                )
            )  # fmt: skip
    return found

"""Default problems for tuning: a sample of the attention of common networks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from .problem import FmhaProblem

HEADS = (4, 6, 8, 12, 16, 20, 24, 32, 40, 64)
GROUPS = (1, 1, 2, 4, 8)  # query heads that share a key head
HDIMS = ((32, 1), (48, 1), (64, 6), (80, 1), (96, 1), (128, 6), (256, 1))  # (width, weight)
LENGTHS = (16, 49, 64, 77, 128, 197, 256, 384, 512, 577, 1024, 1500, 2048, 4096, 8192, 16384)
BATCHES = (1, 1, 2, 4, 8, 16, 32)
MAX_FLOPS = {"cpu": 4e8, "cuda": 2e12}
LEAST_FLOPS = {"cpu": 4e5, "cuda": 1e6}
# For short budgets: problems that few kernels serve.
SHORT: dict[str, Any] = {"families": ("fwd",), "hdims": (64, 128), "most_bytes": 8e6}


def sample_problems(
    count: int, seed: int = 0, dtypes: Sequence[str] = ("fp32",), device: str = "cpu", most_flops: float | None = None,
    families: Sequence[str] = ("fwd", "bwd"), hdims: Sequence[int] = (), most_bytes: float = 1e9,
) -> list[FmhaProblem]:  # fmt: skip
    """Return `count` distinct problems: a third each full, causal and decoding; a fifth of the longer ones backward.

    >>> found = sample_problems(30, seed=1)
    >>> len(set(p.tuning_key for p in found)), sorted({p.family for p in found})
    (30, ['bwd', 'fwd'])
    """
    rng = random.Random(f"fmha {seed}")
    kind = "cpu" if device == "cpu" else "cuda"
    most = most_flops or MAX_FLOPS[kind]
    widths = [(h, 1) for h in hdims] or HDIMS
    found: dict[str, FmhaProblem] = {}
    while len(found) < count:
        fields = _attention(rng, len(found) % 3)
        fields["hdim_q"] = rng.choices([h for h, _ in widths], [w for _, w in widths])[0]
        if "bwd" in families and fields["seqlen_q"] > 1 and (rng.random() < 0.2 or "fwd" not in families):
            fields |= {"family": "bwd", "lse": True}
        problem = FmhaProblem.from_dict({**fields, "dtype": rng.choice(list(dtypes)), "device": device})
        if LEAST_FLOPS[kind] <= problem.flops <= most and problem.bytes <= most_bytes:
            found.setdefault(problem.tuning_key, problem)
    return list(found.values())


def _attention(rng: random.Random, kind: int) -> dict[str, Any]:
    """Return the sizes of one attention: full (0), causal (1), decoding (2)."""
    heads, group, keys = rng.choice(HEADS), rng.choice(GROUPS), rng.choice(LENGTHS)
    fields = {"batch": rng.choice(BATCHES), "heads_q": heads, "seqlen_q": keys, "seqlen_k": keys}
    fields["heads_kv"] = heads // group if heads % group == 0 else heads
    if kind == 2:
        return {**fields, "seqlen_q": 1}
    return {**fields, "mask": "causal_bottom_right"} if kind == 1 else fields

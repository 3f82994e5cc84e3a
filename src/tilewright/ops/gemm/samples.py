"""Default problems for tuning: a sample of common shapes."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .problem import GemmProblem

# Widths of layers of well-known networks: hidden sizes, heads, vocabularies cut to multiples.
WIDTHS = (64, 128, 256, 320, 384, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144,
          7168, 8192, 11008, 13824, 14336, 18944, 22016, 28672)  # fmt: skip
ROWS = (1, 2, 4, 8, 16, 32, 64, 96, 128, 197, 256, 384, 512, 577, 1024, 2048, 4096, 8192, 16384)
LAYOUTS = (("rcr", 6), ("rrr", 3), ("crr", 1))
MAX_FLOPS = {"cpu": 2.5e8, "cuda": 2.5e12}
LEAST_FLOPS = {"cpu": 2e5, "cuda": 1e7}
# For short budgets: problems that few kernels serve.
SHORT = {"layouts": ("rcr",)}


def sample_problems(
    count: int, seed: int = 0, dtypes: Sequence[str] = ("fp32",), device: str = "cpu", most_flops: float | None = None,
    layouts: Sequence[str] = (),
) -> list[GemmProblem]:  # fmt: skip
    """Return `count` distinct problems: a third like layers, a third of any size, the rest skinny, batched or odd.

    Each dtype and each layout (by default the three usual ones) has its own kernels, which take time to build.

    >>> [p.device for p in sample_problems(2)], len(set(p.tuning_key for p in sample_problems(50, seed=1)))
    (['cpu', 'cpu'], 50)
    """
    rng = random.Random(f"gemm {seed}")
    kind = "cpu" if device == "cpu" else "cuda"
    most = most_flops or MAX_FLOPS[kind]
    found: dict[str, GemmProblem] = {}
    letters = [(x, 1) for x in layouts] or LAYOUTS
    while len(found) < count:
        m, n, k, batch = _shape(rng, len(found) % 6, 4096 if kind == "cpu" else 16384)
        if not LEAST_FLOPS[kind] <= 2.0 * m * n * k * batch <= most:
            continue
        layout = rng.choices([x for x, _ in letters], [w for _, w in letters])[0]
        fields = {"m": m, "n": n, "k": k, "batch": batch, "layout": layout, "dtype": rng.choice(list(dtypes))}
        problem = GemmProblem.from_dict({**fields, "device": device} if kind != "cpu" else fields)
        found.setdefault(problem.tuning_key, problem)
    return list(found.values())


def _shape(rng: random.Random, kind: int, limit: int) -> tuple[int, int, int, int]:
    widths = [w for w in WIDTHS if w <= 2 * limit]
    if kind in (0, 1):
        return rng.choice(ROWS), rng.choice(widths), rng.choice(widths), 1
    if kind in (2, 3):
        m, n, k = (_log_uniform(rng, 16, limit) for _ in range(3))
        return _rounded(rng, m), _rounded(rng, n), _rounded(rng, k), 1
    if kind == 4:
        m, n = rng.randint(1, 64), _rounded(rng, _log_uniform(rng, 32, limit))
        m, n = (m, n) if rng.random() < 0.75 else (n, m)
        return m, n, _rounded(rng, _log_uniform(rng, 32, limit)), 1
    size = [_rounded(rng, _log_uniform(rng, 16, 512)) for _ in range(3)]
    return size[0], size[1], size[2], rng.choice((1, 2, 4, 8, 16))


def _log_uniform(rng: random.Random, low: int, high: int) -> int:
    return int(low * (high / low) ** rng.random() + 0.5)


def _rounded(rng: random.Random, n: int) -> int:
    """Round most sizes to a multiple; leave some as they are."""
    step = rng.choice((1, 8, 16, 32, 64, 64, 128))
    return max(step, round(n / step) * step) if step > 1 else n

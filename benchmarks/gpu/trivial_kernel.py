"""The smallest Triton kernel, to measure what Triton's own launcher costs."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    """x[i] += 1 for the first blocks of x."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)

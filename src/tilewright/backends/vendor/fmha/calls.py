"""The calls of torch's attention kernels, each by its own operator: no choice and no padding of torch's in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....model.device import memory_of
from ....ops.fmha.problem import FmhaProblem
from ..tensors import Layout, dense


def layouts(p: FmhaProblem) -> dict[str, Layout]:
    """Return q, k, v and out as (batch, heads, rows, hdim); the LSE as it is."""
    found = dict[str, Layout]()
    for role in p.roles:
        shape = p.shape(role)
        # One element has any stride: torch takes none that is negative, GPU kernels none that breaks a vector.
        strides = dense(shape, p.stride(role), range(len(shape)))
        if len(shape) == 4:
            order = (0, 2, 1, 3)
            shape, strides = tuple(shape[i] for i in order), tuple(strides[i] for i in order)
        found[role] = shape, strides
    return found


def compute(torch: Any, p: FmhaProblem, library: str) -> Callable[..., None]:
    """Return a function of q, k, v, out and the LSE, if the problem has it."""
    attend = _kernel(torch.ops.aten, p, library)

    def run(q: Any, k: Any, v: Any, out: Any, lse: Any = None) -> None:
        value, sums = attend(q, k, v)[:2]
        out.copy_(value)
        if lse is not None:
            lse.copy_(sums)

    return run


def _kernel(aten: Any, p: FmhaProblem, library: str) -> Callable[[Any, Any, Any], Any]:
    causal, scale = p.mask != "none", p.softmax_scale
    if library == "math":
        return lambda q, k, v: aten._scaled_dot_product_attention_math(q, k, v, None, 0.0, causal, None, scale=scale)
    if memory_of(p.device) == "cpu":
        return lambda q, k, v: aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, scale=scale)
    if library == "flash":
        return lambda q, k, v: aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, False, scale=scale)
    if library == "cudnn":
        return lambda q, k, v: aten._scaled_dot_product_cudnn_attention(
            q, k, v, None, False, 0.0, causal, False, scale=scale
        )
    return lambda q, k, v: aten._scaled_dot_product_efficient_attention(q, k, v, None, False, 0.0, causal, scale=scale)

"""Numbers that describe a convolution to a selection model."""

from __future__ import annotations

from math import log2, prod
from typing import TYPE_CHECKING

from ...model.dtype import get_dtype
from .signature import DIRECTIONS

if TYPE_CHECKING:
    from .problem import ConvProblem


def features(problem: ConvProblem) -> dict[str, float]:
    """Sizes on a logarithmic scale, the implicit product, and what the ratio of work to bytes is.

    >>> from tilewright.ops import get_op
    >>> features(get_op("conv").plain_problem("fp32"))["c_group"]
    64.0
    """
    p = problem
    sizes = {
        "n": p.n, "g": p.g, "c": p.c, "k": p.k, "pixels_in": prod(p.input), "pixels_out": prod(p.output),
        "taps": prod(p.filter), "gemm_m": p.gemm.m, "gemm_n": p.gemm.n, "gemm_k": p.gemm.k, "flops": p.flops,
        "bytes": p.bytes,
    }  # fmt: skip
    return {
        "direction": float(DIRECTIONS.index(p.direction)),
        "dims": float(p.dims),
        "c_group": float(p.c_group),
        "k_group": float(p.k_group),
        "stride": float(prod(p.stride)),
        "dilation": float(prod(p.dilation)),
        "padded": float(any(left or right for left, right in p.pad)),
        "bits": float(get_dtype(p.signature.dtype_read[0]).bits),
        "flops_per_byte": p.flops / max(p.bytes, 1),
        **{f"log2_{name}": log2(value) for name, value in sizes.items()},
    }

"""Rules of thumb: a readable choice without a model."""

from __future__ import annotations

from ....model.device import Device
from ....model.kernel import Candidate
from ....ops.conv.problem import ConvProblem
from ...product_rules import PRODUCTS
from ..gemm.thumb import INNER_ORDER

FEW_CHANNELS = 16
SAME_PLACE = {"planes": "gemm", "stencil": "depthwise"}  # of channels-first images


def preference(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
    """Prefer depthwise in place, merged lanes for few channels per group, a product for 16-bit and 1x1, else direct
    tiles, folded ones for few or dilated channels.
    """
    a, p = candidate.spec.algorithm, problem
    if p.kind == "depthwise" and p.k_group == 1:
        order, why = ("depthwise", "lanes", "direct", "implicit", "gemm", "folded"), "one channel per group"
    elif p.g > 1 and max(p.c_group, p.k_group) < FEW_CHANNELS:
        order, why = ("lanes", "direct", "folded", "implicit", "gemm", "depthwise"), f"{p.c_group} channels per group"
    elif p.kind == "pointwise" or a.inner not in ("fma", "portable"):
        order, why = ("gemm", "implicit", "direct", "folded", "lanes", "depthwise"), "a matrix product"
    elif p.c_group < FEW_CHANNELS or p.dilation[-1] > 1:
        order, why = ("folded", "direct", "implicit", "gemm", "lanes", "depthwise"), "short or distant runs of channels"
    else:
        order, why = ("direct", "folded", "implicit", "gemm", "lanes", "depthwise"), "many channels per group"
    inner = INNER_ORDER[a.inner] if a.pipeline in ("implicit", *PRODUCTS) else 0
    waste = -p.gemm.n % a.nr / max(p.gemm.n, 1)
    place = order.index(SAME_PLACE.get(a.pipeline, a.pipeline))
    return 100.0 * place + 10.0 * inner + waste - 0.001 * a.mr * a.nr, f"{why}: {a.pipeline}"

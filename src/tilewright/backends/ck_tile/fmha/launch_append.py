"""Launch built kernels that append keys and values to a cache, and rotate them and the queries.

It has never run on hardware. CK rotates queries in place: they are copied to the output first.
"""

from __future__ import annotations

from math import ceil, prod
from typing import Any

from ....model.dtype import get_dtype
from ....model.kernel import Candidate
from ....model.tensor import Addresses
from ....ops.fmha.problem import FmhaProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, CodeCall, CopyCall
from .kargs import pack, parts_of
from .launch import NO_LENGTH, common_values, strides_of
from .threads import threads


class AppendStage(GpuStage):
    """One append of a plan."""

    def __init__(self, candidate: Candidate, problem: FmhaProblem, kernels: CkKernels) -> None:
        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            return launches(kernels, driver, problem, addresses)

        super().__init__(kernels, 0, ready)


def launches(kernels: CkKernels, driver: Any, p: FmhaProblem, addresses: Addresses) -> list[Any]:
    """Return the launches of one append, in order.

    A block of CK's kernel appends for its query head, so those of one group would write the same rows: with grouped
    heads one launch appends, a block per key head, and another one rotates the queries.
    """
    spec, a = kernels.spec, kernels.spec.algorithm
    values = append_values(p, addresses)
    parts, function = parts_of("append", spec.signature), kernels.function(driver, "append")

    def call(heads: int, **own: int) -> CodeCall:
        whole = {**values, **own}
        rows = max(ceil(whole["seqlen_q"] / a.tile_m0), ceil(whole["seqlen_knew"] / a.tile_n0))
        return CodeCall(driver, spec.name, function, (rows, heads, p.batch), threads(spec), pack(*parts, whole))

    turned = p.rope != "none"
    if p.heads_q == p.heads_kv:
        calls = [call(p.heads_q)]
    else:
        calls = [call(p.heads_kv, seqlen_q=0, num_head_q=p.heads_kv, nhead_ratio_qk=1)]
        calls += [call(p.heads_q, seqlen_knew=0)] if turned else []
    size = prod(p.shape("q")) * int(get_dtype(p.dtype).bytes)
    return [*([CopyCall(driver, addresses["out"], addresses["q"], size)] if turned else []), *calls]


def append_values(p: FmhaProblem, addresses: Addresses) -> dict[str, Any]:
    """Return the argument values."""
    values = {
        **common_values(p, addresses),
        "q_ptr": addresses.get("out", 0), "knew_ptr": addresses["k_new"], "vnew_ptr": addresses["v_new"],
        "seqlen_q": p.seqlen_q if p.rope != "none" else 0, "seqlen_k": NO_LENGTH, "seqlen_knew": p.seqlen_new,
        "rotary_cos_ptr": addresses.get("cos", 0), "rotary_sin_ptr": addresses.get("sin", 0),
        "rotary_dim": p.rotary_dim, "has_mask": int(p.mask != "none"),
    }  # fmt: skip
    for role, name in (("out", "q"), ("k_new", "knew"), ("v_new", "vnew")):
        if role in p.roles:
            values |= strides_of(p, role, name)
    return values

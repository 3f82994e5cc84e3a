"""The Hopper forward pass on the host: what is compiled (imports triton there), and the order of its tiles."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.signature import FmhaSignature
from ...gpu.call import by_number
from ..source import Source, descriptor, finish, triton_types
from .algorithm import HOPPER_ROWS, TritonFmha, bias_stages, is_narrow, padded, query_stages, replaces_rows
from .kernels.config import HopperForwardConfig

SECTION_BYTES = 16 << 20  # of keys and values of the heads whose rows are walked together


def forward_source(spec: KernelSpec) -> Source:
    """Return the source of a spec whose pipeline is "hopper"."""
    from triton.experimental.gluon.language import DotOperandLayout, NVMMADistributedLayout, NVMMASharedLayout

    from .kernels.hopper_forward import hopper_forward

    s, a = spec.signature, spec.algorithm
    dq, dv = padded(s.hdim_q), padded(s.hdim_v)
    types = triton_types((s.dtype, s.dtype_out))

    def accumulator(columns: int) -> Any:
        return NVMMADistributedLayout([3, 0], [4, 1], [16, columns, 16])

    def described(rows: int, columns: int, dtype: str) -> str:
        block = [1, 1, rows, columns]
        return descriptor(dtype, block, NVMMASharedLayout.get_default_for(block, types[dtype]))

    narrow_q, narrow_v = is_narrow(s.hdim_q), is_narrow(s.hdim_v)
    first = accumulator(128 if narrow_v else dv)
    config = HopperForwardConfig(
        bm=a.tile_m, bn=a.tile_n, dq=dq, dv=dv, consumers=a.tile_m // HOPPER_ROWS, stages=a.stages,
        q_stages=query_stages(s, a), dynamic=draws_tiles(s), turns=a.turns,
        left="window" in s.mask, right=s.mask != "none", top_left=s.mask.endswith("top_left"),
        bias=s.bias != "none", bias_stages=bias_stages(s, a),
        replace=replaces_rows(s, a), lse=s.lse, operand=types[s.dtype], out=types[s.dtype_out],
        score_layout=accumulator(a.tile_n), out_layout=first, p_layout=DotOperandLayout(0, first, 2),
        narrow_q=narrow_q, narrow_v=narrow_v, rest_layout=accumulator(64) if narrow_v else None,
    )  # fmt: skip
    given: dict[str, Any] = {
        "q": described(HOPPER_ROWS, dq, s.dtype), "k": described(a.tile_n, dq, s.dtype),
        "v": described(a.tile_n, dv, s.dtype), "out": described(HOPPER_ROWS, dv, s.dtype_out),
        "window": ("i32", "i32", "i32"), "scale": "fp32",
        **dict.fromkeys(("heads_q", "group", "seqlen_q", "seqlen_k", "tiles", "blocks", "lanes", "section"), "i32"),
    }  # fmt: skip
    if s.lse:
        given |= {"lse": "*fp32", "lse_strides": ("i64", "i64", "i64")}
    if s.bias != "none":
        given |= {"bias": described(HOPPER_ROWS, a.tile_n, s.dtype), "listed": ("*i32", "i32", "i32", "i32")}
    if draws_tiles(s):
        given["counter"] = "*i32"
    return finish(hopper_forward, given, config, {}, num_warps=4)


def draws_tiles(s: FmhaSignature) -> bool:
    """Return whether programs draw tiles from a counter: if a mask makes them differ in length."""
    return s.mask != "none" or s.bias != "none"


def list_bytes(p: FmhaProblem, a: TritonFmha) -> int:
    """Return the size of the lists of blocks of keys that a bias leaves to each block of rows."""
    return 4 * p.bias_batch * p.bias_heads * -(-p.seqlen_q // a.tile_m) * (1 + 2 * -(-p.seqlen_k // a.tile_n))


def list_values(p: FmhaProblem, address: int, blocks: int) -> dict[str, int]:
    """Parameters of lists of up to `blocks` blocks: for the kernels that write them, and the one that walks along
    them."""
    step = 1 + 2 * blocks
    listed = by_number("listed", (address, p.bias_batch, p.bias_heads, step))
    return {**listed, "block_list": address, "list_step": step, "bias_heads": p.bias_heads}


def tile_order(p: FmhaProblem, blocks: int) -> dict[str, int]:
    """Parameters of the walk over tiles; with a mask, rows of several heads are walked together, the longest first: as
    many heads as have their keys in the L2 cache."""
    lanes, section = p.batch * p.heads_q, 1
    if draws_tiles(p.signature):
        keys = p.seqlen_k * (p.hdim_q + p.hdim_v) * 2
        section = max(1, min(lanes, SECTION_BYTES * (p.heads_q // p.heads_kv) // keys))
    return {"tiles": blocks * lanes, "blocks": blocks, "lanes": lanes, "section": section}

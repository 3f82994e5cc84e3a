"""hopper: rules that only this pipeline has."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.rule import Broken, broken, first_broken, rule
from ......ops.gemm.problem import GemmSubject as Subject
from ...algorithm import is_narrowed, view_of

DEPTH = 128  # bytes along K of the slabs that a narrowed tile is made of


@rule("triton.gemm.entry_registers", "compile", "hopper: 8 warps leave no registers for a second block")
def entry_registers(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.blocks_per_unit == 1 or a.warps < 8:
        return None
    got = f"{a.warps} warps with {a.blocks_per_unit} blocks per unit start with 80 registers; wgmma needs 90"
    return broken(got, "use 4 warps, or one block per unit", warps=a.warps)


@rule(
    "triton.gemm.narrowed", "compile", "hopper tile_n of other multiples of 8: 16-bit B, K contiguous, 128 B per step"
)
def narrowed(s: Subject) -> Broken | None:
    a = s.algorithm
    if not is_narrowed(a):
        return None
    view = view_of(s.signature, a)
    dtype = get_dtype(view.b)
    checks = (
        (a.tile_n % (8 * a.cluster) != 0, "shares that are no multiple of 8"),
        (dtype.bits != 16 or dtype.kind != "float", f"operands of {view.b}"),
        (not view.b_k, "a B whose K is not contiguous"),
        (a.tile_k * dtype.bytes != DEPTH, f"{a.tile_k} elements per step; slabs have {DEPTH} bytes"),
    )
    return first_broken(checks, "use a power of two, 96, 160 or 192 columns", f"a tile of {a.tile_n} columns with ")

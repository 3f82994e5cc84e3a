"""hopper: rules that only this pipeline has."""

from __future__ import annotations

from ......model.rule import Broken, broken, rule
from ......ops.gemm.problem import GemmSubject as Subject


@rule("triton.gemm.entry_registers", "compile", "hopper: 8 warps leave no registers for a second block")
def entry_registers(s: Subject) -> Broken | None:
    a = s.spec.algorithm
    if a.blocks_per_unit == 1 or a.warps < 8:
        return None
    got = f"{a.warps} warps with {a.blocks_per_unit} blocks per unit start with 80 registers; wgmma needs 90"
    return broken(got, "use 4 warps, or one block per unit", warps=a.warps)

"""pointer: rules of operands that are read through pointers."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ......model.rule import Broken, broken
from ......ops.gemm.problem import GemmProblem
from ...algorithm import TritonGemm
from ...operands import matrices, seen_by_kernel
from ...pipeline import INT32_LIMIT, Pipeline
from .rules import even_k


class Pointer(Pipeline):
    """Masks, vectors and strides of any kind; a program per tile."""

    has = frozenset({"precision", "even_k", "vector_bytes", "unit", "wide"})
    detour = 2.5
    last_rules = (even_k,)

    def kind(self, spec: KernelSpec) -> str:
        """Return "prologue" for operands that go through steps: a kernel of its own."""
        return "prologue" if spec.signature.has_prologue else "gemm"

    def has_prologues(self, a: TritonGemm) -> bool:
        """Return whether A is A: a transposed product has none."""
        return not a.swap_ab

    def offsets(self, p: GemmProblem, a: TritonGemm) -> Broken | None:
        """Offsets fit 32 bits, unless `wide`."""
        if a.wide:
            return None
        # Rows wrap around modulo their number, so a tile's offsets reach over the whole matrix.
        for x in seen_by_kernel(matrices(p, {"a": 0, "b": 0, "out": 0}), a, None)[:2]:
            reach = sum(abs(stride) * (count - 1) for stride, count in zip(x.strides[1:], x.shape, strict=True))
            if reach >= INT32_LIMIT:
                return broken(f"offsets reach {reach:,} elements >= 2**31", "use wide=True", reach=reach)
        return None


PIPELINE = Pointer()

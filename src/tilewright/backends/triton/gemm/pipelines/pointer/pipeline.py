"""pointer: rules of operands that are read through pointers."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ......model.rule import Broken, broken, rule
from ......ops.gemm.problem import GemmProblem
from ......ops.gemm.problem import GemmSubject as Subject
from ...algorithm import TritonGemm
from ...operands import matrices, seen_by_kernel
from ...pipeline import INT32_LIMIT, Pipeline


@rule("triton.gemm.even_k", "problem", "even_k: K % tile_k == 0; else K is a multiple of the vectors that are read")
def _even_k(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if a.even_k and p.k % a.tile_k:
        return broken(f"K = {p.k} is no multiple of tile_k = {a.tile_k}", "use even_k=False", k=p.k)
    vector = int(a.vector_bytes / max(get_dtype(p.dtype_a).bytes, get_dtype(p.dtype_b).bytes))
    if vector > 1 and p.k % vector:
        got = f"K = {p.k} is no multiple of the {vector} elements read at once"
        return broken(got, "use fewer vector_bytes", k=p.k)
    return None


class Pointer(Pipeline):
    """Masks, vectors and strides of any kind; a program per tile."""

    has = frozenset({"precision", "even_k", "vector_bytes", "unit", "wide"})
    detour = 2.5
    last_rules = (_even_k,)

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

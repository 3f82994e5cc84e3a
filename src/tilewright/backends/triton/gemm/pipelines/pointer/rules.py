"""pointer: rules about problems that only this pipeline has."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.rule import Broken, broken, rule
from ......ops.gemm.problem import GemmSubject as Subject


@rule("triton.gemm.even_k", "problem", "even_k: K % tile_k == 0; else K is a multiple of the vectors that are read")
def even_k(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if a.even_k and p.k % a.tile_k:
        return broken(f"K = {p.k} is no multiple of tile_k = {a.tile_k}", "use even_k=False", k=p.k)
    vector = int(a.vector_bytes / max(get_dtype(p.dtype_a).bytes, get_dtype(p.dtype_b).bytes))
    if vector > 1 and p.k % vector:
        got = f"K = {p.k} is no multiple of the {vector} elements read at once"
        return broken(got, "use fewer vector_bytes", k=p.k)
    return None

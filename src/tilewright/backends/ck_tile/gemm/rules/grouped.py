"""What CK's grouped kernel takes, besides the rules of the universal one that it is made of."""

from __future__ import annotations

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ....gemm_rules import split_of
from .common import say
from .family import ONE_BUFFER, RUN_TIME_ENDINGS, TO_COMPV3
from .problem import MAX_BYTES, operands


@rule(
    "ck_tile.gemm.grouped_pipeline",
    "compile",
    "grouped: pipeline is mem, compv3, compv4 or compv6; persistent: not compv6",
)
def grouped_pipeline(p: Subject) -> Broken | None:
    """Run of ops/gemm/kernel/grouped_gemm_kernel.hpp: every wave stores, and persistent kernels choose the ending."""
    a = p.algorithm
    taken = (*(RUN_TIME_ENDINGS if a.persistent else ONE_BUFFER), "compv4")
    if a.family != "grouped" or a.pipeline in taken:
        return None
    kind = "persistent grouped" if a.persistent else "grouped"
    text = f"CK's {kind} kernel has no {a.pipeline} form; it has {', '.join(taken)}"
    return say([text], TO_COMPV3, pipeline=a.pipeline)


@rule("ck_tile.gemm.grouped_operands", "compile", "grouped: A and the output row-major, plain B, no D operands")
def grouped_operands(p: Subject) -> Broken | None:
    """Groups begin at any row: along columns their vectors would not be aligned. tilewright passes it no D operands."""
    s = p.signature
    if p.algorithm.family != "grouped":
        return None
    faults = [f"layout {s.layout}: groups of rows need A and the output by rows"] if s.layout[::2] != "rr" else []
    if s.d or s.b_format != "plain":
        faults.append(f"{len(s.d)} D operands, B {s.b_format}: groups have plain A, B and output only")
    remedy = "use layout rcr or rrr without D operands, or one product for each group"
    return say(faults, remedy=remedy, layout=s.layout, d=len(s.d)) if faults else None


@rule("ck_tile.gemm.groups", "problem", "family grouped if and only if groups > 0")
def groups(c: Subject) -> Broken | None:
    """The other kernels multiply all rows by one matrix."""
    got, grouped = c.problem.groups, c.algorithm.family == "grouped"
    if grouped == (got > 0):
        return None
    text = f"rows in {got} groups; a kernel of family {c.algorithm.family} multiplies all rows by one matrix"
    if grouped:
        text = "no groups; kernels of family grouped are for rows in groups"
    return say([text], {"family": "universal" if grouped else "grouped"}, groups=got)


@rule("ck_tile.gemm.group_vectors", "problem", "grouped: the matrices of B start at whole vectors")
def group_vectors(c: Subject) -> Broken | None:
    """Vectors of the second matrix would not be aligned."""
    if c.algorithm.family != "grouped" or c.problem.groups < 2:
        return None
    far = c.problem.stride("b")[0]
    vector = max(o.vector for o in operands(c) if o.role == "b")
    if far % vector == 0:
        return None
    text = f"b: matrices {far:,} elements apart % {vector} = {far % vector}"
    return say([text], remedy="pad the matrices, or use one product for each group", far=far)


@rule("ck_tile.gemm.group_split", "problem", "grouped, persistent or compv4: split_k == 1")
def group_split(c: Subject) -> Broken | None:
    """Where a kernel chooses the ending of its main loop there is one device kernel, which stores and does not add."""
    split_k = split_of(c)
    if c.algorithm.family != "grouped" or not c.algorithm.ends_at_run_time or split_k == 1:
        return None
    text = f"split_k {split_k} with a grouped kernel that is persistent or compv4"
    return say([text], remedy="use split_k 1, or compv3 that is not persistent", split_k=split_k)


@rule("ck_tile.gemm.group_count", "problem", "grouped: (M / tile_m + groups) * ceil(N / tile_n) * split_k < 2**31")
def group_count(c: Subject) -> Broken | None:
    """Groups and the blocks of all of them are counted in 32 bits."""
    p, a = c.problem, c.algorithm
    if a.family != "grouped":
        return None
    blocks = (p.m // max(1, a.tile_m) + p.groups) * -(-p.n // max(1, a.tile_n)) * split_of(c)
    if blocks < MAX_BYTES:
        return None
    return say([f"up to {blocks:,} blocks for {p.groups:,} groups"], remedy="split the problem", blocks=blocks)


RULES = (grouped_pipeline, grouped_operands)
PROBLEM_RULES = (groups, group_vectors, group_split, group_count)

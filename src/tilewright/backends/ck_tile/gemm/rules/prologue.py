"""What CK's pipelines take of prologues: the tensors of "multi-ABD" kernels, combined as they are loaded."""

from __future__ import annotations

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from .....ops.gemm.prologue import prologue_label, with_tensor
from ....gemm_rules import split_of
from .common import say
from .problem import leading_of

ELEMENTWISE = ("mem", "compv3", "compv4")  # executed with prologues; compv5 and compv6 have the call, too
DTYPES = ("fp16", "bf16", "fp32")
MAX_D = 5  # the tensors of prologues take the other slots of the ABI


@rule(
    "ck_tile.gemm.prologue_family",
    "compile",
    "prologues: family universal, plain B, not persistent, at most 5 D operands",
)
def prologue_family(p: Subject) -> Broken | None:
    """The arguments of the other families have one tensor for A and one for B."""
    a, s = p.algorithm, p.signature
    if not s.has_prologue:
        return None
    if s.b_format != "plain":
        return say([f"B packed as {s.b_format} with a prologue"], remedy="pass B unpacked", b_format=s.b_format)
    if len(s.d) > MAX_D:
        return say(
            [f"{len(s.d)} D operands with prologues; there are {MAX_D} slots"], remedy="add some beforehand", d=len(s.d)
        )
    if a.family == "universal" and not a.persistent:
        return None
    text = f"CK's kernels of family {a.family} take one tensor for A and one for B"
    if a.family == "universal":
        text = "kernels with prologues are generated with one tile for each block"
    return say([text], {"family": "universal", "persistent": False}, family=a.family)


@rule("ck_tile.gemm.prologue_pipeline", "compile", "prologues: pipeline is mem, compv3 or compv4")
def prologue_pipeline(p: Subject) -> Broken | None:
    """comp_async copies to LDS without registers and asserts that nothing is computed on the way."""
    a = p.algorithm
    if not p.signature.has_prologue or a.pipeline in ELEMENTWISE:
        return None
    text = f"prologues are generated with {', '.join(ELEMENTWISE)}, not with {a.pipeline}"
    fix = {"pipeline": "compv3", "scheduler": "intrawave", "double_smem_buffer": False, "num_wave_groups": 1}
    return say([text], fix, pipeline=a.pipeline)


@rule("ck_tile.gemm.prologue_count", "compile", "prologues in compv4: as many tensors for A as for B")
def prologue_count(p: Subject) -> Broken | None:
    """ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_comp_v4.hpp makes `b_tile_windows` with the size of A's list."""
    s = p.signature
    a, b = len(with_tensor(s.prologue_a)), len(with_tensor(s.prologue_b))
    if p.algorithm.pipeline != "compv4" or a == b:
        return None
    text = f"{a + 1} tensors for A and {b + 1} for B: compv4 of CK 1.2.0 reads as many for B as for A"
    return say([text], {"pipeline": "compv3", "double_smem_buffer": False}, a=a, b=b)


@rule(
    "ck_tile.gemm.prologue_dtype",
    "compile",
    "prologues: A and B are fp16, bf16 or fp32, tensors combined with them have their dtype",
)
def prologue_dtype(p: Subject) -> Broken | None:
    """`MakeGemmTensorViews` of ops/gemm/kernel/universal_gemm_kernel.hpp takes pointers of one type per operand."""
    s = p.signature
    if not s.has_prologue:
        return None
    faults = [f"a prologue of {d}" for d in (s.dtype_a, s.dtype_b) if d not in DTYPES]
    for name, dtype, steps in (("A", s.dtype_a, s.prologue_a), ("B", s.dtype_b, s.prologue_b)):
        others = sorted({x.dtype for x in with_tensor(steps) if x.dtype != dtype})
        faults += [f"{name} of {dtype} combined with {other}" for other in others]
    return (
        say(faults, remedy="convert the tensors first, or use the kernel set reference_gemm", a=s.dtype_a, b=s.dtype_b)
        if faults
        else None
    )


@rule(
    "ck_tile.gemm.prologue_broadcast", "known-miscompile", "tensors of prologues have the shape of A or B: no broadcast"
)
def prologue_broadcast(p: Subject) -> Broken | None:
    """CK 1.2.0 reads all tensors of an operand at the offsets of the first one, for any strides.

    See `load` with an element-wise function in core/tensor/tile_window.hpp: `bottom_tensor_thread_coord`.
    """
    s = p.signature
    if not any(x.broadcast != "none" for x in (*s.prologue_a, *s.prologue_b)):
        return None
    asked = [prologue_label(steps) for steps in (s.prologue_a, s.prologue_b) if steps]
    text = f"prologue {', '.join(asked)}: CK 1.2.0 would read a vector at the offsets of the matrix"
    return say([text], remedy="expand the vector in memory, or use the kernel set reference_gemm", prologues=asked)


@rule("ck_tile.gemm.prologue_strides", "problem", "tensors of prologues have the leading stride of A or B")
def prologue_strides(c: Subject) -> Broken | None:
    """They are read at the offsets of the first tensor; see `prologue_broadcast`."""
    p, s = c.problem, c.signature
    if not s.has_prologue:
        return None
    faults = []
    for role in p.roles:
        if role[0] in "ab" and role[1:].isdigit():
            got, want = leading_of(c, role), leading_of(c, role[0])
            rows, columns = p.shape(role)
            if got != want and min(rows, columns) > 1:
                faults.append(f"{role} has leading stride {got}, {role[0]} {want}; CK 1.2.0 reads both with {want}")
    return say(faults, remedy="give all tensors of an operand the same strides") if faults else None


@rule("ck_tile.gemm.prologue_split", "problem", "prologues: split_k == 1")
def prologue_split(c: Subject) -> Broken | None:
    """IsSupportedArgument of ops/gemm/kernel/gemm_multi_abd_kernel.hpp refuses splits."""
    split_k = split_of(c)
    if not c.signature.has_prologue or split_k == 1:
        return None
    return say([f"split_k {split_k} with a prologue"], remedy="use split_k 1", split_k=split_k)


@rule("ck_tile.gemm.prologue_depth", "problem", "sigmoid in both prologues: K % tile_k == 0")
def prologue_depth(c: Subject) -> Broken | None:
    """Steps beyond K read zeros. A sigmoid makes them 0.5: with two of them their product is not zero."""
    s, unit = c.signature, max(1, c.algorithm.tile_k)
    both = all(any(x.op == "sigmoid" for x in steps) for steps in (s.prologue_a, s.prologue_b))
    if not both or c.problem.k % unit == 0:
        return None
    text = f"K = {c.problem.k:,} % tile_k {unit} = {c.problem.k % unit}, and both operands go through a sigmoid"
    return say([text], remedy="pad K, or apply a sigmoid beforehand", k=c.problem.k)


RULES = (prologue_family, prologue_pipeline, prologue_count, prologue_dtype, prologue_broadcast)
PROBLEM_RULES = (prologue_strides, prologue_split, prologue_depth)

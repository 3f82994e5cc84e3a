"""What CK's kernels for batches and Stream-K take, besides the rules of the universal one that they are made of."""

from __future__ import annotations

from .....model.rule import Broken
from .common import Parts, rule, say
from .problem import MOST_BYTES, Case, operands
from .problem import rule as problem_rule

# Pipelines whose call takes one LDS buffer and serves a kernel with one group of waves.
ONE_BUFFER = ("mem", "compv3", "compv6")


@rule("batched_pipeline", "compile", "batched: pipeline is mem, compv3 or compv6")
def batched_pipeline(p: Parts) -> Broken | None:
    """ops/gemm/kernel/batched_gemm_kernel.hpp calls RunGemm only: one LDS buffer, and every wave stores."""
    a = p.algorithm
    if a.family != "batched" or a.pipeline in ONE_BUFFER:
        return None
    why = "both wave groups would store" if a.pipeline == "compv5" else "it passes one LDS buffer"
    text = f"CK's batched kernel has no {a.pipeline} form ({why}); it has {', '.join(ONE_BUFFER)}"
    fix = {"pipeline": "compv3", "double_smem_buffer": False, "num_wave_groups": 1}
    return say([text], fix, pipeline=a.pipeline)


@rule("batched_persistent", "semantic", "batched: not persistent")
def batched_persistent(p: Parts) -> Broken | None:
    """The kernel computes one tile per block, whatever the traits say: two specs would be one kernel."""
    if p.algorithm.family != "batched" or not p.algorithm.persistent:
        return None
    return say(["CK's batched kernel has no persistent form"], {"persistent": False})


@rule("batched_d", "compile", "batched: no D operands and plain B")
def batched_d(p: Parts) -> Broken | None:
    """Its arguments have no D operands, and tilewright packs no batches of B."""
    s = p.signature
    if p.algorithm.family != "batched" or not (s.d or s.b_format != "plain"):
        return None
    what = f"{len(s.d)} D operands" if s.d else f"B packed as {s.b_format}"
    text = f"{what}: CK's batched kernel takes plain A, B and output only"
    return say([text], remedy="use another backend, or one launch for each product", d=len(s.d), b_format=s.b_format)


@problem_rule("batch", "family batched if and only if batch > 1")
def batch(c: Case) -> Broken | None:
    """The other kernels multiply one pair of matrices; a batch of one is theirs."""
    got, batched = c.problem.batch, c.algorithm.family == "batched"
    if batched == (got > 1):
        return None
    text = f"batch {got} > 1; a kernel of family {c.algorithm.family} multiplies one pair of matrices"
    if batched:
        text = f"batch is {got}; kernels of family batched are for more than one product"
    return say([text], {"family": "universal" if batched else "batched"}, batch=got)


@problem_rule("batch_strides", "batched: matrices of A, B and the output at least rows * columns elements apart")
def batch_strides(c: Case) -> Broken | None:
    """So says IsSupportedArgument of ops/gemm/kernel/batched_gemm_kernel.hpp; a matrix for all products is refused."""
    if c.algorithm.family != "batched":
        return None
    faults = []
    for role in ("a", "b", "out"):
        rows, columns = c.problem.shape(role)
        far = c.problem.stride(role)[0]
        if far < rows * columns:
            faults.append(f"{role}: matrices are {far:,} elements apart; CK asks for {rows} x {columns} at least")
    return say(faults, remedy="give each product matrices of its own, or use another backend") if faults else None


@problem_rule("batch_offsets", "batched: the first element of every matrix is less than 2**31 elements from the first")
def batch_offsets(c: Case) -> Broken | None:
    """The kernel multiplies the number of the product and the stride in 32 bits."""
    if c.algorithm.family != "batched":
        return None
    reach = {o.role: (c.problem.batch - 1) * c.problem.stride(o.role)[0] for o in operands(c)}
    faults = [f"{role} spans {r:,} >= {MOST_BYTES:,} elements" for role, r in reach.items() if r >= MOST_BYTES]
    return say(faults, remedy="split the batch") if faults else None


@problem_rule("batch_vectors", "batched: matrices of A, B and the output start at whole vectors")
def batch_vectors(c: Case) -> Broken | None:
    """CK does not check it: vectors of the second matrix would not be aligned."""
    if c.algorithm.family != "batched":
        return None
    faults = []
    for o in operands(c):
        far = c.problem.stride(o.role)[0]
        if far % o.vector:
            faults.append(f"{o.role}: matrices {far:,} elements apart % {o.vector} = {far % o.vector}")
    return say(faults, remedy="pad the matrices, or use another backend") if faults else None


RULES = (batched_pipeline, batched_persistent, batched_d)
PROBLEM_RULES = (batch, batch_strides, batch_offsets, batch_vectors)

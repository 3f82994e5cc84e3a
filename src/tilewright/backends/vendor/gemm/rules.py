"""What libraries multiply exactly as the reference defines it, without a copy."""

from __future__ import annotations

from ....model.arch import CpuArch
from ....model.rule import Broken, Rule, broken, rule
from ....ops.gemm.problem import GemmProblem, usual_accumulator, usual_out
from ....ops.gemm.problem import GemmSubject as Subject
from ...gemm_rules import no_prologue, unapplied_scalars
from ..rules import PLAIN_ACTIVATIONS, WIDE, gpu_dtypes, library, place
from ..rules import usual_accumulator as same_accumulator

FLOATS = ("fp32", "fp64", "fp16", "bf16")
EIGHT_BIT = ("fp8", "bf8")


@rule(
    "vendor.gemm.dtypes",
    "semantic",
    "A, B and out of one float type (CPUs: 16 bits only if bf16 is native); int8 to int32; fp8 to bf16 on sm_90",
)
def dtypes(s: Subject) -> Broken | None:
    """Refuse types that the library has no product for."""
    g = s.signature
    types = "/".join((g.dtype_a, g.dtype_b, g.dtype_out))
    if s.algorithm.library == "blas":
        fits = g.dtype_a == g.dtype_b == g.dtype_out and g.dtype_a in WIDE
        return None if fits else broken(f"BLAS has no product of {types}", "use fp32 or fp64", types=types)
    if g.dtype_a in EIGHT_BIT:
        there = s.arch.name == "sm_90" and {g.dtype_a, g.dtype_b} <= set(EIGHT_BIT) and g.dtype_out == "bf16"
        both = g.dtype_a == g.dtype_b == "bf8"
        return None if there and not both else broken(f"torch has no product of {types} on {s.arch.name}", types=types)
    if g.dtype_a == "int8":
        fits = g.dtype_b == "int8" and g.dtype_out == usual_out("int8")
    else:
        fits = g.dtype_a == g.dtype_b == g.dtype_out and g.dtype_a in FLOATS
        if fits and isinstance(s.arch, CpuArch) and g.dtype_a not in WIDE:
            fits = g.dtype_a == "bf16" and "bf16" in s.arch.ops_per_cycle
            types = types if fits else f"{types} in the vector units of {s.arch.name}"
    return None if fits else broken(f"torch has no product of {types}", "use one type for all", types=types)


@rule("vendor.gemm.accumulator", "semantic", "dtype_acc is the usual one of the operands")
def accumulator(s: Subject) -> Broken | None:
    """Refuse accumulators that cannot be chosen."""
    return same_accumulator(s.signature.dtype_acc, usual_accumulator(s.signature.dtype_a))


@rule("vendor.gemm.plain_b", "semantic", "b_format == plain")
def plain_b(s: Subject) -> Broken | None:
    """Refuse packed weights."""
    if s.signature.b_format != "plain":
        return broken(f"B is packed as {s.signature.b_format}", "pass the matrix itself")
    return None


@rule("vendor.gemm.scales", "semantic", "8-bit floats: one scale per tensor, or per row of both; others: none")
def scales(s: Subject) -> Broken | None:
    """Refuse scales that the library does not multiply with."""
    g = s.signature
    kinds = (g.scale_a, g.scale_b)
    fits = kinds in (("tensor", "tensor"), ("row", "row")) if g.dtype_a in EIGHT_BIT else kinds == ("none", "none")
    return (
        None if fits else broken(f"scales {kinds[0]} of A and {kinds[1]} of B for {g.dtype_a}", "scale before or after")
    )


@rule("vendor.gemm.epilogue", "semantic", "at most one d, added, of out's type; 16 bits: relu, relu6; integers: none")
def epilogue(s: Subject) -> Broken | None:
    """Refuse what would be rounded twice, or would overwrite a d operand in the memory of `out` before it is read."""
    g = s.signature
    if g.d and (len(g.d) > 1 or g.combine != "add"):
        return broken(f"{len(g.d)} d operands, combine {g.combine}; libraries add at most 1", "", d=len(g.d))
    if g.d and g.d[0].dtype != g.dtype_out:
        return broken(f"d has dtype {g.d[0].dtype}; libraries need that of out, {g.dtype_out}")
    only = ("none",) if g.dtype_a in (*EIGHT_BIT, "int8") else None if g.dtype_out in WIDE else PLAIN_ACTIVATIONS
    if only is not None and g.activation not in only:
        return broken(f"{g.activation} after rounding to {g.dtype_out} rounds twice", f"use one of {', '.join(only)}")
    if s.algorithm.library == "blas" and g.activation not in PLAIN_ACTIVATIONS:
        return broken(f"BLAS has no {g.activation}", f"use one of {', '.join(PLAIN_ACTIVATIONS)}")
    return broken("a d operand beside 8-bit operands") if g.d and only == ("none",) else None


@rule("vendor.gemm.scalars", "problem", "alpha != 0, == 1 for 8-bit operands; split_k is null or 1")
def scalars(s: Subject) -> Broken | None:
    """Refuse a constraint that the library cannot keep."""
    p = s.problem
    if p.split_k not in (None, 1):
        return broken(f"split_k is {p.split_k}; libraries choose for themselves", "leave it null", split_k=p.split_k)
    if p.dtype_a in (*EIGHT_BIT, "int8") and p.epilogue.alpha != 1.0:
        return broken(f"alpha is {p.epilogue.alpha} for {p.dtype_a}", "scale afterwards", alpha=p.epilogue.alpha)
    if p.epilogue.alpha == 0.0:
        return broken("alpha is 0: some libraries then leave `out` as it was", "fill it with d", alpha=0.0)
    return None


@rule(
    "vendor.gemm.gpu_d",
    "problem",
    "on GPUs: d is a vector along N, out dense by rows, alpha == beta == 1, batch 1; M, N, K > 1",
)
def gpu_d(s: Subject) -> Broken | None:
    """Refuse d operands that are not added inside of the product: cuBLAS may round the product before it adds them."""
    p = s.problem
    if not p.d or isinstance(s.arch, CpuArch) or (is_bias(p) and min(p.m, p.n, p.k) > 1):
        return None
    got = f"d with broadcast {p.d[0].broadcast}, alpha {p.epilogue.alpha}, beta {p.epilogue.beta}, batch {p.batch}"
    got += f", out with strides {p.stride('out')[1:]}"
    return broken(f"{got}: {p.m} x {p.n} x {p.k}", "add it afterwards", m=p.m, n=p.n, k=p.k)


@rule("vendor.gemm.strides", "problem", "each matrix has one stride of 1, and a leading one >= its rows or columns")
def strides(s: Subject) -> Broken | None:
    """Refuse strides for which the library would copy a matrix first."""
    p = s.problem
    for role in ("a", "b", "out", *(f"d{i}" for i in range(len(p.d)))):
        _, row, col = p.stride(role)
        rows, cols = p.shape(role)
        if role[0] == "d":  # it is read one by one: any stride is fine but a negative one, which torch does not have
            fits = row >= 0 and col >= 0
        else:
            along_rows = (cols == 1 or col == 1) and (rows == 1 or row >= cols)
            fits = along_rows or ((rows == 1 or row == 1) and (cols == 1 or col >= rows))
        if not fits:
            return broken(f"{role} has strides ({row}, {col}) for {rows} x {cols}: it would be copied", "make it dense")
        if p.batch > 1 and p.stride(role)[0] < 0:
            return broken(f"{role} has the batch stride {p.stride(role)[0]}", "use a stride >= 0")
    return None


@rule(
    "vendor.gemm.eight_bit",
    "problem",
    "8-bit operands: batch 1; CPU: out dense; GPU: A by rows, B by columns, K and N multiples of 16",
)
def eight_bit(s: Subject) -> Broken | None:
    """Refuse what `_int_mm` and `_scaled_mm` refuse."""
    p = s.problem
    if p.dtype_a not in (*EIGHT_BIT, "int8"):
        return None
    if p.batch > 1:
        return broken(f"{p.batch} products of {p.dtype_a}", "multiply them one by one", batch=p.batch)
    if p.dtype_a == "int8" and isinstance(s.arch, CpuArch):
        _, row, col = p.stride("out")
        fits = (p.n == 1 or col == 1) and (p.m == 1 or row == p.n)
        return None if fits else broken(f"out has strides ({row}, {col}); torch needs ({p.n}, 1)", "make it dense")
    if p.dtype_a == "int8" and p.m <= 16:
        return broken(f"{p.m} rows of int8 on a GPU; torch needs more than 16", "", m=p.m)
    if p.k % 16 or p.n % 16:
        return broken(f"K {p.k} and N {p.n} must be multiples of 16", "pad them", k=p.k, n=p.n)
    return _wanted_order(p)


@rule("vendor.gemm.groups", "problem", "groups == 0")
def groups(s: Subject) -> Broken | None:
    """Refuse rows in groups: no library is called for them."""
    count = s.problem.groups
    return broken(f"rows in {count} groups", "multiply them one by one", groups=count) if count else None


def is_bias(p: GemmProblem) -> bool:
    """Return whether the d operand is a vector that cuBLASLt adds inside of the product, as torch asks it to."""
    plain = p.epilogue.alpha == p.epilogue.beta == 1.0 and p.batch == 1 and p.stride("out")[1:] == (p.n, 1)
    return plain and p.d[0].broadcast == "row" and p.stride("d0")[2] == 1


def _wanted_order(p: GemmProblem) -> Broken | None:
    by_rows = p.stride("a")[2] == 1 and p.stride("b")[1] == 1 and p.stride("out")[2] == 1
    return None if by_rows else broken(f"layout {p.layout}", "use rcr: A by rows, B by columns", layout=p.layout)


RULES: tuple[Rule, ...] = (
    library, gpu_dtypes, dtypes, accumulator, plain_b, no_prologue("vendor.gemm"),
    scales, epilogue, place, scalars, gpu_d, strides, eight_bit, groups,
    *unapplied_scalars("vendor.gemm"),
)  # fmt: skip

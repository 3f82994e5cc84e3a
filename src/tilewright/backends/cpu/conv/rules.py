"""When a CPU convolution kernel is legal: dtypes, instruction sets, registers, and properties of the problem."""

from __future__ import annotations

from math import prod

from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, rule
from ....ops.conv.layout import is_channels_last
from ....ops.conv.problem import ConvSubject as Subject
from ...gemm_rules import unapplied_scalars
from ...product_rules import PRODUCTS, kernel_broken, product_rule
from ..gemm.rules import AMX_INNERS, cpu_arch
from ..gemm.rules import RULES as GEMM_RULES
from ..units import CPP_TYPES
from .algorithm import gemm_spec

GEMM_PROBLEM_RULES = tuple(r for r in GEMM_RULES if r.kind == "problem")
VECTOR_PIPELINES = ("direct", "lanes", "depthwise", "folded", "stencil")
VECTOR_INNERS = ("portable", "fma")
MAX_FILTER_ROWS = 128
EXACT_SUM = 1024  # this many products of int8 add up exactly in float32


def _own(s: Subject) -> bool:
    """Return whether the kernel is a convolution kernel, not a product of the gemm backend."""
    return bool(s.algorithm.pipeline not in PRODUCTS)


@rule("cpu.conv.gemm_kernel", "compile", "pipelines gemm, planes: the rules of the gemm backend hold for its kernel")
def gemm_kernel(s: Subject) -> Broken | None:
    if _own(s):
        return None
    return kernel_broken(GEMM_RULES, gemm_spec(s.spec), s.arch)


gemm = product_rule("cpu.conv.gemm", GEMM_PROBLEM_RULES, gemm_spec)


@rule("cpu.conv.dtype", "semantic", "all dtypes have C++ types; floats accumulate in fp32; int8 only forward, to int32")
def dtypes(s: Subject) -> Broken | None:
    g = s.signature
    named = [g.dtype_input, g.dtype_weight, g.dtype_output, *(d.dtype for d in g.d)]
    bad = sorted({n for n in named if n not in CPP_TYPES})
    if bad:
        return broken(f"no C++ type for {', '.join(bad)}", f"use {', '.join(CPP_TYPES)}", dtypes=named)
    kinds = {get_dtype(d).kind for d in (*g.dtype_read, g.dtype_acc)}
    if len(kinds) != 1 or "int32" in g.dtype_read:
        return broken(
            f"{' x '.join(g.dtype_read)} into {g.dtype_acc}", "floats into fp32, int8 into int32", dtypes=named
        )
    if "int" in kinds and g.direction != "forward":
        return broken(f"int8 has no {g.direction}", "use forward, or a float dtype", dtypes=named)
    return None


@rule("cpu.conv.inner", "hardware", "the arch has the inner for both dtypes; implicit: any, others: vector FMA")
def inner(s: Subject) -> Broken | None:
    g, a, arch = s.signature, s.algorithm, cpu_arch(s)
    if not _own(s):
        return None
    if a.pipeline in VECTOR_PIPELINES and a.inner not in VECTOR_INNERS:
        return broken(f"the {a.pipeline} pipeline has no {a.inner}", "use fma, or the implicit pipeline", inner=a.inner)
    takes = arch.inners.get(a.inner)
    if takes is None:
        got = f"{arch.name} has no {a.inner}; it has {', '.join(arch.inners)}"
        return broken(got, "use one of those", inner=a.inner)
    if any(d not in takes for d in g.dtype_read):
        return broken(f"{a.inner} takes {', '.join(takes)}, not {' x '.join(g.dtype_read)}", "use fma", inner=a.inner)
    return None


@rule(
    "cpu.conv.split_precision", "semantic", "amx_bf16x3 (products accurate to 2^-16) only if the result has <= 16 bits"
)
def split_precision(s: Subject) -> Broken | None:
    out = s.signature.dtype(s.signature.result)
    if s.algorithm.inner == "amx_bf16x3" and get_dtype(out).bits > 16:
        return broken(f"{out} would show the products' error of 2^-16", "use fma", out=out)
    return None


@rule(
    "cpu.conv.registers",
    "hardware",
    "(mr + 1)*tall*(nr/lanes) + 1 <= vector registers (+ 0 if it multiplies from memory); nr % lanes == 0",
)
def registers(s: Subject) -> Broken | None:
    a, arch = s.algorithm, cpu_arch(s)
    if a.inner in AMX_INNERS or not _own(s):
        return None
    if a.nr % arch.lanes:
        return broken(
            f"nr {a.nr} is not a multiple of {arch.lanes} lanes ({arch.name})", "use such a multiple", nr=a.nr
        )
    columns = a.nr // arch.lanes * a.tall
    broadcast = 0 if arch.broadcast_operands and a.pipeline != "implicit" else 1
    need = a.mr * columns + columns + broadcast
    if need > arch.vector_registers:
        got = f"{need} registers > {arch.vector_registers} ({arch.name}, {a.mr}x{a.nr})"
        return broken(got, "use a smaller mr or nr", need=need)
    return None


@rule("cpu.conv.tiles", "hardware", "mr, nr % 16 == 0 and (mr/16)*(nr/16) + mr/16 + 1 <= 8 AMX tiles; kc % 64 == 0")
def amx_tiles(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.inner not in AMX_INNERS or not _own(s):
        return None
    need = (a.mr // 16) * (a.nr // 16) + a.mr // 16 + 1
    if a.mr % 16 or a.nr % 16 or need > 8 or a.kc % 64:
        return broken(f"{a.mr}x{a.nr} needs {need} of 8 tiles of 16x16", "use 32x32, 16x64 or smaller", need=need)
    return None


@rule(
    "cpu.conv.shape",
    "compile",
    "lanes: nr is a register; direct backward_weight: mr <= lanes; tall: depthwise data, stencil; int8 fma: kc <= 1024",
)
def shape(s: Subject) -> Broken | None:
    g, a, width = s.signature, s.algorithm, cpu_arch(s).lanes
    if a.pipeline == "lanes" and a.nr != width:
        return broken(f"nr {a.nr}: lanes computes one register of {width} channels", f"use nr = {width}", nr=a.nr)
    if a.pipeline == "direct" and g.direction == "backward_weight" and a.mr > width:
        return broken(f"mr {a.mr} > {width} channels of a register", f"use mr <= {width}", mr=a.mr)
    if a.tall > 1 and (a.pipeline not in ("depthwise", "stencil") or g.direction == "backward_weight"):
        return broken(f"tall {a.tall}: {a.pipeline} {g.direction} works row by row", "use tall = 1", tall=a.tall)
    if a.inner in VECTOR_INNERS and g.dtype_acc == "int32" and a.kc > EXACT_SUM:
        return broken(
            f"kc {a.kc} > {EXACT_SUM}: int8 products summed in fp32 would lose bits", "use kc <= 1024", kc=a.kc
        )
    return None


@rule(
    "cpu.conv.merged",
    "problem",
    "lanes: merge x channels per group <= lanes; groups are contiguous in memory",
)
def merged(s: Subject) -> Broken | None:
    p, width = s.problem, cpu_arch(s).lanes
    if s.algorithm.pipeline != "lanes":
        return None
    widest, merge = max(p.c_group, p.k_group), s.algorithm.merge
    if widest * merge > width:
        got = f"{merge} groups of {widest} channels > {width} lanes"
        return broken(got, "merge fewer groups, or use direct or implicit", channels=widest, merge=merge)
    for role in p.roles:
        strides, extents = p.stride_of(role), p.extents(role)
        at = 0 if role == "weight" or (role[0] == "d" and p.result == "weight") else 1
        if extents[at] > 1 and extents[at + 1] > 1 and strides[at] != extents[at + 1] * strides[at + 1]:
            return broken(
                f"{role} has strides {strides}: groups are not contiguous", "use direct or implicit", role=role
            )
    return None


@rule("cpu.conv.depthwise", "problem", "depthwise: one channel in and out per group, channels-last with unit stride")
def depthwise(s: Subject) -> Broken | None:
    p = s.problem
    if s.algorithm.pipeline != "depthwise":
        return None
    if p.c_group != 1 or p.k_group != 1 or p.g == 1:
        return broken(f"{p.g} groups of {p.c_group} -> {p.k_group} channels", "use lanes, direct or implicit", g=p.g)
    if not is_channels_last(p.layout) or any(p.stride_of(r)[1] != 1 for r in ("input", "output")):
        return broken(f"layout {p.layout}: channels are not contiguous", "use lanes", layout=p.layout)
    return None


@rule("cpu.conv.stencil", "problem", "stencil: one channel in and out per group, pixels with unit stride, no 3-D")
def stencil(s: Subject) -> Broken | None:
    p = s.problem
    if s.algorithm.pipeline != "stencil":
        return None
    if p.c_group != 1 or p.k_group != 1 or p.g == 1 or p.dims == 3:
        return broken(f"{p.g} groups of {p.c_group} -> {p.k_group} channels, {p.dims}-D", "use lanes or direct", g=p.g)
    if any(p.stride_of(r)[-1] != 1 for r in ("input", "output")):
        return broken(f"layout {p.layout}: pixels are not contiguous", "use depthwise or lanes", layout=p.layout)
    return None


@rule("cpu.conv.filter_rows", "problem", f"all but implicit, gemm: filter depth x height <= {MAX_FILTER_ROWS}")
def filter_rows(s: Subject) -> Broken | None:
    rows = prod(s.problem.filter[:-1])
    if s.algorithm.pipeline in VECTOR_PIPELINES and rows > MAX_FILTER_ROWS:
        return broken(f"the filter has {rows} rows > {MAX_FILTER_ROWS}", "use the implicit pipeline", rows=rows)
    return None


@rule("cpu.conv.exact", "problem", f"int8, all but implicit, gemm: at most {EXACT_SUM} products per result")
def exact(s: Subject) -> Broken | None:
    length = s.problem.gemm.k
    vector = s.algorithm.pipeline in VECTOR_PIPELINES
    if vector and s.signature.dtype_acc == "int32" and length > EXACT_SUM:
        return broken(
            f"{length} products of int8 do not add up exactly in fp32", "use the implicit pipeline", length=length
        )
    return None


@rule("cpu.conv.split_k", "problem", "split_k only for backward_weight: the number of shares of the pixels")
def split_k(s: Subject) -> Broken | None:
    asked = s.problem.split_k
    if asked not in (None, 1) and s.problem.direction != "backward_weight":
        return broken(f"split_k {asked} for {s.problem.direction}", "leave split_k out", split_k=asked)
    return None


RULES: tuple[Rule, ...] = (
    gemm_kernel, dtypes, inner, split_precision, registers, amx_tiles, shape, merged, depthwise, stencil, filter_rows,
    exact, gemm, split_k, *unapplied_scalars("cpu.conv"),
)  # fmt: skip

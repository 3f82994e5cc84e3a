"""When a CPU GEMM kernel is legal: dtypes, instruction sets, registers, multiples, and properties of the problem."""

from __future__ import annotations

from math import prod
from typing import Any

from ....model.arch import CpuArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, rule
from ....model.rule import Subject as RuleSubject
from ....ops.gemm.problem import GemmSubject as Subject
from ....settings import MAX_THREADS
from ...gemm_rules import no_prologue, unapplied_scalars
from ..units import CPP_TYPES
from .lower import ACCUMULATORS
from .packed import packed_format

VECTOR_INNERS = ("portable", "fma", "vnni", "dot")
AMX_INNERS = ("amx", "amx_bf16x3")
FEW_COLUMNS = 4  # up to this many, the kernel transposes the problem and streams A
SKINNY_ROWS = 16  # the skinny pipeline reads B once per 16 rows: for more rows the tiled one is faster


def cpu_arch(s: RuleSubject[Any]) -> CpuArch:
    """Return the arch that a kernel of the CPU backend is checked for."""
    assert isinstance(s.arch, CpuArch), s.arch.name
    return s.arch


@rule("cpu.gemm.dtype", "semantic", "A, B, D, out have C++ types; floats accumulate in fp32, int8 in int32")
def dtypes(s: Subject) -> Broken | None:
    g = s.signature
    named = [g.dtype_a, g.dtype_b, g.dtype_out, *(d.dtype for d in g.d)]
    bad = sorted({n for n in named if n not in CPP_TYPES} | ({g.dtype_acc} - set(ACCUMULATORS)))
    if bad:
        return broken(f"no C++ type for {', '.join(bad)}", f"use {', '.join(CPP_TYPES)}", dtypes=named)
    if len({get_dtype(d).kind for d in (g.dtype_a, g.dtype_b, g.dtype_acc)}) != 1 or "int32" in (g.dtype_a, g.dtype_b):
        got = f"A is {g.dtype_a}, B is {g.dtype_b}, the accumulator {g.dtype_acc}"
        return broken(got, "multiply floats with floats into fp32, or int8 with int8 into int32", dtypes=named)
    if g.dtype_out == "int32" and g.dtype_acc != "int32":
        return broken(f"a {g.dtype_acc} accumulator gives no int32 output", "use a float output", dtypes=named)
    return None


@rule("cpu.gemm.block_scale", "semantic", "scales per tensor or row, not per block of k")
def block_scale(s: Subject) -> Broken | None:
    g = s.signature
    asked = {name: getattr(g, name) for name in ("scale_a", "scale_b") if getattr(g, name) == "block"}
    if not asked:
        return None
    got = f"{' and '.join(asked)} per block of {g.scale_block}; CPU kernels apply factors after the sum over k"
    return broken(got, "use factors per row, a GPU, or the kernel set reference_gemm", **asked)


@rule("cpu.gemm.inner", "hardware", "the arch has the inner's instructions for both operand dtypes")
def inner(s: Subject) -> Broken | None:
    g, a, arch = s.signature, s.algorithm, cpu_arch(s)
    takes = arch.inners.get(a.inner)
    if takes is None:
        return broken(
            f"{arch.name} has no {a.inner}; it has {', '.join(arch.inners)}", "use one of those", inner=a.inner
        )
    if g.dtype_a not in takes or g.dtype_b not in takes:
        other = [i for i, t in arch.inners.items() if g.dtype_a in t and g.dtype_b in t]
        got = f"{a.inner} takes {', '.join(takes)}, not {g.dtype_a} x {g.dtype_b}"
        return broken(got, f"use {' or '.join(other)}" if other else "convert the operands first", inner=a.inner)
    return None


@rule("cpu.gemm.split_precision", "semantic", "amx_bf16x3 (products accurate to 2^-16) only if out has at most 16 bits")
def split_precision(s: Subject) -> Broken | None:
    out = s.signature.dtype_out
    if s.algorithm.inner == "amx_bf16x3" and get_dtype(out).bits > 16:
        return broken(f"{out} output would show the products' error of 2^-16", "use fma, or a 16-bit output", out=out)
    return None


@rule(
    "cpu.gemm.registers",
    "hardware",
    "mr*v + v + 1 <= vector registers (vector inners), v = nr/lanes, or nr for dot products (skinny, B along k)",
)
def registers(s: Subject) -> Broken | None:
    a, arch = s.algorithm, cpu_arch(s)
    core = skinny_core(s)
    if a.inner not in VECTOR_INNERS or core == "lanes":
        return None
    columns = a.nr if core == "dot" else -(-a.nr // arch.lanes)
    need = a.mr * columns + columns + 1
    if need <= arch.vector_registers:
        return None
    fits = (arch.vector_registers - 1 - columns) // columns
    remedy = f"use mr <= {fits}" if fits >= 1 else "use a smaller nr"
    return broken(f"{need} registers > {arch.vector_registers} ({arch.name}, {a.mr}x{a.nr})", remedy, need=need)


@rule(
    "cpu.gemm.tiles", "hardware", "mr, nr % 16 == 0 and (mr/16)*(nr/16) + mr/16 + 1 <= 8 AMX tiles (skinny: mr == 16)"
)
def amx_tiles(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.inner not in AMX_INNERS:
        return None
    rows, columns = a.mr // 16, a.nr // 16
    need = rows * columns + rows + 1
    if a.mr % 16 or a.nr % 16 or a.nr == 0 or need > 8:
        return broken(
            f"{a.mr}x{a.nr} needs {need} of 8 tiles of 16x16", "use 16x16 .. 16x96, 32x16 or 32x32", mr=a.mr, nr=a.nr
        )
    if a.pipeline == "skinny" and a.mr != 16:
        return broken(f"mr {a.mr}: a skinny AMX kernel has one row of tiles", "use mr = 16", mr=a.mr)
    return None


@rule("cpu.gemm.lane_tiles", "compile", "mr % 4 == 0 and mr*v + v + mr/4 <= vector registers, v = nr/lanes (tiled dot)")
def lane_tiles(s: Subject) -> Broken | None:
    a, arch = s.algorithm, cpu_arch(s)
    if a.inner != "dot" or a.pipeline != "tiled":
        return None
    need = (a.mr + 1) * -(-a.nr // arch.lanes) + a.mr // 4
    if a.mr % 4 or need > arch.vector_registers:
        got = f"{a.mr}x{a.nr} needs {need} of {arch.vector_registers} registers, four rows in one of them"
        return broken(got, "use a multiple of 4 rows, such as 8x12 with 128 bits", mr=a.mr, nr=a.nr)
    return None


@rule("cpu.gemm.pair_tiles", "compile", "mr, nr % 4 == 0 and (mr/2)*(nr/2) + mr/2 + 2 <= vector registers (mm)")
def pair_tiles(s: Subject) -> Broken | None:
    a, arch = s.algorithm, cpu_arch(s)
    if a.inner != "mm":
        return None
    need = (a.mr // 2) * (a.nr // 2) + a.mr // 2 + 2
    if a.mr % 4 or a.nr % 4 or a.nr == 0 or need > arch.vector_registers:
        got = f"{a.mr}x{a.nr} in blocks of 2x2 needs {need} of {arch.vector_registers} registers"
        return broken(got, "use 8x12, 8x8 or 4x16", mr=a.mr, nr=a.nr)
    return None


@rule("cpu.gemm.multiples", "compile", "nr % lanes == 0 for vector inners (skinny with B along k: nr even)")
def multiples(s: Subject) -> Broken | None:
    a, arch = s.algorithm, cpu_arch(s)
    if a.inner not in VECTOR_INNERS or skinny_core(s) in ("dot", "lanes"):
        return None
    if a.nr % arch.lanes == 0:
        return None
    return broken(f"nr {a.nr} is not a multiple of {arch.lanes} lanes ({arch.name})", "use such a multiple", nr=a.nr)


def skinny_core(s: Subject) -> str | None:
    """Return the core of the skinny pipeline of a spec: amx, rows, lanes or dot; None for other pipelines."""
    g, a = s.signature, s.algorithm
    if a.pipeline != "skinny":
        return None
    if a.inner == "amx":
        return "amx"
    if g.b_format != "plain" or g.layout[1] == "r":
        return "rows"
    return "lanes" if a.mr % cpu_arch(s).lanes == 0 and a.mr >= 8 and a.inner != "vnni" else "dot"


@rule(
    "cpu.gemm.skinny_lanes",
    "compile",
    "nr even, kc % nr == kc % lanes == 0, ceil(kc*size/64)*nr <= kc; Arm: (nr+1)*mr/lanes < registers (skinny lanes)",
)
def skinny_lanes(s: Subject) -> Broken | None:
    a, width = s.algorithm, cpu_arch(s).lanes
    if skinny_core(s) != "lanes":
        return None
    lines = -(-int(a.kc * get_dtype(s.signature.dtype_b).bytes) // 64)
    need, arch = (a.nr + 1) * a.mr // width + 1, cpu_arch(s)
    if arch.kind == "arm" and need > arch.vector_registers:
        return broken(
            f"{need} registers > {arch.vector_registers} ({arch.name})", "use dot products: mr = 4", need=need
        )
    if a.nr % 2 or a.kc % a.nr or a.kc % width:
        return broken(f"kc {a.kc}, nr {a.nr}, {width} lanes", "use an even nr that divides kc", kc=a.kc, nr=a.nr)
    if lines * a.nr > a.kc:
        got = f"{lines} cache lines x nr {a.nr} > kc {a.kc}: a block is not fetched in one pass"
        return broken(got, f"use nr <= {a.kc // lines}", lines=lines, nr=a.nr)
    return None


@rule(
    "cpu.gemm.skinny_inner",
    "compile",
    "the skinny pipeline has no amx_bf16x3, no mm, dot for int8 only (B along k: mr < 8); mr <= 16",
)
def skinny_inner(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.pipeline != "skinny":
        return None
    bytes_only = a.inner == "dot" and (s.signature.dtype_b != "int8" or skinny_core(s) == "lanes")
    if a.inner in ("amx_bf16x3", "mm") or bytes_only or a.mr > 16:
        return broken(f"skinny with {a.inner}, mr {a.mr}", "use fma with mr <= 16", inner=a.inner, mr=a.mr)
    return None


@rule(
    "cpu.gemm.blocks",
    "compile",
    "kc % 64 == 0 unless fma, kc <= 1024 for int8 through fp32; mc >= mr, nc >= nr (tiled; 0: the launch decides)",
)
def blocks(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    short = 4 if cpu_arch(s).kind == "arm" and skinny_core(s) == "rows" else 16  # of a skinny kernel
    step = 64 if a.inner in (*AMX_INNERS, "vnni", "dot", "mm") else short if a.pipeline == "skinny" else 1
    least = 0 if a.pipeline == "tiled" else 1
    if a.kc < least or a.kc % step:
        return broken(
            f"kc {a.kc} is not a positive multiple of {step} ({a.inner})", f"use a multiple of {step}", kc=a.kc
        )
    if g.dtype_acc == "int32" and a.inner in ("portable", "fma") and a.kc > 1024:
        return broken(f"kc {a.kc} > 1024: int8 products summed in fp32 would lose bits", "use kc <= 1024", kc=a.kc)
    if a.pipeline == "tiled" and (0 < a.mc < a.mr or a.mc < 0 or a.nc < a.nr):
        return broken(f"blocks {a.mc}x{a.nc} < register tile {a.mr}x{a.nr}", "enlarge mc or nc", mc=a.mc, nc=a.nc)
    return None


@rule(
    "cpu.gemm.packing",
    "compile",
    "A or B in place only as stored (fp32 for fma, bf16/int8 A for amx); packed B: not again",
)
def packing(s: Subject) -> Broken | None:
    g, a = s.signature, s.algorithm
    if a.pipeline != "tiled":
        return None
    in_place_a = {"fma": ("fp32",), "portable": ("fp32",), "amx": ("bf16", "int8")}.get(a.inner, ())
    in_place_b = {"fma": ("fp32",), "portable": ("fp32",)}.get(a.inner, ())
    if not a.pack_a and g.dtype_a not in in_place_a:
        return broken(f"{g.dtype_a} with {a.inner} reads A from panels", "set pack_a", pack_a=a.pack_a)
    if g.b_format != "plain":
        return (
            None
            if a.pack_b
            else broken("B is already packed, pack_b = false has no effect", "leave pack_b at its default")
        )
    if not a.pack_b and g.dtype_b not in in_place_b:
        return broken(f"{g.dtype_b} with {a.inner} reads B from panels", "set pack_b", pack_b=a.pack_b)
    if not a.pack_b and g.layout[1] != "r":
        return broken("B is read in place along n, but it is column-major", "set pack_b", layout=g.layout)
    return None


@rule("cpu.gemm.packed_b", "semantic", "b_format is plain, or the format of this inner, dtype and nr")
def packed_b(s: Subject) -> Broken | None:
    g, own = s.signature, packed_format(s.signature, s.algorithm)
    if g.b_format in ("plain", own):
        return None
    return broken(f"B is packed as {g.b_format}, this kernel reads {own}", f"preshuffle B for {own}", want=own)


@rule("cpu.gemm.unit_stride", "problem", "B read in place needs unit stride along n")
def unit_stride(s: Subject) -> Broken | None:
    g, a, p = s.signature, s.algorithm, s.problem
    if a.pipeline == "tiled" and not a.pack_b and g.b_format == "plain" and p.n > 1 and p.stride("b")[2] != 1:
        return broken(
            f"b has column stride {p.stride('b')[2]}, not 1", "use a kernel that packs B", stride=p.stride("b")
        )
    return None


@rule("cpu.gemm.skinny_rows", "problem", f"m <= {SKINNY_ROWS} or n <= {FEW_COLUMNS} (skinny)")
def skinny_rows(s: Subject) -> Broken | None:
    p = s.problem
    if s.algorithm.pipeline == "skinny" and p.m > SKINNY_ROWS and p.n > FEW_COLUMNS:
        got = f"{p.m} rows > {SKINNY_ROWS}: B would be read again and again"
        return broken(got, "use the tiled pipeline", rows=p.m)
    return None


@rule("cpu.gemm.groups", "problem", "groups == 0: `grouped_gemm` multiplies the groups one after the other")
def groups(s: Subject) -> Broken | None:
    count = s.problem.groups
    return broken(f"rows in {count} groups", "call tilewright.grouped_gemm", groups=count) if count else None


@rule("cpu.gemm.grid", "problem", "a launch with a grid: (m, n) with m * n * split_k <= threads")
def grid(s: Subject) -> Broken | None:
    launch = s.launch
    if launch is None or not launch.grid:
        return None
    used, threads = prod(launch.grid) * launch.split_k, launch.threads or MAX_THREADS  # 0: the current setting
    if len(launch.grid) == 2 and used <= threads:
        return None
    got = f"grid {list(launch.grid)} with split_k {launch.split_k} on {threads:,} threads"
    return broken(got, "give (m, n) for all threads at most, or no grid")


RULES: tuple[Rule, ...] = (
    dtypes, block_scale, no_prologue("cpu.gemm"),
    inner, split_precision, registers, amx_tiles, lane_tiles, pair_tiles, multiples, skinny_lanes,
    skinny_inner, blocks, packing, packed_b, unit_stride, skinny_rows, groups, grid,
    *unapplied_scalars("cpu.gemm"),
)  # fmt: skip

"""Rule 10: requirements of a kernel on a problem, as in CK's own argument check, and those that CK does not check."""

from __future__ import annotations

from typing import NamedTuple

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ....gemm_rules import split_of
from ..geometry import element_bytes, load_vector, miscounts, store_vector, unpaired
from .common import say
from .types import BARE_OUTPUTS

MAX_BYTES = 2**31  # byte offsets into a tensor are signed 32-bit


class Operand(NamedTuple):
    """One matrix of the problem as the kernel accesses it."""

    role: str
    extent: int  # along the contiguous dimension
    dim: str  # its name
    vector: int  # elements per access
    rows: int  # extent of the strided dimension, 1 if it is repeated
    dtype: str


def operands(c: Subject) -> list[Operand]:
    """Return A, B (unless it is packed), tensors of prologues, the output and D operands, each with its vector."""
    a, s, p = c.algorithm, c.signature, c.problem
    found = []
    for role in ("a", "b") if s.variant != "preshuffle" else ("a",):
        side, along_k = ("m", p.m), s.layout[0] == "r"
        if role == "b":
            side, along_k = ("n", p.n), s.layout[1] == "c"
        inner, outer = (("k", p.k), side) if along_k else (side, ("k", p.k))
        vector = load_vector(a, s, c.arch, role)
        found.append(Operand(role, inner[1], inner[0], vector, outer[1], p.dtype(role)))
    if s.has_prologue:
        of = {o.role: o for o in found}
        found += [of[r[0]]._replace(role=r, dtype=p.dtype(r)) for r in p.roles if r[0] in of and r[1:].isdigit()]
    row = s.layout[2] == "r"
    extent, dim, rows = (p.n, "n", p.m) if row else (p.m, "m", p.n)
    found.append(Operand("out", extent, dim, store_vector(a, s, c.arch), rows, s.dtype_out))
    for i, d in enumerate(s.d):
        read = rows if d.broadcast == "none" else 1
        found.append(Operand(f"d{i}", extent, dim, store_vector(a, s, c.arch, d.dtype), read, d.dtype))
    return found


@rule("ck_tile.gemm.not_empty", "problem", "m, n, k >= 1")
def not_empty(c: Subject) -> Broken | None:
    """There is something to multiply."""
    p = c.problem
    zero = [d for d, size in (("m", p.m), ("n", p.n), ("k", p.k)) if size < 1]
    text = f"{', '.join(zero)} = 0: CK kernels have no empty form"
    return say([text], remedy="handle empty products before the launch", empty=tuple(zero)) if zero else None


@rule("ck_tile.gemm.alpha_beta", "problem", "alpha == beta == 1")
def alpha_beta(c: Subject) -> Broken | None:
    """CK's epilogue functors have no run-time numbers."""
    e = c.problem.epilogue
    asked = {name: v for name in ("alpha", "beta") if (v := getattr(e, name)) != 1.0}
    if not asked or (tuple(asked) == ("beta",) and not c.signature.d):
        return None
    text = ", ".join(f"{name} = {v:g}" for name, v in asked.items()) + "; these kernels have both fixed at 1"
    return say([text], remedy="scale an operand beforehand, or use another backend", **asked)


@rule("ck_tile.gemm.whole_tiles_m", "problem", "A col or C col: M % tile_m == 0, unless pad_m")
def whole_tiles_m(c: Subject) -> Broken | None:
    """M is a whole number of tiles if it is contiguous."""
    layout = c.signature.layout
    if not (layout[0] == "c" or layout[2] == "c"):
        return None
    return _whole(c, "m", c.problem.m, c.algorithm.tile_m, "tile_m")


@rule("ck_tile.gemm.whole_tiles_n", "problem", "B row or C row: N % tile_n == 0, unless pad_n")
def whole_tiles_n(c: Subject) -> Broken | None:
    """N is a whole number of tiles if it is contiguous."""
    layout = c.signature.layout
    if not (layout[1] == "r" or layout[2] == "r"):
        return None
    return _whole(c, "n", c.problem.n, c.algorithm.tile_n, "tile_n")


@rule("ck_tile.gemm.whole_tiles_k", "problem", "A row or B col: K % (tile_k * split_k) == 0, unless pad_k")
def whole_tiles_k(c: Subject) -> Broken | None:
    """K is a whole number of tiles for every split if it is contiguous."""
    split_k = split_of(c)
    layout = c.signature.layout
    if not (layout[0] == "r" or layout[1] == "c"):
        return None
    by = "tile_k" if split_k == 1 else f"tile_k {c.algorithm.tile_k} * split_k {split_k}"
    return _whole(c, "k", c.problem.k, c.algorithm.tile_k * split_k, by)


def _whole(c: Subject, dim: str, size: int, unit: int, by: str) -> Broken | None:
    if unit <= 0 or size % unit == 0 or getattr(c.algorithm, f"pad_{dim}"):
        return None
    text = f"{dim.upper()} = {size:,} % {by} {'= ' if '*' in by else ''}{unit} = {size % unit}, and pad_{dim} is false"
    return say([text], {f"pad_{dim}": True}, size=size, unit=unit)


@rule("ck_tile.gemm.vectors", "problem", "contiguous extent % vector == 0 for A, B, C and every D, padded or not")
def vectors(c: Subject) -> Broken | None:
    """Rows of every matrix are whole vectors: padding fills tiles, not vectors."""
    wrong = [o for o in operands(c) if o.extent % o.vector]
    if not wrong:
        return None
    faults = [
        f"{o.role}: {o.dim.upper()} = {o.extent:,} % {o.vector} elements of {o.dtype} = {o.extent % o.vector}"
        for o in wrong
    ]
    dims = sorted({o.dim for o in wrong})
    whole = {d: max(o.vector for o in wrong if o.dim == d) for d in dims}
    advice = " and ".join(f"pad {d.upper()} to a multiple of {v} in memory" for d, v in whole.items())
    return say(faults, remedy=f"{advice}, or use another backend", vectors={o.role: o.vector for o in wrong})


@rule("ck_tile.gemm.strides", "problem", "contiguous stride 1; leading stride >= extent and % vector == 0")
def strides(c: Subject) -> Broken | None:
    """Every matrix is dense along its contiguous dimension and starts each row at a whole vector."""
    faults = []
    for o in operands(c):
        if o.role not in c.problem.strides:
            continue  # dense in its layout
        _, row, col = c.problem.stride(o.role)
        row_major = _letter(c, o.role) == "r"
        inner, leading = (col, row) if row_major else (row, col)
        if o.extent > 1 and inner != 1:
            faults.append(f"{o.role}: stride along {o.dim} is {inner}; it must be 1 (layout {c.signature.layout})")
        if o.rows > 1 and leading < o.extent:
            faults.append(f"{o.role}: leading stride {leading} < {o.extent}")
        elif o.rows > 1 and leading % o.vector:
            faults.append(f"{o.role}: leading stride {leading} % {o.vector} = {leading % o.vector}")
    return say(faults, remedy="pass a dense copy, or state the layout that the strides have") if faults else None


def _letter(c: Subject, role: str) -> str:
    return str(c.signature.layout[{"a": 0, "b": 1}.get(role[0], 2)])


def leading_of(c: Subject, role: str) -> int:
    """Return the stride of the dimension of a matrix that is not contiguous."""
    _, row, col = c.problem.stride(role)
    return row if _letter(c, role) == "r" else col


@rule("ck_tile.gemm.pointers", "problem", "pointer alignment >= vector * sizeof, if the alignment is known")
def pointers(c: Subject) -> Broken | None:
    """Every matrix starts at an address that its vectors may be read from."""
    faults = []
    for o in operands(c):
        needed = int(o.vector * element_bytes(o.dtype))
        got = c.problem.alignment.get(o.role, needed)
        if got < needed:
            faults.append(f"{o.role} is aligned to {got} B; vectors of {o.vector} {o.dtype} need {needed} B")
    return say(faults, remedy="allocate the tensor separately, or copy it") if faults else None


@rule("ck_tile.gemm.offsets", "problem", "bytes from first to last element < 2 GiB, per matrix")
def offsets(c: Subject) -> Broken | None:
    """32-bit offsets reach every element."""
    faults = []
    for o in operands(c):
        leading = o.extent if o.role not in c.problem.strides else max(map(abs, c.problem.stride(o.role)[1:]))
        reach = int(((o.rows - 1) * leading + o.extent) * element_bytes(o.dtype))
        if reach >= MAX_BYTES:
            faults.append(f"{o.role} spans {reach:,} B >= {MAX_BYTES:,} B")
    packed = int(c.problem.k * c.problem.n * element_bytes(c.signature.dtype_b))
    if c.signature.variant == "preshuffle" and packed >= MAX_BYTES:  # CK multiplies n and k in 32 bits
        faults.append(f"b spans {packed:,} B >= {MAX_BYTES:,} B")
    return say(faults, remedy="split the problem along m or n") if faults else None


@rule("ck_tile.gemm.d_layout", "problem", "D's layout == the output's layout")
def d_layout(c: Subject) -> Broken | None:
    """CK reads D operands in the layout of the output."""
    layout = c.problem.layout
    if not c.signature.d or len(layout) < 4 or layout[3] == layout[2]:
        return None
    text = f"D has layout {layout[3]!r}, the output {layout[2]!r} (layout {layout})"
    return say([text], remedy=f"use layout {layout[:3]}{layout[2]}", layout=layout)


@rule(
    "ck_tile.gemm.split_k_vector",
    "problem",
    "split_k > 1 with fp16 or bf16 output: row-major, an even store vector, and no bf16 on gfx950",
)
def split_k_vector(c: Subject) -> Broken | None:
    """Splits are added by packed atomics, two 16-bit elements at a time."""
    split_k = split_of(c)
    fault = unpaired(c.algorithm, c.signature, c.arch) if split_k > 1 else ""
    if not fault:
        return None
    text = f"split_k {split_k} adds {c.signature.dtype_out} pairs; {fault}"
    vector = store_vector(c.algorithm, c.signature, c.arch)
    if c.signature.layout[2] == "r" and vector % 2:
        return say([text], {"epilogue": "cshuffle"}, "use split_k 1, or epilogue cshuffle", vector=vector)
    return say([text], remedy="use split_k 1", vector=vector)


@rule("ck_tile.gemm.split_k_epilogue", "problem", "split_k > 1 only without D operands and activation")
def split_k_epilogue(c: Subject) -> Broken | None:
    """Each split stores its own part, so a D operand or activation would be applied once per split."""
    split_k = split_of(c)
    s = c.signature
    if split_k == 1 or not (s.d or s.activation != "none"):
        return None
    what = f"{len(s.d)} D operands, activation {s.activation}"
    return say([f"split_k {split_k} with {what}"], remedy="use split_k 1", split_k=split_k)


@rule(
    "ck_tile.gemm.split_k_output",
    "problem",
    "split_k > 1 only if the output is a number like the accumulator, of 16 bits at least",
)
def split_k_output(c: Subject) -> Broken | None:
    """There is no atomic addition of 8-bit floats, and a sum of rounded parts is not exact."""
    split_k = split_of(c)
    s = c.signature
    if split_k == 1 or s.dtype_out not in BARE_OUTPUTS.get(s.dtype_acc, ()):
        return None
    text = f"split_k {split_k} adds no {s.dtype_out} parts of sums in {s.dtype_acc}"
    return say([text], remedy="use split_k 1", split_k=split_k, dtype_out=s.dtype_out)


@rule(
    "ck_tile.gemm.split_k_rows",
    "problem",
    "split_k > 1 or stream_k_atomic, bf16 output: M % tile_m == 0, and no groups",
)
def split_k_rows(c: Subject) -> Broken | None:
    """CK adds bf16 by atomics that no buffer bounds: those of rows beyond M touch memory after the output.

    Rows of an output by rows are not padded (MakeGemmPadViews of ops/gemm/kernel/universal_gemm_kernel.hpp).
    """
    a, p = c.algorithm, c.problem
    adds = split_of(c) > 1 or a.family == "stream_k_atomic"
    rest = p.m % max(1, a.tile_m)
    if not adds or c.signature.dtype_out != "bf16" or (rest == 0 and not p.groups):
        return None
    why = f"{p.groups} groups" if p.groups else f"M = {p.m:,} % tile_m {a.tile_m} = {rest}"
    text = f"parts of bf16 are added to whole tiles, also to rows after the last: {why}"
    return say([text], remedy="use split_k 1 of another family, or a fp16 or fp32 output", m=p.m, groups=p.groups)


@rule("ck_tile.gemm.split_k_depth", "problem", "K > (split_k - 1) * ceil(K / (split_k * warp_tile_k)) * warp_tile_k")
def split_k_depth(c: Subject) -> Broken | None:
    """The last split has some work left."""
    split_k = split_of(c)
    k, step = c.problem.k, max(1, c.algorithm.warp_tile_k)
    each = -(-k // (split_k * step)) * step
    if split_k == 1 or k > each * (split_k - 1):
        return None
    text = f"split_k {split_k}: splits of {each} use up K = {k:,} before the last one"
    return say([text], remedy=f"use split_k <= {max(1, k // step)} that divides K / {step}", each=each, k=k)


@rule("ck_tile.gemm.split_k_steps", "problem", "split_k > 1: every split has the same number of tile_k steps")
def split_k_steps(c: Subject) -> Broken | None:
    """How the main loop ends is fixed when a launch is prepared, once for all splits."""
    split_k = split_of(c)
    k, step, tile = c.problem.k, max(1, c.algorithm.warp_tile_k), max(1, c.algorithm.tile_k)
    each = -(-k // (split_k * step)) * step
    first, last = -(-each // tile), -(-(k - each * (split_k - 1)) // tile)
    if split_k == 1 or first == last or last <= 0:
        return None
    text = f"split_k {split_k} of K = {k:,}: {first} steps of {tile} in the first split, {last} in the last"
    return say([text], remedy=f"use a split_k that divides K / {tile}", first=first, last=last)


@rule("ck_tile.gemm.steps", "problem", "compv6: at least 2 steps of tile_k in every split; compv4 without pad_k: not 3")
def steps(c: Subject) -> Broken | None:
    """CK 1.2.0 ends every odd number of steps with three products, also a single step, and three after a loop of two.

    So says `TailNumber::Odd` of ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_comp_v6.hpp, and the loop of comp_v4.hpp.
    """
    split_k = split_of(c)
    got = -(-c.problem.k // max(1, split_k * c.algorithm.tile_k))
    if miscounts(c.algorithm, got):
        text = f"K = {c.problem.k:,} is 3 steps of tile_k {c.algorithm.tile_k}; compv4 multiplies 5, beyond each row"
        return say([text], {"pad_k": True}, k=c.problem.k, split_k=split_k)
    if c.algorithm.pipeline != "compv6" or got > 1:
        return None
    text = f"K = {c.problem.k:,} is one step of tile_k {c.algorithm.tile_k}; compv6 multiplies at least two"
    return say([text], {"pipeline": "compv3"}, k=c.problem.k, split_k=split_k)


@rule("ck_tile.gemm.split_k_preshuffle", "problem", "split_k > 1 only with plain B")
def split_k_preshuffle(c: Subject) -> Broken | None:
    """CK computes the start of a split in B as if it were plain."""
    split_k = split_of(c)
    if split_k == 1 or c.signature.variant != "preshuffle":
        return None
    return say([f"split_k {split_k} with pre-shuffled B"], remedy="use split_k 1, or plain B", split_k=split_k)


@rule(
    "ck_tile.gemm.preshuffle_problem",
    "problem",
    "pre-shuffled B: N % warp_tile_n == 0 and K % warp_tile_k == 0, padded or not",
)
def preshuffle_problem(c: Subject) -> Broken | None:
    """Packed B holds whole warp tiles."""
    if c.signature.variant != "preshuffle":
        return None
    pairs = (("N", c.problem.n, c.algorithm.warp_tile_n), ("K", c.problem.k, c.algorithm.warp_tile_k))
    faults = [f"{d} = {size:,} % warp tile {w} = {size % w}" for d, size, w in pairs if w > 0 and size % w]
    return say(faults, remedy="pad B to whole warp tiles before packing, or use plain B") if faults else None


RULES = (
    not_empty,
    alpha_beta,
    whole_tiles_m,
    whole_tiles_n,
    whole_tiles_k,
    vectors,
    strides,
    pointers,
    offsets,
    d_layout,
    split_k_vector,
    split_k_epilogue,
    split_k_output,
    split_k_rows,
    split_k_depth,
    split_k_steps,
    steps,
    split_k_preshuffle,
    preshuffle_problem,
)

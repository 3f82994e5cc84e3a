"""When a Triton GEMM kernel is legal: dtypes, memory, registers, instruction shapes, alignment, the problem."""

from __future__ import annotations

from ....model.arch import AmdArch, NvidiaArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, first_broken, rule
from ....ops.gemm.epilogue import PAIRS
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.problem import GemmSubject as Subject
from ...gemm_rules import known_combines, split_of, unapplied_scalars
from ..target import TRITON_DTYPE
from .algorithm import PACKED_FORMAT, exact_int, packed_block, shared_limit, view_of
from .bind import copies, tile_count
from .cost import rows_on_lines
from .operands import kernel_sizes
from .pipeline import INT32_LIMIT
from .pipelines import FOLDERS, pipeline_of

CLUSTER_DEPTH = 128
BOX_LINE = 16  # bytes of the contiguous dimension of a tensor map's box, at least
MAX_TILES = 2**20
MAX_SIZE = INT32_LIMIT - 1024  # kernels round sizes up to tiles (of a cluster: up to 4 of 256) in 32 bits
PROLOGUE_DTYPES = ("fp16", "bf16", "fp32")


def _power_of_two(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


@rule(
    "triton.gemm.dtype",
    "semantic",
    "operands of one kind (16-bit ones of one dtype); floats accumulate in fp32, int8 in int32; no int8 output",
)
def dtypes(s: Subject) -> Broken | None:
    g = s.signature
    named = [g.dtype_a, g.dtype_b, g.dtype_out, *(d.dtype for d in g.d)]
    unknown = sorted({n for n in named if n not in TRITON_DTYPE})
    if unknown:
        return broken(f"Triton has no {', '.join(unknown)}", f"use {', '.join(TRITON_DTYPE)}", dtypes=named)
    acc = {"int8": "int32", "fp64": "fp64"}.get(g.dtype_a, "fp32")
    a, b = get_dtype(g.dtype_a), get_dtype(g.dtype_b)
    if a.bits != b.bits or a.kind != b.kind:
        return broken(f"A is {g.dtype_a} and B is {g.dtype_b}", "use operands of one width and kind", dtypes=named)
    if a.bits == 16 and a.name != b.name:
        return broken(f"A is {g.dtype_a} and B is {g.dtype_b}", f"convert B to {g.dtype_a}", dtypes=named)
    if g.dtype_a in ("int32", "fp64") or g.dtype_acc != acc:
        return broken(f"{g.dtype_a} x {g.dtype_b} into {g.dtype_acc}", f"accumulate in {acc}", dtypes=named)
    if g.dtype_out == "int8":
        return broken("an int8 output, which Triton cuts off and wraps", "use a float or int32 output", dtypes=named)
    if g.dtype_out == "int32" and not exact_int(g):
        return broken("an int32 output with an epilogue", "use a float output, or no epilogue", dtypes=named)
    return None


@rule(
    "triton.gemm.arch_dtype",
    "hardware",
    "the arch computes with the operands' dtypes; NVIDIA: no tensor is fnuz (before sm_89: fp8); AMD: no fp8 times bf8",
)
def arch_dtypes(s: Subject) -> Broken | None:
    g = s.signature
    lacking = [d for d in (g.dtype_a, g.dtype_b) if not s.arch.has_dtype(d)]
    if lacking:
        has = f"it has {', '.join(s.arch.dtypes)}"
        return broken(f"{s.arch.name} does not compute with {lacking[0]}", has, got=lacking)
    has_fp8 = s.arch.has_dtype("fp8")  # bf8 is converted everywhere
    stored = [g.dtype_out, *(d.dtype for d in g.d)]
    stored = [d for d in stored if d.endswith("_fnuz") or (d == "fp8" and not has_fp8)]
    if stored and isinstance(s.arch, NvidiaArch):
        use = "use fp8 or bf8" if has_fp8 else "use bf8"
        return broken(f"{s.arch.name} does not convert {stored[0]}", use, got=stored)
    if g.dtype_a != g.dtype_b and get_dtype(g.dtype_a).bytes == 1 and isinstance(s.arch, AmdArch):
        got = f"{g.dtype_a} x {g.dtype_b} on {s.arch.name}: Triton before 3.7 multiplies with the types swapped"
        return broken(got, "use one 8-bit type for both operands", got=[g.dtype_a, g.dtype_b])
    return None


@rule("triton.gemm.format", "semantic", "B is plain, or kblock128 where tile_k is 128 bytes (hopper, pointer)")
def b_format(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    if g.b_format == "plain":
        return None
    if g.b_format != PACKED_FORMAT:
        return broken(
            f"B is in the format {g.b_format!r}", f"pass B unpacked, or in {PACKED_FORMAT}", format=g.b_format
        )
    need = packed_block(g.dtype_b)
    if a.tile_k != need or not pipeline_of(a).reads_packed or a.operands == "staged":
        got = f"packed B is read in blocks of {need} along k by hopper and pointer kernels, not by {a.label()}"
        return broken(got, f"use tile_k = {need}, pipeline='hopper' or 'pointer', operands='direct'", tile_k=a.tile_k)
    return None


@rule(
    "triton.gemm.block_scale",
    "semantic",
    "factors per block of k: 8-bit floats; tile_k divides the block; hopper sums promoted",
)
def block_scale(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    if "block" not in (g.scale_a, g.scale_b):
        return None
    if get_dtype(g.dtype_a).bits != 8 or get_dtype(g.dtype_a).kind != "float":
        return broken(
            f"factors per block of k for {g.dtype_a}", "use fp8 operands, or factors per row", dtype=g.dtype_a
        )
    if g.scale_block % a.tile_k:
        got = f"blocks of {g.scale_block} are no multiple of tile_k = {a.tile_k}"
        return broken(got, f"use a tile_k that divides {g.scale_block}", block=g.scale_block, tile_k=a.tile_k)
    if not pipeline_of(a).scales_blocks(a):
        return broken(f"{a.label()} sums over whole rows of k", "use accumulate='promoted' or the pointer pipeline")
    return None


@rule("triton.gemm.pipeline", "hardware", "hopper and tma_persistent need TMA (sm_90); pointer runs everywhere")
def pipeline(s: Subject) -> Broken | None:
    a = s.algorithm
    has_tma = isinstance(s.arch, NvidiaArch) and s.arch.tma is not None
    if pipeline_of(a).tma and not has_tma:
        return broken(f"{s.arch.name} has no TMA, which {a.pipeline} is built on", "use pipeline='pointer'")
    return pipeline_of(a).lacks(a)


@rule("triton.gemm.tile", "compile", "powers of two (hopper tile_n: multiples of 8); hopper >= 64x8, others >= 16x16")
def tile(s: Subject) -> Broken | None:
    a = s.algorithm
    first, rest = pipeline_of(a).columns(a)
    sizes = {"tile_m": a.tile_m, "tile_n": first, "tile_k": a.tile_k, "warps": a.warps}
    if rest:
        sizes["the rest of tile_n"] = rest
    odd = [n for n, v in sizes.items() if not _power_of_two(v)]
    if odd:
        return broken(f"{odd[0]} is {sizes[odd[0]]}", "use a power of two", **sizes)
    least = pipeline_of(a).least_tile
    if a.tile_m < least[0] or a.tile_n < least[1]:
        got = f"a tile of {a.tile_m}x{a.tile_n}; {a.pipeline} takes at least {least[0]}x{least[1]}"
        return broken(got, f"use tile_m >= {least[0]} and tile_n >= {least[1]}", **sizes)
    return None


@rule("triton.gemm.instruction", "compile", "tile_k holds whole matrix instructions; tile_m feeds every warp")
def instruction(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    depth = int((32 if isinstance(s.arch, NvidiaArch) else 64) // get_dtype(g.dtype_a).bytes)
    depth = min(depth, 32)
    if a.tile_k < depth:
        return broken(f"tile_k {a.tile_k} < {depth}, one instruction of {g.dtype_a}", f"use tile_k >= {depth}")
    return pipeline_of(a).instruction(a)


@rule("triton.gemm.registers", "hardware", "accumulators per thread <= 192 (hopper) or 256")
def registers(s: Subject) -> Broken | None:
    a = s.algorithm
    lanes = s.arch.wave_size if isinstance(s.arch, AmdArch) else 32
    need = a.tile_m * a.tile_n * a.consumers // (lanes * a.warps)
    limit = pipeline_of(a).most_sums(a)
    if a.accumulate == "promoted":
        need *= 2
    if need <= limit:
        return None
    got = f"{need} accumulator registers per thread > {limit} ({a.tile_m}x{a.tile_n}, {a.warps} warps)"
    return broken(got, "use a smaller tile, more warps, or fewer blocks per unit", need=need, limit=limit)


@rule("triton.gemm.shared", "hardware", "shared memory of all stages <= what a block may use")
def shared(s: Subject) -> Broken | None:
    a = s.algorithm
    if isinstance(s.arch, NvidiaArch):
        limit = shared_limit(s.arch, a)
    elif isinstance(s.arch, AmdArch):
        limit = s.arch.lds_bytes
    else:
        return broken(f"{s.arch.name} is no GPU", "use the cpu backend")
    need = pipeline_of(a).shared_bytes(s.spec, s.arch)
    if need <= limit:
        return None
    got = f"shared memory {need:,} B > {limit:,} B ({s.arch.name}, {a.stages} stages, {a.blocks_per_unit} blocks)"
    fewer = f"use {max(1, a.stages * limit // need)} stages or " if a.stages > 1 else "use "
    return broken(got, fewer + "a smaller tile", need=need, limit=limit)


@rule(
    "triton.gemm.box",
    "hardware",
    "TMA boxes are <= 256 wide, of lines >= 16 bytes; hopper: 8-bit and fp32 operands have K contiguous",
)
def box(s: Subject) -> Broken | None:
    a = s.algorithm
    if not pipeline_of(a).tma or not isinstance(s.arch, NvidiaArch) or s.arch.tma is None:
        return None
    view, limit = view_of(s.signature, a), s.arch.tma.box_limit
    for name, k_major, dtype, size in (("A", view.a_k, view.a, a.tile_m), ("B", view.b_k, view.b, a.tile_n)):
        if size > limit:
            return broken(f"{name}'s box is {size} > {limit}", f"use tiles up to {limit}", box=size)
        wrong = pipeline_of(a).box(name, k_major, dtype, size)
        if wrong:
            return wrong
    line = int(pipeline_of(a).stored_columns(s.signature, a) * get_dtype(s.signature.dtype_out).bytes)
    if a.store == "tma" and view.out_row and line < BOX_LINE:
        got = f"columns of the output are stored {line} bytes at a time; a box has lines of {BOX_LINE}"
        return broken(got, f"use a tile_n whose blocks have {BOX_LINE} bytes, or store='pointer'", line=line)
    return None


@rule(
    "triton.gemm.cluster",
    "hardware",
    "clusters: hopper, no split; K is contiguous in B, 128 bytes per step",
)
def cluster(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    if a.cluster == 1:
        return None
    view = view_of(g, a)
    depth = a.tile_k * get_dtype(view.b).bytes
    checks = (
        ("cluster" not in pipeline_of(a).has, f"clusters in the {a.pipeline} pipeline"),
        (a.split, "clusters with tiles that are shared along K"),
        (a.operands == "staged" or g.b_format != "plain", "clusters with staged or packed operands"),
        (not view.b_k, "a shared operand whose K is not contiguous"),
        (depth != CLUSTER_DEPTH, f"{depth} bytes per step; a cluster shares copies of {CLUSTER_DEPTH}"),
        (a.blocks_per_unit > 1, "clusters with several blocks per unit"),
        ((a.tile_n & -a.tile_n) < 8 * a.cluster, f"shares of {a.tile_n} columns that are no multiple of 8"),
    )
    return first_broken(checks, "use cluster=1")


@rule("triton.gemm.traits", "compile", "traits belong to their pipeline: promoted needs fp8, ieee needs fp32, ...")
def traits(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    has = pipeline_of(a).has
    eight_bit = get_dtype(g.dtype_a).bits == 8 and get_dtype(g.dtype_a).kind == "float"
    checks = (
        (a.stages == 0 and "free_stages" not in has, f"stages=0 (as many as fit) in the {a.pipeline} pipeline"),
        (a.accumulate == "promoted" and not eight_bit, "promoted sums of operands that are not 8-bit floats"),
        (a.precision == "ieee" and g.dtype_a != "fp32", "ieee precision for operands that are not fp32"),
        (a.precision == "ieee" and "precision" not in has, f"ieee precision in the {a.pipeline} pipeline"),
        (a.precision == "tf32" and g.dtype_a == "fp32" and isinstance(s.arch, AmdArch), "tf32 on an AMD GPU"),
        (a.reduce == "after" and ("reduce" not in has or not a.split), "reduce='after' without a hopper split"),
        (a.order != "shares" and not (a.split and "order" in has), "an order of shares without a hopper split"),
        (a.order == "abreast" and (a.reduce == "after" or a.cluster > 1), "programs abreast in clusters, added after"),
        (a.one_block and "one_block" not in has, f"one_block in the {a.pipeline} pipeline"),
        (a.loose and ("loose" not in has or a.cluster > 1 or a.accumulate == "promoted"),
         "loose warps outside hopper, in clusters, or with promoted sums"),
        (a.reduce == "after" and a.consumers == 2, "reduce='after' with ping-pong"),
        (a.consumers == 2 and ("consumers" not in has or a.warps != 8), "ping-pong outside hopper with 8 warps"),
        (a.blocks_per_unit > 1 and "blocks_per_unit" not in has, f"blocks_per_unit in the {a.pipeline} pipeline"),
        (a.store == "pointer" and "store" not in has, f"a store choice in the {a.pipeline} pipeline"),
        (a.operands == "staged" and "operands" not in has, f"staged operands in the {a.pipeline} pipeline"),
        ("unit" not in has and (a.wide or not a.unit or a.vector_bytes != 16 or a.even_k),
         f"pointer traits in the {a.pipeline} pipeline"),
        (a.vector_bytes < 16 and not _power_of_two(a.vector_bytes), f"vector_bytes {a.vector_bytes}"),
    )  # fmt: skip
    return first_broken(checks, "leave that trait at its default")


@rule("triton.gemm.alignment", "problem", "pointers, leading strides: multiples of 16 bytes (TMA) or vector_bytes")
def alignment(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    residual = pipeline_of(a).residual(s.spec)
    for role in ("a", "b", "out", *([] if residual is None else [f"d{residual}"])):
        need = pipeline_of(a).alignment(a, role)
        got = _alignment(p, role)
        if got < need:
            message = f"{role} is aligned to {got} bytes; {a.label()} needs {need}"
            return broken(message, "pad its leading dimension, or use staged operands or the pointer pipeline", got=got)
    return None


def _alignment(p: GemmProblem, role: str) -> int:
    """Return what divides pointer, leading stride and stride of the batch, in bytes; at most 16."""
    size = int(p.stride(role)[0] * get_dtype(p.dtype(role)).bytes) if p.matrices(role) > 1 else 0
    batch = min(16, size & -size) if size else 16
    return min(p.leading_alignment(role), p.alignment.get(role, 16), batch)


@rule(
    "triton.gemm.staging",
    "problem",
    "copies, pointer stores and clusters only where TMA cannot do without, or rows are off 128 B",
)
def staging(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not pipeline_of(a).tma:
        return None
    if a.cluster > 1 and rows_on_lines(p):
        return broken("rows begin on cache lines, where sharing copies does not pay", "use cluster=1")
    if a.operands == "staged" and not copies(p, a, {"a": 0, "b": 0, "out": 0}, 0):
        return broken("A and B can be read as they are", "use operands='direct'")
    if a.store == "pointer":
        other = s.spec.with_algorithm(store="tma")
        residual = pipeline_of(a).residual(other)
        if _alignment(p, "out") >= 16 and (residual is None or _maps_residual(p, f"d{residual}")):
            return broken("the output can be written through TMA", "use store='tma'", aligned=_alignment(p, "out"))
    return None


def _maps_residual(p: GemmProblem, role: str) -> bool:
    """Return whether TMA can read a D operand like the output: it lies in the same direction, line after line."""
    batch, row, col = p.stride(role)
    line, step, lines, run = (row, col, p.m, p.n) if p.layout[2] == "r" else (col, row, p.n, p.m)
    side_by_side = step == 1 or (run <= 1 and abs(step) < abs(line))
    return side_by_side and (line > 0 or lines <= 1) and batch >= 0 and _alignment(p, role) >= 16


@rule("triton.gemm.strides", "problem", "each matrix is contiguous in its layout's direction, unless unit is False")
def strides(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not a.unit:
        return None
    for role in ("a", "b", "out"):
        _, row, col = p.stride(role)
        rows, cols = p.shape(role)[0], p.shape(role)[1]
        letter = p.layout[{"a": 0, "b": 1, "out": 2}[role]]
        step, run, line = (col, cols, row) if letter == "r" else (row, rows, col)
        # Of lines of one element only the distance counts. It has to be the larger stride, which `alignment` judges.
        if step != 1 and (run > 1 or abs(step) >= abs(line)):
            got = f"{role} has a stride of {step} along its contiguous dimension"
            return broken(got, "use unit=False", stride=step)
    residual = pipeline_of(a).residual(s.spec)
    if residual is not None and not _maps_residual(p, f"d{residual}"):
        got = f"d{residual} has the strides {p.stride(f'd{residual}')}, in which TMA cannot read it beside the output"
        return broken(got, "lay it out as the output, or use store='pointer'", strides=p.stride(f"d{residual}"))
    if pipeline_of(a).tma and any(x < 0 for r in ("a", "b", "out") for x in p.stride(r)):
        return broken("a stride is negative, which TMA cannot walk", "use the pointer pipeline")
    return None


@rule(
    "triton.gemm.index",
    "problem",
    "offsets in a tile fit 32 bits, unless wide; sizes rounded up to tiles fit 32 bits; packed B: batch 1",
)
def index(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if p.b_format != "plain" and p.batch > 1:
        return broken(
            f"packed B is one matrix, the batch is {p.batch}", "make the batch part of the rows", batch=p.batch
        )
    if any(size > MAX_SIZE for size in (p.m, p.n, p.k)) or p.batch >= 65536:
        return broken(f"sizes {p.m}, {p.n}, {p.k}, batch {p.batch}", "split the problem; sizes must be <= 2**31 - 1024")
    return pipeline_of(a).offsets(p, a)


@rule("triton.gemm.tiles", "problem", "at most 2**20 tiles; narrow tiles (tile_n <= 32) only for few columns")
def tiles(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    wrong = pipeline_of(a).narrow(kernel_sizes(p, a)[1], a)
    if wrong:
        return wrong
    count = tile_count(p, a)
    return None if count <= MAX_TILES else broken(f"{count:,} tiles > {MAX_TILES:,}", "use larger tiles", tiles=count)


@rule("triton.gemm.alpha", "problem", "int32 outputs: alpha == 1, as the integer sums are stored as they are")
def alpha(s: Subject) -> Broken | None:
    p = s.problem
    if p.epilogue.alpha == 1.0 or not exact_int(s.signature):
        return None
    return broken(f"an int32 output with alpha = {p.epilogue.alpha}", "use a float output", alpha=p.epilogue.alpha)


@rule("triton.gemm.split_k", "problem", "a split_k that is asked for needs a kernel that can split; TMA: <= K / tile_k")
def split_k(s: Subject) -> Broken | None:
    a, p, parts = s.algorithm, s.problem, split_of(s)
    if a.order == "abreast" and (p.split_k is not None or parts > 1):
        return broken(
            f"split_k = {parts} is asked for; programs abreast share tiles in their own way", "use another order"
        )
    if parts == 1:
        return None
    if not a.split:
        return broken(f"split_k = {parts} is asked for", "use a kernel with split=True", split_k=parts)
    steps = -(-p.k // a.tile_k)
    if pipeline_of(a).tma and parts > steps:  # shares without a step would be added as they are in memory
        got = f"split_k = {parts} is asked for, and K = {p.k} has {steps} steps of {a.tile_k}"
        return broken(got, "use a smaller split_k or tile_k, or the pointer pipeline", split_k=parts)
    return None


@rule("triton.gemm.stream_k", "problem", "a launch with a grid: [programs] that share tiles of at least one step of K")
def stream_k(s: Subject) -> Broken | None:
    a = s.algorithm
    grid = s.launch.grid if s.launch is not None else ()
    if not grid:
        return None
    if len(grid) != 1 or not grid[0]:
        return broken(f"grid {list(grid)}", "give one number of programs, from 1 on")
    if a.order == "abreast":
        return None
    if not (a.split and a.reduce == "inside" and pipeline_of(a).streams):
        return broken(f"grid {list(grid)} for {a.label()}", "use a hopper kernel with split=True, or no grid")
    return None if s.problem.k else broken("stream-K with K = 0", "use no grid")


@rule(
    "triton.gemm.groups", "problem", "the pipeline grouped if and only if groups > 0; its D operands are rows (a bias)"
)
def groups(s: Subject) -> Broken | None:
    p, grouped = s.problem, s.algorithm.pipeline == "grouped"
    of_rows = [i for i, d in enumerate(p.d) if d.broadcast != "row"]
    if grouped and p.groups and of_rows:  # an epilogue counts rows from the beginning of their group
        got = f"d{of_rows[0]} has values for each row, which grouped kernels read for the rows of another group"
        return broken(got, "add it after the product", d=of_rows)
    if grouped == (p.groups > 0):
        return None
    if grouped:
        return broken("no groups", "use another pipeline", groups=0)
    return broken(f"rows in {p.groups} groups", "use the grouped pipeline", groups=p.groups)


@rule(
    "triton.gemm.prologue",
    "semantic",
    "prologues: the pipeline pointer without swap_ab; tensors of fp16, bf16, fp32; plain B; no factors of blocks",
)
def prologue(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    if not g.has_prologue:
        return None
    if not pipeline_of(a).has_prologues(a):
        swapped = " with swap_ab" if a.swap_ab else ""
        return broken(
            f"{a.pipeline}{swapped} multiplies A and B as they are", "use the pipeline pointer, swap_ab=False"
        )
    given = {g.dtype_a, g.dtype_b, *(step.dtype for step in (*g.prologue_a, *g.prologue_b) if step.dtype)}
    if not given <= set(PROLOGUE_DTYPES):
        got = f"prologues of {', '.join(sorted(given))}; kernels have those of {', '.join(PROLOGUE_DTYPES)}"
        return broken(got, "compute the steps before the product")
    if g.b_format != "plain" or "block" in (g.scale_a, g.scale_b):
        what = "a packed B" if g.b_format != "plain" else "factors of blocks"
        return broken(f"a prologue with {what}", "compute the steps before the product")
    return None


RULES: tuple[Rule, ...] = (
    dtypes, arch_dtypes, b_format, known_combines("triton.gemm", (*PAIRS, "gradient")), prologue,
    block_scale, pipeline, tile, instruction, registers, *FOLDERS.rules("first_rules"),
    shared, box, cluster, traits, alignment, staging, strides, index, *FOLDERS.rules("last_rules"), tiles, alpha,
    split_k, stream_k, groups, *unapplied_scalars("triton.gemm"),
)  # fmt: skip

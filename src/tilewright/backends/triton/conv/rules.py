"""When a Triton convolution kernel is legal: dtypes, tiles, registers, memory, and what a problem must offer."""

from __future__ import annotations

from math import prod

from ....model.arch import AmdArch, NvidiaArch
from ....model.dtype import get_dtype
from ....model.problem import kept_by_problem
from ....model.rule import Broken, Rule, broken, first_broken, rule
from ....ops.conv.problem import ConvProblem
from ....ops.conv.problem import ConvSubject as Subject
from ....ops.gemm.epilogue import PAIRS
from ...gemm_rules import known_combines, unapplied_scalars
from ...product_rules import kernel_broken
from ..gemm.pipeline import INT32_LIMIT
from ..gemm.rules import RULES as GEMM_RULES
from .algorithm import gathers, gemm_spec, is_weight, source_roles
from .bind import geometry, merged_groups
from .geometry import nominal_units, sides, weight_size
from .pipelines import ALL, pipeline_of

FLOATS = ("fp16", "bf16", "fp32")
PAST = 2**20  # pixels past the last one that a tile, or the step of a share, may count


def _own(s: Subject) -> bool:
    """Return whether the kernel is one of this backend's own, not one of the gemm backend."""
    return pipeline_of(s.algorithm).own


@rule("triton.conv.dtype", "semantic", "both operands fp16, bf16 or fp32, alike; sums in fp32; the arch has the dtype")
def dtypes(s: Subject) -> Broken | None:
    g = s.signature
    first, second = g.dtype_read
    named = [g.dtype_input, g.dtype_weight, g.dtype_output, *(d.dtype for d in g.d)]
    if first != second or any(n not in FLOATS for n in named) or g.dtype_acc != "fp32":
        got = f"{first} x {second} into {g.dtype_acc}"
        return broken(got, f"use one of {', '.join(FLOATS)} for all tensors, summed in fp32", dtypes=named)
    if not s.arch.has_dtype(first):
        return broken(f"{s.arch.name} has no {first}", "use another dtype", dtype=first)
    return None


@rule("triton.conv.gemm_kernel", "compile", "pipelines gemm, hopper: the gemm backend's rules hold for their kernel")
def gemm_kernel(s: Subject) -> Broken | None:
    if not pipeline_of(s.algorithm).product_rules:
        return None
    return kernel_broken(GEMM_RULES, gemm_spec(s.spec), s.arch)


@rule("triton.conv.tile", "compile", "powers of two >= 16 (one channel per group: >= 1, tile_n == tile_k), warps too")
def tile(s: Subject) -> Broken | None:
    a = s.algorithm
    pipeline = pipeline_of(a)
    if pipeline.product_rules:
        return None
    sizes = {"tile_m": a.tile_m, "tile_n": a.tile_n, "tile_k": a.tile_k, "warps": a.warps}
    odd = [n for n, v in sizes.items() if v < 1 or v & (v - 1)]
    if odd:
        return broken(f"{odd[0]} is {sizes[odd[0]]}", "use a power of two", **sizes)
    return pipeline.tile(s.spec, sizes)


@rule("triton.conv.registers", "hardware", "sums per thread <= 256 (implicit, thin), 160 (window), 128 (others)")
def registers(s: Subject) -> Broken | None:
    a = s.algorithm
    pipeline = pipeline_of(a)
    if pipeline.product_rules:
        return None
    lanes = (s.arch.wave_size if isinstance(s.arch, AmdArch) else 32) * a.warps
    need, limit = pipeline.sums(s.spec) // lanes, pipeline.most_sums
    if need <= limit:
        return None
    return broken(f"{need} registers per thread for sums > {limit}", "use smaller tiles or more warps", need=need)


@rule("triton.conv.shared", "hardware", "tiles of all stages, or rows of strips, fit the shared memory of a block")
def shared(s: Subject) -> Broken | None:
    a = s.algorithm
    pipeline = pipeline_of(a)
    if pipeline.product_rules:
        return None
    # AMD keeps one of the stages in registers.
    need = pipeline.shared_bytes(s.spec, max(1, a.stages - 1 if isinstance(s.arch, AmdArch) else a.stages))
    limit = s.arch.lds_bytes if isinstance(s.arch, AmdArch) else 0
    limit = s.arch.smem_per_block_bytes if isinstance(s.arch, NvidiaArch) else limit
    if need <= limit:
        return None
    got = f"shared memory {need:,} B > {limit:,} B ({s.arch.name}, {a.stages} stages)"
    return broken(got, f"use {max(1, a.stages * limit // need)} stages or a smaller tile", need=need, limit=limit)


@rule("triton.conv.traits", "compile", "traits belong to their pipeline; fp32 products: ieee")
def traits(s: Subject) -> Broken | None:
    a, g = s.algorithm, s.signature
    pipeline = pipeline_of(a)
    if not pipeline.own:
        return None
    weight, back = is_weight(s.spec), g.direction == "backward_data"
    checks = (
        *pipeline.traits(s.spec, s.arch),
        (a.filter_h > 0 and not pipeline.has_height(s.spec), "filter_h outside strips"),
        (a.phase > 0 and (not back or a.phase >= a.stride_w), "a phase without a strided gradient"),
        (pipeline.windows and back and a.span % a.stride_w > 0, "a span that the stride does not divide"),
        (pipeline.windows and not a.unit, "windows over channels that are not side by side"),
        (a.merge and not pipeline.may_merge(a), f"merge in the {a.pipeline} pipeline"),
        (a.merge and a.even_k, "even_k with merged groups"),
        (a.fold and (not pipeline.folds or (a.merge and not gathers(a)) or a.even_k or (back and not pipeline.turns)),
         "fold outside plain forward and backward weight"),
        (a.channels > 0 and not (pipeline.knows_channels or a.merge), f"known channels in {a.label()}"),
        (a.sum == "atomic" and not (weight and pipeline.atomic), f"atomic sums of {a.pipeline} in {g.direction}"),
        ((a.split and not pipeline.may_split(s.spec)) or a.swap_ab or a.operands != "direct", "traits of a product"),
        (a.precision == "tf32" and g.dtype_read[0] == "fp32" and isinstance(s.arch, AmdArch), "tf32 on an AMD GPU"),
        (a.precision == "ieee" and g.dtype_read[0] != "fp32", "ieee precision for operands that are not fp32"),
    )  # fmt: skip
    return first_broken(checks, "leave that trait at its default")


@rule("triton.conv.channels", "problem", "window: a group fits a tile; depthwise: 1 channel; channels as stated")
def channels(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    pipeline, (read, other) = pipeline_of(a), sides(p)
    wrong = pipeline.channels(s)
    if wrong:
        return wrong
    if a.channels and (read, other) != (a.channels, a.channels):
        return broken(f"{read} -> {other} channels per group, the kernel has {a.channels}", "use channels=0")
    if not pipeline.shares_tiles(a):
        return None
    tiles = pipeline.tile_channels(a, is_weight(s.spec))
    if read > tiles[0] or other > tiles[1]:
        got = f"{read} -> {other} channels per group > a tile of {tiles[0]} -> {tiles[1]}"
        return broken(got, "use larger tiles, or implicit without merge", read=read, other=other)
    if a.merge and merged_groups(p, a) == 1:
        return broken("only one group fits a tile", "use merge=False", read=read, other=other)
    return None


@rule("triton.conv.fold", "problem", "fold: one group, dense rows of channels-last pixels, dilation 1 along w")
def fold(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not a.fold:
        return None
    if p.direction != "backward_data" and not gathers(a) and (p.g > 1 or p.filter[-1] < 2 or p.dilation[-1] > 1):
        return broken(
            f"{p.g} groups, filter {p.filter[-1]}, dilation {p.dilation[-1]} along w", "use fold=False", g=p.g
        )
    return pipeline_of(a).fold(p, a)


@rule("triton.conv.groups", "problem", "merged groups, windows and D operands: groups lie side by side")
def groups(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    pipeline = pipeline_of(a)
    if not pipeline.own:
        return None
    roles = [
        *(("input", "output") if pipeline.side_by_side(a) else ()),
        *(p.roles[3:] if p.direction != "backward_weight" else ()),
    ]
    for role in roles:
        strides, extents = p.stride_of(role), p.extents(role)
        if extents[1] > 1 and strides[1] != extents[2] * (strides[2] if extents[2] > 1 else 1):
            return broken(f"{role} has strides {strides}: groups are not side by side", "use merge=False", role=role)
    return None


@rule("triton.conv.strides", "problem", "channels of a pixel lie side by side, unless unit is False")
def strides(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not _own(s) or not a.unit:
        return None
    for role in ("input", "weight", "output"):
        step = p.stride_of(role)[2]
        if step != 1 and p.extents(role)[2] > 1:
            return broken(f"{role} has a stride of {step} between channels", "use unit=False", stride=step)
    return None


@kept_by_problem
def _offered(p: ConvProblem) -> dict[bool, list[tuple[str, int, int]]]:
    """(role, bytes of a group's channels, alignment of pointer, pixels and channels) of both activation tensors, by
    whether groups are merged: then the channels are those of all groups."""
    found: dict[bool, list[tuple[str, int, int]]] = {False: [], True: []}
    for role, channels in zip(source_roles(p.direction), sides(p), strict=True):
        pixel = int(get_dtype(p.dtype(role)).bytes) * channels
        for merging, row in ((False, pixel), (True, p.g * pixel)):
            offered = min(p.alignment.get(role, 16), p.step_alignment(role, merging), row & -row)
            found[merging].append((role, pixel, offered))
    return found


@rule("triton.conv.alignment", "problem", "pointers, pixels and blocks of channels begin at multiples of vector_bytes")
def alignment(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    pipeline = pipeline_of(a)
    if pipeline.product_rules or gathers(a):
        return None
    merging = pipeline.side_by_side(a)
    if not is_weight(s.spec) and (not merging or a.channels):
        least = min(a.vector_bytes, a.channels * get_dtype(p.dtype_weight).bytes if a.channels else 16)
        # Rows that overlap may be one element apart, which `pixel_alignment` takes for the unit stride.
        got = min(p.alignment.get("weight", 16), p.pixel_alignment("weight"), p.step_alignment("weight", False))
        if got < least:
            return broken(f"weight is aligned to {got} bytes; {a.label()} needs {least}", "use fewer vector_bytes")
    for role, pixel, offered in _offered(p)[merging]:
        block = pixel * merged_groups(p, a) if merging and p.g > 1 else 0
        got = min(offered, block & -block) if block else offered
        if got < a.vector_bytes:
            message = f"{role} is aligned to {got} bytes; {a.label()} needs {a.vector_bytes}"
            return broken(message, "use fewer vector_bytes", got=got, need=a.vector_bytes)
    return None


@rule("triton.conv.index", "problem", "offsets fit 32 bits, unless wide; pixels, programs and weights fit 32 bits")
def index(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not _own(s):
        return None
    counts = {"pixels": p.n * max(prod(p.input), prod(p.output)), "weights": weight_size(p),
              "programs": geometry(p, a, s.launch, nominal_units(s.arch.name)).programs if s.launch else 0}  # fmt: skip
    for name, count in counts.items():
        limit = INT32_LIMIT - (PAST if name == "pixels" else 0)
        if count >= limit:
            return broken(f"{count:,} {name} >= {limit:,}", "split the problem along n", **{name: count})
    if a.wide or pipeline_of(a).product_rules:
        return None
    padding = max(map(sum, p.pad))
    for role in ("input", "weight", "output"):
        reach = p.reach(role)
        # Taps outside of the image are masked, but their offsets are computed.
        if reach + padding * max(map(abs, p.stride_of(role))) >= INT32_LIMIT:
            return broken(f"{role} reaches over {reach:,} elements >= 2**31", "use wide=True", reach=reach)
    return None


@rule("triton.conv.even_k", "problem", "even_k: the channels that are read are a multiple of tile_k")
def even_k(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if not _own(s) or not a.even_k:
        return None
    read = sides(p)[0]
    if read % a.tile_k or is_weight(s.spec):
        return broken(f"{read} channels are no multiple of tile_k = {a.tile_k}", "use even_k=False", channels=read)
    return None


@rule("triton.conv.split_k", "problem", "split_k only for backward_weight: shares of the pixels")
def split_k(s: Subject) -> Broken | None:
    asked = s.problem.split_k
    if asked not in (None, 1) and s.problem.direction != "backward_weight" and _own(s):
        return broken(f"split_k {asked} for {s.problem.direction}", "leave split_k out", split_k=asked)
    return None


RULES: tuple[Rule, ...] = (
    dtypes, known_combines("triton.conv", PAIRS), gemm_kernel, tile, registers, shared, traits,
    # Those that remove most kernels come first: the others are asked about what is left.
    *ALL.rules("first_rules"), channels, fold, groups, strides, alignment, index,
    *ALL.rules("last_rules"), even_k, split_k, *unapplied_scalars("triton.conv"),
)  # fmt: skip

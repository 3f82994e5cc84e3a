"""When a Triton convolution kernel is legal: dtypes, tiles, registers, memory, and what a problem must offer."""

from __future__ import annotations

from math import prod

from ....model.arch import AmdArch, NvidiaArch
from ....model.dtype import get_dtype
from ....model.problem import kept_by_problem
from ....model.rule import Broken, Rule, Subject, broken, rule
from ....ops.conv.problem import ConvProblem
from ....ops.conv.product import not_a_product
from ...product_rules import kernel_broken, product_rule
from ..gemm.rules import INT32_LIMIT
from ..gemm.rules import RULES as GEMM_RULES
from .algorithm import WINDOWS, gemm_spec, is_weight, row_width, source_roles
from .bind import geometry, merged_groups, sides, weight_size
from .boxes import STEP_LIMIT
from .folding import cannot_fold, seen_by_boxes
from .strips import strip_config, strip_problem, strip_shape

MAP_STRIDE_LIMIT = 2**40  # bytes between neighbours along a dimension of a tensor map
GEMM_PROBLEM_RULES = tuple(r for r in GEMM_RULES if r.kind == "problem")
FLOATS = ("fp16", "bf16", "fp32")
# Registers per thread that sums may take.
ACCUMULATORS = {"implicit": 256, "thin": 256, "window": 160, "depthwise": 128, "strip": 128}
MAX_STRIP = 512  # unrolled products of a strip's turn: bounds the time to compile
MAX_UNROLLED = 128  # products of a window's pixels and taps in one turn of its loop: bounds the time to compile


def _problem(s: Subject) -> ConvProblem:
    assert isinstance(s.problem, ConvProblem)
    return s.problem


def _own(s: Subject) -> bool:
    """Whether the kernel is one of this backend's own, not one of the gemm backend."""
    return bool(s.spec.algorithm.pipeline != "gemm")


@rule("triton.conv.dtype", "semantic", "both operands fp16, bf16 or fp32, alike; sums in fp32; the arch has the dtype")
def dtypes(s: Subject) -> Broken | None:
    g = s.spec.signature
    first, second = g.dtype_read
    named = [g.dtype_input, g.dtype_weight, g.dtype_output, *(d.dtype for d in g.d)]
    if first != second or any(n not in FLOATS for n in named) or g.dtype_acc != "fp32":
        got = f"{first} x {second} into {g.dtype_acc}"
        return broken(got, f"use one of {', '.join(FLOATS)} for all tensors, summed in fp32", dtypes=named)
    if not s.arch.has_dtype(first):
        return broken(f"{s.arch.name} has no {first}", "use another dtype", dtype=first)
    return None


def _boxed(s: Subject) -> bool:
    """Whether the kernel reads boxes of pixels through tensor maps."""
    return bool(s.spec.algorithm.pipeline == "hopper")


@rule("triton.conv.gemm_kernel", "compile", "pipelines gemm, hopper: the gemm backend's rules hold for their kernel")
def gemm_kernel(s: Subject) -> Broken | None:
    if _own(s) and not _boxed(s):
        return None
    return kernel_broken(GEMM_RULES, gemm_spec(s.spec), s.arch)


@rule("triton.conv.tile", "compile", "powers of two >= 16 (one channel per group: >= 1, tile_n == tile_k), warps too")
def tile(s: Subject) -> Broken | None:
    a = s.spec.algorithm
    if not _own(s) or _boxed(s):
        return None
    sizes = {"tile_m": a.tile_m, "tile_n": a.tile_n, "tile_k": a.tile_k, "warps": a.warps}
    odd = [n for n, v in sizes.items() if v < 1 or v & (v - 1)]
    if odd:
        return broken(f"{odd[0]} is {sizes[odd[0]]}", "use a power of two", **sizes)
    if a.pipeline == "strip":
        wrong = strip_shape(s.spec)
        return broken(wrong, "use tiles that fit the warps", **sizes) if wrong else None
    if a.pipeline == "depthwise":
        if a.tile_n != a.tile_k:
            return broken(f"tile_n {a.tile_n} and tile_k {a.tile_k} differ", "depthwise has one channel count", **sizes)
        return None
    small = [n for n in ("tile_m", "tile_n", "tile_k") if sizes[n] < 16]
    if small:
        return broken(f"{small[0]} is {sizes[small[0]]} < 16, one matrix instruction", "use 16 or more", **sizes)
    return None


def accumulators(s: Subject) -> int:
    """Registers per thread that the sums of a kernel take."""
    a = s.spec.algorithm
    lanes = (s.arch.wave_size if isinstance(s.arch, AmdArch) else 32) * a.warps
    if a.pipeline in ("implicit", "thin"):
        return int(a.tile_m * a.tile_n // lanes)
    if a.pipeline == "strip":
        return strip_config(s.spec).sums
    if not is_weight(s.spec):
        return int(a.span * a.tile_m * a.tile_n // lanes)
    block = a.tile_n * a.tile_k if a.pipeline == "window" else a.tile_m * a.tile_k
    return int(a.filter_h * a.filter_w * block // lanes)


@rule("triton.conv.registers", "hardware", "sums per thread <= 256 (implicit, thin), 160 (window), 128 (others)")
def registers(s: Subject) -> Broken | None:
    if not _own(s) or _boxed(s):
        return None
    need, limit = accumulators(s), ACCUMULATORS[s.spec.algorithm.pipeline]
    if need <= limit:
        return None
    return broken(f"{need} registers per thread for sums > {limit}", "use smaller tiles or more warps", need=need)


@rule("triton.conv.shared", "hardware", "tiles of all stages, or rows of strips, fit the shared memory of a block")
def shared(s: Subject) -> Broken | None:
    a = s.spec.algorithm
    if a.pipeline not in ("implicit", "strip", "thin"):
        return None
    size = get_dtype(s.spec.signature.dtype_read[0]).bytes
    # AMD keeps one of the stages in registers.
    stages = max(1, a.stages - 1) if isinstance(s.arch, AmdArch) else max(1, a.stages)
    need = int((a.tile_m + a.tile_n) * a.tile_k * size * stages)
    if a.pipeline == "strip":
        need = int(strip_config(s.spec).shared * size)
    limit = s.arch.lds_bytes if isinstance(s.arch, AmdArch) else 0
    limit = s.arch.smem_per_block_bytes if isinstance(s.arch, NvidiaArch) else limit
    if need <= limit:
        return None
    got = f"shared memory {need:,} B > {limit:,} B ({s.arch.name}, {a.stages} stages)"
    return broken(got, f"use {max(1, a.stages * limit // need)} stages or a smaller tile", need=need, limit=limit)


@rule("triton.conv.traits", "compile", "traits belong to their pipeline; fp32 products: ieee")
def traits(s: Subject) -> Broken | None:
    a, g = s.spec.algorithm, s.spec.signature
    if not _own(s):
        return None
    window, weight, back = a.pipeline in WINDOWS, is_weight(s.spec), g.direction == "backward_data"
    strip = a.pipeline == "strip"
    checks = (
        (window and weight and a.filter_h < 1, "a window of backward weight without filter_h"),
        (a.filter_h > 0 and not (strip or (weight and (window or (_boxed(s) and a.fold)))), "filter_h outside strips"),
        (_boxed(s) and a.filter_h > 0 and (a.consumers > 1 or a.tile_n & (a.tile_n - 1) > 0 or row_width(a) < 16),
         "rows of a tile that are no 16 columns wide"),
        (window and a.filter_w * max(1, a.filter_h) * a.span > MAX_UNROLLED, f"over {MAX_UNROLLED} unrolled products"),
        (a.phase > 0 and (not back or a.phase >= a.stride_w), "a phase without a strided gradient"),
        ((window or strip) and back and a.span % a.stride_w > 0, "a span that the stride does not divide"),
        (a.merge and a.pipeline not in ("implicit", "thin") and not (_boxed(s) and a.split and not a.fold),
         f"merge in the {a.pipeline} pipeline"),
        (a.merge and a.even_k, "even_k with merged groups"),
        (a.fold and (a.pipeline not in ("implicit", "hopper") or a.merge or a.even_k or back),
         "fold outside plain forward and backward weight"),
        (a.fold and a.pipeline == "implicit" and a.vector_bytes > get_dtype(g.dtype_input).bytes,
         "fold in vectors: the pixels of a row begin anywhere"),
        (a.fold and _boxed(s) and weight and not a.split, "fold without the kernel that adds shares"),
        (a.channels > 0 and not (a.pipeline in ("window", "strip") or a.merge), f"known channels in {a.label()}"),
        ((window or strip) and not a.unit, "windows over channels that are not side by side"),
        (strip and (g.dims != 2 or a.filter_h < 1 or a.channels not in (1, 2, 4, 8, 16)), "strips of unknown filters"),
        (strip and a.pair < 16 and a.filter_w * a.filter_h * a.span * a.stride_w * a.rows > MAX_STRIP,
         f"over {MAX_STRIP} unrolled products"),
        (strip and get_dtype(g.dtype_input).bytes != 2, "strips of other than 16-bit numbers"),
        (a.pair == 2 and not (strip and weight and a.channels <= 8 and a.span % 2 == 0),
         "pairs of columns outside gradients of few channels' weights"),
        (a.pair == 8 and not (strip and not weight and a.channels <= 2 and a.span % 4 == 0),
         "eight columns outside strips of one or two channels per group"),
        (a.pair == 16 and not (strip and a.channels == 1 and a.filter_w > 1 and (weight or a.stride_w == 1)),
         "planes of other than one channel per group, or of a stride outside gradients of weights"),
        (a.rows > 1 and (not strip or weight or a.channels * a.pair in (1, 16)), "rows outside matrix units' strips"),
        (strip and not isinstance(s.arch, NvidiaArch), "strips on an AMD GPU"),
        (strip and (a.stages < 1 or a.vector_bytes < (4 if a.channels * a.pair == 1 else 16)), "strips without copies"),
        (a.sum == "atomic" and (not weight or strip), f"atomic sums of {a.pipeline} in {g.direction}"),
        (a.pipeline == "thin" and (weight or any(d.broadcast == "none" for d in g.d)),
         "backward weight or D operands of whole pixels in the thin pipeline"),
        ((a.split and not (weight and _boxed(s))) or a.swap_ab or a.operands != "direct", "traits of a product"),
        (_boxed(s) and (a.reduce != "inside" or a.inner != "hopper" or a.cluster > 1), "traits of a product"),
        (_boxed(s) and (not a.unit or a.wide or a.even_k or a.vector_bytes != 16 or a.sum != "workspace"),
         "a promise that boxes do not need"),
        (_boxed(s) and a.store == "pointer" and weight, "a store through pointers in backward weight"),
        (_boxed(s) and weight and not a.split and len(g.d) > 0, "D operands without the kernel that adds shares"),
        (a.precision == "tf32" and g.dtype_read[0] == "fp32" and isinstance(s.arch, AmdArch), "tf32 on an AMD GPU"),
        (a.precision == "ieee" and g.dtype_read[0] != "fp32", "ieee precision for operands that are not fp32"),
    )  # fmt: skip
    wrong = [text for bad, text in checks if bad]
    return broken(wrong[0], "leave that trait at its default", all=wrong) if wrong else None


gemm = product_rule("triton.conv.gemm", GEMM_PROBLEM_RULES, gemm_spec)


@rule("triton.conv.window", "problem", "windows: filter, stride, phase as the problem's; dilation 1 along w")
def window(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if a.pipeline not in WINDOWS:
        return None
    stride = p.stride[-1]
    got = {"filter_w": p.filter[-1], "stride_w": stride}
    if is_weight(s.spec):
        got["filter_h"] = p.filter[-2] if p.dims > 1 else 1
    elif p.direction == "backward_data":
        got["phase"] = p.pad[-1][0] % stride
    other = [n for n, v in got.items() if getattr(a, n) != v]
    if other:
        text = ", ".join(f"{n} is {got[n]}, the kernel has {getattr(a, n)}" for n in other)
        return broken(text, "use a kernel for that filter, or implicit", **got)
    if p.dilation[-1] != 1 and p.filter[-1] > 1:
        return broken(f"dilation {p.dilation[-1]} along w", "use implicit", dilation=p.dilation[-1])
    return None


@rule("triton.conv.strip", "problem", "strips: filter, stride, phase as the problem's on both axes; dilation 1")
def strip(s: Subject) -> Broken | None:
    if s.spec.algorithm.pipeline != "strip":
        return None
    wrong = strip_problem(s.spec.algorithm, _problem(s))
    return broken(wrong, "use a kernel for that filter, window or implicit") if wrong else None


@rule("triton.conv.channels", "problem", "window: a group fits a tile; depthwise: 1 channel; channels as stated")
def channels(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    read, other = sides(p)
    if a.pipeline == "depthwise" and (p.g == 1 or read != 1 or other != 1):
        return broken(f"{p.g} groups of {read} -> {other} channels", "use window or implicit", g=p.g)
    if a.channels and (read, other) != (a.channels, a.channels):
        return broken(f"{read} -> {other} channels per group, the kernel has {a.channels}", "use channels=0")
    if a.pipeline not in ("window", "strip") and not a.merge:
        return None
    weight = is_weight(s.spec) and a.pipeline in ("implicit", "hopper")
    tiles = (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)
    if read > tiles[0] or other > tiles[1]:
        got = f"{read} -> {other} channels per group > a tile of {tiles[0]} -> {tiles[1]}"
        return broken(got, "use larger tiles, or implicit without merge", read=read, other=other)
    if a.merge and merged_groups(p, a) == 1:
        return broken("only one group fits a tile", "use merge=False", read=read, other=other)
    return None


@rule("triton.conv.fold", "problem", "fold: one group, dense rows of channels-last pixels, dilation 1 along w")
def fold(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if not a.fold:
        return None
    if p.g > 1 or p.filter[-1] < 2 or p.dilation[-1] > 1:
        return broken(
            f"{p.g} groups, filter {p.filter[-1]}, dilation {p.dilation[-1]} along w", "use fold=False", g=p.g
        )
    why = cannot_fold(p) if _boxed(s) else None
    if not why and a.filter_h and (p.dims < 2 or p.filter[-2] != a.filter_h):
        why = f"filter {p.filter}, the kernel has {a.filter_h} rows"
    if not why and a.filter_h and seen_by_boxes(p, a).c_group > row_width(a):
        why = f"{seen_by_boxes(p, a).c_group} channels in a row > {row_width(a)} columns"
    if why:
        return broken(why, "use fold=False", channels=p.c_group)
    for role in () if _boxed(s) else ("input", "weight"):
        if p.stride_of(role)[-1] != p.c_group:
            got = f"{role} has a stride of {p.stride_of(role)[-1]} between pixels of {p.c_group} channels"
            return broken(got, "use fold=False", role=role)
    return None


@rule("triton.conv.groups", "problem", "merged groups, windows and D operands: groups lie side by side")
def groups(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if not _own(s):
        return None
    merging = a.pipeline in (*WINDOWS, "strip") or a.merge or _boxed(s)
    roles = [*(("input", "output") if merging else ()), *(p.roles[3:] if p.direction != "backward_weight" else ())]
    for role in roles:
        strides, extents = p.stride_of(role), p.extents(role)
        if extents[1] > 1 and strides[1] != extents[2] * (strides[2] if extents[2] > 1 else 1):
            return broken(f"{role} has strides {strides}: groups are not side by side", "use merge=False", role=role)
    return None


@rule("triton.conv.strides", "problem", "channels of a pixel lie side by side, unless unit is False")
def strides(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
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
    a, p = s.spec.algorithm, _problem(s)
    if not _own(s) or _boxed(s):
        return None
    merging = a.pipeline in (*WINDOWS, "strip") or a.merge
    if not is_weight(s.spec) and (not merging or a.channels):
        least = min(a.vector_bytes, a.channels * get_dtype(p.dtype_weight).bytes if a.channels else 16)
        got = min(p.alignment.get("weight", 16), p.pixel_alignment("weight"))
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
    a, p = s.spec.algorithm, _problem(s)
    if not _own(s):
        return None
    counts = {"pixels": p.n * max(prod(p.input), prod(p.output)), "weights": weight_size(p),
              "programs": geometry(p, a, s.launch).programs if s.launch else 0}  # fmt: skip
    for name, count in counts.items():
        if count >= INT32_LIMIT:
            return broken(f"{count:,} {name} >= 2**31", "split the problem along n", **{name: count})
    if a.wide or _boxed(s):
        return None
    padding = max(map(sum, p.pad))
    for role in ("input", "weight", "output"):
        reach = p.reach(role)
        # Taps outside of the image are masked, but their offsets are computed.
        if reach + padding * max(map(abs, p.stride_of(role))) >= INT32_LIMIT:
            return broken(f"{role} reaches over {reach:,} elements >= 2**31", "use wide=True", reach=reach)
    return None


@rule("triton.conv.thin", "problem", "thin: 1x1, stride 1, one group unless merged; channels fit a tile")
def thin(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if a.pipeline != "thin":
        return None
    why = not_a_product(p)
    if why or (p.g > 1) != a.merge:
        return broken(f"no stream of pixels: {why or f'{p.g} groups'}", "use implicit", g=p.g)
    read, other = sides(p)
    if read > a.tile_k or other > a.tile_n:
        return broken(f"{read} -> {other} channels > a tile of {a.tile_k} -> {a.tile_n}", "use gemm", read=read)
    return None


@rule("triton.conv.box", "problem", "hopper: strides of 16 bytes, positive; steps <= 8; a strided store by pointers")
def box(s: Subject) -> Broken | None:
    a = s.spec.algorithm
    if not _boxed(s):
        return None
    p = seen_by_boxes(_problem(s), a)
    for role in ("input", "output") if is_weight(s.spec) and a.split else ("input", "weight", "output"):
        size, pointer = int(get_dtype(p.dtype(role)).bytes), p.alignment.get(role, 16)
        pairs = zip(p.stride_of(role), p.extents(role), strict=True)
        strides = [x for i, (x, n) in enumerate(pairs) if n > 1 and i != 2]
        off = [x for x in strides if x <= 0 or x * size % 16 or x * size >= MAP_STRIDE_LIMIT]
        if off or pointer < 16:
            got = f"{role} begins at {pointer} bytes and has strides {p.stride_of(role)} of {size} bytes"
            return broken(got, "use implicit, or pad channels to 16 bytes", role=role)
    back = p.direction == "backward_data"
    written = sides(p)[1] * int(get_dtype(p.dtype(p.result)).bytes)
    if a.store == "pointer" and written % 16:
        return broken(f"{written} bytes of channels are written per group: no whole vectors", "use store='tma'")
    if max(p.stride) > STEP_LIMIT and not back:
        return broken(f"stride {max(p.stride)} > {STEP_LIMIT}, a tensor map's longest step", "use implicit")
    if back and max(p.stride) > 1 and a.store == "tma":
        return broken(f"stride {max(p.stride)}: the gradient is written with gaps", "use store='pointer'")
    return None


@rule("triton.conv.whole_groups", "problem", "hopper, many groups: tiles and steps divide the channels of a group")
def whole_groups(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if not _boxed(s) or p.g == 1:
        return None
    read, other = sides(p)
    if a.merge:
        merged = merged_groups(p, a)
        if merged * read != a.tile_n or merged * other != a.tile_m or p.g % merged:
            got = f"{p.g} groups of {read} -> {other} channels do not fill tiles of {a.tile_m}x{a.tile_n}"
            return broken(got, "use merge=False, or implicit", merged=merged)
        return None
    need = {"tile_n": read, "tile_m": other} if is_weight(s.spec) else {"tile_k": read, "tile_n": other}
    odd = [n for n, count in need.items() if count % getattr(a, n)]
    if odd:
        got = f"{need[odd[0]]} channels per group are no multiple of {odd[0]} = {getattr(a, odd[0])}"
        return broken(got, "use a smaller tile, or implicit", read=read, other=other)
    w, e = p.stride_of("weight"), p.extents("weight")
    if w[0] != e[1] * w[1]:
        return broken(f"weight has strides {w}: groups are not side by side", "use implicit", role="weight")
    return None


@rule("triton.conv.even_k", "problem", "even_k: the channels that are read are a multiple of tile_k")
def even_k(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, _problem(s)
    if not _own(s) or not a.even_k:
        return None
    read = sides(p)[0]
    if read % a.tile_k or is_weight(s.spec):
        return broken(f"{read} channels are no multiple of tile_k = {a.tile_k}", "use even_k=False", channels=read)
    return None


@rule("triton.conv.split_k", "problem", "split_k only for backward_weight: shares of the pixels")
def split_k(s: Subject) -> Broken | None:
    asked = _problem(s).split_k
    if asked not in (None, 1) and s.problem.direction != "backward_weight" and _own(s):
        return broken(f"split_k {asked} for {s.problem.direction}", "leave split_k out", split_k=asked)
    return None


RULES: tuple[Rule, ...] = (
    dtypes, gemm_kernel, tile, registers, shared, traits,
    # Those that remove most kernels come first: the others are asked about what is left.
    thin, window, strip, channels, fold, groups, strides, alignment, index, box, whole_groups, even_k, split_k, gemm,
)  # fmt: skip

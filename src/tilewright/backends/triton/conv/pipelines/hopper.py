"""hopper: a matrix product over boxes of pixels that TMA fetches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

from .....model.arch import Arch
from .....model.device import Device
from .....model.dtype import get_dtype
from .....model.kernel import KernelSpec, Launch, kept_by_kernel, split_launch
from .....model.rule import Broken, broken, rule
from .....model.tensor import Addresses
from .....ops.conv.problem import ConvProblem
from .....ops.conv.problem import ConvSubject as Subject
from .....ops.gemm.epilogue import Epilogue
from .....ops.gemm.problem import GemmProblem
from .....ops.gemm.signature import GemmSignature
from ...gemm import cost as gemm_cost
from ...gemm.operands import ceil_div
from ...gemm.pipelines.hopper.ring import residual_parts
from ...gemm.pipelines.hopper.source import HopperParts, hopper_parts
from ...gemm.set_parts import HOPPER
from ...pipelines import Arguments, Call
from ...source import Source, descriptor, triton_types
from ...source import finish as finish_source
from ...target import TRITON_DTYPE
from ..algorithm import TritonConv, gemm_spec, is_turned, is_weight
from ..bind import epilogue_values, merged_groups, six, strides_of
from ..boxes import STEP_LIMIT, box_arguments, boxes_of, conv_residual, maps_of, row_width
from ..flattening import flattened
from ..folding import (
    FOLD_BLOCK,
    cannot_fold,
    copies_of,
    copy_bytes,
    fold_values,
    folded_addresses,
    folded_bytes,
    seen_by_boxes,
)
from ..geometry import FINISH_TILES, Geometry, sides, weight_size
from ..kernels.config import HopperConvConfig
from ..pipeline import Pipeline, Traits
from ..set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set
from ..source import (
    AXES,
    FINISH,
    STRIDES,
    epilogue_config,
    epilogue_types,
    finish_kernel,
    function_of,
    out_type,
)
from ..turning import (
    SPREAD_BLOCK,
    block_arguments,
    cannot_turn,
    copied_gradient,
    filter_bytes,
    spread_values,
    turned,
    writes_blocks,
)

MAP_STRIDE_LIMIT = 2**40  # bytes between neighbours along a dimension of a tensor map


@rule("triton.conv.box", "problem", "hopper: strides of 16 bytes, positive; steps <= 8; a strided store by pointers")
def fits_boxes(s: Subject) -> Broken | None:
    a = s.algorithm
    if is_turned(s.spec) and writes_blocks(a):
        return _fits_blocks(s.problem, a)
    p = seen_of(s.problem, a)
    weight = is_weight(s.spec)
    residual = None if weight else conv_residual(p.signature, a)
    roles = ["input", "output"] if weight and (a.split or a.merge) else ["input", "weight", "output"]
    roles += [] if residual is None else [f"d{residual}"]
    for role in roles:
        size, pointer = int(get_dtype(p.dtype(role)).bytes), p.alignment.get(role, 16)
        pairs = zip(p.stride_of(role), p.extents(role), strict=True)
        # The channels of all groups lie along one axis of a map: merged groups may begin anywhere on it.
        strides = [x for i, (x, n) in enumerate(pairs) if n > 1 and i != 2 and not (a.merge and i == 1)]
        off = [x for x in strides if x <= 0 or x * size % 16 or x * size >= MAP_STRIDE_LIMIT]
        if off or pointer < 16:
            got = f"{role} begins at {pointer} bytes and has strides {p.stride_of(role)} of {size} bytes"
            return broken(got, "use implicit, or pad channels to 16 bytes", role=role)
    if residual is not None and p.extents(roles[-1])[2] > 1 and p.stride_of(roles[-1])[2] != 1:
        return broken(f"{roles[-1]} has channels apart: TMA cannot read it", "use store='pointer'", role=roles[-1])
    back = p.direction == "backward_data"
    written = sides(p)[1] * int(get_dtype(p.dtype(p.result)).bytes)
    if a.store == "pointer" and written % 16 and not weight:
        return broken(f"{written} bytes of channels are written per group: no whole vectors", "use store='tma'")
    if max(p.stride) > STEP_LIMIT and not back:
        return broken(f"stride {max(p.stride)} > {STEP_LIMIT}, a tensor map's longest step", "use implicit")
    if back and max(p.stride) > 1 and a.store == "tma":
        return broken(f"stride {max(p.stride)}: the gradient is written with gaps", "use store='pointer'")
    return None


def _fits_blocks(p: ConvProblem, a: TritonConv) -> Broken | None:
    """Judge a problem whose pixels are written in blocks: tensor maps read the output, vectors write the input."""
    size = int(get_dtype(p.dtype_output).bytes)
    read = [x * size for x, n in zip(p.stride_of("output"), p.extents("output"), strict=True) if n > 1 and x != 1]
    if any(x <= 0 or x % 16 or x >= MAP_STRIDE_LIMIT for x in read) or p.alignment.get("output", 16) < 16:
        return broken(f"output has strides {p.stride_of('output')}", "use implicit, or pad channels to 16 bytes")
    size = int(get_dtype(p.dtype_input).bytes)
    steps = list(zip(p.stride_of("input"), p.extents("input"), strict=True))
    rows = [x * size for x, n in (steps[0], *steps[3:-1]) if n > 1]
    if any(x <= 0 or x % a.vector_bytes for x in rows) or p.alignment.get("input", 16) < a.vector_bytes:
        got = f"input has strides {p.stride_of('input')} of {size} bytes"
        return broken(got, "use fewer vector_bytes", need=a.vector_bytes)
    return None


@rule("triton.conv.whole_groups", "problem", "hopper, many groups: tiles and steps divide the channels of a group")
def whole_groups(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    if p.g == 1:
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


FOLD = "kernels.fold:fold_pixels"
SPREAD = "kernels.spread:spread_filter"


def seen_of(problem: ConvProblem, algorithm: TritonConv) -> ConvProblem:
    """Return the problem as the kernel sees it: in few dimensions, folded, or turned into a forward one."""
    if not algorithm.fold:
        return flattened(problem)
    if problem.direction != "backward_data":
        return seen_by_boxes(problem, algorithm)
    return problem if cannot_turn(problem, algorithm) else turned(problem, algorithm)


def writes_groups(spec: KernelSpec) -> bool:
    """Return whether the gradient of merged groups is written by the programs that sum it, without shares."""
    return is_weight(spec) and bool(spec.algorithm.merge and not spec.algorithm.split)


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    conv = "kernels.hopper_weight:hopper_weight" if is_weight(spec) else "kernels.hopper:hopper_conv"
    if is_turned(spec) and writes_blocks(spec.algorithm):
        conv = "kernels.hopper_blocks:hopper_blocks"
    if writes_groups(spec):
        conv = "kernels.hopper_groups:hopper_groups"
    return {"conv": conv, "finish": FINISH, "fold": FOLD, "spread": SPREAD}


def conv(spec: KernelSpec) -> Source:
    """Return the box kernels: constants of the gemm backend's hopper pipeline, maps of rank 5."""
    inner, weight = gemm_spec(spec), is_weight(spec)
    parts = hopper_parts(inner, lead=(1, 1))
    a, s = spec.algorithm, spec.signature
    shares = weight and a.split
    parts.constants["store_layout"] = _row_layout(
        parts.constants["part"], s.dtype(s.result), a.warps // a.consumers, 0 if writes_groups(spec) else a.vector_bytes
    )
    if a.filter_h:
        _stack(spec, parts)
    epilogue, residual = epilogue_config(spec), None if weight else conv_residual(s, a)
    if residual is not None:
        epilogue = replace(epilogue, residual=residual)
    config = HopperConvConfig(
        group=a.group, rows=a.filter_h, merge=a.merge, forward=s.direction != "backward_data" or a.fold, stream=shares,
        out=out_type(spec), acc=parts.acc, out_buffers=a.out_buffers, consumers=a.consumers,
        tma_store=a.store == "tma", pdl=a.pdl, tiles_first=a.order == "tiles", epilogue=epilogue,
        residual_parts=residual_parts(inner.signature, inner.algorithm), **{"tile_layout": None, **parts.constants},
    )  # fmt: skip
    names = {"a": "grad_desc", "b": "src_desc"} if weight else {"a": "src_desc", "b": "wgt_desc"}
    names |= {"rest": "rest_desc", "out": "out_desc"}
    given: dict[str, Any] = {names[n]: kind for n, kind in parts.descriptors.items()}
    if residual is not None:
        given["residual_desc"] = given["out_desc"]
    given |= dict.fromkeys(
        ("images", "groups", "merged", "cin", "cout", "tiles_m", "classes", "steps", "splits"), "i32"
    )
    given |= {"boxes": (*("i32",) * 7, *(("u32", "i32"),) * 3), "axes": AXES, "epilogue": epilogue_types(spec)}
    function = function_of(kernels(spec)["conv"])
    hints: dict[Any, int] = {}
    if shares:
        del given["out_desc"]
        given["shares"] = "*fp32"
        hints[(function.arg_names.index("shares"),)] = 16
    elif writes_groups(spec):
        given |= {"dst_ptr": "*" + TRITON_DTYPE[s.dtype_weight], "dst_strides": STRIDES}
    elif a.store == "pointer":
        given.pop("out_desc", None)
        given |= {"dst_ptr": "*" + TRITON_DTYPE[s.dtype(s.result)], "dst_strides": STRIDES}
        at, elements = function.arg_names.index("dst_strides"), int(16 // get_dtype(s.dtype(s.result)).bytes)
        if is_turned(spec):
            given |= dict.fromkeys(("run", "tall", "lines", "line"), "i32") | {"line_step": "i64"}
            elements = int(a.vector_bytes // get_dtype(s.dtype(s.result)).bytes)
            hints |= {(function.arg_names.index(n),): elements for n in ("run", "line", "line_step") if elements > 1}
        # The last one too: masks of whole vectors leave stores wide.
        hints |= {(at - 1,): a.vector_bytes, **{(at, i): elements for i in (0, 1, 3, 4, 5) if elements > 1}}
        hints |= {(function.arg_names.index("cout"),): elements} if elements > 1 else {}
    given = {n: t for n, t in given.items() if n in function.arg_names}
    return finish_source(function, given, config, hints, **parts.options)


def _stack(spec: KernelSpec, parts: HopperParts) -> None:
    """Change the parts to boxes of one filter row each, which together are the columns of a tile."""
    from triton.experimental.gluon.language import NVMMADistributedLayout, NVMMASharedLayout

    a, s = spec.algorithm, spec.signature
    width = row_width(a)
    dtype = triton_types((s.dtype_input,))[s.dtype_input]
    box = [1, 1, 1, a.tile_k, width]
    layout = NVMMASharedLayout.get_default_for(box, dtype)
    parts.descriptors["b"] = descriptor(s.dtype_input, box, layout)
    depth = int(32 // get_dtype(s.dtype_input).bytes)
    parts.constants.update(
        part=width, part_layout=NVMMADistributedLayout([3, 0], [a.warps // a.consumers, 1], [16, width, depth]),
        tile_layout=NVMMASharedLayout(layout.swizzle_byte_width, layout.element_bitwidth, rank=2),
    )  # fmt: skip


def _row_layout(columns: int, dtype: str, warps: int, vector_bytes: int) -> Any:
    """Return the layout in which a thread stores a vector and neighbouring threads neighbouring ones."""
    from triton.experimental.gluon.language import BlockedLayout

    run = max(1, min(columns, int(vector_bytes // get_dtype(dtype).bytes)))
    across = min(32, columns // run)
    return BlockedLayout([1, run], [32 // across, across], [warps, 1], [1, 0])


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    return finish_kernel(spec, FINISH_TILES, fold=spec.algorithm.fold)


def fold(spec: KernelSpec) -> Source:
    """Return the kernel that copies pixels of few channels into lines with padding."""
    kind = "*" + TRITON_DTYPE[spec.signature.dtype_input]
    numbers = ("second", "third", "pixels", "before", "channels", "bits", "line")
    given: dict[str, Any] = {
        "src_ptr": kind,
        "dst_ptr": kind,
        "strides": ("i64",) * 3,
        "pixel": "i64",
        "channel": "i64",
    }
    given |= dict.fromkeys(numbers, "i32")
    function = function_of(FOLD)
    names = function.arg_names
    elements = int(16 // get_dtype(spec.signature.dtype_input).bytes)
    hints: dict[tuple[int, ...], int] = {(names.index("dst_ptr"),): 16, (names.index("line"),): elements}
    signature = {n: given.get(n, "constexpr") for n in names}
    return Source(function, signature, {"BLOCK": FOLD_BLOCK}, hints, {"num_warps": 4})


def spread(spec: KernelSpec) -> Source:
    """Return the kernel that turns the filter around for backward data."""
    kind, function = "*" + TRITON_DTYPE[spec.signature.dtype_weight], function_of(SPREAD)
    given: dict[str, Any] = {"src_ptr": kind, "dst_ptr": kind, "strides": ("i64",) * 5, "axes": (("i32",) * 4,) * 3}
    given |= dict.fromkeys(("total", "channels", "read", "depth", "across"), "i32")
    signature = {n: given.get(n, "constexpr") for n in function.arg_names}
    return Source(function, signature, {"BLOCK": SPREAD_BLOCK}, {(1,): 16}, {"num_warps": 4})


class Hopper(Pipeline):
    """The ring of the gemm backend's hopper pipeline, fed with boxes of pixels."""

    product_rules = True
    stays = True
    folds = True
    turns = True
    last_rules = (fits_boxes, whole_groups)
    rank = (1, 4)

    def shown(self, a: TritonConv) -> list[str]:
        """Return the traits of the ring."""
        flags = (
            ("pp", a.consumers == 2),
            (f"x{a.blocks_per_unit}", a.blocks_per_unit > 1),
            ("split", a.split),
            ("tiles", a.order == "tiles"),
            ("ptrstore", a.store == "pointer"),
        )
        return [name for name, on in flags if on]

    def sums_shares(self, spec: KernelSpec) -> bool:
        """In backward weight, unless programs sum all pixels of their tiles."""
        return is_weight(spec) and bool(spec.algorithm.split)

    def copies(self, spec: KernelSpec) -> tuple[str, ...]:
        """Folded rows are copied with their padding, the filter of a turned problem with zeros."""
        a = spec.algorithm
        if not is_turned(spec):
            return ("fold",) if a.fold else ()
        return ("spread",) if writes_blocks(a) else ("fold", "spread")

    def has_height(self, spec: KernelSpec) -> bool:
        """Rows of the filter side by side in a tile: in backward weight of folded rows."""
        return is_weight(spec) and bool(spec.algorithm.fold)

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile: if what is between groups is left out, by a store or a sum."""
        return bool((a.split or a.store == "pointer") and not a.fold)

    def may_split(self, spec: KernelSpec) -> bool:
        """Return whether pixels may be cut into shares."""
        return is_weight(spec)

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only boxes have."""
        a, weight = spec.algorithm, is_weight(spec)
        yield from super().traits(spec, arch)
        yield (a.filter_h > 0 and (a.consumers > 1 or a.tile_n & (a.tile_n - 1) > 0 or row_width(a) < 16),
               "rows of a tile that are no 16 columns wide")  # fmt: skip
        yield a.fold and weight and not a.split, "fold without the kernel that adds shares"
        yield a.reduce != "inside" or a.inner != "hopper" or a.cluster > 1, "traits of a product"
        narrow = a.vector_bytes != 16 and not (a.vector_bytes == 2 and is_turned(spec) and writes_blocks(a))
        yield (not a.unit or a.wide or a.even_k or narrow or a.sum != "workspace",
               "a promise that boxes do not need")  # fmt: skip
        yield (a.store == "pointer" and weight and (a.split or not a.merge),
               "a store through pointers in backward weight")  # fmt: skip
        yield a.merge and not weight, "merged groups outside backward weight"
        yield (weight and not a.split and len(spec.signature.d) > 0,
               "D operands without the kernel that adds shares")  # fmt: skip

    def fold(self, p: ConvProblem, a: TritonConv) -> Broken | None:
        """Rows of few channels, copied; of a known number if they share a tile."""
        if p.direction == "backward_data":
            why = cannot_turn(p, a)
            return broken(why, "use fold=False", channels=p.c_group) if why else None
        why = cannot_fold(p)
        if not why and a.filter_h and (p.dims < 2 or p.filter[-2] != a.filter_h):
            why = f"filter {p.filter}, the kernel has {a.filter_h} rows"
        if not why and a.filter_h and seen_by_boxes(p, a).c_group > row_width(a):
            why = f"{seen_by_boxes(p, a).c_group} channels in a row > {row_width(a)} columns"
        return broken(why, "use fold=False", channels=p.c_group) if why else None

    def side_by_side(self, a: TritonConv) -> bool:
        """Always: a tensor map has the channels of all groups along one axis."""
        return True

    def tile_channels(self, a: TritonConv, weight: bool) -> tuple[int, int]:
        """Channels of a tile; rows and columns in backward weight, whose depth is pixels."""
        return (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per tile (and share); `steps` are those of the busiest class."""
        shape = self._geometry(seen_of(p, a), a, launch.split_k)
        return shape._replace(workspace=shape.workspace + _copied_bytes(p, a))

    def _geometry(self, p: ConvProblem, a: TritonConv, splits: int) -> Geometry:
        boxes, (read, other) = boxes_of(p, a), sides(p)
        if p.direction == "backward_weight":
            splits = max(1, min(splits, boxes.total)) if a.split else 1
            workspace = 4 * splits * weight_size(p) if a.split else 0
            rows, steps = 1 if a.merge else ceil_div(other, a.tile_m), ceil_div(boxes.total, splits)
            return Geometry(self.merged_groups(p, a), 1, rows, weight_columns(p, a), steps, splits, workspace)
        back = p.direction == "backward_data"
        taps = prod(ceil_div(f, s) if back else f for f, s in zip(p.filter, p.stride, strict=True))
        cols = p.g * ceil_div(other, a.tile_n)
        return Geometry(1, boxes.classes, boxes.total, cols, taps * ceil_div(read, a.tile_k), 1, 0)

    def seen(self, p: ConvProblem, a: TritonConv) -> ConvProblem:
        """With `fold`, rows of the filter as channels, or a forward problem."""
        return seen_of(p, a)

    def operands(
        self, p: ConvProblem, a: TritonConv, addresses: Addresses, workspace: int
    ) -> tuple[Mapping[str, int], int]:
        """With `fold`, copies at the head of the workspace."""
        if not a.fold:
            return addresses, workspace
        return _copied_addresses(p, a, addresses, workspace), workspace + _copied_bytes(p, a)

    def before(self, p: ConvProblem, a: TritonConv, addresses: Addresses, workspace: int) -> list[Call]:
        """Return the copies of operands whose filter rows are folded."""
        if not a.fold:
            return []
        to = _copied_addresses(p, a, addresses, workspace)
        if p.direction != "backward_data":
            return [("fold", *fold_values(c, addresses[c.role], to[c.role])) for c in copies_of(p)]
        filters: Call = ("spread", *spread_values(p, a, addresses["weight"], to["weight"]))
        if writes_blocks(a):
            return [filters]
        return [("fold", *fold_values(copied_gradient(p), addresses["output"], to["input"])), filters]

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Addresses) -> Arguments:
        """Boxes and tensor maps."""
        seen = seen_of(p, a)
        boxes = boxes_of(seen, a)
        args = {**box_arguments(boxes), **maps_of(seen, a, boxes, addresses), **epilogue_values(seen, addresses),
                "classes": shape.classes, "steps": boxes.total}  # fmt: skip
        if a.fold and p.direction == "backward_data" and writes_blocks(a):
            args.update(block_arguments(p, seen))
        if a.merge:
            read, other = sides(p)
            args.update(groups=p.g // shape.merged, cin=shape.merged * read, cout=shape.merged * other)
            if not a.split:
                args.update(dst_ptr=addresses["weight"], **strides_of("dst", six(seen, "weight")))
        return args

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> tuple[Launch, ...]:
        """Plain, or the splits of the pixels that fill the GPU."""
        if not spec.algorithm.split:
            return (split_launch(1),)
        if problem.split_k is not None:
            return (split_launch(problem.split_k),)
        return tuple(gemm_cost.launches(_inner(spec), _weight_product(spec, problem), device))

    def resident(self, spec: KernelSpec) -> int:
        """Programs that share a multiprocessor."""
        return int(spec.algorithm.blocks_per_unit)


PIPELINE = Hopper()


def _copied_bytes(p: ConvProblem, a: TritonConv) -> int:
    """Workspace of all copies."""
    if p.direction != "backward_data" or not a.fold or cannot_turn(p, a):
        return folded_bytes(p, a)
    return filter_bytes(p, a) + (0 if writes_blocks(a) else copy_bytes(p, copied_gradient(p)))


def _copied_addresses(p: ConvProblem, a: TritonConv, addresses: Addresses, workspace: int) -> dict[str, int]:
    """Return the addresses with those of the copies; a turned problem reads the output's gradient as its input."""
    if p.direction != "backward_data":
        return folded_addresses(p, addresses, workspace)
    gradient = addresses["output"] if writes_blocks(a) else workspace + filter_bytes(p, a)
    return {**addresses, "input": gradient, "weight": workspace, "output": addresses["input"]}


def weight_columns(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Tiles along the columns of backward weight on boxes: channels of a tap, or filter rows side by side."""
    p, a = problem, algorithm
    across = 1 if a.filter_h or a.merge else ceil_div(p.c_group, a.tile_n)
    return ceil_div(p.g, PIPELINE.merged_groups(p, a)) * prod(p.filter) // max(1, a.filter_h) * across


# Fitted to convolutions (`benchmarks/fit/fit_conv_gpu_cost.py`); what is not named is as for products.
BOX_PRICES = replace(
    gemm_cost.HOPPER, fill=1096.0, matrix=0.8612, turns=1.035, step=18.55, l2=105.2, off_line=0.2744, latency=1695.0,
    store=41.13, epilogue=3140.0, memory=1.43, traffic=2.75, reread=0.3168, reduce=0.4024, copy=0.9922, power=1.788,
    second_launch=1.122e-06,
)  # fmt: skip


def _weight_product(spec: KernelSpec, problem: ConvProblem) -> GemmProblem:
    """Return the product that a kernel of backward weight computes, with the pixels and channels that it wastes."""
    a, s, p = spec.algorithm, gemm_spec(spec).signature, seen_of(problem, spec.algorithm)
    m = a.tile_m if a.merge else ceil_div(sides(p)[1], a.tile_m) * a.tile_m
    return _product(s, p.epilogue, m, weight_columns(p, a) * a.tile_n, boxes_of(p, a).total * a.tile_k)


@lru_cache(maxsize=4096)
def _product(s: GemmSignature, epilogue: Epilogue, m: int, n: int, k: int) -> GemmProblem:
    return GemmProblem(
        m=m, n=n, k=k, dtype_a=s.dtype_a, dtype_b=s.dtype_b, dtype_out=s.dtype_out, dtype_acc=s.dtype_acc,
        layout=s.layout, epilogue=epilogue,
    )  # fmt: skip


@kept_by_kernel
def _inner(spec: KernelSpec) -> KernelSpec:
    """Return the product's kernel; another one adds the shares."""
    return gemm_spec(spec).with_algorithm(reduce="after") if spec.algorithm.split else gemm_spec(spec)


def _boxes(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (tile_m, tile_n, tile_k, warps, consumers, blocks per multiprocessor) each, of the hopper pipeline."""
    names = ("tile_m", "tile_n", "tile_k", "warps", "consumers", "blocks_per_unit")
    found = []
    for t in tiles:
        m, n, _, _, consumers, _ = t
        buffers = 1 if (m * n >= 256 * 128 and m > n) or (consumers == 2 and m * n > 8192) else 2
        found.append({"pipeline": "hopper", "stages": 0, **dict(zip(names, t, strict=True)), "out_buffers": buffers,
                      **fields})  # fmt: skip
    return tuple(found)


# Boxes of pixels by TMA; depths of 32 for few channels.
BOXES = ((128, 256, 64, 8, 1, 1), (256, 128, 64, 8, 1, 1), (128, 192, 64, 8, 1, 1), (128, 128, 64, 8, 1, 1),
         (128, 192, 64, 8, 2, 1), (128, 128, 64, 8, 2, 1), (128, 64, 64, 8, 2, 1), (64, 256, 64, 8, 2, 1),
         (64, 192, 64, 8, 2, 1), (64, 128, 64, 8, 2, 1), (64, 64, 64, 8, 2, 1), (256, 64, 64, 8, 1, 1),
         (128, 64, 32, 8, 2, 1), (128, 32, 64, 8, 2, 1), (128, 32, 32, 8, 2, 1),
         (256, 32, 32, 8, 1, 1), (128, 64, 64, 4, 1, 2), (256, 64, 32, 8, 1, 1), (256, 128, 32, 8, 1, 1),
         (128, 128, 32, 8, 2, 1), (128, 96, 32, 8, 2, 1))  # fmt: skip
FOLDED_BOXES = ((128, 64, 32, 8, 2, 1), (256, 64, 32, 8, 1, 1), (128, 64, 32, 4, 1, 3), (128, 128, 32, 8, 2, 1),
                (128, 192, 32, 8, 1, 1), (128, 192, 16, 8, 1, 1), (128, 64, 16, 8, 2, 1), (256, 64, 16, 8, 1, 1),
                (128, 32, 32, 8, 2, 1))  # fmt: skip
# Blocks of pixels of few channels in backward data.
TURNED_BOXES = ((128, 96, 64, 8, 2, 1), (128, 192, 64, 8, 1, 1), (128, 64, 64, 8, 2, 1), (256, 96, 64, 8, 1, 1),
                (128, 96, 32, 8, 2, 1), (128, 192, 32, 8, 1, 1), (128, 64, 32, 8, 2, 1), (256, 96, 32, 8, 1, 1),
                (128, 96, 16, 8, 2, 1), (256, 96, 16, 8, 1, 1), (128, 64, 64, 4, 1, 2))  # fmt: skip
MERGED_BOXES = ((64, 64, 128, 4, 1, 1), (64, 64, 64, 4, 1, 2), (128, 128, 64, 8, 1, 1), (64, 128, 64, 4, 1, 1))
FOLDED_ROWS = ((64, 256, 64, 4, 1, 1), (128, 256, 64, 8, 1, 1), (64, 128, 64, 4, 1, 1), (128, 128, 64, 8, 1, 1),
               (64, 64, 128, 4, 1, 1), (128, 64, 128, 8, 1, 1))  # fmt: skip
FOLDED_BOXES_WEIGHT = ((64, 32, 128, 4, 1, 2), (64, 32, 256, 4, 1, 1), (64, 16, 128, 4, 1, 2), (64, 16, 256, 4, 1, 1),
                       (128, 32, 128, 8, 1, 1), (128, 16, 128, 8, 1, 1), (256, 16, 128, 8, 1, 1),
                       (64, 64, 128, 4, 1, 1))  # fmt: skip
BOXES_WEIGHT = ((128, 256, 64, 8, 1, 1), (256, 128, 64, 8, 1, 1), (128, 192, 64, 8, 1, 1), (128, 128, 64, 8, 1, 1),
                (128, 128, 64, 8, 2, 1), (64, 256, 64, 4, 1, 1), (64, 128, 128, 4, 1, 1), (128, 64, 128, 8, 1, 1),
                (64, 64, 128, 4, 1, 1), (64, 32, 128, 4, 1, 2), (256, 128, 32, 8, 1, 1))  # fmt: skip

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    1: (
    conv_set("hopper", "boxes of pixels by TMA, wgmma", (HOPPER,), (
        *_boxes(BOXES, store=["tma", "pointer"]), *_boxes(FOLDED_BOXES, fold=True)), direction=DATA, **SIXTEEN),
    conv_set("hopper_blocks", "gradients of few channels, blocks of pixels at a time", (HOPPER,),
        _boxes(TURNED_BOXES, fold=True, store="pointer", vector_bytes=[2, 16]), direction="backward_data", **SIXTEEN),
    conv_set("hopper_weight", "gradient of the weights over boxes of pixels", (HOPPER,), (
        *_boxes(BOXES_WEIGHT), *_boxes(BOXES_WEIGHT, split=True, order="tiles"),
        *_boxes(MERGED_BOXES, split=True, order="tiles", merge=True),
        *_boxes(MERGED_BOXES[:2], merge=True, store="pointer"),
        *_boxes(FOLDED_BOXES_WEIGHT, split=True, order="tiles", fold=True),
        *_boxes(FOLDED_ROWS, split=True, order="tiles", fold=True, filter_h=[2, 3, 4, 5, 7])), direction=WEIGHT,
        **SIXTEEN),
    ),
}  # fmt: skip

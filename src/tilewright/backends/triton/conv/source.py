"""What is compiled for a convolution: the Triton function, its argument types and its constants. Imports triton."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....errors import SpecError
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec
from ..gemm.kernels.config import EpilogueConfig
from ..gemm.source import HopperParts, hopper_parts
from ..source import Source, descriptor, finish, precision, set_to_one, triton_types
from ..target import TRITON_DTYPE
from .algorithm import finish_tiles, gemm_spec, is_weight, row_width, source_roles
from .folding import FOLD_BLOCK
from .kernels.config import FinishConfig, HopperConvConfig, ImplicitConfig, ThinConfig, WindowConfig
from .strips import early, strip_config

STRIDES = ("i64",) * 6
AXES = ((*("i32",) * 8, "u32", "i32"),) * 3


def job_source(what: dict[str, Any], spec: KernelSpec) -> Source:
    """The source of one compile job of a spec."""
    makers = {"finish": finish_source, "fold": fold_source}
    return makers.get(what["kind"], source_of)(spec)


def source_of(spec: KernelSpec) -> Source:
    """The source of a convolution kernel."""
    makers = {"implicit": _implicit, "window": _window, "depthwise": _window, "strip": _strip, "hopper": _hopper,
              "thin": _thin}  # fmt: skip
    pipeline = spec.algorithm.pipeline
    if pipeline not in makers:
        raise SpecError(f"pipeline {pipeline!r} is none of {sorted(makers)}")
    return makers[pipeline](spec)


def finish_source(spec: KernelSpec) -> Source:
    """The kernel that adds the shares of backward weight."""
    from .kernels.weight import finish_weight

    s = spec.signature
    out = triton_types((s.dtype_weight,))[s.dtype_weight]
    fold = spec.algorithm.fold and spec.algorithm.pipeline == "hopper"
    pdl = spec.algorithm.pipeline == "strip" and early(spec)
    a = spec.algorithm
    even = int(a.vector_bytes // get_dtype(s.dtype_input).bytes) if a.pipeline == "strip" else 1
    taps_first = a.pipeline == "strip" and strip_config(spec).dot
    config = FinishConfig(finish_tiles(a), even, a.sum == "atomic", fold, taps_first, pdl, out, _epilogue(spec))
    given = {"shares": "*fp32", "dst_ptr": "*" + TRITON_DTYPE[s.dtype_weight], "dst_strides": STRIDES, "groups": "i32",
             "cin": "i32", "cout": "i32", "splits": "i32", "axes": AXES, "epilogue": _epilogue_types(spec)}  # fmt: skip
    if fold:
        given |= {"run": "i32", "width": "i32"}
    return finish(finish_weight, given, config, {(0,): 16}, num_warps=4, launch_pdl=pdl)


def fold_source(spec: KernelSpec) -> Source:
    """The kernel that copies pixels of few channels into lines with padding."""
    from .kernels.fold import fold_pixels

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
    names = fold_pixels.arg_names
    elements = int(16 // get_dtype(spec.signature.dtype_input).bytes)
    hints: dict[tuple[int, ...], int] = {(names.index("dst_ptr"),): 16, (names.index("line"),): elements}
    signature = {n: given.get(n, "constexpr") for n in names}
    return Source(fold_pixels, signature, {"BLOCK": FOLD_BLOCK}, hints, {"num_warps": 4})


def _epilogue(spec: KernelSpec) -> EpilogueConfig:
    s = spec.signature
    return EpilogueConfig(d=tuple(d.broadcast for d in s.d), combine=s.combine, activation=s.activation)


def _epilogue_types(spec: KernelSpec) -> tuple[Any, ...]:
    d = spec.signature.d
    strides = STRIDES if is_weight(spec) else ("i64",) * 5
    return ("fp32", "fp32", tuple("*" + TRITON_DTYPE[x.dtype] for x in d), (strides,) * len(d))


def _given(spec: KernelSpec) -> dict[str, Any]:
    """The arguments of every kernel."""
    s = spec.signature
    source, far = source_roles(s.direction)
    numbers = ("images", "groups", "cin", "cout", "merged", "src_block", "dst_block", "src_total", "dst_total",
               "tiles_m", "blocks", "splits", "parts", "segments", "turns", "rows", "each", "first",
               "last")  # fmt: skip
    given: dict[str, Any] = dict.fromkeys(numbers, "i32")
    given |= {"axes": AXES, "src_ptr": "*" + TRITON_DTYPE[s.dtype(source)], "src_strides": STRIDES}
    if is_weight(spec):
        return given | {"grad_ptr": "*" + TRITON_DTYPE[s.dtype(far)], "grad_strides": STRIDES, "shares": "*fp32"}
    return given | {
        "wgt_ptr": "*" + TRITON_DTYPE[s.dtype_weight], "wgt_strides": STRIDES, "dst_strides": STRIDES,
        "dst_ptr": "*" + TRITON_DTYPE[s.dtype(far)], "epilogue": _epilogue_types(spec),
    }  # fmt: skip


def _compiled(function: Any, spec: KernelSpec, config: Any) -> Source:
    """The source with what alignment and unit strides promise."""
    a, s, names = spec.algorithm, spec.signature, list(function.arg_names)
    given = {n: t for n, t in _given(spec).items() if n in names}
    hints: dict[Any, int] = {}
    ones = []
    sizes = {"src": s.dtype(source_roles(s.direction)[0]), "grad": s.dtype_output,
             "dst": s.dtype(source_roles(s.direction)[1])}  # fmt: skip
    for name, dtype in sizes.items():
        if f"{name}_ptr" not in given:
            continue
        at, strides = names.index(f"{name}_ptr"), names.index(f"{name}_strides")
        elements = int(a.vector_bytes // get_dtype(dtype).bytes)
        if a.vector_bytes > 1:
            hints[(at,)] = a.vector_bytes
        if elements > 1:
            hints.update({(strides, i): elements for i in (0, 1, 3, 4, 5)})
        if a.unit:
            ones.append((strides, 2))
    if a.unit and "wgt_strides" in given:
        # Input channels of the weight lie together: along its columns in backward data.
        ones.append((names.index("wgt_strides"), 1 if s.direction == "backward_data" else 2))
    elements = int(a.vector_bytes // get_dtype(s.dtype_read[0]).bytes)
    merging = a.merge or a.pipeline != "implicit"
    # What lies side by side: the channels of a group, or the blocks of merged groups.
    counts = ("src_block", "dst_block", "src_total", "dst_total") if merging else ("cin", "cout")
    if elements > 1:
        hints.update({(names.index(n),): elements for n in counts if n in names})
    hints.update(_weight_hints(names, spec, elements))
    more = {"launch_pdl": True} if a.pipeline == "strip" and early(spec) else {}
    source = finish(function, given, config, hints, num_warps=a.warps, num_stages=a.stages, **more)
    set_to_one(source, ones)
    return source


def _weight_hints(names: list[str], spec: KernelSpec, elements: int) -> dict[Any, int]:
    """Divisibility of the weight: by a vector, or by the channels of a group where those are known."""
    a, size = spec.algorithm, int(get_dtype(spec.signature.dtype_weight).bytes)
    known = elements if a.pipeline == "implicit" and not a.merge else min(elements, a.channels)
    if "wgt_ptr" not in names or known < 2:
        return {}
    pointer = names.index("wgt_ptr")
    if "wgt_strides" not in names:
        return {(pointer,): known * size}
    strides = names.index("wgt_strides")
    unit = 1 if spec.signature.direction == "backward_data" else 2
    return {(pointer,): known * size, **{(strides, i): known for i in range(6) if i != unit}}


def _precision(spec: KernelSpec) -> str:
    return precision(spec.algorithm.precision, spec.signature.dtype_read[0])


def _out(spec: KernelSpec) -> Any:
    name = spec.signature.dtype(spec.signature.result)
    return triton_types((name,))[name]


def _implicit(spec: KernelSpec) -> Source:
    from .kernels.implicit import implicit_conv
    from .kernels.weight import implicit_weight

    a, s = spec.algorithm, spec.signature
    config = ImplicitConfig(
        dims=s.dims, forward=s.direction != "backward_data", bm=a.tile_m, bn=a.tile_n, bk=a.tile_k, group=a.group,
        merge=a.merge, channels=a.channels, even_k=a.even_k, fold=a.fold, wide=a.wide, atomic=a.sum == "atomic",
        out=_out(spec), precision=_precision(spec), epilogue=_epilogue(spec),
    )  # fmt: skip
    return _compiled(implicit_weight if is_weight(spec) else implicit_conv, spec, config)


def _hopper(spec: KernelSpec) -> Source:
    """The box kernels: constants of the gemm backend's hopper pipeline, maps of rank 5."""
    from .kernels.hopper import hopper_conv
    from .kernels.hopper_weight import hopper_weight

    inner, weight = gemm_spec(spec), is_weight(spec)
    parts = hopper_parts(inner, lead=(1, 1))
    a, s = spec.algorithm, spec.signature
    shares = weight and a.split
    parts.constants["store_layout"] = _row_layout(parts.constants["part"], s.dtype(s.result), a.warps // a.consumers)
    if a.filter_h:
        _stack(spec, parts)
    config = HopperConvConfig(
        group=a.group, rows=a.filter_h, merge=a.merge, forward=s.direction != "backward_data", stream=shares,
        out=_out(spec), acc=parts.acc, out_buffers=a.out_buffers, consumers=a.consumers,
        tma_store=a.store == "tma", pdl=a.pdl, tiles_first=a.order == "tiles", epilogue=_epilogue(spec),
        **{"tile_layout": None, **parts.constants},
    )  # fmt: skip
    names = {"a": "grad_desc", "b": "src_desc"} if weight else {"a": "src_desc", "b": "wgt_desc"}
    names |= {"rest": "rest_desc", "out": "out_desc"}
    given: dict[str, Any] = {names[n]: kind for n, kind in parts.descriptors.items()}
    given |= dict.fromkeys(
        ("images", "groups", "merged", "cin", "cout", "tiles_m", "classes", "steps", "splits"), "i32"
    )
    given |= {"boxes": (*("i32",) * 7, *(("u32", "i32"),) * 3), "axes": AXES, "epilogue": _epilogue_types(spec)}
    function = hopper_weight if weight else hopper_conv
    hints: dict[Any, int] = {}
    if shares:
        del given["out_desc"]
        given["shares"] = "*fp32"
        hints[(function.arg_names.index("shares"),)] = 16
    elif a.store == "pointer":
        given.pop("out_desc", None)
        given |= {"dst_ptr": "*" + TRITON_DTYPE[s.dtype(s.result)], "dst_strides": STRIDES}
        at, elements = function.arg_names.index("dst_strides"), int(16 // get_dtype(s.dtype(s.result)).bytes)
        # The last one too: masks of whole vectors leave stores wide.
        hints |= {(at - 1,): 16, **{(at, i): elements for i in (0, 1, 3, 4, 5)}}
        hints[(function.arg_names.index("cout"),)] = elements
    given = {n: t for n, t in given.items() if n in function.arg_names}
    return finish(function, given, config, hints, **parts.options)


def _stack(spec: KernelSpec, parts: HopperParts) -> None:
    """Changes the parts to boxes of one filter row each, which together are the columns of a tile."""
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


def _thin(spec: KernelSpec) -> Source:
    from .kernels.thin import thin_conv

    a = spec.algorithm
    config = ThinConfig(
        a.tile_m, a.tile_n, a.tile_k, a.stages, a.merge, a.wide, _out(spec), _precision(spec), _epilogue(spec)
    )
    source, far = (spec.signature.dtype(r) for r in source_roles(spec.signature.direction))
    given = {"src_ptr": "*" + TRITON_DTYPE[source], "wgt_ptr": "*" + TRITON_DTYPE[spec.signature.dtype_weight],
             "dst_ptr": "*" + TRITON_DTYPE[far], "src_row": "i64", "dst_row": "i64", "wgt_strides": STRIDES,
             "pixels": "i32", "cin": "i32", "cout": "i32", "epilogue": _epilogue_types(spec)}  # fmt: skip
    names = thin_conv.arg_names
    hints: dict[tuple[int, ...], int] = {}
    reads: tuple[str, ...] = ("src_row", "cin")
    writes: tuple[str, ...] = ("dst_row", "cout")
    if a.merge:
        given |= dict.fromkeys(("parts", "merged", "src_block", "dst_block", "src_total", "dst_total"), "i32")
        reads, writes = ("src_row", "src_block", "src_total"), ("dst_row", "dst_block", "dst_total")
    for dtype, counts, pointer in ((source, reads, "src_ptr"), (far, writes, "dst_ptr")):
        elements = int(a.vector_bytes // get_dtype(dtype).bytes)
        if elements > 1:
            hints |= {(names.index(n),): elements for n in counts}
            hints[(names.index(pointer),)] = a.vector_bytes
    return finish(thin_conv, given, config, hints, num_warps=a.warps, num_stages=a.stages)


def _row_layout(columns: int, dtype: str, warps: int) -> Any:
    """The layout in which a thread stores 16 bytes and neighbouring threads neighbouring ones."""
    from triton.experimental.gluon.language import BlockedLayout

    run = min(columns, int(16 // get_dtype(dtype).bytes))
    across = min(32, columns // run)
    return BlockedLayout([1, run], [32 // across, across], [warps, 1], [1, 0])


def _window(spec: KernelSpec) -> Source:
    from .kernels.weight import window_weight
    from .kernels.window import window_conv

    a, s = spec.algorithm, spec.signature
    config = WindowConfig(
        dims=s.dims, forward=s.direction != "backward_data", dot=a.pipeline == "window", bl=a.tile_m, bc=a.tile_k,
        bn=a.tile_n, span=a.span, fh=a.filter_h, fw=a.filter_w, stride=a.stride_w, phase=a.phase,
        channels=1 if a.pipeline == "depthwise" else a.channels, wide=a.wide, atomic=a.sum == "atomic",
        out=_out(spec), precision=_precision(spec), epilogue=_epilogue(spec),
    )  # fmt: skip
    return _compiled(window_weight if is_weight(spec) else window_conv, spec, config)


def _strip(spec: KernelSpec) -> Source:
    from .kernels.strip import strip_conv
    from .kernels.strip_channels import strip_channels
    from .kernels.strip_columns import strip_columns
    from .kernels.strip_depthwise import strip_depthwise
    from .kernels.strip_planes import strip_planes
    from .kernels.strip_weight import strip_depthwise_weight, strip_weight

    config = strip_config(spec, out=_out(spec), epilogue=_epilogue(spec))
    kernels = (strip_conv, strip_weight) if config.dot else (strip_depthwise, strip_depthwise_weight)
    if config.pair == 8:
        kernels = (strip_columns, strip_weight)
    if config.planes:
        kernels = (strip_channels, strip_planes)
    # Neighbours read the rest of a line soon.
    return replace(_compiled(kernels[is_weight(spec)], spec, config), lines=not is_weight(spec))

"""hopper: what is compiled."""

from __future__ import annotations

from typing import Any

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ....gemm.pipelines.hopper.source import HopperParts, hopper_parts
from ....source import Source, descriptor, triton_types
from ....source import finish as finish_source
from ....target import TRITON_DTYPE
from ...algorithm import gemm_spec, is_weight
from ...geometry import FINISH_TILES
from ...kernels.config import HopperConvConfig
from ...source import (
    AXES,
    FINISH,
    STRIDES,
    epilogue_config,
    epilogue_types,
    finish_kernel,
    function_of,
    out_type,
)
from .boxes import row_width
from .folding import FOLD_BLOCK

FOLD = "kernels.fold:fold_pixels"


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    conv = "kernels.hopper_weight:hopper_weight" if is_weight(spec) else "kernels.hopper:hopper_conv"
    return {"conv": conv, "finish": FINISH, "fold": FOLD}


def conv(spec: KernelSpec) -> Source:
    """Return the box kernels: constants of the gemm backend's hopper pipeline, maps of rank 5."""
    inner, weight = gemm_spec(spec), is_weight(spec)
    parts = hopper_parts(inner, lead=(1, 1))
    a, s = spec.algorithm, spec.signature
    shares = weight and a.split
    parts.constants["store_layout"] = _row_layout(parts.constants["part"], s.dtype(s.result), a.warps // a.consumers)
    if a.filter_h:
        _stack(spec, parts)
    config = HopperConvConfig(
        group=a.group, rows=a.filter_h, merge=a.merge, forward=s.direction != "backward_data", stream=shares,
        out=out_type(spec), acc=parts.acc, out_buffers=a.out_buffers, consumers=a.consumers,
        tma_store=a.store == "tma", pdl=a.pdl, tiles_first=a.order == "tiles", epilogue=epilogue_config(spec),
        **{"tile_layout": None, **parts.constants},
    )  # fmt: skip
    names = {"a": "grad_desc", "b": "src_desc"} if weight else {"a": "src_desc", "b": "wgt_desc"}
    names |= {"rest": "rest_desc", "out": "out_desc"}
    given: dict[str, Any] = {names[n]: kind for n, kind in parts.descriptors.items()}
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
    elif a.store == "pointer":
        given.pop("out_desc", None)
        given |= {"dst_ptr": "*" + TRITON_DTYPE[s.dtype(s.result)], "dst_strides": STRIDES}
        at, elements = function.arg_names.index("dst_strides"), int(16 // get_dtype(s.dtype(s.result)).bytes)
        # The last one too: masks of whole vectors leave stores wide.
        hints |= {(at - 1,): 16, **{(at, i): elements for i in (0, 1, 3, 4, 5)}}
        hints[(function.arg_names.index("cout"),)] = elements
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


def _row_layout(columns: int, dtype: str, warps: int) -> Any:
    """Return the layout in which a thread stores 16 bytes and neighbouring threads neighbouring ones."""
    from triton.experimental.gluon.language import BlockedLayout

    run = min(columns, int(16 // get_dtype(dtype).bytes))
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

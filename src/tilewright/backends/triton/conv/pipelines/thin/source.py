"""thin: what is compiled."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ....source import Source, finish
from ....target import TRITON_DTYPE
from ...algorithm import source_roles
from ...kernels.config import ThinConfig
from ...source import STRIDES, epilogue_config, epilogue_types, function_of, out_type, product_precision


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    return {"conv": "kernels.thin:thin_conv"}


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    a = spec.algorithm
    config = ThinConfig(
        a.tile_m,
        a.tile_n,
        a.tile_k,
        a.stages,
        a.merge,
        a.wide,
        out_type(spec),
        product_precision(spec),
        epilogue_config(spec),
    )
    source, far = (spec.signature.dtype(r) for r in source_roles(spec.signature.direction))
    given = {"src_ptr": "*" + TRITON_DTYPE[source], "wgt_ptr": "*" + TRITON_DTYPE[spec.signature.dtype_weight],
             "dst_ptr": "*" + TRITON_DTYPE[far], "src_row": "i64", "dst_row": "i64", "wgt_strides": STRIDES,
             "pixels": "i32", "cin": "i32", "cout": "i32", "epilogue": epilogue_types(spec)}  # fmt: skip
    function = function_of(kernels(spec)["conv"])
    names = function.arg_names
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
    return finish(function, given, config, hints, num_warps=a.warps, num_stages=a.stages)

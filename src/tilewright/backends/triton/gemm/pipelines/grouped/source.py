"""grouped: what is compiled."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ....source import Source, finish, set_to_one
from ....target import TRITON_DTYPE
from ...algorithm import KernelView
from ...source import STRIDES, _epilogue, _portable_config
from ..pointer.source import _alignment

JOBS = {"gemm": ("_grouped", "grouped:grouped_gemm")}


def _grouped(spec: KernelSpec, view: KernelView) -> Source:
    from ...kernels.grouped import grouped_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": False, "even_k": a.even_k, "wide": a.wide, "imprecise": a.accumulate == "fast"}
    config = _portable_config(spec, view, epilogue, persistent=True, **traits)
    given = {
        "a_ptr": "*" + TRITON_DTYPE[view.a], "b_ptr": "*" + TRITON_DTYPE[view.b],
        "out_ptr": "*" + TRITON_DTYPE[s.dtype_out], "ends": "*i32", "a_strides": STRIDES, "b_strides": STRIDES,
        "out_strides": STRIDES, "M": "i32", "N": "i32", "K": "i32", "groups": "i32", "epilogue": epilogue_types,
    }  # fmt: skip
    hints, ones = _alignment(grouped_gemm.arg_names, view, a, s.dtype_out)
    source = finish(grouped_gemm, given, config, hints, num_warps=a.warps, num_stages=a.stages)
    set_to_one(source, ones)
    return source

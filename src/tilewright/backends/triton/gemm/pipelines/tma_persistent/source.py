"""tma_persistent: what is compiled."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ....source import Source, descriptor, finish
from ...algorithm import KernelView
from ...source import _epilogue, _portable_config

JOBS = {"gemm": ("_tma", "tma:tma_gemm")}


def _tma(spec: KernelSpec, view: KernelView) -> Source:
    from ...kernels.tma import tma_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": False, "even_k": True, "wide": False, "imprecise": True}
    config = _portable_config(spec, view, epilogue, persistent=True, **traits)
    half = a.tile_n // 2
    given = {
        "a_desc": descriptor(view.a, [1, a.tile_m, a.tile_k] if view.a_k else [1, a.tile_k, a.tile_m]),
        "b_desc": descriptor(view.b, [1, a.tile_n, a.tile_k] if view.b_k else [1, a.tile_k, a.tile_n]),
        "out_desc": descriptor(s.dtype_out, [1, a.tile_m, half] if view.out_row else [1, half, a.tile_m]),
        "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "a_batch": "i32", "b_batch": "i32",
        "epilogue": epilogue_types,
    }  # fmt: skip
    return finish(tma_gemm, given, config, {}, num_warps=a.warps, num_stages=a.stages)

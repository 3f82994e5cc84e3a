"""All kernel generators: name, function, examples. A new op adds its line here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import codegen_conv, codegen_fmha, codegen_gemm, codegen_wrappers

GENERATORS: tuple[tuple[str, Callable[..., Any], tuple[str, ...]], ...] = (
    (
        "gemm",
        codegen_gemm.gemm,
        (
            "tilewright codegen gemm --preselected fp16_rcr_essential --gpu-target gfx942 --output-dir out",
            "tilewright codegen gemm --datatype bf16 --layout rcr --variants standard preshuffle multi_d",
        ),
    ),
    (
        "fmha",
        codegen_fmha.fmha,
        (
            "tilewright codegen fmha --family fwd --receipt flash --gpu-target gfx942 --output-dir out",
            "tilewright codegen fmha --family bwd --receipt pytorch --datatype bf16 --hdim 128",
        ),
    ),
    (
        "conv",
        codegen_conv.conv,
        ("tilewright codegen conv --variant forward backward_data --ndim-spatial 2 --gpu-target gfx942",),
    ),
    (
        "wrappers",
        codegen_wrappers.wrappers,
        ("tilewright codegen wrappers --kernel-dir out --output-dir w --generate-ninja && ninja -C w",),
    ),
)

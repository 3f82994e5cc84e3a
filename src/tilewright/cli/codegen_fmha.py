"""`codegen fmha`: attention kernels of CK Tile as headers."""

from __future__ import annotations

from typing import Annotated

import typer

from .codegen_kernels import (
    Clean,
    GpuTarget,
    More,
    OutputDir,
    Verbose,
    Workers,
    amd_target,
    report,
    take_words,
)
from .options import AsJson
from .output import note

Families = Annotated[
    list[str],
    typer.Option(
        "--family",
        metavar="NAME",
        help="fwd, fwd_splitkv, fwd_pagedkv, fwd_appendkv, batch_prefill, bwd or all; may be repeated.",
    ),
]
ReceiptName = Annotated[
    str,
    typer.Option(
        "--receipt",
        metavar="NAME",
        help="A profile of kernels: ck_default, flash, flash_bwd, pytorch, aiter, aiter_batch, aiter_group, fp32, "
        "fp32_min or fp8.",
    ),
]
Dtypes = Annotated[
    list[str], typer.Option("--datatype", metavar="DTYPE", help="Of Q, K and V; may be repeated. Default: all.")
]
Hdims = Annotated[
    list[int], typer.Option("--hdim", metavar="N", help="Head width of Q; may be repeated. Default: all.")
]


def fmha(
    output_dir: OutputDir = "generated_kernels",
    family: Families = ["fwd"],  # noqa: B006 - Typer copies it
    receipt: ReceiptName = "ck_default",
    datatype: Dtypes = [],  # noqa: B006
    hdim: Hdims = [],  # noqa: B006
    gpu_target: GpuTarget = "gfx942",
    workers: Workers = 0,
    clean: Clean = False,
    verbose: Verbose = False,
    as_json: AsJson = False,
    words: More = None,
) -> None:
    """Generate attention kernels of CK Tile: one header per device kernel, and a manifest.

    A backward pass is three kernels, split-KV two; each is a file of its own.
    """
    from ..backends.ck_tile.fmha.request import ALL, FmhaRequest, requested
    from ..model.arch import FMHA_FAMILIES
    from ..ops.fmha.signature import DTYPES

    lists = take_words(words, families=(family, (*FMHA_FAMILIES, ALL)), datatypes=(datatype, DTYPES))
    request = FmhaRequest(amd_target(gpu_target), **lists, receipt=receipt, hdims=tuple(hdim))
    found = requested(request)
    if found.left_out and not as_json:
        note(f"the receipt {receipt} leaves {found.left_out} combinations out")
    report(
        "fmha",
        found,
        output_dir=output_dir,
        label=f"fmha {request.arch} {'+'.join((*request.families, receipt, *request.datatypes))}",
        workers=workers,
        clean=clean,
        verbose=verbose,
        as_json=as_json,
    )

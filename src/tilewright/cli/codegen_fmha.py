"""`codegen fmha`: attention kernels of CK Tile as headers."""

from __future__ import annotations

from typing import Annotated

import typer

from . import codegen_kernels as kernels
from .groups import takes_groups
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


@takes_groups
def fmha(
    family: Families = ["fwd"],  # noqa: B006 - Typer copies it
    receipt: ReceiptName = "ck_default",
    datatype: Dtypes = [],  # noqa: B006
    hdim: Hdims = [],  # noqa: B006
    *,
    run: kernels.Run,
) -> None:
    """Generate attention kernels of CK Tile: one header per device kernel, and a manifest.

    A backward pass is three kernels, split-KV two; each has its own file.
    """
    from ..backends.ck_tile.fmha.request import ALL, FmhaRequest, requested
    from ..model.arch import FMHA_FAMILIES
    from ..ops.fmha.signature import DTYPES

    lists = kernels.take_words(run.words, families=(family, (*FMHA_FAMILIES, ALL)), datatypes=(datatype, DTYPES))
    request = FmhaRequest(run.arch, **lists, receipt=receipt, hdims=tuple(hdim))
    found = requested(request)
    if found.left_out and not run.as_json:
        note(f"the receipt {receipt} omits {found.left_out} combinations")
    kernels.report(
        "fmha",
        found,
        f"fmha {request.arch} {'+'.join((*request.families, receipt, *request.datatypes))}",
        run,
    )

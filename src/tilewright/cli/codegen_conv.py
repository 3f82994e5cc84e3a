"""`codegen conv`: grouped convolutions of CK Tile as headers."""

from __future__ import annotations

from typing import Annotated

import typer

from . import codegen_kernels as kernels
from .groups import takes_groups

Variants = Annotated[
    list[str],
    typer.Option("--variant", metavar="NAME", help="fwd, bwd_data, bwd_weight, or the long names; may be repeated."),
]
Preselected = Annotated[
    str, typer.Option("--preselected", metavar="SET", help="A named set instead, such as fp16_nhwgc_essential.")
]
Dims = Annotated[list[int], typer.Option("--ndim-spatial", metavar="N", help="2 or 3; may be repeated.")]


@takes_groups
def conv(
    context: typer.Context,
    datatype: kernels.Datatypes = ["fp16"],  # noqa: B006 - Typer copies it
    variant: Variants = ["forward"],  # noqa: B006
    ndim_spatial: Dims = [2],  # noqa: B006
    preselected: Preselected = "",
    config: kernels.ConfigFile = "",
    correct: kernels.Correct = False,
    *,
    run: kernels.Run,
) -> None:
    """Generate grouped convolutions of CK Tile: one header each, and a manifest with spec and digest of each file."""
    from ..backends.ck_tile.conv.request import SHORT_NAMES, ConvRequest, requested
    from ..backends.ck_tile.conv.sets import DTYPES
    from ..ops.conv.signature import DIRECTIONS

    honoured = ("variant",), ("variant", "datatype", "ndim_spatial")
    kernels.refuse_ignored(context, dict(zip(("preselected", "config"), honoured, strict=True)))
    numbers = [w for w in run.words or () if w.isdigit()]
    lists = kernels.take_words(
        [w for w in run.words or () if w not in numbers],
        variants=(variant, (*DIRECTIONS, *SHORT_NAMES)),
        datatypes=(datatype, DTYPES),
    )
    dims = tuple(dict.fromkeys((*ndim_spatial, *map(int, numbers))))
    request = ConvRequest(run.arch, **lists, dims=dims, config=config, preselected=preselected)
    source = preselected or config or "+".join((*request.variants, *lists["datatypes"], *(f"{d}d" for d in dims)))
    kernels.report(
        "conv",
        requested(request),
        f"conv {request.arch} {source}",
        run,
        correct,
    )

"""`codegen gemm`: GEMM kernels of CK Tile as headers."""

from __future__ import annotations

from typing import Annotated

import typer

from . import codegen_kernels as kernels
from .groups import takes_groups

Layouts = Annotated[
    list[str], typer.Option("--layout", metavar="LAYOUT", help="Of A, B and C, such as rcr; may be repeated.")
]
Variants = Annotated[
    list[str],
    typer.Option(
        "--variants", metavar="NAME", help="standard, preshuffle, multi_d, multi_abd, batched, stream_k_atomic."
    ),
]
Preselected = Annotated[str, typer.Option("--preselected", metavar="SET", help="A named set of kernels instead.")]
Ops = Annotated[
    list[str],
    typer.Option("--elementwise", metavar="OP", help="Element-wise ops of multi_d, such as MultiDAdd or Relu."),
]
NumD = Annotated[list[int], typer.Option("--num-d", metavar="N", min=0, max=8, help="Number of D operands of multi_d.")]
Space = Annotated[str, typer.Option("--space", metavar="NAME", help="usual: moderate tiles; open: all of them.")]


@takes_groups
def gemm(
    context: typer.Context,
    datatype: kernels.Datatypes = ["fp16"],  # noqa: B006 - Typer copies it
    layout: Layouts = ["rcr"],  # noqa: B006
    variants: Variants = ["standard"],  # noqa: B006
    preselected: Preselected = "",
    config: kernels.ConfigFile = "",
    elementwise: Ops = [],  # noqa: B006
    num_d: NumD = [1],  # noqa: B006
    space: Space = "usual",
    correct: kernels.Correct = False,
    *,
    run: kernels.Run,
) -> None:
    """Generate GEMM kernels of CK Tile: one header each, and a manifest with the spec and digest of each file."""
    from ..backends.ck_tile.cpp import TYPES
    from ..backends.ck_tile.gemm.request import OTHERS, USUAL_OPS, VARIANTS, GemmRequest, requested
    from ..model.layout import GEMM_LAYOUTS
    from ..ops.gemm.epilogue import CK_NAMES

    kernels.refuse_ignored(context, {"preselected": (), "config": ("datatype", "layout")})
    lists = kernels.take_words(
        run.words,
        variants=(variants, (*VARIANTS, *OTHERS)),
        datatypes=(datatype, tuple(TYPES)),
        layouts=(layout, GEMM_LAYOUTS),
        elementwise_ops=(elementwise, tuple(CK_NAMES)),
    )
    lists["elementwise_ops"] = lists["elementwise_ops"] or USUAL_OPS
    request = GemmRequest(run.arch, **lists, num_d=tuple(num_d), space=space, preselected=preselected, config=config)
    source = preselected or config or "+".join((*lists["variants"], *lists["datatypes"], *lists["layouts"]))
    kernels.report(
        "gemm",
        requested(request),
        f"gemm {request.arch} {source}",
        run,
        correct,
    )

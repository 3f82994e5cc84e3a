"""From a problem and its tensors to kernel parameters: grid, strides, axes, workspace."""

from __future__ import annotations

from math import gcd

from ....model.kernel import KernelSpec, Launch
from ....model.tensor import Addresses
from ....ops.conv.problem import ConvProblem
from ....ops.conv.shapes import three
from ...gpu.call import by_number
from ..gemm.operands import ceil_div
from ..pipelines import Arguments
from .algorithm import TritonConv, finish_block, source_roles
from .geometry import Geometry, division, folded, nominal_units, sides, weight_size
from .pipelines import pipeline_of

AXES = ("axes.0", "axes.1", "axes.2")


def merged_groups(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Return how many groups share a tile.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "g": 32, "c": 128, "k": 128, "input": [8, 8], "filter": [3, 3], "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
    >>> merged_groups(problem, TritonConv(pipeline="window", tile_n=16, tile_k=16))
    4
    """
    return pipeline_of(algorithm).merged_groups(problem, algorithm)


def geometry(problem: ConvProblem, algorithm: TritonConv, launch: Launch, units: int) -> Geometry:
    """Return the programs of one launch on a GPU of `units` multiprocessors."""
    return pipeline_of(algorithm).geometry(problem, algorithm, launch, units)


def axis_values(problem: ConvProblem, algorithm: TritonConv) -> dict[str, int]:
    """Return the `axes` argument: per axis (dst, src, filter, stride, dilation, pad, step, inverse, factor, shift)."""
    p, by_span = problem, pipeline_of(algorithm).span_rows
    back = p.direction == "backward_data"
    dst, src = (p.input, p.output) if back else (p.output, p.input)
    found: dict[str, int] = {}
    rows = zip(three(dst, 1), three(src, 1), three(p.filter, 1), three(p.stride, 1), three(p.dilation, 1),
               three(tuple(left for left, _ in p.pad), 0), strict=True)  # fmt: skip
    for i, (*sizes, stride, dilation, pad) in enumerate(rows):
        common = gcd(stride, dilation)
        step = stride // common
        inverse = pow(dilation // common, -1, step) if step > 1 else 0
        places = ceil_div(sizes[0], algorithm.span) if i == 2 and by_span else sizes[0]
        numbers = (*sizes, stride, dilation, pad, step, inverse, *division(places))
        found |= by_number(AXES[i], numbers)
    return found


def six(problem: ConvProblem, role: str) -> tuple[int, ...]:
    """Return the strides along (image, group, channel, d, h, w), or (group, out, in, d, h, w) of the weight."""
    s = problem.stride_of(role)
    return (*s[:3], *three(s[3:], 0))


def epilogue_values(p: ConvProblem, addresses: Addresses) -> Arguments:
    """Return the `epilogue` argument."""
    values: Arguments = {"epilogue.0": p.epilogue.alpha, "epilogue.1": p.epilogue.beta}
    for i in range(len(p.d)):
        s = six(p, f"d{i}")
        strides = s if p.direction == "backward_weight" else (s[0], *s[2:])
        values[f"epilogue.2.{i}"] = addresses[f"d{i}"]
        values.update({f"epilogue.3.{i}.{j}": v for j, v in enumerate(strides)})
    return values


def strides_of(name: str, strides: tuple[int, ...]) -> dict[str, int]:
    """Return the values of a `NAME_strides` argument."""
    return by_number(f"{name}_strides", strides)


def values(
    spec: KernelSpec, problem: ConvProblem, launch: Launch, addresses: Addresses, workspace: int = 0,
    units: int = 0,
) -> tuple[tuple[int, int, int], Arguments]:  # fmt: skip
    """Return (grid, parameter values) of the convolution; `workspace` takes the shares of backward weight.

    The GPU has `units` multiprocessors; 0: those of the arch's nominal device, and no programs that stay and walk
    through the tiles.
    """
    a = spec.algorithm
    pipeline = pipeline_of(a)
    shape = pipeline.geometry(problem, a, launch, units or nominal_units(spec.arch))
    addresses, workspace = pipeline.operands(problem, a, addresses, workspace)
    p = pipeline.seen(problem, a)
    read, other = sides(p)
    source, far = source_roles(p.direction)
    run = 1 if pipeline.copies(spec) else folded(p, a)
    args: Arguments = {
        "src_ptr": addresses[source], "images": p.n, "groups": p.g, "cin": read * run, "cout": other,
        "merged": shape.merged, "src_block": shape.merged * read, "dst_block": shape.merged * other,
        "src_total": p.g * read, "dst_total": p.g * other, "tiles_m": shape.rows, "blocks": shape.rows,
        "splits": shape.splits, "shares": workspace, **axis_values(p, a), **strides_of("src", six(p, source)),
    }  # fmt: skip
    if run > 1:
        args["axes.2.2"] = 1
    args.update(pipeline.arguments(problem, a, shape, addresses))
    if p.direction == "backward_weight":
        args.update(grad_ptr=addresses[far], **strides_of("grad", six(p, far)))
    else:
        w = six(p, "weight")
        w = (w[0], w[2], w[1], *w[3:]) if p.direction == "backward_data" else w
        args.update(dst_ptr=addresses[far], wgt_ptr=addresses["weight"], **strides_of("dst", six(p, far)))
        args.update(strides_of("wgt", w), **epilogue_values(p, addresses))
    most = resident_programs(a, units) or shape.programs
    # Programs of the thin pipeline stay with their part of the channels, so each part has as many.
    return (min(shape.programs, max(1, most // shape.cols) * shape.cols if a.merge else most), 1, 1), args


def resident_programs(algorithm: TritonConv, units: int) -> int:
    """Programs that stay on the GPU and walk through the tiles; 0 if each tile (or share) has its own program."""
    a = algorithm
    return units * a.blocks_per_unit if pipeline_of(a).stays and not a.split else 0


def finish_values(
    spec: KernelSpec, problem: ConvProblem, launch: Launch, addresses: Addresses, workspace: int
) -> tuple[tuple[int, int, int], Arguments]:
    """Return (grid, parameter values) of the kernel that adds the shares of backward weight."""
    _, args = values(spec, problem, launch, addresses, workspace)
    args.update(groups=problem.g, cin=problem.c_group, cout=problem.k_group)
    args.update(axis_values(problem, spec.algorithm))
    seen = pipeline_of(spec.algorithm).seen(problem, spec.algorithm)
    args.update(run=seen.c_group, width=seen.c_group // problem.filter[-1])
    if spec.algorithm.sum == "atomic":
        args["splits"] = 1
    args.update(
        dst_ptr=addresses["weight"], **strides_of("dst", six(problem, "weight")), **epilogue_values(problem, addresses)
    )
    return (ceil_div(weight_size(problem), finish_block(spec.algorithm, args["splits"])), 1, 1), args

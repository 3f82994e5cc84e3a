"""From a problem and its tensors to kernel parameters: grid, strides, axes, workspace."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, prod
from typing import Any, NamedTuple

from ....model.kernel import KernelSpec, Launch
from ....ops.conv.problem import ConvProblem
from ....ops.conv.product import pixel_row
from ..gemm.bind import ceil_div
from .algorithm import WINDOWS, TritonConv, finish_block, source_roles
from .boxes import box_arguments, boxes_of, division, maps_of, three
from .folding import folded_addresses, folded_bytes, seen_by_boxes
from .strips import blocks_each, strip_constants, strip_course


class Geometry(NamedTuple):
    """How a launch is cut: `merged` groups per tile, `rows` blocks of pixels per class, `cols` of channels.

    `classes`: residues of backward data (1 in other directions). `steps`: turns of the busiest program's loop.
    `segments`: strips along the height of an image, of `turns` each.
    """

    merged: int
    classes: int
    rows: int
    cols: int
    steps: int
    splits: int
    workspace: int
    segments: int = 1
    turns: int = 1

    @property
    def programs(self) -> int:
        """Programs of the launch."""
        return self.classes * self.rows * self.cols * self.splits


def folded(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Pixels that a kernel takes for channels: those of a filter row where it is folded, else 1."""
    return problem.filter[-1] if algorithm.fold else 1


def sides(problem: ConvProblem) -> tuple[int, int]:
    """Channels per group that are (gathered, on the other side)."""
    p = problem
    return (p.k_group, p.c_group) if p.direction == "backward_data" else (p.c_group, p.k_group)


def merged_groups(problem: ConvProblem, algorithm: TritonConv) -> int:
    """How many groups share a tile.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "g": 32, "c": 128, "k": 128, "input": [8, 8], "filter": [3, 3], "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
    >>> merged_groups(problem, TritonConv(pipeline="window", tile_n=16, tile_k=16))
    4
    """
    read, other = sides(problem)
    a = algorithm
    if a.pipeline in ("implicit", "hopper", "thin") and not a.merge:
        return 1
    if a.pipeline == "depthwise":
        return a.tile_n
    weight = problem.direction == "backward_weight" and a.pipeline in ("implicit", "hopper")
    tile_read, tile_other = (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)
    # Strips are cut into channels: groups that do not exist are masked.
    most = problem.g if a.pipeline != "strip" else tile_read
    return max(1, min(tile_read // read, tile_other // other, most))


def geometry(problem: ConvProblem, algorithm: TritonConv, launch: Launch) -> Geometry:
    """The programs of one launch."""
    p, a = problem, algorithm
    if a.pipeline == "hopper":
        shape = _box_geometry(seen_by_boxes(p, a), a, launch.split_k)
        return shape._replace(workspace=shape.workspace + folded_bytes(p, a))
    if a.pipeline == "thin":
        merged = merged_groups(p, a)
        return Geometry(merged, 1, ceil_div(p.n * prod(p.output), a.tile_m), ceil_div(p.g, merged), 1, 1, 0)
    merged = merged_groups(p, a)
    parts = ceil_div(p.g, merged)
    if a.pipeline == "strip":
        return _strip_geometry(p, a, parts, launch.split_k)
    if p.direction == "backward_weight":
        return _weight_geometry(p, a, merged, parts, launch.split_k)
    stride = three(p.stride, 1)
    back = p.direction == "backward_data"
    extents = three(p.input if back else p.output, 1)
    counts = [ceil_div(e, s) if back else e for e, s in zip(extents, stride, strict=True)]
    taps = [ceil_div(f, s) if back else f for f, s in zip(three(p.filter, 1), stride, strict=True)]
    read, other = sides(p)
    if a.pipeline in WINDOWS:
        lines = p.n * counts[0] * counts[1] * ceil_div(extents[2], a.span)
        classes = stride[0] * stride[1] if back else 1
        return Geometry(merged, classes, ceil_div(lines, a.tile_m), parts, taps[0] * taps[1], 1, 0)
    cols = parts if a.merge else p.g * ceil_div(other, a.tile_n)
    run = folded(p, a)
    steps = prod(taps) // run * (1 if a.merge else ceil_div(read * run, a.tile_k))
    rows = ceil_div(p.n * prod(counts), a.tile_m)
    return Geometry(merged, prod(stride) if back else 1, rows, cols, steps, 1, 0)


def weight_columns(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Tiles along the columns of backward weight on boxes: channels of a tap, or filter rows side by side."""
    p, a = problem, algorithm
    across = 1 if a.filter_h or a.merge else ceil_div(p.c_group, a.tile_n)
    return ceil_div(p.g, merged_groups(p, a)) * prod(p.filter) // max(1, a.filter_h) * across


def _box_geometry(p: ConvProblem, a: TritonConv, splits: int) -> Geometry:
    """That of the hopper pipeline: a program per tile (and share); `steps` are those of the busiest class."""
    boxes, (read, other) = boxes_of(p, a), sides(p)
    if p.direction == "backward_weight":
        cols = weight_columns(p, a)
        splits = max(1, min(splits, boxes.total)) if a.split else 1
        workspace = 4 * splits * weight_size(p) if a.split else 0
        rows = 1 if a.merge else ceil_div(other, a.tile_m)
        return Geometry(merged_groups(p, a), 1, rows, cols, ceil_div(boxes.total, splits), splits, workspace)
    back = p.direction == "backward_data"
    taps = prod(ceil_div(f, s) if back else f for f, s in zip(p.filter, p.stride, strict=True))
    cols = p.g * ceil_div(other, a.tile_n)
    return Geometry(1, boxes.classes, boxes.total, cols, taps * ceil_div(read, a.tile_k), 1, 0)


def _weight_geometry(p: ConvProblem, a: TritonConv, merged: int, parts: int, splits: int) -> Geometry:
    depth, height, width = three(p.output, 1)
    if a.pipeline in WINDOWS:
        blocks = ceil_div(p.n * depth * height * ceil_div(width, a.span), a.tile_m)
        rows, cols = three(p.filter, 1)[0], parts
    else:
        blocks = ceil_div(p.n * prod(p.output), a.tile_k)
        run = folded(p, a)
        tiles = 1 if a.merge else ceil_div(p.k_group, a.tile_m) * ceil_div(p.c_group * run, a.tile_n)
        rows, cols = prod(p.filter) // run, parts * tiles
    splits = max(1, min(splits, blocks))
    shares = 1 if a.sum == "atomic" else splits
    return Geometry(merged, 1, rows, cols, ceil_div(blocks, splits), splits, 4 * shares * weight_size(p))


def _strip_geometry(p: ConvProblem, a: TritonConv, parts: int, splits: int) -> Geometry:
    segments, turns, blocks = strip_course(p, a, parts)
    if p.direction != "backward_weight":
        each = blocks_each(a, p.direction, parts, blocks, turns)
        return Geometry(a.tile_n, 1, ceil_div(blocks, each), parts, turns * each, 1, 0, segments, turns)
    # A share is a number of turns, counted through all blocks of strips.
    each = ceil_div(turns * blocks, max(1, min(splits, turns * blocks)))
    splits = ceil_div(turns * blocks, each)
    return Geometry(a.tile_n, 1, 1, parts, each, splits, 4 * splits * weight_size(p), 1, turns)


def live_turns(problem: ConvProblem, algorithm: TritonConv, shape: Geometry) -> tuple[int, int]:
    """(first, one past the last) turn of which some new source row may lie inside of the image.

    Strips of several segments stand at different heights, so every turn counts.
    """
    p, c = problem, strip_constants(algorithm, problem.direction)
    total = shape.turns + c.lag
    if shape.segments > 1:
        return 0, total
    pad, height, origin = p.pad[0][0], p.input[0], -p.pad[0][0]
    if p.direction == "backward_data":
        height, origin = p.output[0], (pad - c.phase) // c.stride - (c.reach - 1)
    return min(c.lag, max(0, -origin) // c.rows_in), min(total, ceil_div(height - origin, c.rows_in))


def weight_size(problem: ConvProblem) -> int:
    """Elements of the weight tensor."""
    return problem.k * problem.c_group * prod(problem.filter)


def axis_values(problem: ConvProblem, algorithm: TritonConv) -> dict[str, int]:
    """The `axes` argument: per axis (dst, src, filter, stride, dilation, pad, step, inverse, factor, shift)."""
    p = problem
    back = p.direction == "backward_data"
    dst, src = (p.input, p.output) if back else (p.output, p.input)
    found = {}
    rows = zip(three(dst, 1), three(src, 1), three(p.filter, 1), three(p.stride, 1), three(p.dilation, 1),
               three(tuple(left for left, _ in p.pad), 0), strict=True)  # fmt: skip
    for i, (*sizes, stride, dilation, pad) in enumerate(rows):
        common = gcd(stride, dilation)
        step = stride // common
        inverse = pow(dilation // common, -1, step) if step > 1 else 0
        places = ceil_div(sizes[0], algorithm.span) if i == 2 and algorithm.pipeline in WINDOWS else sizes[0]
        numbers = (*sizes, stride, dilation, pad, step, inverse, *division(places))
        found.update({f"axes.{i}.{j}": v for j, v in enumerate(numbers)})
    return found


def six(problem: ConvProblem, role: str) -> tuple[int, ...]:
    """The strides along (image, group, channel, d, h, w), or (group, out, in, d, h, w) of the weight."""
    s = problem.stride_of(role)
    return (*s[:3], *three(s[3:], 0))


def _epilogue(p: ConvProblem, addresses: Mapping[str, int]) -> dict[str, Any]:
    values: dict[str, Any] = {"epilogue.0": p.epilogue.alpha, "epilogue.1": p.epilogue.beta}
    for i in range(len(p.d)):
        s = six(p, f"d{i}")
        strides = s if p.direction == "backward_weight" else (s[0], *s[2:])
        values[f"epilogue.2.{i}"] = addresses[f"d{i}"]
        values.update({f"epilogue.3.{i}.{j}": v for j, v in enumerate(strides)})
    return values


def _strides(name: str, strides: tuple[int, ...]) -> dict[str, int]:
    return {f"{name}_strides.{i}": s for i, s in enumerate(strides)}


def values(
    spec: KernelSpec, problem: ConvProblem, launch: Launch, addresses: Mapping[str, int], workspace: int = 0,
    units: int = 0,
) -> tuple[tuple[int, int, int], dict[str, Any]]:  # fmt: skip
    """(grid, parameter values) of the convolution; `workspace` takes the shares of backward weight.

    On a GPU of `units` multiprocessors (0: not known), programs of the hopper and thin pipelines stay and walk through
    the tiles.
    """
    p, a = problem, spec.algorithm
    shape = geometry(p, a, launch)
    if a.pipeline == "hopper" and a.fold:
        addresses = folded_addresses(p, addresses, workspace)
        workspace, p = workspace + folded_bytes(p, a), seen_by_boxes(p, a)
    read, other = sides(p)
    source, far = source_roles(p.direction)
    run = folded(p, a)
    args: dict[str, Any] = {
        "src_ptr": addresses[source], "images": p.n, "groups": p.g, "cin": read * run, "cout": other,
        "merged": shape.merged, "src_block": shape.merged * read, "dst_block": shape.merged * other,
        "src_total": p.g * read, "dst_total": p.g * other, "tiles_m": shape.rows, "blocks": shape.rows,
        "splits": shape.splits, "shares": workspace, **axis_values(p, a), **_strides("src", six(p, source)),
    }  # fmt: skip
    if run > 1:
        args["axes.2.2"] = 1
    if a.pipeline == "thin":
        args.update(pixels=p.n * prod(p.output), src_row=pixel_row(p, source), dst_row=pixel_row(p, far))
        args.update(parts=shape.cols)
    if a.pipeline == "hopper":
        args.update(box_arguments(boxes_of(p, a)), **maps_of(p, a, addresses), classes=shape.classes)
        args.update(steps=boxes_of(p, a).total, **_epilogue(p, addresses))
        if a.merge:
            args.update(groups=p.g // shape.merged, cin=args["src_block"], cout=args["dst_block"])
    if a.pipeline == "strip":
        turns, rows = shape.turns, shape.turns * strip_constants(a, p.direction).rows_out
        first, last = live_turns(p, a, shape)
        args.update(parts=shape.cols, segments=shape.segments, turns=turns, rows=rows, first=first, last=last)
        args["each"] = shape.steps
        if p.direction != "backward_weight":
            across = ceil_div((p.output if p.direction == "forward" else p.input)[1], a.span)
            args.update(each=shape.steps // turns, blocks=ceil_div(p.n * across * shape.segments, a.tile_m))
    if p.direction == "backward_weight":
        args.update(grad_ptr=addresses[far], **_strides("grad", six(p, far)))
    else:
        w = six(p, "weight")
        w = (w[0], w[2], w[1], *w[3:]) if p.direction == "backward_data" else w
        args.update(dst_ptr=addresses[far], wgt_ptr=addresses["weight"], **_strides("dst", six(p, far)))
        args.update(_strides("wgt", w), **_epilogue(p, addresses))
    most = resident_programs(a, units) or shape.programs
    # Programs of the thin pipeline stay with their part of the channels, so each part has as many.
    return (min(shape.programs, max(1, most // shape.cols) * shape.cols if a.merge else most), 1, 1), args


def resident_programs(algorithm: TritonConv, units: int) -> int:
    """Programs that stay on the GPU and walk through the tiles; 0 where each tile (or share) has its own program."""
    a = algorithm
    return units * a.blocks_per_unit if a.pipeline in ("hopper", "thin") and not a.split else 0


def finish_values(
    spec: KernelSpec, problem: ConvProblem, launch: Launch, addresses: Mapping[str, int], workspace: int
) -> tuple[tuple[int, int, int], dict[str, Any]]:
    """(grid, parameter values) of the kernel that adds the shares of backward weight."""
    _, args = values(spec, problem, launch, addresses, workspace)
    args.update(groups=problem.g, cin=problem.c_group, cout=problem.k_group)
    args.update(axis_values(problem, spec.algorithm))
    seen = seen_by_boxes(problem, spec.algorithm) if spec.algorithm.pipeline == "hopper" else problem
    args.update(run=seen.c_group, width=seen.c_group // problem.filter[-1])
    if spec.algorithm.sum == "atomic":
        args["splits"] = 1
    args.update(dst_ptr=addresses["weight"], **_strides("dst", six(problem, "weight")), **_epilogue(problem, addresses))
    return (ceil_div(weight_size(problem), finish_block(spec.algorithm, args["splits"])), 1, 1), args

"""Boxes of pixels for the hopper pipeline: how a tile's rows are laid over images, and the tensor maps that fetch them.

A box is bn images x bd x bh x bw pixels, powers of two whose product is the tile's number of pixels. It is chosen per
problem: of all such boxes the one that wastes fewest pixels at the edges of the images.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod

from ....model.dtype import get_dtype
from ....model.tensor import Addresses
from ....model.trace import settled
from ....ops.conv.problem import ConvProblem
from ....ops.conv.product import gemm_signature
from ....ops.conv.shapes import three
from ....ops.conv.signature import ConvSignature
from ...gpu.call import by_number, map_values
from ..gemm.algorithm import column_blocks
from ..gemm.operands import ceil_div
from ..gemm.pipelines.hopper.ring import residual_of
from ..gemm.tma import NOWHERE
from ..pipelines import Arguments
from .algorithm import TritonConv, gemm_algorithm, source_roles
from .geometry import division

BOX_LIMIT = 256  # positions that a tensor map's box may span along one dimension
DIVISIONS = ("boxes.7", "boxes.8", "boxes.9")  # by the number of boxes along d, h, w
STEP_LIMIT = 8  # positions that a tensor map may step over


@dataclass(frozen=True)
class Boxes:
    """`size` and number (`count`) of boxes along (n, d, h, w); `classes` residues have that many boxes each."""

    size: tuple[int, ...]
    count: tuple[int, ...]
    classes: int

    @property
    def total(self) -> int:
        """Boxes of one class."""
        return prod(self.count)


def pixels_of(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Pixels of a box: the rows of a tile, or the depth of a step in backward weight."""
    return algorithm.tile_k if problem.direction == "backward_weight" else algorithm.tile_m


def boxes_of(problem: ConvProblem, algorithm: TritonConv) -> Boxes:
    """Return the boxes of a problem.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 64, "c": 64, "k": 64, "input": [14, 14], "filter": [3, 3], "pad": 1, "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
    >>> boxes_of(problem, TritonConv(pipeline="hopper", tile_m=128)).size
    (32, 1, 2, 2)
    """
    p = problem
    back = p.direction == "backward_data"
    stride = three(p.stride, 1)
    extents = three(p.input if back else p.output, 1)
    counts = tuple(ceil_div(e, s) for e, s in zip(extents, stride, strict=True)) if back else extents
    steps = (1, 1, 1) if back else stride
    size = settled(_best, (p.n, *counts), (1, *steps), pixels_of(p, algorithm))
    count = tuple(ceil_div(e, b) for e, b in zip((p.n, *counts), size, strict=True))
    return Boxes(size, count, prod(stride) if back else 1)


def _best(extents: tuple[int, ...], steps: tuple[int, ...], pixels: int) -> tuple[int, ...]:
    """Return the box with the fewest wasted pixels; of equal ones the widest, whose pixels are neighbours in memory."""
    images = extents[0]
    found = _best_in_image(extents[1:], steps[1:], pixels)
    return min((-(-images // size[0]) * boxes, price, size) for boxes, price, size in found)[2]


@lru_cache(maxsize=4096)
def _best_in_image(
    extents: tuple[int, ...], steps: tuple[int, ...], pixels: int
) -> tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]:
    """Return, for each number of images that a box may span, the fewest boxes of an image, and of these boxes the price
    and the size of the best: a new number of images only has to choose among them."""
    images = _sides(1, 1, pixels)
    d, h, w = (_sides(*axis, pixels) for axis in zip(extents, steps, strict=True))
    best: dict[int, tuple[int, tuple[int, ...], tuple[int, ...]]] = {}
    for a, b, c, e in _factors(pixels, 4):
        if a in images and b in d and c in h and e in w:
            entry = (d[b] * h[c] * w[e], (-min(e, extents[2]), -min(c, extents[1]), a), (a, b, c, e))
            if a not in best or entry[:2] < best[a][:2]:
                best[a] = entry
    return tuple(best.values())


def _sides(extent: int, step: int, pixels: int) -> dict[int, int]:
    """Return how many boxes cover an axis, by their side along it; sides that a tensor map cannot span are left out."""
    sides = (1 << bits for bits in range(pixels.bit_length()))
    return {side: ceil_div(extent, side) for side in sides if (side - 1) * step + 1 <= BOX_LIMIT}


@cache
def _factors(n: int, parts: int) -> tuple[tuple[int, ...], ...]:
    """Return all ways to write a power of two as an ordered product of powers of two."""
    if parts == 1:
        return ((n,),)
    firsts = (1 << bits for bits in range(n.bit_length()))
    return tuple((first, *rest) for first in firsts for rest in _factors(n // first, parts - 1))


def box_arguments(boxes: Boxes) -> dict[str, int]:
    """Return the `boxes` argument of the kernels."""
    numbers = (*(b.bit_length() - 1 for b in boxes.size), *boxes.count[1:])
    found = by_number("boxes", numbers)
    for name, count in zip(DIVISIONS, boxes.count[1:], strict=True):
        found |= by_number(name, division(count))
    return found


def _map(name: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], box: tuple[int, ...],
         steps: tuple[int, ...], size: int) -> Arguments:  # fmt: skip
    """Return the values of one tensor map, slowest dimension first; `box` and `steps` leave out the channels."""
    # A dimension of one position may carry any stride; the copy engine wants a multiple of 16 bytes.
    unit = ceil_div(shape[-1] * size, 16) * 16 // size
    strides = tuple(s if n > 1 else unit for s, n in zip(strides, shape, strict=True))[:-1]
    found = {"address": address or NOWHERE, "shape": list(shape), "strides": [*strides, 1], "box": list(box),
             "steps": list(steps)}  # fmt: skip
    return map_values(name, found)


def _pixel_map(name: str, problem: ConvProblem, role: str, address: int, boxes: Boxes, stepping: bool) -> Arguments:
    """Return the map of an activation tensor: images, depth, height, width, channels of all groups."""
    p = problem
    s, e = p.stride_of(role), p.extents(role)
    shape = (e[0], *three(tuple(e[3:]), 1), e[1] * e[2])
    strides = (s[0], *three(tuple(s[3:]), 0), 1)
    stride = three(p.stride, 1) if stepping else (1, 1, 1)
    size = (boxes.size[0], *((b - 1) * x + 1 for b, x in zip(boxes.size[1:], stride, strict=True)))
    return _map(name, address, shape, strides, size, (1, *stride), int(get_dtype(p.dtype(role)).bytes))


def _weight_map(name: str, problem: ConvProblem, address: int, rows: int) -> Arguments:
    """Return the map of the weight: out channels of all groups, filter positions, in channels."""
    p = problem
    s, e = p.stride_of("weight"), p.extents("weight")
    shape = (e[0] * e[1], *three(tuple(e[3:]), 1), e[2])
    strides = (s[1] if e[1] > 1 else s[0], *three(tuple(s[3:]), 0), 1)
    return _map(name, address, shape, strides, (rows, 1, 1, 1), (1, 1, 1, 1), int(get_dtype(p.dtype_weight).bytes))


def maps_of(problem: ConvProblem, algorithm: TritonConv, boxes: Boxes, addresses: Addresses) -> Arguments:
    """Return the tensor maps of a launch, with the shapes and strides that go with them."""
    p, a = problem, algorithm
    source, far = source_roles(p.direction)
    stepping = p.direction != "backward_data"
    first, rest = column_blocks(a)
    if p.direction == "backward_weight":
        return {
            **_pixel_map("grad_desc", p, far, addresses[far], boxes, False),
            **_pixel_map("src_desc", p, source, addresses[source], boxes, True),
            **_pixel_map("rest_desc", p, source, addresses[source], boxes, True),
            **_weight_map("out_desc", p, addresses["weight"], a.tile_m),
        }
    forward = p.direction == "forward"
    residual = conv_residual(p.signature, a)
    role = f"d{residual}"
    return {
        **({} if residual is None else _pixel_map("residual_desc", p, role, addresses[role], boxes, False)),
        **_pixel_map("src_desc", p, source, addresses[source], boxes, stepping),
        **_weight_map("wgt_desc", p, addresses["weight"], first if forward else a.tile_k),
        **_weight_map("rest_desc", p, addresses["weight"], rest if forward else a.tile_k),
        **_pixel_map("out_desc", p, far, addresses[far], boxes, False),
    }


def conv_residual(signature: ConvSignature, algorithm: TritonConv) -> int | None:
    """Return the number of the D operand that TMA brings, of kernels on boxes."""
    return residual_of(gemm_signature(signature), gemm_algorithm(algorithm))


def row_width(algorithm: TritonConv) -> int:
    """Columns that a filter row takes if `filter_h` of them share a tile of boxes.

    >>> row_width(TritonConv(pipeline="hopper", fold=True, filter_h=7, tile_n=256))
    32
    """
    rows = max(1, algorithm.filter_h)
    return algorithm.tile_n // (1 << (rows - 1).bit_length())

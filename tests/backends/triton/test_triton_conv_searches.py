"""Searches that a selection repeats for every problem are quick, and find what trying everything finds."""

from __future__ import annotations

from itertools import product
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.backends.triton.conv.boxes import BOX_LIMIT, boxes_of
from tilewright.backends.triton.conv.strip_course import SET_UP, strip_constants, strip_course
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.problem import ConvProblem
from tilewright.ops.conv.signature import DIRECTIONS

SIDES = st.integers(3, 230)


def layer(direction: str, n: int, input: list[int], stride: int, groups: int = 1) -> ConvProblem:
    size = {"n": n, "g": groups, "c": 64, "k": 64, "input": input, "filter": [3] * len(input), "pad": 1}
    found = problem_from_dict({"op": "grouped_conv", "direction": direction, **size, "stride": stride, "dtype": "fp16"})
    assert isinstance(found, ConvProblem)
    return found


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(DIRECTIONS), st.integers(1, 70), st.lists(SIDES, min_size=1, max_size=3), st.integers(1, 3),
    st.sampled_from((16, 64, 128, 256)),
)  # fmt: skip
def test_boxes_waste_as_few_pixels_as_any(direction: str, n: int, input: list[int], stride: int, pixels: int) -> None:
    problem = layer(direction, n, input, stride)
    found = boxes_of(problem, TritonConv(pipeline="hopper", tile_m=pixels, tile_k=pixels))
    back = direction == "backward_data"
    extents = [1] * (3 - len(input)) + [ceil_div(x, stride) for x in input] if back else None
    extents = [n, *(extents or [1] * (3 - len(input)) + list(problem.output))]
    steps = [1, *([1] * (3 - len(input)) + [1 if back else stride] * len(input))]
    powers = [1 << i for i in range(pixels.bit_length())]
    every = [
        size for size in product(powers, repeat=4)
        if prod(size) == pixels and all((b - 1) * s + 1 <= BOX_LIMIT for b, s in zip(size, steps, strict=True))
    ]  # fmt: skip
    assert found.size in every
    assert found.total == min(prod(map(ceil_div, extents, size)) for size in every)
    same = [size for size in every if prod(map(ceil_div, extents, size)) == found.total]
    assert min(found.size[3], extents[3]) == max(min(size[3], extents[3]) for size in same)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(DIRECTIONS), st.integers(1, 70), SIDES, SIDES, st.integers(1, 2), st.sampled_from((1, 2, 4, 8, 16)),
    st.integers(1, 40), st.sampled_from((1, 108, 114, 132, 148)),
)  # fmt: skip
def test_the_course_of_strips_is_the_soonest_of_all(
    direction: str, n: int, height: int, width: int, stride: int, channels: int, parts: int, units: int
) -> None:
    problem = layer(direction, n, [height, width], stride, 64 // channels)
    a = TritonConv(pipeline="strip", tile_m=16, tile_n=64, tile_k=64, warps=4, stages=1, channels=channels, filter_h=3,
                   stride_w=stride, phase=stride - 1 if direction == "backward_data" else 0)  # fmt: skip
    c = strip_constants(a, direction)
    rows, columns = problem.output if c.forward else problem.input
    total, strips = ceil_div(rows + a.phase, c.rows_out), n * ceil_div(columns, a.span)
    every = []
    for segments in range(1, total + 1):
        turns = ceil_div(total, segments)
        if ceil_div(total, turns) == segments and (segments == 1 or not c.weight):  # shares of turns need no segments
            blocks = ceil_div(strips * segments, a.tile_m)
            waves = ceil_div(blocks * parts, units * c.resident)
            every.append((waves * (turns + c.lag + SET_UP), segments, turns, blocks))
    assert strip_course(problem, a, parts, units) == min(every)[1:]

"""Convolutions that together touch every branch: dimensions, groups, strides, dilations, paddings."""

from __future__ import annotations

from hypothesis import strategies as st

from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS

SHAPES = {
    "dense_2d": {"n": 2, "c": 20, "k": 35, "input": [9, 11], "filter": [3, 3], "pad": 1},
    "pointwise": {"n": 2, "c": 24, "k": 18, "input": [7, 9], "filter": [1, 1]},
    "strided": {"c": 17, "k": 16, "input": [13, 12], "filter": [3, 5], "stride": [2, 3], "pad": [[1, 0], [2, 3]]},
    "dilated": {"n": 1, "c": 8, "k": 9, "input": [14, 13], "filter": [3, 3], "dilation": [2, 3], "pad": [2, 3]},
    "gapped": {"n": 1, "c": 5, "k": 4, "input": [9, 10], "filter": [2, 1], "stride": [3, 4]},
    "few_channels": {"n": 2, "g": 6, "c": 24, "k": 24, "input": [10, 17], "filter": [3, 3], "pad": 1},
    "many_rows": {"n": 2, "g": 3, "c": 48, "k": 48, "input": [33, 13], "filter": [3, 3], "stride": 2, "pad": 1},
    "odd_groups": {"n": 2, "g": 5, "c": 15, "k": 35, "input": [6, 7], "filter": [3, 3], "stride": 2, "pad": 1},
    "depthwise": {"n": 2, "g": 37, "c": 37, "k": 37, "input": [9, 18], "filter": [3, 3], "pad": 1},
    "depthwise_5x5_s2": {"n": 1, "g": 20, "c": 20, "k": 20, "input": [11, 13], "filter": [5, 5], "stride": 2, "pad": 2},
    "multiplier": {"n": 1, "g": 9, "c": 9, "k": 18, "input": [8, 9], "filter": [3, 3], "pad": 1},
    "grouped_wide": {"n": 1, "g": 2, "c": 40, "k": 64, "input": [6, 8], "filter": [3, 3], "pad": 1},
    "one_d": {"n": 2, "g": 2, "c": 6, "k": 8, "input": [23], "filter": [5], "stride": [2], "dilation": [2], "pad": [3]},
    "three_d": {"g": 2, "c": 6, "k": 8, "input": [5, 6, 9], "filter": [2, 3, 3], "stride": [1, 2, 1], "pad": [0, 1, 1]},
    "three_d_depthwise": {"n": 1, "g": 19, "c": 19, "k": 19, "input": [4, 5, 8], "filter": [3, 3, 3], "pad": 1},
}  # fmt: skip
FIRST = {1: "ngcw", 2: "ngchw", 3: "ngcdhw"}


def problem(name, direction, dtype="fp32", channels_first=False, **changes):
    """One of the shapes as a problem."""
    fields = {"n": 2, **SHAPES[name], **changes}
    if channels_first:
        fields["layout"] = FIRST[len(fields["input"])]
    return problem_from_dict({"op": "grouped_conv", "direction": direction, "dtype": dtype, **fields})


LAYOUTS = [("nwgc", "nhwgc", "ndhwgc"), ("ngcw", "ngchw", "ngcdhw")]


@st.composite
def problems(draw, directions=DIRECTIONS, max_dims=3):
    dims = draw(st.integers(1, max_dims))
    g = draw(st.integers(1, 3))
    sizes = st.integers(1, 3)
    per_dim = lambda least, most: [draw(st.integers(least, most)) for _ in range(dims)]  # noqa: E731
    filters, dilation, pad = per_dim(1, 3), per_dim(1, 2), [per_dim(0, 2)[:1] * 2 for _ in range(dims)]
    extra = per_dim(0, 4)
    reach = [(f - 1) * d + 1 for f, d in zip(filters, dilation, strict=True)]
    return problem_from_dict({
        "op": "grouped_conv", "direction": draw(st.sampled_from(directions)), "n": draw(sizes), "g": g,
        "c": g * draw(sizes), "k": g * draw(sizes), "input": [r + e for r, e in zip(reach, extra, strict=True)],
        "filter": filters, "stride": per_dim(1, 3), "dilation": dilation, "pad": pad, "dtype": "fp32",
        "layout": draw(st.sampled_from(LAYOUTS))[dims - 1],
    })  # fmt: skip

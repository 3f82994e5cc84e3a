"""Convolutions in fewer dimensions, as boxes see filters of one row or column: the same sums over the same memory."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from tilewright.backends.triton.conv.flattening import flattened
from tilewright.backends.triton.conv.geometry import three
from tilewright.errors import ProblemError
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS


def view(p, role, memory):
    """A tensor of a problem over `memory`, with three axes of pixels."""
    e, s = p.extents(role), p.stride_of(role)
    weight = role == "weight"
    shape = (e[0] * e[1], e[2]) if weight else (e[0], e[1] * e[2])
    return memory.as_strided((*shape, *three(e[3:], 1)), (s[1] if weight else s[0], s[2], *three(s[3:], 0)))


def forward(p, x, w):
    """The output of a problem in memory of its own."""
    d, h, across = three(p.pad, (0, 0))
    padded = torch.nn.functional.pad(view(p, "input", x), (*across, *h, *d))
    made = torch.nn.functional.conv3d(padded, view(p, "weight", w), stride=three(p.stride, 1),
                                      dilation=three(p.dilation, 1))  # fmt: skip
    y = torch.zeros(20000, dtype=torch.double)
    view(p, "output", y).copy_(made)
    return y


def axis():
    plain = st.tuples(st.just(1), st.just(1), st.just(1), st.just((0, 0)))
    other = st.tuples(st.sampled_from((1, 2, 3, 5)), st.sampled_from((1, 1, 2)), st.sampled_from((1, 2)),
                      st.tuples(st.integers(0, 2), st.integers(0, 2)))  # fmt: skip
    return st.tuples(st.integers(5, 9), st.one_of(plain, other))


@settings(deadline=None, max_examples=120)
@given(st.sampled_from(DIRECTIONS), st.integers(1, 3), st.lists(axis(), min_size=2, max_size=3))
def test_fewer_dimensions_are_the_same_convolution(direction, n, axes):
    sizes = {"input": [a[0] for a in axes], "filter": [a[1][0] for a in axes], "stride": [a[1][1] for a in axes],
             "dilation": [a[1][2] for a in axes], "pad": [list(a[1][3]) for a in axes]}  # fmt: skip
    try:
        p = problem_from_dict({"op": "grouped_conv", "direction": direction, "n": n, "c": 2, "k": 3, "dtype": "fp16",
                               **sizes})  # fmt: skip
    except ProblemError:
        assume(False)
    seen = flattened(p)
    plain = [f == s == 1 and pad == (0, 0) for f, s, pad in zip(p.filter, p.stride, p.pad, strict=True)]
    if max(p.filter) > 1 and plain[0]:
        assert seen.dims < p.dims
    if seen is not p:
        torch.manual_seed(0)
        x, w = torch.randn(10000, dtype=torch.double), torch.randn(2000, dtype=torch.double)
        assert torch.allclose(forward(p, x, w), forward(seen, x, w))


def test_what_has_gaps_or_nothing_to_save_stays():
    size = {"op": "grouped_conv", "direction": "forward", "n": 2, "c": 8, "k": 8, "input": [6, 6], "dtype": "fp16"}
    line = problem_from_dict({**size, "filter": [3, 1], "pad": [1, 0]})
    assert flattened(line).input == (36,)
    gaps = {"input": (1000, 8, 1, 64, 8)}  # lines of eight pixels, of which six are the image's
    assert flattened(problem_from_dict({**size, "filter": [3, 1], "pad": [1, 0], "strides": gaps})).dims == 2
    for filters in ([3, 3], [1, 1]):
        p = problem_from_dict({**size, "filter": filters})
        assert flattened(p) is p

"""The register tiles of depthwise convolutions: windows over every edge, rows in pairs, strides, dilations, planes."""

from __future__ import annotations

import random

import pytest
from host_cpu_kernels import ARCH, HOST

from tilewright.dispatcher import Dispatcher
from tilewright.model.selector import Ranked
from tilewright.ops import get_op, problem_from_dict

OP = get_op("conv")
GEOMETRIES = 40
FORMS = [({"tall": 1, "mr": 8}, 2), *(({"tall": 2, "mr": mr}, dims) for mr, dims in ((10, 2), (7, 2), (5, 3)))]


class OneTile:
    """Takes depthwise kernels of one form only."""

    name = "one-tile"

    def __init__(self, **form):
        self.form = {"pipeline": "depthwise", "inner": "fma", **form}

    def rank(self, p, candidates, device):
        fits = lambda a: all(getattr(a, n) == v for n, v in self.form.items())  # noqa: E731
        return [Ranked(c, None, "the form") for c in candidates if fits(c.spec.algorithm)]


def geometry(rng, dims):
    """One problem's fields: usual widths often, paddings that may differ or reach over the whole filter."""
    filters = [rng.choice([1, 2, 3, 3, 4, 5, 6, 7]) for _ in range(dims)]
    dilation = [rng.choice([1, 1, 1, 2]) for _ in range(dims)]
    pad = [[rng.randint(0, f), rng.randint(0, f)] for f in filters]
    reach = [(f - 1) * d + 1 - sum(p) for f, d, p in zip(filters, dilation, pad, strict=True)]
    channels = rng.choice([2, 5, 16, 32, 41])
    return {
        "n": rng.randint(1, 2), "g": channels, "c": channels, "k": channels, "filter": filters, "dilation": dilation,
        "pad": pad, "stride": [rng.choice([1, 1, 2, 2, 3]) for _ in range(dims)],
        "input": [max(1, r + rng.randint(0, 19 if dims < 3 else 6)) for r in reach],
    }  # fmt: skip


@pytest.mark.parametrize("direction", ["forward", "backward_data"])
@pytest.mark.parametrize(
    ("form", "dims"),
    [
        ({"tall": 1, "mr": 8}, 2),
        ({"tall": 2, "mr": 10}, 2),
        ({"tall": 2, "mr": 5}, 3),
        ({"tall": 2, "mr": 7, "nr": 4}, 2),
    ],
    ids=str,
)
def test_any_geometry(form, dims, direction):
    if form.get("nr", HOST.lanes) % HOST.lanes:
        pytest.skip(f"registers of {ARCH} hold {HOST.lanes} numbers")
    dispatcher = Dispatcher(selector=OneTile(stream=False, **form))
    rng = random.Random(f"{form} {direction}")
    for _ in range(GEOMETRIES):
        fields = {"op": "grouped_conv", "direction": direction, "dtype": "fp32", **geometry(rng, dims)}
        p = problem_from_dict(fields)
        if HOST.lanes < 16 and not dispatcher.explain(p).ranked:
            pytest.skip(f"{ARCH} has no depthwise kernel of the form {form}")
        tensors = OP.random_tensors(p, rng.randrange(100))
        assert OP.verify(p, tensors, dispatcher.run(p, **tensors)).ok, fields


def test_a_large_result_and_a_streamed_one():
    """Results that leave the caches are asked for before, or written past them."""
    fields = {"g": 96, "c": 96, "k": 96, "filter": [3, 3], "pad": 1, "dtype": "fp32", "n": 1, "input": [75, 81]}
    p = problem_from_dict({"op": "grouped_conv", "direction": "forward", **fields})
    tensors = OP.random_tensors(p, 3)
    for stream in (False, True):
        dispatcher = Dispatcher(selector=OneTile(stream=stream))
        if HOST.lanes < 16 and not dispatcher.explain(p).ranked:
            pytest.skip(f"{ARCH} has no depthwise kernels with vector FMA")
        assert OP.verify(p, tensors, dispatcher.run(p, **tensors)).ok

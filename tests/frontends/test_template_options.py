"""Templates of calls with drawn options: a new size poses the problem, views and results that the whole way does.

No kernel runs. A template is made of the first call and is not checked against the whole way: these calls prove that it
says the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TilewrightError
from tilewright.frontends import call
from tilewright.frontends.call_template import CallTemplate
from tilewright.model.problem import identity_of

DRAWS, SIZES = 40, (2, 3, 7, 16, 33, 64, 100, 129, 500)
DTYPES = (np.float32, np.float16)
ACTIVATIONS = ("none", "relu", "gelu")


class Plan:
    """A plan whose launch does nothing and remembers its tensors."""

    candidate = "some kernel"

    def __init__(self, problem: Any, posed: list[Any]) -> None:
        self.problem, self._posed = problem, posed

    def prepared_call(self, views: Any) -> Any:
        seen = {r: (v.dtype, v.shape, v.strides, v.extent, v.device) for r, v in views.items()}
        self._posed.append((identity_of(self.problem), seen))
        return SimpleNamespace(run_pointers=lambda *addresses: None)


def stored(draw: random.Random, dtype: Any, *shape: int) -> Any:
    """An array that is dense, transposed in memory, or part of a larger one."""
    kind = draw.choice(("dense", "dense", "turned", "slice"))
    if kind == "turned" and len(shape) > 1:
        order = draw.sample(range(len(shape)), len(shape))
        return np.zeros([shape[i] for i in order], dtype).transpose(np.argsort(order))
    if kind == "slice":
        return np.zeros((*shape[:-1], shape[-1] + 8), dtype)[..., : shape[-1]]
    return np.zeros(shape, dtype)


def gemm(seed: int) -> Callable[..., Any]:
    def compute(size: int, where: Dispatcher) -> Any:
        draw = random.Random(seed)
        dtype, n, k, batch = draw.choice(DTYPES), draw.choice((1, 8, 24)), draw.choice((1, 16, 48)), draw.choice((0, 3))
        lead = (batch,) if batch else ()
        given: dict[str, Any] = {"activation": draw.choice(ACTIVATIONS), "alpha": draw.choice((1.0, 0.5))}
        if draw.random() < 0.5:
            given["d"] = [stored(draw, dtype, *draw.choice(((n,), (*lead, size, n), (size, 1))))]
            given["combine"] = draw.choice(("add", "multiply"))
        if draw.random() < 0.3:
            given["out"] = stored(draw, dtype, *lead, size, n)
        if draw.random() < 0.3:
            given["scale_a"] = np.ones(size, np.float32)
        if draw.random() < 0.2:
            given["invariant"] = True
        b = stored(draw, dtype, *draw.choice(((k, n), (*lead, k, n))))
        return tw.gemm(stored(draw, dtype, *lead, size, k), b, **given, dispatcher=where)

    return compute


def conv(seed: int) -> Callable[..., Any]:
    def compute(size: int, where: Dispatcher) -> Any:
        draw = random.Random(seed)
        dtype, groups, dims = draw.choice(DTYPES), draw.choice((1, 2)), draw.choice((1, 2))
        c, k, pixels, taps = 4 * groups, 6 * groups, (9, 8)[:dims], (3, 2)[:dims]
        given = {"stride": draw.choice((1, 2)), "padding": draw.choice((0, 1)), "groups": groups}
        way = draw.choice(("forward", "forward", "data", "weight"))
        weight = stored(draw, dtype, k, c // groups, *taps)
        out = [(p + 2 * given["padding"] - t) // given["stride"] + 1 for p, t in zip(pixels, taps, strict=True)]
        image, gradient = stored(draw, dtype, size, c, *pixels), stored(draw, dtype, size, k, *out)
        if way == "data":
            return tw.conv_backward_data(gradient, weight, pixels, **given, dispatcher=where)
        if way == "weight":
            return tw.conv_backward_weight(image, gradient, taps, **given, dispatcher=where)
        bias = np.zeros(k, dtype) if draw.random() < 0.5 else None
        return tw.conv(image, weight, bias=bias, activation=draw.choice(ACTIVATIONS), **given, dispatcher=where)

    return compute


def attention(seed: int) -> Callable[..., Any]:
    def compute(size: int, where: Dispatcher) -> Any:
        draw = random.Random(seed)
        dtype, heads, layout = draw.choice(DTYPES), draw.choice((2, 4)), draw.choice(("bshd", "bhsd"))
        rows = draw.choice((1, 5, size, size, 2 * size))

        def tensor(length: int, count: int, hdim: int) -> Any:
            return stored(draw, dtype, 2, *((length, count) if layout == "bshd" else (count, length)), hdim)

        given: dict[str, Any] = {"causal": draw.random() < 0.5, "return_lse": draw.random() < 0.5, "layout": layout}
        given["align"] = draw.choice(("bottom_right", "top_left"))
        if draw.random() < 0.3:
            given["window"], given["sink_tokens"] = (
                (draw.choice((-1, 4, 40)), draw.choice((-1, 0))),
                draw.choice((0, 4)),
            )
        if draw.random() < 0.3:
            given["soft_cap"] = 20.0
        if draw.random() < 0.2:
            given["alibi_slopes"] = np.ones(heads, np.float32)
        if draw.random() < 0.2:
            given["bias"] = stored(draw, dtype, rows, size)
        q, k, v = tensor(rows, heads, 32), tensor(size, 2, 32), tensor(size, 2, draw.choice((32, 64)))
        return tw.attention(q, k, v, **given, dispatcher=where)

    return compute


@pytest.mark.parametrize("draw", [gemm, conv, attention], ids=lambda draw: draw.__name__)
@pytest.mark.filterwarnings("ignore:q and k are read as")
def test_drawn_options_pose_what_the_whole_way_poses(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    posed, by_template = list[Any](), 0
    monkeypatch.setattr(Dispatcher, "plan", lambda self, problem: Plan(problem, posed))
    where, whole_way = Dispatcher(), Dispatcher()
    for seed in range(DRAWS):
        function = draw(seed)
        where.forget_calls()
        for size in random.Random(seed).sample(SIZES, len(SIZES)):
            results = []
            for dispatcher in (where, whole_way):
                with pytest.MonkeyPatch.context() as patched:
                    if dispatcher is whole_way:
                        whole_way.forget_calls()
                        patched.setattr(call._Request, "template", lambda *_: None)
                    try:
                        found = function(size, dispatcher)
                    except TilewrightError as error:
                        results.append(str(error))
                        posed.append(None)
                    else:
                        arrays = found if type(found) is tuple else [found]
                        results.append([(x.shape, x.strides, x.dtype) for x in arrays])
            assert results[0] == results[1], (seed, size)
            assert posed[-1] == posed[-2], (seed, size)
        known = where.calls.templates.values()
        by_template += any(isinstance(t, CallTemplate) for k in known for t in k._known.values())
    assert by_template > DRAWS / 4  # the others contradict themselves, or have no size that may change

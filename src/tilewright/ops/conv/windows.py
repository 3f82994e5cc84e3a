"""Windows of a forward convolution: a few output pixels of one image as a separate problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...model.tensor import Tensors
from .problem import ConvProblem
from .shapes import along, grouped

EDGE = 6  # output pixels along each side of a window


@dataclass(frozen=True)
class Window:
    """One image and, per dimension, the first output pixel and how many."""

    image: int
    starts: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def slices(self) -> tuple[slice, ...]:
        """The window as slices of the output's spatial axes."""
        return tuple(slice(s, s + c) for s, c in zip(self.starts, self.counts, strict=True))


def draw_window(problem: ConvProblem, rng: np.random.Generator) -> Window:
    """Return a random window; corners and the middle are equally likely."""
    counts = tuple(min(EDGE, o) for o in problem.output)
    starts = tuple(int(rng.integers(0, o - c + 1)) for o, c in zip(problem.output, counts, strict=True))
    return Window(int(rng.integers(problem.n)), starts, counts)


def cut_window(problem: ConvProblem, tensors: Tensors, window: Window) -> tuple[ConvProblem, dict[str, Any]]:
    """Return the problem and tensors of a window; the input that it reads is copied, including padding."""
    taken, pads = [], []
    for axis in range(problem.dims):
        stride, reach = problem.stride[axis], (problem.filter[axis] - 1) * problem.dilation[axis] + 1
        low = window.starts[axis] * stride - problem.pad[axis][0]
        high = low + (window.counts[axis] - 1) * stride + reach
        size = problem.input[axis]
        taken.append(slice(max(low, 0), max(min(high, size), 0)))
        pads.append((max(0, -low) if high > 0 else high - low, max(0, high - size) if low < size else high - low))
    one = slice(window.image, window.image + 1)
    x = grouped(problem, "input", np.asarray(tensors["input"]))[along(*taken)][one]
    x = np.pad(x, ((0, 0), (0, 0), (0, 0), *pads))
    part = replace(problem, n=1, input=x.shape[3:], pad=tuple((0, 0) for _ in x.shape[3:]), strides={})
    cut = {"input": x.reshape(part.shape("input")), "weight": np.asarray(tensors["weight"])}
    for i, d in enumerate(problem.d):
        full = np.asarray(tensors[f"d{i}"])
        if d.broadcast == "none":
            view = grouped(problem, f"d{i}", full)[along(*window.slices)][one]
            full = view.reshape(part.shape(f"d{i}"))
        cut[f"d{i}"] = full
    return part, cut

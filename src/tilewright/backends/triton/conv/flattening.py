"""Axes that a filter does not reach along, merged with their neighbours: boxes then waste fewer pixels at the edges.

A filter of one row (1xN) moves along lines alone: the lines of all images are images of one line. A filter of one
column (Nx1) moves by whole lines: all pixels of an image are one line, along which taps lie a line's length apart.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....model.problem import kept_by_problem
from ....ops.conv.layout import CHANNELS_LAST
from ....ops.conv.problem import ConvProblem


@kept_by_problem
def flattened(problem: ConvProblem) -> ConvProblem:
    """Return the same convolution in as few dimensions as its tensors' strides allow; itself if there are none to save.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 4, "c": 64, "k": 64, "input": [17, 17], "filter": [7, 1], "pad": [3, 0], "dtype": "fp16"}
    >>> seen = flattened(problem_from_dict({"op": "grouped_conv", "direction": "forward", **size}))
    >>> seen.n, seen.input, seen.filter, seen.dilation, seen.pad, seen.output
    (4, (289,), (7,), (17,), ((51, 51),), (289,))
    """
    p = problem
    if p.dims < 2 or prod(p.filter) == 1 or 1 not in p.filter:
        return p
    if _is_plain(p, 0) and all(_follows(p, role, 0, 3) for role in _activations(p)):
        return flattened(_with_images(p))
    at = next((i for i in range(1, p.dims) if _is_plain(p, i) and p.stride[i - 1] == 1), None)
    if at is None or not all(_follows(p, role, 2 + at, 3 + at) for role in _activations(p)):
        return p
    return flattened(_with_line(p, at))


def _activations(p: ConvProblem) -> list[str]:
    """The tensors that have pixels."""
    return [r for r in p.roles if r in ("input", "output") or (r != "weight" and p.result != "weight")]


def _is_plain(p: ConvProblem, axis: int) -> bool:
    """Whether nothing happens along an axis."""
    return p.filter[axis] == 1 and p.stride[axis] == 1 and p.pad[axis] == (0, 0)


def _follows(p: ConvProblem, role: str, outer: int, inner: int) -> bool:
    """Whether the places along axis `outer` of a tensor begin where those along `inner` end."""
    s, e = p.stride_of(role), p.extents(role)
    return e[outer] == 1 or s[outer] == s[inner] * (e[inner] if s[inner] else 1)


def _with_images(p: ConvProblem) -> ConvProblem:
    """The first axis counted as images."""
    strides = {role: _without(p.stride_of(role), 3, role != "weight") for role in p.roles}
    return _fewer(p, strides, n=p.n * p.input[0], **{name: getattr(p, name)[1:] for name in AXES})


def _with_line(p: ConvProblem, at: int) -> ConvProblem:
    """Axis `at` counted along the one before it."""
    strides = {role: (*p.stride_of(role)[: 2 + at], *p.stride_of(role)[3 + at :]) for role in p.roles}
    weight = p.stride_of("weight")
    strides["weight"] = (*weight[: 3 + at], *weight[4 + at :])
    length = p.input[at]
    changes = {name: (*getattr(p, name)[:at], *getattr(p, name)[at + 1 :]) for name in AXES}
    line = at - 1
    for name, value in (
        ("input", p.input[line] * length), ("dilation", p.dilation[line] * length),
        ("pad", (p.pad[line][0] * length, p.pad[line][1] * length)),
    ):  # fmt: skip
        changes[name] = (*changes[name][:line], value, *changes[name][at:])
    return _fewer(p, strides, **changes)


AXES = ("input", "filter", "stride", "dilation", "pad")


def _without(strides: tuple[int, ...], axis: int, images: bool) -> tuple[int, ...]:
    """Strides less one axis, by which images step from now on if they have `images`."""
    rest = (*strides[:axis], *strides[axis + 1 :])
    return (strides[axis], *rest[1:]) if images else rest


def _fewer(p: ConvProblem, strides: dict[str, tuple[int, ...]], **changes: object) -> ConvProblem:
    return replace(p, layout=CHANNELS_LAST[p.dims - 1], strides=strides, **changes)  # type: ignore[arg-type]

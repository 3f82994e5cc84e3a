"""Where a problem stands on a map of winners: products by their sides, other ops by the kind of layer and a size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.problem import Problem
from ..select.features import problem_numbers
from .svg import power_of_two

FEW_QUERIES = 16  # rows of a head: so few are decoding
# The axes of a map: what its rows and its columns are.
AXES = {
    "gemm": ("rows (M)", "columns of the product (N)"),
    "conv": ("layer", "operations"),
    "fmha": ("attention", "keys"),
}


@dataclass(frozen=True)
class Shape:
    """The map that a problem belongs to (`kind`), its row, named or a power of two, and its column."""

    kind: str
    row: str | int
    column: float


def shape_of(problem: Problem) -> Shape:
    """Return the place of a problem.

    >>> from tilewright.ops import problem_from_dict
    >>> shape_of(problem_from_dict({"op": "gemm", "m": 100, "n": 300, "k": 64, "dtype": "fp32"}))
    Shape(kind='', row=6, column=300.0)
    >>> layer = {"op": "grouped_conv", "n": 1, "c": 8, "k": 8, "g": 8, "input": [8, 8], "filter": [3, 3]}
    >>> shape_of(problem_from_dict({**layer, "direction": "forward", "dtype": "fp32"})).row
    'depthwise'
    >>> one = {"op": "fmha", "batch": 1, "heads_q": 8, "seqlen_q": 1, "seqlen_k": 512, "hdim_q": 64, "dtype": "fp32"}
    >>> shape_of(problem_from_dict(one))
    Shape(kind='', row='decoding', column=512.0)
    """
    numbers = problem_numbers(problem)
    if problem.op == "conv":
        data = problem.to_dict()
        return Shape(str(data.get("direction", "forward")).replace("_", " "), _layer(data), problem.flops)
    if problem.op == "fmha":
        return Shape("", _attention(numbers), numbers["seqlen_k"])
    return Shape("", power_of_two(numbers.get("m", 1.0)), numbers.get("n", 1.0))


def _layer(data: Mapping[str, object]) -> str:
    """Return the kind of a convolution, by what decides how it is computed."""
    groups, sides = int(str(data.get("g", 1))), _list(data["filter"])
    if groups > 1:
        return "depthwise" if groups in (data["c"], data["k"]) else "grouped"
    if any(step > 1 for step in _list(data.get("stride", 1))):
        return "strided"
    if any(step > 1 for step in _list(data.get("dilation", 1))):
        return "dilated"
    if max(sides) == 1:
        return "pointwise"
    if len(sides) != 2:
        return f"{len(sides)}-D"
    return "x".join(map(str, sides)) if max(sides) <= 3 else "wider filters"


def _list(value: object) -> list[int]:
    return [int(v) for v in value] if isinstance(value, list | tuple) else [int(str(value))]


def _attention(numbers: Mapping[str, float]) -> str:
    """Return the kind of an attention, by what decides how it is computed."""
    if numbers["backward"]:
        return "backward"
    if numbers["append"]:
        return "appending"
    if numbers["seqlen_q"] <= FEW_QUERIES:
        return "decoding, paged" if numbers["paged"] else "decoding"
    if numbers["varlen"]:
        return "variable lengths"
    return "causal" if numbers["causal"] else "masked" if numbers["masked"] else "full"

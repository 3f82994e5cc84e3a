"""The problems that tilewright's own operators pose on tensors without memory: those of a patched model.

With real tensors, `capture` sees the dispatcher plan. On meta tensors nothing is planned, so the arguments of the
operators are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import torch

from ..errors import ProblemError
from ..model.problem import Problem
from ..model.summation import asked_summation
from ..model.tensor import TensorView
from ..ops.conv.bind import Geometry
from ..ops.gemm import Epilogue
from ..ops.gemm.tensors import problem_of as gemm_problem
from .aten import Attention, Images, Place, Poser, geometry_of
from .attention_calls import Options
from .fused import CONV_EPILOGUE, LINEAR_EPILOGUE
from .op_attention import ATTENTION, ATTENTION_BACKWARD
from .op_conv import CONV, CONV_BACKWARD_DATA, CONV_BACKWARD_WEIGHT
from .op_conv_transpose import CONV_TRANSPOSE
from .op_linear import LINEAR, MATMUL


def _rows(place: Place, x: torch.Tensor) -> TensorView:
    """Return [..., columns] as a dense [rows, columns]; a matrix keeps its strides."""
    if x.dim() == 2:
        return place.view(x)
    columns = x.shape[-1]
    return place.strided(x, (prod(x.shape[:-1]), columns), (columns, 1))


def _linear(
    place: Place, x: Any, weight: Any, bias: Any = None, activation: str = "none", invariant: bool = False
) -> list[Problem]:
    return _linear_epilogue(place, x, weight, bias, None, activation, invariant)


def _linear_epilogue(
    place: Place, x: Any, weight: Any, bias: Any, residual: Any, activation: str, invariant: bool = False
) -> list[Problem]:
    views = {"a": _rows(place, x), "b": place.view(weight.mT)}
    if bias is not None:
        views["d0"] = place.view(bias)
    if residual is not None:
        views[f"d{len(views) - 2}"] = _rows(place, residual)
    epilogue, asked = Epilogue(activation=activation), asked_summation(invariant)
    return [gemm_problem(views, epilogue=epilogue, summation=asked)]


def _matmul(place: Place, a: Any, b: Any, invariant: bool = False) -> list[Problem]:
    views, asked = {"a": place.view(a), "b": place.view(b)}, asked_summation(invariant)
    return [gemm_problem(views, epilogue=Epilogue(), summation=asked)]


def _conv(place: Place, x: Any, weight: Any, bias: Any, *geometry: Any) -> list[Problem]:
    return [Images.of(place, x, weight).pose("forward", geometry_of(*geometry), bias, input=x, weight=weight)]


def _conv_epilogue(place: Place, x: Any, weight: Any, bias: Any, residual: Any, *rest: Any) -> list[Problem]:
    *geometry, activation = rest
    wanted, images = geometry_of(*geometry), Images.of(place, x, weight)
    return [images.pose("forward", wanted, bias, residual, activation=activation, input=x, weight=weight)]


def _sized(geometry: tuple[Any, ...], size: Sequence[int]) -> Geometry:
    return replace(geometry_of(*geometry), size=tuple(map(int, size)))


def _conv_backward_data(
    place: Place, grad: Any, weight: Any, size: Sequence[int], last: bool, *geometry: Any
) -> list[Problem]:
    wanted = _sized(geometry, size[2 - grad.dim() :])
    return [Images(place, grad, last).pose("backward_data", wanted, output=grad, weight=weight)]


def _conv_backward_weight(
    place: Place, x: Any, grad: Any, size: Sequence[int], last: bool, *geometry: Any
) -> list[Problem]:
    wanted = _sized(geometry, size[2 - x.dim() :])
    return [Images(place, x, last).pose("backward_weight", wanted, input=x, output=grad)]


def _conv_transpose(place: Place, x: Any, weight: Any, bias: Any, size: Any, *geometry: Any) -> list[Problem]:
    wanted = _sized(geometry, size)
    return [Images.of(place, x, weight).pose("backward_data", wanted, bias, output=x, weight=weight)]


def _attention(place: Place, q: Any, k: Any, v: Any, *rest: Any) -> list[Problem]:
    return _attended(place, (q, k, v), rest, backward=False, lse=bool(rest[16]))


def _attention_backward(place: Place, dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, *rest: Any) -> Any:
    return _attended(place, (q, k, v), rest, backward=True, lse=True)


def _attended(place: Place, inputs: tuple[Any, ...], rest: Any, backward: bool, lse: bool) -> list[Problem]:
    (bias, _, *ends), o = rest[:4], Options.of(rest[4:16])
    usual = Options(False, o.causal, (-1, -1), o.align, 0, o.scale, 0.0, o.dropout, o.layout)
    square = o.align == "top_left" or not o.causal or inputs[0].shape == inputs[1].shape
    if o != usual or not square or any(t is not None for t in ends):
        raise ProblemError("attention with these options is recorded with real tensors only")
    q, k, v = inputs if o.layout == "bhsd" else (t.transpose(1, 2) for t in inputs)
    return [Attention(bias, o.dropout, o.causal, o.scale).problem(place, q, k, v, backward, lse)]


OWN_POSERS: dict[Any, Poser] = {
    LINEAR: _linear,
    LINEAR_EPILOGUE: _linear_epilogue,
    MATMUL: _matmul,
    CONV: _conv,
    CONV_EPILOGUE: _conv_epilogue,
    CONV_BACKWARD_DATA: _conv_backward_data,
    CONV_BACKWARD_WEIGHT: _conv_backward_weight,
    CONV_TRANSPOSE: _conv_transpose,
    ATTENTION: _attention,
    ATTENTION_BACKWARD: _attention_backward,
}

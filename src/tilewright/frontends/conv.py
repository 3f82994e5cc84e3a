"""`conv`, `conv_backward_data`, `conv_backward_weight`: one call on tensors of any library.

Tensors have torch's shapes, (n, c, spatial...), (k, c/groups, filter...), (n, k, spatial...), in channels-last or
channels-first memory; with `layout` given they are in the order of that layout, groups included (nhwgc: n, h, w, g,
c/g).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import ProblemError
from ..model.dtype import DTypeLike, dtype_name
from ..model.fields import real_number
from ..ops.conv.bind import Geometry, problem_of
from ..ops.conv.layout import memory_order
from ..ops.conv.problem import ConvProblem
from ..ops.gemm import Epilogue
from .call import Asked, Description, Result, Tensors, Views, hashable, public
from .call_template import Place, Places


@public
def conv(
    input: Any,
    weight: Any,
    *,
    bias: Any = None,
    out: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    d: Sequence[Any] | Any = None,
    combine: str = "add",
    activation: str = "none",
    alpha: float = 1.0,
    beta: float = 1.0,
    out_dtype: DTypeLike | None = None,
    layout: str | None = None,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return activation(alpha * (input convolved with weight) combine bias combine beta*d[0] combine d[1] ...).

    The input has one to three dimensions in space. `bias` has one value per output channel; a `d` operand is like a
    bias or like the output. `combine` is add, multiply, or multiply_add: d[0] is multiplied, the bias and the others
    are added. `beta` scales the first `d`, never the bias. `padding` is p, or per dimension p or (left,
    right). `out_dtype`, `dispatcher` and `device` are those of `gemm`.

    >>> import numpy as np
    >>> x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((2, 1, 3, 3), np.float32)
    >>> conv(x, w, padding=1, groups=2)[0, 0].tolist()[0]
    [4.0, 6.0, 6.0, 4.0]
    """
    operands = [t for t in (d if isinstance(d, (list, tuple)) else (d,)) if t is not None]
    extra, beta = _with_bias(bias, operands, beta, combine)
    given = {"input": input, "weight": weight, "output": out, **{f"d{i}": t for i, t in enumerate(extra)}}
    geometry = _geometry(stride, padding, dilation, groups, None, layout)
    choices = ("forward", *geometry, combine, activation, alpha, beta, out_dtype, None)
    return Asked(CONV, given, choices, dispatcher, device, "output")


@public
def conv_backward_data(
    grad_output: Any,
    weight: Any,
    input_size: Sequence[int],
    *,
    out: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    d: Any = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    layout: str | None = None,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the gradient of the input; `d` (it may be `out` itself) is added.

    `input_size` is the spatial size of the input, or its whole shape. `dispatcher` and `device` are those of `gemm`.

    >>> import numpy as np
    >>> conv_backward_data(np.ones((1, 1, 2), np.float32), np.ones((1, 1, 2), np.float32), (3,)).tolist()
    [[[1.0, 2.0, 1.0]]]
    """
    given = {"input": out, "weight": weight, "output": grad_output, **({} if d is None else {"d0": d})}
    geometry = _geometry(stride, padding, dilation, groups, input_size, layout)
    choices = ("backward_data", *geometry, "add", "none", alpha, beta, None, None)
    return Asked(CONV, given, choices, dispatcher, device, "input")


@public
def conv_backward_weight(
    input: Any,
    grad_output: Any,
    filter_size: Sequence[int],
    *,
    out: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    d: Any = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    split_k: int | None = None,
    layout: str | None = None,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return the gradient of the weight; `d` (it may be `out` itself) is added.

    `filter_size` is the spatial size of the filter, or the whole shape of the weight. `dispatcher` and `device` are
    those of `gemm`.

    >>> import numpy as np
    >>> conv_backward_weight(np.ones((1, 1, 3), np.float32), np.ones((1, 1, 2), np.float32), (2,)).tolist()
    [[[2.0, 2.0]]]
    """
    given = {"input": input, "weight": out, "output": grad_output, **({} if d is None else {"d0": d})}
    geometry = _geometry(stride, padding, dilation, groups, filter_size, layout)
    choices = ("backward_weight", *geometry, "add", "none", alpha, beta, None, split_k)
    return Asked(CONV, given, choices, dispatcher, device, "weight")


def _with_bias(bias: Any, d: list[Any], beta: Any, combine: Any) -> tuple[list[Any], Any]:
    """Return the operands of the epilogue and its beta, which scales the first of them: never the bias."""
    if bias is None:
        return d, beta
    if combine == "multiply_add":
        if not d:
            raise ProblemError("multiply_add has a bias and no d", remedy="give the factor as d, or use combine='add'")
        return [*d, bias], beta
    number = beta if type(beta) is float else real_number(beta)
    if number is None or number == 1.0:  # what is no number is refused later, by its name
        return [bias, *d], beta
    return [*d, bias], beta if d else 1.0


def _geometry(*values: Any) -> tuple[Any, ...]:
    """Return the fields of a `Geometry` as hashable values."""
    return tuple([v if type(v) is int else hashable(v) for v in values])


def _pose(
    given: Tensors,
    views: Views,
    *,
    direction: str,
    combine: str,
    activation: str,
    alpha: float,
    beta: float,
    out_dtype: Any,
    split_k: int | None,
    **geometry: Any,
) -> ConvProblem:
    epilogue = Epilogue(combine, activation, alpha, beta)
    dtype = None if out_dtype is None else dtype_name(out_dtype)
    return problem_of(direction, views, Geometry(**geometry), epilogue, dtype, split_k)


def _result(problem: ConvProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    """Return a dense result in the problem's layout."""
    extents, strides = problem.extents(role), problem.stride_of(role)
    if choices["layout"] is not None:
        order = memory_order(choices["layout"], role)
        return Result(tuple(extents[a] for a in order), problem.dtype(role), tuple(strides[a] for a in order))
    steps = strides[1:] if role == "weight" else (strides[0], *strides[2:])
    return Result(problem.shape(role), problem.dtype(role), steps)


GEOMETRY = ("stride", "padding", "dilation", "groups", "size", "layout")
EPILOGUE = ("combine", "activation", "alpha", "beta", "out_dtype", "split_k")
IMAGES = {role: Place(0, 0, "n") for role in ("input", "output")}  # where the number of images is found


def _places(choices: Mapping[str, Any]) -> Places:
    """Return where sizes are found; an input size or a layout may repeat the number of images, or move it."""
    return IMAGES if choices["layout"] is None and choices["size"] is None else {}


CONV = Description("conv", ("direction", *GEOMETRY, *EPILOGUE), _pose, _result, places=_places)

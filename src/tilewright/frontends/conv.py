"""`conv`, `conv_backward_data`, `conv_backward_weight`: one call on tensors of any library, by the default dispatcher.

Tensors have torch's shapes, (n, c, spatial...), (k, c/groups, filter...), (n, k, spatial...), in channels-last or
channels-first memory; with `layout` given they are in the order of that layout, groups included (nhwgc: n, h, w, g,
c/g).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

from ..errors import TensorError
from ..jit.arrays import view_at
from ..model.dtype import numpy_dtype
from ..ops.conv.bind import Geometry, problem_of
from ..ops.conv.layout import memory_order
from ..ops.conv.problem import ConvProblem
from ..ops.conv.signature import RESULT
from ..ops.conv.tensors import mismatches
from ..ops.gemm import Epilogue
from .functional import current_memo, default_dispatcher


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
    dtype_out: str | None = None,
    layout: str | None = None,
    device: str | None = None,
) -> Any:
    """activation(alpha * (input convolved with weight) combine bias combine d ...), in one to three dimensions.

    `bias` has one value per output channel; a `d` operand is like a bias or like the output. `padding` is p, or per
    dimension p or (left, right). `device` is that of `gemm`.

    >>> import numpy as np
    >>> x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((2, 1, 3, 3), np.float32)
    >>> conv(x, w, padding=1, groups=2)[0, 0].tolist()[0]
    [4.0, 6.0, 6.0, 4.0]
    """
    extra = [t for t in (bias, *(d if isinstance(d, (list, tuple)) else (d,))) if t is not None]
    given = {"input": input, "weight": weight, "output": out, **{f"d{i}": t for i, t in enumerate(extra)}}
    geometry = Geometry(stride, padding, dilation, groups, None, layout)
    return _run("forward", given, geometry, Epilogue(combine, activation, alpha, beta), dtype_out, device=device)


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
    device: str | None = None,
) -> Any:
    """The gradient of the input, whose spatial size is `input_size`; `d` (it may be `out` itself) is added.

    >>> import numpy as np
    >>> conv_backward_data(np.ones((1, 1, 2), np.float32), np.ones((1, 1, 2), np.float32), (3,)).tolist()
    [[[1.0, 2.0, 1.0]]]
    """
    given = {"input": out, "weight": weight, "output": grad_output, **({} if d is None else {"d0": d})}
    geometry = Geometry(stride, padding, dilation, groups, input_size, layout)
    return _run("backward_data", given, geometry, Epilogue(alpha=alpha, beta=beta), None, device=device)


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
    device: str | None = None,
) -> Any:
    """The gradient of the weight, whose spatial size is `filter_size`; `d` (it may be `out` itself) is added.

    >>> import numpy as np
    >>> conv_backward_weight(np.ones((1, 1, 3), np.float32), np.ones((1, 1, 2), np.float32), (2,)).tolist()
    [[[2.0, 2.0]]]
    """
    given = {"input": input, "weight": out, "output": grad_output, **({} if d is None else {"d0": d})}
    geometry = Geometry(stride, padding, dilation, groups, filter_size, layout)
    return _run("backward_weight", given, geometry, Epilogue(alpha=alpha, beta=beta), None, split_k, device)


def _run(
    direction: str,
    given: dict[str, Any],
    geometry: Geometry,
    epilogue: Epilogue,
    dtype_out: str | None,
    split_k: int | None = None,
    device: str | None = None,
) -> Any:
    result, memo = RESULT[direction], current_memo()
    choices = (direction, geometry.key, epilogue, dtype_out, split_k, device)
    found = memo.run(choices, given, result)
    if found is not None:
        return found
    views = {role: view_at(t, role, device) for role, t in given.items() if t is not None}
    problem = problem_of(direction, views, geometry, epilogue, dtype_out, split_k)
    like = next(given[r] for r in ("input", "output", "weight") if given[r] is not None)
    new_out = _out_maker(like, problem, geometry.layout)
    if given[result] is None:
        views[result] = view_at(new_out(), result, device)
    views = {role: views[role] for role in given}
    mistakes = mismatches(problem, views)
    if mistakes:
        raise TensorError.of(f"tensors of {problem.label()}", mistakes)
    plan = default_dispatcher().plan(problem)
    if plan.candidate is not None:
        memo.remember(choices, given, result, plan.prepared_call(views), views, new_out)
    return plan.bind(views)()


def _out_maker(like: Any, problem: ConvProblem, layout: str | None) -> Callable[[], Any]:
    """A function that makes a new, dense result of the kind of `like`, in the problem's layout."""
    role = problem.result
    extents, strides = problem.extents(role), problem.stride_of(role)
    if layout is not None:
        order = memory_order(layout, role)
        shape, steps = tuple(extents[a] for a in order), tuple(strides[a] for a in order)
    else:
        shape = problem.shape(role)
        steps = strides[1:] if role == "weight" else (strides[0], *strides[2:])
    dtype = numpy_dtype(problem.dtype(role))
    if type(like).__module__.split(".")[0] == "torch":
        import torch

        return partial(torch.empty_strided, shape, steps, dtype=getattr(torch, dtype.name), device=like.device)
    import numpy as np

    count, strides_in_bytes = prod(shape), [s * dtype.itemsize for s in steps]
    return lambda: np.ndarray(shape, dtype, np.empty(count, dtype), 0, strides_in_bytes)

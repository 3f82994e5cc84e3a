"""`gemm` and `pack_weights`: one call on tensors of any library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import ProblemError
from ..jit.arrays import view_at
from ..model.dtype import DTypeLike, dtype_name
from ..model.fields import shown
from ..model.summation import asked_summation
from ..model.tensor import PackedTensor, TensorView
from ..ops.gemm import Epilogue, GemmProblem
from ..ops.gemm.epilogue import PAIRS
from ..ops.gemm.tensors import problem_of
from . import default
from .call import Asked, Description, Result, Tensors, Views, public
from .call_template import Place


@public
def gemm(
    a: Any,
    b: Any,
    *,
    out: Any = None,
    d: Sequence[Any] | Any = None,
    combine: str = "add",
    activation: str = "none",
    alpha: float = 1.0,
    beta: float = 1.0,
    scale_a: Any = None,
    scale_b: Any = None,
    out_dtype: DTypeLike | None = None,
    split_k: int | None = None,
    scale_block: int = 128,
    invariant: bool = False,
    prologue_a: Sequence[Any] = (),
    prologue_b: Sequence[Any] = (),
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> Any:
    """Return activation(alpha * scale_a * scale_b * (a @ b) combine beta*d[0] combine d[1] ...), in `out` if given.

    `a` is [m, k] or [batch, m, k], `b` is [k, n] (or a `PackedTensor` of `pack_weights`); NumPy, torch or DLPack, any
    strides, without copying. A `d` operand is [m, n], [n] (a bias) or [m, 1], and may be a batch of those. `combine`
    is add, multiply, or multiply_add: the first `d` is multiplied, the others are added. With gradient the first `d` is
    what the activation was applied to in a forward pass; the product, with the other `d` added, goes back through it:
    `gemm(grad, weight, d=x, activation="gelu_erf", combine="gradient")` is the gradient of x. The result is a matrix if
    both operands are. Scales are one value, one per row of `a` and column of `b`, or one per block:
    [m, k / scale_block] and [k / scale_block, n / scale_block]. `out_dtype` is the dtype of a new output: a name such
    as "bf16", or a dtype of NumPy or torch; an `out` of another dtype is refused.

    With `invariant` the bits of a row do not depend on how many rows or matrices are computed with it: all kernels for
    this K and N sum in one order. If there is no such order, a `SelectionError` says why.

    `prologue_a` and `prologue_b` are steps that `a` and `b` go through first, such as [("multiply", scale), ("add",
    shift), "relu"]: a tensor has the shape of the operand, or one row or column of it. Few kernels have them
    (`explain` says which).

    `dispatcher` chooses the kernel; None is the default one. `device` is used instead of the tensors' device: host
    arrays can be computed on an emulated GPU such as "emu:gfx942".

    >>> import numpy as np
    >>> a = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> gemm(a, a.T, activation="relu").tolist()
    [[5.0, 14.0], [14.0, 50.0]]
    """
    given = {"a": a, "b": b, "out": out, "scale_a": scale_a, "scale_b": scale_b, **operands_of(d)}
    ops_a, ops_b = _steps(prologue_a, "a", given), _steps(prologue_b, "b", given)
    choices = (combine, activation, alpha, beta, out_dtype, split_k, scale_block, invariant, ops_a, ops_b)
    return Asked(GEMM, given, choices, dispatcher, device, "out")


def operands_of(d: Any) -> dict[str, Any]:
    """Return the operands of an epilogue by role."""
    return {} if d is None else {f"d{i}": t for i, t in enumerate(d if isinstance(d, (list, tuple)) else (d,))}


def _steps(prologue: Sequence[Any], role: str, given: dict[str, Any]) -> tuple[str, ...]:
    """Return the ops of a prologue; their tensors go into `given`."""
    if isinstance(prologue, tuple) and not prologue:
        return ()
    if not isinstance(prologue, (list, tuple)):
        raise ProblemError(f"prologue_{role} is {shown(prologue)}; it must be a list of steps")
    ops, count = list[str](), 0
    for step in prologue:
        if isinstance(step, str):
            ops.append(step)
            continue
        if not isinstance(step, (tuple, list)) or len(step) != 2 or step[0] not in PAIRS or step[1] is None:
            raise ProblemError(
                f"prologue_{role} has the step {shown(step)}",
                remedy='write ("add", tensor), ("multiply", tensor) or the name of an activation',
            )
        count += 1
        ops.append(step[0])
        given[f"{role}{count}"] = step[1]
    if sum(op in PAIRS for op in ops) != count:
        raise ProblemError(f"prologue_{role}: add and multiply need a tensor", remedy='write ("add", tensor)')
    return tuple(ops)


def pack_weights(
    b: Any,
    *,
    m_hint: int = 16,
    dtype_a: DTypeLike | None = None,
    format: str | None = None,
    dispatcher: Dispatcher | None = None,
    device: str | None = None,
) -> PackedTensor:
    """Return `b` [k, n] packed for the kernel that is best for about `m_hint` rows; pass it to `gemm` instead of `b`.

    Packing is explicit: keep the result as long as the weights do not change. `dtype_a` is the dtype of the other
    operand, that of `b` if None. `format` is the name of a packed format (`b_format` of a problem), such as
    "ck_tile_n32_v8"; if None, the format of the best kernel. `dispatcher` and `device` are those of `gemm`.

    >>> import numpy as np
    >>> a, b = np.ones((2, 64), np.float32), np.ones((64, 32), np.float32)
    >>> gemm(a, pack_weights(b))[0, 0]
    np.float32(64.0)
    """
    from .packing import pack

    place = None if device is None else str(device)
    dtype = None if dtype_a is None else dtype_name(dtype_a)
    return pack(view_at(b, "b", place), m_hint, dtype, default.chosen(dispatcher), format)


def _view(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
    return view_at(tensor.storage if isinstance(tensor, PackedTensor) else tensor, role, place)


def _pose(
    given: Tensors,
    views: Views,
    *,
    combine: str,
    activation: str,
    alpha: float,
    beta: float,
    out_dtype: Any,
    invariant: bool,
    **rest: Any,
) -> GemmProblem:
    packed = given["b"] if isinstance(given.get("b"), PackedTensor) else None
    dtype = None if out_dtype is None else dtype_name(out_dtype)
    epilogue = Epilogue(combine, activation, alpha, beta)
    asked = asked_summation(invariant)
    return problem_of(views, epilogue=epilogue, out_dtype=dtype, packed=packed, summation=asked, **rest)


def _result(problem: GemmProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    a, b = views["a"], views["b"]
    one = problem.groups or problem.b_format != "plain" or len(b.shape) == 2  # B is no stack of a batch
    shape = (problem.m, problem.n) if len(a.shape) == 2 and one else (problem.batch, problem.m, problem.n)
    return Result(shape, problem.dtype_out)


ROWS = {role: Place(-2, -2, "m") for role in ("a", "out")}  # where the rows of a product are found
GEMM = Description(
    "gemm",
    (
        "combine",
        "activation",
        "alpha",
        "beta",
        "out_dtype",
        "split_k",
        "scale_block",
        "invariant",
        "prologue_a",
        "prologue_b",
    ),
    _pose,
    _result,
    _view,
    lambda choices: ROWS,
)
NO_OPTIONS = dict(zip(GEMM.choices, ("add", "none", 1.0, 1.0, None, None, 128, False, (), ()), strict=True))

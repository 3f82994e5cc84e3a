"""`gemm` and `preshuffle`: one call on tensors of any library, through the default dispatcher."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import TensorError
from ..jit.arrays import view_at, view_of
from ..model.dtype import get_dtype, numpy_dtype
from ..model.tensor import PackedTensor
from ..ops.gemm import Epilogue
from ..ops.gemm.tensors import mismatches, problem_of
from .memo import Memo

_lock = threading.Lock()
_dispatcher: Dispatcher | None = None
_fast: Any = None
_MISS: Any = object()
_memo = Memo()
PLAIN = ("add", "none", 1.0, 1.0, None, None, 128, None)  # the choices of a call that gives only a, b and out


def default_dispatcher() -> Dispatcher:
    """The dispatcher behind `tilewright.gemm`, made at first use from the environment's settings.

    >>> default_dispatcher() is default_dispatcher()
    True
    """
    global _dispatcher
    with _lock:
        if _dispatcher is None:
            _dispatcher = Dispatcher()
            _dispatcher.registry.watch(_forget_calls)
        return _dispatcher


def _forget_calls() -> None:
    """Prepared calls hold chosen kernels, so they go when there are others to choose from."""
    global _fast, _memo
    with _lock:
        _fast = None
        _memo = Memo()


def current_memo() -> Memo:
    """The memo of prepared calls; a change of the registry begins a new one.

    >>> current_memo() is current_memo()
    True
    """
    default_dispatcher()  # whose registry tells of changes
    return _memo


def reset() -> None:
    """Forget the default dispatcher and its plans, so that changed settings take effect."""
    global _dispatcher
    with _lock:
        _dispatcher = None
    _forget_calls()


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
    dtype_out: str | None = None,
    split_k: int | None = None,
    scale_block: int = 128,
    device: str | None = None,
) -> Any:
    """activation(alpha * scale_a * scale_b * (a @ b) combine beta*d[0] combine d[1] ...), in `out` where it is given.

    `a` is [m, k] or [batch, m, k], `b` is [k, n] (or a `PackedTensor` of `preshuffle`); NumPy, torch or DLPack, any
    strides, without copying. A `d` operand is [m, n], [n] (a bias) or [m, 1]. Scales are one value, one per row of `a`
    and column of `b`, or one per block: [m, k / scale_block] and [k / scale_block, n / scale_block]. `dtype_out` is the
    dtype of a new output; an `out` of another dtype is refused. `device` is where it runs, if not where the tensors
    are: host arrays are copied to an emulated GPU such as emu:gfx942, and results back.

    >>> import numpy as np
    >>> a = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> gemm(a, a.T, activation="relu").tolist()
    [[5.0, 14.0], [14.0, 50.0]]
    """
    try:
        plain = alpha == 1.0 and activation == "none" and scale_a is None and scale_b is None and d is None
    except ValueError:  # an array, which is no factor
        plain = False
    if plain and _fast is not None and out is not None and split_k is None and dtype_out is None and device is None:
        result = _fast.lookup(a, b, out)
        if result is not _MISS:
            return result
    extra = {"scale_a": scale_a, "scale_b": scale_b, **_numbered(d)}
    choices = (combine, activation, alpha, beta, dtype_out, split_k, scale_block, device)
    given = {"a": a, "b": b, "out": out, **{role: t for role, t in extra.items() if t is not None}}
    result = current_memo().run(choices, given, "out")
    return _gemm(given, choices) if result is None else result


def _numbered(d: Any) -> dict[str, Any]:
    listed = () if d is None else d if isinstance(d, (list, tuple)) else (d,)
    return {f"d{i}": t for i, t in enumerate(listed)}


def _gemm(given: dict[str, Any], choices: tuple[Any, ...]) -> Any:
    """The whole way: views, problem, checks, plan, launch; remembers what it prepared."""
    memo = current_memo()  # taken before the choice: a change of the registry meanwhile leaves this entry behind
    combine, activation, alpha, beta, dtype_out, split_k, scale_block, device = choices
    epilogue = Epilogue(combine, activation, alpha, beta)
    packed = given["b"] if isinstance(given["b"], PackedTensor) else None
    tensors = {**given, "b": packed.storage} if packed else dict(given)
    further = {"split_k": split_k, "packed": packed, "scale_block": scale_block}
    if tensors["out"] is None:
        views = {role: view_at(t, role, device) for role, t in tensors.items() if t is not None}
        problem = problem_of(views, epilogue=epilogue, dtype_out=dtype_out, **further)
        tensors["out"] = _out_maker(tensors["a"], problem)()
    views = {role: view_at(t, role, device) for role, t in tensors.items()}
    problem = problem_of(views, epilogue=epilogue, dtype_out=dtype_out, **further)
    mistakes = mismatches(problem, views)
    if mistakes:
        raise TensorError.of("tensors of gemm", mistakes)
    plan = default_dispatcher().plan(problem)
    if 0 not in (problem.m, problem.n, problem.batch):
        call = plan.prepared_call(views)
        memo.remember(choices, given, "out", call, views, _out_maker(given["a"], problem))
        _remember_plain(memo, given, choices, call)
    return plan.bind(views)()


def preshuffle(
    b: Any, *, m_hint: int = 16, dtype_a: str | None = None, dispatcher: Dispatcher | None = None
) -> PackedTensor:
    """`b` [k, n] packed for the kernel that suits about `m_hint` rows; pass the result to `gemm` in place of `b`.

    Packing is explicit: keep the result as long as the weights do not change.

    >>> import numpy as np
    >>> a, b = np.ones((2, 64), np.float32), np.ones((64, 32), np.float32)
    >>> gemm(a, preshuffle(b))[0, 0]
    np.float32(64.0)
    """
    from .packing import pack

    return pack(view_of(b, "b"), m_hint, dtype_a, dispatcher or default_dispatcher())


def _remember_plain(memo: Memo, given: Mapping[str, Any], choices: tuple[Any, ...], call: Any) -> None:
    """Keep plain calls on NumPy arrays in the C cache too."""
    global _fast, _MISS
    import numpy as np

    from ..jit.launcher import MISS, make_fast_cache

    plain = len(given) == 3 and choices == PLAIN and all(isinstance(t, np.ndarray) for t in given.values())
    with _lock:
        if plain and call is not None and memo is _memo:
            if _fast is None:
                _fast, _MISS = make_fast_cache(max_alignment=8), MISS
            _fast.add(*given.values(), call)


def _out_maker(a: Any, problem: Any) -> Callable[[], Any]:
    """A function that makes a new output of the kind of `a`: torch where `a` is torch, NumPy otherwise."""
    shape = (
        (problem.m, problem.n) if problem.batch == 1 and len(a.shape) == 2 else (problem.batch, problem.m, problem.n)
    )
    if type(a).__module__.split(".")[0] == "torch":
        import torch

        dtype = getattr(torch, get_dtype(problem.dtype_out).numpy or "")
        return partial(torch.empty, shape, dtype=dtype, device=a.device)
    import numpy as np

    return partial(np.empty, shape, numpy_dtype(problem.dtype_out))

"""How a call reaches its kernel: directly, through an autograd function, or as an operator that torch can trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.nn.modules import module as torch_modules

from ..errors import GradientError, TransformError
from ..frontends import default
from ..jit.memo import set_guards

DIRECT = 0  # nothing but the kernel has to see the tensors
RECORDED = 1  # a gradient is wanted: `torch.autograd.Function`
TRACED = 2  # a compiler, mode, tensor subclass or device without memory wants to see the operator

TRANSFORMED = "torch.func transforms (vmap, grad, ...), forward mode and torch.jit.trace cannot look inside of kernels"

PLAIN_TYPES = frozenset({torch.Tensor, torch.nn.Parameter})
_dispatch_modes = torch._C._len_torch_dispatch_stack
_function_modes = torch._C._len_torch_function_stack
_interpreter = torch._C._functorch.peek_interpreter_stack
_is_tracing = torch._C._get_tracing_state
_grad_enabled = torch.is_grad_enabled
_is_compiling = torch.compiler.is_compiling
_any_autocast = torch._C._is_any_autocast_enabled
_is_batched = torch._C._functorch.is_legacy_batchedtensor
GLOBAL_HOOKS = tuple(
    value
    for name, value in sorted(vars(torch_modules).items())
    if name.startswith("_global_") and name.endswith("hooks") and isinstance(value, dict)
)
set_guards(
    (_grad_enabled, _dispatch_modes, _function_modes, _any_autocast, _is_tracing, _interpreter),
    ((vars(forward_ad), "_current_level", -1), (vars(torch.compiler), "_is_compiling_flag", False)),
    GLOBAL_HOOKS,
)  # `can_use_memo` for C


def way_of(*tensors: torch.Tensor | None) -> int:
    """Return DIRECT, RECORDED or TRACED for a call on these tensors; raise `TransformError` if torch has to compute it.

    >>> x = torch.ones(2)
    >>> way_of(x, None), way_of(x.requires_grad_()), way_of(torch.ones(2, device="meta"))
    (0, 1, 2)
    """
    if _is_compiling():
        if is_transformed_in_trace():
            raise transform_error()
        return TRACED
    if is_transformed():
        raise transform_error()
    if _dispatch_modes() or _function_modes():
        return TRACED
    wanted = DIRECT
    for t in tensors:
        if t is None:
            continue
        if type(t) not in PLAIN_TYPES or not (t.is_cuda or t.is_cpu):
            return TRACED
        if t.requires_grad:
            wanted = RECORDED
    return wanted if wanted and _grad_enabled() else DIRECT


def is_transformed(*gradients: torch.Tensor) -> bool:
    """Return whether all calls are seen by a transform of `torch.func`, in forward mode, or by `torch.jit.trace`.

    `gradients` may be several at once, for `torch.autograd.grad(is_grads_batched=True)`. Not to be asked by Dynamo.

    >>> is_transformed(), torch.func.vmap(lambda x: x + is_transformed())(torch.zeros(1)).tolist()
    (False, [1.0])
    """
    if _interpreter() is not None or forward_ad._current_level >= 0 or _is_tracing() is not None:
        return True
    return any(map(_is_batched, gradients))


def is_transformed_in_trace() -> bool:
    """Return `is_transformed` in a program that Dynamo traces, which has the transforms of that program in force.

    In strict mode a transform is a `TransformError`, as without Dynamo.

    >>> is_transformed_in_trace()
    False
    """
    found = is_transformed()
    if found and default.default_dispatcher().settings.strict:
        raise transform_error()
    return found


is_transformed_in_trace._dynamo_marked_constant = True  # type: ignore[attr-defined]  # Dynamo calls it, and traces nothing


def can_use_memo() -> bool:
    """Return whether a remembered call may run at once: no gradient, compiler, mode, autocast or transform is there.

    The memo in C looks at the tensors themselves.

    >>> can_use_memo(), torch.no_grad()(can_use_memo)()
    (False, True)
    """
    if _is_compiling() or _grad_enabled() or _dispatch_modes() or _function_modes() or _any_autocast():
        return False
    return _is_tracing() is None and _interpreter() is None and forward_ad._current_level < 0


def is_recorded(*tensors: torch.Tensor) -> bool:
    """Return whether a remembered call may run at once, with a gradient to record and nothing else to see the tensors.

    >>> x = torch.ones(2, requires_grad=True)
    >>> is_recorded(x), is_recorded(x.detach()), torch.no_grad()(is_recorded)(x)
    (True, False, False)
    """
    if _is_compiling() or not _grad_enabled() or _dispatch_modes() or _function_modes() or _any_autocast():
        return False
    if _is_tracing() is not None or _interpreter() is not None or forward_ad._current_level >= 0:
        return False
    wanted = False
    for t in tensors:
        if type(t) not in PLAIN_TYPES:
            return False
        wanted = wanted or t.requires_grad
    return wanted


def transform_error() -> TransformError:
    """Return the error for transforms, which would have to look inside of a kernel."""
    return TransformError(
        TRANSFORMED,
        remedy="use torch's own operator there, or undo the patch of the model: patch(model).undo()",
    )


Gradients = tuple[Any, ...]


def once(backward: Callable[..., Gradients]) -> Callable[..., Gradients]:
    """Return `backward` for use in an autograd function: its results refuse to be differentiated again."""

    @wraps(backward)
    def first_order(ctx: Any, *grads: Any) -> Gradients:
        if not _grad_enabled():
            return backward(ctx, *grads)
        with torch.no_grad():
            found = backward(ctx, *grads)
        sources = [t for t in (*grads, *ctx.saved_tensors) if t is not None and t.requires_grad]
        return tuple([None if g is None else _refusing(g, sources) for g in found])

    return first_order


def _refusing(gradient: torch.Tensor, sources: list[torch.Tensor]) -> Any:
    """Return a gradient that depends on `sources`, so that their second derivatives are asked for here."""
    return _Second.apply(gradient.detach().requires_grad_(), *sources)  # type: ignore[no-untyped-call]


class _Second(torch.autograd.Function):
    """The identity; its gradient, a second derivative of a kernel, is refused."""

    @staticmethod
    def forward(ctx: Any, gradient: torch.Tensor, *sources: torch.Tensor) -> torch.Tensor:
        """Return the gradient as it is."""
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        """Raise `GradientError`."""
        raise GradientError(
            "tilewright's kernels have first derivatives only; this is a second one (create_graph=True)",
            remedy="use torch's own operator there, or undo the patch of the model: patch(model).undo()",
        )


def recorder(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """Return C's own `apply` of an autograd function, whose backward pass is then called by the engine itself.

    The one in Python costs half as much again, for tensors of `torch.func`, which `way_of` refuses. The one of the
    backward pass only looks for `backward`.
    """
    function._backward_cls.apply = function.backward  # type: ignore[attr-defined]
    apply: Callable[..., Any] = super(torch.autograd.Function, function).apply  # type: ignore[misc]
    return apply


def refuse_gradient(ctx: Any, *grads: Any) -> Any:
    """Raise `GradientError`: the backward pass of operators that have none."""
    raise GradientError(
        "this operator of tilewright has no gradient",
        remedy="call it under torch.no_grad(), or pass detach() of its tensors",
    )


def autocast_dtype(tensor: torch.Tensor) -> torch.dtype | None:
    """Return the dtype to which autocast converts operands on this tensor's kind of device; None if it is off.

    >>> autocast_dtype(torch.ones(1)) is None
    True
    """
    if not _any_autocast():
        return None
    device = tensor.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None


def cast_all(dtype: torch.dtype, values: tuple[Any, ...]) -> list[Any]:
    """Return `values` with floating tensors converted as autocast does: not those of fp64.

    >>> [t.dtype for t in cast_all(torch.bfloat16, (torch.ones(1), torch.ones(1).double(), torch.ones(1).int()))]
    [torch.bfloat16, torch.float64, torch.int32]
    """
    return [v.to(dtype) if isinstance(v, torch.Tensor) and _casts(v) else v for v in values]


def _casts(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype is not torch.float64

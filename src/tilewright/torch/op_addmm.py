"""`addmm` and `baddbmm`: products with a summand in their epilogue, with gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from ..errors import TensorError
from ..frontends.gemm import gemm
from .fitness import why_layout, why_no_kernel
from .leaving import gradient_or_torchs, ours_or_torchs
from .op_linear import MATMUL
from .ways import RECORDED, autocast_dtype, cast_all, once, recorder, way_of

Tensor = torch.Tensor


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return `torch.addmm`, beta * input + alpha * (mat1 @ mat2), with gradients; by torch if no kernel computes it.

    >>> addmm(torch.ones(4), torch.ones(2, 3), torch.ones(3, 4), alpha=2).tolist()[0]
    [7.0, 7.0, 7.0, 7.0]
    """
    return _called("addmm", 2, input, mat1, mat2, beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return `torch.baddbmm`, beta * input + alpha * (batch1 @ batch2), with gradients.

    >>> baddbmm(torch.ones(1, 1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten().tolist()
    [4.0, 4.0]
    """
    return _called("baddbmm", 3, input, batch1, batch2, beta, alpha)


def _called(name: str, dims: int, d: Tensor, a: Tensor, b: Tensor, beta: Any, alpha: Any) -> Tensor:
    def ours(d: Tensor, a: Tensor, b: Tensor) -> Tensor:
        if a.dim() != dims or b.dim() != dims:
            raise TensorError(f"{name} multiplies tensors of {dims} dimensions, not {tuple(a.shape)}, {tuple(b.shape)}")
        if a.shape[:-2] != b.shape[:-2]:
            raise TensorError(f"{name}: the batches of {tuple(a.shape)} and {tuple(b.shape)} differ")
        return sum_by_kernel(d, a, b, float(beta), float(alpha))

    def torchs(d: Tensor, a: Tensor, b: Tensor) -> Tensor:
        found: Tensor = getattr(torch, name)(d, a, b, beta=beta, alpha=alpha)
        return found

    reason = why_no_kernel(a) or why_layout(b) or why_layout(d)
    found: Tensor = ours_or_torchs(name, reason, ours, torchs, d, a, b)
    return found


def sum_by_kernel(d: Tensor, a: Tensor, b: Tensor, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """Return beta * d + alpha * (a @ b) of matrices, or of stacks of one size, by a kernel, or raise an error.

    `d` broadcasts to the result. It is not read if `beta` is 0.
    """
    shape = (*a.shape[:-1], b.shape[-1])
    if not _broadcasts(d.shape, shape):
        raise TensorError(f"the summand has shape {tuple(d.shape)}; the result has {tuple(shape)}")
    way = way_of(d, a, b)
    dtype = autocast_dtype(a)
    if dtype is not None:
        d, a, b = cast_all(dtype, (d, a, b))
    if way > RECORDED:
        product: Tensor = MATMUL(a, b)
        scaled = product if alpha == 1.0 else product * alpha
        if beta:
            scaled = scaled + (d if beta == 1.0 else d * beta)
        return scaled.to(product.dtype)
    if way:
        recorded: Tensor = _record(d, a, b, beta, alpha)
        return recorded
    return _forward(d, a, b, beta, alpha)


def _forward(d: Tensor, a: Tensor, b: Tensor, beta: float, alpha: float) -> Tensor:
    summand = _summand(d, (*a.shape[:-1], b.shape[-1])) if beta else None
    found: Tensor = gemm(a, b, d=summand, alpha=alpha, beta=beta or 1.0)
    return found


def _broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Return whether a tensor of one shape can be expanded to another one."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n == 1 or n == wanted for n, wanted in pairs)


def _summand(d: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a summand as kernels read it: [n], [m, 1], or of the shape of the result."""
    whole = d.expand(shape)
    if d.dim() < 2 or (d.dim() == 2 == len(shape) and d.shape[0] == 1):
        return whole[(0,) * (len(shape) - 1)].contiguous() if 0 not in shape else whole
    return d if tuple(d.shape) in (shape, (shape[-2], 1), shape[-2:]) else whole.contiguous()


class _Sum(torch.autograd.Function):
    """The sum with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, d: Tensor, a: Tensor, b: Tensor, beta: float, alpha: float) -> Tensor:
        """Return the sum."""
        wants = ctx.needs_input_grad
        ctx.save_for_backward(a if wants[2] else None, b if wants[1] else None)
        ctx.shape, ctx.factors = d.shape, (beta, alpha)
        return _forward(d, a, b, beta, alpha)

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of the three tensors."""
        (a, b), (beta, alpha), wants = ctx.saved_tensors, ctx.factors, ctx.needs_input_grad
        of_d = (grad if beta == 1.0 else grad * beta).sum_to_size(ctx.shape) if wants[0] else None
        of_a = _gradient(grad, b.mT, alpha) if wants[1] else None
        of_b = _gradient(a.mT, grad, alpha) if wants[2] else None
        return of_d, of_a, of_b, None, None


_record = recorder(_Sum)


def _gradient(a: Tensor, b: Tensor, alpha: float) -> Any:
    ours, torchs = partial(gemm, alpha=alpha), lambda a, b: (a @ b) * alpha
    return gradient_or_torchs("addmm", ours, torchs, a, b)

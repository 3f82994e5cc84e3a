"""The calls of torch that compute a product into the caller's tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....ops.gemm.problem import GemmProblem
from ..tensors import Layout
from .rules import is_bias

Steps = Callable[[Any], Any]


def layouts(p: GemmProblem) -> dict[str, Layout]:
    """Return each matrix as (rows, cols), or (batch, rows, cols) for several products; a scale as its values."""
    return {role: _layout(p, role) for role in p.roles}


def _layout(p: GemmProblem, role: str) -> Layout:
    if role.startswith("scale"):
        return _scale_layout(p, role)
    (rows, cols), (batch, row, col) = p.shape(role), p.stride(role)
    # A single row or column has any stride: libraries want one that a dense matrix has, and would copy otherwise.
    if rows == 1 and cols == 1:
        row, col = 1, 1
    elif rows == 1:
        row = cols if col == 1 else 1
    elif cols == 1:
        col = rows if row == 1 else 1
    if role[0] == "d":  # d operands repeat over what they do not have
        row, col = (0 if p.repeats(role) and n == 1 else step for n, step in zip((rows, cols), (row, col), strict=True))
        rows, cols = p.m, p.n
    return ((rows, cols), (row, col)) if p.batch == 1 else ((p.batch, rows, cols), (batch, row, col))


def _scale_layout(p: GemmProblem, role: str) -> Layout:
    count, step = p.shape(role)[0], p.stride(role)[0] if role in p.strides else 1
    kind = p.scale_a if role == "scale_a" else p.scale_b
    if kind == "tensor":
        return (), ()
    return ((count, 1), (step, 1)) if role == "scale_a" else ((1, count), (1, step))


def compute(torch: Any, p: GemmProblem, library: str) -> Callable[..., None]:
    """Return a function of a, b, out, then scales and d operands."""
    if p.dtype_a == "int8":
        return lambda a, b, out: torch._int_mm(a, b, out=out)
    if p.dtype_a in ("fp8", "bf8"):
        return lambda a, b, out, sa, sb: torch._scaled_mm(
            a, b, sa, sb, out_dtype=out.dtype, use_fast_accum=True, out=out
        )
    product, finish = _product(torch, p), activation(torch, p.epilogue.activation)
    if finish is None:
        return product

    def run(a: Any, b: Any, out: Any, *d: Any) -> None:
        product(a, b, out, *d)
        finish(out)

    return run


def _product(torch: Any, p: GemmProblem) -> Callable[..., None]:
    alpha, beta = p.epilogue.alpha, p.epilogue.beta
    add = torch.baddbmm if p.batch > 1 else torch.addmm
    if p.d and is_bias(p):  # cuBLASLt adds a vector inside of the product
        return lambda a, b, out, d: add(d[0], a, b, out=out)
    if p.d:
        return lambda a, b, out, d: add(d, a, b, beta=beta, alpha=alpha, out=out)
    if alpha != 1.0:
        return lambda a, b, out: add(out, a, b, beta=0.0, alpha=alpha, out=out)
    multiply = torch.bmm if p.batch > 1 else torch.mm
    return lambda a, b, out: multiply(a, b, out=out)


def activation(torch: Any, name: str) -> Steps | None:
    """Return torch's function of that name that works in place; None if there is nothing to do."""
    aten = torch.ops.aten
    table: Mapping[str, Steps | None] = {
        "none": None,
        "relu": torch.relu_,
        "relu6": lambda x: aten.hardtanh_(x, 0.0, 6.0),
        "sigmoid": torch.sigmoid_,
        "tanh": torch.tanh_,
        "silu": aten.silu_,
        "hard_swish": aten.hardswish_,
        "gelu_erf": aten.gelu_,
        "gelu_tanh": lambda x: aten.gelu_(x, approximate="tanh"),
    }
    return table[name]

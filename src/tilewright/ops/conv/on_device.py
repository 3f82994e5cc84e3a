"""Tensors of a convolution on a GPU through torch: fresh random ones, and the reference that results are compared with.

The reference is the float64 convolution of the GPU's own library, on a padded input. Before it is trusted for a
direction, it is compared with NumPy's on a small problem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.inexact import Inexact
from ...model.op import Expected
from ...model.tensor import Tensors
from ..device_check import DeviceCheck
from ..gemm.on_device import (
    activated,
    compare_references,
    drawn_on_device,
    fresh,
    gone_back,
    to_host,
    torch_module,
)
from ..verify import Verification, compare
from .problem import ConvProblem
from .reference import expected as host_expected
from .tensors import torch_strides


def random_tensors(problem: ConvProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role in torch's shapes, with the problem's layout and strides; poison the result."""
    return drawn_on_device(problem, seed, _draw)


def _draw(problem: ConvProblem, role: str, generator: Any) -> Any:
    strides = torch_strides(problem, role)
    poisoned = role == problem.result
    return fresh(role, problem.shape(role), strides, problem.dtype(role), generator, poisoned=poisoned)


def reference(problem: ConvProblem, tensors: Tensors) -> tuple[Any, Any]:
    """Return (value, magnitude) of the result in float64, as `reference.expected` defines them."""
    e, read = problem.epilogue, {r: tensors[r].double() for r in problem.roles if r != problem.result}
    value = e.alpha * _convolve(problem, read)
    magnitude = abs(e.alpha) * _convolve(problem, {r: x.abs() for r, x in read.items()})
    given = (read[f"d{i}"] for i in range(len(problem.d)))
    operands = (d.reshape(1, -1, *(1 for _ in problem.input)) if d.dim() == 1 else d for d in given)
    value, magnitude = e.finished(value, (magnitude,), operands, activated, gone_back)
    return value, magnitude


def _convolve(p: ConvProblem, read: Mapping[str, Any]) -> Any:
    torch = torch_module("to compute a reference on the GPU")
    zeros = [0] * p.dims
    widths = [w for pair in reversed(p.pad) for w in pair]
    sizes = [size + sum(pair) for size, pair in zip(p.input, p.pad, strict=True)]
    x = torch.nn.functional.pad(read["input"], widths) if p.result != "input" else None
    if p.direction == "forward":
        return torch.ops.aten.convolution(x, read["weight"], None, p.stride, zeros, p.dilation, False, zeros, p.g)
    grad = read["output"]
    if p.direction == "backward_data":
        x, weight = grad.new_empty((p.n, p.c, *sizes)), read["weight"]
    else:
        weight = grad.new_empty(p.shape("weight"))
    back = torch.ops.aten.convolution_backward
    mask = [p.direction == "backward_data", p.direction == "backward_weight", False]
    found = back(grad, x, weight, None, p.stride, zeros, p.dilation, False, zeros, p.g, mask)
    if p.direction == "backward_weight":
        return found[1]
    whole = slice(None)
    inner = (whole, whole, *(slice(left, left + size) for size, (left, _) in zip(p.input, p.pad, strict=True)))
    return found[0][inner]


def device_checker(problem: ConvProblem, tensors: Tensors) -> Callable[..., Verification]:
    """Return a function (out, product_error=0.0) -> Verification, tier `device`, that compares every element."""
    from .verify import tolerance_of

    _check_reference(problem)
    value, magnitude = reference(problem, tensors)

    def again(out: Any, product_error: Inexact | float = 0.0) -> Verification:
        want = Expected(value.cpu().numpy(), magnitude.cpu().numpy())
        got = out.double().cpu().numpy().reshape(want.value.shape)
        return compare(want, got, tolerance_of(problem, product_error), problem.dtype(problem.result), "device")

    dtype = problem.dtype(problem.result)
    return DeviceCheck(value, magnitude, lambda error: tolerance_of(problem, error), again, dtype)


def _check_reference(problem: ConvProblem) -> None:
    """Raise if the GPU's float64 reference differs from NumPy's on a small problem; once for each direction."""
    sizes = {"n": 2, "g": 2, "c": 6, "k": 10, "input": [7] * problem.dims, "filter": [3] * problem.dims, "stride": 2,
             "pad": [[1, 2]] * problem.dims, "dtype": "fp32"}  # fmt: skip

    def both() -> tuple[Any, Expected]:
        small = ConvProblem.from_dict({"direction": problem.direction, "device": problem.device, **sizes})
        tensors = random_tensors(small, 1)
        return reference(small, tensors)[0], host_expected(small, to_host(tensors))

    compare_references((problem.device, problem.direction, problem.dims), problem.device, both)

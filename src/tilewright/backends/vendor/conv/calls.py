"""The calls of torch that compute a convolution. A convolution of lines is one of images with one row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....model.device import memory_of
from ....ops.conv.layout import memory_order
from ....ops.conv.problem import ConvProblem
from ....ops.conv.shapes import kind_of
from ..gemm.calls import activation
from ..tensors import Layout, dense


def layouts(p: ConvProblem) -> dict[str, Layout]:
    """Return each tensor in torch's shape: (n, c, spatial...), (k, c/g, filter...)."""
    return {role: _layout(p, role) for role in p.roles}


def _layout(p: ConvProblem, role: str) -> Layout:
    extents, strides = p.extents(role), p.stride_of(role)
    if role[0] == "d" and p.d[int(role[1:])].broadcast == "row":
        strides = (0, *strides[1:3], *(0 for _ in p.input))
    strides = dense(extents, strides, memory_order(p.layout, kind_of(p, role))) if role[0] != "d" else strides
    if kind_of(p, role) == "weight":
        channels = strides[1] if extents[1] > 1 or extents[0] == 1 else strides[0]
        shape, steps = (extents[0] * extents[1], *extents[2:]), (channels, *strides[2:])
    else:
        channels = strides[2] if extents[2] > 1 or extents[1] == 1 else strides[1]
        shape, steps = (extents[0], extents[1] * extents[2], *extents[3:]), (strides[0], channels, *strides[3:])
    if p.dims > 1:
        return shape, steps
    return (*shape[:2], 1, shape[2]), (*steps[:2], steps[2] * shape[2], steps[2])


def compute(torch: Any, p: ConvProblem, library: str) -> Callable[..., None]:
    """Return a function of input, weight, output and d operands."""
    if library == "cudnn":
        return _into(torch, p)
    convolve, finish = _backward(torch, p) if p.direction != "forward" else _forward(torch, p), _finish(torch, p)
    at = p.roles.index(p.result)

    def run(*tensors: Any) -> None:
        value = convolve(*tensors[:3])
        finish(value, tensors[3:])
        tensors[at].copy_(value)

    return run


def _geometry(p: ConvProblem) -> tuple[list[int], list[int], list[int]]:
    """Return stride, pad and dilation along the spatial axes of torch's tensors."""
    more = p.dims == 1
    return ([1] * more + [*p.stride], [0] * more + [left for left, _ in p.pad], [1] * more + [*p.dilation])


def _flags(torch: Any) -> tuple[bool, bool]:
    """Return (benchmark, deterministic) for cuDNN: it tries its kernels at the first call unless runs must be equal."""
    exact = bool(torch.are_deterministic_algorithms_enabled())
    return not exact, exact


def _into(torch: Any, p: ConvProblem) -> Callable[..., None]:
    (stride, pad, dilation), activate = _geometry(p), activation(torch, p.epilogue.activation)
    convolve = torch.ops.aten.cudnn_convolution.out

    def run(x: Any, w: Any, y: Any) -> None:
        convolve(x, w, pad, stride, dilation, p.g, *_flags(torch), False, out=y)
        if activate is not None:
            activate(y)

    return run


def _forward(torch: Any, p: ConvProblem) -> Callable[..., Any]:
    stride, pad, dilation = _geometry(p)
    zeros = [0] * len(stride)
    if memory_of(p.device) == "cpu":
        plain = torch.ops.aten.convolution
        return lambda x, w, y: plain(x, w, None, stride, pad, dilation, False, zeros, p.g)
    convolve = torch.ops.aten._convolution  # it takes the flags with the call: no TF32 in the place of fp32
    return lambda x, w, y: convolve(
        x, w, None, stride, pad, dilation, False, zeros, p.g, *_flags(torch), True, False
    )  # fmt: skip


def _backward(torch: Any, p: ConvProblem) -> Callable[..., Any]:
    stride, pad, dilation = _geometry(p)
    zeros, which = [0] * len(stride), ("input", "weight").index(p.result)
    mask = [which == 0, which == 1, False]
    backward = torch.ops.aten.convolution_backward

    def run(x: Any, w: Any, y: Any) -> Any:  # the result's own tensor gives the shape; it is not read
        return backward(y, x, w, None, stride, pad, dilation, False, zeros, p.g, mask)[which]

    if memory_of(p.device) == "cpu":
        return run

    def on_gpu(x: Any, w: Any, y: Any) -> Any:
        benchmark, deterministic = _flags(torch)
        flags = {"benchmark": benchmark, "deterministic": deterministic, "allow_tf32": False}
        with torch.backends.cudnn.flags(enabled=True, **flags):
            return run(x, w, y)

    return on_gpu


def _finish(torch: Any, p: ConvProblem) -> Callable[[Any, Any], None]:
    """Return the epilogue in place, on a result that no operand shares."""
    e, activate = p.epilogue, activation(torch, p.epilogue.activation)

    def finish(value: Any, operands: Any) -> None:
        if e.alpha != 1.0:
            value.mul_(e.alpha)
        for i, d in enumerate(operands):
            beta = e.beta if i == 0 else 1.0
            if e.adds(i):
                value.add_(d, alpha=beta)
            else:
                value.mul_(d if beta == 1.0 else d * beta)
        if activate is not None:
            activate(value)

    return finish

"""Whether tilewright computes a call of a patched layer, or torch does, and why."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

from ..errors import CaptureError, ProblemError, SelectionError, TilewrightError, TransformError
from ..frontends import default
from .ways import PLAIN_TYPES, TRANSFORMED, autocast_dtype, is_transformed_in_trace

DTYPES = frozenset({torch.float32, torch.float16, torch.bfloat16})
DEVICES = frozenset({"cpu", "cuda", "meta"})
TRACED_TYPES = frozenset({FakeTensor, FunctionalTensor})
# What a call of a layer may raise because no kernel computes it. Everything else is an error of the caller's. A tensor
# subclass that knows only torch's operators, such as DTensor, raises `NotImplementedError` for ours.
NOT_COMPUTED = (SelectionError, ProblemError, CaptureError, TransformError, NotImplementedError)
# What functions take that are called by name: products of narrow types too, whose results are wider.
WIDENED = frozenset({torch.int8, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz})
_is_compiling = torch.compiler.is_compiling
MATMUL, CUDNN = "torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32"


def why_left(x: Any, weight: Any, precision: str = MATMUL) -> str | None:
    """Return why torch computes a layer with this input and weight; None if tilewright does.

    `precision` is the setting of torch that allows TF32, which tilewright's kernels use for fp32 on a GPU.

    >>> x = torch.ones(2, 2)
    >>> why_left(x, x), why_left(x.double(), x.double())
    (None, 'the dtype is float64; kernels take float32, float16 and bfloat16')
    """
    if _is_compiling() and is_transformed_in_trace():
        return TRANSFORMED
    if type(x) not in PLAIN_TYPES and type(x) not in TRACED_TYPES:
        return f"the input is a {type(x).__name__}, a tensor subclass" if isinstance(x, torch.Tensor) else "no tensor"
    laid_out = why_layout(x) or why_layout(weight)
    if laid_out is not None:
        return laid_out
    dtype, device = x.dtype, x.device.type
    if dtype is not weight.dtype or dtype not in DTYPES or device == "cuda":
        return _why_left(x, weight, precision)
    return None if device in DEVICES else _no_device(device)


def _why_left(x: Any, weight: Any, precision: str) -> str | None:
    dtype, device = x.dtype, x.device.type
    cast = autocast_dtype(x)
    if cast is not None and torch.float64 not in (dtype, weight.dtype) and dtype.is_floating_point:
        dtype = cast
    elif dtype is not weight.dtype:
        return f"the input is {_name(dtype)}, the weight {_name(weight.dtype)}"
    if dtype not in DTYPES:
        return _why_dtype(dtype)
    if device == "cuda" and dtype is torch.float32 and not allows_tf32(precision):
        return f"fp32 products on a GPU are rounded to TF32, which {precision} does not allow"
    return None if device in DEVICES else _no_device(device)


def why_no_kernel(x: Any) -> str | None:
    """Return why no kernel computes a function of tensors like `x`; None if one may.

    >>> why_no_kernel(torch.ones(1)), why_no_kernel(torch.ones(1, dtype=torch.complex64))
    (None, 'the dtype is complex64; kernels take float32, float16 and bfloat16')
    """
    if _is_compiling() and is_transformed_in_trace():
        return TRANSFORMED
    dtype = x.dtype
    return why_layout(x) if dtype in DTYPES or dtype in WIDENED else _why_dtype(dtype)


def why_layout(x: Any) -> str | None:
    """Return why no kernel reads a tensor because of the way it lies in memory; None if one may.

    >>> why_layout(torch.ones(2)), why_layout(torch.ones(2).to_sparse())
    (None, 'a tensor is sparse_coo')
    """
    if x.layout is not torch.strided:
        return f"a tensor is {_name(x.layout)}"
    return "a tensor is nested" if x.is_nested else None


def is_fp32_on_gpu(x: Any) -> bool:
    """Return whether a setting of torch, which may have changed, decides about calls like an earlier one.

    >>> is_fp32_on_gpu(torch.ones(1))
    False
    """
    return x.dtype is torch.float32 and bool(x.is_cuda)


def allows_tf32(precision: str) -> bool:
    """Return whether torch allows TF32 in products or in convolutions.

    >>> allows_tf32(CUDNN) in (True, False)
    True
    """
    backends: Any = torch.backends
    try:
        return bool(backends.cuda.matmul.allow_tf32 if precision == MATMUL else backends.cudnn.allow_tf32)
    except RuntimeError:  # settings of torch 2.9's kind, which this question does not know
        return bool((backends.cuda.matmul if precision == MATMUL else backends.cudnn.conv).fp32_precision == "tf32")


def _why_dtype(dtype: torch.dtype) -> str:
    return f"the dtype is {_name(dtype)}; kernels take float32, float16 and bfloat16"


def _no_device(device: str) -> str:
    return f"the tensors are on {device}; kernels run on the CPU and on CUDA and ROCm GPUs"


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def reason_of(error: Exception) -> str:
    """Return the reason for which a call is left to torch, or raise the error in strict mode.

    >>> reason_of(SelectionError("no kernel is left"))
    'no kernel is left'
    """
    if default.default_dispatcher().settings.strict:
        raise error
    return error.message if isinstance(error, TilewrightError) else str(error).partition("\n")[0]

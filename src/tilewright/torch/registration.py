"""Registration of operators under `torch.ops.tilewright`.

`torch.library.Library.define` and `.impl` are used, not `custom_op`: its wrapper costs as much again as the kernel's
own call (measured in docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from ..model.dtype import dtype_of_name, numpy_dtype
from ..ops.gemm.problem import usual_out
from . import flops
from .ways import cast_all, refuse_gradient, transform_error

LIBRARY: Any = torch.library.Library("tilewright", "DEF")  # type: ignore[no-untyped-call]
DEVICES = ("CPU", "CUDA")
_AUTOCAST = {"cpu": torch._C.DispatchKey.AutocastCPU, "cuda": torch._C.DispatchKey.AutocastCUDA}
Kernel = Callable[..., Any]


def operator(
    schema: str,
    kernel: Kernel,
    shapes: Kernel,
    *,
    backward: Kernel | None = refuse_gradient,
    keep: Kernel | None = None,
    autocast: Kernel | None = cast_all,
) -> Any:
    """Define an operator and return it.

    `kernel` computes on memory, `shapes` makes empty results for tracing, `backward` the gradients from what `keep`
    saved; None for an operator that is not differentiated: it writes its arguments, or stands in graphs after autograd.
    `autocast` converts the arguments to a dtype where torch would convert those of its own operator.
    """
    name = schema.split("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for device in DEVICES:
        LIBRARY.impl(name, _without_tangents(kernel), device)
    torch.library.register_fake(f"tilewright::{name}", _without_tangents(shapes), lib=LIBRARY)
    if backward is not None:
        torch.library.register_autograd(f"tilewright::{name}", backward, setup_context=keep, lib=LIBRARY)
    LIBRARY.impl(name, _refuse_transform, "FuncTorchBatched")
    flops.register(name)
    found = getattr(torch.ops.tilewright, name).default
    if autocast is not None:
        for device in _AUTOCAST:
            LIBRARY.impl(name, _caster(found, device, autocast), f"Autocast{device.upper()}")
    return found


def result_dtype(like: torch.Tensor, usual: Callable[[str], str] = usual_out) -> torch.dtype:
    """Return the dtype that kernels give a result, for the `shapes` of an operator: narrow operands give a wider one.

    `usual` says it by our names of dtypes; that of products and convolutions, if it is omitted.

    >>> result_dtype(torch.ones(1, dtype=torch.int8)), result_dtype(torch.ones(1))
    (torch.int32, torch.float32)
    """
    name = usual(dtype_of_name(str(like.dtype).removeprefix("torch.")))
    found: torch.dtype = getattr(torch, numpy_dtype(name).name)
    return found


def scripts_as(function: Kernel, name: str) -> None:
    """Let `torch.jit.script` take a function that is in the place of torch's own for an operator of ATen."""
    builtins: Any = torch.jit._builtins
    builtins._builtin_ops.append((function, name))
    if builtins._builtin_table is not None:
        builtins._builtin_table[id(function)] = name


def _refuse_transform(*values: Any) -> Any:
    raise transform_error()


def _without_tangents(kernel: Kernel) -> Kernel:
    """Return a kernel that refuses forward mode: torch would take its result for one without a tangent."""

    def compute(*values: Any) -> Any:
        if forward_ad._current_level >= 0:
            raise transform_error()
        return kernel(*values)

    return compute


def _caster(found: Any, device: str, convert: Kernel) -> Kernel:
    """Return the operator behind a conversion of its arguments to the dtype of autocast."""
    keys = torch._C.DispatchKeySet(_AUTOCAST[device])

    def cast(*values: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return found(*convert(torch.get_autocast_dtype(device), values))

    return cast

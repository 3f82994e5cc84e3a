"""Packed B formats: the name of a panel layout decides whether a kernel may read it."""

from __future__ import annotations

from typing import Any

from ....errors import LaunchError, TensorError
from ....model.tensor import TensorView
from ....ops import get_op
from ....ops.gemm.signature import GemmSignature
from ....ops.tensors import ALIGNMENT
from .algorithm import CpuGemm

FORMAT_VERSION = 1  # raise it when the layout in panel.hpp changes: old packed weights are then refused by rule


def packed_format(signature: GemmSignature, algorithm: CpuGemm) -> str:
    """Return the packed format of B for kernels with this algorithm.

    It depends on how products are formed and on the panel width, not on cache blocks, so several kernels share it.

    >>> packed_format(GemmSignature("bf16", "bf16", "fp32", "bf16"), CpuGemm(inner="amx", nr=32))
    'cpu.v1.amx.bf16.nr32'
    """
    inner = "fma" if algorithm.inner == "portable" else algorithm.inner
    return f"cpu.v{FORMAT_VERSION}.{inner}.{signature.dtype_b}.nr{algorithm.nr}"


def panel_bytes(kernel: Any, n: int, k: int, batch: int = 1) -> int:
    """Return how many bytes the loaded kernel reads of a packed B of `batch` matrices [k, n]."""
    import ctypes

    from ....jit.launcher import new_args

    args = new_args(sizes=(0, n, k, batch), launch=(1, 1), strides=[])
    return _ask(kernel, "tw_pack_b_bytes", args, ctypes.c_int64)


def pack_b(kernel: Any, b: TensorView) -> Any:
    """Return the panels of one matrix [k, n], which the loaded kernel itself writes."""
    import ctypes

    from ....jit.launcher import new_args

    if len(b.shape) != 2:
        raise TensorError(f"b has shape {b.shape}; a kernel packs one [k, n] matrix", remedy="pack each matrix")
    k, n = b.shape
    slots = get_op("gemm").abi
    args = new_args(sizes=(0, n, k, 1), launch=(1, 1), strides=[(), (0, *b.strides)])
    storage = aligned_bytes(_ask(kernel, "tw_pack_b_bytes", args, ctypes.c_int64))
    args.tensors[slots.slot("b")] = b.address
    args.tensors[slots.slot("out")] = storage.__array_interface__["data"][0]
    if _ask(kernel, "tw_pack_b", args, ctypes.c_int) != 0:
        raise LaunchError(f"packing failed: {args.error.decode(errors='replace')}")
    return storage


def aligned_bytes(count: int) -> Any:
    """Return `count` bytes (as int8) on a cache-line boundary.

    >>> aligned_bytes(3).size
    3
    """
    import numpy as np

    raw = np.zeros(count + ALIGNMENT, np.int8)
    start = -raw.__array_interface__["data"][0] % ALIGNMENT
    return raw[start : start + count]


def _ask(kernel: Any, name: str, args: Any, result: Any) -> int:
    import ctypes

    from ....jit.launcher import TwArgs

    address = kernel.address(name)
    if address is None:
        raise LaunchError(f"kernel {kernel.path.name} exports no {name}", remedy="use a kernel that packs weights")
    return int(ctypes.CFUNCTYPE(result, ctypes.POINTER(TwArgs))(address)(ctypes.byref(args)))

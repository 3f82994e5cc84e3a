"""Packed B formats: the name of a panel layout decides whether a kernel may read it."""

from __future__ import annotations

from typing import Any

from ....errors import LaunchError
from ....ops.gemm.signature import GemmSignature
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

    from ....jit.loader import TwArgs, new_args

    address = kernel.address("tw_pack_b_bytes")
    if address is None:
        raise LaunchError(f"kernel {kernel.path.name} exports no tw_pack_b_bytes", remedy="build it again")
    args = new_args(sizes=(0, n, k, batch), launch=(1, 1), strides=[])
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(TwArgs))(address)(ctypes.byref(args)))

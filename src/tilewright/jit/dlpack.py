"""Tensors in GPU memory through DLPack: read the structure in the capsule, and keep the capsule as their owner."""

from __future__ import annotations

import ctypes
from typing import Any

from ..errors import TensorError
from ..model.tensor import TensorView

PLACES = {2: "cuda", 10: "hip"}  # DLDeviceType: kDLCUDA, kDLROCM
DTYPES = {
    (0, 8): "int8", (0, 32): "int32", (2, 16): "fp16", (2, 32): "fp32", (2, 64): "fp64", (4, 16): "bf16",
    (10, 8): "fp8", (11, 8): "fp8_fnuz", (12, 8): "bf8", (13, 8): "bf8_fnuz",
}  # fmt: skip


class _DLTensor(ctypes.Structure):
    """DLTensor of DLPack 0.x and 1.x."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def gpu_place(tensor: Any) -> str | None:
    """Return the place of a tensor in GPU memory, such as hip:0; None for any other tensor.

    >>> import numpy as np
    >>> gpu_place(np.zeros(2)) is None
    True
    """
    ask = getattr(tensor, "__dlpack_device__", None)
    kind, number = ask() if ask is not None else (1, 0)
    return f"{PLACES[int(kind)]}:{int(number)}" if int(kind) in PLACES else None


def gpu_view(tensor: Any, role: str, place: str) -> TensorView:
    """Return the view of a tensor that DLPack says is in GPU memory."""
    capsule = tensor.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    try:
        t = _DLTensor.from_address(get(capsule, b"dltensor"))
    except ValueError:
        raise TensorError(f"{role} ({type(tensor).__name__}) gives no DLPack capsule of a known kind") from None
    if t.ndim < 0 or (t.ndim and not t.shape):
        raise TensorError(f"{role} ({type(tensor).__name__}) has {t.ndim} dimensions in DLPack, and no sizes of them")
    dtype = DTYPES.get((t.code, t.bits)) if t.lanes == 1 else None
    if dtype is None:
        raise TensorError(f"{role} has the DLPack dtype ({t.code}, {t.bits} bits, {t.lanes} lanes), which is not known")
    shape = tuple(t.shape[: t.ndim]) if t.ndim else ()
    strides = tuple(t.strides[: t.ndim]) if t.ndim and t.strides else _dense(shape)
    return TensorView((t.data or 0) + t.byte_offset, dtype, shape, strides, place, False, capsule)


def _dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps, step = [], 1
    for n in reversed(shape):
        steps.append(step)
        step *= n
    return tuple(reversed(steps))

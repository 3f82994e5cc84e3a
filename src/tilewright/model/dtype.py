"""The dtype table: one entry per dtype, the only place that knows sizes, precisions and NumPy counterparts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError

if TYPE_CHECKING:
    import numpy as np

FLOAT64_REMEDY = "convert float64, NumPy's default, to float32: array.astype(np.float32)"
DTypeLike = Any  # a name such as "bf16" or "float16", or a dtype of NumPy or torch


@dataclass(frozen=True)
class DType:
    """One data type.

    `bits` is the storage of one element. `unit_roundoff` is half the distance from 1 to the next number (0 for
    integers, which are exact). `numpy` is the NumPy or ml_dtypes name, None if NumPy has no such type.
    """

    name: str
    bits: int
    kind: str  # "float" | "int"
    unit_roundoff: float
    max_value: float
    accumulator: str
    numpy: str | None
    default_out: str

    @property
    def bytes(self) -> float:
        """Bytes per element; 0.5 for the packed 4-bit types."""
        return self.bits / 8


def _float(name: str, bits: int, mantissa: int, top: float, numpy: str | None, out: str | None = None) -> DType:
    accumulator = "fp64" if name == "fp64" else "fp32"
    return DType(name, bits, "float", 2.0 ** -(mantissa + 1), top, accumulator, numpy, out or name)


def _int(name: str, bits: int, numpy: str | None) -> DType:
    return DType(name, bits, "int", 0.0, 2.0 ** (bits - 1) - 1, "int32", numpy, "int32")


# `mantissa` is the number of stored fraction bits.
DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        _float("fp64", 64, 52, 1.7976931348623157e308, "float64"),
        _float("fp32", 32, 23, 3.4028234663852886e38, "float32"),
        _float("fp16", 16, 10, 65504.0, "float16"),
        _float("bf16", 16, 7, 3.3895313892515355e38, "bfloat16"),
        _float("fp8", 8, 3, 448.0, "float8_e4m3fn", "fp16"),
        _float("bf8", 8, 2, 57344.0, "float8_e5m2", "fp16"),
        _float("fp8_fnuz", 8, 3, 240.0, "float8_e4m3fnuz", "fp16"),
        _float("bf8_fnuz", 8, 2, 57344.0, "float8_e5m2fnuz", "fp16"),
        _float("pk_fp4", 4, 1, 6.0, None, "fp16"),
        _int("int32", 32, "int32"),
        _int("int8", 8, "int8"),
        _int("int4", 4, None),
    )
}
BYTES = {name: dtype.bytes for name, dtype in DTYPES.items()}  # faster than a property of a dtype


def get_dtype(name: str) -> DType:
    """Return the dtype called `name`.

    >>> get_dtype("bf16").bits
    16
    """
    try:
        return DTYPES[name]
    except (KeyError, TypeError):
        raise UnknownNameError("dtype", name, DTYPES) from None


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return the NumPy dtype that stores `name` (ml_dtypes supplies bf16 and the 8-bit floats).

    >>> numpy_dtype("fp16").name
    'float16'
    """
    import numpy as np

    numpy_name = get_dtype(name).numpy
    if numpy_name is None:
        raise UnknownNameError("NumPy-representable dtype", name, [d for d in DTYPES if DTYPES[d].numpy])
    if hasattr(np, numpy_name):
        return np.dtype(numpy_name)
    import ml_dtypes  # only if needed: NumPy has no such type

    return np.dtype(getattr(ml_dtypes, numpy_name))


@cache
def dtype_of_numpy(dtype: np.dtype[Any]) -> str:
    """Return our name of a NumPy dtype.

    >>> import numpy as np
    >>> dtype_of_numpy(np.dtype("float32"))
    'fp32'
    """
    return dtype_of_name(str(dtype))


def dtype_of_name(numpy_name: str) -> str:
    """Return our name of a dtype as NumPy, ml_dtypes and torch spell it.

    >>> dtype_of_name("float8_e4m3fn")
    'fp8'
    """
    name = _BY_NUMPY.get(numpy_name)
    if name is None:
        raise UnknownNameError("tensor dtype", numpy_name, _BY_NUMPY)
    return name


def dtype_name(dtype: DTypeLike) -> str:
    """Return our name of a dtype that a caller gives: a name, a dtype or scalar type of NumPy, a dtype of torch.

    >>> import numpy as np
    >>> dtype_name("bf16"), dtype_name("float16"), dtype_name(np.float32), dtype_name(np.dtype("int8"))
    ('bf16', 'fp16', 'fp32', 'int8')
    """
    name = dtype
    if isinstance(dtype, type) or type(dtype).__module__.split(".")[0] == "numpy":
        import numpy as np

        with suppress(TypeError):  # a class that is no scalar type
            name = np.dtype(dtype).name
    elif type(dtype).__module__ == "torch":
        name = str(dtype).removeprefix("torch.")
    if not isinstance(name, str):
        raise UnknownNameError("dtype", name, DTYPES)
    return _BY_NUMPY.get(name) or get_dtype(name).name


_BY_NUMPY = {d.numpy: name for name, d in DTYPES.items() if d.numpy}

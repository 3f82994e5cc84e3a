"""Narrow types: floats accumulate in fp32, int8 in int32. `out_dtype` names another output.

Prints:
    float32 -> float32
    bfloat16 -> bfloat16
    float16 -> float16
    int8 -> int32
    bfloat16 -> float32 with out_dtype="fp32"
"""

import ml_dtypes
import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a, b = (rng.integers(-3, 4, shape) for shape in ((64, 96), (96, 32)))  # small integers: exact in every type
exact = a @ b
for dtype in (np.float32, ml_dtypes.bfloat16, np.float16, np.int8):
    c = tw.gemm(a.astype(dtype), b.astype(dtype))
    assert np.array_equal(c.astype(np.float64), exact.astype(c.dtype).astype(np.float64))
    print(f"{np.dtype(dtype).name} -> {c.dtype.name}")
wide = tw.gemm(a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16), out_dtype="fp32")
assert np.array_equal(wide, exact)
print(f'bfloat16 -> {wide.dtype.name} with out_dtype="fp32"')

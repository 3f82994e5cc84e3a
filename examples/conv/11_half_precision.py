"""bf16 in, sums in fp32, bf16 or fp32 out.

Prints:
    bfloat16 -> bfloat16, error below 1%: True
    bfloat16 -> float32, error below 1%: True
"""

import ml_dtypes
import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32).astype(ml_dtypes.bfloat16)
w = rng.standard_normal((16, 16, 3, 3), dtype=np.float32).astype(ml_dtypes.bfloat16)
expected = tw.conv(x.astype(np.float32), w.astype(np.float32), padding=1)
for name in ("bf16", "fp32"):
    y = tw.conv(x, w, padding=1, out_dtype=name)
    error = np.linalg.norm(y.astype(np.float32) - expected) / np.linalg.norm(expected)
    print(f"{x.dtype} -> {y.dtype}, error below 1%: {bool(error < 0.01)}")

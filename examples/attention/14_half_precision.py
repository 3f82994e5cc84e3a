"""bf16 and fp16: products of the narrow type, sums and softmax in fp32.

Prints:
    bfloat16 error below 0.02: True
    float16  error below 0.002: True
"""

import ml_dtypes
import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
expected = tw.attention(q, k, v)
for dtype, bound in ((ml_dtypes.bfloat16, 2e-2), (np.float16, 2e-3)):
    out = tw.attention(*(x.astype(dtype) for x in (q, k, v)))
    assert out.dtype == dtype
    error = np.abs(out.astype(np.float32) - expected).max()
    print(f"{np.dtype(dtype).name:8} error below {bound}: {bool(error < bound)}")

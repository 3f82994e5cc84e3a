"""8-bit floats with a factor for each of q, k and v.

Prints:
    operands float8_e4m3fn, out float16
    largest error below 0.1: True
"""

import ml_dtypes
import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
wide = [rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3)]
scales = [np.float32(np.abs(x).max() / 448) for x in wide]  # 448 is the largest fp8
narrow = [(x / s).astype(ml_dtypes.float8_e4m3fn) for x, s in zip(wide, scales, strict=True)]

out = tw.attention(*narrow, out=np.empty((2, 48, 4, 64), np.float16), scales=[np.array([s]) for s in scales])
print(f"operands {narrow[0].dtype}, out {out.dtype}")
print("largest error below 0.1:", bool(np.abs(out - tw.attention(*wide)).max() < 0.1))

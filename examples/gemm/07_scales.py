"""Quantised products: int8 with a factor for each row of A and each column of B, applied in the kernel.

Prints:
    int8 by int8 -> float32
    relative error of the whole below 1%: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((64, 256), (256, 48)))
scale_a = (np.abs(a).max(axis=1) / 127).astype(np.float32)  # one for each row
scale_b = (np.abs(b).max(axis=0) / 127).astype(np.float32)  # one for each column
small_a = np.rint(a / scale_a[:, None]).astype(np.int8)
small_b = np.rint(b / scale_b).astype(np.int8)

c = tw.gemm(small_a, small_b, scale_a=scale_a, scale_b=scale_b, out_dtype="fp32")
print(f"{small_a.dtype} by {small_b.dtype} -> {c.dtype}")
print("relative error of the whole below 1%:", bool(np.linalg.norm(c - a @ b) < 0.01 * np.linalg.norm(a @ b)))

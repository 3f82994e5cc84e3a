"""Many products in one call: [batch, m, k] by [batch, k, n], or by one [k, n] for all.

Prints:
    (8, 32, 64) @ (8, 64, 48) -> (8, 32, 48)
    the same as NumPy: True
    one weight for all: (8, 32, 48), the same as NumPy: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a = rng.standard_normal((8, 32, 64), dtype=np.float32)
b = rng.standard_normal((8, 64, 48), dtype=np.float32)

c = tw.gemm(a, b)
print(f"{a.shape} @ {b.shape} -> {c.shape}")
print("the same as NumPy:", np.allclose(c, a @ b, atol=1e-3))
shared = tw.gemm(a, b[0])
print(f"one weight for all: {shared.shape}, the same as NumPy: {np.allclose(shared, a @ b[0], atol=1e-3)}")

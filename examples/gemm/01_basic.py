"""Multiply two matrices. The kernel is chosen, compiled once and kept; the next call just runs it.

Prints:
    c (512, 128) float32
    the same as NumPy: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
a = rng.standard_normal((512, 256), dtype=np.float32)
b = rng.standard_normal((256, 128), dtype=np.float32)

c = tw.gemm(a, b)
print("c", c.shape, c.dtype)
print("the same as NumPy:", np.allclose(c, a @ b, rtol=1e-4, atol=1e-3))

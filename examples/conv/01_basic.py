"""A 2D convolution on NumPy arrays, in torch's shapes.

Prints:
    (2, 16, 14, 14) by (16, 16, 3, 3) -> (2, 16, 14, 14)
    one output is the sum over its window: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)  # n, c, h, w
w = rng.standard_normal((16, 16, 3, 3), dtype=np.float32)  # k, c, y, x

y = tw.conv(x, w, padding=1)
print(f"{x.shape} by {w.shape} -> {y.shape}")
window = x[1, :, 3:6, 4:7]  # around row 4, column 5
print("one output is the sum over its window:", np.isclose(y[1, 7, 4, 5], (window * w[7]).sum(), atol=1e-4))

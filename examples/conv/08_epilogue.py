"""Bias, residual and activation in the kernel of the convolution.

Prints:
    relu(conv + bias + residual): True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)
w = rng.standard_normal((16, 16, 3, 3), dtype=np.float32)
bias = rng.standard_normal(16, dtype=np.float32)

y = tw.conv(x, w, bias=bias, d=x, activation="relu", padding=1)  # d: a tensor like the output
expected = np.maximum(tw.conv(x, w, padding=1) + bias[:, None, None] + x, 0)
print("relu(conv + bias + residual):", np.allclose(y, expected, atol=1e-4))

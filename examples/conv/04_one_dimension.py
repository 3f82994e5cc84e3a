"""One dimension: a smoothing filter over the signals of several channels.

Prints:
    (1, 8, 20) -> (1, 8, 20)
    the same as NumPy's convolve: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((1, 8, 20), dtype=np.float32)  # n, c, length
smooth = np.eye(8, dtype=np.float32)[:, :, None] * np.array([0.25, 0.5, 0.25], np.float32)  # each channel for itself

y = tw.conv(x, smooth, padding=1)
print(f"{x.shape} -> {y.shape}")
expected = [np.convolve(row, [0.25, 0.5, 0.25], mode="same") for row in x[0]]
print("the same as NumPy's convolve:", np.allclose(y[0], expected, atol=1e-5))

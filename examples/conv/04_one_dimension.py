"""One dimension: a moving average of each channel.

Prints:
    (1, 4, 20) -> (1, 4, 16)
    the same as NumPy's convolve: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((1, 4, 20), dtype=np.float32)
window = np.full((4, 1, 5), 0.2, np.float32)

y = tw.conv(x, window, groups=4)
print(f"{x.shape} -> {y.shape}")
expected = [np.convolve(row, window[0, 0], mode="valid") for row in x[0]]
print("the same as NumPy's convolve:", np.allclose(y[0], expected, atol=1e-5))

"""Stride, dilation and padding, also different on the two sides: a causal filter over time.

Prints:
    dilation 2, padded by 4 before and 0 after: (1, 8, 20) -> (1, 8, 20)
    the past does not change with the last value: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((1, 8, 20), dtype=np.float32)
w = rng.standard_normal((8, 8, 3), dtype=np.float32)

y = tw.conv(x, w, dilation=2, padding=[(4, 0)])
print(f"dilation 2, padded by 4 before and 0 after: {x.shape} -> {y.shape}")
x[:, :, -1] += 1
changed = (tw.conv(x, w, dilation=2, padding=[(4, 0)]) != y).any(axis=(0, 1))
print("the past does not change with the last value:", np.flatnonzero(changed).tolist() == [19])

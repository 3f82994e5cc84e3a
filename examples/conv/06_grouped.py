"""Grouped convolution: each group of channels has filters of its own, as in ResNeXt.

Prints:
    16 channels in 4 groups: weight (16, 4, 3, 3)
    the same as a dense filter with zeros between the groups: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 16, 14, 14), dtype=np.float32)
w = rng.standard_normal((16, 4, 3, 3), dtype=np.float32)  # k, c / groups, y, x

y = tw.conv(x, w, groups=4, padding=1)
print(f"16 channels in 4 groups: weight {w.shape}")
dense = np.zeros((16, 16, 3, 3), np.float32)
for g in range(4):
    dense[4 * g : 4 * g + 4, 4 * g : 4 * g + 4] = w[4 * g : 4 * g + 4]
same = np.allclose(y, tw.conv(x, dense, padding=1), atol=1e-4)
print("the same as a dense filter with zeros between the groups:", same)

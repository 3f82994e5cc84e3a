"""Grouped convolution: each group of channels has filters of its own, as in ResNeXt.

Prints:
    32 channels in 8 groups: weight (32, 4, 3, 3)
    each group as if it were alone: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 32, 14, 14), dtype=np.float32)
w = rng.standard_normal((32, 4, 3, 3), dtype=np.float32)  # k, c / groups, y, x

y = tw.conv(x, w, groups=8, stride=2, padding=1)
print(f"32 channels in 8 groups: weight {w.shape}")
alone = [tw.conv(x[:, 4 * g : 4 * g + 4], w[4 * g : 4 * g + 4], stride=2, padding=1) for g in range(8)]
print("each group as if it were alone:", np.allclose(y, np.concatenate(alone, axis=1), atol=1e-4))

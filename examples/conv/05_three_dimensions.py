"""Three dimensions, as for video or volumes.

Prints:
    (1, 16, 4, 14, 14) -> (1, 16, 4, 14, 14)
    a filter with one time step is a 2D convolution of each frame: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((1, 16, 4, 14, 14), dtype=np.float32)  # n, c, d, h, w
w = rng.standard_normal((16, 16, 3, 3, 3), dtype=np.float32)
print(f"{x.shape} -> {tw.conv(x, w, padding=1).shape}")

flat = w[:, :, 1:2]
frames = [tw.conv(x[:, :, t], flat[:, :, 0], padding=1) for t in range(4)]
same = np.allclose(tw.conv(x, flat, padding=(0, 1, 1)), np.stack(frames, axis=2), atol=1e-4)
print("a filter with one time step is a 2D convolution of each frame:", same)

"""Layouts: torch's shapes over any memory, or the axes of the layout with the groups apart.

Prints:
    nhwgc: (2, 14, 14, 4, 4) by (4, 4, 3, 3, 4) -> (2, 14, 14, 4, 4)
    ngchw: (2, 4, 4, 14, 14) by (4, 4, 4, 3, 3) -> (2, 4, 4, 14, 14)
    the same result: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
x = rng.standard_normal((2, 14, 14, 4, 4), dtype=np.float32)  # n, h, w, g, c/g
w = rng.standard_normal((4, 4, 3, 3, 4), dtype=np.float32)  # g, k/g, y, x, c/g
last = tw.conv(x, w, layout="nhwgc", groups=4, padding=1)
print(f"nhwgc: {x.shape} by {w.shape} -> {last.shape}")

x, w = np.ascontiguousarray(x.transpose(0, 3, 4, 1, 2)), np.ascontiguousarray(w.transpose(0, 1, 4, 2, 3))
first = tw.conv(x, w, layout="ngchw", groups=4, padding=1)
print(f"ngchw: {x.shape} by {w.shape} -> {first.shape}")
print("the same result:", np.allclose(first.transpose(0, 3, 4, 1, 2), last, atol=1e-4))

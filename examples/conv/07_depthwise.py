"""Depthwise convolution: one filter for each channel, with kernels of their own.

Prints:
    depthwise: (2, 32, 14, 14) -> (2, 32, 14, 14)
    channels-last: conv_..., channels-first: conv_...
    the same result: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
first = rng.standard_normal((2, 32, 14, 14), dtype=np.float32)
w = rng.standard_normal((32, 1, 3, 3), dtype=np.float32)
last = np.ascontiguousarray(first.transpose(0, 2, 3, 1)).transpose(
    0, 3, 1, 2
)  # same shape, channels innermost in memory

y, z = tw.conv(last, w, groups=32, padding=1), tw.conv(first, w, groups=32, padding=1)
size = {"direction": "forward", "n": 2, "g": 32, "c": 32, "k": 32, "input": [14, 14], "filter": [3, 3], "pad": 1}
names = []
for layout in ("nhwgc", "ngchw"):
    problem = tw.problem_from_dict({"op": "grouped_conv", **size, "dtype": "fp32", "layout": layout})
    names.append(tw.Dispatcher().explain(problem).chosen.candidate.spec.name)
print(f"depthwise: {first.shape} -> {y.shape}")
print(f"channels-last: {names[0]}, channels-first: {names[1]}")
print("the same result:", np.allclose(y, z, atol=1e-4))

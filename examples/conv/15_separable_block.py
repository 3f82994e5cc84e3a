"""A depthwise separable block: depthwise 3x3, then pointwise 1x1 with bias and activation fused, and a gradient.

Prints:
    (2, 32, 14, 14) -> (2, 32, 14, 14) -> (2, 64, 14, 14)
    the same as NumPy: True
    the gradient of the input is (2, 32, 14, 14)
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
# Channels-last memory viewed in torch's order (n, c, h, w); `transpose` copies nothing.
x = rng.standard_normal((2, 14, 14, 32), dtype=np.float32).transpose(0, 3, 1, 2)
depthwise = rng.standard_normal((32, 1, 3, 3), dtype=np.float32)
pointwise = rng.standard_normal((64, 1, 1, 32), dtype=np.float32).transpose(0, 3, 1, 2)
bias = rng.standard_normal(64, dtype=np.float32)

hidden = tw.conv(x, depthwise, groups=32, padding=1)
y = tw.conv(hidden, pointwise, bias=bias, activation="relu")
expected = np.einsum("nchw,kc->nkhw", hidden, pointwise[:, :, 0, 0]) + bias[:, None, None]
print(f"{x.shape} -> {hidden.shape} -> {y.shape}")
print("the same as NumPy:", np.allclose(y, np.maximum(expected, 0), rtol=1e-3, atol=1e-3))

grad = tw.conv_backward_data(np.ones_like(hidden), depthwise, (14, 14), groups=32, padding=1)
print("the gradient of the input is", grad.shape)

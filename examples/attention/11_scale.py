"""The factor of the logits: 1 / sqrt(hdim) unless you name another.

Prints:
    scale=0.125 is the default of hdim 64: True
    scale=0 makes every row the mean of the values: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
out = tw.attention(q, k, v)

print("scale=0.125 is the default of hdim 64:", np.allclose(tw.attention(q, k, v, scale=0.125), out, atol=1e-5))
mean = np.broadcast_to(v.mean(axis=1, keepdims=True), v.shape)
print("scale=0 makes every row the mean of the values:", np.allclose(tw.attention(q, k, v, scale=0.0), mean, atol=1e-5))

"""ALiBi: each head lowers a logit in proportion to the distance between row and key, with a slope of its own.

Prints:
    the same as the bias -slope * distance: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
slopes = (2.0 ** -np.arange(2, 10, 2)).astype(np.float32)  # one for each head

out = tw.attention(q, k, v, alibi_slopes=slopes, causal=True, align="top_left")

distance = np.abs(np.arange(48)[:, None] - np.arange(48)[None, :])
bias = (-slopes[:, None, None] * distance).astype(np.float32)[None]  # the whole matrix, which ALiBi does not need
expected = tw.attention(q, k, v, bias=bias, causal=True, align="top_left")
print("the same as the bias -slope * distance:", np.allclose(out, expected, atol=1e-5))

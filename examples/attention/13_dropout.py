"""Dropout: the seed is the mask. The same seed drops the same weights, in every pass and on every device.

Prints:
    the same seed drops the same weights: True
    another seed drops others: True
    dropped: 25% of the weights, the others are divided by 0.75: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
first, again, other = (tw.attention(q, k, v, dropout=0.25, rng=seed) for seed in ((1, 2, 3), (1, 2, 3), (1, 2, 4)))
print("the same seed drops the same weights:", np.allclose(first, again, atol=1e-5))
print("another seed drops others:", not np.allclose(first, other, atol=1e-5))

n = 64  # all logits 0, value j is column j: the result is the matrix of weights, each 1 / 64 before dropout
q, k = (np.zeros((8, n, 4, n), np.float32) for _ in range(2))
v = np.broadcast_to(np.eye(n, dtype=np.float32)[None, :, None], q.shape).copy()
weights = tw.attention(q, k, v, dropout=0.25, rng=(1, 2, 3))
scaled = np.allclose(weights[weights > 0], 1 / 64 / 0.75)
print(f"dropped: {(weights == 0).mean():.0%} of the weights, the others are divided by 0.75: {scaled}")

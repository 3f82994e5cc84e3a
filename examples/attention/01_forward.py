"""Attention on NumPy arrays, compared with its formula.

Prints:
    out (2, 48, 4, 64) float32
    largest difference from softmax(q k^T / sqrt(64)) v below 1e-5: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))  # batch, rows, heads, hdim

out = tw.attention(q, k, v)

logits = np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(64)
weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
expected = np.einsum("bhij,bjhd->bihd", weights / weights.sum(axis=-1, keepdims=True), v)
print("out", out.shape, out.dtype)
print("largest difference from softmax(q k^T / sqrt(64)) v below 1e-5:", bool(np.abs(out - expected).max() < 1e-5))

"""Gradients with fewer heads of keys: each is the sum over the query heads that share it.

Prints:
    dk (2, 48, 2, 64) of k (2, 48, 2, 64)
    the sum over the heads that share it: True
    the same bits every time: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, dout = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(2))
k, v = (rng.standard_normal((2, 48, 2, 64), dtype=np.float32) for _ in range(2))


def gradient(k: np.ndarray, v: np.ndarray, out: np.ndarray, lse: np.ndarray) -> np.ndarray:
    """Return the gradient of k."""
    return tw.attention_backward(dout, q, k, v, out, lse, deterministic=True)[1]


forward = tw.attention(q, k, v, return_lse=True)
dk = gradient(k, v, *forward)
k2, v2 = k.repeat(2, axis=2), v.repeat(2, axis=2)
repeated = gradient(k2, v2, *tw.attention(q, k2, v2, return_lse=True)).reshape(2, 48, 2, 2, 64).sum(axis=3)
print(f"dk {dk.shape} of k {k.shape}")
print("the sum over the heads that share it:", np.allclose(dk, repeated, atol=1e-5))
print("the same bits every time:", np.array_equal(dk, gradient(k, v, *forward)))

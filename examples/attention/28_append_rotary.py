"""Append with rotary embedding: new keys, and the queries that go with them, are rotated by their positions.

Prints:
    a rotation keeps the length of each key: True
    the angle at position 7 is 7 times that at position 1: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
angles = np.arange(16)[:, None] * 0.1 ** (np.arange(32) / 8)[None]  # positions, rotary_dim / 2
cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
cache = [np.zeros((2, 16, 2, 64), np.float32) for _ in range(2)]
k_new, v_new = (rng.standard_normal((2, 1, 2, 64), dtype=np.float32) for _ in range(2))
q = rng.standard_normal((2, 1, 4, 64), dtype=np.float32)
lengths = np.array([1, 7], np.int32)
k_new[1] = k_new[0]

rotated = tw.append_kv(*cache, k_new, v_new, lengths, q=q, cos=cos, sin=sin)
assert rotated.shape == q.shape
keys = cache[0][np.arange(2), lengths]  # the new one of each sequence
norms = [np.linalg.norm(x, axis=-1) for x in (keys, k_new[:, 0])]
print("a rotation keeps the length of each key:", np.allclose(*norms))

as_complex = keys[..., :32] + 1j * keys[..., 32:]  # rope="half" rotates column i with column i + 32
given = k_new[:, 0, :, :32] + 1j * k_new[:, 0, :, 32:]
turn = as_complex / given
print("the angle at position 7 is 7 times that at position 1:", np.allclose(turn[1], turn[0] ** 7, atol=1e-3))

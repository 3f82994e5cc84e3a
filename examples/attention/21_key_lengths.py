"""Padded sequences: `seqlens_k` says how many keys of each are real.

Prints:
    sequence 0: 30 keys, sequence 1: 48 keys
    what stands behind the end does not matter: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
lengths = np.array([30, 48], np.int32)
k[0, 30:], v[0, 30:] = np.nan, np.nan  # padding

out = tw.attention(q, k, v, seqlens_k=lengths)
short = tw.attention(q[:1], k[:1, :30], v[:1, :30])
print(f"sequence 0: {lengths[0]} keys, sequence 1: {lengths[1]} keys")
print("what stands behind the end does not matter:", np.allclose(out[:1], short, atol=1e-6))

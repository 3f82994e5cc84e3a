"""Grouped-query attention: two heads of keys serve four heads of queries. Nothing is repeated in memory.

Prints:
    q (2, 48, 4, 64), k and v (2, 48, 2, 64) -> (2, 48, 4, 64)
    the same as with repeated heads: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q = rng.standard_normal((2, 48, 4, 64), dtype=np.float32)
k, v = (rng.standard_normal((2, 48, 2, 64), dtype=np.float32) for _ in range(2))

out = tw.attention(q, k, v)
repeated = tw.attention(q, k.repeat(2, axis=2), v.repeat(2, axis=2))
print(f"q {q.shape}, k and v {k.shape} -> {out.shape}")
print("the same as with repeated heads:", np.allclose(out, repeated, atol=1e-6))

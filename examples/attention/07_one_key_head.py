"""Multi-query attention: one head of keys serves all heads of queries.

Prints:
    q (2, 48, 4, 64), k and v (2, 48, 1, 64) -> (2, 48, 4, 64)
    each head as if it were alone: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q = rng.standard_normal((2, 48, 4, 64), dtype=np.float32)
k, v = (rng.standard_normal((2, 48, 1, 64), dtype=np.float32) for _ in range(2))

out = tw.attention(q, k, v)
alone = [tw.attention(q[:, :, h : h + 1], k, v) for h in range(4)]
print(f"q {q.shape}, k and v {k.shape} -> {out.shape}")
print("each head as if it were alone:", np.allclose(out, np.concatenate(alone, axis=2), atol=1e-6))

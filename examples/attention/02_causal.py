"""Causal attention: a row sees the keys up to its own, and no later one.

Prints:
    rows that changed with the last key: [47]
    row 0 is the first value: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((1, 48, 4, 64), dtype=np.float32) for _ in range(3))
out = tw.attention(q, k, v, causal=True)

other = k.copy()
other[:, -1] += 1
changed = ~np.isclose(tw.attention(q, other, v, causal=True), out, atol=1e-4).all(axis=(0, 2, 3))
print("rows that changed with the last key:", np.flatnonzero(changed).tolist())
print("row 0 is the first value:", np.allclose(out[:, 0], v[:, 0]))

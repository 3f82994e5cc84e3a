"""Heads before rows, as torch has them: layout="bhsd".

Prints:
    (2, 4, 48, 64) -> (2, 4, 48, 64)
    the same as batch, rows, heads, hdim: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 4, 48, 64), dtype=np.float32) for _ in range(3))

out = tw.attention(q, k, v, layout="bhsd", causal=True)
other = tw.attention(*(x.swapaxes(1, 2) for x in (q, k, v)), causal=True)
print(f"{q.shape} -> {out.shape}")
print("the same as batch, rows, heads, hdim:", np.allclose(out, other.swapaxes(1, 2), atol=1e-6))

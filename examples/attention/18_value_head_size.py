"""Values with another head size than queries and keys, as in multi-head latent attention.

Prints:
    q and k 192 wide, v 128 wide -> (2, 48, 4, 128)
    the same as with zeros behind the values: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k = (rng.standard_normal((2, 48, 4, 192), dtype=np.float32) for _ in range(2))
v = rng.standard_normal((2, 48, 4, 128), dtype=np.float32)

out = tw.attention(q, k, v)
padded = tw.attention(q, k, np.concatenate([v, np.zeros_like(v[..., :64])], axis=-1))
print(f"q and k {q.shape[-1]} wide, v {v.shape[-1]} wide -> {out.shape}")
print("the same as with zeros behind the values:", np.allclose(out, padded[..., :128], atol=1e-6))

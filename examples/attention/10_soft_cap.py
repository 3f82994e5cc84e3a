"""A soft cap bounds the logits: cap * tanh(logit / cap).

Prints:
    cap 1e6 changes nothing: True
    one large logit: weight 1.000 without a cap, 0.065 with cap 1
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
print("cap 1e6 changes nothing:", np.allclose(tw.attention(q, k, v, soft_cap=1e6), tw.attention(q, k, v), atol=1e-4))

q, k, v = np.ones((1, 1, 1, 64), np.float32), np.zeros((1, 40, 1, 64), np.float32), np.zeros((1, 40, 1, 64), np.float32)
k[:, 0], v[:, 0] = 10.0, 1.0  # the first logit is 80, the other 39 are 0
free, capped = (float(tw.attention(q, k, v, soft_cap=cap)[0, 0, 0, 0]) for cap in (0.0, 1.0))
print(f"one large logit: weight {free:.3f} without a cap, {capped:.3f} with cap 1")

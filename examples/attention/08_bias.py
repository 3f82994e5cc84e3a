"""An additive bias on the logits, shared by all sequences or with its own values for each.

Prints:
    one bias for all: (1, 4, 48, 48); one for each sequence: (2, 4, 48, 48)
    the first sequence is the same: True
    a bias of -inf hides a key: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
each = rng.standard_normal((2, 4, 48, 48), dtype=np.float32)  # batch, heads, rows, keys
shared = each[:1]

out, alike = tw.attention(q, k, v, bias=each), tw.attention(q, k, v, bias=shared)
print(f"one bias for all: {shared.shape}; one for each sequence: {each.shape}")
print("the first sequence is the same:", np.allclose(out[0], alike[0], atol=1e-6))

hidden = np.zeros((1, 4, 48, 48), np.float32)
hidden[..., 5] = -np.inf
kept = np.arange(48) != 5
without = tw.attention(q, k[:, kept], v[:, kept])
print("a bias of -inf hides a key:", np.allclose(tw.attention(q, k, v, bias=hidden), without, atol=1e-5))

"""The log-sum-exp of each row, and what it is for: results over parts of the keys can be merged exactly.

Prints:
    out (2, 48, 4, 64), lse (2, 4, 48)
    two halves of the keys, merged by their lse, give the whole: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 48, 4, 64), dtype=np.float32) for _ in range(3))
out, lse = tw.attention(q, k, v, return_lse=True)
print(f"out {out.shape}, lse {lse.shape}")

parts = [tw.attention(q, k[:, part], v[:, part], return_lse=True) for part in (slice(0, 20), slice(20, 48))]
shares = [np.exp(part_lse - lse).transpose(0, 2, 1)[..., None] for _, part_lse in parts]  # batch, rows, heads, 1
merged = sum(share * part_out for share, (part_out, _) in zip(shares, parts, strict=True))
print("two halves of the keys, merged by their lse, give the whole:", np.allclose(merged, out, atol=1e-5))

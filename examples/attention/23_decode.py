"""Decoding: the newest row of each sequence against a cache of all keys so far.

Prints:
    q (2, 1, 4, 64) over caches of 33 and 48 keys -> (2, 1, 4, 64)
    the last row of causal attention over the whole sequence: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
capacity, lengths = 64, np.array([33, 48], np.int32)  # the new rows' own keys included
queries = rng.standard_normal((2, capacity, 4, 64), dtype=np.float32)
k_cache, v_cache = (rng.standard_normal((2, capacity, 2, 64), dtype=np.float32) for _ in range(2))

q = queries[np.arange(2), lengths - 1][:, None]
out = tw.attention_decode(q, k_cache, v_cache, lengths)
print(f"q {q.shape} over caches of {lengths[0]} and {lengths[1]} keys -> {out.shape}")

whole = [tw.attention(*(x[i : i + 1, :n] for x in (queries, k_cache, v_cache)), causal=True)[0, -1]
         for i, n in enumerate(lengths)]  # fmt: skip
print("the last row of causal attention over the whole sequence:", np.allclose(out[:, 0], whole, atol=1e-5))

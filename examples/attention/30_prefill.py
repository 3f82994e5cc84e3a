"""Prefill: prompts of several lengths over paged caches, one of them behind a prefix that is cached already.

Prints:
    prompts of 20 and 5 rows over 20 and 43 keys -> (25, 4, 64)
    the last row of the second prompt is a decoding step: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q = rng.standard_normal((25, 4, 64), dtype=np.float32)
pages = [rng.standard_normal((6, 16, 2, 64), dtype=np.float32) for _ in range(2)]
table = np.array([[5, 0, 3], [1, 4, 2]], np.int32)
ends, lengths = np.array([0, 20, 25], np.int32), np.array([20, 43], np.int32)  # 38 keys of sequence 1 are its prefix

out = tw.attention_prefill(q, *pages, ends, 20, lengths, page_table=table)
print(f"prompts of 20 and 5 rows over {lengths[0]} and {lengths[1]} keys -> {out.shape}")

last = tw.attention_decode(q[None, -1:], *pages, lengths[1:], page_table=table[1:])
print("the last row of the second prompt is a decoding step:", np.allclose(out[-1], last[0, 0], atol=1e-5))

"""Decoding over pages: a table names the pages of each sequence, as in vLLM.

Prints:
    6 pages of 16 keys; sequence 0 has the pages [5, 0, 3], sequence 1 [1, 4, 2]
    the same as a cache without pages: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q = rng.standard_normal((2, 1, 4, 64), dtype=np.float32)
pages = [rng.standard_normal((6, 16, 2, 64), dtype=np.float32) for _ in range(2)]  # pages, slots, heads, hdim
table = np.array([[5, 0, 3], [1, 4, 2]], np.int32)
lengths = np.array([33, 48], np.int32)

out = tw.attention_decode(q, *pages, lengths, page_table=table)
print(f"6 pages of 16 keys; sequence 0 has the pages {table[0].tolist()}, sequence 1 {table[1].tolist()}")

flat = [p[table].reshape(2, 48, 2, 64) for p in pages]
print("the same as a cache without pages:", np.allclose(out, tw.attention_decode(q, *flat, lengths), atol=1e-6))

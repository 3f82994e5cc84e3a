"""Decoding over pages in one list with offsets, as in SGLang.

Prints:
    pages [5, 0, 3, 1, 4]; sequence 1 begins at 3 and fills 9 slots of its last page
    the same as with a table: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
q = rng.standard_normal((2, 1, 4, 64), dtype=np.float32)
pages = [rng.standard_normal((6, 16, 2, 64), dtype=np.float32) for _ in range(2)]

indices, starts, last = (np.array(x, np.int32) for x in ([5, 0, 3, 1, 4], [0, 3, 5], [1, 9]))
out = tw.attention_decode(q, *pages, page_table=indices, page_indptr=starts, last_page_lens=last, max_seqlen_k=48)
print(f"pages {indices.tolist()}; sequence 1 begins at {starts[1]} and fills {last[1]} slots of its last page")

table, lengths = np.array([[5, 0, 3], [1, 4, 0]], np.int32), np.array([33, 25], np.int32)
expected = tw.attention_decode(q, *pages, lengths, page_table=table)
print("the same as with a table:", np.allclose(out, expected, atol=1e-6))

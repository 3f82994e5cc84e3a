"""Causal attention with more keys than rows: which key is a row's own?

By default the last row is at the last key, as in decoding. With align="top_left" the first row is at the first key.

Prints:
    bottom_right: row 0 sees 41 of 48 keys, row 7 sees 48
    top_left: row 0 sees 1 of 48 keys, row 7 sees 8
"""

import numpy as np

import tilewright as tw

rows, keys = 8, 48
q = np.zeros((1, rows, 4, 64), np.float32)  # all logits are 0: a row is the mean of the values that it sees
k = np.zeros((1, keys, 4, 64), np.float32)
v = np.zeros((1, keys, 4, 64), np.float32)
v[:, 0] = 1.0  # every row sees the first key, so it gives 1 / (the number of keys it sees)

for align in ("bottom_right", "top_left"):
    seen = np.rint(1 / tw.attention(q, k, v, causal=True, align=align)[0, :, 0, 0]).astype(int)
    print(f"{align}: row 0 sees {seen[0]} of {keys} keys, row 7 sees {seen[7]}")

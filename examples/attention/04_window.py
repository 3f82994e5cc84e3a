"""A sliding window: each row sees 8 keys before its own and 2 after it.

Prints:
    keys that each row sees: 3 4 5 6 7 8 9 10 11 11 ... 11 11 10 9
    a key changes the rows from 18 to 28
"""

import numpy as np

import tilewright as tw

n = 48
q, k = (np.zeros((1, n, 1, 64), np.float32) for _ in range(2))
v = np.broadcast_to(np.eye(n, 64, dtype=np.float32)[None, :, None], (1, n, 1, 64)).copy()  # column j is key j

weights = tw.attention(q, k, v, window=(8, 2))[0, :, 0, :n]  # weight of each key, row by row
print("keys that each row sees:", *(weights > 0).sum(axis=1))
rows = np.flatnonzero(weights[:, 20])  # those that see key 20
print(f"a key changes the rows from {rows[0]} to {rows[-1]}")

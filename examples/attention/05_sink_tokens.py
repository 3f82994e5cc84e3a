"""Sink tokens: the first keys stay visible behind a sliding window.

Prints:
    row 40 sees the keys [0, 1, 2, 3, 32, 33, 34, 35, 36, 37, 38, 39, 40]
"""

import numpy as np

import tilewright as tw

n = 48
q, k = (np.zeros((1, n, 1, 64), np.float32) for _ in range(2))
v = np.broadcast_to(np.eye(n, 64, dtype=np.float32)[None, :, None], (1, n, 1, 64)).copy()  # column j is key j

weights = tw.attention(q, k, v, window=(8, 0), sink_tokens=4)[0, :, 0, :n]
print("row 40 sees the keys", np.flatnonzero(weights[40]).tolist())

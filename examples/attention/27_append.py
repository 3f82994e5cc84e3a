"""Append new keys and values to a cache, in place.

Prints:
    row 3 of sequence 0 and row 5 of sequence 1 are new: True
    nothing else changed: True
"""

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
k_cache, v_cache = (np.zeros((2, 8, 2, 64), np.float32) for _ in range(2))
k_new, v_new = (rng.standard_normal((2, 1, 2, 64), dtype=np.float32) for _ in range(2))
lengths = np.array([3, 5], np.int32)  # keys before the call; add 1 to them after it

tw.append_kv(k_cache, v_cache, k_new, v_new, lengths)
place = (np.arange(2), lengths)
new = np.array_equal(k_cache[place], k_new[:, 0]) and np.array_equal(v_cache[place], v_new[:, 0])
print("row 3 of sequence 0 and row 5 of sequence 1 are new:", new)
k_cache[place] = 0
print("nothing else changed:", not k_cache.any())

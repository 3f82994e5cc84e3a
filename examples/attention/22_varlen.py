"""Sequences of several lengths, one after another in one tensor: no padding is stored or computed.

Prints:
    3 sequences of 5, 40 and 25 rows in (70, 4, 64)
    each as if it were alone: True
"""

from itertools import pairwise

import numpy as np

import tilewright as tw

rng = np.random.default_rng(0)
ends = np.array([0, 5, 45, 70], np.int32)  # sequence i has the rows from ends[i] to ends[i + 1]
q, k, v = (rng.standard_normal((70, 4, 64), dtype=np.float32) for _ in range(3))

out = tw.attention_varlen(q, k, v, ends, ends, 40, 40, causal=True)
lengths = np.diff(ends)
print(f"{len(lengths)} sequences of {lengths[0]}, {lengths[1]} and {lengths[2]} rows in {q.shape}")

alone = [tw.attention(*(x[None, i:j] for x in (q, k, v)), causal=True)[0] for i, j in pairwise(ends)]
print("each as if it were alone:", np.allclose(out, np.concatenate(alone), atol=1e-5))
